/* pipeline.c - graph-level passes in the order that this target wants. */
#include "llvm/pipeline.h"

static const char prepare[] =
    "builtin.module(func.func(canonicalize,cse,tvm-choose-layout,canonicalize,"
    "cse),tvm-hoist-constants)";

static const char lower[] =
    "builtin.module(func.func(canonicalize,cse,tvm-fuse-operators),"
    "tvm-convert-graph-to-te,func.func(canonicalize))";

void tvm_llvm_register_pipelines(void) {
  tvm_seam_register_pipeline("tvm-prepare-graph",
                             "Simplify, choose layouts, split off constants",
                             prepare);
  tvm_seam_register_pipeline("tvm-lower-graph",
                             "Fuse graph operators, lower them to te kernels",
                             lower);
  tvm_llvm_register_schedule_pass();
}

MlirLogicalResult tvm_llvm_prepare_graph(MlirModule module) {
  return tvm_run_pipeline(module, prepare);
}

MlirLogicalResult tvm_llvm_lower_graph(MlirModule module) {
  return tvm_run_pipeline(module, lower);
}
