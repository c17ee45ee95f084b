/* build.c - create operators with inferred result types. */
#include "graph/graph.h"

#include <stdio.h>

MlirValue tvm_graph_build(tvm_builder *b, const char *name, intptr_t n_operands,
                          const MlirValue *operands, intptr_t n_attrs,
                          const MlirNamedAttribute *attrs) {
  char full[64];
  snprintf(full, sizeof full, "graph.%s", name);
  const tvm_graph_operator *row =
      tvm_graph_find_operator(mlirStringRefCreateFromCString(full));
  if (!row || !row->infer) {
    tvm_emit_error(b->location, "there is no operator '%s'", full);
    return (MlirValue){NULL};
  }
  tvm_graph_signature s = {row->name, b->context, b->location, n_operands,
                           operands,  n_attrs,    attrs};
  MlirType results[TVM_GRAPH_MAX_RESULTS];
  intptr_t n_results = 0;
  if (mlirLogicalResultIsFailure(row->infer(&s, &n_results, results)))
    return (MlirValue){NULL};
  MlirOperation op = tvm_build_op(b, row->name, n_results, results, n_operands,
                                  operands, n_attrs, attrs, 0, NULL);
  /* An operator without results stands for its first operand. */
  return n_results ? tvm_result(op, 0) : operands[0];
}
