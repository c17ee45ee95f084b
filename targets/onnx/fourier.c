/* fourier.c - DFT and STFT as products with constant matrices.
 *
 * Source: ONNX DFT 17 and 20, STFT 17. */
#include "decompose.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

/* A transform along the last axis of `re` and `im` (null: real input). */
typedef struct transform {
  int64_t length, outputs; /* points of the transform, and those computed */
  bool inverse;
  MlirValue re, im;
} transform;

/* rows, outputs: cosines or sines of the phase of every product. */
static MlirValue build_matrix(tvm_builder *b, const transform *t, int64_t rows,
                              MlirType type, bool sines) {
  tvm_emit_shape s = {.rank = 2, .dims = {rows, t->outputs}};
  size_t n = (size_t)(rows * t->outputs);
  double *values = malloc(n * sizeof *values + 1);
  if (!values)
    return (MlirValue){NULL};
  double scale = t->inverse ? 1 / (double)t->length : 1;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < t->outputs; ++k) {
      double turns = (double)(i * k % t->length) / (double)t->length;
      double phase = (t->inverse ? 2 : -2) * PI * turns;
      values[i * t->outputs + k] = scale * (sines ? sin(phase) : cos(phase));
    }
  MlirValue y = tvm_emit_doubles(b, type, &s, values);
  free(values);
  return y;
}

static MlirValue multiply(tvm_builder *b, MlirValue x, MlirValue m) {
  return tvm_emit_binary(b, "matmul", x, m);
}

/* Real and imaginary parts stacked as a new last axis. */
static MlirValue emit_transform(tvm_builder *b, transform t) {
  if (tvm_emit_is_null(t.re))
    return t.re;
  MlirType type = tvm_element_type(t.re);
  intptr_t rank = (intptr_t)tvm_rank(t.re);
  int64_t rows = tvm_dim(t.re, rank - 1);
  if (rows > t.length) {
    rows = t.length;
    t.re = tvm_emit_slice(b, t.re, rank - 1, 0, rows);
    if (!tvm_emit_is_null(t.im))
      t.im = tvm_emit_slice(b, t.im, rank - 1, 0, rows);
  }
  MlirValue cosines = build_matrix(b, &t, rows, type, false);
  MlirValue sines = build_matrix(b, &t, rows, type, true);
  MlirValue y[] = {multiply(b, t.re, cosines), multiply(b, t.re, sines)};
  if (!tvm_emit_is_null(t.im)) {
    y[0] = tvm_emit_binary(b, "sub", y[0], multiply(b, t.im, sines));
    y[1] = tvm_emit_binary(b, "add", y[1], multiply(b, t.im, cosines));
  }
  return tvm_emit_stack(b, 2, y, rank);
}

static bool check_signal(tvm_onnx_node *node, MlirValue x, intptr_t low) {
  intptr_t rank = (intptr_t)tvm_rank(x);
  int64_t parts = rank ? tvm_dim(x, rank - 1) : 0;
  if (rank >= low && rank < TVM_EMIT_MAX_RANK && (parts == 1 || parts == 2))
    return true;
  tvm_onnx_fail(node,
                "expects a signal of rank %lld at least whose last extent is "
                "1 or 2",
                (long long)low);
  return false;
}

static void split_parts(tvm_builder *b, MlirValue x, transform *t) {
  intptr_t last = (intptr_t)tvm_rank(x) - 1;
  t->re = tvm_emit_pick(b, x, last, 0);
  if (tvm_dim(x, last) == 2)
    t->im = tvm_emit_pick(b, x, last, 1);
}

static MlirValue swap_axes(tvm_builder *b, MlirValue x, int64_t p, int64_t q) {
  int64_t perm[TVM_EMIT_MAX_RANK];
  intptr_t rank = tvm_emit_get_shape(x).rank;
  for (intptr_t i = 0; i < rank; ++i)
    perm[i] = i == p ? q : i == q ? p : i;
  return tvm_emit_transpose(b, x, perm);
}

/* The axis is an attribute up to opset 19, then an operand. */
static bool read_dft_axis(tvm_onnx_node *node, int64_t rank, int64_t *axis) {
  *axis = -2;
  if (tvm_onnx_opset(node) < 20)
    *axis = tvm_onnx_get_int(node, "axis", 1);
  else if (tvm_onnx_has_operand(node, 2) && !tvm_onnx_read_i64(node, 2, axis))
    return false;
  if (!tvm_onnx_check_axis(node, "axis", rank, axis))
    return false;
  if (*axis == rank - 1)
    tvm_onnx_fail(node, "the axis is the one of real and imaginary parts");
  return *axis != rank - 1;
}

static bool check_length(tvm_onnx_node *node, int64_t length) {
  if (length >= 1 && length <= INT32_MAX)
    return true;
  tvm_onnx_fail(node, "a transform of %lld points", (long long)length);
  return false;
}

MlirLogicalResult tvm_onnx_import_dft(tvm_onnx_node *node) {
  MlirLogicalResult failure = mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(
          tvm_onnx_expect_operands(node, 1, tvm_onnx_opset(node) < 20 ? 2 : 3)))
    return failure;
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  bool onesided = tvm_onnx_get_int(node, "onesided", 0) != 0;
  transform t = {.inverse = tvm_onnx_get_int(node, "inverse", 0) != 0};
  int64_t axis;
  if (!check_signal(node, x, 2) || !read_dft_axis(node, tvm_rank(x), &axis))
    return failure;
  t.length = tvm_dim(x, (intptr_t)axis);
  if (tvm_onnx_has_operand(node, 1) && !tvm_onnx_read_i64(node, 1, &t.length))
    return failure;
  if (!check_length(node, t.length))
    return failure;
  if (onesided && t.inverse)
    return tvm_onnx_unsupported(node, "a one-sided inverse transform");
  t.outputs = onesided ? t.length / 2 + 1 : t.length;
  int64_t last = tvm_rank(x) - 2;
  split_parts(b, x, &t);
  t.re = swap_axes(b, t.re, axis, last);
  t.im = swap_axes(b, t.im, axis, last);
  MlirValue y = swap_axes(b, emit_transform(b, t), axis, last);
  return tvm_onnx_set_result(node, 0, y);
}

/* batch, frames, points: where the frames read. */
static MlirValue cut_frames(tvm_builder *b, MlirValue x, int64_t frames,
                            int64_t points, int64_t step) {
  tvm_emit_shape s = {.rank = 2, .dims = {frames, points}};
  if (tvm_emit_is_null(x))
    return x;
  int64_t *at = malloc((size_t)(frames * points) * sizeof *at + 1);
  if (!at)
    return (MlirValue){NULL};
  for (int64_t i = 0; i < frames * points; ++i)
    at[i] = i / points * step + i % points;
  MlirValue y = tvm_emit_gather(b, x, tvm_emit_i64s(b, &s, at), 1);
  free(at);
  return y;
}

MlirLogicalResult tvm_onnx_import_stft(tvm_onnx_node *node) {
  MlirLogicalResult failure = mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 4)))
    return failure;
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0), window = tvm_onnx_operand(node, 2);
  bool onesided = tvm_onnx_get_int(node, "onesided", 1) != 0;
  transform t = {0};
  int64_t step;
  if (!tvm_onnx_read_i64(node, 1, &step) || !check_signal(node, x, 3))
    return failure;
  if (tvm_onnx_has_operand(node, 3)) {
    if (!tvm_onnx_read_i64(node, 3, &t.length))
      return failure;
  } else if (!tvm_emit_is_null(window)) {
    t.length = tvm_num_elements(mlirValueGetType(window));
  } else {
    return tvm_onnx_fail(node, "expects a window or a frame length");
  }
  if (!check_length(node, t.length))
    return failure;
  int64_t samples = tvm_dim(x, 1);
  if (step < 1 || t.length > samples)
    return tvm_onnx_fail(node,
                         "cannot cut %lld samples into frames of %lld, "
                         "%lld apart",
                         (long long)samples, (long long)t.length,
                         (long long)step);
  int64_t frames = (samples - t.length) / step + 1;
  t.outputs = onesided ? t.length / 2 + 1 : t.length;
  split_parts(b, x, &t);
  t.re = cut_frames(b, t.re, frames, t.length, step);
  t.im = cut_frames(b, t.im, frames, t.length, step);
  if (!tvm_emit_is_null(window)) {
    t.re = tvm_emit_binary(b, "mul", t.re, window);
    t.im = tvm_emit_binary(b, "mul", t.im, window);
  }
  return tvm_onnx_set_result(node, 0, emit_transform(b, t));
}
