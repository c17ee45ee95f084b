/* einsum_op.c - Einsum: read the node, then einsum.h. */
#include "decompose.h"
#include "einsum.h"

MlirLogicalResult tvm_onnx_import_einsum(tvm_onnx_node *node) {
  MlirLogicalResult failure = mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(
          tvm_onnx_expect_operands(node, 1, TVM_EINSUM_MAX_TERMS)))
    return failure;
  intptr_t n = tvm_onnx_num_operands(node);
  tvm_emit_shape shapes[TVM_EINSUM_MAX_TERMS];
  MlirValue operands[TVM_EINSUM_MAX_TERMS];
  for (intptr_t i = 0; i < n; ++i) {
    operands[i] = tvm_onnx_operand(node, i);
    if (tvm_emit_is_null(operands[i]))
      return tvm_onnx_fail(node, "operand %lld is missing", (long long)i);
    shapes[i] = tvm_emit_get_shape(operands[i]);
  }
  const char *equation = tvm_onnx_get_string(node, "equation", NULL);
  if (!equation)
    return tvm_onnx_fail(node, "attribute 'equation' is missing");
  tvm_einsum e;
  char error[256];
  if (!tvm_einsum_parse(equation, (int32_t)n, shapes, &e, sizeof error, error))
    return tvm_onnx_fail(node, "attribute 'equation' = '%s': %s", equation,
                         error);
  return tvm_onnx_set_result(
      node, 0, tvm_einsum_emit(tvm_onnx_builder(node), &e, operands));
}
