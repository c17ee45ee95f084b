/* elementwise.c - operators that are one graph operator, or a row of them. */
#include "decompose.h"

#include <math.h>
#include <string.h>

typedef struct {
  const char *op_type, *name;
  bool swap;
} row;

static const row ROWS[] = {
    {"Abs", "abs", false},
    {"Acos", "acos", false},
    {"Acosh", "acosh", false},
    {"Add", "add", false},
    {"And", "and", false},
    {"Asin", "asin", false},
    {"Asinh", "asinh", false},
    {"Atan", "atan", false},
    {"Atanh", "atanh", false},
    {"BitwiseAnd", "and", false},
    {"BitwiseNot", "not", false},
    {"BitwiseOr", "or", false},
    {"BitwiseXor", "xor", false},
    {"Ceil", "ceil", false},
    {"Cos", "cos", false},
    {"Cosh", "cosh", false},
    {"Div", "div", false},
    {"Equal", "equal", false},
    {"Erf", "erf", false},
    {"Exp", "exp", false},
    {"Floor", "floor", false},
    {"Greater", "less", true},
    {"GreaterOrEqual", "less_equal", true},
    {"IsNaN", "is_nan", false},
    {"Less", "less", false},
    {"LessOrEqual", "less_equal", false},
    {"Log", "log", false},
    {"Max", "max", false},
    {"Mean", "add", false},
    {"Min", "min", false},
    {"Mul", "mul", false},
    {"Neg", "neg", false},
    {"Not", "not", false},
    {"Or", "or", false},
    {"Relu", "relu", false},
    {"Round", "round", false},
    {"Sigmoid", "sigmoid", false},
    {"Sign", "sign", false},
    {"Sin", "sin", false},
    {"Sinh", "sinh", false},
    {"Sqrt", "sqrt", false},
    {"Sub", "sub", false},
    {"Sum", "add", false},
    {"Tan", "tan", false},
    {"Tanh", "tanh", false},
    {"Xor", "xor", false},
};

/* Not, And, Or and Xor are of bool alone; the Bitwise operators have the rest.
 */
static bool check_logic(tvm_onnx_node *node) {
  static const char *const LOGIC[] = {"And", "Not", "Or", "Xor"};
  MlirType type = tvm_element_type(tvm_onnx_operand(node, 0));
  bool is_bool = mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1;
  for (size_t i = 0; !is_bool && i < sizeof LOGIC / sizeof *LOGIC; ++i)
    if (strcmp(tvm_onnx_op_type(node), LOGIC[i]) == 0) {
      tvm_onnx_fail(node, "expects bool operands");
      return false;
    }
  return true;
}

static const row *find_row(const tvm_onnx_node *node) {
  const char *op_type = tvm_onnx_op_type(node);
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; ++i)
    if (strcmp(ROWS[i].op_type, op_type) == 0)
      return &ROWS[i];
  return &ROWS[0];
}

MlirLogicalResult tvm_onnx_import_unary(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)) ||
      !check_logic(node))
    return mlirLogicalResultFailure();
  return tvm_onnx_set_result(node, 0,
                             tvm_emit_unary(tvm_onnx_builder(node),
                                            find_row(node)->name,
                                            tvm_onnx_operand(node, 0)));
}

/* Up to opset 6 only the right operand broadcasts, when asked to, and its
 * dimensions begin at `axis` of the left one's. Null after an error. */
static MlirValue get_right_operand(tvm_onnx_node *node) {
  MlirValue y = tvm_onnx_operand(node, 1);
  if (tvm_onnx_opset(node) > 6 || !tvm_onnx_get_int(node, "broadcast", 0))
    return y;
  intptr_t rank = (intptr_t)tvm_rank(tvm_onnx_operand(node, 0));
  tvm_emit_shape s = tvm_emit_get_shape(y);
  int64_t axis = rank - s.rank;
  if (axis < 0) {
    tvm_onnx_fail(node, "expects a right input of rank %d at most, got %d",
                  (int)rank, (int)s.rank);
    return (MlirValue){NULL};
  }
  if (s.rank == 0)
    tvm_onnx_ignore_attr(node, "axis");
  else if (!tvm_onnx_get_axis(node, "axis", axis, rank, &axis))
    return (MlirValue){NULL};
  while (s.rank < rank - axis)
    s.dims[s.rank++] = 1;
  return tvm_emit_reshape(tvm_onnx_builder(node), y, &s);
}

MlirLogicalResult tvm_onnx_import_binary(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 2)) ||
      !check_logic(node))
    return mlirLogicalResultFailure();
  const row *r = find_row(node);
  MlirValue x = tvm_onnx_operand(node, 0), y = get_right_operand(node);
  return tvm_onnx_set_result(node, 0,
                             tvm_emit_binary(tvm_onnx_builder(node), r->name,
                                             r->swap ? y : x, r->swap ? x : y));
}

/* Max, Min, Sum and Mean of any number of operands. */
MlirLogicalResult tvm_onnx_import_variadic(tvm_onnx_node *node) {
  intptr_t n = tvm_onnx_num_operands(node);
  if (n < 1)
    return tvm_onnx_fail(node, "expects one input at least, got none");
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, n, n)))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue y = tvm_onnx_operand(node, 0);
  for (intptr_t i = 1; i < n; ++i)
    y = tvm_emit_binary(b, find_row(node)->name, y, tvm_onnx_operand(node, i));
  if (strcmp(tvm_onnx_op_type(node), "Mean") == 0)
    y = tvm_emit_with(b, "div", y, (double)n);
  return tvm_onnx_set_result(node, 0, y);
}

MlirLogicalResult tvm_onnx_import_identity(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return mlirLogicalResultFailure();
  return tvm_onnx_set_result(node, 0, tvm_onnx_operand(node, 0));
}

MlirLogicalResult tvm_onnx_import_mod(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 2)))
    return mlirLogicalResultFailure();
  bool fmod = tvm_onnx_get_int(node, "fmod", 0) != 0;
  MlirValue x = tvm_onnx_operand(node, 0);
  if (!fmod && mlirTypeIsAFloat(tvm_element_type(x)))
    return tvm_onnx_fail(node, "attribute 'fmod' must be 1 for floats");
  return tvm_onnx_set_result(node, 0,
                             tvm_emit_binary(tvm_onnx_builder(node),
                                             fmod ? "rem" : "mod", x,
                                             tvm_onnx_operand(node, 1)));
}

MlirLogicalResult tvm_onnx_import_bit_shift(tvm_onnx_node *node) {
  static const char *const DIRECTIONS[] = {"LEFT", "RIGHT"};
  int32_t direction;
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 2)) ||
      !tvm_onnx_get_choice(node, "direction", -1, 2, DIRECTIONS, &direction))
    return mlirLogicalResultFailure();
  if (direction < 0)
    return tvm_onnx_fail(node, "attribute 'direction' is missing");
  return tvm_onnx_set_result(
      node, 0,
      tvm_emit_binary(tvm_onnx_builder(node),
                      direction ? "shift_right" : "shift_left",
                      tvm_onnx_operand(node, 0), tvm_onnx_operand(node, 1)));
}

/* Powers that models use, without the general function. */
/* pow(-0, 1/2) is 0 and pow(-inf, 1/2) is inf, where the root is -0 and NaN. */
static MlirValue emit_root(tvm_builder *b, MlirValue x) {
  MlirType scalar = tvm_tensor_type(0, NULL, tvm_element_type(x));
  MlirValue root = tvm_emit_unary(b, "abs", tvm_emit_unary(b, "sqrt", x));
  MlirValue least = tvm_build_splat(b, scalar, -INFINITY);
  return tvm_emit_select(b, tvm_emit_binary(b, "equal", x, least),
                         tvm_build_splat(b, scalar, INFINITY), root);
}

static MlirValue emit_known_power(tvm_builder *b, MlirValue x,
                                  double exponent) {
  MlirValue square;
  if (exponent == 1)
    return x;
  if (exponent == 0.5)
    return emit_root(b, x);
  if (exponent != 2 && exponent != 3)
    return (MlirValue){NULL};
  square = tvm_emit_binary(b, "mul", x, x);
  return exponent == 2 ? square : tvm_emit_binary(b, "mul", square, x);
}

/* An integer base under a float exponent is computed in double. */
static MlirValue emit_power(tvm_builder *b, MlirValue x, MlirValue y) {
  MlirType type = tvm_element_type(x);
  if (mlirTypeIsAFloat(type) || !mlirTypeIsAFloat(tvm_element_type(y)))
    return tvm_emit_binary(b, "pow", x, tvm_emit_cast(b, y, type));
  MlirType f64 = mlirF64TypeGet(b->context);
  MlirValue z = tvm_emit_binary(b, "pow", tvm_emit_cast(b, x, f64),
                                tvm_emit_cast(b, y, f64));
  return tvm_emit_cast(b, z, type);
}

MlirLogicalResult tvm_onnx_import_pow(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 2)))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0), y = tvm_onnx_operand(node, 1);
  MlirValue z = {NULL};
  double exponent;
  if (mlirTypeIsAFloat(tvm_element_type(x)) && tvm_rank(y) <= tvm_rank(x) &&
      tvm_num_elements(mlirValueGetType(y)) == 1 &&
      tvm_onnx_is_constant(node, 1) && tvm_onnx_read_double(node, 1, &exponent))
    z = emit_known_power(b, x, exponent);
  if (tvm_emit_is_null(z))
    z = emit_power(b, x, y);
  return tvm_onnx_set_result(node, 0, z);
}

MlirLogicalResult tvm_onnx_import_where(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 3, 3)))
    return mlirLogicalResultFailure();
  return tvm_onnx_set_result(
      node, 0,
      tvm_emit_select(tvm_onnx_builder(node), tvm_onnx_operand(node, 0),
                      tvm_onnx_operand(node, 1), tvm_onnx_operand(node, 2)));
}

MlirLogicalResult tvm_onnx_import_cast(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return mlirLogicalResultFailure();
  MlirType to = tvm_onnx_element_type(node, tvm_onnx_get_int(node, "to", 0));
  tvm_onnx_ignore_attr(node, "saturate"); /* of float8 alone */
  if (mlirTypeIsNull(to))
    return mlirLogicalResultFailure();
  return tvm_onnx_set_result(
      node, 0,
      tvm_emit_cast(tvm_onnx_builder(node), tvm_onnx_operand(node, 0), to));
}

MlirLogicalResult tvm_onnx_import_cast_like(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 2)))
    return mlirLogicalResultFailure();
  tvm_onnx_ignore_attr(node, "saturate");
  MlirType to = tvm_element_type(tvm_onnx_operand(node, 1));
  return tvm_onnx_set_result(
      node, 0,
      tvm_emit_cast(tvm_onnx_builder(node), tvm_onnx_operand(node, 0), to));
}

MlirLogicalResult tvm_onnx_import_is_inf(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return mlirLogicalResultFailure();
  bool negative = tvm_onnx_get_int(node, "detect_negative", 1) != 0;
  bool positive = tvm_onnx_get_int(node, "detect_positive", 1) != 0;
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0), y;
  if (negative && positive) {
    y = tvm_emit_unary(b, "is_inf", x);
  } else if (negative || positive) {
    y = tvm_emit_with(b, "equal", x, negative ? -INFINITY : INFINITY);
  } else {
    tvm_emit_shape shape = tvm_emit_get_shape(x);
    y = tvm_build_splat(b,
                        tvm_tensor_type(shape.rank, shape.dims,
                                        mlirIntegerTypeGet(b->context, 1)),
                        0);
  }
  return tvm_onnx_set_result(node, 0, y);
}

/* Attributes up to opset 10, inputs from 11 on. */
MlirLogicalResult tvm_onnx_import_clip(tvm_onnx_node *node) {
  bool by_attr = tvm_onnx_opset(node) < 11;
  if (mlirLogicalResultIsFailure(
          tvm_onnx_expect_operands(node, 1, by_attr ? 1 : 3)))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue y = tvm_onnx_operand(node, 0);
  if (by_attr) {
    if (tvm_onnx_has_attr(node, "min"))
      y = tvm_emit_with(b, "max", y, tvm_onnx_get_float(node, "min", 0));
    if (tvm_onnx_has_attr(node, "max"))
      y = tvm_emit_with(b, "min", y, tvm_onnx_get_float(node, "max", 0));
    return tvm_onnx_set_result(node, 0, y);
  }
  if (tvm_onnx_has_operand(node, 1))
    y = tvm_emit_binary(b, "max", y, tvm_onnx_operand(node, 1));
  if (tvm_onnx_has_operand(node, 2))
    y = tvm_emit_binary(b, "min", y, tvm_onnx_operand(node, 2));
  return tvm_onnx_set_result(node, 0, y);
}

static MlirLogicalResult check_dropout(tvm_onnx_node *node) {
  int64_t training = 0;
  double ratio = 0.5;
  if (tvm_onnx_has_operand(node, 2) && !tvm_onnx_read_i64(node, 2, &training))
    return mlirLogicalResultFailure();
  if (!training)
    return mlirLogicalResultSuccess();
  if (tvm_onnx_has_operand(node, 1) && !tvm_onnx_read_double(node, 1, &ratio))
    return mlirLogicalResultFailure();
  if (ratio != 0)
    return tvm_onnx_unsupported(node, "training mode");
  return mlirLogicalResultSuccess();
}

/* Inference: the identity, and a mask that keeps all. */
MlirLogicalResult tvm_onnx_import_dropout(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 3)) ||
      mlirLogicalResultIsFailure(check_dropout(node)))
    return mlirLogicalResultFailure();
  tvm_onnx_ignore_attr(node, "ratio");
  tvm_onnx_ignore_attr(node, "seed");
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  if (tvm_onnx_has_result(node, 1)) {
    tvm_emit_shape s = tvm_emit_get_shape(x);
    MlirType element = tvm_onnx_opset(node) < 10
                           ? tvm_element_type(x)
                           : mlirIntegerTypeGet(b->context, 1);
    MlirType type = tvm_tensor_type(s.rank, s.dims, element);
    if (mlirLogicalResultIsFailure(
            tvm_onnx_set_result(node, 1, tvm_build_splat(b, type, 1))))
      return mlirLogicalResultFailure();
  }
  return tvm_onnx_set_result(node, 0, x);
}
