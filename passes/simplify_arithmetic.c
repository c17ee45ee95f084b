/* simplify_arithmetic.c - functions of simplify_graph.pdll on element values
 * and element types. */
#include "passes/constant_values.h"
#include "passes/simplify.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

bool tvm_simplify_is_constant(const MlirPDLValue *args) {
  return tvm_is_constant(mlirPDLValueAsValue(args[0]));
}

bool tvm_simplify_is_only_use(const MlirPDLValue *args) {
  return tvm_has_one_use(mlirPDLValueAsValue(args[0]));
}

/* ---- neutral elements ---- */

enum { ALL_ONES = -1 };

static const struct {
  const char *op;
  double number;
  int64_t integer;
} NEUTRAL[] = {
    {"graph.add", -0.0, 0},     {"graph.sub", 0.0, 0},
    {"graph.mul", 1.0, 1},      {"graph.div", 1.0, 1},
    {"graph.pow", 1.0, 1},      {"graph.or", 0, 0},
    {"graph.xor", 0, 0},        {"graph.and", 0, ALL_ONES},
    {"graph.shift_left", 0, 0}, {"graph.shift_right", 0, 0},
};

static bool is_same_number(double a, double b) {
  return a == b && signbit(a) == signbit(b);
}

static bool is_same_integer(MlirType element, int64_t a, int64_t b) {
  unsigned unused = 64 - mlirIntegerTypeGetWidth(element);
  return (uint64_t)a << unused == (uint64_t)b << unused;
}

bool tvm_simplify_is_neutral(const MlirPDLValue *args) {
  MlirOperation op = mlirPDLValueAsOperation(args[0]);
  for (size_t i = 0; i < sizeof NEUTRAL / sizeof *NEUTRAL; ++i) {
    if (!tvm_op_is(op, NEUTRAL[i].op))
      continue;
    MlirValue c = tvm_operand(op, 1);
    tvm_scalar s;
    if (!tvm_get_splat(c, &s))
      return false;
    return s.is_float ? is_same_number(s.number, NEUTRAL[i].number)
                      : is_same_integer(tvm_element_type(c), s.integer,
                                        NEUTRAL[i].integer);
  }
  return false;
}

bool tvm_simplify_is_all(const MlirPDLValue *args) {
  tvm_scalar s;
  bool flag = mlirBoolAttrGetValue(mlirPDLValueAsAttribute(args[1]));
  return tvm_get_splat(mlirPDLValueAsValue(args[0]), &s) && !s.is_float &&
         s.integer == flag;
}

/* Positive zero alone: sums tell the zeros apart. */
bool tvm_simplify_is_zero(const MlirPDLValue *args) {
  tvm_scalar s;
  return tvm_get_splat(mlirPDLValueAsValue(args[0]), &s) &&
         (s.is_float ? is_same_number(s.number, 0) : s.integer == 0);
}

bool tvm_simplify_is_least(const MlirPDLValue *args) {
  MlirValue v = mlirPDLValueAsValue(args[0]);
  tvm_scalar s;
  if (!tvm_get_splat(v, &s))
    return false;
  if (s.is_float)
    return s.number == -INFINITY;
  MlirType element = tvm_element_type(v);
  if (mlirIntegerTypeIsUnsigned(element))
    return s.integer == 0;
  return s.integer == INT64_MIN >> (64 - mlirIntegerTypeGetWidth(element));
}

/* ---- commutativity ---- */

static bool is_commutative(MlirOperation op) {
  static const char *const NAMES[] = {"graph.add", "graph.mul",  "graph.max",
                                      "graph.min", "graph.and",  "graph.or",
                                      "graph.xor", "graph.equal"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i)
    if (tvm_op_is(op, NAMES[i]))
      return true;
  return false;
}

bool tvm_simplify_has_constant_on_the_left(const MlirPDLValue *args) {
  MlirOperation op = mlirPDLValueAsOperation(args[0]);
  return is_commutative(op) && tvm_is_constant(tvm_operand(op, 0)) &&
         !tvm_is_constant(tvm_operand(op, 1));
}

void tvm_simplify_swap_operands(tvm_builder *b, const MlirPDLValue *args,
                                MlirPDLResultList results) {
  (void)results;
  MlirOperation op = mlirPDLValueAsOperation(args[0]);
  MlirValue left = tvm_operand(op, 0);
  tvm_rewrite_operand(b, op, 0, tvm_operand(op, 1));
  tvm_rewrite_operand(b, op, 1, left);
}

/* ---- powers of two ---- */

/* The largest exponent whose power and reciprocal are both normal. */
static int reciprocal_limit(MlirType element) {
  if (mlirTypeIsAF64(element))
    return DBL_MAX_EXP - 2;
  return mlirTypeIsAF16(element) ? 14 : FLT_MAX_EXP - 2;
}

bool tvm_simplify_is_power_of_two(const MlirPDLValue *args) {
  MlirValue v = mlirPDLValueAsValue(args[0]);
  tvm_scalar s;
  int exponent;
  if (!tvm_get_splat(v, &s) || !s.is_float || !isfinite(s.number))
    return false;
  double fraction = fabs(frexp(s.number, &exponent));
  return fraction == 0.5 &&
         abs(exponent - 1) <= reciprocal_limit(tvm_element_type(v));
}

void tvm_simplify_build_reciprocal(tvm_builder *b, const MlirPDLValue *args,
                                   MlirPDLResultList results) {
  MlirValue v = mlirPDLValueAsValue(args[0]);
  tvm_scalar s = {0};
  tvm_get_splat(v, &s);
  mlirPDLResultListPushBackValue(
      results, tvm_build_splat(b, mlirValueGetType(v), 1 / s.number));
}

/* ---- casts ---- */

/* Digits and exponents that a type holds. */
typedef struct {
  bool is_float, is_signed;
  unsigned digits; /* of the significand, or bits without the sign */
  int exponent;    /* the largest, for floats */
} format;

static format get_format(MlirType t) {
  if (mlirTypeIsAF64(t))
    return (format){true, true, DBL_MANT_DIG, DBL_MAX_EXP};
  if (mlirTypeIsAF32(t))
    return (format){true, true, FLT_MANT_DIG, FLT_MAX_EXP};
  if (mlirTypeIsABF16(t))
    return (format){true, true, 8, FLT_MAX_EXP};
  if (mlirTypeIsAF16(t))
    return (format){true, true, 11, 16};
  unsigned width = mlirIntegerTypeGetWidth(t);
  bool is_signed = width > 1 && !mlirIntegerTypeIsUnsigned(t);
  return (format){false, is_signed, width - is_signed, 0};
}

/* Whether `to` holds each value of `from`. */
static bool holds(format to, format from) {
  if (from.is_signed && !to.is_signed)
    return false;
  if (to.is_float && !from.is_float)
    return from.digits <= to.digits && (int)from.digits < to.exponent;
  return to.is_float == from.is_float && from.digits <= to.digits &&
         from.exponent <= to.exponent;
}

/* Out of range, a cast from a float is not the cast from the integer; and
 * large integers may reach half precision through f32, rounded twice. */
bool tvm_simplify_is_lossless_between(const MlirPDLValue *args) {
  format from = get_format(tvm_element_type(mlirPDLValueAsValue(args[0])));
  format mid = get_format(tvm_element_type(mlirPDLValueAsValue(args[1])));
  format to = get_format(tvm_element_type(mlirPDLValueAsValue(args[2])));
  bool integer_again = !from.is_float && mid.is_float && !to.is_float;
  bool half_of_large = !from.is_float && from.digits > FLT_MANT_DIG &&
                       to.is_float && to.digits < FLT_MANT_DIG;
  return holds(mid, from) && (!integer_again || holds(to, from)) &&
         !half_of_large;
}
