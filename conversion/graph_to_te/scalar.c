/* scalar.c - conversions of one element, with a defined result everywhere.
 *
 * bf16 is taken apart with integers: the conversion instruction is absent on
 * most machines, and so is the library call that would replace it. */
#include "graph_to_te/lowering.h"

#include <math.h>

static MlirType int_type(tvm_builder *b, unsigned width) {
  return mlirIntegerTypeGet(b->context, width);
}

static MlirType f32_type(tvm_builder *b) { return mlirF32TypeGet(b->context); }

static MlirValue bf16_to_f32(tvm_builder *b, MlirValue x) {
  MlirValue bits = tvm_convert(b, "arith.bitcast", int_type(b, 16), x);
  bits = tvm_convert(b, "arith.extui", int_type(b, 32), bits);
  bits = tvm_binary(b, "arith.shli", bits,
                    tvm_int_constant(b, int_type(b, 32), 16));
  return tvm_convert(b, "arith.bitcast", f32_type(b), bits);
}

/* Round to nearest, ties to even; every NaN becomes the quiet one. */
static MlirValue f32_to_bf16(tvm_builder *b, MlirValue x) {
  MlirType i32 = int_type(b, 32);
  MlirValue bits = tvm_convert(b, "arith.bitcast", i32, x);
  MlirValue sixteen = tvm_int_constant(b, i32, 16);
  MlirValue odd = tvm_binary(b, "arith.shrui", bits, sixteen);
  odd = tvm_binary(b, "arith.andi", odd, tvm_int_constant(b, i32, 1));
  MlirValue bias =
      tvm_binary(b, "arith.addi", odd, tvm_int_constant(b, i32, 0x7fff));
  MlirValue rounded = tvm_binary(b, "arith.addi", bits, bias);
  rounded = tvm_binary(b, "arith.shrui", rounded, sixteen);
  MlirValue is_nan = tvm_compare_float(b, "uno", x, x);
  rounded = tvm_select(b, is_nan, tvm_int_constant(b, i32, 0x7fc0), rounded);
  rounded = tvm_convert(b, "arith.trunci", int_type(b, 16), rounded);
  return tvm_convert(b, "arith.bitcast", mlirBF16TypeGet(b->context), rounded);
}

MlirValue tvm_widen(tvm_builder *b, MlirValue x) {
  MlirType type = mlirValueGetType(x);
  if (mlirTypeIsABF16(type))
    return bf16_to_f32(b, x);
  return mlirTypeIsAF16(type) ? tvm_convert(b, "arith.extf", f32_type(b), x)
                              : x;
}

MlirValue tvm_narrow(tvm_builder *b, MlirValue x, MlirType element) {
  if (mlirTypeIsABF16(element))
    return f32_to_bf16(b, x);
  return mlirTypeIsAF16(element) ? tvm_convert(b, "arith.truncf", element, x)
                                 : x;
}

static MlirValue float_to_float(tvm_builder *b, MlirValue x, MlirType to) {
  x = tvm_widen(b, x);
  MlirType from = mlirValueGetType(x), wide = tvm_compute_type(to);
  if (mlirTypeIsAF32(from) && mlirTypeIsAF64(wide))
    x = tvm_convert(b, "arith.extf", wide, x);
  else if (mlirTypeIsAF64(from) && mlirTypeIsAF32(wide))
    x = tvm_convert(b, "arith.truncf", wide, x);
  return tvm_narrow(b, x, to);
}

/* Truncate toward zero; NaN and what does not fit give the least integer, as
 * the x86 instruction does. */
static MlirValue float_to_signed(tvm_builder *b, MlirValue x, unsigned width) {
  MlirType type = mlirValueGetType(x), to = int_type(b, width);
  double limit = ldexp(1.0, (int)width - 1);
  MlirValue low =
      tvm_compare_float(b, "oge", x, tvm_float_constant(b, type, -limit));
  MlirValue high =
      tvm_compare_float(b, "olt", x, tvm_float_constant(b, type, limit));
  MlirValue fits = tvm_binary(b, "arith.andi", low, high);
  MlirValue safe = tvm_select(b, fits, x, tvm_float_constant(b, type, 0));
  MlirValue least =
      tvm_int_constant(b, to, width == 64 ? INT64_MIN : -(1ll << (width - 1)));
  return tvm_select(b, fits, tvm_convert(b, "arith.fptosi", to, safe), least);
}

static MlirValue float_to_u64(tvm_builder *b, MlirValue x) {
  MlirType type = mlirValueGetType(x);
  MlirValue half = tvm_float_constant(b, type, ldexp(1.0, 63));
  MlirValue upper = tvm_compare_float(b, "oge", x, half);
  MlirValue rest =
      tvm_select(b, upper, tvm_binary(b, "arith.subf", x, half), x);
  MlirValue bits = float_to_signed(b, rest, 64);
  MlirValue flipped = tvm_binary(
      b, "arith.xori", bits, tvm_int_constant(b, int_type(b, 64), INT64_MIN));
  return tvm_select(b, upper, flipped, bits);
}

static MlirValue float_to_int(tvm_builder *b, MlirValue x, MlirType to) {
  unsigned width = mlirIntegerTypeGetWidth(to);
  x = tvm_widen(b, x);
  if (width == 1)
    return tvm_compare_float(b, "une", x,
                             tvm_float_constant(b, mlirValueGetType(x), 0));
  bool is_unsigned = tvm_is_unsigned(to);
  if (width == 64 && is_unsigned)
    return float_to_u64(b, x);
  unsigned through = width == 64 || (width == 32 && is_unsigned) ? 64 : 32;
  MlirValue wide = float_to_signed(b, x, through);
  return width == through
             ? wide
             : tvm_convert(b, "arith.trunci", tvm_signless(to), wide);
}

static MlirValue int_to_float(tvm_builder *b, MlirValue x, MlirType from,
                              MlirType to) {
  x = tvm_convert(b, tvm_is_unsigned(from) ? "arith.uitofp" : "arith.sitofp",
                  tvm_compute_type(to), x);
  return tvm_narrow(b, x, to);
}

static MlirValue int_to_int(tvm_builder *b, MlirValue x, MlirType from,
                            MlirType to) {
  unsigned w = mlirIntegerTypeGetWidth(from), v = mlirIntegerTypeGetWidth(to);
  if (w == v)
    return x;
  if (v == 1)
    return tvm_compare_int(b, "ne", x,
                           tvm_int_constant(b, mlirValueGetType(x), 0));
  const char *op = v < w                   ? "arith.trunci"
                   : tvm_is_unsigned(from) ? "arith.extui"
                                           : "arith.extsi";
  return tvm_convert(b, op, tvm_signless(to), x);
}

MlirValue tvm_scalar_convert(tvm_builder *b, MlirValue x, MlirType from,
                             MlirType to) {
  if (mlirTypeEqual(from, to))
    return x;
  if (tvm_is_float(from))
    return tvm_is_float(to) ? float_to_float(b, x, to) : float_to_int(b, x, to);
  return tvm_is_float(to) ? int_to_float(b, x, from, to)
                          : int_to_int(b, x, from, to);
}

MlirValue tvm_scalar_operand(tvm_lowering *l, intptr_t i) {
  if (!l->operands[i].ptr) {
    MlirNamedAttribute attr = tvm_attr(l->b.context, "value", l->immediates[i]);
    return tvm_build_value(&l->b, "arith.constant",
                           mlirAttributeGetType(l->immediates[i]), 0, NULL, 1,
                           &attr);
  }
  MlirValue zeros[TVM_LOWER_MAX_RANK];
  for (intptr_t d = 0; d < tvm_rank(l->operands[i]); ++d)
    zeros[d] = tvm_index_constant(&l->b, 0);
  return tvm_extract(&l->b, l->operands[i], zeros);
}
