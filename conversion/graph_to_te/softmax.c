/* softmax.c - softmax as five generics: maximum, exponential, sum, its
 * reciprocal, product.
 *
 * The maximum propagates NaN, and so does everything after it. */
#include "graph_to_te/lowering.h"

typedef struct {
  tvm_lowering *l;
  MlirType element, wide; /* as stored, as computed */
  intptr_t rank, axis;
  int64_t shape[TVM_LOWER_MAX_RANK], rows[TVM_LOWER_MAX_RANK];
  MlirAffineMap all, row;
} softmax;

static softmax begin(tvm_lowering *l) {
  MlirContext c = l->b.context;
  MlirType type = mlirValueGetType(l->operands[0]);
  MlirAffineExpr exprs[TVM_LOWER_MAX_RANK];
  softmax s = {.l = l,
               .element = mlirShapedTypeGetElementType(type),
               .rank = tvm_type_rank(type),
               .axis = tvm_get_i64(l->op, "axis")};
  s.wide = tvm_compute_type(s.element);
  tvm_shape_of(type, s.shape);
  intptr_t n = 0;
  for (intptr_t i = 0; i < s.rank; ++i)
    if (i != s.axis) {
      s.rows[n] = s.shape[i];
      exprs[n++] = tvm_dim_expr(c, i);
    }
  s.all = tvm_identity_map(c, s.rank);
  s.row = tvm_map(c, s.rank, n, exprs);
  return s;
}

static MlirValue reduce(softmax *s, tvm_combiner kind, MlirValue x) {
  tvm_builder *b = &s->l->b;
  MlirValue out = tvm_fill(b, tvm_combiner_identity(b, kind, s->element),
                           tvm_empty_shape(b, s->rank - 1, s->rows, s->wide));
  MlirAffineMap maps[] = {s->all, s->row};
  tvm_generic g =
      tvm_begin_generic(b, 1, &x, 1, &out, maps, s->rank, 1u << s->axis);
  MlirValue y = tvm_combine(&g.b, kind, s->element, tvm_generic_argument(&g, 1),
                            tvm_widen(&g.b, tvm_generic_argument(&g, 0)));
  return tvm_end_generic(&g, 1, &y);
}

static MlirValue exponential(softmax *s, MlirValue x, MlirValue max) {
  tvm_builder *b = &s->l->b;
  MlirValue ins[] = {x, max};
  MlirValue out = tvm_empty_shape(b, s->rank, s->shape, s->wide);
  MlirAffineMap maps[] = {s->all, s->row, s->all};
  tvm_generic g = tvm_begin_generic(b, 2, ins, 1, &out, maps, s->rank, 0);
  MlirValue y = tvm_binary(&g.b, "arith.subf",
                           tvm_widen(&g.b, tvm_generic_argument(&g, 0)),
                           tvm_generic_argument(&g, 1));
  y = tvm_unary(&g.b, "math.exp", y);
  return tvm_end_generic(&g, 1, &y);
}

/* One division a row, for each takes as long as eight products. */
static MlirValue reciprocal(softmax *s, MlirValue sum) {
  tvm_builder *b = &s->l->b;
  MlirAffineMap rows = tvm_identity_map(b->context, s->rank - 1);
  MlirAffineMap maps[] = {rows, rows};
  MlirValue out = tvm_empty_shape(b, s->rank - 1, s->rows, s->wide);
  tvm_generic g = tvm_begin_generic(b, 1, &sum, 1, &out, maps, s->rank - 1, 0);
  MlirValue y =
      tvm_binary(&g.b, "arith.divf", tvm_float_constant(&g.b, s->wide, 1),
                 tvm_generic_argument(&g, 0));
  return tvm_end_generic(&g, 1, &y);
}

static MlirValue scale(softmax *s, MlirValue e, MlirValue factor) {
  tvm_builder *b = &s->l->b;
  MlirValue ins[] = {e, factor};
  MlirValue out = tvm_destination(s->l, 0);
  MlirAffineMap maps[] = {s->all, s->row, s->all};
  tvm_generic g = tvm_begin_generic(b, 2, ins, 1, &out, maps, s->rank, 0);
  MlirValue y = tvm_binary(&g.b, "arith.mulf", tvm_generic_argument(&g, 0),
                           tvm_generic_argument(&g, 1));
  y = tvm_narrow(&g.b, y, s->element);
  return tvm_end_generic(&g, 1, &y);
}

MlirLogicalResult tvm_lower_softmax(tvm_lowering *l) {
  softmax s = begin(l);
  MlirValue max = reduce(&s, TVM_COMBINE_MAX, l->operands[0]);
  MlirValue e = exponential(&s, l->operands[0], max);
  l->results[0] = scale(&s, e, reciprocal(&s, reduce(&s, TVM_COMBINE_SUM, e)));
  return mlirLogicalResultSuccess();
}
