/* normalize.c - layer and RMS norm as sums over rows and elementwise steps.
 *
 * In two passes: the variance is the mean of squares of what is centered
 * already, so that a large mean cancels nothing. */
#include "graph_to_te/lowering.h"

typedef struct {
  tvm_lowering *l;
  MlirType element, wide; /* as stored, as computed */
  intptr_t rank, axis;
  double count; /* elements of a row */
  int64_t shape[TVM_LOWER_MAX_RANK];
  MlirAffineMap all, row;
} norm;

static norm begin(tvm_lowering *l) {
  MlirContext c = l->b.context;
  MlirType type = mlirValueGetType(l->operands[0]);
  MlirAffineExpr exprs[TVM_LOWER_MAX_RANK];
  norm n = {.l = l,
            .element = mlirShapedTypeGetElementType(type),
            .rank = tvm_type_rank(type),
            .axis = tvm_get_i64(l->op, "axis"),
            .count = 1};
  n.wide = tvm_compute_type(n.element);
  tvm_shape_of(type, n.shape);
  for (intptr_t i = 0; i < n.axis; ++i)
    exprs[i] = tvm_dim_expr(c, i);
  for (intptr_t i = n.axis; i < n.rank; ++i)
    n.count *= (double)n.shape[i];
  n.all = tvm_identity_map(c, n.rank);
  n.row = tvm_map(c, n.rank, n.axis, exprs);
  return n;
}

/* The sum of each row, of its squares if asked. */
static MlirValue sum_rows(norm *n, MlirValue x, bool squares) {
  tvm_builder *b = &n->l->b;
  MlirValue out = tvm_fill(b, tvm_float_constant(b, n->wide, 0),
                           tvm_empty_shape(b, n->axis, n->shape, n->wide));
  MlirAffineMap maps[] = {n->all, n->row};
  uint32_t reductions = 0;
  for (intptr_t i = n->axis; i < n->rank; ++i)
    reductions |= 1u << i;
  tvm_generic g =
      tvm_begin_generic(b, 1, &x, 1, &out, maps, n->rank, reductions);
  MlirValue v = tvm_widen(&g.b, tvm_generic_argument(&g, 0));
  if (squares)
    v = tvm_fast_binary(&g.b, "arith.mulf", "contract", v, v);
  v = tvm_fast_binary(&g.b, "arith.addf", "reassoc,contract",
                      tvm_generic_argument(&g, 1), v);
  return tvm_end_generic(&g, 1, &v);
}

static MlirValue divide_by_count(norm *n, tvm_builder *b, MlirValue sum) {
  return tvm_binary(b, "arith.divf", sum,
                    tvm_float_constant(b, n->wide, n->count));
}

static MlirValue subtract_mean(norm *n, MlirValue x) {
  tvm_builder *b = &n->l->b;
  MlirValue ins[] = {x, sum_rows(n, x, false)};
  MlirValue out = tvm_empty_shape(b, n->rank, n->shape, n->wide);
  MlirAffineMap maps[] = {n->all, n->row, n->all};
  tvm_generic g = tvm_begin_generic(b, 2, ins, 1, &out, maps, n->rank, 0);
  MlirValue mean = divide_by_count(n, &g.b, tvm_generic_argument(&g, 1));
  MlirValue y = tvm_binary(&g.b, "arith.subf",
                           tvm_widen(&g.b, tvm_generic_argument(&g, 0)), mean);
  return tvm_end_generic(&g, 1, &y);
}

/* 1 / sqrt(squares / count + epsilon), one a row. */
static MlirValue invert_root(norm *n, MlirValue squares) {
  tvm_builder *b = &n->l->b;
  MlirAffineMap row = tvm_identity_map(b->context, n->axis);
  MlirAffineMap maps[] = {row, row};
  MlirValue out = tvm_empty_shape(b, n->axis, n->shape, n->wide);
  tvm_generic g = tvm_begin_generic(b, 1, &squares, 1, &out, maps, n->axis, 0);
  MlirValue y = divide_by_count(n, &g.b, tvm_generic_argument(&g, 0));
  MlirValue epsilon =
      tvm_float_constant(&g.b, n->wide, tvm_get_f64(n->l->op, "epsilon"));
  y = tvm_unary(&g.b, "math.sqrt", tvm_binary(&g.b, "arith.addf", y, epsilon));
  y = tvm_binary(&g.b, "arith.divf", tvm_float_constant(&g.b, n->wide, 1), y);
  return tvm_end_generic(&g, 1, &y);
}

MlirLogicalResult tvm_lower_normalize(tvm_lowering *l) {
  norm n = begin(l);
  MlirValue x = l->operands[0];
  if (tvm_get_bool(l->op, "center"))
    x = subtract_mean(&n, x);
  MlirValue ins[] = {x, invert_root(&n, sum_rows(&n, x, true))};
  MlirValue out = tvm_destination(l, 0);
  MlirAffineMap maps[] = {n.all, n.row, n.all};
  tvm_generic g = tvm_begin_generic(&l->b, 2, ins, 1, &out, maps, n.rank, 0);
  MlirValue y = tvm_binary(&g.b, "arith.mulf",
                           tvm_widen(&g.b, tvm_generic_argument(&g, 0)),
                           tvm_generic_argument(&g, 1));
  y = tvm_narrow(&g.b, y, n.element);
  l->results[0] = tvm_end_generic(&g, 1, &y);
  return mlirLogicalResultSuccess();
}
