/* control_flow.c - If whose condition is known at import. */
#include "importer.h"

MlirLogicalResult tvm_onnx_import_if(tvm_onnx_node *node) {
  static const char *const BRANCHES[] = {"else_branch", "then_branch"};
  int64_t condition;
  const Onnx__AttributeProto *graphs[2];
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return mlirLogicalResultFailure();
  for (int i = 0; i < 2; ++i) {
    graphs[i] = tvm_onnx_get_attr(node, BRANCHES[i],
                                  ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH);
    if (!graphs[i] || !graphs[i]->g)
      return tvm_onnx_fail(node, "attribute '%s' is missing", BRANCHES[i]);
  }
  if (!tvm_onnx_read_i64(node, 0, &condition))
    return mlirLogicalResultFailure();
  return tvm_onnx_inline_graph(node, graphs[condition != 0]->g);
}
