/* schedule.c - choose a Transform schedule for one kernel and apply it. */
#include "llvm/schedule.h"

static const char plain[] =
    "builtin.module(linalg-fuse-elementwise-ops,canonicalize,cse,"
    "eliminate-empty-tensors,empty-tensor-to-alloc-tensor,"
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map "
    "buffer-alignment=64},canonicalize,cse,"
    "func.func(convert-linalg-to-loops),canonicalize,cse)";

MlirLogicalResult tvm_llvm_schedule_kernel(MlirModule module,
                                           const tvm_llvm_target *target,
                                           const char *user_schedule_path) {
  (void)target, (void)user_schedule_path;
  return tvm_run_pipeline(module, plain);
}
