/* reduce.c - Reduce*, ArgMax, ArgMin, CumSum and TopK.
 *
 * Source: ONNX Reduce* 1 to 20, ArgMax 1 to 13, CumSum 11, TopK 1 to 11. */
#include "decompose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct reduction {
  const char *op_type, *name;
  bool absolute, square;      /* before */
  bool mean, root, logarithm; /* after */
} reduction;

static const reduction REDUCTIONS[] = {
    {.op_type = "ReduceL1", .name = "reduce_sum", .absolute = true},
    {.op_type = "ReduceL2", .name = "reduce_sum", .square = true, .root = true},
    {.op_type = "ReduceLogSum", .name = "reduce_sum", .logarithm = true},
    {.op_type = "ReduceMax", .name = "reduce_max"},
    {.op_type = "ReduceMean", .name = "reduce_sum", .mean = true},
    {.op_type = "ReduceMin", .name = "reduce_min"},
    {.op_type = "ReduceProd", .name = "reduce_prod"},
    {.op_type = "ReduceSum", .name = "reduce_sum"},
    {.op_type = "ReduceSumSquare", .name = "reduce_sum", .square = true},
};

static const reduction *find_reduction(const tvm_onnx_node *node) {
  const char *op_type = tvm_onnx_op_type(node);
  for (size_t i = 0; i < sizeof REDUCTIONS / sizeof *REDUCTIONS; ++i)
    if (strcmp(REDUCTIONS[i].op_type, op_type) == 0)
      return &REDUCTIONS[i];
  return &REDUCTIONS[0];
}

/* The opset from which the axes are an operand. */
static int64_t get_axes_opset(const tvm_onnx_node *node) {
  return strcmp(tvm_onnx_op_type(node), "ReduceSum") == 0 ? 13 : 18;
}

/* Mark the axes; false after an error. `count` is what the node lists. */
static bool mark_axes(tvm_onnx_node *node, int64_t rank, bool *marked,
                      size_t *count) {
  int64_t n = 0, *owned = NULL;
  const int64_t *axes;
  if (tvm_onnx_opset(node) < get_axes_opset(node)) {
    axes = tvm_onnx_get_ints(node, "axes", count);
    n = (int64_t)*count;
  } else {
    if (tvm_onnx_has_operand(node, 1) &&
        !tvm_onnx_copy_i64s(node, 1, &n, &owned))
      return false;
    axes = owned;
  }
  *count = (size_t)n;
  bool ok = true;
  for (int64_t i = 0; ok && i < n; ++i) {
    int64_t axis = axes[i];
    ok = tvm_onnx_check_axis(node, "axes", rank, &axis);
    if (ok)
      marked[axis] = true;
  }
  free(owned);
  return ok;
}

typedef struct axis_list {
  intptr_t n;
  int64_t axes[TVM_EMIT_MAX_RANK];
  bool keepdims;
} axis_list;

static bool read_axes(tvm_onnx_node *node, MlirValue x, axis_list *out) {
  bool marked[TVM_EMIT_MAX_RANK] = {false};
  int64_t rank = tvm_rank(x);
  size_t count = 0;
  out->n = 0;
  out->keepdims = tvm_onnx_get_int(node, "keepdims", 1) != 0;
  bool noop = tvm_onnx_opset(node) >= get_axes_opset(node) &&
              tvm_onnx_get_int(node, "noop_with_empty_axes", 0);
  if (rank > TVM_EMIT_MAX_RANK) {
    tvm_onnx_unsupported(node, "rank %lld", (long long)rank);
    return false;
  }
  if (!mark_axes(node, rank, marked, &count))
    return false;
  for (int64_t i = 0; i < rank; ++i)
    if (marked[i] || (count == 0 && !noop))
      out->axes[out->n++] = i;
  return true;
}

static bool expect_data(tvm_onnx_node *node) {
  intptr_t high = tvm_onnx_opset(node) < get_axes_opset(node) ? 1 : 2;
  return mlirLogicalResultIsSuccess(tvm_onnx_expect_operands(node, 1, high));
}

/* A type that the reduction can be computed in. */
static MlirType get_compute_type(tvm_builder *b, const reduction *r,
                                 MlirType type) {
  if (mlirTypeIsAFloat(type))
    return type;
  if (mlirIntegerTypeGetWidth(type) == 1)
    return mlirIntegerTypeUnsignedGet(b->context, 8);
  return r->root || r->logarithm ? mlirF64TypeGet(b->context) : type;
}

static MlirValue reduce(tvm_builder *b, const reduction *r, MlirValue x,
                        const axis_list *a) {
  if (r->absolute)
    x = tvm_emit_unary(b, "abs", x);
  if (r->square)
    x = tvm_emit_binary(b, "mul", x, x);
  x = r->mean ? tvm_emit_mean(b, x, a->n, a->axes, a->keepdims)
              : tvm_emit_reduce(b, r->name, x, a->n, a->axes, a->keepdims);
  if (r->root)
    x = tvm_emit_unary(b, "sqrt", x);
  return r->logarithm ? tvm_emit_unary(b, "log", x) : x;
}

MlirLogicalResult tvm_onnx_import_reduce(tvm_onnx_node *node) {
  axis_list a;
  if (!expect_data(node) || !read_axes(node, tvm_onnx_operand(node, 0), &a))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  const reduction *r = find_reduction(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  MlirType type = tvm_element_type(x);
  x = tvm_emit_cast(b, x, get_compute_type(b, r, type));
  x = reduce(b, r, x, &a);
  return tvm_onnx_set_result(node, 0, tvm_emit_cast(b, x, type));
}

/* log(sum(exp(x))) with the maximum taken out, unless it is infinite. */
MlirLogicalResult tvm_onnx_import_reduce_log_sum_exp(tvm_onnx_node *node) {
  axis_list a;
  if (!expect_data(node) || !read_axes(node, tvm_onnx_operand(node, 0), &a))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  MlirType type = tvm_element_type(x);
  if (!mlirTypeIsAFloat(type))
    x = tvm_emit_cast(b, x, mlirF64TypeGet(b->context));
  MlirValue top = tvm_emit_reduce(b, "reduce_max", x, a.n, a.axes, true);
  MlirValue zero = tvm_emit_scalar(b, tvm_element_type(x), 0);
  top = tvm_emit_select(b, tvm_emit_unary(b, "is_inf", top), zero, top);
  MlirValue y = tvm_emit_unary(b, "exp", tvm_emit_binary(b, "sub", x, top));
  y = tvm_emit_reduce(b, "reduce_sum", y, a.n, a.axes, a.keepdims);
  y = tvm_emit_unary(b, "log", y);
  if (!tvm_emit_is_null(y)) {
    tvm_emit_shape s = tvm_emit_get_shape(y);
    y = tvm_emit_binary(b, "add", y, tvm_emit_reshape(b, top, &s));
  }
  return tvm_onnx_set_result(node, 0, tvm_emit_cast(b, y, type));
}

/* ---- ArgMax, ArgMin ---- */

MlirLogicalResult tvm_onnx_import_arg(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  bool is_max = strcmp(tvm_onnx_op_type(node), "ArgMax") == 0;
  MlirValue x = tvm_onnx_operand(node, 0);
  bool keepdims = tvm_onnx_get_int(node, "keepdims", 1) != 0;
  bool last = tvm_onnx_opset(node) >= 12 &&
              tvm_onnx_get_int(node, "select_last_index", 0) != 0;
  int64_t axis;
  if (!tvm_onnx_get_axis(node, "axis", 0, tvm_rank(x), &axis))
    return mlirLogicalResultFailure();
  if (tvm_dim(x, (intptr_t)axis) == 0)
    return tvm_onnx_fail(node, "axis %lld has no elements", (long long)axis);
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64(b->context, "axis", axis),
      tvm_attr_bool(b->context, "keepdims", keepdims),
      tvm_attr_bool(b->context, "select_last", last),
  };
  return tvm_onnx_set_result(
      node, 0,
      tvm_graph_build(b, is_max ? "arg_max" : "arg_min", 1, &x, 3, attrs));
}

/* ---- CumSum ---- */

MlirLogicalResult tvm_onnx_import_cum_sum(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 2)))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  bool exclusive = tvm_onnx_get_int(node, "exclusive", 0) != 0;
  bool reverse = tvm_onnx_get_int(node, "reverse", 0) != 0;
  int64_t axis;
  if (!tvm_onnx_read_i64(node, 1, &axis) ||
      !tvm_onnx_check_axis(node, "axis", tvm_rank(x), &axis))
    return mlirLogicalResultFailure();
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64(b->context, "axis", axis),
      tvm_attr_bool(b->context, "exclusive", exclusive),
      tvm_attr_bool(b->context, "reverse", reverse),
  };
  return tvm_onnx_set_result(node, 0,
                             tvm_graph_build(b, "cum_sum", 1, &x, 3, attrs));
}

/* ---- TopK ---- */

MlirLogicalResult tvm_onnx_import_top_k(tvm_onnx_node *node) {
  int64_t opset = tvm_onnx_opset(node), axis, k;
  intptr_t operands = opset >= 10 ? 2 : 1;
  if (mlirLogicalResultIsFailure(
          tvm_onnx_expect_operands(node, operands, operands)))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  bool largest = opset < 11 || tvm_onnx_get_int(node, "largest", 1) != 0;
  if (opset >= 11) /* sorted is one of the orders that unsorted allows */
    tvm_onnx_ignore_attr(node, "sorted");
  if (!tvm_onnx_get_axis(node, "axis", -1, tvm_rank(x), &axis))
    return mlirLogicalResultFailure();
  if (opset < 10)
    k = tvm_onnx_get_int(node, "k", 0);
  else if (!tvm_onnx_read_i64(node, 1, &k))
    return mlirLogicalResultFailure();
  int64_t extent = tvm_dim(x, (intptr_t)axis);
  if (k < 0 || k > extent)
    return tvm_onnx_fail(node, "k = %lld is not in [0, %lld]", (long long)k,
                         (long long)extent);
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64(b->context, "axis", axis),
      tvm_attr_i64(b->context, "k", k),
      tvm_attr_bool(b->context, "largest", largest),
  };
  MlirValue values = tvm_graph_build(b, "top_k", 1, &x, 3, attrs);
  if (tvm_emit_is_null(values))
    return mlirLogicalResultFailure();
  MlirValue indices = tvm_result(tvm_defining_op(values), 1);
  if (tvm_onnx_has_result(node, 1) &&
      mlirLogicalResultIsFailure(tvm_onnx_set_result(node, 1, indices)))
    return mlirLogicalResultFailure();
  return tvm_onnx_set_result(node, 0, values);
}
