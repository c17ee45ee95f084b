/* pool.c - MaxPool, MaxUnpool, AveragePool, LpPool and the global pools.
 *
 * An average is a sum divided by counts that are constants; the p-norm is a
 * sum between two powers. Source: ONNX MaxPool 1 to 22 and the like. */
#include "window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_float(MlirValue x) {
  return mlirTypeIsAFloat(tvm_element_type(x));
}

/* ---- MaxPool ---- */

/* Low end of the element type: what max ignores. */
static double get_lowest(MlirValue x) {
  MlirType type = tvm_element_type(x);
  if (mlirTypeIsAFloat(type))
    return -INFINITY;
  if (mlirIntegerTypeIsUnsigned(type))
    return 0;
  return -ldexp(1.0, (int)mlirIntegerTypeGetWidth(type) - 1);
}

static MlirValue pad_spatial(tvm_builder *b, MlirValue x, const tvm_window *w) {
  int64_t low[TVM_EMIT_MAX_RANK] = {0}, high[TVM_EMIT_MAX_RANK] = {0};
  memcpy(low + 2, w->pads, (size_t)w->n * sizeof *low);
  memcpy(high + 2, w->pads + w->n, (size_t)w->n * sizeof *high);
  MlirValue value = tvm_emit_scalar(b, tvm_element_type(x), get_lowest(x));
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64s(b->context, "low", w->n + 2, low),
      tvm_attr_i64s(b->context, "high", w->n + 2, high),
      tvm_attr_str(b->context, "mode", "constant"),
  };
  return tvm_graph_build(b, "pad", 2, (MlirValue[]){x, value}, 3, attrs);
}

/* The elements that stand at position `at` of every window. */
static MlirValue slice_tap(tvm_builder *b, MlirValue padded,
                           const tvm_window *w, const int64_t *at) {
  tvm_emit_shape sizes = tvm_emit_get_shape(padded);
  int64_t starts[TVM_EMIT_MAX_RANK] = {0}, steps[TVM_EMIT_MAX_RANK] = {1, 1};
  for (intptr_t i = 0; i < w->n; ++i) {
    starts[i + 2] = at[i] * w->dilations[i];
    sizes.dims[i + 2] = w->output[i];
    steps[i + 2] = w->strides[i];
  }
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64s(b->context, "starts", sizes.rank, starts),
      tvm_attr_i64s(b->context, "sizes", sizes.rank, sizes.dims),
      tvm_attr_i64s(b->context, "steps", sizes.rank, steps),
  };
  return tvm_graph_build(b, "slice", 1, &padded, 3, attrs);
}

/* Odometer over `extents`, last one fastest. */
static void advance(int64_t *at, const int64_t *extents, intptr_t n) {
  for (intptr_t i = n; i-- > 0;) {
    if (++at[i] < extents[i])
      return;
    at[i] = 0;
  }
}

/* Offset inside of one channel of the element under window `out`, tap `at`. */
static int64_t get_offset(const tvm_window *w, const int64_t *out,
                          const int64_t *at, bool column_major) {
  int64_t offset = 0, scale = 1;
  for (intptr_t j = 0; j < w->n; ++j) {
    intptr_t i = column_major ? j : w->n - 1 - j;
    int64_t p = out[i] * w->strides[i] + at[i] * w->dilations[i] - w->pads[i];
    p = p < 0 ? 0 : p >= w->input[i] ? w->input[i] - 1 : p;
    offset += p * scale;
    scale *= w->input[i];
  }
  return offset;
}

/* 1, 1, output..., taps: offsets of all taps of all windows. */
static MlirValue build_offsets(tvm_builder *b, const tvm_window *w,
                               int64_t taps, bool column_major) {
  tvm_emit_shape s = {.rank = w->n + 3, .dims = {1, 1}};
  memcpy(s.dims + 2, w->output, (size_t)w->n * sizeof *s.dims);
  s.dims[w->n + 2] = taps;
  int64_t n = tvm_emit_count(&s, 0, s.rank);
  int64_t *values = malloc((size_t)n * sizeof *values + 1);
  if (!values)
    return (MlirValue){NULL};
  int64_t out[TVM_EMIT_MAX_RANK] = {0}, at[TVM_EMIT_MAX_RANK] = {0};
  for (int64_t i = 0; i < n; ++i) {
    values[i] = get_offset(w, out, at, column_major);
    advance(at, w->kernel, w->n);
    if ((i + 1) % taps == 0)
      advance(out, w->output, w->n);
  }
  MlirValue y = tvm_emit_i64s(b, &s, values);
  free(values);
  return y;
}

/* N, C, 1...: where each channel begins in the flat input. */
static MlirValue build_bases(tvm_builder *b, MlirValue x) {
  tvm_emit_shape s = tvm_emit_get_shape(x);
  int64_t inner = tvm_emit_count(&s, 2, s.rank);
  MlirValue y = tvm_emit_iota(b, 1, 0, s.dims[0] * s.dims[1]);
  for (intptr_t i = 2; i < s.rank; ++i)
    s.dims[i] = 1;
  return tvm_emit_reshape(b, tvm_emit_with(b, "mul", y, (double)inner), &s);
}

static MlirValue emit_indices(tvm_builder *b, MlirValue x, const tvm_window *w,
                              bool column_major) {
  int64_t taps = 1, at[TVM_EMIT_MAX_RANK] = {0};
  for (intptr_t i = 0; i < w->n; ++i)
    taps *= w->kernel[i];
  MlirValue *parts = calloc((size_t)taps + 1, sizeof *parts);
  MlirValue padded = pad_spatial(b, x, w);
  if (!parts || tvm_emit_is_null(padded)) {
    free(parts);
    return (MlirValue){NULL};
  }
  for (int64_t i = 0; i < taps; ++i) {
    parts[i] = slice_tap(b, padded, w, at);
    advance(at, w->kernel, w->n);
  }
  MlirValue stacked = tvm_emit_stack(b, taps, parts, w->n + 2);
  free(parts);
  if (tvm_emit_is_null(stacked))
    return stacked;
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64(b->context, "axis", w->n + 2),
      tvm_attr_bool(b->context, "keepdims", true),
      tvm_attr_bool(b->context, "select_last", false),
  };
  MlirValue best = tvm_graph_build(b, "arg_max", 1, &stacked, 3, attrs);
  tvm_emit_shape s = tvm_emit_get_shape(stacked);
  MlirValue table =
      tvm_emit_broadcast(b, build_offsets(b, w, taps, column_major), &s);
  if (tvm_emit_is_null(best) || tvm_emit_is_null(table))
    return best;
  MlirNamedAttribute axis = tvm_attr_i64(b->context, "axis", w->n + 2);
  MlirValue y = tvm_graph_build(b, "gather_elements", 2,
                                (MlirValue[]){table, best}, 1, &axis);
  s.rank -= 1;
  y = tvm_emit_reshape(b, y, &s);
  return tvm_emit_binary(b, "add", y, build_bases(b, x));
}

MlirLogicalResult tvm_onnx_import_max_pool(tvm_onnx_node *node) {
  MlirLogicalResult failure = mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return failure;
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  int64_t order = tvm_onnx_get_int(node, "storage_order", 0);
  tvm_window w;
  if (!tvm_window_read(node, x, (MlirValue){NULL}, true, &w) ||
      !tvm_window_resolve(node, &w))
    return failure;
  if (tvm_onnx_has_result(node, 1) &&
      mlirLogicalResultIsFailure(
          tvm_onnx_set_result(node, 1, emit_indices(b, x, &w, order != 0))))
    return failure;
  return tvm_onnx_set_result(node, 0, tvm_window_pool(b, "max", x, &w));
}

/* ---- MaxUnpool ---- */

static MlirValue scatter_flat(tvm_builder *b, MlirValue x, MlirValue indices,
                              const tvm_emit_shape *s) {
  int64_t n = tvm_num_elements(mlirValueGetType(x));
  int64_t total = tvm_emit_count(s, 0, s->rank);
  MlirValue zeros =
      tvm_build_splat(b, tvm_tensor_type(1, &total, tvm_element_type(x)), 0);
  MlirValue operands[] = {zeros, tvm_emit_reshape_to(b, indices, 1, &n),
                          tvm_emit_reshape_to(b, x, 1, &n)};
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64(b->context, "axis", 0),
      tvm_attr_str(b->context, "reduction", "none"),
  };
  MlirValue y = tvm_graph_build(b, "scatter_elements", 3, operands, 2, attrs);
  return tvm_emit_reshape(b, y, s);
}

/* Zeros at the high ends up to the shape that operand 2 asks for. */
static bool extend_output(tvm_onnx_node *node, MlirValue *y) {
  int64_t n, *wanted;
  if (!tvm_onnx_has_operand(node, 2))
    return true;
  if (!tvm_onnx_copy_i64s(node, 2, &n, &wanted))
    return false;
  tvm_builder *b = tvm_onnx_builder(node);
  tvm_emit_shape s = tvm_emit_get_shape(*y);
  int64_t low[TVM_EMIT_MAX_RANK] = {0}, high[TVM_EMIT_MAX_RANK] = {0};
  bool ok = n == s.rank;
  for (intptr_t i = 0; ok && i < s.rank; ++i) {
    high[i] = wanted[i] - s.dims[i];
    ok = high[i] >= 0;
  }
  free(wanted);
  if (!ok) {
    tvm_onnx_unsupported(node, "an output shape below the inferred one");
    return false;
  }
  MlirValue zero = tvm_emit_scalar(b, tvm_element_type(*y), 0);
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64s(b->context, "low", s.rank, low),
      tvm_attr_i64s(b->context, "high", s.rank, high),
      tvm_attr_str(b->context, "mode", "constant"),
  };
  *y = tvm_graph_build(b, "pad", 2, (MlirValue[]){*y, zero}, 3, attrs);
  return true;
}

MlirLogicalResult tvm_onnx_import_max_unpool(tvm_onnx_node *node) {
  MlirLogicalResult failure = mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 3)))
    return failure;
  MlirValue x = tvm_onnx_operand(node, 0), indices = tvm_onnx_operand(node, 1);
  tvm_window w;
  if (!tvm_window_read(node, x, (MlirValue){NULL}, false, &w))
    return failure;
  if (tvm_num_elements(mlirValueGetType(x)) !=
      tvm_num_elements(mlirValueGetType(indices)))
    return tvm_onnx_fail(node, "expects one index an element");
  tvm_emit_shape s = tvm_emit_get_shape(x);
  for (intptr_t i = 0; i < w.n; ++i)
    s.dims[i + 2] = (w.input[i] - 1) * w.strides[i] + w.kernel[i] - w.pads[i] -
                    w.pads[w.n + i];
  MlirValue y = scatter_flat(tvm_onnx_builder(node), x, indices, &s);
  if (tvm_emit_is_null(y) || !extend_output(node, &y))
    return failure;
  return tvm_onnx_set_result(node, 0, y);
}

/* ---- AveragePool ---- */

/* Elements that window `out` covers along dimension i. */
static int64_t count_taps(const tvm_window *w, intptr_t i, int64_t out,
                          bool include_pad) {
  int64_t low = include_pad ? -w->written_pads[i] : 0, n = 0;
  int64_t high = w->input[i] + (include_pad ? w->written_pads[w->n + i] : 0);
  for (int64_t k = 0; k < w->kernel[i]; ++k) {
    int64_t p = out * w->strides[i] + k * w->dilations[i] - w->pads[i];
    n += p >= low && p < high;
  }
  return n;
}

/* A tensor that broadcasts over the outputs; rank 0 if all are equal. */
static MlirValue build_counts(tvm_builder *b, MlirType element,
                              const tvm_window *w, bool include_pad) {
  tvm_emit_shape s = {.rank = w->n + 2, .dims = {1, 1}};
  memcpy(s.dims + 2, w->output, (size_t)w->n * sizeof *s.dims);
  int64_t n = tvm_emit_count(&s, 0, s.rank), out[TVM_EMIT_MAX_RANK] = {0};
  double *counts = malloc((size_t)n * sizeof *counts + sizeof *counts);
  if (!counts)
    return (MlirValue){NULL};
  bool uniform = true;
  for (int64_t k = 0; k < n; ++k) {
    counts[k] = 1;
    for (intptr_t i = 0; i < w->n; ++i)
      counts[k] *= (double)count_taps(w, i, out[i], include_pad);
    if (counts[k] == 0)
      counts[k] = 1; /* a window in the pad alone has the sum zero */
    uniform &= counts[k] == counts[0];
    advance(out, w->output, w->n);
  }
  MlirValue y = uniform ? tvm_emit_scalar(b, element, n ? counts[0] : 1)
                        : tvm_emit_doubles(b, element, &s, counts);
  free(counts);
  return y;
}

MlirLogicalResult tvm_onnx_import_average_pool(tvm_onnx_node *node) {
  MlirLogicalResult failure = mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return failure;
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  bool include_pad = tvm_onnx_get_int(node, "count_include_pad", 0) != 0;
  tvm_window w;
  if (!tvm_window_read(node, x, (MlirValue){NULL}, true, &w) ||
      !tvm_window_resolve(node, &w))
    return failure;
  if (!is_float(x))
    return tvm_onnx_fail(node, "expects a float input");
  MlirValue counts = build_counts(b, tvm_element_type(x), &w, include_pad);
  MlirValue y = tvm_window_pool(b, "sum", x, &w);
  return tvm_onnx_set_result(node, 0, tvm_emit_binary(b, "div", y, counts));
}

/* ---- LpPool ---- */

static MlirValue raise(tvm_builder *b, MlirValue x, int64_t p) {
  if (p == 2)
    return tvm_emit_binary(b, "mul", x, x);
  x = tvm_emit_unary(b, "abs", x);
  return p == 1 ? x : tvm_emit_with(b, "pow", x, (double)p);
}

static MlirValue take_root(tvm_builder *b, MlirValue x, int64_t p) {
  if (p == 2)
    return tvm_emit_unary(b, "sqrt", x);
  return p == 1 ? x : tvm_emit_with(b, "pow", x, 1.0 / (double)p);
}

static bool read_p(tvm_onnx_node *node, int64_t *p) {
  *p = tvm_onnx_get_int(node, "p", 2);
  if (*p >= 1)
    return true;
  tvm_onnx_fail(node, "attribute 'p' = %lld is less than one", (long long)*p);
  return false;
}

MlirLogicalResult tvm_onnx_import_lp_pool(tvm_onnx_node *node) {
  MlirLogicalResult failure = mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return failure;
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  tvm_window w;
  int64_t p;
  if (!read_p(node, &p) ||
      !tvm_window_read(node, x, (MlirValue){NULL}, true, &w) ||
      !tvm_window_resolve(node, &w))
    return failure;
  MlirValue y = tvm_window_pool(b, "sum", raise(b, x, p), &w);
  return tvm_onnx_set_result(node, 0, take_root(b, y, p));
}

/* ---- global pools ---- */

/* Axes 2 to the last one; fails below rank 3. */
static bool get_spatial_axes(tvm_onnx_node *node, MlirValue *x, intptr_t *n,
                             int64_t *axes) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return false;
  *x = tvm_onnx_operand(node, 0);
  intptr_t rank = (intptr_t)tvm_rank(*x);
  if (rank < 2 || rank > TVM_EMIT_MAX_RANK) {
    tvm_onnx_fail(node, "expects an input of rank 2 at least, got rank %lld",
                  (long long)rank);
    return false;
  }
  *n = rank - 2;
  for (intptr_t i = 0; i < *n; ++i)
    axes[i] = i + 2;
  return true;
}

MlirLogicalResult tvm_onnx_import_global_average_pool(tvm_onnx_node *node) {
  MlirValue x;
  intptr_t n;
  int64_t axes[TVM_EMIT_MAX_RANK];
  if (!get_spatial_axes(node, &x, &n, axes))
    return mlirLogicalResultFailure();
  return tvm_onnx_set_result(
      node, 0, tvm_emit_mean(tvm_onnx_builder(node), x, n, axes, true));
}

MlirLogicalResult tvm_onnx_import_global_max_pool(tvm_onnx_node *node) {
  MlirValue x;
  intptr_t n;
  int64_t axes[TVM_EMIT_MAX_RANK];
  if (!get_spatial_axes(node, &x, &n, axes))
    return mlirLogicalResultFailure();
  return tvm_onnx_set_result(
      node, 0,
      tvm_emit_reduce(tvm_onnx_builder(node), "reduce_max", x, n, axes, true));
}

MlirLogicalResult tvm_onnx_import_global_lp_pool(tvm_onnx_node *node) {
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x;
  intptr_t n;
  int64_t axes[TVM_EMIT_MAX_RANK], p;
  if (!get_spatial_axes(node, &x, &n, axes) || !read_p(node, &p))
    return mlirLogicalResultFailure();
  MlirValue y = tvm_emit_reduce(b, "reduce_sum", raise(b, x, p), n, axes, true);
  return tvm_onnx_set_result(node, 0, take_root(b, y, p));
}
