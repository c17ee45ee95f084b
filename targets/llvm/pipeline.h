/* pipeline.h - the order of the graph-level passes. */
#ifndef TVM_TARGETS_LLVM_PIPELINE_H
#define TVM_TARGETS_LLVM_PIPELINE_H

#include "base/base.h"
#include "llvm/llvm.h"

/* Make the pipelines known to tvm-opt by name. */
void tvm_llvm_register_pipelines(void);
/* --tvm-schedule-kernels (schedule_pass.c). */
void tvm_llvm_register_schedule_pass(void);

/* Whether the pass `name` of graph_passes.def is to run. */
bool tvm_llvm_has_pass(const tvm_llvm_options *options, const char *name);

/* Simplify, choose layouts and split off @constants. Fails: emits. */
MlirLogicalResult tvm_llvm_prepare_graph(MlirModule module,
                                         const tvm_llvm_options *options);

/* Fuse and lower what is left to te.kernel and te.launch. Fails: emits. */
MlirLogicalResult tvm_llvm_lower_graph(MlirModule module,
                                       const tvm_llvm_options *options);

#endif
