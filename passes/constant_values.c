/* constant_values.c - constness, equal elements and bounds of values.
 *
 * Nothing is folded here: values are computed by compiling (design, decision
 * 9). A rule that holds for some values alone asks here, and stays away when
 * the answer is not certain. */
#include "passes/constant_values.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- constness ---- */

enum { CONSTANT_BUDGET = 64, DEPTH = 16 };

static bool is_constant(MlirValue v, int depth, int *budget) {
  MlirOperation op = tvm_defining_op(v);
  if (tvm_op_is(op, "arith.constant"))
    return true;
  if (!tvm_op_in_dialect(op, "graph") || tvm_op_is(op, "graph.assert") ||
      depth == 0 || --*budget < 0)
    return false;
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; ++i)
    if (!is_constant(tvm_operand(op, i), depth - 1, budget))
      return false;
  return n > 0;
}

bool tvm_is_constant(MlirValue value) {
  int budget = CONSTANT_BUDGET;
  return is_constant(value, DEPTH, &budget);
}

/* ---- elements ---- */

/* f16 (5 bits of exponent) or bf16 (8 bits). */
static double decode_half(uint16_t bits, int exponent_bits) {
  int fraction_bits = 15 - exponent_bits, top = (1 << exponent_bits) - 1;
  int exponent = (bits >> fraction_bits) & top;
  int fraction = bits & ((1 << fraction_bits) - 1);
  double magnitude;
  if (exponent == top)
    magnitude = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = ldexp(fraction, 1 - top / 2 - fraction_bits);
  else
    magnitude = ldexp(fraction + (1 << fraction_bits),
                      exponent - top / 2 - fraction_bits);
  return bits >> 15 ? -magnitude : magnitude;
}

static bool decode_float(MlirType type, const char *data, double *out) {
  uint16_t half;
  float single;
  if (mlirTypeIsAF64(type)) {
    memcpy(out, data, sizeof *out);
  } else if (mlirTypeIsAF32(type)) {
    memcpy(&single, data, sizeof single);
    *out = single;
  } else if (mlirTypeIsAF16(type) || mlirTypeIsABF16(type)) {
    memcpy(&half, data, sizeof half);
    *out = decode_half(half, mlirTypeIsAF16(type) ? 5 : 8);
  } else {
    return false;
  }
  return true;
}

static bool decode_integer(MlirType type, const char *data, int64_t *out) {
  if (!mlirTypeIsAInteger(type))
    return false;
  unsigned width = mlirIntegerTypeGetWidth(type);
  size_t bytes = width == 1 ? 1 : width / 8;
  bool is_unsigned = mlirIntegerTypeIsUnsigned(type) || width == 1;
  uint64_t bits = 0;
  memcpy(&bits, data, bytes);
  unsigned unused = 64 - 8 * (unsigned)bytes;
  if (is_unsigned)
    *out = (int64_t)bits;
  else
    *out = (int64_t)(bits << unused) >> unused;
  return true;
}

static MlirAttribute get_elements(MlirOperation constant) {
  return tvm_get_attr(constant, "value");
}

/* ---- equal elements ---- */

enum { SPLAT_ELEMENTS = 4096 };

static MlirOperation look_through_moves(MlirValue v) {
  MlirOperation op = tvm_defining_op(v);
  for (int i = 0; i < DEPTH; ++i) {
    if (!tvm_op_is(op, "graph.reshape") && !tvm_op_is(op, "graph.broadcast") &&
        !tvm_op_is(op, "graph.transpose"))
      break;
    op = tvm_defining_op(tvm_operand(op, 0));
  }
  return op;
}

static bool decode_splat(MlirType element, const char *data, size_t bytes,
                         tvm_scalar *out) {
  size_t size = (size_t)tvm_element_bytes(element);
  if (bytes < size)
    return false;
  for (size_t i = size; i < bytes; i += size)
    if (memcmp(data, data + i, size) != 0)
      return false;
  *out = (tvm_scalar){.is_float = mlirTypeIsAFloat(element)};
  return out->is_float ? decode_float(element, data, &out->number)
                       : decode_integer(element, data, &out->integer);
}

bool tvm_get_splat(MlirValue value, tvm_scalar *out) {
  MlirOperation op = look_through_moves(value);
  if (!tvm_op_is(op, "arith.constant"))
    return false;
  MlirType type = mlirValueGetType(tvm_result(op, 0));
  if (!mlirTypeIsARankedTensor(type) || tvm_num_elements(type) < 1 ||
      tvm_num_elements(type) > SPLAT_ELEMENTS)
    return false;
  size_t bytes;
  char *data = tvm_copy_elements(get_elements(op), &bytes);
  bool ok = data &&
            decode_splat(mlirShapedTypeGetElementType(type), data, bytes, out);
  free(data);
  return ok;
}

/* ---- bounds ---- */

static bool is_ranged(MlirType element) {
  return mlirTypeIsAF32(element) || mlirTypeIsAF64(element);
}

/* A margin of two binades for the roundings on the way. */
static double greatest(MlirType element) {
  return (mlirTypeIsAF32(element) ? (double)FLT_MAX : DBL_MAX) / 4;
}

/* Below this, products lose digits to the denormal numbers. */
static double smallest(MlirType element) {
  return mlirTypeIsAF32(element) ? ldexp(FLT_MIN, 24) : ldexp(DBL_MIN, 53);
}

static bool set_range(MlirType element, double least, double most,
                      tvm_range *out) {
  out->least = least;
  out->most = most;
  out->largest = fmax(fabs(least), fabs(most));
  return out->largest <= greatest(element); /* false for NaN */
}

/* Weights have millions of elements: lanes let the loop be vectorized, which
 * minima and maxima of floats in order do not. */
enum { LANES = 16 };

static bool scan_singles(const char *data, size_t n, double *least,
                         double *most) {
  float low[LANES], high[LANES], x[LANES];
  uint32_t unordered[LANES] = {0};
  for (size_t k = 0; k < LANES; ++k)
    low[k] = INFINITY, high[k] = -INFINITY;
  for (size_t i = 0; i < n; i += LANES) {
    size_t start = i + LANES <= n ? i : n < LANES ? 0 : n - LANES;
    size_t lanes = n < LANES ? n : LANES;
    memcpy(x, data + start * sizeof *x, lanes * sizeof *x);
    for (size_t k = lanes; k < LANES; ++k)
      x[k] = x[0];
    for (size_t k = 0; k < LANES; ++k) {
      low[k] = x[k] < low[k] ? x[k] : low[k];
      high[k] = x[k] > high[k] ? x[k] : high[k];
      unordered[k] |= x[k] != x[k];
    }
  }
  uint32_t any = 0;
  for (size_t k = 0; k < LANES; ++k) {
    *least = low[k] < *least ? low[k] : *least;
    *most = high[k] > *most ? high[k] : *most;
    any |= unordered[k];
  }
  return !any;
}

static bool scan_doubles(const char *data, size_t n, double *least,
                         double *most) {
  for (size_t i = 0; i < n; ++i) {
    double x;
    memcpy(&x, data + i * sizeof x, sizeof x);
    if (isnan(x))
      return false;
    *least = x < *least ? x : *least;
    *most = x > *most ? x : *most;
  }
  return true;
}

static bool scan(MlirType element, const char *data, size_t bytes,
                 tvm_range *out) {
  size_t n = bytes / (size_t)tvm_element_bytes(element);
  double least = n ? INFINITY : 0, most = n ? -INFINITY : 0;
  bool single = mlirTypeIsAF32(element);
  return (single ? scan_singles(data, n, &least, &most)
                 : scan_doubles(data, n, &least, &most)) &&
         set_range(element, least, most, out);
}

static bool range_of_constant(MlirOperation op, tvm_range *out) {
  MlirType element = tvm_element_type(tvm_result(op, 0));
  MlirAttribute elements = get_elements(op);
  const void *large;
  size_t bytes;
  if (tvm_seam_resource_data(elements, &large, &bytes))
    return scan(element, large, bytes, out);
  char *data = tvm_copy_elements(elements, &bytes);
  bool ok = data && scan(element, data, bytes, out);
  free(data);
  return ok;
}

/* The hull of four numbers. */
static bool hull(MlirType element, double a, double b, double c, double d,
                 tvm_range *out) {
  return set_range(element, fmin(fmin(a, b), fmin(c, d)),
                   fmax(fmax(a, b), fmax(c, d)), out);
}

static bool multiply(MlirType element, const tvm_range *a, const tvm_range *b,
                     tvm_range *out) {
  return hull(element, a->least * b->least, a->least * b->most,
              a->most * b->least, a->most * b->most, out);
}

static bool divide(MlirType element, const tvm_range *a, const tvm_range *b,
                   tvm_range *out) {
  if (b->least <= 0 && b->most >= 0)
    return false;
  return hull(element, a->least / b->least, a->least / b->most,
              a->most / b->least, a->most / b->most, out);
}

static bool keeps_digits(MlirType element, const tvm_range *r) {
  return r->largest == 0 || r->largest >= smallest(element);
}

bool tvm_multiply_ranges(MlirType element, const tvm_range *a,
                         const tvm_range *b, tvm_range *out) {
  return multiply(element, a, b, out) && keeps_digits(element, out);
}

bool tvm_divide_ranges(MlirType element, const tvm_range *a, const tvm_range *b,
                       tvm_range *out) {
  return divide(element, a, b, out) && keeps_digits(element, out);
}

static bool get_range(MlirValue v, int depth, tvm_range *out);

static bool range_of_binary(MlirOperation op, int depth, tvm_range *out) {
  MlirType element = tvm_element_type(tvm_result(op, 0));
  tvm_range a, b;
  if (mlirOperationGetNumOperands(op) != 2 ||
      !get_range(tvm_operand(op, 0), depth, &a) ||
      !get_range(tvm_operand(op, 1), depth, &b))
    return false;
  if (tvm_op_is(op, "graph.add"))
    return set_range(element, a.least + b.least, a.most + b.most, out);
  if (tvm_op_is(op, "graph.sub"))
    return set_range(element, a.least - b.most, a.most - b.least, out);
  if (tvm_op_is(op, "graph.mul"))
    return multiply(element, &a, &b, out);
  return tvm_op_is(op, "graph.div") && divide(element, &a, &b, out);
}

static bool range_of_unary(MlirOperation op, int depth, tvm_range *out) {
  MlirType element = tvm_element_type(tvm_result(op, 0));
  tvm_range x;
  if (!get_range(tvm_operand(op, 0), depth, &x))
    return false;
  if (tvm_op_is(op, "graph.sqrt"))
    return x.least >= 0 && set_range(element, sqrt(x.least), sqrt(x.most), out);
  if (tvm_op_is(op, "graph.neg"))
    return set_range(element, -x.most, -x.least, out);
  *out = x;
  return tvm_op_is(op, "graph.reshape") || tvm_op_is(op, "graph.broadcast") ||
         tvm_op_is(op, "graph.transpose") || tvm_op_is(op, "graph.slice");
}

static bool get_range(MlirValue v, int depth, tvm_range *out) {
  MlirOperation op = tvm_defining_op(v);
  if (!op.ptr || depth == 0 || !is_ranged(tvm_element_type(v)))
    return false;
  if (tvm_op_is(op, "arith.constant"))
    return range_of_constant(op, out);
  return mlirOperationGetNumOperands(op) == 1
             ? range_of_unary(op, depth - 1, out)
             : range_of_binary(op, depth - 1, out);
}

bool tvm_get_range(MlirValue value, tvm_range *out) {
  return tvm_is_constant(value) && get_range(value, DEPTH, out);
}
