/* resize_axis.c - where Resize reads along one axis, computed at import.
 *
 * Everything is computed in double. Coordinates multiply before they divide,
 * so that exact ratios (and with them ties of the nearest modes) stay exact. */
#include "resize_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The scale as a quotient: the extents where they give it, so that 1/3 is not
 * blurred by the float that the model stores. */
static void get_ratio(const tvm_resize_extent *e, double *num, double *den) {
  double exact = (double)e->output / (double)e->input;
  bool same = fabs(exact - e->scale) <= exact * 0x1p-22;
  *num = same ? (double)e->output : e->scale;
  *den = same ? (double)e->input : 1.0;
}

static double get_crop_coordinate(const tvm_resize_extent *e, double i) {
  double last = (double)(e->input - 1);
  if (e->output == 1)
    return 0.5 * (e->roi_start + e->roi_end) * last;
  double step = (e->roi_end - e->roi_start) * last / (double)(e->output - 1);
  return e->roi_start * last + i * step;
}

static double get_coordinate(tvm_resize_coordinates mode,
                             const tvm_resize_extent *e, double i) {
  double num, den;
  get_ratio(e, &num, &den);
  double width = num * ((double)e->input / den); /* fractional output extent */
  switch (mode) {
  case TVM_RESIZE_HALF_PIXEL:
    return (i + 0.5) * den / num - 0.5;
  case TVM_RESIZE_HALF_PIXEL_SYMMETRIC: {
    double offset = (double)e->input / 2 * (1 - (double)e->output / width);
    return offset + (i + 0.5) * den / num - 0.5;
  }
  case TVM_RESIZE_PYTORCH_HALF_PIXEL:
    return e->output > 1 ? (i + 0.5) * den / num - 0.5 : 0.0;
  case TVM_RESIZE_ALIGN_CORNERS:
    return width == 1 ? 0.0 : i * (double)(e->input - 1) / (width - 1);
  case TVM_RESIZE_ASYMMETRIC:
    return i * den / num;
  case TVM_RESIZE_TF_HALF_PIXEL:
    return (i + 0.5) * den / num;
  case TVM_RESIZE_TF_CROP:
    return get_crop_coordinate(e, i);
  }
  return 0.0;
}

static double round_coordinate(tvm_resize_rounding mode, double scale,
                               double x) {
  switch (mode) {
  case TVM_RESIZE_PREFER_FLOOR:
    return ceil(x - 0.5);
  case TVM_RESIZE_PREFER_CEIL:
    return floor(x + 0.5);
  case TVM_RESIZE_FLOOR:
    return floor(x);
  case TVM_RESIZE_CEIL:
    return ceil(x);
  case TVM_RESIZE_SIMPLE:
    return scale < 1 ? ceil(x) : floor(x);
  }
  return x;
}

static double evaluate_linear(double x) {
  x = fabs(x);
  return x < 1 ? 1 - x : 0;
}

static double evaluate_cubic(double a, double x) {
  x = fabs(x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static int64_t clamp_index(double i, int64_t extent) {
  double last = (double)(extent - 1);
  return (int64_t)(i < 0 ? 0 : i > last ? last : i);
}

/* The window that a filter of `radius` pixels covers when it is stretched by
 * 1 / shrink: the first pixel relative to floor(x), and the number of pixels.
 */
static void get_window(double radius, double shrink, int64_t *first,
                       int64_t *taps) {
  *first = (int64_t)floor(-radius / shrink) + 1;
  *taps = 2 - 2 * *first;
}

static void fill_filter(const tvm_resize_options *o, const tvm_resize_extent *e,
                        double x, double shrink, int64_t first, int64_t taps,
                        int64_t *indices, double *weights) {
  /* Of two equally near pixels the lower one counts, hence the last one here;
   * the weights at whole coordinates are the same either way. */
  double base = floor(x), sum = 0;
  for (int64_t k = 0; k < taps; ++k) {
    double at = base + (double)(first + k);
    double distance = (at - x) * shrink;
    double w = o->mode == TVM_RESIZE_LINEAR
                   ? evaluate_linear(distance)
                   : evaluate_cubic(o->cubic_a, distance);
    if (o->exclude_outside && (at < 0 || at >= (double)e->input))
      w = 0;
    indices[k] = clamp_index(at, e->input);
    weights[k] = w;
    sum += w;
  }
  if (!o->exclude_outside && shrink == 1)
    return; /* the weights sum to one by construction */
  for (int64_t k = 0; k < taps && sum != 0; ++k)
    weights[k] /= sum;
}

bool tvm_resize_samples_init(tvm_resize_samples *samples,
                             const tvm_resize_options *o,
                             const tvm_resize_extent *e) {
  memset(samples, 0, sizeof *samples);
  double shrink = o->antialias && e->scale < 1 ? e->scale : 1.0;
  int64_t first = 0, taps = 1;
  if (o->mode != TVM_RESIZE_NEAREST && e->output > 0)
    get_window(o->mode == TVM_RESIZE_LINEAR ? 1 : 2, shrink, &first, &taps);
  size_t n = (size_t)e->output;
  samples->taps = taps;
  samples->indices = calloc(n * (size_t)taps + 1, sizeof(int64_t));
  samples->weights = calloc(n * (size_t)taps + 1, sizeof(double));
  samples->outside = calloc(n + 1, 1);
  if (!samples->indices || !samples->weights || !samples->outside) {
    tvm_resize_samples_finish(samples);
    return false;
  }
  for (int64_t i = 0; i < e->output; ++i) {
    double x = get_coordinate(o->coordinates, e, (double)i);
    int64_t *indices = samples->indices + i * taps;
    double *weights = samples->weights + i * taps;
    bool out = o->coordinates == TVM_RESIZE_TF_CROP &&
               (x < 0 || x > (double)(e->input - 1));
    samples->outside[i] = out;
    samples->any_outside |= out;
    if (o->mode == TVM_RESIZE_NEAREST) {
      double at = round_coordinate(o->rounding, e->scale, x);
      indices[0] = clamp_index(at, e->input);
      weights[0] = 1;
    } else {
      fill_filter(o, e, x, shrink, first, taps, indices, weights);
    }
  }
  return true;
}

void tvm_resize_samples_finish(tvm_resize_samples *samples) {
  free(samples->indices);
  free(samples->weights);
  free(samples->outside);
  memset(samples, 0, sizeof *samples);
}
