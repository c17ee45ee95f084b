/* gemm.c - Gemm and MatMul, and the products that other importers need.
 *
 * Source: ONNX Gemm 7 to 13, MatMul 1 to 13. */
#include "product.h"

#include <math.h>

MlirValue tvm_product_emit(tvm_onnx_node *node, MlirValue lhs, MlirValue rhs) {
  if (tvm_emit_is_null(lhs) || tvm_emit_is_null(rhs))
    return (MlirValue){NULL};
  tvm_builder *b = tvm_onnx_builder(node);
  intptr_t l = (intptr_t)tvm_rank(lhs), r = (intptr_t)tvm_rank(rhs);
  if (l == 0 || r == 0) {
    tvm_onnx_fail(node,
                  "expects operands of rank 1 at least, got %lld and "
                  "%lld",
                  (long long)l, (long long)r);
    return (MlirValue){NULL};
  }
  int64_t inner = tvm_dim(lhs, l - 1);
  if (inner != tvm_dim(rhs, r == 1 ? 0 : r - 2)) {
    tvm_onnx_fail(node, "expects equal inner extents, got %lld and %lld",
                  (long long)inner,
                  (long long)tvm_dim(rhs, r == 1 ? 0 : r - 2));
    return (MlirValue){NULL};
  }
  if (l == 1)
    lhs = tvm_emit_unsqueeze(b, lhs, 0);
  if (r == 1)
    rhs = tvm_emit_unsqueeze(b, rhs, 1);
  MlirValue y = tvm_emit_binary(b, "matmul", lhs, rhs);
  if (tvm_emit_is_null(y))
    return y;
  tvm_emit_shape s = tvm_emit_get_shape(y);
  if (r == 1)
    s.rank -= 1;
  if (l == 1) {
    if (r != 1)
      s.dims[s.rank - 2] = s.dims[s.rank - 1];
    s.rank -= 1;
  }
  return tvm_emit_reshape(b, y, &s);
}

MlirLogicalResult tvm_onnx_import_mat_mul(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 2)))
    return mlirLogicalResultFailure();
  return tvm_onnx_set_result(node, 0,
                             tvm_product_emit(node, tvm_onnx_operand(node, 0),
                                              tvm_onnx_operand(node, 1)));
}

static MlirValue scale(tvm_builder *b, MlirValue x, double factor) {
  return factor == 1 ? x : tvm_emit_with(b, "mul", x, factor);
}

static MlirValue transpose_if(tvm_builder *b, MlirValue x, bool transposed) {
  return transposed ? tvm_emit_transpose(b, x, (int64_t[]){1, 0}) : x;
}

static bool is_whole(double x) { return fabs(x) <= 0x1p53 && x == floor(x); }

static bool check_gemm(tvm_onnx_node *node, double alpha, double beta) {
  MlirValue a = tvm_onnx_operand(node, 0), b = tvm_onnx_operand(node, 1);
  if (tvm_rank(a) != 2 || tvm_rank(b) != 2) {
    tvm_onnx_fail(node, "expects matrices, got ranks %lld and %lld",
                  (long long)tvm_rank(a), (long long)tvm_rank(b));
    return false;
  }
  bool whole = is_whole(alpha) && is_whole(beta);
  if (mlirTypeIsAFloat(tvm_element_type(a)) || whole)
    return true;
  tvm_onnx_unsupported(node, "fractional 'alpha' or 'beta' on integers");
  return false;
}

MlirLogicalResult tvm_onnx_import_gemm(tvm_onnx_node *node) {
  MlirLogicalResult failure = mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 3)))
    return failure;
  tvm_builder *b = tvm_onnx_builder(node);
  double alpha = tvm_onnx_get_float(node, "alpha", 1);
  double beta = tvm_onnx_get_float(node, "beta", 1);
  bool trans_a = tvm_onnx_get_int(node, "transA", 0) != 0;
  bool trans_b = tvm_onnx_get_int(node, "transB", 0) != 0;
  if (tvm_onnx_opset(node) < 7)
    tvm_onnx_ignore_attr(node, "broadcast"); /* always, from then on */
  if (!check_gemm(node, alpha, beta))
    return failure;
  MlirValue lhs = transpose_if(b, tvm_onnx_operand(node, 0), trans_a);
  MlirValue rhs = transpose_if(b, tvm_onnx_operand(node, 1), trans_b);
  MlirValue y = scale(b, tvm_product_emit(node, lhs, rhs), alpha);
  MlirValue c = tvm_onnx_operand(node, 2);
  if (!tvm_emit_is_null(c) && beta != 0) {
    if (tvm_rank(c) > 2)
      return tvm_onnx_fail(node, "expects C of rank 2 at most, got rank %lld",
                           (long long)tvm_rank(c));
    y = tvm_emit_binary(b, "add", y, scale(b, c, beta));
  }
  return tvm_onnx_set_result(node, 0, y);
}
