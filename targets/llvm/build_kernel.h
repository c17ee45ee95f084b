/* build_kernel.h - one te.kernel to LLVM IR, in this process. */
#ifndef TVM_TARGETS_LLVM_BUILD_KERNEL_H
#define TVM_TARGETS_LLVM_BUILD_KERNEL_H

#include "llvm/emit_object.h"
#include "llvm/pack_weights.h"
#include "llvm/schedule.h"

enum { TVM_MAX_IN_PLACE = 16 };

/* How to build a kernel, and what came of it. */
typedef struct tvm_llvm_kernel_job {
  MlirOperation kernel; /* te.kernel */
  const tvm_llvm_target *target;
  const char *schedule_path; /* user schedule, or null */
  const char *object_path;
  tvm_schedule_effort effort;
  tvm_llvm_packing packing; /* in: constants; out: the rest */
  int64_t grid, workspace_bytes, flops;
  int32_t n_in_place;                 /* results; 0 when none shares a buffer */
  int32_t in_place[TVM_MAX_IN_PLACE]; /* operand to share with, or -1 */
} tvm_llvm_kernel_job;

/* Lower and translate the kernel. Null after an error. */
LLVMModuleRef tvm_llvm_build_kernel(tvm_llvm_kernel_job *job,
                                    LLVMContextRef context);

/* The same to an object file at `object_path`. Fails: emits. */
MlirLogicalResult tvm_llvm_build_object(tvm_llvm_kernel_job *job);

#endif
