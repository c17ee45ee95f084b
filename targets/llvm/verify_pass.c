/* verify_pass.c - passes with a look at the numbers after each, for those who
 * write one. */
#include "llvm/pipeline.h"
#include "llvm/verify_numerics.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const tvm_seam_option options[] = {
    {"passes", "pipelines on the module, separated by ';'", ""},
};

/* Run "a;b" piece by piece. */
static MlirLogicalResult run_pieces(MlirModule module, const char *pieces,
                                    tvm_llvm_numerics *numerics) {
  for (const char *at = pieces; *at;) {
    char stage[512], text[600];
    size_t n = strcspn(at, ";");
    snprintf(stage, sizeof stage, "%.*s", (int)n, at);
    snprintf(text, sizeof text, "builtin.module(%s)", stage);
    if (mlirLogicalResultIsFailure(tvm_run_pipeline(module, text)) ||
        mlirLogicalResultIsFailure(
            tvm_llvm_verify_stage(numerics, module, stage)))
      return mlirLogicalResultFailure();
    at += n + (at[n] == ';');
  }
  return mlirLogicalResultSuccess();
}

/* `module` is left as it is. */
static MlirLogicalResult verify(MlirModule module, const char *pieces,
                                const char *folder) {
  tvm_llvm_target host;
  tvm_llvm_target_get_host(&host);
  tvm_llvm_options here = {.target = &host, .work_folder = folder};
  tvm_llvm_numerics *numerics = tvm_llvm_numerics_create(module, &here);
  if (!numerics)
    return mlirLogicalResultFailure();
  MlirModule copy = mlirModuleFromOperation(
      mlirOperationClone(mlirModuleGetOperation(module)));
  MlirLogicalResult ok = run_pieces(copy, pieces, numerics);
  mlirModuleDestroy(copy);
  tvm_llvm_numerics_destroy(numerics);
  return ok;
}

static void remove_folder(const char *path) {
  DIR *folder = opendir(path);
  for (struct dirent *e; folder && (e = readdir(folder));) {
    char name[4096 + 300];
    snprintf(name, sizeof name, "%s/%s", path, e->d_name);
    if (e->d_name[0] != '.')
      unlink(name);
  }
  if (folder)
    closedir(folder);
  rmdir(path);
}

static MlirLogicalResult run(MlirOperation op, tvm_seam_pass pass, void *user) {
  (void)user;
  const char *base = getenv("TMPDIR");
  char folder[4096], pieces[4096];
  MlirStringRef text = tvm_seam_pass_option(pass, 0);
  snprintf(pieces, sizeof pieces, "%.*s", (int)text.length, text.data);
  snprintf(folder, sizeof folder, "%s/tvm-opt-XXXXXX",
           base && *base ? base : "/tmp");
  if (!mkdtemp(folder))
    return tvm_emit_error(mlirOperationGetLocation(op),
                          "cannot create the folder '%s'", folder);
  MlirLogicalResult ok = verify(mlirModuleFromOperation(op), pieces, folder);
  remove_folder(folder);
  return ok;
}

/* Whatever kernels are lowered through. */
static const char *const dialects[] = {
    "affine", "arith",  "bufferization", "cf",   "func",   "graph",
    "index",  "linalg", "llvm",          "math", "memref", "scf",
    "te",     "tensor", "transform",     "ub",   "vector"};

static const tvm_seam_pass_desc description = {
    .argument = "tvm-verify-numerics",
    .description = "Run passes on a copy and compare the numbers after each",
    .op_name = "builtin.module",
    .n_options = 1,
    .options = options,
    .n_dialects = sizeof dialects / sizeof *dialects,
    .dialects = dialects,
    .run = run,
};

void tvm_llvm_register_verify_pass(void) {
  tvm_seam_register_pass(&description);
}
