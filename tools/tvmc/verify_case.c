/* verify_case.c - one folder in the ONNX test layout: model.onnx and
 * test_data_set_N/{input,output}_M.pb.
 *
 * Files belong to the inputs of the graph in order, those with initializers
 * left out; names in the files, where all of them name an input, come first.
 * A compiled model serves the next data set too, unless a shape that the model
 * leaves open or a value that decides shapes has changed. */
#include "tvmc.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct tensor_files {
  size_t count;
  tensor *tensors;
  char **paths;
} tensor_files;

typedef struct verification {
  const verify_options *options;
  char *model;
  onnx_interface interface;
  bool has_interface;
  program program; /* compiled for `inputs` */
  bool compiled;
  tensor_files inputs;
  size_t num_frozen;
  char **frozen;
} verification;

static char *join(const char *folder, const char *name) {
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);
  snprintf(path, size, "%s/%s", folder, name);
  return path;
}

static void tensor_files_finish(tensor_files *files) {
  for (size_t i = 0; i < files->count; i++) {
    tensor_finish(&files->tensors[i]);
    free(files->paths[i]);
  }
  free(files->tensors);
  free(files->paths);
  *files = (tensor_files){0};
}

static bool tensor_files_read(tensor_files *out, const char *folder,
                              const char *kind, failure *f) {
  *out = (tensor_files){0};
  for (;;) {
    char name[64];
    snprintf(name, sizeof name, "%s_%zu.pb", kind, out->count);
    char *path = join(folder, name);
    if (access(path, F_OK)) {
      free(path);
      return true;
    }
    size_t n = out->count + 1;
    out->tensors = realloc(out->tensors, n * sizeof *out->tensors);
    out->paths = realloc(out->paths, n * sizeof *out->paths);
    out->paths[out->count] = path;
    out->tensors[out->count] = (tensor){0};
    out->count = n;
    if (!tensor_read(&out->tensors[n - 1], path, f))
      return false;
  }
}

static const onnx_value *find_input(const verification *v, const char *name) {
  for (size_t i = 0; name && i < v->interface.num_inputs; i++)
    if (strcmp(v->interface.inputs[i].name, name) == 0)
      return &v->interface.inputs[i];
  return NULL;
}

static bool check_kinds(const verification *v, failure *f) {
  for (size_t i = 0; i < v->interface.num_inputs; i++)
    if (v->interface.inputs[i].is_strange)
      return fail(f,
                  "input '%s' is a sequence, map or optional, which is not "
                  "supported",
                  v->interface.inputs[i].name);
  if (v->interface.strange_output)
    return fail(f,
                "output '%s' is a sequence, map or optional, which is not "
                "supported",
                v->interface.strange_output);
  return true;
}

/* Test data made by numpy, which has no bf16, calls its bits u16. */
static void name_bits(tensor *t, DLDataType wanted) {
  if (wanted.code == kDLBfloat && t->dtype.code == kDLUInt &&
      t->dtype.bits == 16)
    t->dtype = wanted;
}

/* After this every input tensor has the name of its input. */
static bool name_inputs(const verification *v, tensor_files *files,
                        failure *f) {
  size_t named = 0;
  for (size_t i = 0; i < files->count; i++)
    named += find_input(v, files->tensors[i].name) != NULL;
  if (files->count && named == files->count)
    return true;
  if (files->count > v->interface.num_inputs && v->has_interface)
    return fail(f, "the model has %zu inputs, the data set %zu",
                v->interface.num_inputs, files->count);
  for (size_t i = 0; v->has_interface && i < files->count; i++) {
    free(files->tensors[i].name);
    files->tensors[i].name = strdup(v->interface.inputs[i].name);
  }
  return true;
}

static bool is_frozen(const verification *v, const char *name) {
  for (size_t i = 0; i < v->num_frozen; i++)
    if (strcmp(v->frozen[i], name) == 0)
      return true;
  return false;
}

/* Whether what is compiled serves these inputs. */
static bool is_compiled_for(const verification *v, const tensor_files *files) {
  if (!v->compiled || files->count != v->inputs.count)
    return false;
  for (size_t i = 0; i < files->count; i++) {
    const tensor *a = &files->tensors[i], *b = &v->inputs.tensors[i];
    if (!a->name || !b->name || strcmp(a->name, b->name) ||
        !same_type(a, b->dtype, b->rank, b->shape))
      return false;
    if (is_frozen(v, a->name) && memcmp(a->data, b->data, a->bytes))
      return false;
  }
  return true;
}

static void forget_program(verification *v) {
  program_finish(&v->program);
  tensor_files_finish(&v->inputs);
  for (size_t i = 0; i < v->num_frozen; i++)
    free(v->frozen[i]);
  free(v->frozen);
  v->frozen = NULL;
  v->num_frozen = 0;
  v->compiled = false;
}

/* Freezes the inputs in `names` to their files. */
static bool freeze(verification *v, build *b, char **names, failure *f) {
  for (char **name = names; *name; name++) {
    size_t i = 0;
    while (i < v->inputs.count && (!v->inputs.tensors[i].name ||
                                   strcmp(v->inputs.tensors[i].name, *name)))
      i++;
    if (i == v->inputs.count)
      return fail(f, "input '%s' decides shapes and is not in the data set",
                  *name);
    if (!build_add_value(b, *name, v->inputs.paths[i], f))
      return false;
    v->frozen = realloc(v->frozen, (v->num_frozen + 1) * sizeof *v->frozen);
    v->frozen[v->num_frozen++] = strdup(*name);
  }
  return true;
}

static bool compile_with(verification *v, build *b, failure *f) {
  for (size_t i = 0; i < v->inputs.count; i++) {
    const tensor *t = &v->inputs.tensors[i];
    const onnx_value *input = find_input(v, t->name);
    if (input && !input->is_static && !build_has_shape(b, t->name) &&
        !build_add_shape(b, t->name, t->rank, t->shape, f))
      return false;
  }
  for (;;) {
    if (program_compile(&v->program, b, v->model, 1, f))
      return true;
    char **names = build_find_shape_inputs(b, v->model);
    if (!names)
      return false;
    bool ok = freeze(v, b, names, f);
    free_names(names);
    if (!ok)
      return false;
  }
}

/* Takes `owned_files`. */
static bool compile_for(verification *v, tensor_files *owned_files,
                        failure *f) {
  if (is_compiled_for(v, owned_files)) {
    tensor_files_finish(&v->inputs);
    v->inputs = *owned_files;
    return true;
  }
  forget_program(v);
  v->inputs = *owned_files;
  build b;
  bool ok = build_init(&b, v->options->args, f);
  /* --jobs counts folders here: side by side each compiles on one core. */
  b.options.num_threads = has_option(v->options->args, "--jobs") ? 1 : 0;
  v->compiled = ok && compile_with(v, &b, f);
  build_finish(&b);
  return v->compiled;
}

static bool set_inputs(const verification *v, failure *f) {
  const tvm_module *module = v->program.module;
  for (int32_t i = 0; i < tvm_module_num_inputs(module); i++) {
    tvm_tensor_info info;
    tensor *t = NULL;
    char want[TENSOR_TEXT_BYTES], have[TENSOR_TEXT_BYTES];
    tvm_module_input_info(module, i, &info);
    for (size_t k = 0; k < v->inputs.count; k++)
      if (v->inputs.tensors[k].name &&
          strcmp(v->inputs.tensors[k].name, info.name) == 0)
        t = &v->inputs.tensors[k];
    if (!t)
      return fail(f, "input '%s' is not in the data set", info.name);
    name_bits(t, info.dtype);
    if (!same_type(t, info.dtype, info.ndim, info.shape))
      return fail(f, "input '%s' expects %s, got %s", info.name,
                  print_type(want, info.dtype, info.ndim, info.shape),
                  print_type(have, t->dtype, t->rank, t->shape));
    DLTensor view = tensor_view(t);
    if (tvm_session_set_input_copy(v->program.session, i, &view))
      return fail_runtime(f, NULL);
  }
  return true;
}

static bool check_outputs(const verification *v, const tensor_files *expected,
                          failure *f) {
  int32_t count = tvm_module_num_outputs(v->program.module);
  if (expected->count == 0)
    return fail(f, "the data set has no outputs");
  if (expected->count != (size_t)count)
    return fail(f, "the model has %d outputs, the data set %zu", count,
                expected->count);
  for (int32_t i = 0; i < count; i++) {
    tvm_tensor_info info;
    DLTensor view;
    tvm_module_output_info(v->program.module, i, &info);
    if (tvm_session_get_output_view(v->program.session, i, &view))
      return fail_runtime(f, NULL);
    tensor got = tensor_from_view(&view, info.name);
    name_bits(&expected->tensors[i], info.dtype);
    if (!compare_tensors(&expected->tensors[i], &got, &v->options->tolerance,
                         f))
      return false;
  }
  return true;
}

static bool verify_set(verification *v, const char *folder, failure *f) {
  tensor_files inputs, outputs = {0};
  if (!tensor_files_read(&inputs, folder, "input", f) ||
      !name_inputs(v, &inputs, f)) {
    tensor_files_finish(&inputs);
    return false;
  }
  bool ok = tensor_files_read(&outputs, folder, "output", f);
  if (!ok)
    tensor_files_finish(&inputs);
  ok = ok && compile_for(v, &inputs, f) && set_inputs(v, f);
  if (ok && tvm_session_run(v->program.session))
    ok = fail_runtime(f, NULL);
  ok = ok && check_outputs(v, &outputs, f);
  tensor_files_finish(&outputs);
  return ok;
}

static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* The numbers N of test_data_set_N, sorted; the caller frees. */
static size_t find_sets(const char *folder, int64_t **out_numbers) {
  static const char prefix[] = "test_data_set_";
  size_t count = 0;
  *out_numbers = NULL;
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));) {
    int64_t number;
    if (strncmp(e->d_name, prefix, sizeof prefix - 1) ||
        !parse_integer(e->d_name + sizeof prefix - 1, 0, INT64_MAX, &number))
      continue;
    *out_numbers = realloc(*out_numbers, (count + 1) * sizeof **out_numbers);
    (*out_numbers)[count++] = number;
  }
  if (d)
    closedir(d);
  if (count)
    qsort(*out_numbers, count, sizeof **out_numbers, by_number);
  return count;
}

static bool verify_sets(verification *v, const char *folder, failure *f) {
  int64_t *numbers;
  size_t count = find_sets(folder, &numbers);
  bool ok = count || fail(f, "has no folder 'test_data_set_0'");
  for (size_t i = 0; ok && i < count; i++) {
    char name[64];
    failure inner;
    snprintf(name, sizeof name, "test_data_set_%lld", (long long)numbers[i]);
    char *path = join(folder, name);
    ok = verify_set(v, path, &inner) || fail(f, "%s: %.900s", name, inner.text);
    free(path);
  }
  free(numbers);
  return ok;
}

bool verify_folder(const char *folder, const verify_options *options,
                   failure *f) {
  verification v = {.options = options, .model = join(folder, "model.onnx")};
  bool ok = true;
  if (access(v.model, R_OK))
    ok = fail(f, "has no file 'model.onnx'");
  v.has_interface = ok && onnx_interface_read(&v.interface, v.model);
  ok = ok && check_kinds(&v, f) && verify_sets(&v, folder, f);
  forget_program(&v);
  onnx_interface_finish(&v.interface);
  free(v.model);
  return ok;
}
