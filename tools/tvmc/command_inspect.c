/* command_inspect.c - tvmc inspect: what a compiled model holds. */
#include "tvmc.h"

#include <stdlib.h>

static const option_row rows[] = {
    {"--json", NULL, "print one JSON object", false},
    {"--graph", "OUT", "draw an .onnx model as fused: .svg, .png, .pdf, .dot",
     false},
    BUILD_OPTIONS,
    {0}};

static void print_tensors(const tvm_module *module, const char *title,
                          int32_t count,
                          tvm_status (*get)(const tvm_module *, int32_t,
                                            tvm_tensor_info *)) {
  char type[TENSOR_TEXT_BYTES];
  printf("%s\n", title);
  for (int32_t i = 0; i < count; i++) {
    tvm_tensor_info info;
    if (get(module, i, &info) != TVM_OK)
      continue;
    printf("  ");
    print_name(stdout, info.name, 0);
    printf("  %s\n", print_type(type, info.dtype, info.ndim, info.shape));
  }
}

static void print_text(const tvm_module *module, const tvm_model *m) {
  char text[32];
  printf("target    ");
  print_sentence(stdout, m->target);
  printf("producer  ");
  print_sentence(stdout, m->producer);
  print_tensors(module, "inputs", m->num_inputs, tvm_module_input_info);
  print_tensors(module, "outputs", m->num_outputs, tvm_module_output_info);
  printf("kernels (%d launches)\n", m->num_launches);
  for (int32_t i = 0; i < m->num_launches; i++) {
    const tvm_model_launch *l = &m->launches[i];
    printf("  ");
    print_name(stdout, l->name, 44);
    printf(" grid %-6lld %8.2f MFLOP %10s\n", (long long)l->grid,
           (double)l->flops * 1e-6,
           print_bytes(text, sizeof text, (uint64_t)l->bytes));
  }
  printf("arena     %s (at least %llu bytes live at once)\n",
         print_bytes(text, sizeof text, m->arena_bytes),
         (unsigned long long)m->max_live_bytes);
  printf("weights   %s\n", print_bytes(text, sizeof text, m->weights_bytes));
}

static void print_json_tensors(json *j, const char *key,
                               const tvm_module *module, int32_t count,
                               tvm_status (*get)(const tvm_module *, int32_t,
                                                 tvm_tensor_info *)) {
  json_open(j, key, '[');
  for (int32_t i = 0; i < count; i++) {
    tvm_tensor_info info;
    if (get(module, i, &info) == TVM_OK)
      json_tensor(j, &info);
  }
  json_close(j, ']');
}

static void print_json(const tvm_module *module, const tvm_model *m) {
  json j = {.out = stdout};
  json_open(&j, NULL, '{');
  json_string(&j, "target", m->target);
  json_string(&j, "producer", m->producer);
  print_json_tensors(&j, "inputs", module, m->num_inputs,
                     tvm_module_input_info);
  print_json_tensors(&j, "outputs", module, m->num_outputs,
                     tvm_module_output_info);
  json_open(&j, "kernels", '[');
  for (int32_t i = 0; i < m->num_launches; i++) {
    json_open(&j, NULL, '{');
    json_string(&j, "name", m->launches[i].name);
    json_integer(&j, "grid", m->launches[i].grid);
    json_integer(&j, "flops", m->launches[i].flops);
    json_integer(&j, "bytes", m->launches[i].bytes);
    json_close(&j, '}');
  }
  json_close(&j, ']');
  json_unsigned(&j, "arena_bytes", m->arena_bytes);
  json_unsigned(&j, "arena_align", m->arena_align);
  json_unsigned(&j, "max_live_bytes", m->max_live_bytes);
  json_unsigned(&j, "weights_bytes", m->weights_bytes);
  json_close(&j, '}');
}

static int print_target(const char *name) {
  failure f;
  char *text;
  bool known = tvm_describe_target(name, &text) == 0;
  if (known)
    fputs(text, stdout);
  else
    fail(&f, "%s", text);
  free(text);
  return known ? 0 : report(&f);
}

static int run(const arguments *args) {
  failure f;
  if (args->num_operands == 0 && get_option(args, "--target"))
    return print_target(get_option(args, "--target"));
  const char *picture = get_option(args, "--graph");
  if (!expect_operands(args, 1, 1, "one model", &f))
    return report(&f);
  if (picture)
    return draw_graph(args, args->operands[0], picture, &f) ? 0 : report(&f);
  if (is_onnx_file(args->operands[0])) {
    fail(&f, "'%s' expects a compiled model, see 'tvmc compile'",
         args->operands[0]);
    return report(&f);
  }
  tvm_env_options options = {.size_bytes = sizeof options, .num_threads = 1};
  tvm_env *env;
  tvm_module *module;
  bool ok = tvm_env_create(&options, &env) == TVM_OK;
  if (!ok || tvm_module_open(env, args->operands[0], &module)) {
    fail_runtime(&f, NULL);
    tvm_env_release(env);
    return report(&f);
  }
  const tvm_model *model = tvm_module_model(module);
  if (has_option(args, "--json"))
    print_json(module, model);
  else
    print_text(module, model);
  tvm_module_release(module);
  tvm_env_release(env);
  return 0;
}

const command command_inspect = {
    .name = "inspect",
    .synopsis = "MODEL.so [--json] | MODEL.onnx --graph OUT [OPTION...] | "
                "--target T",
    .summary = "Print the inputs, outputs, kernels and memory of a compiled "
               "model. 'kernels'\nhas an entry a launch, in order. With "
               "'--graph', draw what an .onnx model becomes:\na box a kernel, "
               "shapes on the edges. With '--target' alone, print what is "
               "known of a target.",
    .example = "  tvmc inspect resnet50.so --json\n"
               "  tvmc inspect resnet50.onnx --graph resnet50.svg\n"
               "  tvmc inspect --target host",
    .rows = rows,
    .run = run};
