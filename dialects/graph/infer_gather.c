/* infer_gather.c - operators that index by data. */
#include "graph/infer.h"

static bool read_indices(const tvm_graph_signature *s, intptr_t i,
                         tvm_graph_shape *out) {
  if (!tvm_graph_read_operand(s, i, TVM_GRAPH_INTEGER, out))
    return false;
  unsigned width = mlirIntegerTypeGetWidth(out->element);
  if (width >= 32 && mlirIntegerTypeIsSignless(out->element))
    return true;
  return tvm_graph_fail(s, "expects indices of type i32 or i64");
}

/* Reading from an empty dimension is no reading at all. */
static bool check_source(const tvm_graph_signature *s, int64_t extent,
                         const tvm_graph_shape *indices) {
  if (extent > 0 || tvm_graph_count(indices) == 0)
    return true;
  return tvm_graph_fail(s,
                        "expects elements in each dimension that it indexes");
}

TVM_GRAPH_INFER(gather) {
  tvm_graph_shape x, i, y;
  intptr_t axis;
  if (!tvm_graph_expect_operands(s, 2) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_ANY, &x) ||
      !read_indices(s, 1, &i) ||
      !tvm_graph_read_axis(s, "axis", x.rank, &axis) ||
      !check_source(s, x.dims[axis], &i))
    return mlirLogicalResultFailure();
  y = (tvm_graph_shape){.element = x.element, .rank = x.rank - 1 + i.rank};
  if (y.rank > TVM_GRAPH_MAX_RANK) {
    tvm_graph_fail(s, "expects a result of rank %d at most, got rank %td",
                   TVM_GRAPH_MAX_RANK, y.rank);
    return mlirLogicalResultFailure();
  }
  for (intptr_t d = 0; d < axis; ++d)
    y.dims[d] = x.dims[d];
  for (intptr_t d = 0; d < i.rank; ++d)
    y.dims[axis + d] = i.dims[d];
  for (intptr_t d = axis + 1; d < x.rank; ++d)
    y.dims[d + i.rank - 1] = x.dims[d];
  return tvm_graph_set_result(s, &y, n_results, results);
}

/* Indices reach no further than the data, except along `axis`. */
static bool check_elements(const tvm_graph_signature *s,
                           const tvm_graph_shape *x, const tvm_graph_shape *i,
                           intptr_t axis) {
  if (i->rank != x->rank)
    return tvm_graph_fail(s, "expects indices of rank %td, got rank %td",
                          x->rank, i->rank);
  for (intptr_t d = 0; d < x->rank; ++d)
    if (d != axis && i->dims[d] > x->dims[d])
      return tvm_graph_fail(
          s, "expects at most %lld indices in dimension %td, got %lld",
          (long long)x->dims[d], d, (long long)i->dims[d]);
  return true;
}

TVM_GRAPH_INFER(gather_elements) {
  tvm_graph_shape x, i;
  intptr_t axis;
  if (!tvm_graph_expect_operands(s, 2) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_ANY, &x) ||
      !read_indices(s, 1, &i) ||
      !tvm_graph_read_axis(s, "axis", x.rank, &axis) ||
      !check_elements(s, &x, &i, axis) || !check_source(s, x.dims[axis], &i))
    return mlirLogicalResultFailure();
  i.element = x.element;
  return tvm_graph_set_result(s, &i, n_results, results);
}

/* `batch` leading dimensions agree; the last of the indices has the length of
 * a tuple, which indexes the dimensions from `batch` on. */
static bool read_tuples(const tvm_graph_signature *s, const tvm_graph_shape *x,
                        int64_t batch, tvm_graph_shape *i, int64_t *length) {
  if (!read_indices(s, 1, i))
    return false;
  if (x->rank < 1 || i->rank < 1 || batch < 0 || batch >= x->rank ||
      batch >= i->rank)
    return tvm_graph_fail(s,
                          "expects ranks above 'batch_dims', got data of rank "
                          "%td, indices of rank %td",
                          x->rank, i->rank);
  *length = i->dims[i->rank - 1];
  if (*length > x->rank - batch)
    return tvm_graph_fail(s, "expects tuples of %lld at most, got %lld",
                          (long long)(x->rank - batch), (long long)*length);
  for (int64_t d = 0; d < batch; ++d)
    if (x->dims[d] != i->dims[d])
      return tvm_graph_fail(s,
                            "expects extent %lld in dimension %lld of the "
                            "indices, got %lld",
                            (long long)x->dims[d], (long long)d,
                            (long long)i->dims[d]);
  for (int64_t d = 0; d < *length; ++d)
    if (!check_source(s, x->dims[batch + d], i))
      return false;
  return true;
}

/* What a tuple leaves of the data, behind the shape of the indices. */
static bool tuple_shape(const tvm_graph_signature *s, const tvm_graph_shape *x,
                        const tvm_graph_shape *i, int64_t batch, int64_t length,
                        tvm_graph_shape *y) {
  intptr_t first = (intptr_t)(batch + length), rank = i->rank - 1;
  *y = (tvm_graph_shape){.element = x->element};
  y->rank = rank + x->rank - first;
  if (y->rank > TVM_GRAPH_MAX_RANK)
    return tvm_graph_fail(s,
                          "expects a result of rank %d at most, got rank %td",
                          TVM_GRAPH_MAX_RANK, y->rank);
  for (intptr_t d = 0; d < rank; ++d)
    y->dims[d] = i->dims[d];
  for (intptr_t d = first; d < x->rank; ++d)
    y->dims[rank + d - first] = x->dims[d];
  return true;
}

TVM_GRAPH_INFER(gather_nd) {
  tvm_graph_shape x, i, y;
  int64_t batch, length;
  if (!tvm_graph_expect_operands(s, 2) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_ANY, &x) ||
      !tvm_graph_read_i64(s, "batch_dims", &batch) ||
      !read_tuples(s, &x, batch, &i, &length) ||
      !tuple_shape(s, &x, &i, batch, length, &y))
    return mlirLogicalResultFailure();
  return tvm_graph_set_result(s, &y, n_results, results);
}

static bool read_scatter(const tvm_graph_signature *s, tvm_graph_shape *x,
                         tvm_graph_shape *updates) {
  static const char *const REDUCTIONS[] = {"none", "add", "mul",
                                           "max",  "min", NULL};
  int reduction;
  if (!tvm_graph_expect_operands(s, 3) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_ANY, x) ||
      !tvm_graph_read_operand(s, 2, TVM_GRAPH_ANY, updates) ||
      !tvm_graph_expect_same_element(s, 0, 2) ||
      !tvm_graph_read_choice(s, "reduction", REDUCTIONS, &reduction))
    return false;
  if (reduction == 0 ||
      tvm_graph_has_element_kind(x->element, TVM_GRAPH_NUMBER))
    return true;
  return tvm_graph_fail(s, "expects numbers for reduction '%s'",
                        REDUCTIONS[reduction]);
}

static bool expect_shape(const tvm_graph_signature *s,
                         const tvm_graph_shape *expected,
                         const tvm_graph_shape *got) {
  bool same = expected->rank == got->rank;
  for (intptr_t d = 0; same && d < got->rank; ++d)
    same = expected->dims[d] == got->dims[d];
  return same || tvm_graph_fail(s, "expects updates of the shape that the "
                                   "indices give");
}

TVM_GRAPH_INFER(scatter_elements) {
  tvm_graph_shape x, i, updates;
  intptr_t axis;
  if (!read_scatter(s, &x, &updates) || !read_indices(s, 1, &i) ||
      !tvm_graph_read_axis(s, "axis", x.rank, &axis) ||
      !check_elements(s, &x, &i, axis) || !expect_shape(s, &i, &updates))
    return mlirLogicalResultFailure();
  return tvm_graph_set_result(s, &x, n_results, results);
}

TVM_GRAPH_INFER(scatter_nd) {
  tvm_graph_shape x, i, updates, expected;
  int64_t length;
  if (!read_scatter(s, &x, &updates) || !read_tuples(s, &x, 0, &i, &length) ||
      !tuple_shape(s, &x, &i, 0, length, &expected) ||
      !expect_shape(s, &expected, &updates))
    return mlirLogicalResultFailure();
  return tvm_graph_set_result(s, &x, n_results, results);
}

TVM_GRAPH_INFER(top_k) {
  tvm_graph_shape x;
  intptr_t axis;
  int64_t k;
  bool largest;
  if (!tvm_graph_expect_operands(s, 1) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_NUMBER, &x) ||
      !tvm_graph_read_axis(s, "axis", x.rank, &axis) ||
      !tvm_graph_read_i64(s, "k", &k) ||
      !tvm_graph_read_bool(s, "largest", &largest))
    return mlirLogicalResultFailure();
  if (k < 0 || k > x.dims[axis]) {
    tvm_graph_fail(s, "expects 'k' in [0, %lld], got %lld",
                   (long long)x.dims[axis], (long long)k);
    return mlirLogicalResultFailure();
  }
  x.dims[axis] = k;
  if (mlirLogicalResultIsFailure(
          tvm_graph_set_result(s, &x, n_results, results)))
    return mlirLogicalResultFailure();
  x.element = tvm_graph_int64(s);
  return tvm_graph_add_result(s, &x, n_results, results);
}

TVM_GRAPH_INFER(assert) {
  tvm_graph_shape x;
  MlirAttribute message;
  *n_results = 0;
  (void)results;
  if (!tvm_graph_expect_operands(s, 1) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_BOOL, &x))
    return mlirLogicalResultFailure();
  message = tvm_graph_read_attr(s, "message");
  if (mlirAttributeIsNull(message))
    return mlirLogicalResultFailure();
  if (mlirAttributeIsAString(message))
    return mlirLogicalResultSuccess();
  tvm_graph_fail(s, "expects attribute 'message' to be a string");
  return mlirLogicalResultFailure();
}
