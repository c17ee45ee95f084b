/* slice.c - operators that cut, extend and reorder along axes. */
#include "decompose.h"

#include <stdlib.h>
#include <string.h>

/* A list that is an attribute in old opsets and an input in new ones. Null
 * when left out. Fails: emits, ok becomes false. */
static int64_t *read_list(tvm_onnx_node *node, bool by_attr, const char *name,
                          intptr_t operand, int64_t *n, bool *ok) {
  int64_t *list = NULL;
  *n = 0;
  if (!*ok)
    return NULL;
  if (!by_attr) {
    if (tvm_onnx_has_operand(node, operand))
      *ok = tvm_onnx_copy_i64s(node, operand, n, &list);
    return list;
  }
  size_t size;
  const int64_t *values = tvm_onnx_get_ints(node, name, &size);
  if (!values)
    return NULL;
  list = malloc((size + 1) * sizeof *list);
  memcpy(list, values, size * sizeof *list);
  *n = (int64_t)size;
  return list;
}

static MlirValue emit_strided(tvm_builder *b, MlirValue x,
                              const int64_t *starts, const int64_t *sizes,
                              const int64_t *steps) {
  intptr_t rank = (intptr_t)tvm_rank(x);
  bool whole = true;
  for (intptr_t i = 0; i < rank; ++i)
    whole &= starts[i] == 0 && sizes[i] == tvm_dim(x, i) && steps[i] == 1;
  if (whole)
    return x;
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64s(b->context, "starts", rank, starts),
      tvm_attr_i64s(b->context, "sizes", rank, sizes),
      tvm_attr_i64s(b->context, "steps", rank, steps),
  };
  return tvm_graph_build(b, "slice", 1, &x, 3, attrs);
}

static int64_t clamp(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

/* numpy's rules: positions beyond the ends are the ends. */
static void resolve_range(int64_t extent, int64_t *start, int64_t end,
                          int64_t step, int64_t *size) {
  *start += *start < 0 ? extent : 0;
  end += end < 0 ? extent : 0;
  if (step > 0) {
    *start = clamp(*start, 0, extent);
    end = clamp(end, 0, extent);
    *size = end > *start ? (end - *start - 1) / step + 1 : 0;
  } else {
    *start = clamp(*start, -1, extent - 1);
    end = clamp(end, -1, extent - 1);
    /* Negating the smallest step would overflow. */
    *size =
        *start > end
            ? (int64_t)((uint64_t)(*start - end - 1) / (0 - (uint64_t)step)) + 1
            : 0;
  }
  if (*size == 0)
    *start = 0;
}

static MlirLogicalResult slice_axes(tvm_onnx_node *node, int64_t n,
                                    int64_t *starts, const int64_t *ends,
                                    int64_t *axes, const int64_t *steps) {
  MlirValue x = tvm_onnx_operand(node, 0);
  tvm_emit_shape sizes = tvm_emit_get_shape(x);
  int64_t from[TVM_EMIT_MAX_RANK] = {0}, by[TVM_EMIT_MAX_RANK];
  bool seen[TVM_EMIT_MAX_RANK] = {false};
  for (intptr_t i = 0; i < sizes.rank; ++i)
    by[i] = 1;
  for (int64_t i = 0; i < n; ++i) {
    int64_t axis = axes ? axes[i] : i, step = steps ? steps[i] : 1;
    if (!tvm_onnx_check_axis(node, "axes", sizes.rank, &axis))
      return mlirLogicalResultFailure();
    if (seen[axis])
      return tvm_onnx_fail(node, "'axes' names the axis %lld twice",
                           (long long)axis);
    if (step == 0)
      return tvm_onnx_fail(node, "the step of axis %lld is 0", (long long)axis);
    seen[axis] = true;
    from[axis] = starts[i];
    resolve_range(sizes.dims[axis], &from[axis], ends[i], step,
                  &sizes.dims[axis]);
    by[axis] = sizes.dims[axis] > 1 ? step : 1;
  }
  return tvm_onnx_set_result(
      node, 0, emit_strided(tvm_onnx_builder(node), x, from, sizes.dims, by));
}

/* Attributes up to opset 9, inputs from 10 on. */
MlirLogicalResult tvm_onnx_import_slice(tvm_onnx_node *node) {
  bool by_attr = tvm_onnx_opset(node) < 10, ok = true;
  if (mlirLogicalResultIsFailure(
          tvm_onnx_expect_operands(node, by_attr ? 1 : 3, by_attr ? 1 : 5)))
    return mlirLogicalResultFailure();
  int64_t n, n_ends, n_axes, n_steps = 0, *steps = NULL;
  int64_t *starts = read_list(node, by_attr, "starts", 1, &n, &ok);
  int64_t *ends = read_list(node, by_attr, "ends", 2, &n_ends, &ok);
  int64_t *axes = read_list(node, by_attr, "axes", 3, &n_axes, &ok);
  if (!by_attr)
    steps = read_list(node, false, "steps", 4, &n_steps, &ok);
  MlirLogicalResult result = mlirLogicalResultFailure();
  if (ok && (!starts || !ends || n != n_ends || (axes && n_axes != n) ||
             (steps && n_steps != n)))
    tvm_onnx_fail(node, "expects starts, ends, axes and steps of one length");
  else if (ok)
    result = slice_axes(node, n, starts, ends, axes, steps);
  free(starts);
  free(ends);
  free(axes);
  free(steps);
  return result;
}

/* ---- Pad ---- */

static MlirValue emit_pad(tvm_builder *b, MlirValue x, MlirValue value,
                          const int64_t *low, const int64_t *high,
                          const char *mode) {
  intptr_t rank = (intptr_t)tvm_rank(x);
  bool none = true;
  for (intptr_t i = 0; i < rank; ++i)
    none &= low[i] == 0 && high[i] == 0;
  if (none)
    return x;
  if (tvm_emit_is_null(value))
    value = tvm_emit_scalar(b, tvm_element_type(x), 0);
  MlirValue operands[] = {x, value};
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64s(b->context, "low", rank, low),
      tvm_attr_i64s(b->context, "high", rank, high),
      tvm_attr_str(b->context, "mode", mode),
  };
  return tvm_graph_build(b, "pad", 2, operands, 3, attrs);
}

/* Negative pads crop; only the constant mode takes them as they are. */
static MlirValue crop(tvm_builder *b, MlirValue x, int64_t *low,
                      int64_t *high) {
  tvm_emit_shape sizes = tvm_emit_get_shape(x);
  int64_t starts[TVM_EMIT_MAX_RANK] = {0}, steps[TVM_EMIT_MAX_RANK];
  for (intptr_t i = 0; i < sizes.rank; ++i) {
    steps[i] = 1;
    if (low[i] < 0) {
      starts[i] = -low[i];
      sizes.dims[i] += low[i];
      low[i] = 0;
    }
    if (high[i] < 0) {
      sizes.dims[i] += high[i];
      high[i] = 0;
    }
  }
  return emit_strided(b, x, starts, sizes.dims, steps);
}

/* Spread the pads of the named axes over all. */
static bool spread_pads(tvm_onnx_node *node, const tvm_emit_shape *s, int64_t n,
                        const int64_t *pads, int64_t n_axes, int64_t *axes,
                        int64_t *low, int64_t *high) {
  int64_t count = axes ? n_axes : s->rank;
  if (!pads || n != 2 * count)
    return tvm_onnx_fail(node, "expects %lld pads, got %lld",
                         (long long)(2 * count), (long long)n),
           false;
  for (intptr_t i = 0; i < s->rank; ++i)
    low[i] = high[i] = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t axis = axes ? axes[i] : i, size;
    if (!tvm_onnx_check_axis(node, "axes", s->rank, &axis))
      return false;
    low[axis] = pads[i];
    high[axis] = pads[i + count];
    if (__builtin_add_overflow(s->dims[axis], low[axis], &size) ||
        __builtin_add_overflow(size, high[axis], &size) || size < 0 ||
        low[axis] < -s->dims[axis] || high[axis] < -s->dims[axis])
      return tvm_onnx_fail(node,
                           "pads %lld and %lld do not fit extent %lld of "
                           "dimension %lld",
                           (long long)low[axis], (long long)high[axis],
                           (long long)s->dims[axis], (long long)axis),
             false;
  }
  return true;
}

static MlirValue get_pad_value(tvm_onnx_node *node, bool by_attr) {
  tvm_builder *b = tvm_onnx_builder(node);
  MlirType type = tvm_element_type(tvm_onnx_operand(node, 0));
  if (by_attr)
    return tvm_emit_scalar(b, type, tvm_onnx_get_float(node, "value", 0));
  MlirValue value = tvm_onnx_operand(node, 2);
  if (tvm_emit_is_null(value))
    return tvm_emit_scalar(b, type, 0);
  return tvm_emit_reshape_to(b, value, 0, NULL);
}

/* Attributes up to opset 10, inputs from 11 on. */
MlirLogicalResult tvm_onnx_import_pad(tvm_onnx_node *node) {
  static const char *const MODES[] = {"constant", "reflect", "edge", "wrap"};
  bool by_attr = tvm_onnx_opset(node) < 11, ok = true;
  int32_t mode;
  if (mlirLogicalResultIsFailure(
          tvm_onnx_expect_operands(node, by_attr ? 1 : 2, by_attr ? 1 : 4)) ||
      !tvm_onnx_get_choice(node, "mode", 0, tvm_onnx_opset(node) < 19 ? 3 : 4,
                           MODES, &mode))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0), y = {NULL};
  tvm_emit_shape s = tvm_emit_get_shape(x);
  int64_t n, n_axes = 0, low[TVM_EMIT_MAX_RANK], high[TVM_EMIT_MAX_RANK];
  int64_t *pads = read_list(node, by_attr, "pads", 1, &n, &ok), *axes = NULL;
  if (!by_attr)
    axes = read_list(node, false, "axes", 3, &n_axes, &ok);
  if (ok && spread_pads(node, &s, n, pads, n_axes, axes, low, high)) {
    MlirValue value = get_pad_value(node, by_attr);
    if (mode)
      x = crop(b, x, low, high);
    y = tvm_emit_is_null(x) ? x : emit_pad(b, x, value, low, high, MODES[mode]);
  }
  free(pads);
  free(axes);
  return tvm_onnx_set_result(node, 0, y);
}

MlirLogicalResult tvm_onnx_import_center_crop_pad(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 2)))
    return mlirLogicalResultFailure();
  bool ok = true;
  MlirValue x = tvm_onnx_operand(node, 0), y = {NULL};
  tvm_emit_shape s = tvm_emit_get_shape(x);
  int64_t n, n_axes, low[TVM_EMIT_MAX_RANK] = {0},
                     high[TVM_EMIT_MAX_RANK] = {0};
  int64_t *axes = read_list(node, true, "axes", 0, &n_axes, &ok);
  int64_t *shape = read_list(node, false, "shape", 1, &n, &ok);
  if (ok && (!shape || n != (axes ? n_axes : s.rank))) {
    tvm_onnx_fail(node, "expects one extent an axis, got %lld", (long long)n);
    ok = false;
  }
  for (int64_t i = 0; ok && i < n; ++i) {
    int64_t axis = axes ? axes[i] : i;
    ok = tvm_onnx_check_axis(node, "axes", s.rank, &axis);
    if (ok && (shape[i] < 0 || shape[i] > INT64_MAX / 2)) {
      tvm_onnx_fail(node, "the shape has %lld in dimension %lld",
                    (long long)shape[i], (long long)axis);
      ok = false;
    }
    if (!ok)
      break;
    int64_t more = shape[i] - s.dims[axis];
    low[axis] = more < 0 ? -(-more / 2) : more / 2;
    high[axis] = more - low[axis];
  }
  if (ok)
    y = emit_pad(tvm_onnx_builder(node), x, (MlirValue){NULL}, low, high,
                 "constant");
  free(axes);
  free(shape);
  return tvm_onnx_set_result(node, 0, y);
}

/* ---- selections ---- */

static MlirValue emit_chosen(tvm_onnx_node *node, MlirValue x, intptr_t axis,
                             int64_t n, const int64_t *condition) {
  int64_t *indices = malloc(((size_t)n + 1) * sizeof *indices);
  tvm_emit_shape shape = {.rank = 1};
  for (int64_t i = 0; i < n; ++i)
    if (condition[i])
      indices[shape.dims[0]++] = i;
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue chosen = tvm_emit_i64s(b, &shape, indices);
  free(indices);
  return tvm_emit_gather(b, x, chosen, axis);
}

/* The count of trues is an extent, so the condition must be known. */
MlirLogicalResult tvm_onnx_import_compress(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 2)))
    return mlirLogicalResultFailure();
  MlirValue x = tvm_onnx_operand(node, 0);
  int64_t axis = 0, n, *condition;
  if (!tvm_onnx_has_attr(node, "axis")) {
    int64_t count = tvm_num_elements(mlirValueGetType(x));
    x = tvm_emit_reshape_to(tvm_onnx_builder(node), x, 1, &count);
  } else if (!tvm_onnx_get_axis(node, "axis", 0, tvm_rank(x), &axis)) {
    return mlirLogicalResultFailure();
  }
  if (!tvm_onnx_copy_i64s(node, 1, &n, &condition))
    return mlirLogicalResultFailure();
  if (n > tvm_dim(x, (intptr_t)axis)) {
    free(condition);
    return tvm_onnx_fail(node, "the condition has %lld elements, the axis %lld",
                         (long long)n, (long long)tvm_dim(x, (intptr_t)axis));
  }
  MlirValue y = emit_chosen(node, x, (intptr_t)axis, n, condition);
  free(condition);
  return tvm_onnx_set_result(node, 0, y);
}

/* Time t reads len - 1 - t below a batch's length, t itself from there on. */
MlirLogicalResult tvm_onnx_import_reverse_sequence(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 2)))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0), lengths = tvm_onnx_operand(node, 1);
  tvm_emit_shape s = tvm_emit_get_shape(x);
  int64_t batch, time;
  if (!tvm_onnx_get_axis(node, "batch_axis", 1, s.rank, &batch) ||
      !tvm_onnx_get_axis(node, "time_axis", 0, s.rank, &time))
    return mlirLogicalResultFailure();
  if (batch == time || tvm_rank(lengths) != 1 ||
      tvm_dim(lengths, 0) != s.dims[batch])
    return tvm_onnx_fail(node, "expects two axes and one length a batch");
  tvm_emit_shape along = tvm_emit_along(s.rank, (intptr_t)batch, s.dims[batch]);
  MlirValue length = tvm_emit_cast(b, lengths, tvm_emit_i64(b));
  length = tvm_emit_reshape(b, length, &along);
  MlirValue t = tvm_emit_iota(b, s.rank, (intptr_t)time, s.dims[time]);
  MlirValue mirrored =
      tvm_emit_binary(b, "sub", tvm_emit_with(b, "sub", length, 1), t);
  MlirValue i =
      tvm_emit_select(b, tvm_emit_binary(b, "less", t, length), mirrored, t);
  MlirValue operands[] = {x, tvm_emit_broadcast(b, i, &s)};
  if (tvm_emit_is_null(operands[1]))
    return mlirLogicalResultFailure();
  MlirNamedAttribute attr = tvm_attr_i64(b->context, "axis", time);
  return tvm_onnx_set_result(
      node, 0, tvm_graph_build(b, "gather_elements", 2, operands, 1, &attr));
}
