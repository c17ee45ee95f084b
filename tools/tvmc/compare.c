/* compare.c - whether a result is the expected one. */
#include "tvmc.h"

#include <math.h>
#include <string.h>

/* A unit in the last place of a narrow type is more than the tolerance that
 * suits f32: 2^-9 and 2^-6 are two units of f16 and of bf16. */
static double find_relative(const tensor *t, double relative) {
  double least = t->dtype.code == kDLBfloat ? 1.0 / 64
                 : t->dtype.bits == 16      ? 1.0 / 512
                                            : 0;
  return relative > least ? relative : least;
}

/* Of the finite elements. */
static double find_span(const tensor *t) {
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < t->count; i++) {
    double value = tensor_get(t, i);
    if (isfinite(value)) {
      low = fmin(low, value);
      high = fmax(high, value);
    }
  }
  return high > low ? high - low : 0;
}

/* Of integers of 64 bits, whose difference may lie beyond 2^53. */
static double find_wide_difference(const tensor *a, const tensor *b, size_t i) {
  uint64_t x, y;
  memcpy(&x, (char *)a->data + i * sizeof x, sizeof x);
  memcpy(&y, (char *)b->data + i * sizeof y, sizeof y);
  bool less = a->dtype.code == kDLInt ? (int64_t)x < (int64_t)y : x < y;
  return (double)(less ? y - x : x - y);
}

/* Zero when the elements are one; infinite when they are of another kind. */
static double find_difference(const tensor *a, const tensor *b, size_t i) {
  size_t width = a->dtype.bits / 8u;
  if (!is_float_type(a->dtype)) {
    if (memcmp((char *)a->data + i * width, (char *)b->data + i * width,
               width) == 0)
      return 0;
    return width == sizeof(uint64_t)
               ? find_wide_difference(a, b, i)
               : fabs(tensor_get(a, i) - tensor_get(b, i));
  }
  double x = tensor_get(a, i), y = tensor_get(b, i);
  if (x == y || (isnan(x) && isnan(y)))
    return 0;
  double d = fabs(x - y);
  return isfinite(d) ? d : (double)INFINITY;
}

static bool fail_values(const tensor *expected, const tensor *got, size_t wrong,
                        size_t worst, double difference, failure *f) {
  char position[TENSOR_TEXT_BYTES], want[64], have[64];
  return fail(f,
              "output '%s'%s expects %s, got %s (%zu of %zu differ, worst "
              "difference %.3g)",
              got->name ? got->name : "",
              print_position(position, expected, worst),
              print_element(want, sizeof want, expected, worst),
              print_element(have, sizeof have, got, worst), wrong,
              expected->count, difference);
}

bool compare_tensors(const tensor *expected, const tensor *got,
                     const tolerance *tolerance, failure *f) {
  if (!same_type(expected, got->dtype, got->rank, got->shape)) {
    char want[TENSOR_TEXT_BYTES], have[TENSOR_TEXT_BYTES];
    print_type(want, expected->dtype, expected->rank, expected->shape);
    print_type(have, got->dtype, got->rank, got->shape);
    return fail(f, "output '%s' expects %s, got %s", got->name ? got->name : "",
                want, have);
  }
  bool is_float = is_float_type(expected->dtype);
  double relative = find_relative(expected, tolerance->relative);
  double absolute = tolerance->absolute;
  if (tolerance->of_range && is_float)
    absolute += relative * find_span(expected);
  size_t wrong = 0, worst = 0;
  double worst_difference = -1;
  for (size_t i = 0; i < expected->count; i++) {
    double d = find_difference(expected, got, i);
    double allowed = 0;
    if (is_float && d > 0 && isfinite(d))
      allowed = absolute + relative * fabs(tensor_get(expected, i));
    if (d <= allowed)
      continue;
    wrong++;
    if (d > worst_difference) {
      worst = i;
      worst_difference = d;
    }
  }
  return !wrong ||
         fail_values(expected, got, wrong, worst, worst_difference, f);
}
