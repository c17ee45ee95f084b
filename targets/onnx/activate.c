/* activate.c - activation functions, said with the operators that there are. */
#include "decompose.h"

#include <string.h>

static bool has_one_operand(tvm_onnx_node *node) {
  return mlirLogicalResultIsSuccess(tvm_onnx_expect_operands(node, 1, 1));
}

/* Half floats are computed as f32 and rounded once. */
static MlirValue get_wide(tvm_onnx_node *node) {
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  MlirType type = tvm_element_type(x);
  bool is_half = mlirTypeIsAF16(type) || mlirTypeIsABF16(type);
  return is_half ? tvm_emit_cast(b, x, tvm_emit_f32(b)) : x;
}

static MlirLogicalResult set(tvm_onnx_node *node, MlirValue y) {
  MlirType type = tvm_element_type(tvm_onnx_operand(node, 0));
  return tvm_onnx_set_result(node, 0,
                             tvm_emit_cast(tvm_onnx_builder(node), y, type));
}

/* x < limit ? below : above */
static MlirValue select_below(tvm_builder *b, MlirValue x, double limit,
                              MlirValue below, MlirValue above) {
  return tvm_emit_select(b, tvm_emit_with(b, "less", x, limit), below, above);
}

static MlirValue clamp_unit(tvm_builder *b, MlirValue x) {
  return tvm_emit_with(b, "min", tvm_emit_with(b, "max", x, 0), 1);
}

/* exp(-|x|), which cannot overflow */
static MlirValue emit_small_exp(tvm_builder *b, MlirValue x) {
  x = tvm_emit_unary(b, "neg", tvm_emit_unary(b, "abs", x));
  return tvm_emit_unary(b, "exp", x);
}

/* max(x, 0) + log(1 + exp(-|x|)) */
static MlirValue emit_softplus(tvm_builder *b, MlirValue x) {
  MlirValue y = tvm_emit_unary(b, "log1p", emit_small_exp(b, x));
  return tvm_emit_binary(b, "add", tvm_emit_unary(b, "relu", x), y);
}

MlirLogicalResult tvm_onnx_import_reciprocal(tvm_onnx_node *node) {
  if (!has_one_operand(node))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  MlirValue one = tvm_emit_scalar(b, tvm_element_type(x), 1);
  return set(node, tvm_emit_binary(b, "div", one, x));
}

MlirLogicalResult tvm_onnx_import_softplus(tvm_onnx_node *node) {
  if (!has_one_operand(node))
    return mlirLogicalResultFailure();
  return set(node, emit_softplus(tvm_onnx_builder(node), get_wide(node)));
}

/* x tanh(softplus(x)) = x n / (n + 2 d), (n, d) = (e^2 + 2 e, 1) below zero and
 * (1 + 2 e, e^2) above, e = exp(-|x|). */
MlirLogicalResult tvm_onnx_import_mish(tvm_onnx_node *node) {
  if (!has_one_operand(node))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = get_wide(node);
  MlirValue one = tvm_emit_scalar(b, tvm_element_type(x), 1);
  MlirValue e = emit_small_exp(b, x);
  MlirValue square = tvm_emit_binary(b, "mul", e, e);
  MlirValue twice = tvm_emit_binary(b, "add", e, e);
  MlirValue top =
      tvm_emit_binary(b, "add", select_below(b, x, 0, square, one), twice);
  MlirValue rest = select_below(b, x, 0, one, square);
  rest = tvm_emit_binary(b, "add", rest, rest);
  MlirValue t =
      tvm_emit_binary(b, "div", top, tvm_emit_binary(b, "add", top, rest));
  return set(node, tvm_emit_binary(b, "mul", x, t));
}

MlirLogicalResult tvm_onnx_import_softsign(tvm_onnx_node *node) {
  if (!has_one_operand(node))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = get_wide(node);
  MlirValue d = tvm_emit_with(b, "add", tvm_emit_unary(b, "abs", x), 1);
  return set(node, tvm_emit_binary(b, "div", x, d));
}

MlirLogicalResult tvm_onnx_import_leaky_relu(tvm_onnx_node *node) {
  if (!has_one_operand(node))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = get_wide(node);
  double alpha = tvm_onnx_get_float(node, "alpha", 0.01);
  return set(node, select_below(b, x, 0, tvm_emit_with(b, "mul", x, alpha), x));
}

/* The slope broadcasts to x, never the other way; up to opset 6 it has an
 * element a channel. */
MlirLogicalResult tvm_onnx_import_p_relu(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 2)))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0), slope = tvm_onnx_operand(node, 1);
  if (tvm_rank(slope) > tvm_rank(x))
    return tvm_onnx_fail(node, "expects a slope of rank %lld at most, got %lld",
                         (long long)tvm_rank(x), (long long)tvm_rank(slope));
  if (tvm_onnx_opset(node) < 7 && tvm_rank(slope) == 1 && tvm_rank(x) > 1) {
    tvm_emit_shape s =
        tvm_emit_along((intptr_t)tvm_rank(x), 1, tvm_dim(slope, 0));
    slope = tvm_emit_reshape(b, slope, &s);
  }
  MlirValue y = tvm_emit_binary(b, "mul", x, slope);
  return set(node, select_below(b, x, 0, y, x));
}

/* NaN gives zero, as the operator's text has it. */
MlirLogicalResult tvm_onnx_import_thresholded_relu(tvm_onnx_node *node) {
  if (!has_one_operand(node))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  double alpha = tvm_onnx_get_float(node, "alpha", 1);
  MlirValue zero = tvm_emit_scalar(b, tvm_element_type(x), 0);
  MlirValue limit = tvm_emit_scalar(b, tvm_element_type(x), alpha);
  MlirValue kept = tvm_emit_binary(b, "less", limit, x);
  return set(node, tvm_emit_select(b, kept, x, zero));
}

MlirLogicalResult tvm_onnx_import_elu(tvm_onnx_node *node) {
  if (!has_one_operand(node))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = get_wide(node);
  double alpha = tvm_onnx_get_float(node, "alpha", 1);
  MlirValue y = tvm_emit_with(b, "mul", tvm_emit_unary(b, "expm1", x), alpha);
  return set(node, select_below(b, x, 0, y, x));
}

MlirLogicalResult tvm_onnx_import_selu(tvm_onnx_node *node) {
  if (!has_one_operand(node))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = get_wide(node);
  double alpha = tvm_onnx_get_float(node, "alpha", 1.67326319217681884765625);
  double gamma = tvm_onnx_get_float(node, "gamma", 1.05070102214813232421875);
  MlirValue y = tvm_emit_with(b, "mul", tvm_emit_unary(b, "expm1", x), alpha);
  return set(node, tvm_emit_with(b, "mul", select_below(b, x, 0, y, x), gamma));
}

MlirLogicalResult tvm_onnx_import_celu(tvm_onnx_node *node) {
  if (!has_one_operand(node))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = get_wide(node);
  double alpha = tvm_onnx_get_float(node, "alpha", 1);
  MlirValue y = tvm_emit_unary(b, "expm1", tvm_emit_with(b, "div", x, alpha));
  return set(node, select_below(b, x, 0, tvm_emit_with(b, "mul", y, alpha), x));
}

MlirLogicalResult tvm_onnx_import_hard_sigmoid(tvm_onnx_node *node) {
  if (!has_one_operand(node))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  double alpha = tvm_onnx_get_float(node, "alpha", 0.2);
  double beta = tvm_onnx_get_float(node, "beta", 0.5);
  MlirValue y = tvm_emit_with(b, "mul", get_wide(node), alpha);
  return set(node, clamp_unit(b, tvm_emit_with(b, "add", y, beta)));
}

MlirLogicalResult tvm_onnx_import_hard_swish(tvm_onnx_node *node) {
  if (!has_one_operand(node))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = get_wide(node);
  MlirValue y = tvm_emit_with(b, "mul", x, 1.0 / 6);
  y = clamp_unit(b, tvm_emit_with(b, "add", y, 0.5));
  return set(node, tvm_emit_binary(b, "mul", x, y));
}

/* x (1 + erf(x / sqrt 2)) / 2 = x erfc(-x / sqrt 2) / 2; x (1 + tanh u) / 2 =
 * x sigmoid(2 u). The right sides lose nothing where x is very negative. */
MlirLogicalResult tvm_onnx_import_gelu(tvm_onnx_node *node) {
  static const char *const NAMES[] = {"none", "tanh"};
  int32_t approximate;
  if (!has_one_operand(node) ||
      !tvm_onnx_get_choice(node, "approximate", 0, 2, NAMES, &approximate))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = get_wide(node), y;
  if (approximate) {
    y = tvm_emit_binary(b, "mul", tvm_emit_binary(b, "mul", x, x), x);
    y = tvm_emit_binary(b, "add", x, tvm_emit_with(b, "mul", y, 0.044715));
    y = tvm_emit_with(b, "mul", y, 1.5957691216057308); /* sqrt(8 / pi) */
    y = tvm_emit_unary(b, "sigmoid", y);
  } else {
    y = tvm_emit_with(b, "mul", x, -0.7071067811865476);
    y = tvm_emit_unary(b, "erfc", y);
    y = tvm_emit_with(b, "mul", y, 0.5);
  }
  return set(node, tvm_emit_binary(b, "mul", x, y));
}

/* x < -lambd: x + bias; x > lambd: x - bias; zero between. Integers are
 * computed as f32. */
MlirLogicalResult tvm_onnx_import_shrink(tvm_onnx_node *node) {
  if (!has_one_operand(node))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirType type = tvm_element_type(tvm_onnx_operand(node, 0));
  MlirType inner = mlirTypeIsAFloat(type) ? type : tvm_emit_f32(b);
  MlirValue x = tvm_emit_cast(b, tvm_onnx_operand(node, 0), inner);
  double bias = tvm_onnx_get_float(node, "bias", 0);
  double lambd = tvm_onnx_get_float(node, "lambd", 0.5);
  MlirValue zero = tvm_emit_scalar(b, inner, 0);
  MlirValue limit = tvm_emit_scalar(b, inner, lambd);
  MlirValue above = tvm_emit_binary(b, "less", limit, x);
  MlirValue y =
      tvm_emit_select(b, above, tvm_emit_with(b, "sub", x, bias), zero);
  y = select_below(b, x, -lambd, tvm_emit_with(b, "add", x, bias), y);
  return set(node, tvm_emit_cast(b, y, type));
}
