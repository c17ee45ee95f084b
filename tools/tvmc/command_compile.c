/* command_compile.c - tvmc compile: an ONNX file becomes a native library. */
#include "tvmc.h"

#include <string.h>
#include <sys/stat.h>

static const option_row rows[] = {
    {"-o", "OUT", "the file to write", false},
    {"--emit", "KIND", "so (shared library), obj (object file) or mlir", false},
    BUILD_OPTIONS,
    {"--verify-numerics", NULL,
     "check the numbers of every pass and kernel against plain loops", false},
    {"--threads", "N", "the same as --jobs", false},
    {"--keep-temporaries", NULL, "leave the intermediate files", false},
    {"--json", NULL, "print the summary as JSON", false},
    {0}};

static bool get_emit(const arguments *args, tvm_emit *out, failure *f) {
  const char *text = get_option(args, "--emit");
  *out = TVM_EMIT_SHARED;
  if (!text || strcmp(text, "so") == 0)
    return true;
  if (strcmp(text, "obj") == 0)
    *out = TVM_EMIT_OBJECT;
  else if (strcmp(text, "mlir") == 0)
    *out = TVM_EMIT_MLIR;
  else
    return fail(f, "'--emit' expects so, obj or mlir, got '%s'", text);
  return true;
}

static bool is_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
         x.st_ino == y.st_ino;
}

static void print_summary(const arguments *args, const char *output,
                          double seconds) {
  struct stat info;
  uint64_t bytes = stat(output, &info) == 0 ? (uint64_t)info.st_size : 0;
  char size[32], time[32];
  if (!has_option(args, "--json")) {
    printf("%s: %s in %s\n", output, print_bytes(size, sizeof size, bytes),
           print_seconds(time, sizeof time, seconds));
    return;
  }
  json j = {.out = stdout};
  json_open(&j, NULL, '{');
  json_string(&j, "output", output);
  json_unsigned(&j, "bytes", bytes);
  json_number(&j, "seconds", seconds);
  json_close(&j, '}');
}

static bool compile(const arguments *args, build *b, failure *f) {
  const char *output = get_option(args, "-o");
  int64_t jobs = b->options.num_threads;
  double began = now_seconds();
  if (!expect_operands(args, 1, 1, "one model", f) ||
      !get_integer(args, "--threads", 1, 1024, &jobs, f) ||
      !get_emit(args, &b->options.emit, f))
    return false;
  if (!output)
    return fail(f, "'-o' is missing: the file to write");
  const char *model = args->operands[0];
  if (is_same_file(model, output))
    return fail(f, "'%s' is the model itself", output);
  if (!file_check_writable(output, f))
    return false;
  b->options.num_threads = (int)jobs;
  b->options.verify_numerics = has_option(args, "--verify-numerics");
  b->options.keep_temporaries = has_option(args, "--keep-temporaries");
  b->progress = progress_create();
  bool ok = build_compile(b, model, output, f);
  progress_destroy(b->progress);
  b->progress = NULL;
  if (ok)
    print_summary(args, output, now_seconds() - began);
  return ok;
}

static int run(const arguments *args) {
  failure f;
  build b;
  bool ok = build_init(&b, args, &f) && compile(args, &b, &f);
  build_finish(&b);
  return ok ? 0 : report(&f);
}

const command command_compile = {
    .name = "compile",
    .synopsis = "MODEL.onnx -o OUT [OPTION...]",
    .summary = "Compile a model into a shared library, an object file with the "
               "same symbol\nor, with '--emit mlir', the graph dialect.",
    .example =
        "  tvmc compile resnet50.onnx -o resnet50.so --shape x=1,3,224,224",
    .rows = rows,
    .run = run};
