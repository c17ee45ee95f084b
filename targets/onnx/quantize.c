/* quantize.c - quantized tensors and the products on them.
 *
 * Products are of i32, exact; what scales them back is float, as written in
 * the operators' definitions.
 * Source: ONNX QuantizeLinear 10 to 23, DequantizeLinear 10 to 23,
 * DynamicQuantizeLinear 11, MatMulInteger 10, ConvInteger 10,
 * QLinearMatMul 10 and 21, QLinearConv 10. */
#include "product.h"
#include "window.h"

#include <math.h>

static MlirLogicalResult failure(void) { return mlirLogicalResultFailure(); }

static bool is_single(MlirValue x) {
  return tvm_num_elements(mlirValueGetType(x)) == 1;
}

/* A parameter in the shape that broadcasts against `rank`: a scalar, or a
 * vector along `axis`; null when absent or after an error. */
static bool spread(tvm_onnx_node *node, MlirValue *v, MlirValue x,
                   int64_t axis) {
  tvm_builder *b = tvm_onnx_builder(node);
  if (tvm_emit_is_null(*v))
    return true;
  if (is_single(*v)) {
    *v = tvm_emit_reshape_to(b, *v, 0, NULL);
    return true;
  }
  intptr_t rank = (intptr_t)tvm_rank(x);
  if (tvm_rank(*v) != 1) {
    tvm_onnx_unsupported(node, "blocked quantization");
    return false;
  }
  if (!tvm_onnx_check_axis(node, "axis", rank, &axis))
    return false;
  if (tvm_dim(*v, 0) != tvm_dim(x, (intptr_t)axis)) {
    tvm_onnx_fail(node, "expects a scale for %lld elements, got %lld",
                  (long long)tvm_dim(x, (intptr_t)axis),
                  (long long)tvm_dim(*v, 0));
    return false;
  }
  tvm_emit_shape s = tvm_emit_along(rank, (intptr_t)axis, tvm_dim(*v, 0));
  *v = tvm_emit_reshape(b, *v, &s);
  return true;
}

/* The axis and, from opset 21 on, a block size that must be unset. */
static bool read_axis(tvm_onnx_node *node, int64_t *axis) {
  *axis = 1;
  if (tvm_onnx_opset(node) >= 13)
    *axis = tvm_onnx_get_int(node, "axis", 1);
  if (tvm_onnx_opset(node) < 21)
    return true;
  int64_t block = tvm_onnx_get_int(node, "block_size", 0);
  if (block != 0)
    tvm_onnx_unsupported(node, "attribute 'block_size' = %lld",
                         (long long)block);
  return block == 0;
}

static bool read_output_type(tvm_onnx_node *node, int64_t opset,
                             MlirType *type) {
  int64_t code = tvm_onnx_opset(node) >= opset
                     ? tvm_onnx_get_int(node, "output_dtype", 0)
                     : 0;
  if (code == 0)
    return true;
  *type = tvm_onnx_element_type(node, code);
  return !mlirTypeIsNull(*type);
}

/* round(x) + zero point, clamped to the integer type. `zero` may be null. */
static MlirValue saturate(tvm_builder *b, MlirValue x, MlirValue zero,
                          MlirType type) {
  x = tvm_emit_unary(b, "round", x);
  if (tvm_emit_is_null(x))
    return x;
  if (!tvm_emit_is_null(zero))
    x = tvm_emit_binary(b, "add", x,
                        tvm_emit_cast(b, zero, tvm_element_type(x)));
  int width = (int)mlirIntegerTypeGetWidth(type);
  bool is_unsigned = mlirIntegerTypeIsUnsigned(type);
  double high = ldexp(1, is_unsigned ? width : width - 1);
  x = tvm_emit_with(b, "max", x, is_unsigned ? 0 : -high);
  x = tvm_emit_with(b, "min", x, high - 1);
  return tvm_emit_cast(b, x, type);
}

static bool expect_narrow(tvm_onnx_node *node, MlirType type) {
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) <= 16)
    return true;
  tvm_onnx_unsupported(node, "quantization to other than 8 or 16 bit integers");
  return false;
}

MlirLogicalResult tvm_onnx_import_quantize_linear(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 3)))
    return failure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0), scale = tvm_onnx_operand(node, 1),
            zero = tvm_onnx_operand(node, 2);
  MlirType type = mlirIntegerTypeUnsignedGet(b->context, 8);
  int64_t axis;
  if (!read_output_type(node, 21, &type) || !read_axis(node, &axis))
    return failure();
  if (!tvm_emit_is_null(zero))
    type = tvm_element_type(zero);
  if (tvm_onnx_opset(node) >= 19) /* of float 8 alone */
    tvm_onnx_ignore_attr(node, "saturate");
  MlirType precision = tvm_element_type(scale);
  if (tvm_onnx_opset(node) >= 23) {
    int64_t code = tvm_onnx_get_int(node, "precision", 0);
    if (code && mlirTypeIsNull(precision = tvm_onnx_element_type(node, code)))
      return failure();
  }
  if (!expect_narrow(node, type) || !spread(node, &scale, x, axis) ||
      !spread(node, &zero, x, axis))
    return failure();
  /* Narrow floats cannot hold the sum with a 16 bit zero point. */
  MlirValue y = tvm_emit_binary(b, "div", tvm_emit_cast(b, x, precision),
                                tvm_emit_cast(b, scale, precision));
  y = tvm_emit_cast(b, y, tvm_emit_f32(b));
  return tvm_onnx_set_result(node, 0, saturate(b, y, zero, type));
}

/* x - zero point, as i32. */
static MlirValue center(tvm_builder *b, MlirValue x, MlirValue zero) {
  x = tvm_emit_cast(b, x, tvm_emit_i32(b));
  if (tvm_emit_is_null(zero))
    return x;
  return tvm_emit_binary(b, "sub", x, tvm_emit_cast(b, zero, tvm_emit_i32(b)));
}

MlirLogicalResult tvm_onnx_import_dequantize_linear(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 3)))
    return failure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0), scale = tvm_onnx_operand(node, 1),
            zero = tvm_onnx_operand(node, 2);
  MlirType type = tvm_element_type(scale);
  int64_t axis;
  if (!read_output_type(node, 23, &type) || !read_axis(node, &axis))
    return failure();
  if (!mlirTypeIsAInteger(tvm_element_type(x)))
    return tvm_onnx_unsupported(node, "dequantization of floats");
  if (!spread(node, &scale, x, axis) || !spread(node, &zero, x, axis))
    return failure();
  /* In f32: a narrow float may not hold the difference. */
  MlirType wide = mlirTypeIsAF64(type) ? type : tvm_emit_f32(b);
  MlirValue y = tvm_emit_cast(b, center(b, x, zero), wide);
  y = tvm_emit_binary(b, "mul", y, tvm_emit_cast(b, scale, wide));
  return tvm_onnx_set_result(node, 0, tvm_emit_cast(b, y, type));
}

/* The extreme of x and zero, as a scalar. */
static MlirValue find_extreme(tvm_builder *b, MlirValue x, const char *reduce,
                              const char *name) {
  int64_t axes[TVM_EMIT_MAX_RANK];
  intptr_t n = tvm_emit_get_shape(x).rank;
  for (intptr_t i = 0; i < n; ++i)
    axes[i] = i;
  return tvm_emit_with(b, name, tvm_emit_reduce(b, reduce, x, n, axes, false),
                       0);
}

MlirLogicalResult tvm_onnx_import_dynamic_quantize_linear(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return failure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirType ui8 = mlirIntegerTypeUnsignedGet(b->context, 8);
  MlirValue x = tvm_onnx_operand(node, 0);
  MlirValue high = find_extreme(b, x, "reduce_max", "max");
  MlirValue low = find_extreme(b, x, "reduce_min", "min");
  MlirValue scale =
      tvm_emit_with(b, "div", tvm_emit_binary(b, "sub", high, low), 255);
  MlirValue none = tvm_emit_with(b, "equal", scale, 0);
  scale = tvm_emit_select(b, none, tvm_emit_scalar(b, tvm_element_type(x), 1),
                          scale);
  MlirValue zero =
      tvm_emit_binary(b, "div", tvm_emit_unary(b, "neg", low), scale);
  zero = saturate(b, zero, (MlirValue){NULL}, ui8);
  MlirValue y = saturate(b, tvm_emit_binary(b, "div", x, scale), zero, ui8);
  MlirValue results[] = {y, scale, zero};
  for (intptr_t i = 0; i < 3; ++i)
    if (tvm_onnx_has_result(node, i) &&
        mlirLogicalResultIsFailure(tvm_onnx_set_result(node, i, results[i])))
      return failure();
  return mlirLogicalResultSuccess();
}

/* ---- products ---- */

/* A parameter of the rows of x (or of its columns): scalar, vector, or a
 * tensor that broadcasts as it is. */
static bool spread_matrix(tvm_onnx_node *node, MlirValue *v, MlirValue x,
                          bool rows) {
  if (tvm_emit_is_null(*v) || tvm_rank(*v) > 1)
    return true;
  int64_t rank = tvm_rank(x);
  return spread(node, v, x, rows && rank > 1 ? rank - 2 : rank - 1);
}

MlirLogicalResult tvm_onnx_import_mat_mul_integer(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 4)))
    return failure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue lhs = tvm_onnx_operand(node, 0), rhs = tvm_onnx_operand(node, 1);
  MlirValue lhs_zero = tvm_onnx_operand(node, 2),
            rhs_zero = tvm_onnx_operand(node, 3);
  if (!spread_matrix(node, &lhs_zero, lhs, true) ||
      !spread_matrix(node, &rhs_zero, rhs, false))
    return failure();
  return tvm_onnx_set_result(node, 0,
                             tvm_product_emit(node, center(b, lhs, lhs_zero),
                                              center(b, rhs, rhs_zero)));
}

/* acc * scale / y_scale, rounded and shifted. */
static MlirValue requantize(tvm_builder *b, MlirValue acc, MlirValue scale,
                            MlirValue y_scale, MlirValue y_zero) {
  MlirType wide = tvm_emit_f32(b);
  if (tvm_emit_is_null(acc) || tvm_emit_is_null(scale))
    return acc;
  scale = tvm_emit_binary(b, "div", scale, tvm_emit_cast(b, y_scale, wide));
  MlirValue y = tvm_emit_binary(b, "mul", tvm_emit_cast(b, acc, wide), scale);
  return saturate(b, y, y_zero, tvm_element_type(y_zero));
}

static MlirValue multiply_scales(tvm_builder *b, MlirValue x, MlirValue y) {
  MlirType wide = tvm_emit_f32(b);
  return tvm_emit_binary(b, "mul", tvm_emit_cast(b, x, wide),
                         tvm_emit_cast(b, y, wide));
}

MlirLogicalResult tvm_onnx_import_q_linear_mat_mul(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 8, 8)))
    return failure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue v[8];
  for (intptr_t i = 0; i < 8; ++i)
    v[i] = tvm_onnx_operand(node, i);
  MlirValue lhs = v[0], rhs = v[3];
  if (!expect_narrow(node, tvm_element_type(v[7])) ||
      !spread_matrix(node, &v[1], lhs, true) ||
      !spread_matrix(node, &v[2], lhs, true) ||
      !spread_matrix(node, &v[4], rhs, false) ||
      !spread_matrix(node, &v[5], rhs, false))
    return failure();
  if (!is_single(v[6]) || !is_single(v[7]))
    return tvm_onnx_unsupported(node, "a scale a row of the result");
  MlirValue acc =
      tvm_product_emit(node, center(b, lhs, v[2]), center(b, rhs, v[5]));
  MlirValue y = requantize(b, acc, multiply_scales(b, v[1], v[4]),
                           tvm_emit_reshape_to(b, v[6], 0, NULL),
                           tvm_emit_reshape_to(b, v[7], 0, NULL));
  return tvm_onnx_set_result(node, 0, y);
}

/* The i32 convolution of centered operands; null after an error. */
static MlirValue convolve(tvm_onnx_node *node, MlirValue x, MlirValue x_zero,
                          MlirValue weight, MlirValue weight_zero) {
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue null = {NULL};
  int64_t groups = tvm_onnx_get_int(node, "group", 1);
  tvm_window w;
  if (!tvm_window_read(node, x, weight, false, &w) ||
      !tvm_window_check_conv(node, x, weight, groups) ||
      !tvm_window_resolve(node, &w) || !spread(node, &x_zero, x, 1) ||
      !spread(node, &weight_zero, weight, 0))
    return null;
  return tvm_window_conv(b, center(b, x, x_zero),
                         center(b, weight, weight_zero), groups, &w);
}

MlirLogicalResult tvm_onnx_import_conv_integer(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 4)))
    return failure();
  MlirValue y =
      convolve(node, tvm_onnx_operand(node, 0), tvm_onnx_operand(node, 2),
               tvm_onnx_operand(node, 1), tvm_onnx_operand(node, 3));
  return tvm_onnx_set_result(node, 0, y);
}

MlirLogicalResult tvm_onnx_import_q_linear_conv(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 8, 9)))
    return failure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue v[9];
  for (intptr_t i = 0; i < 9; ++i)
    v[i] = tvm_onnx_operand(node, i);
  if (!expect_narrow(node, tvm_element_type(v[7])))
    return failure();
  MlirValue acc = convolve(node, v[0], v[2], v[3], v[5]);
  if (tvm_emit_is_null(acc))
    return failure();
  acc = tvm_window_add_bias(b, acc, v[8]);
  MlirValue weight_scale = v[4];
  if (!spread(node, &v[1], v[0], 1) || !spread(node, &weight_scale, acc, 1) ||
      !spread(node, &v[6], acc, 1) || !spread(node, &v[7], acc, 1))
    return failure();
  return tvm_onnx_set_result(
      node, 0,
      requantize(b, acc, multiply_scales(b, v[1], weight_scale), v[6], v[7]));
}
