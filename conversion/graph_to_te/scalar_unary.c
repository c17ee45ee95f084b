/* scalar_unary.c - element computations of one argument. */
#include "graph_to_te/scalar_builders.h"

#include <math.h>

static MlirValue zero(tvm_scalar *s) { return tvm_number(s->b, s->type, 0); }

static MlirValue is_negative(tvm_scalar *s, MlirValue x) {
  return s->is_float ? tvm_compare_float(s->b, "olt", x, zero(s))
                     : tvm_compare_int(s->b, "slt", x, zero(s));
}

static MlirValue negate(tvm_scalar *s, MlirValue x) {
  return s->is_float ? tvm_unary(s->b, "arith.negf", x)
                     : tvm_binary(s->b, "arith.subi", zero(s), x);
}

MlirValue tvm_scalar_neg(tvm_scalar *s, const MlirValue *args) {
  return negate(s, args[0]);
}

MlirValue tvm_scalar_abs(tvm_scalar *s, const MlirValue *args) {
  if (s->is_float)
    return tvm_unary(s->b, "math.absf", args[0]);
  if (s->is_unsigned)
    return args[0];
  return tvm_select(s->b, is_negative(s, args[0]), negate(s, args[0]), args[0]);
}

/* NaN stays. */
MlirValue tvm_scalar_sign(tvm_scalar *s, const MlirValue *args) {
  MlirValue x = args[0], one = tvm_number(s->b, s->type, 1);
  if (s->is_bool)
    return x;
  if (s->is_unsigned)
    return tvm_select(s->b, tvm_compare_int(s->b, "ne", x, zero(s)), one, x);
  MlirValue positive = s->is_float ? tvm_compare_float(s->b, "ogt", x, zero(s))
                                   : tvm_compare_int(s->b, "sgt", x, zero(s));
  MlirValue y =
      tvm_select(s->b, is_negative(s, x), tvm_number(s->b, s->type, -1), x);
  return tvm_select(s->b, positive, one, y);
}

#define MATH(name, op)                                                         \
  MlirValue tvm_scalar_##name(tvm_scalar *s, const MlirValue *args) {          \
    return tvm_unary(s->b, "math." op, args[0]);                               \
  }
MATH(exp, "exp")
MATH(log, "log")
MATH(sqrt, "sqrt")
MATH(floor, "floor")
MATH(ceil, "ceil")
MATH(round, "roundeven")
MATH(sin, "sin")
MATH(cos, "cos")
MATH(tan, "tan")
MATH(asin, "asin")
MATH(acos, "acos")
MATH(atan, "atan")
MATH(sinh, "sinh")
MATH(cosh, "cosh")
MATH(asinh, "asinh")
MATH(acosh, "acosh")
MATH(atanh, "atanh")
MATH(tanh, "tanh")
MATH(erf, "erf")
MATH(erfc, "erfc")
MATH(expm1, "expm1")
MATH(log1p, "log1p")
#undef MATH

/* Of the magnitude: exp of that cannot overflow, small results stay exact. */
MlirValue tvm_scalar_sigmoid(tvm_scalar *s, const MlirValue *args) {
  MlirValue x = args[0], one = tvm_number(s->b, s->type, 1);
  MlirValue e =
      tvm_unary(s->b, "math.exp",
                tvm_unary(s->b, "arith.negf", tvm_unary(s->b, "math.absf", x)));
  MlirValue top = tvm_select(s->b, is_negative(s, x), e, one);
  return tvm_binary(s->b, "arith.divf", top,
                    tvm_binary(s->b, "arith.addf", e, one));
}

MlirValue tvm_scalar_relu(tvm_scalar *s, const MlirValue *args) {
  if (s->is_float)
    return tvm_binary(s->b, "arith.maximumf", args[0], zero(s));
  return s->is_unsigned ? args[0]
                        : tvm_binary(s->b, "arith.maxsi", args[0], zero(s));
}

MlirValue tvm_scalar_not(tvm_scalar *s, const MlirValue *args) {
  return tvm_binary(s->b, "arith.xori", args[0],
                    tvm_int_constant(s->b, s->type, -1));
}

MlirValue tvm_scalar_is_nan(tvm_scalar *s, const MlirValue *args) {
  return tvm_compare_float(s->b, "uno", args[0], args[0]);
}

MlirValue tvm_scalar_is_inf(tvm_scalar *s, const MlirValue *args) {
  return tvm_compare_float(s->b, "oeq", tvm_unary(s->b, "math.absf", args[0]),
                           tvm_float_constant(s->b, s->type, INFINITY));
}
