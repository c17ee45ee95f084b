/* emit.c - graph operators in one call each, for the importer's
 * decompositions. */
#include "emit.h"

#include <stdlib.h>

static MlirValue get_null(void) { return (MlirValue){NULL}; }

bool tvm_emit_is_null(MlirValue x) { return !x.ptr; }

tvm_emit_shape tvm_emit_get_shape(MlirValue x) {
  tvm_emit_shape s = {0};
  if (tvm_emit_is_null(x))
    return s;
  intptr_t rank = (intptr_t)tvm_rank(x);
  s.rank = rank > TVM_EMIT_MAX_RANK ? TVM_EMIT_MAX_RANK : rank;
  for (intptr_t i = 0; i < s.rank; ++i)
    s.dims[i] = tvm_dim(x, i);
  return s;
}

int64_t tvm_emit_count(const tvm_emit_shape *s, intptr_t from, intptr_t to) {
  int64_t n = 1;
  for (intptr_t i = from; i < to; ++i)
    n *= s->dims[i];
  return n;
}

tvm_emit_shape tvm_emit_along(intptr_t rank, intptr_t axis, int64_t extent) {
  tvm_emit_shape s = {.rank = rank};
  for (intptr_t i = 0; i < rank; ++i)
    s.dims[i] = i == axis ? extent : 1;
  return s;
}

MlirValue tvm_emit_unary(tvm_builder *b, const char *name, MlirValue x) {
  if (tvm_emit_is_null(x))
    return get_null();
  return tvm_graph_build(b, name, 1, &x, 0, NULL);
}

MlirValue tvm_emit_binary(tvm_builder *b, const char *name, MlirValue x,
                          MlirValue y) {
  if (tvm_emit_is_null(x) || tvm_emit_is_null(y))
    return get_null();
  return tvm_graph_build(b, name, 2, (MlirValue[]){x, y}, 0, NULL);
}

MlirValue tvm_emit_with(tvm_builder *b, const char *name, MlirValue x,
                        double scalar) {
  if (tvm_emit_is_null(x))
    return get_null();
  MlirValue y = tvm_emit_scalar(b, tvm_element_type(x), scalar);
  return tvm_emit_binary(b, name, x, y);
}

MlirValue tvm_emit_select(tvm_builder *b, MlirValue c, MlirValue x,
                          MlirValue y) {
  if (tvm_emit_is_null(c) || tvm_emit_is_null(x) || tvm_emit_is_null(y))
    return get_null();
  return tvm_graph_build(b, "select", 3, (MlirValue[]){c, x, y}, 0, NULL);
}

MlirValue tvm_emit_cast(tvm_builder *b, MlirValue x, MlirType to) {
  if (tvm_emit_is_null(x) || mlirTypeEqual(tvm_element_type(x), to))
    return x;
  MlirNamedAttribute attr = tvm_attr(b->context, "to", mlirTypeAttrGet(to));
  return tvm_graph_build(b, "cast", 1, &x, 1, &attr);
}

static MlirValue build_shaped(tvm_builder *b, const char *name,
                              const char *attr_name, MlirValue x, intptr_t n,
                              const int64_t *values) {
  MlirNamedAttribute attr = tvm_attr_i64s(b->context, attr_name, n, values);
  return tvm_graph_build(b, name, 1, &x, 1, &attr);
}

MlirValue tvm_emit_reshape_to(tvm_builder *b, MlirValue x, intptr_t rank,
                              const int64_t *shape) {
  if (tvm_emit_is_null(x))
    return x;
  bool same = tvm_rank(x) == rank;
  for (intptr_t i = 0; same && i < rank; ++i)
    same = tvm_dim(x, i) == shape[i];
  return same ? x : build_shaped(b, "reshape", "shape", x, rank, shape);
}

MlirValue tvm_emit_reshape(tvm_builder *b, MlirValue x,
                           const tvm_emit_shape *shape) {
  return tvm_emit_reshape_to(b, x, shape->rank, shape->dims);
}

MlirValue tvm_emit_broadcast(tvm_builder *b, MlirValue x,
                             const tvm_emit_shape *shape) {
  if (tvm_emit_is_null(x))
    return x;
  return build_shaped(b, "broadcast", "shape", x, shape->rank, shape->dims);
}

MlirValue tvm_emit_transpose(tvm_builder *b, MlirValue x, const int64_t *perm) {
  if (tvm_emit_is_null(x))
    return x;
  intptr_t rank = (intptr_t)tvm_rank(x);
  bool identity = true;
  for (intptr_t i = 0; i < rank; ++i)
    identity &= perm[i] == i;
  if (identity)
    return x;
  return build_shaped(b, "transpose", "permutation", x, rank, perm);
}

static MlirValue build_slice(tvm_builder *b, MlirValue x, intptr_t axis,
                             int64_t start, int64_t size, int64_t step) {
  if (tvm_emit_is_null(x))
    return x;
  tvm_emit_shape sizes = tvm_emit_get_shape(x);
  int64_t starts[TVM_EMIT_MAX_RANK] = {0}, steps[TVM_EMIT_MAX_RANK];
  for (intptr_t i = 0; i < sizes.rank; ++i)
    steps[i] = 1;
  starts[axis] = start;
  sizes.dims[axis] = size;
  steps[axis] = step;
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64s(b->context, "starts", sizes.rank, starts),
      tvm_attr_i64s(b->context, "sizes", sizes.rank, sizes.dims),
      tvm_attr_i64s(b->context, "steps", sizes.rank, steps),
  };
  return tvm_graph_build(b, "slice", 1, &x, 3, attrs);
}

MlirValue tvm_emit_slice(tvm_builder *b, MlirValue x, intptr_t axis,
                         int64_t start, int64_t size) {
  if (!tvm_emit_is_null(x) && start == 0 && tvm_dim(x, axis) == size)
    return x;
  return build_slice(b, x, axis, start, size, 1);
}

MlirValue tvm_emit_pick(tvm_builder *b, MlirValue x, intptr_t axis,
                        int64_t index) {
  x = tvm_emit_slice(b, x, axis, index, 1);
  tvm_emit_shape s = tvm_emit_get_shape(x);
  for (intptr_t i = axis; i + 1 < s.rank; ++i)
    s.dims[i] = s.dims[i + 1];
  s.rank -= 1;
  return tvm_emit_reshape(b, x, &s);
}

MlirValue tvm_emit_reverse(tvm_builder *b, MlirValue x, intptr_t axis) {
  if (tvm_emit_is_null(x) || tvm_dim(x, axis) < 2)
    return x;
  int64_t n = tvm_dim(x, axis);
  return build_slice(b, x, axis, n - 1, n, -1);
}

MlirValue tvm_emit_concat(tvm_builder *b, intptr_t n, const MlirValue *x,
                          intptr_t axis) {
  for (intptr_t i = 0; i < n; ++i)
    if (tvm_emit_is_null(x[i]))
      return x[i];
  if (n == 1)
    return x[0];
  MlirNamedAttribute attr = tvm_attr_i64(b->context, "axis", axis);
  return tvm_graph_build(b, "concat", n, x, 1, &attr);
}

MlirValue tvm_emit_unsqueeze(tvm_builder *b, MlirValue x, intptr_t axis) {
  if (tvm_emit_is_null(x))
    return x;
  tvm_emit_shape s = tvm_emit_get_shape(x);
  for (intptr_t i = s.rank; i > axis; --i)
    s.dims[i] = s.dims[i - 1];
  s.dims[axis] = 1;
  s.rank += 1;
  return tvm_emit_reshape(b, x, &s);
}

MlirValue tvm_emit_stack(tvm_builder *b, intptr_t n, const MlirValue *x,
                         intptr_t axis) {
  MlirValue *parts = malloc((size_t)n * sizeof *parts);
  if (!parts)
    return get_null();
  for (intptr_t i = 0; i < n; ++i)
    parts[i] = tvm_emit_unsqueeze(b, x[i], axis);
  MlirValue y = tvm_emit_concat(b, n, parts, axis);
  free(parts);
  return y;
}

MlirValue tvm_emit_reduce(tvm_builder *b, const char *name, MlirValue x,
                          intptr_t n, const int64_t *axes, bool keepdims) {
  if (tvm_emit_is_null(x) || n == 0)
    return x;
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64s(b->context, "axes", n, axes),
      tvm_attr_bool(b->context, "keepdims", keepdims),
  };
  return tvm_graph_build(b, name, 1, &x, 2, attrs);
}

MlirValue tvm_emit_mean(tvm_builder *b, MlirValue x, intptr_t n,
                        const int64_t *axes, bool keepdims) {
  if (tvm_emit_is_null(x))
    return x;
  double count = 1;
  for (intptr_t i = 0; i < n; ++i)
    count *= (double)tvm_dim(x, (intptr_t)axes[i]);
  MlirValue sum = tvm_emit_reduce(b, "reduce_sum", x, n, axes, keepdims);
  return tvm_emit_with(b, "div", sum, count);
}

MlirValue tvm_emit_gather(tvm_builder *b, MlirValue x, MlirValue indices,
                          intptr_t axis) {
  if (tvm_emit_is_null(x) || tvm_emit_is_null(indices))
    return get_null();
  MlirNamedAttribute attr = tvm_attr_i64(b->context, "axis", axis);
  return tvm_graph_build(b, "gather", 2, (MlirValue[]){x, indices}, 1, &attr);
}

MlirValue tvm_emit_softmax(tvm_builder *b, MlirValue x, intptr_t axis) {
  if (tvm_emit_is_null(x))
    return x;
  MlirNamedAttribute attr = tvm_attr_i64(b->context, "axis", axis);
  return tvm_graph_build(b, "softmax", 1, &x, 1, &attr);
}

MlirValue tvm_emit_normalize(tvm_builder *b, MlirValue x, int64_t axis,
                             double epsilon, bool center) {
  if (tvm_emit_is_null(x))
    return x;
  MlirNamedAttribute attrs[] = {tvm_attr_i64(b->context, "axis", axis),
                                tvm_attr_f64(b->context, "epsilon", epsilon),
                                tvm_attr_bool(b->context, "center", center)};
  return tvm_graph_build(b, "normalize", 1, &x, 3, attrs);
}

MlirValue tvm_emit_scalar(tvm_builder *b, MlirType element, double value) {
  return tvm_build_splat(b, tvm_tensor_type(0, NULL, element), value);
}

MlirValue tvm_emit_i64s(tvm_builder *b, const tvm_emit_shape *shape,
                        const int64_t *values) {
  MlirType type = tvm_tensor_type(shape->rank, shape->dims, tvm_emit_i64(b));
  size_t n = (size_t)tvm_num_elements(type);
  return tvm_build_constant(b, type, values, n * sizeof *values);
}

MlirValue tvm_emit_bools(tvm_builder *b, const tvm_emit_shape *shape,
                         const uint8_t *values) {
  MlirType i1 = mlirIntegerTypeGet(b->context, 1);
  MlirType type = tvm_tensor_type(shape->rank, shape->dims, i1);
  return tvm_build_constant(b, type, values, (size_t)tvm_num_elements(type));
}

MlirValue tvm_emit_doubles(tvm_builder *b, MlirType element,
                           const tvm_emit_shape *shape, const double *values) {
  MlirType f64 = mlirF64TypeGet(b->context);
  bool is_f64 = mlirTypeEqual(element, f64);
  MlirType stored = is_f64 ? f64 : tvm_emit_f32(b);
  MlirType type = tvm_tensor_type(shape->rank, shape->dims, stored);
  size_t n = (size_t)tvm_num_elements(type);
  if (is_f64)
    return tvm_build_constant(b, type, values, n * sizeof *values);
  float *rounded = malloc(n * sizeof *rounded + 1);
  if (!rounded)
    return get_null();
  for (size_t i = 0; i < n; ++i)
    rounded[i] = (float)values[i];
  MlirValue y = tvm_build_constant(b, type, rounded, n * sizeof *rounded);
  free(rounded);
  return tvm_emit_cast(b, y, element);
}

MlirValue tvm_emit_iota(tvm_builder *b, intptr_t rank, intptr_t axis,
                        int64_t n) {
  int64_t *values = malloc((size_t)n * sizeof *values + 1);
  if (!values)
    return get_null();
  for (int64_t i = 0; i < n; ++i)
    values[i] = i;
  tvm_emit_shape shape = tvm_emit_along(rank, axis, n);
  MlirValue y = tvm_emit_i64s(b, &shape, values);
  free(values);
  return y;
}

MlirType tvm_emit_f32(const tvm_builder *b) {
  return mlirF32TypeGet(b->context);
}

MlirType tvm_emit_i64(const tvm_builder *b) {
  return mlirIntegerTypeGet(b->context, 64);
}

MlirType tvm_emit_i32(const tvm_builder *b) {
  return mlirIntegerTypeGet(b->context, 32);
}
