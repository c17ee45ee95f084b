/* nest.c - linalg.generic and scf.for, built from the outside in. */
#include "graph_to_te/lowering.h"

#include <string.h>

MlirAffineExpr tvm_dim_expr(MlirContext c, intptr_t loop) {
  return mlirAffineDimExprGet(c, loop);
}

MlirAffineExpr tvm_const_expr(MlirContext c, int64_t v) {
  return mlirAffineConstantExprGet(c, v);
}

MlirAffineExpr tvm_linear_expr(MlirContext c, intptr_t loop, int64_t scale,
                               int64_t offset) {
  MlirAffineExpr e = tvm_dim_expr(c, loop);
  if (scale != 1)
    e = mlirAffineMulExprGet(e, tvm_const_expr(c, scale));
  if (offset)
    e = mlirAffineAddExprGet(e, tvm_const_expr(c, offset));
  return e;
}

MlirAffineMap tvm_map(MlirContext c, intptr_t n_loops, intptr_t n,
                      MlirAffineExpr *exprs) {
  return mlirAffineMapGet(c, n_loops, 0, n, exprs);
}

MlirAffineMap tvm_identity_map(MlirContext c, intptr_t n_loops) {
  return mlirAffineMapMultiDimIdentityGet(c, n_loops);
}

static MlirAttribute build_maps(MlirContext c, intptr_t n,
                                const MlirAffineMap *maps) {
  MlirAttribute attrs[TVM_LOWER_MAX_LOOPS];
  for (intptr_t i = 0; i < n; ++i)
    attrs[i] = mlirAffineMapAttrGet(maps[i]);
  return mlirArrayAttrGet(c, n, attrs);
}

static MlirAttribute build_iterators(MlirContext c, intptr_t n,
                                     uint32_t reductions) {
  MlirAttribute kinds[] = {
      mlirAttributeParseGet(
          c, mlirStringRefCreateFromCString("#linalg.iterator_type<parallel>")),
      mlirAttributeParseGet(c, mlirStringRefCreateFromCString(
                                   "#linalg.iterator_type<reduction>"))};
  MlirAttribute attrs[TVM_LOWER_MAX_LOOPS];
  for (intptr_t i = 0; i < n; ++i)
    attrs[i] = kinds[reductions >> i & 1];
  return mlirArrayAttrGet(c, n, attrs);
}

tvm_generic tvm_begin_generic(tvm_builder *b, intptr_t n_ins,
                              const MlirValue *ins, intptr_t n_outs,
                              const MlirValue *outs, const MlirAffineMap *maps,
                              intptr_t n_loops, uint32_t reductions) {
  MlirValue operands[TVM_LOWER_MAX_LOOPS];
  MlirType types[TVM_LOWER_MAX_LOOPS], results[TVM_LOWER_MAX_LOOPS];
  MlirLocation locations[TVM_LOWER_MAX_LOOPS];
  for (intptr_t i = 0; i < n_ins + n_outs; ++i) {
    operands[i] = i < n_ins ? ins[i] : outs[i - n_ins];
    types[i] = tvm_element_type(operands[i]);
    locations[i] = b->location;
    if (i >= n_ins)
      results[i - n_ins] = mlirValueGetType(operands[i]);
  }
  int32_t segments[] = {(int32_t)n_ins, (int32_t)n_outs};
  MlirContext c = b->context;
  MlirNamedAttribute attrs[] = {
      tvm_attr(c, "indexing_maps", build_maps(c, n_ins + n_outs, maps)),
      tvm_attr(c, "iterator_types", build_iterators(c, n_loops, reductions)),
      tvm_attr(c, "operandSegmentSizes", mlirDenseI32ArrayGet(c, 2, segments))};
  MlirRegion region = mlirRegionCreate();
  tvm_generic g = {0};
  g.body = mlirBlockCreate(n_ins + n_outs, types, locations);
  mlirRegionAppendOwnedBlock(region, g.body);
  g.op = tvm_build_op(b, "linalg.generic", n_outs, results, n_ins + n_outs,
                      operands, 3, attrs, 1, &region);
  g.b = tvm_builder_at_end(g.body, b->location);
  return g;
}

MlirValue tvm_generic_argument(const tvm_generic *g, intptr_t i) {
  return mlirBlockGetArgument(g->body, i);
}

MlirValue tvm_loop_index(tvm_generic *g, intptr_t loop) {
  MlirNamedAttribute attr = tvm_attr_i64(g->b.context, "dim", loop);
  return tvm_build_value(&g->b, "linalg.index", mlirIndexTypeGet(g->b.context),
                         0, NULL, 1, &attr);
}

MlirValue tvm_end_generic(tvm_generic *g, intptr_t n, const MlirValue *yields) {
  tvm_build_op(&g->b, "linalg.yield", 0, NULL, n, yields, 0, NULL, 0, NULL);
  return tvm_result(g->op, 0);
}

tvm_for tvm_begin_for(tvm_builder *b, int64_t extent, intptr_t n,
                      const MlirValue *carried) {
  MlirValue operands[3 + 8];
  MlirType types[1 + 8];
  MlirLocation locations[1 + 8];
  operands[0] = tvm_index_constant(b, 0);
  operands[1] = tvm_index_constant(b, extent);
  operands[2] = tvm_index_constant(b, 1);
  types[0] = mlirIndexTypeGet(b->context);
  locations[0] = b->location;
  for (intptr_t i = 0; i < n; ++i) {
    operands[3 + i] = carried[i];
    types[1 + i] = mlirValueGetType(carried[i]);
    locations[1 + i] = b->location;
  }
  MlirRegion region = mlirRegionCreate();
  tvm_for f = {0};
  f.body = mlirBlockCreate(1 + n, types, locations);
  mlirRegionAppendOwnedBlock(region, f.body);
  f.op = tvm_build_op(b, "scf.for", n, types + 1, 3 + n, operands, 0, NULL, 1,
                      &region);
  f.b = tvm_builder_at_end(f.body, b->location);
  return f;
}

MlirValue tvm_for_index(const tvm_for *f) {
  return mlirBlockGetArgument(f->body, 0);
}

MlirValue tvm_for_carried(const tvm_for *f, intptr_t i) {
  return mlirBlockGetArgument(f->body, 1 + i);
}

void tvm_end_for(tvm_for *f, intptr_t n, const MlirValue *yields) {
  tvm_build_op(&f->b, "scf.yield", 0, NULL, n, yields, 0, NULL, 0, NULL);
}
