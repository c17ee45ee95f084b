/* infer_reduction.c - results of the reductions along axes. */
#include "graph/infer.h"

static bool read_axes(const tvm_graph_signature *s, intptr_t rank,
                      bool *is_axis) {
  intptr_t n;
  int64_t axes[TVM_GRAPH_MAX_RANK], last = -1;
  if (!tvm_graph_read_list(s, "axes", &n, axes))
    return false;
  for (intptr_t i = 0; i < rank; ++i)
    is_axis[i] = false;
  for (intptr_t i = 0; i < n; ++i) {
    if (axes[i] < 0 || axes[i] >= rank)
      return tvm_graph_fail(s, "expects 'axes' in [0, %td), got %lld", rank,
                            (long long)axes[i]);
    if (axes[i] <= last)
      return tvm_graph_fail(s,
                            "expects 'axes' in rising order, got %lld after "
                            "%lld",
                            (long long)axes[i], (long long)last);
    last = axes[i];
    is_axis[last] = true;
  }
  return true;
}

/* Drop the dimensions in `is_axis`, or make them one. */
static void reduce_shape(tvm_graph_shape *x, const bool *is_axis,
                         bool keepdims) {
  intptr_t rank = 0;
  for (intptr_t i = 0; i < x->rank; ++i)
    if (keepdims || !is_axis[i])
      x->dims[rank++] = is_axis[i] ? 1 : x->dims[i];
  x->rank = rank;
}

TVM_GRAPH_INFER(reduction) {
  tvm_graph_shape x;
  bool is_axis[TVM_GRAPH_MAX_RANK], keepdims;
  if (!tvm_graph_expect_operands(s, 1) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_NUMBER, &x) ||
      !read_axes(s, x.rank, is_axis) ||
      !tvm_graph_read_bool(s, "keepdims", &keepdims))
    return mlirLogicalResultFailure();
  reduce_shape(&x, is_axis, keepdims);
  return tvm_graph_set_result(s, &x, n_results, results);
}

TVM_GRAPH_INFER(arg_reduction) {
  tvm_graph_shape x;
  intptr_t axis;
  bool is_axis[TVM_GRAPH_MAX_RANK] = {false}, keepdims, select_last;
  if (!tvm_graph_expect_operands(s, 1) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_NUMBER, &x) ||
      !tvm_graph_read_axis(s, "axis", x.rank, &axis) ||
      !tvm_graph_read_bool(s, "keepdims", &keepdims) ||
      !tvm_graph_read_bool(s, "select_last", &select_last))
    return mlirLogicalResultFailure();
  if (x.dims[axis] == 0) {
    tvm_graph_fail(s, "expects an element at least along dimension %td", axis);
    return mlirLogicalResultFailure();
  }
  is_axis[axis] = true;
  reduce_shape(&x, is_axis, keepdims);
  x.element = tvm_graph_int64(s);
  return tvm_graph_set_result(s, &x, n_results, results);
}

TVM_GRAPH_INFER(softmax) {
  tvm_graph_shape x;
  intptr_t axis;
  if (!tvm_graph_expect_operands(s, 1) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_FLOAT, &x) ||
      !tvm_graph_read_axis(s, "axis", x.rank, &axis))
    return mlirLogicalResultFailure();
  return tvm_graph_set_result(s, &x, n_results, results);
}

TVM_GRAPH_INFER(normalize) {
  tvm_graph_shape x;
  intptr_t axis;
  double epsilon;
  bool center;
  if (!tvm_graph_expect_operands(s, 1) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_FLOAT, &x) ||
      !tvm_graph_read_axis(s, "axis", x.rank, &axis) ||
      !tvm_graph_read_f64(s, "epsilon", &epsilon) ||
      !tvm_graph_read_bool(s, "center", &center))
    return mlirLogicalResultFailure();
  return tvm_graph_set_result(s, &x, n_results, results);
}

TVM_GRAPH_INFER(cum_sum) {
  tvm_graph_shape x;
  intptr_t axis;
  bool exclusive, reverse;
  if (!tvm_graph_expect_operands(s, 1) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_NUMBER, &x) ||
      !tvm_graph_read_axis(s, "axis", x.rank, &axis) ||
      !tvm_graph_read_bool(s, "exclusive", &exclusive) ||
      !tvm_graph_read_bool(s, "reverse", &reverse))
    return mlirLogicalResultFailure();
  return tvm_graph_set_result(s, &x, n_results, results);
}
