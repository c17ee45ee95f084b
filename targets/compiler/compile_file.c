/* compile_file.c - tvm/compiler.h: importer, target and files put together. */
#include "tvm/compiler.h"

#include "compiler/register.h"
#include "onnx/onnx.h"
#include "llvm/llvm.h"

#include "mlir-c/Diagnostics.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  const tvm_compile_options *options;
  tvm_compile_options given; /* zero beyond the caller's size_bytes */
  MlirContext context;
  MlirDiagnosticHandlerID handler;
  char *work_folder;
  int errors;
  bool quiet;          /* count errors, report nothing */
  char **shape_inputs; /* tvm_find_shape_inputs only */
  size_t num_shape_inputs;
} compiler;

static void say(compiler *c, tvm_severity severity, const char *text) {
  c->errors += severity == TVM_ERROR;
  if (c->quiet)
    return;
  if (c->options->diagnostic)
    c->options->diagnostic(c->options->user, severity, text);
  else
    fprintf(stderr, "%s%s\n", severity == TVM_ERROR ? "error: " : "", text);
}

typedef struct {
  char *data;
  size_t length;
} text_buffer;

static void append(MlirStringRef s, void *user) {
  text_buffer *t = user;
  t->data = realloc(t->data, t->length + s.length + 1);
  memcpy(t->data + t->length, s.data, s.length);
  t->length += s.length;
  t->data[t->length] = 0;
}

static void append_text(text_buffer *t, const char *s) {
  append(mlirStringRefCreateFromCString(s), t);
}

/* "<location name>: <message>"; an unknown location has no prefix. */
static MlirLogicalResult on_diagnostic(MlirDiagnostic d, void *user) {
  compiler *c = user;
  text_buffer text = {0};
  MlirLocation location = mlirDiagnosticGetLocation(d);
  append_text(&text, "");
  if (mlirLocationIsAName(location)) {
    append(mlirIdentifierStr(mlirLocationNameGetName(location)), &text);
    append_text(&text, ": ");
  }
  mlirDiagnosticPrint(d, append, &text);
  MlirDiagnosticSeverity s = mlirDiagnosticGetSeverity(d);
  if (s == MlirDiagnosticError)
    say(c, TVM_ERROR, text.data);
  else if (s == MlirDiagnosticWarning)
    say(c, TVM_WARNING, text.data);
  free(text.data);
  return mlirLogicalResultSuccess();
}

/* A caller that was built with an older header has a shorter struct. */
static void copy_options(compiler *c, const tvm_compile_options *options) {
  size_t size = options ? options->size_bytes : 0;
  c->options = &c->given;
  if (size > sizeof c->given)
    size = sizeof c->given;
  if (options)
    memcpy(&c->given, options, size);
}

static void begin(compiler *c, const tvm_compile_options *options) {
  static void (*const dialects[])(MlirDialectRegistry) = {
      tvm_compiler_register_dialects};
  *c = (compiler){0};
  copy_options(c, options);
  tvm_compiler_register_passes();
  c->context = tvm_context_create(1, dialects);
  c->handler =
      mlirContextAttachDiagnosticHandler(c->context, on_diagnostic, c, NULL);
}

static void end(compiler *c) {
  mlirContextDetachDiagnosticHandler(c->context, c->handler);
  mlirContextDestroy(c->context);
}

static bool create_work_folder(compiler *c) {
  const char *base = getenv("TMPDIR");
  if (!base || !*base)
    base = "/tmp";
  size_t size = strlen(base) + 32;
  c->work_folder = malloc(size);
  snprintf(c->work_folder, size, "%s/tvmc-XXXXXX", base);
  if (mkdtemp(c->work_folder))
    return true;
  char text[512];
  snprintf(text, sizeof text, "cannot create a folder in '%s': %s", base,
           strerror(errno));
  say(c, TVM_ERROR, text);
  free(c->work_folder);
  c->work_folder = NULL;
  return false;
}

static void remove_work_folder(compiler *c) {
  if (!c->work_folder)
    return;
  DIR *folder = c->options->keep_temporaries ? NULL : opendir(c->work_folder);
  if (folder) {
    for (struct dirent *e; (e = readdir(folder));) {
      char path[4096];
      snprintf(path, sizeof path, "%s/%s", c->work_folder, e->d_name);
      if (e->d_name[0] != '.')
        unlink(path);
    }
    closedir(folder);
    rmdir(c->work_folder);
  }
  free(c->work_folder);
}

static void add_shape_input(void *user, const char *name) {
  compiler *c = user;
  c->shape_inputs =
      realloc(c->shape_inputs, (c->num_shape_inputs + 2) * sizeof(char *));
  c->shape_inputs[c->num_shape_inputs++] = strdup(name);
  c->shape_inputs[c->num_shape_inputs] = NULL;
}

static MlirModule import(compiler *c, const char *model_path, bool collect) {
  tvm_onnx_options onnx = {.num_shapes = c->options->num_shapes,
                           .shapes = c->options->shapes,
                           .num_values = c->options->num_values,
                           .values = c->options->values,
                           .shape_input = collect ? add_shape_input : NULL,
                           .user = c};
  if (c->options->progress)
    c->options->progress(c->options->user, "import", 0, 1);
  return tvm_onnx_import(c->context, model_path, &onnx);
}

static bool write_text(compiler *c, MlirModule module, const char *path) {
  text_buffer text = {0}, temporary = {0};
  char suffix[32], message[512];
  snprintf(suffix, sizeof suffix, ".tmp%ld", (long)getpid());
  append_text(&temporary, path);
  append_text(&temporary, suffix);
  mlirOperationPrint(mlirModuleGetOperation(module), append, &text);
  FILE *f = fopen(temporary.data, "wb");
  bool ok = f && fwrite(text.data, 1, text.length, f) == text.length;
  if (f)
    ok = fclose(f) == 0 && ok;
  ok = ok && rename(temporary.data, path) == 0;
  if (!ok) {
    snprintf(message, sizeof message, "cannot write '%s': %s", path,
             strerror(errno));
    say(c, TVM_ERROR, message);
    unlink(temporary.data);
  }
  free(temporary.data);
  free(text.data);
  return ok;
}

static bool check_passes(compiler *c) {
  char text[1024];
  if (tvm_llvm_check_passes(c->options->num_disabled_passes,
                            c->options->disabled_passes, text, sizeof text))
    return true;
  say(c, TVM_ERROR, text);
  return false;
}

static void say_verified(compiler *c, const tvm_llvm_verified *v) {
  char text[256];
  snprintf(text, sizeof text,
           "the numbers of %lld passes and %lld kernels are those of plain "
           "loops",
           (long long)v->passes, (long long)v->kernels);
  say(c, TVM_NOTE, text);
}

static tvm_llvm_form form_of(tvm_emit emit) {
  return emit == TVM_EMIT_SHARED  ? TVM_LLVM_SHARED
         : emit == TVM_EMIT_GRAPH ? TVM_LLVM_GRAPH
                                  : TVM_LLVM_OBJECT;
}

static bool compile_module(compiler *c, MlirModule module,
                           const char *output_path) {
  tvm_llvm_target target;
  char text[TVM_TARGET_MESSAGE_BYTES];
  if (!tvm_llvm_target_resolve(c->options->target, &target, text)) {
    say(c, TVM_ERROR, text);
    return false;
  }
  if (!create_work_folder(c))
    return false;
  tvm_llvm_verified verified = {0};
  tvm_llvm_options options = {
      .target = &target,
      .schedule_path = c->options->schedule_path,
      .work_folder = c->work_folder,
      .form = form_of(c->options->emit),
      .num_threads = c->options->num_threads,
      .kernel_seconds = c->options->kernel_seconds,
      .num_disabled_passes = c->options->num_disabled_passes,
      .disabled_passes = c->options->disabled_passes,
      .verify = c->options->verify_numerics ? &verified : NULL,
      .progress = c->options->progress,
      .user = c->options->user};
  bool ok = mlirLogicalResultIsSuccess(
      tvm_compiler_compile_module(module, output_path, &options));
  if (ok && options.verify)
    say_verified(c, &verified);
  return ok;
}

int tvm_compile_file(const char *model_path, const char *output_path,
                     const tvm_compile_options *options) {
  compiler c;
  begin(&c, options);
  MlirModule module = {0};
  if (check_passes(&c))
    module = import(&c, model_path, false);
  bool ok = !mlirModuleIsNull(module);
  if (ok && c.options->emit == TVM_EMIT_MLIR)
    ok = write_text(&c, module, output_path);
  else if (ok)
    ok = compile_module(&c, module, output_path);
  if (!ok && !c.errors)
    say(&c, TVM_ERROR, "compilation failed without a message");
  if (!mlirModuleIsNull(module))
    mlirModuleDestroy(module);
  remove_work_folder(&c);
  end(&c);
  return ok ? 0 : 1;
}

int tvm_find_shape_inputs(const char *model_path,
                          const tvm_compile_options *options,
                          char ***out_names) {
  compiler c;
  *out_names = NULL;
  begin(&c, options);
  c.quiet = true;
  MlirModule module = import(&c, model_path, true);
  bool imported = !mlirModuleIsNull(module);
  if (imported)
    mlirModuleDestroy(module);
  end(&c);
  if (imported || c.num_shape_inputs) {
    if (!c.shape_inputs)
      c.shape_inputs = calloc(1, sizeof(char *));
    *out_names = c.shape_inputs;
    return 0;
  }
  return 1;
}

const char *tvm_compiler_version(void) { return TVM_VERSION; }

int tvm_describe_target(const char *name, char **out_text) {
  tvm_llvm_target target;
  enum { BYTES = sizeof target + 1024 };
  *out_text = malloc(BYTES);
  if (!tvm_llvm_target_resolve(name, &target, *out_text))
    return 1;
  tvm_llvm_target_print(&target, *out_text, BYTES);
  return 0;
}
