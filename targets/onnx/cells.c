/* cells.c - element types as the evaluation at import sees them: int64_t and
 * double, narrowed after each step to what the type can hold. */
#include "cells.h"

#include <math.h>
#include <string.h>

/* Half and bfloat by hand: not every C library's compiler support has them. */
static double decode_half(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31)
    return fraction ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * ldexp(fraction, -24);
  return sign * ldexp(fraction + 1024, exponent - 25);
}

static double decode_bfloat(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return (double)value;
}

/* To `digits` significant bits, not below the unit 2^lowest. */
static double round_to(double x, int digits, int lowest, double largest) {
  if (x == 0 || !isfinite(x))
    return x;
  int exponent;
  frexp(x, &exponent);
  int unit = exponent - digits;
  if (unit < lowest)
    unit = lowest;
  double y = ldexp(nearbyint(ldexp(x, -unit)), unit);
  return fabs(y) > largest ? copysign(INFINITY, x) : y;
}

static double round_double(MlirType t, double x) {
  if (mlirTypeIsAF32(t))
    return (double)(float)x;
  if (mlirTypeIsAF16(t))
    return round_to(x, 11, -24, 65504);
  if (mlirTypeIsABF16(t))
    return round_to(x, 8, -133, ldexp(255, 120));
  return x;
}

static int64_t wrap(MlirType t, int64_t x) {
  unsigned width = mlirIntegerTypeGetWidth(t);
  if (width >= 64)
    return x;
  uint64_t low = (uint64_t)x & ((UINT64_C(1) << width) - 1);
  if (width == 1 || mlirIntegerTypeIsUnsigned(t))
    return (int64_t)low;
  uint64_t sign = UINT64_C(1) << (width - 1);
  return (int64_t)((low ^ sign) - sign);
}

tvm_onnx_cell tvm_onnx_round_cell(MlirType t, tvm_onnx_cell cell) {
  if (mlirTypeIsAInteger(t))
    return (tvm_onnx_cell){.i = wrap(t, cell.i)};
  return (tvm_onnx_cell){.d = round_double(t, cell.d)};
}

bool tvm_onnx_is_ui64(MlirType t) {
  return mlirTypeIsAInteger(t) && mlirIntegerTypeIsUnsigned(t) &&
         mlirIntegerTypeGetWidth(t) == 64;
}

static tvm_onnx_cell decode_one(MlirType t, const unsigned char *at,
                                size_t size) {
  tvm_onnx_cell cell = {.i = 0};
  uint16_t half;
  float f;
  memcpy(&half, at, 2 <= size ? 2 : 0);
  if (mlirTypeIsAInteger(t)) {
    memcpy(&cell.i, at, size);
    cell.i = wrap(t, cell.i);
  } else if (mlirTypeIsAF16(t)) {
    cell.d = decode_half(half);
  } else if (mlirTypeIsABF16(t)) {
    cell.d = decode_bfloat(half);
  } else if (mlirTypeIsAF32(t)) {
    memcpy(&f, at, sizeof f);
    cell.d = (double)f;
  } else {
    memcpy(&cell.d, at, sizeof cell.d);
  }
  return cell;
}

bool tvm_onnx_decode_cells(MlirType t, int64_t count, const void *bytes,
                           tvm_onnx_cell *cells) {
  if (!mlirTypeIsAInteger(t) && !mlirTypeIsAFloat(t))
    return false;
  size_t size = (size_t)tvm_element_bytes(t);
  for (int64_t i = 0; i < count; ++i)
    cells[i] =
        decode_one(t, (const unsigned char *)bytes + (size_t)i * size, size);
  return true;
}
