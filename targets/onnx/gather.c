/* gather.c - Gather, Scatter and their relatives.
 *
 * ONNX calls an index outside of the data an error. Constant indices are
 * checked here; the others by a graph.assert that stops the program. */
#include "decompose.h"

#include <stdlib.h>

/* Whether indices[i] lies in [-limit, limit) with limit = limits[i % n]. */
static MlirLogicalResult check_constant(tvm_onnx_node *node, intptr_t operand,
                                        int64_t n, const int64_t *limits) {
  int64_t count, *indices = NULL;
  if (!tvm_onnx_copy_i64s(node, operand, &count, &indices))
    return mlirLogicalResultFailure();
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (int64_t i = 0; i < count; ++i) {
    int64_t limit = limits[i % n];
    if (indices[i] >= -limit && indices[i] < limit)
      continue;
    result = tvm_onnx_fail(
        node, "index %lld at position %lld is out of range for extent %lld",
        (long long)indices[i], (long long)i, (long long)limit);
    break;
  }
  free(indices);
  return result;
}

/* The same at run time; `limits` broadcast against the indices. */
static MlirLogicalResult check_at_run_time(tvm_onnx_node *node,
                                           MlirValue indices, int64_t n,
                                           const int64_t *limits) {
  tvm_builder *b = tvm_onnx_builder(node);
  tvm_emit_shape shape = {.rank = n == 1 ? 0 : 1, .dims = {n}};
  MlirValue limit = tvm_emit_i64s(b, &shape, limits);
  MlirType type = tvm_element_type(indices);
  limit = tvm_emit_cast(b, limit, type);
  MlirValue low = tvm_emit_unary(b, "neg", limit);
  MlirValue ok =
      tvm_emit_binary(b, "and", tvm_emit_binary(b, "less_equal", low, indices),
                      tvm_emit_binary(b, "less", indices, limit));
  return tvm_onnx_assert(node, ok, "an index is out of range");
}

static MlirLogicalResult check_indices(tvm_onnx_node *node, intptr_t operand,
                                       int64_t n, const int64_t *limits) {
  MlirValue indices = tvm_onnx_operand(node, operand);
  if (tvm_num_elements(mlirValueGetType(indices)) == 0)
    return mlirLogicalResultSuccess();
  if (tvm_onnx_is_constant(node, operand))
    return check_constant(node, operand, n, limits);
  return check_at_run_time(node, indices, n, limits);
}

static MlirLogicalResult check_axis_indices(tvm_onnx_node *node,
                                            intptr_t operands, int64_t *axis) {
  if (mlirLogicalResultIsFailure(
          tvm_onnx_expect_operands(node, operands, operands)))
    return mlirLogicalResultFailure();
  MlirValue data = tvm_onnx_operand(node, 0);
  if (!tvm_onnx_get_axis(node, "axis", 0, tvm_rank(data), axis))
    return mlirLogicalResultFailure();
  int64_t limit = tvm_dim(data, (intptr_t)*axis);
  return check_indices(node, 1, 1, &limit);
}

MlirLogicalResult tvm_onnx_import_gather(tvm_onnx_node *node) {
  int64_t axis;
  if (mlirLogicalResultIsFailure(check_axis_indices(node, 2, &axis)))
    return mlirLogicalResultFailure();
  return tvm_onnx_set_result(
      node, 0,
      tvm_emit_gather(tvm_onnx_builder(node), tvm_onnx_operand(node, 0),
                      tvm_onnx_operand(node, 1), (intptr_t)axis));
}

MlirLogicalResult tvm_onnx_import_gather_elements(tvm_onnx_node *node) {
  int64_t axis;
  if (mlirLogicalResultIsFailure(check_axis_indices(node, 2, &axis)))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue operands[] = {tvm_onnx_operand(node, 0), tvm_onnx_operand(node, 1)};
  MlirNamedAttribute attr = tvm_attr_i64(b->context, "axis", axis);
  return tvm_onnx_set_result(
      node, 0, tvm_graph_build(b, "gather_elements", 2, operands, 1, &attr));
}

/* The limits of index tuples: the extents of data from `batch` on. */
static MlirLogicalResult check_tuples(tvm_onnx_node *node, intptr_t operands,
                                      int64_t batch) {
  if (mlirLogicalResultIsFailure(
          tvm_onnx_expect_operands(node, operands, operands)))
    return mlirLogicalResultFailure();
  MlirValue data = tvm_onnx_operand(node, 0);
  MlirValue indices = tvm_onnx_operand(node, 1);
  int64_t rank = tvm_rank(data), index_rank = tvm_rank(indices);
  if (rank < 1 || index_rank < 1)
    return tvm_onnx_fail(node,
                         "expects data and indices of rank 1 at least, "
                         "got %lld and %lld",
                         (long long)rank, (long long)index_rank);
  if (batch < 0 || batch >= rank || batch >= index_rank)
    return tvm_onnx_fail(node,
                         "attribute 'batch_dims' = %lld is not less than the "
                         "ranks %lld and %lld",
                         (long long)batch, (long long)rank,
                         (long long)index_rank);
  int64_t n = tvm_dim(indices, (intptr_t)index_rank - 1);
  if (n < 0 || n > rank - batch)
    return tvm_onnx_fail(node, "expects index tuples of %lld at most, got %lld",
                         (long long)(rank - batch), (long long)n);
  if (n == 0)
    return mlirLogicalResultSuccess();
  tvm_emit_shape shape = tvm_emit_get_shape(data);
  return check_indices(node, 1, n, shape.dims + batch);
}

MlirLogicalResult tvm_onnx_import_gather_nd(tvm_onnx_node *node) {
  int64_t batch = tvm_onnx_get_int(node, "batch_dims", 0);
  if (mlirLogicalResultIsFailure(check_tuples(node, 2, batch)))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue operands[] = {tvm_onnx_operand(node, 0), tvm_onnx_operand(node, 1)};
  MlirNamedAttribute attr = tvm_attr_i64(b->context, "batch_dims", batch);
  return tvm_onnx_set_result(
      node, 0, tvm_graph_build(b, "gather_nd", 2, operands, 1, &attr));
}

static MlirLogicalResult get_reduction(tvm_onnx_node *node,
                                       const char **reduction) {
  static const char *const NAMES[] = {"none", "add", "mul", "max", "min"};
  int32_t i;
  if (!tvm_onnx_get_choice(node, "reduction", 0, 5, NAMES, &i))
    return mlirLogicalResultFailure();
  *reduction = NAMES[i];
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult build_scatter(tvm_onnx_node *node, const char *name,
                                       intptr_t n_attrs,
                                       const MlirNamedAttribute *attrs) {
  MlirValue operands[] = {tvm_onnx_operand(node, 0), tvm_onnx_operand(node, 1),
                          tvm_onnx_operand(node, 2)};
  return tvm_onnx_set_result(node, 0,
                             tvm_graph_build(tvm_onnx_builder(node), name, 3,
                                             operands, n_attrs, attrs));
}

MlirLogicalResult tvm_onnx_import_scatter_elements(tvm_onnx_node *node) {
  int64_t axis;
  const char *reduction;
  if (mlirLogicalResultIsFailure(get_reduction(node, &reduction)) ||
      mlirLogicalResultIsFailure(check_axis_indices(node, 3, &axis)))
    return mlirLogicalResultFailure();
  MlirContext c = tvm_onnx_builder(node)->context;
  MlirNamedAttribute attrs[] = {tvm_attr_i64(c, "axis", axis),
                                tvm_attr_str(c, "reduction", reduction)};
  return build_scatter(node, "scatter_elements", 2, attrs);
}

MlirLogicalResult tvm_onnx_import_scatter_nd(tvm_onnx_node *node) {
  const char *reduction;
  if (mlirLogicalResultIsFailure(get_reduction(node, &reduction)) ||
      mlirLogicalResultIsFailure(check_tuples(node, 3, 0)))
    return mlirLogicalResultFailure();
  MlirContext c = tvm_onnx_builder(node)->context;
  MlirNamedAttribute attr = tvm_attr_str(c, "reduction", reduction);
  return build_scatter(node, "scatter_nd", 1, &attr);
}
