/* resize.c - Resize and Upsample, one axis after the other.
 *
 * Where each output element reads, and with what weight, is known at import:
 * an axis is a gather for each tap of the filter, times constant weights.
 * Source: ONNX Upsample 7 to 9, Resize 10 to 19. */
#include "decompose.h"
#include "resize_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  tvm_onnx_node *node;
  MlirValue x;
  tvm_resize_options options;
  double extrapolation;
  intptr_t n; /* axes that take part */
  int64_t axes[TVM_EMIT_MAX_RANK];
  tvm_resize_extent extents[TVM_EMIT_MAX_RANK];
} resize;

/* ---- attributes ---- */

static bool read_axes(resize *r) {
  size_t n;
  const int64_t *axes = tvm_onnx_get_ints(r->node, "axes", &n);
  bool seen[TVM_EMIT_MAX_RANK] = {false};
  intptr_t rank = (intptr_t)tvm_rank(r->x);
  if (!axes) {
    r->n = rank;
    for (intptr_t i = 0; i < rank; ++i)
      r->axes[i] = i;
    return true;
  }
  if (n > (size_t)rank) {
    tvm_onnx_fail(r->node, "attribute 'axes' has %zu axes of rank %td", n,
                  rank);
    return false;
  }
  r->n = (intptr_t)n;
  for (size_t i = 0; i < n; ++i) {
    r->axes[i] = axes[i];
    if (!tvm_onnx_check_axis(r->node, "axes", rank, &r->axes[i]))
      return false;
    if (seen[r->axes[i]]) {
      tvm_onnx_fail(r->node, "attribute 'axes' names axis %lld twice",
                    (long long)r->axes[i]);
      return false;
    }
    seen[r->axes[i]] = true;
  }
  return true;
}

static bool read_options(resize *r) {
  static const char *const MODES[] = {"nearest", "linear", "cubic"};
  static const char *const COORDINATES[] = {
      "half_pixel",     "half_pixel_symmetric", "pytorch_half_pixel",
      "align_corners",  "asymmetric",           "tf_half_pixel_for_nn",
      "tf_crop_and_resize"};
  static const char *const ROUNDINGS[] = {"round_prefer_floor",
                                          "round_prefer_ceil", "floor", "ceil"};
  int32_t mode, coordinates, rounding;
  tvm_onnx_node *node = r->node;
  tvm_resize_options *o = &r->options;
  bool old = tvm_onnx_opset(node) < 11;
  if (!tvm_onnx_get_choice(node, "mode", 0, old ? 2 : 3, MODES, &mode))
    return false;
  o->mode = (tvm_resize_mode)mode;
  o->cubic_a = -0.75;
  if (old) {
    o->coordinates = TVM_RESIZE_ASYMMETRIC;
    o->rounding = strcmp(tvm_onnx_op_type(node), "Upsample") == 0
                      ? TVM_RESIZE_FLOOR
                      : TVM_RESIZE_SIMPLE;
    return true;
  }
  if (!tvm_onnx_get_choice(node, "coordinate_transformation_mode", 0, 7,
                           COORDINATES, &coordinates) ||
      !tvm_onnx_get_choice(node, "nearest_mode", 0, 4, ROUNDINGS, &rounding))
    return false;
  o->coordinates = (tvm_resize_coordinates)coordinates;
  o->rounding = (tvm_resize_rounding)rounding;
  o->cubic_a = tvm_onnx_get_float(node, "cubic_coeff_a", -0.75);
  o->exclude_outside = tvm_onnx_get_int(node, "exclude_outside", 0) != 0;
  o->antialias = tvm_onnx_get_int(node, "antialias", 0) != 0;
  r->extrapolation = tvm_onnx_get_float(node, "extrapolation_value", 0);
  return true;
}

/* ---- extents ---- */

static bool set_scales(resize *r, intptr_t n, const double *scales) {
  if (n != r->n) {
    tvm_onnx_fail(r->node, "expects %td scales, got %td", r->n, n);
    return false;
  }
  for (intptr_t i = 0; i < n; ++i) {
    tvm_resize_extent *e = &r->extents[i];
    double size = floor((double)e->input * scales[i]);
    if (!(scales[i] > 0) || !(size < 2147483648.0)) {
      tvm_onnx_fail(r->node, "scale %g of axis %lld is out of range", scales[i],
                    (long long)r->axes[i]);
      return false;
    }
    e->scale = scales[i];
    e->output = (int64_t)size;
  }
  return true;
}

/* One scale for all axes: the least, or the largest, that the sizes allow. */
static void keep_aspect_ratio(resize *r, bool largest) {
  double scale = r->n ? r->extents[0].scale : 1;
  for (intptr_t i = 1; i < r->n; ++i)
    scale = largest ? fmax(scale, r->extents[i].scale)
                    : fmin(scale, r->extents[i].scale);
  for (intptr_t i = 0; i < r->n; ++i) {
    r->extents[i].scale = scale;
    r->extents[i].output = (int64_t)floor(scale * (double)r->extents[i].input + 0.5);
  }
}

static bool set_sizes(resize *r, intptr_t n, const int64_t *sizes) {
  static const char *const POLICIES[] = {"stretch", "not_larger",
                                         "not_smaller"};
  int32_t policy;
  if (!tvm_onnx_get_choice(r->node, "keep_aspect_ratio_policy", 0, 3, POLICIES,
                           &policy))
    return false;
  if (n != r->n) {
    tvm_onnx_fail(r->node, "expects %td sizes, got %td", r->n, n);
    return false;
  }
  for (intptr_t i = 0; i < n; ++i) {
    tvm_resize_extent *e = &r->extents[i];
    if (sizes[i] < 0 || sizes[i] > INT32_MAX || (e->input == 0 && sizes[i])) {
      tvm_onnx_fail(r->node, "size %lld of axis %lld is out of range",
                    (long long)sizes[i], (long long)r->axes[i]);
      return false;
    }
    e->output = sizes[i];
    e->scale = e->input ? (double)sizes[i] / (double)e->input : 1;
  }
  if (policy)
    keep_aspect_ratio(r, policy == 2);
  return true;
}

static bool read_scales(resize *r, intptr_t operand) {
  int64_t n;
  double *scales;
  if (!tvm_onnx_copy_doubles(r->node, operand, &n, &scales))
    return false;
  bool ok = set_scales(r, (intptr_t)n, scales);
  free(scales);
  return ok;
}

static bool read_sizes(resize *r, intptr_t operand) {
  int64_t n, *sizes;
  if (!tvm_onnx_copy_i64s(r->node, operand, &n, &sizes))
    return false;
  bool ok = set_sizes(r, (intptr_t)n, sizes);
  free(sizes);
  return ok;
}

static bool read_roi(resize *r) {
  int64_t n;
  double *roi;
  if (r->options.coordinates != TVM_RESIZE_TF_CROP)
    return true;
  if (!tvm_onnx_has_operand(r->node, 1)) {
    tvm_onnx_fail(r->node, "mode 'tf_crop_and_resize' expects operand 'roi'");
    return false;
  }
  if (!tvm_onnx_copy_doubles(r->node, 1, &n, &roi))
    return false;
  bool ok = n == 2 * r->n;
  for (intptr_t i = 0; ok && i < r->n; ++i) {
    r->extents[i].roi_start = roi[i];
    r->extents[i].roi_end = roi[r->n + i];
  }
  free(roi);
  if (!ok)
    tvm_onnx_fail(r->node, "operand 'roi' expects %td elements, got %lld",
                  2 * r->n, (long long)n);
  return ok;
}

/* An operand that is absent, or there without elements. */
static bool is_given(resize *r, intptr_t operand) {
  return tvm_onnx_has_operand(r->node, operand) &&
         tvm_num_elements(
             mlirValueGetType(tvm_onnx_operand(r->node, operand))) > 0;
}

static bool read_extents(resize *r) {
  for (intptr_t i = 0; i < r->n; ++i)
    r->extents[i].input = tvm_dim(r->x, (intptr_t)r->axes[i]);
  if (tvm_onnx_opset(r->node) < 11)
    return read_scales(r, 1);
  bool scales = is_given(r, 2), sizes = is_given(r, 3);
  if (scales == sizes && r->n > 0) {
    tvm_onnx_fail(r->node, "expects one of the operands 'scales' and 'sizes'");
    return false;
  }
  if (!sizes)
    tvm_onnx_ignore_attr(r->node, "keep_aspect_ratio_policy");
  return (sizes ? read_sizes(r, 3) : scales ? read_scales(r, 2) : true) &&
         read_roi(r);
}

/* ---- one axis ---- */

static MlirValue emit_tap(tvm_builder *b, MlirValue x, intptr_t axis,
                          const tvm_resize_samples *s, int64_t output,
                          int64_t tap, bool weighted) {
  tvm_emit_shape line = {.rank = 1, .dims = {output}};
  int64_t *indices = malloc(((size_t)output + 1) * sizeof *indices);
  double *weights = malloc(((size_t)output + 1) * sizeof *weights);
  for (int64_t i = 0; i < output; ++i) {
    indices[i] = s->indices[i * s->taps + tap];
    weights[i] = s->weights[i * s->taps + tap];
  }
  MlirValue y = tvm_emit_gather(b, x, tvm_emit_i64s(b, &line, indices), axis);
  if (weighted && !tvm_emit_is_null(y)) {
    tvm_emit_shape along =
        tvm_emit_along((intptr_t)tvm_rank(x), axis, output);
    y = tvm_emit_binary(
        b, "mul", y, tvm_emit_doubles(b, tvm_element_type(x), &along, weights));
  }
  free(indices);
  free(weights);
  return y;
}

static MlirValue emit_axis(resize *r, MlirValue x, intptr_t i) {
  tvm_builder *b = tvm_onnx_builder(r->node);
  intptr_t axis = (intptr_t)r->axes[i];
  const tvm_resize_extent *e = &r->extents[i];
  tvm_resize_samples s;
  if (tvm_emit_is_null(x) || (e->scale == 1 && e->input == e->output &&
                              r->options.coordinates != TVM_RESIZE_TF_CROP))
    return x;
  if (!tvm_resize_samples_init(&s, &r->options, e)) {
    tvm_onnx_fail(r->node, "out of memory");
    return (MlirValue){NULL};
  }
  bool weighted = r->options.mode != TVM_RESIZE_NEAREST;
  MlirValue y = emit_tap(b, x, axis, &s, e->output, 0, weighted);
  for (int64_t k = 1; k < s.taps; ++k)
    y = tvm_emit_binary(b, "add", y,
                        emit_tap(b, x, axis, &s, e->output, k, weighted));
  if (s.any_outside) {
    tvm_emit_shape along =
        tvm_emit_along((intptr_t)tvm_rank(x), axis, e->output);
    MlirValue value =
        tvm_emit_scalar(b, tvm_element_type(x), r->extrapolation);
    y = tvm_emit_select(b, tvm_emit_bools(b, &along, s.outside), value, y);
  }
  tvm_resize_samples_finish(&s);
  return y;
}

/* Filters run in float; only nearest keeps the type. */
static MlirType compute_type(const resize *r) {
  tvm_builder *b = tvm_onnx_builder(r->node);
  MlirType type = tvm_element_type(r->x);
  bool wide = mlirTypeIsAF64(type) || mlirTypeIsAF32(type);
  return r->options.mode == TVM_RESIZE_NEAREST || wide ? type
                                                       : tvm_emit_f32(b);
}

static MlirLogicalResult emit(resize *r) {
  tvm_builder *b = tvm_onnx_builder(r->node);
  bool empty = false;
  for (intptr_t i = 0; i < r->n; ++i)
    empty |= r->extents[i].input == 0 && r->extents[i].output != 0;
  if (empty)
    return tvm_onnx_fail(r->node, "cannot resize an axis without elements");
  MlirValue y = tvm_emit_cast(b, r->x, compute_type(r));
  for (intptr_t i = 0; i < r->n; ++i)
    y = emit_axis(r, y, i);
  return tvm_onnx_set_result(
      r->node, 0, tvm_emit_cast(b, y, tvm_element_type(r->x)));
}

MlirLogicalResult tvm_onnx_import_resize(tvm_onnx_node *node) {
  intptr_t most = tvm_onnx_opset(node) < 11 ? 2 : 4;
  if (mlirLogicalResultIsFailure(
          tvm_onnx_expect_operands(node, most == 2 ? 2 : 1, most)))
    return mlirLogicalResultFailure();
  resize r = {.node = node, .x = tvm_onnx_operand(node, 0)};
  if (!read_axes(&r) || !read_options(&r) || !read_extents(&r))
    return mlirLogicalResultFailure();
  return emit(&r);
}

/* Upsample 7 has its scales as an attribute. */
MlirLogicalResult tvm_onnx_import_upsample(tvm_onnx_node *node) {
  if (tvm_onnx_opset(node) >= 9)
    return tvm_onnx_import_resize(node);
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return mlirLogicalResultFailure();
  resize r = {.node = node, .x = tvm_onnx_operand(node, 0)};
  double scales[TVM_EMIT_MAX_RANK];
  size_t n;
  const float *values = tvm_onnx_get_floats(node, "scales", &n);
  for (size_t i = 0; i < n && i < TVM_EMIT_MAX_RANK; ++i)
    scales[i] = (double)values[i];
  if (!read_axes(&r) || !read_options(&r))
    return mlirLogicalResultFailure();
  for (intptr_t i = 0; i < r.n; ++i)
    r.extents[i].input = tvm_dim(r.x, (intptr_t)r.axes[i]);
  if (!set_scales(&r, (intptr_t)n, scales))
    return mlirLogicalResultFailure();
  return emit(&r);
}
