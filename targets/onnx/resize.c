/* resize.c - Resize and Upsample, one axis after the other.
 *
 * Where every output reads is known at import (resize_axis.h), so an axis is a
 * weighted sum of gathers with constant indices.
 * Source: ONNX Resize 10 to 19, Upsample 7 and 9. */
#include "decompose.h"
#include "resize_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OUTPUT = 1 << 24 }; /* elements of an axis */

typedef struct resize {
  tvm_resize_options options;
  double extrapolation;
  intptr_t rank;
  tvm_resize_extent extents[TVM_EMIT_MAX_RANK];
} resize;

static bool read_mode(tvm_onnx_node *node, resize *r) {
  static const char *const MODES[] = {"nearest", "linear", "cubic", "bilinear"};
  int32_t mode;
  bool is_upsample = strcmp(tvm_onnx_op_type(node), "Upsample") == 0;
  if (!tvm_onnx_get_choice(node, "mode", 0, is_upsample ? 4 : 3, MODES, &mode))
    return false;
  r->options.mode = mode == 3 ? TVM_RESIZE_LINEAR : (tvm_resize_mode)mode;
  return true;
}

static bool read_options(tvm_onnx_node *node, resize *r) {
  static const char *const COORDINATES[] = {
      "half_pixel",        "half_pixel_symmetric", "pytorch_half_pixel",
      "align_corners",     "asymmetric",           "tf_half_pixel_for_nn",
      "tf_crop_and_resize"};
  static const char *const ROUNDINGS[] = {"round_prefer_floor",
                                          "round_prefer_ceil", "floor", "ceil"};
  tvm_resize_options *o = &r->options;
  int32_t coordinates, rounding;
  if (!tvm_onnx_get_choice(node, "coordinate_transformation_mode",
                           TVM_RESIZE_HALF_PIXEL, 7, COORDINATES,
                           &coordinates) ||
      !tvm_onnx_get_choice(node, "nearest_mode", TVM_RESIZE_PREFER_FLOOR, 4,
                           ROUNDINGS, &rounding))
    return false;
  o->coordinates = (tvm_resize_coordinates)coordinates;
  o->rounding = (tvm_resize_rounding)rounding;
  o->cubic_a = tvm_onnx_get_float(node, "cubic_coeff_a", -0.75);
  o->exclude_outside = tvm_onnx_get_int(node, "exclude_outside", 0) != 0;
  r->extrapolation = tvm_onnx_get_float(node, "extrapolation_value", 0);
  if (tvm_onnx_opset(node) >= 18)
    o->antialias = tvm_onnx_get_int(node, "antialias", 0) != 0;
  return true;
}

/* The axes that scales and sizes speak of; all of them by default. */
static bool read_axes(tvm_onnx_node *node, intptr_t rank, intptr_t *n,
                      int64_t *axes) {
  size_t count = 0;
  const int64_t *values = NULL;
  if (tvm_onnx_opset(node) >= 18)
    values = tvm_onnx_get_ints(node, "axes", &count);
  *n = count ? (intptr_t)count : rank;
  if (*n > rank) {
    tvm_onnx_fail(node, "attribute 'axes' names %zu axes of %lld", count,
                  (long long)rank);
    return false;
  }
  bool seen[TVM_EMIT_MAX_RANK] = {false};
  for (intptr_t i = 0; i < *n; ++i) {
    axes[i] = count ? values[i] : i;
    if (!tvm_onnx_check_axis(node, "axes", rank, &axes[i]))
      return false;
    if (seen[axes[i]]) {
      tvm_onnx_fail(node, "axis %lld is named twice", (long long)axes[i]);
      return false;
    }
    seen[axes[i]] = true;
  }
  return true;
}

/* In single precision and without the region of tf_crop_and_resize, as ONNX's
 * own shape inference and its runtimes have it; the text of the operator
 * multiplies by the region's width. */
static double scale_extent(int64_t extent, double scale) {
  return (double)floorf((float)extent * (float)scale);
}

/* Where each output reads is written down, so their number has a limit. */
static bool set_output(tvm_onnx_node *node, tvm_resize_extent *e,
                       double output) {
  if (output > MAX_OUTPUT) {
    tvm_onnx_unsupported(node, "%lld elements resized to %.0f, more than %d",
                         (long long)e->input, output, MAX_OUTPUT);
    return false;
  }
  e->output = (int64_t)output;
  return true;
}

static bool set_scales(tvm_onnx_node *node, resize *r, intptr_t n,
                       const int64_t *axes, int64_t count,
                       const double *scales) {
  if (count != n) {
    tvm_onnx_fail(node, "expects %lld scales, got %lld", (long long)n,
                  (long long)count);
    return false;
  }
  for (intptr_t i = 0; i < n; ++i) {
    tvm_resize_extent *e = &r->extents[axes[i]];
    if (!(scales[i] > 0)) {
      tvm_onnx_fail(node, "scale %g is not positive", scales[i]);
      return false;
    }
    e->scale = scales[i];
    if (!set_output(node, e, scale_extent(e->input, e->scale)))
      return false;
  }
  return true;
}

/* One scale for all axes, the smallest or the largest one. */
static bool keep_aspect(tvm_onnx_node *node, resize *r, intptr_t n,
                        const int64_t *axes, bool larger) {
  double scale = r->extents[axes[0]].scale;
  for (intptr_t i = 1; i < n; ++i) {
    double other = r->extents[axes[i]].scale;
    scale = larger == (other > scale) ? other : scale;
  }
  for (intptr_t i = 0; i < n; ++i) {
    tvm_resize_extent *e = &r->extents[axes[i]];
    e->scale = scale;
    if (!set_output(node, e, floor((double)e->input * scale + 0.5)))
      return false;
  }
  return true;
}

static bool set_sizes(tvm_onnx_node *node, resize *r, intptr_t n,
                      const int64_t *axes, int64_t count,
                      const int64_t *sizes) {
  static const char *const POLICIES[] = {"stretch", "not_larger",
                                         "not_smaller"};
  int32_t policy = 0;
  if (tvm_onnx_opset(node) >= 18 &&
      !tvm_onnx_get_choice(node, "keep_aspect_ratio_policy", 0, 3, POLICIES,
                           &policy))
    return false;
  if (count != n) {
    tvm_onnx_fail(node, "expects %lld sizes, got %lld", (long long)n,
                  (long long)count);
    return false;
  }
  for (intptr_t i = 0; i < n; ++i) {
    tvm_resize_extent *e = &r->extents[axes[i]];
    if (sizes[i] < 0 || (e->input == 0 && sizes[i] != 0)) {
      tvm_onnx_fail(node, "cannot resize %lld elements to %lld",
                    (long long)e->input, (long long)sizes[i]);
      return false;
    }
    if (!set_output(node, e, (double)sizes[i]))
      return false;
    e->scale = e->input ? (double)e->output / (double)e->input : 1;
  }
  return !policy || !n || keep_aspect(node, r, n, axes, policy == 2);
}

static bool read_roi(tvm_onnx_node *node, resize *r, intptr_t n,
                     const int64_t *axes) {
  int64_t count;
  double *roi;
  for (intptr_t i = 0; i < r->rank; ++i)
    r->extents[i].roi_end = 1;
  if (r->options.coordinates != TVM_RESIZE_TF_CROP)
    return true;
  if (!tvm_onnx_has_operand(node, 1)) {
    tvm_onnx_fail(node, "expects a region for tf_crop_and_resize");
    return false;
  }
  if (!tvm_onnx_copy_doubles(node, 1, &count, &roi))
    return false;
  bool ok = count == 2 * n;
  if (!ok)
    tvm_onnx_fail(node, "expects %lld values in the region, got %lld",
                  (long long)(2 * n), (long long)count);
  for (intptr_t i = 0; ok && i < n; ++i) {
    r->extents[axes[i]].roi_start = roi[i];
    r->extents[axes[i]].roi_end = roi[n + i];
    ok = isfinite(roi[i]) && isfinite(roi[n + i]);
    if (!ok)
      tvm_onnx_fail(node, "the region [%g, %g] is not finite", roi[i],
                    roi[n + i]);
  }
  free(roi);
  return ok;
}

static bool has_elements(tvm_onnx_node *node, intptr_t i) {
  MlirValue v = tvm_onnx_operand(node, i);
  return !tvm_emit_is_null(v) && tvm_num_elements(mlirValueGetType(v)) > 0;
}

static bool read_scale_operand(tvm_onnx_node *node, resize *r, intptr_t n,
                               const int64_t *axes, intptr_t operand) {
  int64_t count;
  double *scales;
  if (!tvm_onnx_copy_doubles(node, operand, &count, &scales))
    return false;
  bool ok = set_scales(node, r, n, axes, count, scales);
  free(scales);
  return ok;
}

/* Opset 11 on: scales or sizes, the other one absent or empty. */
static bool read_extents(tvm_onnx_node *node, resize *r) {
  intptr_t n;
  int64_t axes[TVM_EMIT_MAX_RANK], count, *sizes;
  if (!read_axes(node, r->rank, &n, axes) || !read_roi(node, r, n, axes))
    return false;
  bool by_scale = has_elements(node, 2), by_size = has_elements(node, 3);
  if (by_scale == by_size && n) {
    tvm_onnx_fail(node, "expects either scales or sizes");
    return false;
  }
  if (by_scale) {
    if (tvm_onnx_opset(node) >= 18)
      tvm_onnx_ignore_attr(node, "keep_aspect_ratio_policy");
    return read_scale_operand(node, r, n, axes, 2);
  }
  if (!by_size)
    return true;
  if (!tvm_onnx_copy_i64s(node, 3, &count, &sizes))
    return false;
  bool ok = set_sizes(node, r, n, axes, count, sizes);
  free(sizes);
  return ok;
}

/* Upsample, and Resize of opset 10: scales alone. */
static bool read_simple(tvm_onnx_node *node, resize *r) {
  int64_t axes[TVM_EMIT_MAX_RANK];
  for (intptr_t i = 0; i < r->rank; ++i)
    axes[i] = i;
  r->options.coordinates = TVM_RESIZE_ASYMMETRIC;
  r->options.rounding = TVM_RESIZE_SIMPLE;
  r->options.cubic_a = -0.75;
  bool as_attr = strcmp(tvm_onnx_op_type(node), "Upsample") == 0 &&
                 tvm_onnx_opset(node) < 9;
  if (!as_attr)
    return read_scale_operand(node, r, r->rank, axes, 1);
  size_t n;
  const float *values = tvm_onnx_get_floats(node, "scales", &n);
  double scales[TVM_EMIT_MAX_RANK] = {0};
  for (size_t i = 0; i < n && i < TVM_EMIT_MAX_RANK; ++i)
    scales[i] = values[i];
  return set_scales(node, r, r->rank, axes, (int64_t)n, scales);
}

/* ---- emission ---- */

static bool weighs_nothing(const tvm_resize_samples *samples, int64_t outputs,
                           int64_t k) {
  for (int64_t i = 0; i < outputs; ++i)
    if (samples->weights[i * samples->taps + k] != 0)
      return false;
  return true;
}

/* One tap of `axis`: the gathered elements times their weights. */
static MlirValue emit_tap(tvm_builder *b, const tvm_resize_samples *samples,
                          MlirValue x, intptr_t axis, int64_t outputs,
                          int64_t k, bool weighted) {
  int64_t *indices = malloc((size_t)outputs * sizeof *indices + 1);
  double *weights = malloc((size_t)outputs * sizeof *weights + 1);
  MlirValue y = {NULL};
  for (int64_t i = 0; indices && weights && i < outputs; ++i) {
    indices[i] = samples->indices[i * samples->taps + k];
    weights[i] = samples->weights[i * samples->taps + k];
  }
  if (indices && weights) {
    tvm_emit_shape s = {.rank = 1, .dims = {outputs}};
    tvm_emit_shape along = tvm_emit_along((intptr_t)tvm_rank(x), axis, outputs);
    y = tvm_emit_gather(b, x, tvm_emit_i64s(b, &s, indices), axis);
    if (weighted)
      y = tvm_emit_binary(
          b, "mul", y,
          tvm_emit_doubles(b, tvm_element_type(x), &along, weights));
  } else {
    tvm_emit_error(b->location, "out of memory");
  }
  free(indices);
  free(weights);
  return y;
}

/* The taps that weigh something; zeros when none does. */
static MlirValue emit_taps(tvm_builder *b, const tvm_resize_samples *samples,
                           MlirValue x, intptr_t axis, int64_t outputs,
                           bool weighted) {
  MlirValue y = {NULL};
  bool any = false;
  for (int64_t k = 0; k < samples->taps; ++k) {
    if (weighs_nothing(samples, outputs, k))
      continue;
    MlirValue tap = emit_tap(b, samples, x, axis, outputs, k, weighted);
    y = any ? tvm_emit_binary(b, "add", y, tap) : tap;
    any = true;
  }
  if (any)
    return y;
  tvm_emit_shape s = tvm_emit_get_shape(x);
  s.dims[axis] = outputs;
  return tvm_build_splat(
      b, tvm_tensor_type(s.rank, s.dims, tvm_element_type(x)), 0);
}

static bool is_identity(const tvm_resize_samples *samples,
                        const tvm_resize_extent *e) {
  if (e->input != e->output || samples->any_outside)
    return false;
  for (int64_t i = 0; i < e->output; ++i)
    for (int64_t k = 0; k < samples->taps; ++k) {
      double w = samples->weights[i * samples->taps + k];
      if (w != 0 && (w != 1 || samples->indices[i * samples->taps + k] != i))
        return false;
    }
  return true;
}

/* `outside` becomes the mask of extrapolated outputs, or stays null. */
static MlirValue emit_axis(tvm_builder *b, const resize *r, intptr_t axis,
                           MlirValue x, MlirValue *outside) {
  const tvm_resize_extent *e = &r->extents[axis];
  tvm_resize_samples samples;
  if (!tvm_resize_samples_init(&samples, &r->options, e)) {
    tvm_emit_error(b->location, "out of memory");
    return (MlirValue){NULL};
  }
  if (samples.any_outside) {
    tvm_emit_shape s = tvm_emit_along(r->rank, axis, e->output);
    MlirValue mask = tvm_emit_bools(b, &s, samples.outside);
    *outside = tvm_emit_is_null(*outside)
                   ? mask
                   : tvm_emit_binary(b, "or", *outside, mask);
  }
  bool weighted = r->options.mode != TVM_RESIZE_NEAREST;
  MlirValue y = is_identity(&samples, e)
                    ? x
                    : emit_taps(b, &samples, x, axis, e->output, weighted);
  tvm_resize_samples_finish(&samples);
  return y;
}

/* Cubic weights overshoot: integers are clamped to their range. Products of
 * half floats are added up as f32, too. */
static MlirValue narrow(tvm_builder *b, MlirValue y, MlirType type) {
  if (tvm_emit_is_null(y) || mlirTypeEqual(tvm_element_type(y), type))
    return y;
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) <= 16) {
    bool is_unsigned = mlirIntegerTypeIsUnsigned(type);
    int width = (int)mlirIntegerTypeGetWidth(type) - !is_unsigned;
    y = tvm_emit_with(b, "max", y, is_unsigned ? 0 : -ldexp(1, width));
    y = tvm_emit_with(b, "min", y, ldexp(1, width) - 1);
  }
  return tvm_emit_cast(b, y, type);
}

static MlirValue emit_resize(tvm_builder *b, const resize *r, MlirValue x) {
  MlirType type = tvm_element_type(x);
  MlirValue outside = {NULL};
  bool is_wide = mlirTypeIsAF32(type) || mlirTypeIsAF64(type);
  if (r->options.mode != TVM_RESIZE_NEAREST && !is_wide)
    x = tvm_emit_cast(b, x, tvm_emit_f32(b));
  for (intptr_t axis = 0; axis < r->rank && !tvm_emit_is_null(x); ++axis) {
    const tvm_resize_extent *e = &r->extents[axis];
    bool crop = r->options.coordinates == TVM_RESIZE_TF_CROP;
    if (e->input != e->output || e->scale != 1 || crop)
      x = emit_axis(b, r, axis, x, &outside);
  }
  if (!tvm_emit_is_null(outside) && !tvm_emit_is_null(x)) {
    MlirValue value = tvm_emit_scalar(b, tvm_element_type(x), r->extrapolation);
    x = tvm_emit_select(b, outside, value, x);
  }
  return narrow(b, x, type);
}

MlirLogicalResult tvm_onnx_import_resize(tvm_onnx_node *node) {
  bool simple = strcmp(tvm_onnx_op_type(node), "Upsample") == 0 ||
                tvm_onnx_opset(node) < 11;
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 4)))
    return mlirLogicalResultFailure();
  MlirValue x = tvm_onnx_operand(node, 0);
  resize r = {.rank = (intptr_t)tvm_rank(x)};
  if (r.rank > TVM_EMIT_MAX_RANK)
    return tvm_onnx_unsupported(node, "rank %lld", (long long)r.rank);
  for (intptr_t i = 0; i < r.rank; ++i)
    r.extents[i] = (tvm_resize_extent){
        .input = tvm_dim(x, i), .output = tvm_dim(x, i), .scale = 1};
  if (!read_mode(node, &r) || (!simple && !read_options(node, &r)) ||
      !(simple ? read_simple(node, &r) : read_extents(node, &r)))
    return mlirLogicalResultFailure();
  return tvm_onnx_set_result(node, 0,
                             emit_resize(tvm_onnx_builder(node), &r, x));
}
