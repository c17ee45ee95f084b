/* compare_numbers.c - tensors of a model as numbers. */
#include "llvm/compare_numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Codes of DLPack. */
enum { SIGNED, UNSIGNED, FLOAT, BFLOAT = 4, BOOLEAN = 6 };

static bool is_float(tvm_model_type t) {
  return t.code == FLOAT || t.code == BFLOAT;
}

static uint64_t load_bits(const void *data, size_t i, size_t bytes) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)data + i * bytes, bytes);
  return bits;
}

static double from_half(uint64_t h) {
  int exponent = h >> 10 & 31;
  double fraction = (double)(h & 1023);
  double value = exponent == 31 ? (fraction > 0 ? NAN : INFINITY)
                 : exponent     ? ldexp(fraction + 1024, exponent - 25)
                                : ldexp(fraction, -24);
  return h >> 15 ? -value : value;
}

static double from_float_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static double get_number(tvm_model_type t, const void *data, size_t i) {
  uint64_t bits = load_bits(data, i, t.bits / 8u);
  double wide;
  if (t.code == BFLOAT)
    return from_float_bits((uint32_t)bits << 16);
  if (t.code == FLOAT && t.bits == 16)
    return from_half(bits);
  if (t.code == FLOAT && t.bits == 32)
    return from_float_bits((uint32_t)bits);
  if (t.code == FLOAT) {
    memcpy(&wide, &bits, sizeof wide);
    return wide;
  }
  if (t.code == SIGNED)
    return (double)((int64_t)(bits << (64 - t.bits)) >> (64 - t.bits));
  return (double)bits;
}

static uint64_t float_bits(tvm_model_type t, double value) {
  float narrow = (float)value;
  uint32_t bits;
  uint64_t wide;
  memcpy(&bits, &narrow, sizeof bits);
  memcpy(&wide, &value, sizeof wide);
  if (t.code == BFLOAT)
    return bits >> 16;
  if (t.bits == 64)
    return wide;
  if (t.bits == 32)
    return bits;
  /* a normal half, cut off: no number here is smaller or larger */
  int exponent;
  double fraction = frexp(fabs(value), &exponent);
  if (exponent + 14 <= 0)
    return 0;
  return (value < 0 ? 0x8000u : 0) | (uint64_t)(exponent + 14) << 10 |
         ((uint64_t)(fraction * 2048) & 1023);
}

static uint64_t next(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

void tvm_fill_numbers(const tvm_model_tensor *tensor, void *data,
                      tvm_number_range range, int64_t limit, uint64_t *state) {
  tvm_model_type t = tensor->type;
  size_t bytes = t.bits / 8u, n = bytes ? tensor->bytes / bytes : 0;
  for (size_t i = 0; i < n; ++i) {
    uint64_t random = next(state) >> 11, bits = 0;
    double unit = (double)random * 0x1p-53;
    if (is_float(t))
      bits = float_bits(t, range == TVM_NUMBERS_POSITIVE ? 0.1 + 1.9 * unit
                                                         : 2 * unit - 1);
    else if (t.code == BOOLEAN)
      bits = random & 1;
    else if (limit)
      bits = 1 + random % (uint64_t)limit;
    memcpy((char *)data + i * bytes, &bits, bytes);
  }
}

/* What rounding may move a result by, as a part of the largest. */
static double tolerance_of(tvm_model_type t) {
  if (t.code == BFLOAT)
    return 0x1p-5;
  return t.bits == 16 ? 0x1p-7 : t.bits == 32 ? 1e-4 : 1e-10;
}

static double largest(tvm_model_type t, const void *data, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; ++i) {
    double v = fabs(get_number(t, data, i));
    if (isfinite(v) && v > most)
      most = v;
  }
  return most;
}

/* How far apart; infinite when one is no finite number and the other another.
 */
static double distance(double a, double b) {
  if (a == b || (isnan(a) && isnan(b)))
    return 0;
  double d = fabs(a - b);
  return isfinite(d) ? d : INFINITY;
}

static void write_place(const tvm_model_tensor *t, size_t index, char *out,
                        size_t size) {
  size_t stride = 1, used = 0;
  for (int32_t d = 0; d < t->rank; ++d)
    stride *= (size_t)t->shape[d];
  out[0] = 0;
  for (int32_t d = 0; d < t->rank && used < size; ++d) {
    stride /= (size_t)t->shape[d];
    used += (size_t)snprintf(out + used, size - used, "%s%zu", d ? "," : "",
                             index / stride);
    index %= stride;
  }
}

bool tvm_compare_numbers(const tvm_model_tensor *tensor, const void *expected,
                         const void *got, char *text, size_t size) {
  tvm_model_type t = tensor->type;
  size_t bytes = t.bits / 8u, n = bytes ? tensor->bytes / bytes : 0;
  size_t worst = 0, differ = 0;
  double most = -1, allowed = 0;
  char place[256];
  if (is_float(t))
    allowed = tolerance_of(t) * largest(t, expected, n);
  for (size_t i = 0; i < n; ++i) {
    double d = distance(get_number(t, expected, i), get_number(t, got, i));
    bool same = is_float(t)
                    ? d <= allowed
                    : load_bits(expected, i, bytes) == load_bits(got, i, bytes);
    if (same)
      continue;
    ++differ;
    if (d > most) {
      most = d;
      worst = i;
    }
  }
  if (!differ)
    return true;
  write_place(tensor, worst, place, sizeof place);
  snprintf(text, size, "[%s]: expected %.9g, got %.9g (%zu of %zu differ)",
           place, get_number(t, expected, worst), get_number(t, got, worst),
           differ, n);
  return false;
}
