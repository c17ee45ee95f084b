/* scalar_binary.c - element computations of two arguments.
 *
 * Nothing traps and nothing is undefined: divisors are replaced where the
 * quotient has no value, shifts past the width give 0. */
#include "graph_to_te/scalar_builders.h"

/* By kind: float, signed, unsigned; i1 through `boolean`, null: as unsigned. */
static MlirValue by_kind(tvm_scalar *s, const MlirValue *args, const char *f,
                         const char *i, const char *u, const char *boolean) {
  const char *op = s->is_float             ? f
                   : s->is_bool && boolean ? boolean
                   : s->is_unsigned        ? u
                                           : i;
  return tvm_binary(s->b, op, args[0], args[1]);
}

MlirValue tvm_scalar_add(tvm_scalar *s, const MlirValue *args) {
  return by_kind(s, args, "arith.addf", "arith.addi", "arith.addi",
                 "arith.ori");
}

MlirValue tvm_scalar_sub(tvm_scalar *s, const MlirValue *args) {
  return by_kind(s, args, "arith.subf", "arith.subi", "arith.subi", NULL);
}

MlirValue tvm_scalar_mul(tvm_scalar *s, const MlirValue *args) {
  return by_kind(s, args, "arith.mulf", "arith.muli", "arith.muli",
                 "arith.andi");
}

MlirValue tvm_scalar_max(tvm_scalar *s, const MlirValue *args) {
  return by_kind(s, args, "arith.maximumf", "arith.maxsi", "arith.maxui",
                 "arith.ori");
}

MlirValue tvm_scalar_min(tvm_scalar *s, const MlirValue *args) {
  return by_kind(s, args, "arith.minimumf", "arith.minsi", "arith.minui",
                 "arith.andi");
}

MlirValue tvm_scalar_and(tvm_scalar *s, const MlirValue *args) {
  return tvm_binary(s->b, "arith.andi", args[0], args[1]);
}

MlirValue tvm_scalar_or(tvm_scalar *s, const MlirValue *args) {
  return tvm_binary(s->b, "arith.ori", args[0], args[1]);
}

MlirValue tvm_scalar_xor(tvm_scalar *s, const MlirValue *args) {
  return tvm_binary(s->b, "arith.xori", args[0], args[1]);
}

/* --- comparisons ------------------------------------------------------------
 */

static MlirValue compare(tvm_scalar *s, const MlirValue *args, const char *f,
                         const char *i, const char *u) {
  if (s->is_float)
    return tvm_compare_float(s->b, f, args[0], args[1]);
  return tvm_compare_int(s->b, s->is_unsigned ? u : i, args[0], args[1]);
}

MlirValue tvm_scalar_equal(tvm_scalar *s, const MlirValue *args) {
  return compare(s, args, "oeq", "eq", "eq");
}

MlirValue tvm_scalar_less(tvm_scalar *s, const MlirValue *args) {
  return compare(s, args, "olt", "slt", "ult");
}

MlirValue tvm_scalar_less_equal(tvm_scalar *s, const MlirValue *args) {
  return compare(s, args, "ole", "sle", "ule");
}

/* --- division ----------------------------------------------------------------
 */

static int64_t least_int(MlirType type) {
  unsigned width = mlirIntegerTypeGetWidth(type);
  return width == 64 ? INT64_MIN : -(1ll << (width - 1));
}

/* A divisor of which no division traps: 1 for 0 and for least / -1, where the
 * quotient by 1 is the one that wraps. */
static MlirValue safe_divisor(tvm_scalar *s, const MlirValue *args,
                              MlirValue *is_zero) {
  MlirValue one = tvm_int_constant(s->b, s->type, 1);
  *is_zero =
      tvm_compare_int(s->b, "eq", args[1], tvm_int_constant(s->b, s->type, 0));
  MlirValue bad = *is_zero;
  if (!s->is_unsigned) {
    MlirValue least = tvm_int_constant(s->b, s->type, least_int(s->type));
    MlirValue minus_one = tvm_int_constant(s->b, s->type, -1);
    MlirValue wraps = tvm_binary(
        s->b, "arith.andi", tvm_compare_int(s->b, "eq", args[0], least),
        tvm_compare_int(s->b, "eq", args[1], minus_one));
    bad = tvm_binary(s->b, "arith.ori", bad, wraps);
  }
  return tvm_select(s->b, bad, one, args[1]);
}

/* The integer operation, 0 where the divisor is 0. */
static MlirValue divide(tvm_scalar *s, const MlirValue *args, const char *i,
                        const char *u) {
  MlirValue is_zero;
  MlirValue divisor = safe_divisor(s, args, &is_zero);
  MlirValue y = tvm_binary(s->b, s->is_unsigned ? u : i, args[0], divisor);
  return tvm_select(s->b, is_zero, tvm_int_constant(s->b, s->type, 0), y);
}

MlirValue tvm_scalar_div(tvm_scalar *s, const MlirValue *args) {
  if (s->is_float)
    return tvm_binary(s->b, "arith.divf", args[0], args[1]);
  return divide(s, args, "arith.divsi", "arith.divui");
}

MlirValue tvm_scalar_rem(tvm_scalar *s, const MlirValue *args) {
  if (s->is_float)
    return tvm_binary(s->b, "arith.remf", args[0], args[1]);
  return divide(s, args, "arith.remsi", "arith.remui");
}

/* The remainder moved to the side of the divisor. */
MlirValue tvm_scalar_mod(tvm_scalar *s, const MlirValue *args) {
  MlirValue r = tvm_scalar_rem(s, args), zero = tvm_number(s->b, s->type, 0);
  if (s->is_unsigned)
    return r;
  const char *less = s->is_float ? "olt" : "slt";
  MlirValue (*cmp)(tvm_builder *, const char *, MlirValue, MlirValue) =
      s->is_float ? tvm_compare_float : tvm_compare_int;
  MlirValue differ = tvm_binary(s->b, "arith.xori", cmp(s->b, less, r, zero),
                                cmp(s->b, less, args[1], zero));
  MlirValue not_zero = cmp(s->b, s->is_float ? "une" : "ne", r, zero);
  MlirValue moved =
      tvm_binary(s->b, s->is_float ? "arith.addf" : "arith.addi", r, args[1]);
  return tvm_select(s->b, tvm_binary(s->b, "arith.andi", differ, not_zero),
                    moved, r);
}

/* --- powers ------------------------------------------------------------------
 */

/* base ** exponent by squaring; the exponent as an unsigned number. */
static MlirValue power_by_squaring(tvm_scalar *s, MlirValue base,
                                   MlirValue exponent) {
  MlirValue one = tvm_int_constant(s->b, s->type, 1);
  MlirValue carried[] = {one, base, exponent};
  tvm_for f = tvm_begin_for(s->b, mlirIntegerTypeGetWidth(s->type), 3, carried);
  MlirValue y = tvm_for_carried(&f, 0), x = tvm_for_carried(&f, 1),
            n = tvm_for_carried(&f, 2);
  MlirValue bit =
      tvm_convert(&f.b, "arith.trunci", mlirIntegerTypeGet(f.b.context, 1), n);
  MlirValue next[] = {
      tvm_select(&f.b, bit, tvm_binary(&f.b, "arith.muli", y, x), y),
      tvm_binary(&f.b, "arith.muli", x, x),
      tvm_binary(&f.b, "arith.shrui", n, tvm_int_constant(&f.b, s->type, 1))};
  tvm_end_for(&f, 3, next);
  return tvm_result(f.op, 0);
}

/* Negative exponents: 1 and -1 have integer powers, the rest truncate to 0. */
static MlirValue int_power(tvm_scalar *s, const MlirValue *args) {
  MlirValue y = power_by_squaring(s, args[0], args[1]);
  if (s->is_unsigned)
    return y;
  MlirValue zero = tvm_int_constant(s->b, s->type, 0);
  MlirValue is_negative = tvm_compare_int(s->b, "slt", args[1], zero);
  MlirValue is_unit = tvm_binary(
      s->b, "arith.ori",
      tvm_compare_int(s->b, "eq", args[0], tvm_int_constant(s->b, s->type, 1)),
      tvm_compare_int(s->b, "eq", args[0],
                      tvm_int_constant(s->b, s->type, -1)));
  /* Of a unit only the parity of the exponent matters, so y is right. */
  return tvm_select(s->b, is_negative, tvm_select(s->b, is_unit, y, zero), y);
}

MlirValue tvm_scalar_pow(tvm_scalar *s, const MlirValue *args) {
  if (s->is_float)
    return tvm_binary(s->b, "math.powf", args[0], args[1]);
  return int_power(s, args);
}

/* --- shifts ------------------------------------------------------------------
 */

static MlirValue shift(tvm_scalar *s, const MlirValue *args, const char *op) {
  MlirValue width =
      tvm_int_constant(s->b, s->type, mlirIntegerTypeGetWidth(s->type));
  MlirValue zero = tvm_int_constant(s->b, s->type, 0);
  MlirValue fits = tvm_compare_int(s->b, "ult", args[1], width);
  MlirValue y =
      tvm_binary(s->b, op, args[0], tvm_select(s->b, fits, args[1], zero));
  return tvm_select(s->b, fits, y, zero);
}

MlirValue tvm_scalar_shift_left(tvm_scalar *s, const MlirValue *args) {
  return shift(s, args, "arith.shli");
}

MlirValue tvm_scalar_shift_right(tvm_scalar *s, const MlirValue *args) {
  return shift(s, args, "arith.shrui");
}
