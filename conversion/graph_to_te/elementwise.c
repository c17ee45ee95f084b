/* elementwise.c - operators whose output index is the input index.
 *
 * One generic each. Broadcasting is in the indexing maps, so nothing is
 * materialized, and immediates are constants of the body. Half types are
 * computed in f32. */
#include "graph_to_te/scalar_builders.h"

/* `loops` counts from the left of the result; dimensions align at the right. */
static MlirAffineMap broadcast_map(MlirContext c, MlirValue x,
                                   MlirType result) {
  intptr_t rank = tvm_type_rank(result), x_rank = tvm_rank(x);
  MlirAffineExpr exprs[TVM_LOWER_MAX_RANK];
  for (intptr_t i = 0; i < x_rank; ++i) {
    intptr_t loop = rank - x_rank + i;
    bool fixed = tvm_dim(x, i) == 1 && tvm_type_dim(result, loop) != 1;
    exprs[i] = fixed ? tvm_const_expr(c, 0) : tvm_dim_expr(c, loop);
  }
  return tvm_map(c, rank, x_rank, exprs);
}

enum { MAX_ARGS = 3 };

/* Begin the generic; `args` are the elements of the graph operands as stored.
 */
static tvm_generic begin(tvm_lowering *l, intptr_t n, MlirValue *args) {
  MlirValue ins[MAX_ARGS];
  MlirAffineMap maps[MAX_ARGS + 1];
  MlirType type = tvm_result_type(l, 0);
  MlirContext c = l->b.context;
  intptr_t n_ins = 0;
  for (intptr_t i = 0; i < n; ++i)
    if (l->operands[i].ptr) {
      maps[n_ins] = broadcast_map(c, l->operands[i], type);
      ins[n_ins++] = l->operands[i];
    }
  intptr_t rank = tvm_type_rank(type);
  maps[n_ins] = tvm_identity_map(c, rank);
  MlirValue out = tvm_destination(l, 0);
  tvm_generic g = tvm_begin_generic(&l->b, n_ins, ins, 1, &out, maps, rank, 0);
  for (intptr_t i = 0, k = 0; i < n; ++i) {
    if (l->operands[i].ptr) {
      args[i] = tvm_generic_argument(&g, k++);
      continue;
    }
    MlirNamedAttribute attr = tvm_attr(c, "value", l->immediates[i]);
    args[i] = tvm_build_value(&g.b, "arith.constant",
                              mlirAttributeGetType(l->immediates[i]), 0, NULL,
                              1, &attr);
  }
  return g;
}

static MlirLogicalResult finish(tvm_lowering *l, tvm_generic *g, MlirValue y) {
  l->results[0] = tvm_end_generic(g, 1, &y);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower(tvm_lowering *l, tvm_scalar_builder build) {
  MlirValue args[MAX_ARGS];
  intptr_t n = mlirOperationGetNumOperands(l->op);
  tvm_generic g = begin(l, n, args);
  MlirType element = tvm_operand_element(l, 0);
  for (intptr_t i = 0; i < n; ++i)
    args[i] = tvm_widen(&g.b, args[i]);
  tvm_scalar s = {.b = &g.b,
                  .type = tvm_compute_type(element),
                  .is_float = tvm_is_float(element),
                  .is_unsigned = tvm_is_unsigned(element)};
  s.is_bool = !s.is_float && mlirIntegerTypeGetWidth(element) == 1;
  MlirType out = tvm_signless(tvm_element_type(tvm_result(l->op, 0)));
  MlirValue y = build(&s, args);
  return finish(l, &g, tvm_is_half(out) ? tvm_narrow(&g.b, y, out) : y);
}

/* cast needs both types and select moves what it does not compute. */
MlirLogicalResult tvm_lower_cast(tvm_lowering *l) {
  MlirValue x;
  tvm_generic g = begin(l, 1, &x);
  MlirValue y = tvm_scalar_convert(&g.b, x, tvm_operand_element(l, 0),
                                   tvm_element_type(tvm_result(l->op, 0)));
  return finish(l, &g, y);
}

MlirLogicalResult tvm_lower_select(tvm_lowering *l) {
  MlirValue args[MAX_ARGS];
  tvm_generic g = begin(l, 3, args);
  return finish(l, &g, tvm_select(&g.b, args[0], args[1], args[2]));
}

MlirLogicalResult tvm_lower_broadcast(tvm_lowering *l) {
  MlirValue x;
  if (!l->operands[0].ptr) {
    MlirValue scalar = tvm_scalar_operand(l, 0);
    l->results[0] = tvm_fill(&l->b, scalar, tvm_destination(l, 0));
    return mlirLogicalResultSuccess();
  }
  MlirType type = tvm_result_type(l, 0);
  if (mlirTypeEqual(mlirValueGetType(l->operands[0]), type)) {
    l->results[0] =
        tvm_copy(&l->b, l->operands[0], NULL, NULL, tvm_destination(l, 0));
    return mlirLogicalResultSuccess();
  }
  tvm_generic g = begin(l, 1, &x);
  return finish(l, &g, x);
}

/* One row an operator with a scalar builder. */
#define SCALAR(name)                                                           \
  MlirLogicalResult tvm_lower_##name(tvm_lowering *l) {                        \
    return lower(l, tvm_scalar_##name);                                        \
  }
#include "graph_to_te/scalar_builders.def"
