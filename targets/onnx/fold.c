/* fold.c - graph operators on known values, for evaluate.c.
 *
 * Covers what shape arithmetic uses: moving elements and elementwise
 * arithmetic. What is not here is left to the compiled constants. */
#include "cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef tvm_onnx_cell cell;
typedef tvm_onnx_tensor_view view;

/* Row-major strides, in elements. */
static void get_strides(const tvm_emit_shape *s, int64_t *strides) {
  int64_t step = 1;
  for (intptr_t i = s->rank - 1; i >= 0; --i) {
    strides[i] = step;
    step *= s->dims[i];
  }
}

/* Counts index tuples of a shape in order; keeps one offset an operand. */
typedef struct {
  const tvm_emit_shape *shape;
  int64_t index[TVM_EMIT_MAX_RANK];
  int64_t strides[3][TVM_EMIT_MAX_RANK];
  int64_t offsets[3];
  int n;
} walker;

static void step(walker *w) {
  for (intptr_t d = w->shape->rank - 1; d >= 0; --d) {
    for (int k = 0; k < w->n; ++k)
      w->offsets[k] += w->strides[k][d];
    if (++w->index[d] < w->shape->dims[d])
      return;
    for (int k = 0; k < w->n; ++k)
      w->offsets[k] -= w->strides[k][d] * w->index[d];
    w->index[d] = 0;
  }
}

/* Strides of `in` under numpy broadcasting. */
static void add_broadcast(walker *w, const tvm_emit_shape *in) {
  int64_t strides[TVM_EMIT_MAX_RANK];
  get_strides(in, strides);
  intptr_t shift = w->shape->rank - in->rank;
  for (intptr_t d = 0; d < in->rank; ++d)
    w->strides[w->n][d + shift] = in->dims[d] == 1 ? 0 : strides[d];
  ++w->n;
}

/* ---- constants and moves ---- */

static bool fold_constant(MlirOperation op, intptr_t n, const view *in,
                          const view *out, cell *cells) {
  (void)n, (void)in;
  size_t bytes;
  MlirAttribute value = mlirOperationGetAttributeByName(
      op, mlirStringRefCreateFromCString("value"));
  void *data =
      mlirAttributeIsNull(value) ? NULL : tvm_copy_elements(value, &bytes);
  if (!data)
    return false;
  bool ok =
      bytes >= (size_t)out->count * (size_t)tvm_element_bytes(out->element) &&
      tvm_onnx_decode_cells(out->element, out->count, data, cells);
  free(data);
  return ok;
}

static bool fold_reshape(MlirOperation op, intptr_t n, const view *in,
                         const view *out, cell *cells) {
  (void)op, (void)n;
  memcpy(cells, in[0].cells, (size_t)out->count * sizeof *cells);
  return true;
}

static bool walk_move(walker *w, const view *in, const view *out, cell *cells) {
  for (int64_t i = 0; i < out->count; ++i, step(w))
    cells[i] = in->cells[w->offsets[0]];
  return true;
}

static bool fold_broadcast(MlirOperation op, intptr_t n, const view *in,
                           const view *out, cell *cells) {
  (void)op, (void)n;
  walker w = {.shape = &out->shape};
  add_broadcast(&w, &in[0].shape);
  return walk_move(&w, in, out, cells);
}

static bool fold_transpose(MlirOperation op, intptr_t n, const view *in,
                           const view *out, cell *cells) {
  (void)n;
  walker w = {.shape = &out->shape, .n = 1};
  int64_t strides[TVM_EMIT_MAX_RANK];
  get_strides(&in->shape, strides);
  for (intptr_t d = 0; d < out->shape.rank; ++d)
    w.strides[0][d] = strides[tvm_get_i64s(op, "permutation", d)];
  return walk_move(&w, in, out, cells);
}

static bool fold_slice(MlirOperation op, intptr_t n, const view *in,
                       const view *out, cell *cells) {
  (void)n;
  walker w = {.shape = &out->shape, .n = 1};
  int64_t strides[TVM_EMIT_MAX_RANK];
  get_strides(&in->shape, strides);
  for (intptr_t d = 0; d < out->shape.rank; ++d) {
    w.strides[0][d] = strides[d] * tvm_get_i64s(op, "steps", d);
    w.offsets[0] += strides[d] * tvm_get_i64s(op, "starts", d);
  }
  return walk_move(&w, in, out, cells);
}

static bool fold_concat(MlirOperation op, intptr_t n, const view *in,
                        const view *out, cell *cells) {
  intptr_t axis = (intptr_t)tvm_get_i64(op, "axis");
  int64_t outer = tvm_emit_count(&out->shape, 0, axis);
  for (int64_t o = 0; o < outer; ++o)
    for (intptr_t k = 0; k < n; ++k) {
      int64_t run = tvm_emit_count(&in[k].shape, axis, in[k].shape.rank);
      if (run)
        memcpy(cells, in[k].cells + o * run, (size_t)run * sizeof *cells);
      cells += run;
    }
  return true;
}

static bool fold_gather(MlirOperation op, intptr_t n, const view *in,
                        const view *out, cell *cells) {
  (void)n, (void)out;
  const tvm_emit_shape *s = &in[0].shape;
  intptr_t axis = (intptr_t)tvm_get_i64(op, "axis");
  int64_t outer = tvm_emit_count(s, 0, axis), extent = s->dims[axis];
  int64_t run = tvm_emit_count(s, axis + 1, s->rank);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t k = 0; k < in[1].count; ++k, cells += run) {
      int64_t i = in[1].cells[k].i;
      i += i < 0 ? extent : 0;
      if (i < 0 || i >= extent)
        return false;
      memcpy(cells, in[0].cells + (o * extent + i) * run,
             (size_t)run * sizeof *cells);
    }
  return true;
}

/* ---- elementwise ---- */

typedef cell (*function)(cell a, cell b, bool is_float, bool is_ui64);

#define INT_FLOAT(name, int_value, float_value)                                \
  static cell name(cell a, cell b, bool is_float, bool is_ui64) {              \
    (void)a, (void)b, (void)is_ui64;                                           \
    return is_float ? (cell){.d = (float_value)} : (cell){.i = (int_value)};   \
  }
#define WRAPPED(operation) (int64_t)((uint64_t)a.i operation(uint64_t) b.i)
INT_FLOAT(do_add, WRAPPED(+), a.d + b.d)
INT_FLOAT(do_sub, WRAPPED(-), a.d - b.d)
INT_FLOAT(do_mul, WRAPPED(*), a.d *b.d)
INT_FLOAT(do_neg, (int64_t)(0 - (uint64_t)a.i), -a.d)
INT_FLOAT(do_and, a.i & b.i, NAN)
INT_FLOAT(do_or, a.i | b.i, NAN)
INT_FLOAT(do_xor, a.i ^ b.i, NAN)
INT_FLOAT(do_not, ~a.i, NAN)
INT_FLOAT(do_exp, 0, exp(a.d))
INT_FLOAT(do_log, 0, log(a.d))
INT_FLOAT(do_sqrt, 0, sqrt(a.d))
INT_FLOAT(do_floor, 0, floor(a.d))
INT_FLOAT(do_ceil, 0, ceil(a.d))
INT_FLOAT(do_round, 0, nearbyint(a.d))
INT_FLOAT(do_sign, (a.i > 0) - (a.i < 0),
          isnan(a.d) ? a.d : (double)((a.d > 0) - (a.d < 0)))
INT_FLOAT(do_abs, a.i < 0 ? (int64_t)(0 - (uint64_t)a.i) : a.i, fabs(a.d))
INT_FLOAT(do_relu, a.i < 0 ? 0 : a.i, a.d < 0 ? 0 : a.d)
#undef WRAPPED
#undef INT_FLOAT

static bool is_less(cell a, cell b, bool is_float, bool is_ui64) {
  if (is_float)
    return a.d < b.d;
  return is_ui64 ? (uint64_t)a.i < (uint64_t)b.i : a.i < b.i;
}

static cell do_less(cell a, cell b, bool is_float, bool is_ui64) {
  return (cell){.i = is_less(a, b, is_float, is_ui64)};
}

static cell do_less_equal(cell a, cell b, bool is_float, bool is_ui64) {
  return (cell){.i = is_float ? a.d <= b.d : !is_less(b, a, false, is_ui64)};
}

static cell do_equal(cell a, cell b, bool is_float, bool is_ui64) {
  (void)is_ui64;
  return (cell){.i = is_float ? a.d == b.d : a.i == b.i};
}

static cell do_max(cell a, cell b, bool is_float, bool is_ui64) {
  if (is_float && (isnan(a.d) || isnan(b.d)))
    return (cell){.d = NAN};
  return is_less(a, b, is_float, is_ui64) ? b : a;
}

static cell do_min(cell a, cell b, bool is_float, bool is_ui64) {
  if (is_float && (isnan(a.d) || isnan(b.d)))
    return (cell){.d = NAN};
  return is_less(b, a, is_float, is_ui64) ? b : a;
}

/* Division by zero gives zero, as in the kernels; so does its overflow. */
static cell do_div(cell a, cell b, bool is_float, bool is_ui64) {
  if (is_float)
    return (cell){.d = a.d / b.d};
  if (b.i == 0)
    return (cell){.i = 0};
  if (is_ui64)
    return (cell){.i = (int64_t)((uint64_t)a.i / (uint64_t)b.i)};
  return (cell){.i = b.i == -1 ? (int64_t)(0 - (uint64_t)a.i) : a.i / b.i};
}

static cell do_rem(cell a, cell b, bool is_float, bool is_ui64) {
  if (is_float)
    return (cell){.d = fmod(a.d, b.d)};
  if (b.i == 0 || (b.i == -1 && !is_ui64))
    return (cell){.i = 0};
  if (is_ui64)
    return (cell){.i = (int64_t)((uint64_t)a.i % (uint64_t)b.i)};
  return (cell){.i = a.i % b.i};
}

static cell do_mod(cell a, cell b, bool is_float, bool is_ui64) {
  cell r = do_rem(a, b, is_float, is_ui64);
  if (is_float) {
    r.d += r.d != 0 && (r.d < 0) != (b.d < 0) ? b.d : 0;
    return r;
  }
  if (!is_ui64 && r.i != 0 && (r.i < 0) != (b.i < 0))
    r.i += b.i;
  return r;
}

static cell do_pow(cell a, cell b, bool is_float, bool is_ui64) {
  (void)is_ui64;
  if (is_float)
    return (cell){.d = pow(a.d, b.d)};
  if (b.i < 0)
    return (cell){.i = a.i == 1 ? 1 : a.i == -1 ? (b.i & 1 ? -1 : 1) : 0};
  uint64_t result = 1, base = (uint64_t)a.i;
  for (uint64_t e = (uint64_t)b.i; e; e >>= 1, base *= base)
    result *= e & 1 ? base : 1;
  return (cell){.i = (int64_t)result};
}

static const struct {
  const char *name;
  function apply;
} FUNCTIONS[] = {
    {"graph.add", do_add},     {"graph.sub", do_sub},
    {"graph.mul", do_mul},     {"graph.div", do_div},
    {"graph.rem", do_rem},     {"graph.mod", do_mod},
    {"graph.pow", do_pow},     {"graph.max", do_max},
    {"graph.min", do_min},     {"graph.and", do_and},
    {"graph.or", do_or},       {"graph.xor", do_xor},
    {"graph.equal", do_equal}, {"graph.less", do_less},
    {"graph.neg", do_neg},     {"graph.less_equal", do_less_equal},
    {"graph.abs", do_abs},     {"graph.sign", do_sign},
    {"graph.exp", do_exp},     {"graph.log", do_log},
    {"graph.sqrt", do_sqrt},   {"graph.floor", do_floor},
    {"graph.ceil", do_ceil},   {"graph.round", do_round},
    {"graph.not", do_not},     {"graph.relu", do_relu},
};

static function find_function(MlirStringRef name) {
  for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; ++i)
    if (mlirStringRefEqual(name,
                           mlirStringRefCreateFromCString(FUNCTIONS[i].name)))
      return FUNCTIONS[i].apply;
  return NULL;
}

static bool fold_elementwise(MlirOperation op, intptr_t n, const view *in,
                             const view *out, cell *cells) {
  function apply = find_function(mlirIdentifierStr(mlirOperationGetName(op)));
  bool is_float = mlirTypeIsAFloat(in[0].element);
  bool is_ui64 = tvm_onnx_is_ui64(in[0].element);
  walker w = {.shape = &out->shape};
  for (intptr_t k = 0; k < n; ++k)
    add_broadcast(&w, &in[k].shape);
  for (int64_t i = 0; i < out->count; ++i, step(&w)) {
    cell a = in[0].cells[w.offsets[0]];
    cell b = n > 1 ? in[1].cells[w.offsets[1]] : (cell){.i = 0};
    cells[i] =
        tvm_onnx_round_cell(out->element, apply(a, b, is_float, is_ui64));
  }
  return true;
}

static bool fold_select(MlirOperation op, intptr_t n, const view *in,
                        const view *out, cell *cells) {
  (void)op, (void)n;
  walker w = {.shape = &out->shape};
  for (int k = 0; k < 3; ++k)
    add_broadcast(&w, &in[k].shape);
  for (int64_t i = 0; i < out->count; ++i, step(&w))
    cells[i] = in[0].cells[w.offsets[0]].i ? in[1].cells[w.offsets[1]]
                                           : in[2].cells[w.offsets[2]];
  return true;
}

/* Out of range and NaN give the lowest integer, as the machine does. */
static int64_t truncate_double(double x, bool is_ui64) {
  if (is_ui64 && x >= 0x1p63 && x < 0x1p64)
    return (int64_t)(uint64_t)x;
  return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}

static cell cast_cell(cell x, MlirType from, MlirType to) {
  bool from_float = mlirTypeIsAFloat(from), to_float = mlirTypeIsAFloat(to);
  if (!to_float && mlirIntegerTypeGetWidth(to) == 1)
    return (cell){.i = from_float ? x.d != 0 : x.i != 0};
  if (from_float && !to_float)
    x.i = truncate_double(x.d, tvm_onnx_is_ui64(to));
  else if (!from_float && to_float)
    x.d = tvm_onnx_is_ui64(from) ? (double)(uint64_t)x.i : (double)x.i;
  return tvm_onnx_round_cell(to, x);
}

static bool fold_cast(MlirOperation op, intptr_t n, const view *in,
                      const view *out, cell *cells) {
  (void)op, (void)n;
  for (int64_t i = 0; i < out->count; ++i)
    cells[i] = cast_cell(in->cells[i], in->element, out->element);
  return true;
}

/* ---- reductions ---- */

static cell get_identity(function combine, bool is_float, bool is_ui64) {
  if (combine == do_add || combine == do_mul)
    return is_float ? (cell){.d = combine == do_mul}
                    : (cell){.i = combine == do_mul};
  if (is_float)
    return (cell){.d = combine == do_max ? -INFINITY : INFINITY};
  if (is_ui64)
    return (cell){.i = combine == do_max ? 0 : -1};
  return (cell){.i = combine == do_max ? INT64_MIN : INT64_MAX};
}

static bool fold_reduce(MlirOperation op, intptr_t n, const view *in,
                        const view *out, cell *cells) {
  (void)n;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  const char *suffix = name.data + strlen("graph.reduce_");
  function combine = suffix[0] == 's'   ? do_add
                     : suffix[0] == 'p' ? do_mul
                     : suffix[1] == 'a' ? do_max
                                        : do_min;
  bool is_float = mlirTypeIsAFloat(in->element);
  bool is_ui64 = tvm_onnx_is_ui64(in->element);
  if (in->count == 0 && (combine == do_max || combine == do_min))
    return false;
  tvm_emit_shape kept = in->shape;
  for (intptr_t k = 0; k < tvm_get_i64s_size(op, "axes"); ++k)
    kept.dims[tvm_get_i64s(op, "axes", k)] = 1;
  walker w = {.shape = &in->shape};
  add_broadcast(&w, &kept);
  for (int64_t i = 0; i < out->count; ++i)
    cells[i] = get_identity(combine, is_float, is_ui64);
  for (int64_t i = 0; i < in->count; ++i, step(&w))
    cells[w.offsets[0]] =
        combine(cells[w.offsets[0]], in->cells[i], is_float, is_ui64);
  for (int64_t i = 0; i < out->count; ++i)
    cells[i] = tvm_onnx_round_cell(out->element, cells[i]);
  return true;
}

static const struct {
  const char *name;
  tvm_onnx_fold fold;
} FOLDS[] = {
    {"arith.constant", fold_constant},   {"graph.reshape", fold_reshape},
    {"graph.broadcast", fold_broadcast}, {"graph.transpose", fold_transpose},
    {"graph.slice", fold_slice},         {"graph.concat", fold_concat},
    {"graph.gather", fold_gather},       {"graph.select", fold_select},
    {"graph.cast", fold_cast},           {"graph.reduce_sum", fold_reduce},
    {"graph.reduce_prod", fold_reduce},  {"graph.reduce_max", fold_reduce},
    {"graph.reduce_min", fold_reduce},
};

tvm_onnx_fold tvm_onnx_find_fold(MlirStringRef name) {
  for (size_t i = 0; i < sizeof FOLDS / sizeof *FOLDS; ++i)
    if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(FOLDS[i].name)))
      return FOLDS[i].fold;
  return find_function(name) ? fold_elementwise : NULL;
}
