/* infer_shape.c - operators that move elements without computing. */
#include "graph/infer.h"

TVM_GRAPH_INFER(transpose) {
  tvm_graph_shape x, y;
  int64_t permutation[TVM_GRAPH_MAX_RANK];
  bool seen[TVM_GRAPH_MAX_RANK] = {false};
  if (!tvm_graph_expect_operands(s, 1) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_ANY, &x) ||
      !tvm_graph_read_i64s(s, "permutation", x.rank, permutation))
    return mlirLogicalResultFailure();
  y = x;
  for (intptr_t i = 0; i < x.rank; ++i) {
    int64_t p = permutation[i];
    if (p < 0 || p >= x.rank || seen[p]) {
      tvm_graph_fail(s, "expects a permutation of %td dimensions", x.rank);
      return mlirLogicalResultFailure();
    }
    seen[p] = true;
    y.dims[i] = x.dims[p];
  }
  return tvm_graph_set_result(s, &y, n_results, results);
}

/* A list of extents, none negative. */
static bool read_shape(const tvm_graph_signature *s, tvm_graph_shape *y) {
  if (!tvm_graph_read_list(s, "shape", &y->rank, y->dims))
    return false;
  for (intptr_t i = 0; i < y->rank; ++i)
    if (y->dims[i] < 0)
      return tvm_graph_fail(s, "expects extents of 0 at least, got %lld",
                            (long long)y->dims[i]);
  return true;
}

TVM_GRAPH_INFER(reshape) {
  tvm_graph_shape x, y;
  if (!tvm_graph_expect_operands(s, 1) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_ANY, &x) || !read_shape(s, &y))
    return mlirLogicalResultFailure();
  y.element = x.element;
  if (mlirLogicalResultIsFailure(
          tvm_graph_set_result(s, &y, n_results, results)))
    return mlirLogicalResultFailure();
  if (tvm_graph_count(&x) == tvm_graph_count(&y))
    return mlirLogicalResultSuccess();
  tvm_graph_fail(s, "expects a shape of %lld elements, got %lld",
                 (long long)tvm_graph_count(&x),
                 (long long)tvm_graph_count(&y));
  return mlirLogicalResultFailure();
}

TVM_GRAPH_INFER(broadcast) {
  tvm_graph_shape x, y;
  if (!tvm_graph_expect_operands(s, 1) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_ANY, &x) || !read_shape(s, &y))
    return mlirLogicalResultFailure();
  intptr_t skip = y.rank - x.rank;
  bool fits = skip >= 0;
  for (intptr_t i = 0; fits && i < x.rank; ++i)
    fits = x.dims[i] == 1 || x.dims[i] == y.dims[skip + i];
  if (!fits) {
    tvm_graph_fail(s, "expects an operand that broadcasts to 'shape'");
    return mlirLogicalResultFailure();
  }
  y.element = x.element;
  return tvm_graph_set_result(s, &y, n_results, results);
}

static bool add_part(const tvm_graph_signature *s, intptr_t i, intptr_t axis,
                     tvm_graph_shape *y) {
  tvm_graph_shape x;
  if (!tvm_graph_read_operand(s, i, TVM_GRAPH_ANY, &x) ||
      !tvm_graph_expect_same_element(s, 0, i))
    return false;
  if (x.rank != y->rank)
    return tvm_graph_fail(s, "expects operands of rank %td, got rank %td",
                          y->rank, x.rank);
  for (intptr_t d = 0; d < x.rank; ++d)
    if (d != axis && x.dims[d] != y->dims[d])
      return tvm_graph_fail(s,
                            "expects extent %lld in dimension %td of operand "
                            "%td, got %lld",
                            (long long)y->dims[d], d, i, (long long)x.dims[d]);
  if (__builtin_add_overflow(y->dims[axis], x.dims[axis], &y->dims[axis]))
    return tvm_graph_fail(s, "expects a result of 2^48 elements at most");
  return true;
}

TVM_GRAPH_INFER(concat) {
  tvm_graph_shape y;
  intptr_t axis;
  if (s->n_operands < 1) {
    tvm_graph_fail(s, "expects an operand at least");
    return mlirLogicalResultFailure();
  }
  if (!tvm_graph_read_operand(s, 0, TVM_GRAPH_ANY, &y) ||
      !tvm_graph_read_axis(s, "axis", y.rank, &axis))
    return mlirLogicalResultFailure();
  for (intptr_t i = 1; i < s->n_operands; ++i)
    if (!add_part(s, i, axis, &y))
      return mlirLogicalResultFailure();
  return tvm_graph_set_result(s, &y, n_results, results);
}

/* Whether start + (size - 1) * step and start lie in [0, extent). An empty
 * slice may start at the end as well. */
static bool is_inside(int64_t start, int64_t size, int64_t step,
                      int64_t extent) {
  int64_t last;
  if (size == 0)
    return start >= 0 && start <= extent;
  if (size < 0 || start < 0 || start >= extent ||
      __builtin_mul_overflow(size - 1, step, &last) ||
      __builtin_add_overflow(start, last, &last))
    return false;
  return last >= 0 && last < extent;
}

TVM_GRAPH_INFER(slice) {
  tvm_graph_shape x, y;
  int64_t starts[TVM_GRAPH_MAX_RANK], sizes[TVM_GRAPH_MAX_RANK],
      steps[TVM_GRAPH_MAX_RANK];
  if (!tvm_graph_expect_operands(s, 1) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_ANY, &x) ||
      !tvm_graph_read_i64s(s, "starts", x.rank, starts) ||
      !tvm_graph_read_i64s(s, "sizes", x.rank, sizes) ||
      !tvm_graph_read_i64s(s, "steps", x.rank, steps))
    return mlirLogicalResultFailure();
  y = x;
  for (intptr_t i = 0; i < x.rank; ++i) {
    if (steps[i] == 0) {
      tvm_graph_fail(s, "expects 'steps' other than 0");
      return mlirLogicalResultFailure();
    }
    if (!is_inside(starts[i], sizes[i], steps[i], x.dims[i])) {
      tvm_graph_fail(s,
                     "reads outside of dimension %td: start %lld, size %lld, "
                     "step %lld, extent %lld",
                     i, (long long)starts[i], (long long)sizes[i],
                     (long long)steps[i], (long long)x.dims[i]);
      return mlirLogicalResultFailure();
    }
    y.dims[i] = sizes[i];
  }
  return tvm_graph_set_result(s, &y, n_results, results);
}

/* Cropping takes away elements that are there; the other modes add some, and
 * need one to take them from. */
static bool check_pad(const tvm_graph_signature *s, bool constant, intptr_t d,
                      int64_t extent, int64_t low, int64_t high) {
  int64_t least = low < high ? low : high, kept;
  if (!constant && least < 0)
    return tvm_graph_fail(
        s, "expects pads of 0 at least unless 'mode' is constant, got %lld",
        (long long)least);
  if (!constant && extent == 0 && (low || high))
    return tvm_graph_fail(s, "expects an element at least in dimension %td", d);
  if (__builtin_add_overflow(extent, low < 0 ? low : 0, &kept) ||
      __builtin_add_overflow(kept, high < 0 ? high : 0, &kept) || kept < 0)
    return tvm_graph_fail(
        s, "crops more than the %lld elements of dimension %td, by %lld, %lld",
        (long long)extent, d, (long long)low, (long long)high);
  return true;
}

static bool pad_extent(const tvm_graph_signature *s, int64_t low, int64_t high,
                       int64_t *extent) {
  if (!__builtin_add_overflow(*extent, low, extent) &&
      !__builtin_add_overflow(*extent, high, extent))
    return true;
  return tvm_graph_fail(s, "expects a result of 2^48 elements at most");
}

TVM_GRAPH_INFER(pad) {
  static const char *const MODES[] = {"constant", "edge", "reflect", "wrap",
                                      NULL};
  tvm_graph_shape x, value;
  int64_t low[TVM_GRAPH_MAX_RANK], high[TVM_GRAPH_MAX_RANK];
  int mode;
  if (!tvm_graph_expect_operands(s, 2) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_ANY, &x) ||
      !tvm_graph_read_operand(s, 1, TVM_GRAPH_ANY, &value) ||
      !tvm_graph_expect_same_element(s, 0, 1) ||
      !tvm_graph_read_i64s(s, "low", x.rank, low) ||
      !tvm_graph_read_i64s(s, "high", x.rank, high) ||
      !tvm_graph_read_choice(s, "mode", MODES, &mode))
    return mlirLogicalResultFailure();
  if (value.rank != 0) {
    tvm_graph_fail(s, "expects a value of rank 0, got rank %td", value.rank);
    return mlirLogicalResultFailure();
  }
  for (intptr_t i = 0; i < x.rank; ++i) {
    if (!check_pad(s, mode == 0, i, x.dims[i], low[i], high[i]) ||
        !pad_extent(s, low[i], high[i], &x.dims[i]))
      return mlirLogicalResultFailure();
  }
  return tvm_graph_set_result(s, &x, n_results, results);
}
