/* reduction.c - reductions over axes and the position of an extreme.
 *
 * Loops are the dimensions of the input in order. The accumulator has no
 * reduced dimensions; kept ones come back by a reshape. */
#include "graph_to_te/lowering.h"

/* The dimensions outside of `reductions`. Returns how many. */
static intptr_t kept_dims(MlirContext c, MlirType type, uint32_t reductions,
                          int64_t *shape, MlirAffineExpr *exprs) {
  intptr_t n = 0;
  for (intptr_t i = 0; i < tvm_type_rank(type); ++i) {
    if (reductions >> i & 1)
      continue;
    shape[n] = tvm_type_dim(type, i);
    exprs[n++] = tvm_dim_expr(c, i);
  }
  return n;
}

static uint32_t axes_mask(MlirOperation op) {
  uint32_t mask = 0;
  for (intptr_t i = 0; i < tvm_get_i64s_size(op, "axes"); ++i)
    mask |= 1u << tvm_get_i64s(op, "axes", i);
  return mask;
}

static MlirLogicalResult lower_reduction(tvm_lowering *l, tvm_combiner kind) {
  MlirValue x = l->operands[0];
  MlirType element = tvm_operand_element(l, 0);
  MlirContext c = l->b.context;
  uint32_t mask = axes_mask(l->op);
  int64_t shape[TVM_LOWER_MAX_RANK];
  MlirAffineExpr exprs[TVM_LOWER_MAX_RANK];
  intptr_t rank = tvm_rank(x);
  intptr_t n = kept_dims(c, mlirValueGetType(x), mask, shape, exprs);
  MlirAffineMap maps[] = {tvm_identity_map(c, rank),
                          tvm_map(c, rank, n, exprs)};
  MlirValue out = tvm_begin_accumulate(
      l, tvm_combiner_identity(&l->b, kind, element), n, shape);
  if (tvm_num_elements(mlirValueGetType(x)) == 0) {
    tvm_end_accumulate(l, out);
    return mlirLogicalResultSuccess();
  }
  tvm_generic g = tvm_begin_generic(&l->b, 1, &x, 1, &out, maps, rank, mask);
  MlirValue y = tvm_combine(&g.b, kind, element, tvm_generic_argument(&g, 1),
                            tvm_widen(&g.b, tvm_generic_argument(&g, 0)));
  tvm_end_accumulate(l, tvm_end_generic(&g, 1, &y));
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_lower_reduce_sum(tvm_lowering *l) {
  return lower_reduction(l, TVM_COMBINE_SUM);
}

MlirLogicalResult tvm_lower_reduce_prod(tvm_lowering *l) {
  return lower_reduction(l, TVM_COMBINE_PROD);
}

MlirLogicalResult tvm_lower_reduce_max(tvm_lowering *l) {
  return lower_reduction(l, TVM_COMBINE_MAX);
}

MlirLogicalResult tvm_lower_reduce_min(tvm_lowering *l) {
  return lower_reduction(l, TVM_COMBINE_MIN);
}

/* Does the element replace the extreme so far? NaN is the extreme of both
 * directions. */
static MlirValue replaces(tvm_builder *b, MlirType element, bool max, bool last,
                          MlirValue x, MlirValue best) {
  if (!tvm_is_float(element)) {
    bool u = tvm_is_unsigned(element);
    const char *predicate =
        max ? (last ? (u ? "uge" : "sge") : (u ? "ugt" : "sgt"))
            : (last ? (u ? "ule" : "sle") : (u ? "ult" : "slt"));
    return tvm_compare_int(b, predicate, x, best);
  }
  const char *predicate = max ? (last ? "oge" : "ogt") : (last ? "ole" : "olt");
  MlirValue nan = tvm_compare_float(b, "uno", x, x);
  if (!last)
    nan = tvm_binary(b, "arith.andi", nan,
                     tvm_compare_float(b, "ord", best, best));
  return tvm_binary(b, "arith.ori", tvm_compare_float(b, predicate, x, best),
                    nan);
}

static MlirLogicalResult lower_arg(tvm_lowering *l, bool max) {
  MlirValue x = l->operands[0];
  MlirType element = tvm_operand_element(l, 0);
  MlirContext c = l->b.context;
  MlirType i64 = mlirIntegerTypeGet(c, 64);
  int64_t axis = tvm_get_i64(l->op, "axis");
  bool last = tvm_get_bool(l->op, "select_last");
  int64_t shape[TVM_LOWER_MAX_RANK];
  MlirAffineExpr exprs[TVM_LOWER_MAX_RANK];
  intptr_t rank = tvm_rank(x);
  uint32_t mask = 1u << axis;
  intptr_t n = kept_dims(c, mlirValueGetType(x), mask, shape, exprs);
  MlirAffineMap kept = tvm_map(c, rank, n, exprs);
  MlirAffineMap maps[] = {tvm_identity_map(c, rank), kept, kept};
  MlirValue start = tvm_combiner_identity(
      &l->b, max ? TVM_COMBINE_MAX : TVM_COMBINE_MIN, element);
  MlirValue outs[2];
  outs[0] = tvm_begin_accumulate(l, tvm_int_constant(&l->b, i64, 0), n, shape);
  outs[1] =
      tvm_fill(&l->b, start,
               tvm_empty_shape(&l->b, n, shape, tvm_compute_type(element)));
  tvm_generic g = tvm_begin_generic(&l->b, 1, &x, 2, outs, maps, rank, mask);
  MlirValue v = tvm_widen(&g.b, tvm_generic_argument(&g, 0));
  MlirValue best = tvm_generic_argument(&g, 2);
  MlirValue index =
      tvm_convert(&g.b, "arith.index_cast", i64, tvm_loop_index(&g, axis));
  MlirValue take = replaces(&g.b, element, max, last, v, best);
  MlirValue y[] = {tvm_select(&g.b, take, index, tvm_generic_argument(&g, 1)),
                   tvm_select(&g.b, take, v, best)};
  tvm_end_accumulate(l, tvm_end_generic(&g, 2, y));
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_lower_arg_max(tvm_lowering *l) {
  return lower_arg(l, true);
}

MlirLogicalResult tvm_lower_arg_min(tvm_lowering *l) {
  return lower_arg(l, false);
}
