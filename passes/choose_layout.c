/* choose_layout.c - compute convolutions and pools with channels last.
 *
 * One walk over the function. For every value it knows the "last" form: the
 * same data with the channel dimension innermost. Convolutions and pools ask
 * for the last form of their input and give their result in it; elementwise
 * operators, concatenation, padding, slicing and reductions follow their
 * operands; everything else gets the original form back through a transpose
 * that is built once, where it is first needed. Padding of a convolution or a
 * pool becomes a pad of its own, which its producer can write. A transpose of
 * the model's own that turns channels in front counts as a change of form where
 * it leads to a convolution or pool; others, such as those of transformers, are
 * left alone. The originals are left dead for DCE.
 *
 * Preserves: results and their order. Invalidates: nothing else.
 * Source: TVM paper, section 3 (data layout transformation). */
#include "base/value_set.h"
#include "passes/constant_values.h"
#include "passes/passes_internal.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_RANK = 16, WINDOW_DEPTH = 4, WINDOW_USERS = 4 };

typedef struct {
  tvm_value_map last;     /* value -> its channels-last form */
  tvm_value_map original; /* last-only value -> rebuilt original form */
} layout_state;

/* Dimension d of the last form is dimension source(d) of the original. */
static int64_t last_source(int64_t rank, int64_t d) {
  return d == 0 ? 0 : d == rank - 1 ? 1 : d + 1;
}

/* Where dimension d of the original stands in the last form. */
static int64_t last_position(int64_t rank, int64_t d) {
  return d == 0 ? 0 : d == 1 ? rank - 1 : d - 1;
}

static MlirValue build_transpose(tvm_builder *b, MlirValue x, int64_t rank,
                                 const int64_t *permutation) {
  MlirNamedAttribute attr =
      tvm_attr_i64s(b->context, "permutation", rank, permutation);
  return tvm_graph_build(b, "transpose", 1, &x, 1, &attr);
}

static MlirValue to_last(layout_state *s, tvm_builder *b, MlirValue x) {
  MlirValue known = tvm_value_map_get(&s->last, x);
  if (known.ptr)
    return known;
  int64_t rank = tvm_rank(x), permutation[MAX_RANK];
  for (int64_t d = 0; d < rank; ++d)
    permutation[d] = last_source(rank, d);
  MlirValue y = build_transpose(b, x, rank, permutation);
  tvm_value_map_put(&s->last, x, y);
  tvm_value_map_put(&s->original, x, x);
  return y;
}

/* The original form of a value that was computed in last form only. */
static MlirValue to_original(layout_state *s, tvm_builder *b, MlirValue x) {
  MlirValue last = tvm_value_map_get(&s->last, x),
            built = tvm_value_map_get(&s->original, x);
  if (!last.ptr)
    return x;
  if (built.ptr)
    return built;
  int64_t rank = tvm_rank(x), permutation[MAX_RANK];
  for (int64_t d = 0; d < rank; ++d)
    permutation[d] = last_position(rank, d);
  MlirValue y = build_transpose(b, last, rank, permutation);
  tvm_value_map_put(&s->original, x, y);
  return y;
}

static void permute_i64s(MlirOperation op, const char *name, int64_t rank,
                         int64_t *out) {
  for (int64_t d = 0; d < rank; ++d)
    out[d] = tvm_get_i64s(op, name, last_source(rank, d));
}

static MlirNamedAttribute copy_attr(MlirOperation op, const char *name) {
  return tvm_attr(mlirOperationGetContext(op), name, tvm_get_attr(op, name));
}

/* What a maximum takes no notice of. */
static MlirValue build_lowest(tvm_builder *b, MlirType element) {
  MlirType scalar = tvm_tensor_type(0, NULL, element);
  if (!mlirTypeIsAInteger(element))
    return tvm_build_splat(b, scalar, -INFINITY);
  unsigned width = mlirIntegerTypeGetWidth(element);
  bool has_sign = !mlirIntegerTypeIsUnsigned(element) && width > 1;
  return tvm_build_splat(b, scalar, has_sign ? -ldexp(1, (int)width - 1) : 0);
}

static MlirValue build_zero(tvm_builder *b, MlirType element) {
  return tvm_build_splat(b, tvm_tensor_type(0, NULL, element), 0);
}

/* The channels-last `x` with the `pads` of a window operator around it. */
static MlirValue pad_spatial(tvm_builder *b, MlirValue x, MlirOperation conv,
                             MlirValue (*outside)(tvm_builder *, MlirType)) {
  int64_t rank = tvm_rank(x), low[MAX_RANK] = {0}, high[MAX_RANK] = {0};
  bool any = false;
  for (int64_t i = 0; i < rank - 2; ++i) {
    low[i + 1] = tvm_get_i64s(conv, "pads", i);
    high[i + 1] = tvm_get_i64s(conv, "pads", rank - 2 + i);
    any |= low[i + 1] || high[i + 1];
  }
  if (!any)
    return x;
  MlirValue operands[] = {x, outside(b, tvm_element_type(x))};
  MlirNamedAttribute attrs[] = {tvm_attr_i64s(b->context, "low", rank, low),
                                tvm_attr_i64s(b->context, "high", rank, high),
                                tvm_attr_str(b->context, "mode", "constant")};
  return tvm_graph_build(b, "pad", 2, operands, 3, attrs);
}

/* O,I,spatial -> spatial,I,O */
static MlirValue weight_to_last(tvm_builder *b, MlirValue w) {
  int64_t rank = tvm_rank(w), permutation[MAX_RANK];
  for (int64_t d = 0; d < rank - 2; ++d)
    permutation[d] = d + 2;
  permutation[rank - 2] = 1;
  permutation[rank - 1] = 0;
  return build_transpose(b, w, rank, permutation);
}

static MlirValue rewrite_conv(layout_state *s, tvm_builder *b,
                              MlirOperation op) {
  MlirValue x = to_last(s, b, tvm_operand(op, 0));
  int64_t rank = tvm_rank(x), zeros[2 * MAX_RANK] = {0};
  MlirValue operands[] = {pad_spatial(b, x, op, build_zero),
                          weight_to_last(b, tvm_operand(op, 1))};
  MlirNamedAttribute attrs[] = {
      copy_attr(op, "strides"),
      tvm_attr_i64s(b->context, "pads", 2 * (rank - 2), zeros),
      copy_attr(op, "dilations"), copy_attr(op, "groups"),
      tvm_attr_str(b->context, "layout", "NXC")};
  return tvm_graph_build(b, "conv", 2, operands, 5, attrs);
}

static MlirValue rewrite_pool(layout_state *s, tvm_builder *b,
                              MlirOperation op) {
  MlirValue x = to_last(s, b, tvm_operand(op, 0));
  int64_t rank = tvm_rank(x), zeros[2 * MAX_RANK] = {0};
  bool max = tvm_get_str(op, "kind").data[0] == 'm';
  x = pad_spatial(b, x, op, max ? build_lowest : build_zero);
  MlirNamedAttribute attrs[] = {
      copy_attr(op, "kind"),
      copy_attr(op, "kernel"),
      copy_attr(op, "strides"),
      tvm_attr_i64s(b->context, "pads", 2 * (rank - 2), zeros),
      copy_attr(op, "dilations"),
      tvm_attr_str(b->context, "layout", "NXC")};
  return tvm_graph_build(b, "pool", 1, &x, 6, attrs);
}

/* A broadcast operand of an elementwise operator of rank `rank`. */
static MlirValue operand_to_last(layout_state *s, tvm_builder *b, MlirValue x,
                                 int64_t rank) {
  int64_t own = tvm_rank(x), shape[MAX_RANK];
  if (own == rank)
    return to_last(s, b, x);
  x = to_original(s, b, x);
  if (tvm_num_elements(mlirValueGetType(x)) == 1)
    return x;
  for (int64_t d = 0; d < rank; ++d)
    shape[d] = d < rank - own ? 1 : tvm_dim(x, d - (rank - own));
  MlirNamedAttribute attr = tvm_attr_i64s(b->context, "shape", rank, shape);
  MlirValue full = tvm_graph_build(b, "reshape", 1, &x, 1, &attr);
  return to_last(s, b, full);
}

static MlirValue rewrite_elementwise(layout_state *s, tvm_builder *b,
                                     MlirOperation op) {
  MlirValue operands[3];
  intptr_t n = mlirOperationGetNumOperands(op);
  int64_t rank = tvm_rank(tvm_result(op, 0));
  for (intptr_t i = 0; i < n; ++i)
    operands[i] = operand_to_last(s, b, tvm_operand(op, i), rank);
  MlirNamedAttribute attr;
  bool cast = tvm_op_is(op, "graph.cast");
  if (cast)
    attr = copy_attr(op, "to");
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  return tvm_graph_build(b, name.data + sizeof "graph." - 1, n, operands, cast,
                         &attr);
}

static MlirValue rewrite_concat(layout_state *s, tvm_builder *b,
                                MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  MlirValue *operands = malloc((size_t)n * sizeof *operands);
  for (intptr_t i = 0; i < n; ++i)
    operands[i] = to_last(s, b, tvm_operand(op, i));
  int64_t rank = tvm_rank(operands[0]);
  MlirNamedAttribute attr = tvm_attr_i64(
      b->context, "axis", last_position(rank, tvm_get_i64(op, "axis")));
  MlirValue y = tvm_graph_build(b, "concat", n, operands, 1, &attr);
  free(operands);
  return y;
}

/* pad and slice: arrays over all dimensions, the rest unchanged. */
static MlirValue rewrite_per_dimension(layout_state *s, tvm_builder *b,
                                       MlirOperation op) {
  static const char *const pad_arrays[] = {"low", "high", NULL};
  static const char *const slice_arrays[] = {"starts", "sizes", "steps", NULL};
  bool pad = tvm_op_is(op, "graph.pad");
  MlirValue operands[2] = {to_last(s, b, tvm_operand(op, 0))};
  int64_t rank = tvm_rank(operands[0]), permuted[MAX_RANK];
  MlirNamedAttribute attrs[4];
  intptr_t n = 0;
  for (const char *const *a = pad ? pad_arrays : slice_arrays; *a; ++a) {
    permute_i64s(op, *a, rank, permuted);
    attrs[n++] = tvm_attr_i64s(b->context, *a, rank, permuted);
  }
  if (pad) {
    operands[1] = tvm_operand(op, 1);
    attrs[n++] = copy_attr(op, "mode");
  }
  return tvm_graph_build(b, pad ? "pad" : "slice", pad ? 2 : 1, operands, n,
                         attrs);
}

static int compare_i64(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Reductions that keep their dimensions, or that leave N and C alone, have a
 * result whose form is known. */
static bool can_rewrite_reduction(MlirOperation op) {
  if (tvm_get_bool(op, "keepdims"))
    return true;
  int64_t rank = tvm_rank(tvm_operand(op, 0));
  if (tvm_get_i64s_size(op, "axes") != rank - 2)
    return false;
  for (int64_t i = 0; i < rank - 2; ++i)
    if (tvm_get_i64s(op, "axes", i) != i + 2)
      return false;
  return true;
}

static MlirValue rewrite_reduction(layout_state *s, tvm_builder *b,
                                   MlirOperation op) {
  MlirValue x = to_last(s, b, tvm_operand(op, 0));
  int64_t rank = tvm_rank(x), axes[MAX_RANK];
  intptr_t n = tvm_get_i64s_size(op, "axes");
  for (intptr_t i = 0; i < n; ++i)
    axes[i] = last_position(rank, tvm_get_i64s(op, "axes", i));
  qsort(axes, (size_t)n, sizeof *axes, compare_i64);
  MlirNamedAttribute attrs[] = {tvm_attr_i64s(b->context, "axes", n, axes),
                                copy_attr(op, "keepdims")};
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  return tvm_graph_build(b, name.data + sizeof "graph." - 1, 1, &x, 2, attrs);
}

static bool is_permutation(MlirOperation op,
                           int64_t (*source)(int64_t, int64_t)) {
  int64_t rank = tvm_rank(tvm_operand(op, 0));
  for (int64_t d = 0; d < rank; ++d)
    if (tvm_get_i64s(op, "permutation", d) != source(rank, d))
      return false;
  return true;
}

static bool any_operand_last(const layout_state *s, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (tvm_value_map_get(&s->last, tvm_operand(op, i)).ptr)
      return true;
  return false;
}

static bool is_elementwise(MlirOperation op) {
  const tvm_graph_operator *row =
      tvm_graph_find_operator(mlirIdentifierStr(mlirOperationGetName(op)));
  return row && row->op_class == TVM_GRAPH_ELEMENTWISE;
}

/* Whether a convolution or pool reads the value, over elementwise operators
 * and pads. Looks at a bounded number of users. */
static bool reaches_window(MlirValue v, int depth) {
  int users = WINDOW_USERS;
  MlirOpOperand u = mlirValueGetFirstUse(v);
  for (; !mlirOpOperandIsNull(u) && users-- > 0;
       u = mlirOpOperandGetNextUse(u)) {
    MlirOperation user = mlirOpOperandGetOwner(u);
    if (tvm_op_is(user, "graph.conv") || tvm_op_is(user, "graph.pool"))
      return true;
    if (depth > 0 && (is_elementwise(user) || tvm_op_is(user, "graph.pad")) &&
        reaches_window(tvm_result(user, 0), depth - 1))
      return true;
  }
  return false;
}

/* The last form of the op's result when it has one; null otherwise. */
static MlirValue rewrite(layout_state *s, tvm_builder *b, MlirOperation op) {
  MlirValue none = {0};
  int64_t rank = tvm_rank(tvm_operand(op, 0));
  if (rank < 3 || rank > MAX_RANK)
    return none;
  /* turning weights that are computed as a model runs would cost more than it
   * gains */
  if (tvm_op_is(op, "graph.conv") && tvm_is_constant(tvm_operand(op, 1)))
    return rewrite_conv(s, b, op);
  if (tvm_op_is(op, "graph.pool"))
    return rewrite_pool(s, b, op);
  if (tvm_op_is(op, "graph.transpose") && is_permutation(op, last_position) &&
      reaches_window(tvm_result(op, 0), WINDOW_DEPTH))
    return tvm_operand(op, 0);
  if (!any_operand_last(s, op))
    return none;
  if (is_elementwise(op)) {
    int64_t result_rank = tvm_rank(tvm_result(op, 0));
    return result_rank <= MAX_RANK ? rewrite_elementwise(s, b, op) : none;
  }
  if (tvm_op_is(op, "graph.concat"))
    return rewrite_concat(s, b, op);
  if (tvm_op_is(op, "graph.pad") || tvm_op_is(op, "graph.slice"))
    return rewrite_per_dimension(s, b, op);
  return none;
}

static bool is_plain_reduction(MlirOperation op) {
  return tvm_op_is(op, "graph.reduce_sum") ||
         tvm_op_is(op, "graph.reduce_max") ||
         tvm_op_is(op, "graph.reduce_min") ||
         tvm_op_is(op, "graph.reduce_prod");
}

static void visit_graph_op(layout_state *s, MlirOperation op) {
  tvm_builder b = tvm_builder_before(op);
  MlirValue last = rewrite(s, &b, op);
  if (last.ptr) {
    tvm_value_map_put(&s->last, tvm_result(op, 0), last);
    return;
  }
  if (is_plain_reduction(op) && any_operand_last(s, op) &&
      can_rewrite_reduction(op)) {
    MlirValue y = rewrite_reduction(s, &b, op);
    if (tvm_get_bool(op, "keepdims"))
      tvm_value_map_put(&s->last, tvm_result(op, 0), y);
    else
      mlirValueReplaceAllUsesOfWith(tvm_result(op, 0), y);
    return;
  }
  if (tvm_op_is(op, "graph.transpose") && any_operand_last(s, op) &&
      is_permutation(op, last_source)) {
    mlirValueReplaceAllUsesOfWith(
        tvm_result(op, 0), tvm_value_map_get(&s->last, tvm_operand(op, 0)));
    return;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(op, i, to_original(s, &b, tvm_operand(op, i)));
}

static void visit(layout_state *s, MlirOperation op) {
  if (tvm_op_in_dialect(op, "graph") && mlirOperationGetNumOperands(op)) {
    visit_graph_op(s, op);
    return;
  }
  tvm_builder b = tvm_builder_before(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(op, i, to_original(s, &b, tvm_operand(op, i)));
}

MlirLogicalResult tvm_pass_choose_layout(MlirOperation func) {
  layout_state s = {0};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirOperation next, op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = next) {
    next = mlirOperationGetNextInBlock(op);
    visit(&s, op);
  }
  tvm_value_map_finish(&s.last);
  tvm_value_map_finish(&s.original);
  return mlirLogicalResultSuccess();
}
