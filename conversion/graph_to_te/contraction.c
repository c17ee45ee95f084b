/* contraction.c - matrix products as multiply-add generics.
 *
 * The accumulator has the compute type of the result; inputs are widened to
 * it in the body, each by its own sign. */
#include "graph_to_te/contraction.h"

MlirValue tvm_build_contraction(tvm_lowering *l, MlirValue x, MlirValue y,
                                MlirValue out, const MlirAffineMap *maps,
                                intptr_t n_loops, uint32_t reductions) {
  MlirValue ins[] = {x, y};
  MlirType to = tvm_element_type(out);
  tvm_generic g =
      tvm_begin_generic(&l->b, 2, ins, 1, &out, maps, n_loops, reductions);
  bool is_float = tvm_is_float(to);
  MlirValue args[2];
  for (int i = 0; i < 2; ++i) {
    args[i] = tvm_generic_argument(&g, i);
    args[i] = is_float ? tvm_widen(&g.b, args[i])
                       : tvm_scalar_convert(&g.b, args[i],
                                            tvm_operand_element(l, i), to);
  }
  MlirValue sum = tvm_generic_argument(&g, 2);
  if (is_float) {
    MlirValue p =
        tvm_fast_binary(&g.b, "arith.mulf", "contract", args[0], args[1]);
    sum = tvm_fast_binary(&g.b, "arith.addf", "contract", sum, p);
  } else {
    sum = tvm_binary(&g.b, "arith.addi", sum,
                     tvm_binary(&g.b, "arith.muli", args[0], args[1]));
  }
  return tvm_end_generic(&g, 1, &sum);
}

MlirValue tvm_begin_contraction(tvm_lowering *l, intptr_t rank,
                                const int64_t *shape) {
  MlirType element =
      tvm_compute_type(mlirShapedTypeGetElementType(tvm_result_type(l, 0)));
  return tvm_begin_accumulate(l, tvm_number(&l->b, element, 0), rank, shape);
}

/* Leading dimensions align at the right and broadcast. */
static intptr_t batch_exprs(MlirContext c, MlirValue x, MlirType result,
                            MlirAffineExpr *exprs) {
  intptr_t n = tvm_rank(x) - 2, skip = tvm_type_rank(result) - tvm_rank(x);
  for (intptr_t i = 0; i < n; ++i) {
    bool fixed = tvm_dim(x, i) == 1 && tvm_type_dim(result, skip + i) != 1;
    exprs[i] = fixed ? tvm_const_expr(c, 0) : tvm_dim_expr(c, skip + i);
  }
  return n;
}

/* Loops: the result's dimensions, then the contracted one. */
MlirLogicalResult tvm_lower_matmul(tvm_lowering *l) {
  MlirContext c = l->b.context;
  MlirType type = tvm_result_type(l, 0);
  intptr_t rank = tvm_type_rank(type), k = rank;
  MlirAffineExpr a[TVM_LOWER_MAX_RANK], b[TVM_LOWER_MAX_RANK];
  MlirAffineExpr out[TVM_LOWER_MAX_RANK];
  intptr_t n_a = batch_exprs(c, l->operands[0], type, a);
  intptr_t n_b = batch_exprs(c, l->operands[1], type, b);
  a[n_a] = tvm_dim_expr(c, rank - 2);
  a[n_a + 1] = b[n_b] = tvm_dim_expr(c, k);
  b[n_b + 1] = tvm_dim_expr(c, rank - 1);
  for (intptr_t i = 0; i < rank; ++i)
    out[i] = tvm_dim_expr(c, i);
  MlirAffineMap maps[] = {tvm_map(c, rank + 1, n_a + 2, a),
                          tvm_map(c, rank + 1, n_b + 2, b),
                          tvm_map(c, rank + 1, rank, out)};
  int64_t shape[TVM_LOWER_MAX_RANK];
  tvm_shape_of(type, shape);
  MlirValue acc = tvm_begin_contraction(l, rank, shape);
  if (tvm_num_elements(mlirValueGetType(l->operands[0])) == 0) {
    tvm_end_accumulate(l, acc);
    return mlirLogicalResultSuccess();
  }
  tvm_end_accumulate(l, tvm_build_contraction(l, l->operands[0], l->operands[1],
                                              acc, maps, rank + 1, 1u << k));
  return mlirLogicalResultSuccess();
}
