/* expand_math.c - exp, log, tanh, erf and kin of f32 as arithmetic.
 *
 * A call to the C library keeps a loop from being vectorized. These are the
 * classic single precision approximations, for all arguments: NaN stays NaN,
 * exp overflows to infinity and underflows through the denormals. docs/math.md
 * has their worst errors, test/math measures them. Source: Cephes expf, logf
 * and tanhf; Numerical Recipes erfc; erf below one is a Chebyshev fit of
 * erf(x)/x in x*x. */
#include "llvm/schedule_internal.h"

#include "mlir-c/BuiltinAttributes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum {
  SHIFT = 0x4B400000,     /* the bits of 1.5 * 2^23 */
  SQRT_HALF = 0x3F3504F3, /* the bits of the root of 1/2 */
  MANTISSA_BITS = 23,
  MANTISSA_MASK = 0x7FFFFF,
  UPPER_HALF = -0x1000, /* the upper 12 of 24 bits, and the exponent */
};

enum { OEQ = 1, OGT = 2, OLT = 4 }; /* arith.cmpf predicates */

static MlirNamedAttribute contract(tvm_builder *b) {
  return tvm_attr(
      b->context, "fastmath",
      mlirAttributeParseGet(b->context, mlirStringRefCreateFromCString(
                                            "#arith.fastmath<contract>")));
}

static MlirType f32(tvm_builder *b) { return mlirF32TypeGet(b->context); }

static MlirType i32(tvm_builder *b) {
  return mlirIntegerTypeGet(b->context, 32);
}

static MlirValue number(tvm_builder *b, double value) {
  MlirNamedAttribute attr = tvm_attr(
      b->context, "value", mlirFloatAttrDoubleGet(b->context, f32(b), value));
  return tvm_build_value(b, "arith.constant", f32(b), 0, NULL, 1, &attr);
}

static MlirValue integer(tvm_builder *b, int64_t value) {
  MlirNamedAttribute attr =
      tvm_attr(b->context, "value", mlirIntegerAttrGet(i32(b), value));
  return tvm_build_value(b, "arith.constant", i32(b), 0, NULL, 1, &attr);
}

static MlirValue binary(tvm_builder *b, const char *name, MlirValue x,
                        MlirValue y) {
  MlirValue operands[] = {x, y};
  MlirNamedAttribute flags = contract(b);
  return tvm_build_value(b, name, f32(b), 2, operands, 1, &flags);
}

static MlirValue mul(tvm_builder *b, MlirValue x, MlirValue y) {
  return binary(b, "arith.mulf", x, y);
}

static MlirValue add(tvm_builder *b, MlirValue x, MlirValue y) {
  return binary(b, "arith.addf", x, y);
}

static MlirValue int_binary(tvm_builder *b, const char *name, MlirValue x,
                            MlirValue y) {
  MlirValue operands[] = {x, y};
  return tvm_build_value(b, name, i32(b), 2, operands, 0, NULL);
}

static MlirValue bits(tvm_builder *b, MlirType to, MlirValue x) {
  return tvm_build_value(b, "arith.bitcast", to, 1, &x, 0, NULL);
}

static MlirValue absolute(tvm_builder *b, MlirValue x) {
  return tvm_build_value(b, "math.absf", f32(b), 1, &x, 0, NULL);
}

/* c[0] + x (c[1] + x (c[2] + ...)) */
static MlirValue polynomial(tvm_builder *b, MlirValue x, int n,
                            const double *c) {
  MlirValue y = number(b, c[n - 1]);
  for (int i = n - 1; i-- > 0;)
    y = add(b, mul(b, y, x), number(b, c[i]));
  return y;
}

/* x `predicate` y ? a : b */
static MlirValue choose(tvm_builder *b, int predicate, MlirValue x, MlirValue y,
                        MlirValue yes, MlirValue no) {
  MlirNamedAttribute attr = tvm_attr_i64(b->context, "predicate", predicate);
  MlirValue operands[] = {x, y};
  MlirValue condition =
      tvm_build_value(b, "arith.cmpf", mlirIntegerTypeGet(b->context, 1), 2,
                      operands, 1, &attr);
  MlirValue select[] = {condition, yes, no};
  return tvm_build_value(b, "arith.select", f32(b), 3, select, 0, NULL);
}

/* 2^n of an integer from -126 to 127 */
static MlirValue power_of_two(tvm_builder *b, MlirValue n) {
  MlirValue biased = int_binary(b, "arith.addi", n, integer(b, 127));
  return bits(b, f32(b), int_binary(b, "arith.shli", biased, integer(b, 23)));
}

/* exp(x) = 2^n (1 + fraction) */
typedef struct {
  MlirValue fraction;
  MlirValue half, rest; /* of n: 2^n itself may be out of range */
} power;

/* exp(x) = 2^n exp(r), |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds to an integer
 * and leaves it in the low bits; a conversion would not take NaN. */
static power reduce_exp(tvm_builder *b, MlirValue x) {
  static const double c[] = {5.0000001201E-1, 1.6666665459E-1, 4.1665795894E-2,
                             8.3334519073E-3, 1.3981999507E-3, 1.9875691500E-4};
  MlirValue high = number(b, 100), low = number(b, -110);
  x = choose(b, OGT, x, high, high, x);
  x = choose(b, OLT, x, low, low, x);
  MlirValue shifted =
      add(b, mul(b, x, number(b, 1.44269504088896341)), number(b, 12582912));
  MlirValue n = add(b, shifted, number(b, -12582912));
  MlirValue r = add(b, mul(b, n, number(b, -0.693359375)), x);
  r = add(b, mul(b, n, number(b, 2.12194440e-4)), r);
  MlirValue p = polynomial(b, r, 6, c);
  MlirValue integral =
      int_binary(b, "arith.subi", bits(b, i32(b), shifted), integer(b, SHIFT));
  MlirValue half = int_binary(b, "arith.shrsi", integral, integer(b, 1));
  return (power){add(b, mul(b, p, mul(b, r, r)), r), half,
                 int_binary(b, "arith.subi", integral, half)};
}

static MlirValue build_exp(tvm_builder *b, MlirValue x) {
  power e = reduce_exp(b, x);
  MlirValue y =
      mul(b, add(b, e.fraction, number(b, 1)), power_of_two(b, e.half));
  return mul(b, y, power_of_two(b, e.rest));
}

/* 2^rest (2^half fraction + (2^half - 2^-rest)): no digit is lost near zero. */
static MlirValue build_expm1(tvm_builder *b, MlirValue x) {
  power e = reduce_exp(b, x);
  MlirValue half = power_of_two(b, e.half);
  MlirValue least =
      power_of_two(b, int_binary(b, "arith.subi", integer(b, 0), e.rest));
  MlirValue whole = add(b, half, mul(b, least, number(b, -1)));
  MlirValue y = add(b, mul(b, e.fraction, half), whole);
  y = mul(b, y, power_of_two(b, e.rest));
  return choose(b, OEQ, x, number(b, 0), x, y);
}

/* ln x = n ln 2 + ln m, m from sqrt(1/2) to sqrt(2). Denormals are scaled up.
 */
static MlirValue build_log(tvm_builder *b, MlirValue x) {
  static const double c[] = {
      3.3333331174E-1,  -2.4999993993E-1, 2.0000714765E-1,
      -1.6668057665E-1, 1.4249322787E-1,  -1.2420140846E-1,
      1.1676998740E-1,  -1.1514610310E-1, 7.0376836292E-2};
  MlirValue least = number(b, FLT_MIN), zero = number(b, 0);
  MlirValue scaled = mul(b, x, number(b, 8388608));
  MlirValue s = choose(b, OLT, x, least, scaled, x);
  MlirValue above =
      int_binary(b, "arith.subi", bits(b, i32(b), s), integer(b, SQRT_HALF));
  MlirValue exponent =
      int_binary(b, "arith.shrsi", above, integer(b, MANTISSA_BITS));
  MlirValue n =
      tvm_build_value(b, "arith.sitofp", f32(b), 1, &exponent, 0, NULL);
  n = add(b, n, choose(b, OLT, x, least, number(b, -23), zero));
  MlirValue mantissa =
      int_binary(b, "arith.andi", above, integer(b, MANTISSA_MASK));
  mantissa = int_binary(b, "arith.addi", mantissa, integer(b, SQRT_HALF));
  MlirValue f = add(b, bits(b, f32(b), mantissa), number(b, -1));
  MlirValue z = mul(b, f, f);
  MlirValue y = mul(b, mul(b, f, z), polynomial(b, f, 9, c));
  y = add(b, mul(b, n, number(b, -2.12194440e-4)), y);
  y = add(b, mul(b, z, number(b, -0.5)), y);
  y = add(b, mul(b, n, number(b, 0.693359375)), add(b, f, y));
  MlirValue infinity = number(b, INFINITY);
  y = choose(b, OLT, x, infinity, y, x); /* infinity and NaN are their own */
  y = choose(b, OEQ, x, zero, number(b, -INFINITY), y);
  return choose(b, OLT, x, zero, number(b, NAN), y);
}

/* log u, u = 1 + x rounded, and what the rounding took by the derivative. */
static MlirValue build_log1p(tvm_builder *b, MlirValue x) {
  MlirValue one = number(b, 1), minus = number(b, -1);
  MlirValue u = add(b, x, one);
  MlirValue lost = add(b, x, mul(b, add(b, u, minus), minus));
  MlirValue y = add(b, build_log(b, u), binary(b, "arith.divf", lost, u));
  MlirValue infinity = number(b, INFINITY);
  y = choose(b, OEQ, u, one, x, y);
  y = choose(b, OEQ, x, infinity, x, y);
  return choose(b, OEQ, x, minus, number(b, -INFINITY), y);
}

static MlirValue copy_sign(tvm_builder *b, MlirValue x, MlirValue sign) {
  MlirValue operands[] = {x, sign};
  return tvm_build_value(b, "math.copysign", f32(b), 2, operands, 0, NULL);
}

static MlirValue build_tanh(tvm_builder *b, MlirValue x) {
  static const double c[] = {-3.33332819422E-1, 1.33314422036E-1,
                             -5.37397155531E-2, 2.06390887954E-2,
                             -5.70498872745E-3};
  MlirValue a = absolute(b, x), z = mul(b, x, x), one = number(b, 1);
  MlirValue near = add(b, mul(b, mul(b, polynomial(b, z, 5, c), z), x), x);
  MlirValue e = build_exp(b, add(b, a, a));
  MlirValue far =
      add(b, one, binary(b, "arith.divf", number(b, -2), add(b, e, one)));
  return choose(b, OLT, a, number(b, 0.625), near, copy_sign(b, far, x));
}

/* erf(x) of |x| < 1 */
static MlirValue build_near_erf(tvm_builder *b, MlirValue x) {
  static const double c[] = {
      1.128379167e+00, -3.761263848e-01, 1.128378262e-01, -2.686543830e-02,
      5.221053390e-03, -8.484396193e-04, 1.126825108e-04, -9.673582151e-06};
  return mul(b, polynomial(b, mul(b, x, x), 8, c), x);
}

/* erfc(a) = t exp(series - a^2), a >= 0 */
typedef struct {
  MlirValue t, series;
} complement;

static complement build_complement(tvm_builder *b, MlirValue a) {
  static const double c[] = {-1.26551223, 1.00002368, 0.37409196,  0.09678418,
                             -0.18628806, 0.27886807, -1.13520398, 1.48851587,
                             -0.82215223, 0.17087277};
  MlirValue one = number(b, 1);
  MlirValue t =
      binary(b, "arith.divf", one, add(b, mul(b, a, number(b, 0.5)), one));
  return (complement){t, polynomial(b, t, 10, c)};
}

static MlirValue negate(tvm_builder *b, MlirValue x) {
  return mul(b, x, number(b, -1));
}

static MlirValue build_erf(tvm_builder *b, MlirValue x) {
  MlirValue a = absolute(b, x), one = number(b, 1);
  complement c = build_complement(b, a);
  MlirValue exponent = add(b, mul(b, a, negate(b, a)), c.series);
  MlirValue outside = mul(b, c.t, build_exp(b, exponent));
  MlirValue far = copy_sign(b, add(b, one, negate(b, outside)), x);
  return choose(b, OLT, a, one, build_near_erf(b, x), far);
}

/* The square of the upper half of a is exact; what the exponent loses in
 * rounding multiplies the result. Beyond 11 that is zero. */
static MlirValue build_erfc(tvm_builder *b, MlirValue x) {
  MlirValue limit = number(b, 11), one = number(b, 1);
  MlirValue a = absolute(b, x);
  a = choose(b, OGT, a, limit, limit, a);
  complement c = build_complement(b, a);
  MlirValue high = bits(
      b, f32(b),
      int_binary(b, "arith.andi", bits(b, i32(b), a), integer(b, UPPER_HALF)));
  MlirValue square = mul(b, high, high);
  MlirValue low = mul(b, add(b, high, negate(b, a)), add(b, high, a));
  low = add(b, low, c.series);
  MlirValue exponent = add(b, low, negate(b, square));
  MlirValue lost = add(b, low, negate(b, add(b, exponent, square)));
  MlirValue e = build_exp(b, exponent);
  MlirValue far = mul(b, c.t, add(b, mul(b, e, lost), e));
  MlirValue above = choose(b, OLT, x, number(b, 0),
                           add(b, number(b, 2), negate(b, far)), far);
  MlirValue near = add(b, one, negate(b, build_near_erf(b, x)));
  return choose(b, OLT, a, number(b, 0.5), near, above);
}

typedef struct {
  const char *name;
  MlirValue (*build)(tvm_builder *b, MlirValue x);
} expansion;

static const expansion expansions[] = {
    {"math.exp", build_exp},     {"math.log", build_log},
    {"math.tanh", build_tanh},   {"math.erf", build_erf},
    {"math.erfc", build_erfc},   {"math.expm1", build_expm1},
    {"math.log1p", build_log1p},
};

/* The sign of a zero does not matter: LLVM has fewer instructions then. */
static void ignore_zero_sign(MlirOperation op) {
  if (tvm_op_is(op, "arith.maximumf") || tvm_op_is(op, "arith.minimumf"))
    mlirOperationSetInherentAttributeByName(
        op, mlirStringRefCreateFromCString("fastmath"),
        mlirAttributeParseGet(
            mlirOperationGetContext(op),
            mlirStringRefCreateFromCString("#arith.fastmath<nsz>")));
}

static MlirWalkResult expand(MlirOperation op, void *user) {
  (void)user;
  ignore_zero_sign(op);
  for (size_t i = 0; i < sizeof expansions / sizeof *expansions; ++i) {
    if (!tvm_op_is(op, expansions[i].name) ||
        !mlirTypeIsAF32(mlirValueGetType(tvm_result(op, 0))))
      continue;
    tvm_builder b = tvm_builder_before(op);
    MlirValue y = expansions[i].build(&b, tvm_operand(op, 0));
    mlirValueReplaceAllUsesOfWith(tvm_result(op, 0), y);
    mlirOperationDestroy(op);
    break;
  }
  return MlirWalkResultAdvance;
}

void tvm_schedule_expand_math(MlirOperation func) {
  /* after its operations were visited an operation may go */
  mlirOperationWalk(func, expand, NULL, MlirWalkPostOrder);
}
