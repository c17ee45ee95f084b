/* schedule.h - choose a Transform schedule for one kernel and apply it. */
#ifndef TVM_TARGETS_LLVM_SCHEDULE_H
#define TVM_TARGETS_LLVM_SCHEDULE_H

#include "base/base.h"
#include "llvm/pack_weights.h"
#include "llvm/target.h"

/* What is tried for a kernel; each falls back to those below it. */
typedef enum tvm_schedule_effort {
  TVM_SCHEDULE_BLOCKED, /* a block of results in registers, or a user's */
  TVM_SCHEDULE_GENERAL, /* parallel pieces of the root */
  TVM_SCHEDULE_SIMPLE,  /* fused loops */
  TVM_SCHEDULE_PLAIN,   /* tvm_llvm_lower_plainly */
} tvm_schedule_effort;

/* Take the only func.func of `module` from linalg on tensors to loops and
 * vectors on buffers. The arguments are inputs, then one destination for each
 * result; the results become the buffers of those destinations. Kernels that
 * are large enough hold one scf.forall at the top level.
 *
 * A schedule of the library that does not apply is dropped for the plain
 * lowering. `user_schedule_path` may be null; a user's schedule that cannot be
 * read or does not apply is an error.
 * `packing` may be null; else its `constants` say which arguments may be asked
 * for in another order, and the answer must be obeyed.
 * Fails: emits. */
MlirLogicalResult tvm_llvm_schedule_kernel(MlirModule module,
                                           const tvm_llvm_target *target,
                                           const char *user_schedule_path,
                                           tvm_schedule_effort effort,
                                           tvm_llvm_packing *packing);

/* The same without a schedule and without a pass that changes arithmetic: a
 * loop nest for each operation, in order. */
MlirLogicalResult tvm_llvm_lower_plainly(MlirModule module);

#endif
