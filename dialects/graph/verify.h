/* verify.h - verifiers of the graph operators. */
#ifndef TVM_DIALECTS_GRAPH_VERIFY_H
#define TVM_DIALECTS_GRAPH_VERIFY_H

#include "base/base.h"

/* By the inference function of the operator's row. */
MlirLogicalResult tvm_graph_verify_operator(MlirOperation op);
MlirLogicalResult tvm_graph_verify_yield(MlirOperation op);
MlirLogicalResult tvm_graph_verify_fused(MlirOperation op);

#endif
