/* program.c - a model ready to run, from a library or from an .onnx file. */
#include "tvmc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool is_onnx_file(const char *path) { return has_extension(path, ".onnx"); }

bool program_open(program *p, const char *library, int32_t threads,
                  failure *f) {
  *p = (program){0};
  tvm_env_options options = {.size_bytes = sizeof options,
                             .num_threads = threads};
  if (tvm_env_create(&options, &p->env) ||
      tvm_module_open(p->env, library, &p->module) ||
      tvm_session_create(p->module, NULL, &p->session)) {
    fail_runtime(f, NULL);
    program_finish(p);
    return false;
  }
  return true;
}

/* The module keeps the file open: its name can go at once. */
bool program_compile(program *p, build *b, const char *model, int32_t threads,
                     failure *f) {
  *p = (program){0};
  const char *base = getenv("TMPDIR");
  char folder[4096], library[4096 + 16];
  if ((size_t)snprintf(folder, sizeof folder, "%s/tvmc-XXXXXX",
                       base && *base ? base : "/tmp") >= sizeof folder)
    return fail(f, "the name of the temporary folder is too long");
  if (!mkdtemp(folder))
    return fail(f, "cannot create a folder in '%s': %s",
                base && *base ? base : "/tmp", strerror(errno));
  snprintf(library, sizeof library, "%s/model.so", folder);
  bool ok = build_compile(b, model, library, f) &&
            program_open(p, library, threads, f);
  unlink(library);
  rmdir(folder);
  return ok;
}

void program_finish(program *p) {
  tvm_session_release(p->session);
  tvm_module_release(p->module);
  tvm_env_release(p->env);
  *p = (program){0};
}
