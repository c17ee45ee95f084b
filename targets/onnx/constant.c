/* constant.c - operators whose results are known at import, or are made of
 * index patterns. */
#include "decompose.h"
#include "importer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANGE = 1 << 24 };

static MlirValue emit_floats(tvm_builder *b, intptr_t rank, size_t n,
                             const float *values) {
  int64_t shape = (int64_t)n;
  return tvm_build_constant(b, tvm_tensor_type(rank, &shape, tvm_emit_f32(b)),
                            values, n * sizeof *values);
}

static MlirValue emit_ints(tvm_builder *b, intptr_t rank, size_t n,
                           const int64_t *values) {
  tvm_emit_shape shape = {.rank = rank, .dims = {(int64_t)n}};
  return tvm_emit_i64s(b, &shape, values);
}

static MlirValue build_constant(tvm_onnx_node *node) {
  tvm_builder *b = tvm_onnx_builder(node);
  const Onnx__AttributeProto *tensor;
  size_t n;
  if (tvm_onnx_has_attr(node, "value")) {
    tensor = tvm_onnx_get_attr(node, "value",
                               ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR);
    return tensor ? tvm_onnx_share_tensor(node->model, b, tensor->t,
                                          "attribute 'value'")
                  : (MlirValue){NULL};
  }
  if (tvm_onnx_has_attr(node, "value_float")) {
    float value = (float)tvm_onnx_get_float(node, "value_float", 0);
    return emit_floats(b, 0, 1, &value);
  }
  if (tvm_onnx_has_attr(node, "value_int")) {
    int64_t value = tvm_onnx_get_int(node, "value_int", 0);
    return emit_ints(b, 0, 1, &value);
  }
  if (tvm_onnx_has_attr(node, "value_floats")) {
    const float *values = tvm_onnx_get_floats(node, "value_floats", &n);
    return values ? emit_floats(b, 1, n, values) : (MlirValue){NULL};
  }
  if (tvm_onnx_has_attr(node, "value_ints")) {
    const int64_t *values = tvm_onnx_get_ints(node, "value_ints", &n);
    return values ? emit_ints(b, 1, n, values) : (MlirValue){NULL};
  }
  static const char *const OTHERS[] = {"value_string", "value_strings",
                                       "sparse_value"};
  for (size_t i = 0; i < 3; ++i)
    if (tvm_onnx_has_attr(node, OTHERS[i]))
      tvm_onnx_unsupported(node, "attribute '%s'", OTHERS[i]);
  tvm_onnx_fail(node, "has no value");
  return (MlirValue){NULL};
}

MlirLogicalResult tvm_onnx_import_constant(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 0, 0)))
    return mlirLogicalResultFailure();
  return tvm_onnx_set_result(node, 0, build_constant(node));
}

/* A shape that an operand gives. */
static bool read_shape(tvm_onnx_node *node, intptr_t operand,
                       tvm_emit_shape *out) {
  int64_t n, *dims, bytes;
  if (!tvm_onnx_copy_i64s(node, operand, &n, &dims))
    return false;
  bool ok = n <= TVM_EMIT_MAX_RANK &&
            tvm_onnx_count_bytes((size_t)n, dims, 8, &bytes);
  out->rank = (intptr_t)n;
  for (int64_t i = 0; ok && i < n; ++i)
    out->dims[i] = dims[i];
  if (!ok)
    tvm_onnx_fail(node,
                  "input %d is no shape: it has negative dimensions or "
                  "too many",
                  (int)operand);
  free(dims);
  return ok;
}

static MlirValue build_fill(tvm_onnx_node *node, const tvm_emit_shape *shape) {
  tvm_builder *b = tvm_onnx_builder(node);
  if (!tvm_onnx_has_attr(node, "value"))
    return tvm_build_splat(
        b, tvm_tensor_type(shape->rank, shape->dims, tvm_emit_f32(b)), 0);
  const Onnx__AttributeProto *a = tvm_onnx_get_attr(
      node, "value", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR);
  MlirValue value =
      a ? tvm_onnx_share_tensor(node->model, b, a->t, "attribute 'value'")
        : (MlirValue){NULL};
  if (tvm_emit_is_null(value))
    return value;
  if (tvm_num_elements(mlirValueGetType(value)) != 1) {
    tvm_onnx_fail(node, "attribute 'value' expects one element, got %lld",
                  (long long)tvm_num_elements(mlirValueGetType(value)));
    return (MlirValue){NULL};
  }
  const tvm_onnx_cell *cell = tvm_onnx_evaluate(node->model, value);
  MlirType element = tvm_element_type(value);
  double splat = 0;
  bool exact = cell != NULL;
  if (cell)
    splat = mlirTypeIsAFloat(element) ? cell->d : (double)cell->i;
  if (cell && !mlirTypeIsAFloat(element))
    exact = fabs(splat) < 0x1p53;
  if (exact)
    return tvm_build_splat(
        b, tvm_tensor_type(shape->rank, shape->dims, element), splat);
  return tvm_emit_broadcast(b, tvm_emit_reshape_to(b, value, 0, NULL), shape);
}

MlirLogicalResult tvm_onnx_import_constant_of_shape(tvm_onnx_node *node) {
  tvm_emit_shape shape = {0};
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)) ||
      !read_shape(node, 0, &shape))
    return mlirLogicalResultFailure();
  return tvm_onnx_set_result(node, 0, build_fill(node, &shape));
}

static int64_t clamp(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

MlirLogicalResult tvm_onnx_import_shape(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return mlirLogicalResultFailure();
  tvm_emit_shape s = tvm_emit_get_shape(tvm_onnx_operand(node, 0));
  int64_t start = tvm_onnx_get_int(node, "start", 0);
  int64_t end = tvm_onnx_get_int(node, "end", s.rank);
  start = clamp(start < 0 ? start + s.rank : start, 0, s.rank);
  end = clamp(end < 0 ? end + s.rank : end, start, s.rank);
  return tvm_onnx_set_result(node, 0,
                             emit_ints(tvm_onnx_builder(node), 1,
                                       (size_t)(end - start), s.dims + start));
}

MlirLogicalResult tvm_onnx_import_size(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return mlirLogicalResultFailure();
  int64_t n = tvm_num_elements(mlirValueGetType(tvm_onnx_operand(node, 0)));
  return tvm_onnx_set_result(node, 0,
                             emit_ints(tvm_onnx_builder(node), 0, 1, &n));
}

static MlirValue build_float_range(tvm_onnx_node *node, MlirType element) {
  double v[3];
  for (int i = 0; i < 3; ++i)
    if (!tvm_onnx_read_double(node, i, &v[i]))
      return (MlirValue){NULL};
  double n = v[2] == 0 ? INFINITY : ceil((v[1] - v[0]) / v[2]);
  if (!(n <= MAX_RANGE)) {
    tvm_onnx_fail(node, "the range from %g to %g by %g is longer than %d", v[0],
                  v[1], v[2], MAX_RANGE);
    return (MlirValue){NULL};
  }
  tvm_emit_shape shape = {.rank = 1, .dims = {n > 0 ? (int64_t)n : 0}};
  double *values = malloc(((size_t)shape.dims[0] + 1) * sizeof *values);
  for (int64_t i = 0; i < shape.dims[0]; ++i)
    values[i] = v[0] + (double)i * v[2];
  MlirValue y =
      tvm_emit_doubles(tvm_onnx_builder(node), element, &shape, values);
  free(values);
  return y;
}

static MlirValue build_int_range(tvm_onnx_node *node, MlirType element) {
  int64_t v[3];
  for (int i = 0; i < 3; ++i)
    if (!tvm_onnx_read_i64(node, i, &v[i]))
      return (MlirValue){NULL};
  double n =
      v[2] ? ceil(((double)v[1] - (double)v[0]) / (double)v[2]) : INFINITY;
  if (n > MAX_RANGE) {
    tvm_onnx_fail(node, "the range from %lld to %lld by %lld is longer than %d",
                  (long long)v[0], (long long)v[1], (long long)v[2], MAX_RANGE);
    return (MlirValue){NULL};
  }
  tvm_emit_shape shape = {.rank = 1, .dims = {n > 0 ? (int64_t)n : 0}};
  int64_t *values = malloc(((size_t)shape.dims[0] + 1) * sizeof *values);
  for (int64_t i = 0; i < shape.dims[0]; ++i)
    values[i] = v[0] + i * v[2];
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue y = tvm_emit_cast(b, tvm_emit_i64s(b, &shape, values), element);
  free(values);
  return y;
}

MlirLogicalResult tvm_onnx_import_range(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 3, 3)))
    return mlirLogicalResultFailure();
  MlirType element = tvm_element_type(tvm_onnx_operand(node, 0));
  for (intptr_t i = 1; i < 3; ++i)
    if (!mlirTypeEqual(element, tvm_element_type(tvm_onnx_operand(node, i))))
      return tvm_onnx_fail(node, "expects start, limit and delta of one type");
  return tvm_onnx_set_result(node, 0,
                             mlirTypeIsAFloat(element)
                                 ? build_float_range(node, element)
                                 : build_int_range(node, element));
}

MlirLogicalResult tvm_onnx_import_eye_like(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  int64_t k = tvm_onnx_get_int(node, "k", 0);
  MlirType type = tvm_element_type(x);
  if (tvm_onnx_has_attr(node, "dtype"))
    type = tvm_onnx_element_type(node, tvm_onnx_get_int(node, "dtype", 1));
  if (mlirTypeIsNull(type))
    return mlirLogicalResultFailure();
  tvm_emit_shape s = tvm_emit_get_shape(x);
  if (s.rank != 2)
    return tvm_onnx_fail(node, "expects rank 2 input, got rank %d",
                         (int)s.rank);
  if (k < -s.dims[0] || k > s.dims[1])
    k = s.dims[1]; /* no diagonal */
  MlirValue row = tvm_emit_iota(b, 2, 0, s.dims[0]);
  MlirValue column = tvm_emit_iota(b, 2, 1, s.dims[1]);
  MlirValue y = tvm_emit_binary(
      b, "equal", tvm_emit_with(b, "add", row, (double)k), column);
  return tvm_onnx_set_result(node, 0, tvm_emit_cast(b, y, type));
}

/* Upper: row + k <= column stays; lower: column <= row + k. */
MlirLogicalResult tvm_onnx_import_trilu(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 2)))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  bool upper = tvm_onnx_get_int(node, "upper", 1) != 0;
  tvm_emit_shape s = tvm_emit_get_shape(x);
  if (s.rank < 2)
    return tvm_onnx_fail(node, "expects rank 2 input at least, got rank %d",
                         (int)s.rank);
  MlirValue edge = tvm_emit_iota(b, 2, 0, s.dims[s.rank - 2]);
  MlirValue column = tvm_emit_iota(b, 2, 1, s.dims[s.rank - 1]);
  if (tvm_onnx_has_operand(node, 1)) {
    MlirValue k = tvm_onnx_operand(node, 1);
    if (tvm_num_elements(mlirValueGetType(k)) != 1)
      return tvm_onnx_fail(node, "input 'k' expects one element");
    edge = tvm_emit_binary(b, "add", edge, tvm_emit_reshape_to(b, k, 0, NULL));
  }
  MlirValue kept = upper ? tvm_emit_binary(b, "less_equal", edge, column)
                         : tvm_emit_binary(b, "less_equal", column, edge);
  MlirValue zero = tvm_emit_scalar(b, tvm_element_type(x), 0);
  return tvm_onnx_set_result(node, 0, tvm_emit_select(b, kept, x, zero));
}

/* Negative indices count from the end; others out of range give `off`. */
MlirLogicalResult tvm_onnx_import_one_hot(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 3, 3)))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue indices = tvm_onnx_operand(node, 0);
  MlirValue values = tvm_onnx_operand(node, 2);
  double depth;
  int64_t axis;
  if (!tvm_onnx_get_axis(node, "axis", -1, tvm_rank(indices) + 1, &axis) ||
      !tvm_onnx_read_double(node, 1, &depth))
    return mlirLogicalResultFailure();
  if (depth < 1 || depth > MAX_RANGE)
    return tvm_onnx_fail(node, "input 'depth' is %g, expected 1 to %d", depth,
                         MAX_RANGE);
  if (tvm_rank(values) != 1 || tvm_dim(values, 0) != 2)
    return tvm_onnx_fail(node, "input 'values' expects two elements");
  int64_t n = (int64_t)depth;
  MlirValue i = tvm_emit_cast(b, indices, tvm_emit_i64(b));
  i = tvm_emit_select(b, tvm_emit_with(b, "less", i, 0),
                      tvm_emit_with(b, "add", i, (double)n), i);
  i = tvm_emit_unsqueeze(b, i, (intptr_t)axis);
  MlirValue iota =
      tvm_emit_iota(b, (intptr_t)tvm_rank(indices) + 1, (intptr_t)axis, n);
  MlirValue hot = tvm_emit_binary(b, "equal", i, iota);
  return tvm_onnx_set_result(node, 0,
                             tvm_emit_select(b, hot,
                                             tvm_emit_pick(b, values, 0, 1),
                                             tvm_emit_pick(b, values, 0, 0)));
}

/* The count of nonzeros is a shape: only for values known at import. */
MlirLogicalResult tvm_onnx_import_non_zero(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return mlirLogicalResultFailure();
  double *values;
  int64_t n, found = 0;
  tvm_emit_shape s = tvm_emit_get_shape(tvm_onnx_operand(node, 0));
  if (!tvm_onnx_copy_doubles(node, 0, &n, &values))
    return mlirLogicalResultFailure();
  for (int64_t i = 0; i < n; ++i)
    found += values[i] != 0;
  int64_t *indices = malloc(((size_t)(found * s.rank) + 1) * sizeof *indices);
  for (int64_t i = 0, k = 0; i < n; ++i) {
    if (values[i] == 0)
      continue;
    int64_t rest = i;
    for (intptr_t d = s.rank - 1; d >= 0; --d) {
      indices[d * found + k] = rest % s.dims[d];
      rest /= s.dims[d];
    }
    ++k;
  }
  tvm_emit_shape shape = {.rank = 2, .dims = {s.rank, found}};
  MlirValue y = tvm_emit_i64s(tvm_onnx_builder(node), &shape, indices);
  free(indices);
  free(values);
  return tvm_onnx_set_result(node, 0, y);
}
