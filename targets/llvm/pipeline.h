/* pipeline.h - the order of the graph-level passes. */
#ifndef TVM_TARGETS_LLVM_PIPELINE_H
#define TVM_TARGETS_LLVM_PIPELINE_H

#include "base/base.h"

/* Make the pipelines known to tvm-opt by name. */
void tvm_llvm_register_pipelines(void);
/* --tvm-schedule-kernels (schedule_pass.c). */
void tvm_llvm_register_schedule_pass(void);

/* Simplify, choose layouts and split off @constants. */
MlirLogicalResult tvm_llvm_prepare_graph(MlirModule module);

/* Fuse and lower what is left to te.kernel and te.launch. */
MlirLogicalResult tvm_llvm_lower_graph(MlirModule module);

#endif
