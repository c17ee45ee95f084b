/* gather.c - elements picked by indices that are data.
 *
 * One generic over the result; its body computes a valid place and reads. The
 * verifiers saw to it that there is one. */
#include "graph_to_te/indices.h"

MlirLogicalResult tvm_lower_gather(tvm_lowering *l) {
  MlirContext c = l->b.context;
  MlirValue x = l->operands[0], indices = l->operands[1];
  int64_t axis = tvm_get_i64(l->op, "axis");
  intptr_t index_rank = tvm_rank(tvm_operand(l->op, 1));
  intptr_t x_rank = tvm_rank(x), rank = x_rank - 1 + index_rank;
  MlirAffineExpr exprs[TVM_LOWER_MAX_RANK];
  for (intptr_t i = 0; i < index_rank; ++i)
    exprs[i] = tvm_dim_expr(c, axis + i);
  intptr_t n_ins = indices.ptr ? 1 : 0;
  MlirAffineMap maps[2] = {tvm_map(c, rank, index_rank, exprs)};
  maps[n_ins] = tvm_identity_map(c, rank);
  MlirValue out = tvm_destination(l, 0);
  MlirValue constant = n_ins ? indices : tvm_scalar_operand(l, 1);
  tvm_generic g =
      tvm_begin_generic(&l->b, n_ins, &indices, 1, &out, maps, rank, 0);
  MlirValue at[TVM_LOWER_MAX_RANK];
  for (intptr_t i = 0; i < x_rank; ++i)
    if (i != axis)
      at[i] = tvm_loop_index(&g, i < axis ? i : i - 1 + index_rank);
  at[axis] = tvm_valid_index(
      &g.b, n_ins ? tvm_generic_argument(&g, 0) : constant, tvm_dim(x, axis));
  MlirValue y = tvm_extract(&g.b, x, at);
  l->results[0] = tvm_end_generic(&g, 1, &y);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_lower_gather_elements(tvm_lowering *l) {
  MlirValue x = l->operands[0];
  int64_t axis = tvm_get_i64(l->op, "axis");
  intptr_t rank = tvm_rank(x);
  MlirAffineMap identity = tvm_identity_map(l->b.context, rank);
  MlirAffineMap maps[] = {identity, identity};
  MlirValue out = tvm_destination(l, 0);
  tvm_generic g =
      tvm_begin_generic(&l->b, 1, &l->operands[1], 1, &out, maps, rank, 0);
  MlirValue at[TVM_LOWER_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i)
    at[i] = i == axis ? tvm_valid_index(&g.b, tvm_generic_argument(&g, 0),
                                        tvm_dim(x, axis))
                      : tvm_loop_index(&g, i);
  MlirValue y = tvm_extract(&g.b, x, at);
  l->results[0] = tvm_end_generic(&g, 1, &y);
  return mlirLogicalResultSuccess();
}

/* indices: (batch.., rows.., k); result: (batch.., rows.., rest of x). */
MlirLogicalResult tvm_lower_gather_nd(tvm_lowering *l) {
  MlirValue x = l->operands[0], indices = l->operands[1];
  intptr_t index_rank = tvm_rank(indices), x_rank = tvm_rank(x);
  int64_t batch = tvm_get_i64(l->op, "batch_dims");
  int64_t k = tvm_dim(indices, index_rank - 1);
  MlirValue out = tvm_destination(l, 0);
  intptr_t rank = tvm_rank(out);
  MlirAffineMap map = tvm_identity_map(l->b.context, rank);
  tvm_generic g = tvm_begin_generic(&l->b, 0, NULL, 1, &out, &map, rank, 0);
  MlirValue row[TVM_LOWER_MAX_RANK], at[TVM_LOWER_MAX_RANK];
  for (intptr_t i = 0; i < index_rank - 1; ++i)
    row[i] = tvm_loop_index(&g, i);
  for (intptr_t i = 0; i < x_rank; ++i) {
    if (i < batch) {
      at[i] = row[i];
    } else if (i < batch + k) {
      row[index_rank - 1] = tvm_index_constant(&g.b, i - batch);
      at[i] =
          tvm_valid_index(&g.b, tvm_extract(&g.b, indices, row), tvm_dim(x, i));
    } else {
      at[i] = tvm_loop_index(&g, index_rank - 1 + i - batch - k);
    }
  }
  MlirValue y = tvm_extract(&g.b, x, at);
  l->results[0] = tvm_end_generic(&g, 1, &y);
  return mlirLogicalResultSuccess();
}
