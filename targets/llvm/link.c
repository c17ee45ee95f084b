/* link.c - run the linker over the objects of a model. */
#include "llvm/emit_object.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static MlirLogicalResult run_linker(char **args, MlirLocation location) {
  pid_t pid;
  int error = posix_spawn(&pid, args[0], NULL, NULL, args, environ);
  if (error) {
    tvm_emit_error(location, "cannot start the linker '%s': %s", args[0],
                   strerror(error));
    return mlirLogicalResultFailure();
  }
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return mlirLogicalResultFailure();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return mlirLogicalResultSuccess();
  tvm_emit_error(location, "the linker '%s' failed", args[0]);
  return mlirLogicalResultFailure();
}

static char *temporary_name(const char *path) {
  size_t size = strlen(path) + 32;
  char *name = malloc(size);
  snprintf(name, size, "%s.tmp%ld", path, (long)getpid());
  return name;
}

MlirLogicalResult tvm_llvm_link(size_t n, char *const *objects,
                                const char *output_path, bool shared,
                                const char *libm, const char *soname,
                                MlirLocation location) {
  char *temporary = temporary_name(output_path);
  char **args = calloc(n + 16, sizeof *args);
  size_t k = 0;
  args[k++] = TVM_LINKER;
  args[k++] = shared ? "-shared" : "-r";
  if (shared) {
    args[k++] = "--hash-style=gnu";
    args[k++] = "--gc-sections";
    args[k++] = "-znow";
    args[k++] = "-zrelro";
    args[k++] = "--build-id=none";
  }
  args[k++] = "-o";
  args[k++] = temporary;
  for (size_t i = 0; i < n; ++i)
    args[k++] = objects[i];
  if (soname) {
    args[k++] = "--soname";
    args[k++] = (char *)soname;
  }
  if (libm) {
    args[k++] = "--as-needed";
    args[k++] = (char *)libm;
  }
  MlirLogicalResult ok = mlirLogicalResultSuccess();
  if (access(args[0], X_OK) != 0) {
    tvm_emit_error(location, "the linker '%s' is not installed", args[0]);
    ok = mlirLogicalResultFailure();
  }
  FILE *probe = fopen(temporary, "wb");
  if (!probe) {
    tvm_emit_error(location, "cannot write '%s': %s", output_path,
                   strerror(errno));
    ok = mlirLogicalResultFailure();
  } else {
    fclose(probe);
  }
  if (mlirLogicalResultIsSuccess(ok))
    ok = run_linker(args, location);
  if (mlirLogicalResultIsSuccess(ok) && rename(temporary, output_path)) {
    tvm_emit_error(location, "cannot write '%s': %s", output_path,
                   strerror(errno));
    ok = mlirLogicalResultFailure();
  }
  if (mlirLogicalResultIsFailure(ok))
    unlink(temporary);
  free(args);
  free(temporary);
  return ok;
}
