/* attention.c - scores, their softmax, and the sum of values that it weighs.
 *
 * The weights stay undivided until the values are summed: then one division
 * a row is left. The key is transposed by an operation of its own, which no
 * fusion absorbs: products along contiguous keys have vectors, others none.
 *
 * Loops: batch b, head h, query position i, key position j, channel d. */
#include "graph_to_te/contraction.h"

typedef struct {
  tvm_lowering *l;
  MlirType element, wide; /* as stored, as computed */
  int64_t batch, rows, heads, channels, columns, values;
  MlirAffineMap all, row; /* (b, h, i, j) to itself and to (b, h, i) */
} attention;

static attention begin(tvm_lowering *l) {
  MlirContext c = l->b.context;
  int64_t q[4], v[4];
  tvm_shape_of(mlirValueGetType(l->operands[0]), q);
  tvm_shape_of(mlirValueGetType(l->operands[2]), v);
  attention a = {.l = l,
                 .element = tvm_element_type(l->operands[0]),
                 .batch = q[0],
                 .rows = q[1],
                 .heads = q[2],
                 .channels = q[3],
                 .columns = v[1],
                 .values = v[3]};
  a.wide = tvm_compute_type(a.element);
  MlirAffineExpr exprs[] = {tvm_dim_expr(c, 0), tvm_dim_expr(c, 1),
                            tvm_dim_expr(c, 2)};
  a.all = tvm_identity_map(c, 4);
  a.row = tvm_map(c, 4, 3, exprs);
  return a;
}

/* Loops to the dimensions that `loops` lists. */
static MlirAffineMap pick(attention *a, intptr_t n_loops, intptr_t n,
                          const int *loops) {
  MlirAffineExpr exprs[4];
  for (intptr_t i = 0; i < n; ++i)
    exprs[i] = tvm_dim_expr(a->l->b.context, loops[i]);
  return tvm_map(a->l->b.context, n_loops, n, exprs);
}

static MlirValue empty(attention *a, int64_t last) {
  int64_t shape[] = {a->batch, a->heads, a->rows, last};
  return tvm_empty_shape(&a->l->b, last ? 4 : 3, shape, a->wide);
}

static MlirValue zeros(attention *a, int64_t last) {
  tvm_builder *b = &a->l->b;
  return tvm_fill(b, tvm_float_constant(b, a->wide, 0), empty(a, last));
}

/* [batch, position, head, channel] to [batch, head, channel, position]. */
static MlirValue transpose_key(attention *a) {
  tvm_builder *b = &a->l->b;
  int64_t shape[] = {a->batch, a->heads, a->channels, a->columns};
  int64_t permutation[] = {0, 2, 3, 1};
  MlirValue pair[] = {a->l->operands[1],
                      tvm_empty_shape(b, 4, shape, a->element)};
  MlirType types[] = {a->element, a->element};
  MlirLocation locations[] = {b->location, b->location};
  MlirBlock body = mlirBlockCreate(2, types, locations);
  tvm_builder inner = tvm_builder_at_end(body, b->location);
  MlirValue x = mlirBlockGetArgument(body, 0);
  tvm_build_op(&inner, "linalg.yield", 0, NULL, 1, &x, 0, NULL, 0, NULL);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  MlirType type = mlirValueGetType(pair[1]);
  MlirNamedAttribute attr =
      tvm_attr_i64s(b->context, "permutation", 4, permutation);
  return tvm_result(tvm_build_op(b, "linalg.transpose", 1, &type, 2, pair, 1,
                                 &attr, 1, &region),
                    0);
}

/* out += x * y over the last of five loops. */
static MlirValue multiply(attention *a, MlirValue x, const int *x_loops,
                          MlirValue y, const int *y_loops, MlirValue out) {
  static const int OUT[] = {0, 1, 2, 3};
  MlirValue ins[] = {x, y};
  MlirAffineMap maps[] = {pick(a, 5, 4, x_loops), pick(a, 5, 4, y_loops),
                          pick(a, 5, 4, OUT)};
  tvm_generic g =
      tvm_begin_generic(&a->l->b, 2, ins, 1, &out, maps, 5, 1u << 4);
  MlirValue p = tvm_fast_binary(&g.b, "arith.mulf", "contract",
                                tvm_widen(&g.b, tvm_generic_argument(&g, 0)),
                                tvm_widen(&g.b, tvm_generic_argument(&g, 1)));
  p = tvm_fast_binary(&g.b, "arith.addf", "contract",
                      tvm_generic_argument(&g, 2), p);
  return tvm_end_generic(&g, 1, &p);
}

/* The mask aligns at the right, its extents of one stay in place. */
static MlirAffineMap mask_map(attention *a, MlirValue mask) {
  MlirContext c = a->l->b.context;
  MlirAffineExpr exprs[4];
  intptr_t rank = tvm_rank(mask);
  for (intptr_t i = 0; i < rank; ++i)
    exprs[i] = tvm_dim(mask, i) == 1 ? tvm_const_expr(c, 0)
                                     : tvm_dim_expr(c, 4 - rank + i);
  return tvm_map(c, 4, rank, exprs);
}

static MlirValue scale_and_mask(attention *a, MlirValue scores) {
  tvm_lowering *l = a->l;
  bool masked = mlirOperationGetNumOperands(l->op) == 4;
  double scale = tvm_get_f64(l->op, "scale");
  if (!masked && scale == 1)
    return scores;
  MlirValue ins[] = {scores, masked ? l->operands[3] : scores};
  MlirValue out = empty(a, a->columns);
  MlirAffineMap maps[] = {a->all, a->all, a->all};
  if (masked)
    maps[1] = mask_map(a, ins[1]);
  tvm_generic g =
      tvm_begin_generic(&l->b, 1 + masked, ins, 1, &out, maps, 4, 0);
  MlirValue y = tvm_binary(&g.b, "arith.mulf", tvm_generic_argument(&g, 0),
                           tvm_float_constant(&g.b, a->wide, scale));
  if (masked)
    y = tvm_binary(&g.b, "arith.addf", y,
                   tvm_widen(&g.b, tvm_generic_argument(&g, 1)));
  return tvm_end_generic(&g, 1, &y);
}

static MlirValue reduce(attention *a, tvm_combiner kind, MlirValue x) {
  tvm_builder *b = &a->l->b;
  MlirValue out =
      tvm_fill(b, tvm_combiner_identity(b, kind, a->wide), empty(a, 0));
  MlirAffineMap maps[] = {a->all, a->row};
  tvm_generic g = tvm_begin_generic(b, 1, &x, 1, &out, maps, 4, 1u << 3);
  MlirValue y = tvm_combine(&g.b, kind, a->wide, tvm_generic_argument(&g, 1),
                            tvm_generic_argument(&g, 0));
  return tvm_end_generic(&g, 1, &y);
}

static MlirValue exponential(attention *a, MlirValue x) {
  MlirValue ins[] = {x, reduce(a, TVM_COMBINE_MAX, x)};
  MlirValue out = empty(a, a->columns);
  MlirAffineMap maps[] = {a->all, a->row, a->all};
  tvm_generic g = tvm_begin_generic(&a->l->b, 2, ins, 1, &out, maps, 4, 0);
  MlirValue y = tvm_binary(&g.b, "arith.subf", tvm_generic_argument(&g, 0),
                           tvm_generic_argument(&g, 1));
  y = tvm_unary(&g.b, "math.exp", y);
  return tvm_end_generic(&g, 1, &y);
}

/* Divided by the sums, with the heads back behind the positions. */
static MlirValue finish(attention *a, MlirValue context, MlirValue sums) {
  static const int OUT[] = {0, 2, 1, 3};
  MlirValue ins[] = {context, sums}, out = tvm_destination(a->l, 0);
  MlirAffineMap maps[] = {a->all, a->row, pick(a, 4, 4, OUT)};
  tvm_generic g = tvm_begin_generic(&a->l->b, 2, ins, 1, &out, maps, 4, 0);
  MlirValue factor =
      tvm_binary(&g.b, "arith.divf", tvm_float_constant(&g.b, a->wide, 1),
                 tvm_generic_argument(&g, 1));
  MlirValue y =
      tvm_binary(&g.b, "arith.mulf", tvm_generic_argument(&g, 0), factor);
  y = tvm_narrow(&g.b, y, a->element);
  return tvm_end_generic(&g, 1, &y);
}

MlirLogicalResult tvm_lower_attention(tvm_lowering *l) {
  static const int QUERY[] = {0, 2, 1, 4}, KEY[] = {0, 1, 4, 3},
                   WEIGHT[] = {0, 1, 2, 4}, VALUE[] = {0, 4, 1, 3};
  attention a = begin(l);
  MlirValue scores = multiply(&a, l->operands[0], QUERY, transpose_key(&a), KEY,
                              zeros(&a, a.columns));
  MlirValue weights = exponential(&a, scale_and_mask(&a, scores));
  MlirValue context =
      multiply(&a, weights, WEIGHT, l->operands[2], VALUE, zeros(&a, a.values));
  l->results[0] = finish(&a, context, reduce(&a, TVM_COMBINE_SUM, weights));
  return mlirLogicalResultSuccess();
}
