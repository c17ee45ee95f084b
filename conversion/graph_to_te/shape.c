/* shape.c - operators that move elements: transpose, slices, pads, joins. */
#include "graph_to_te/indices.h"

MlirLogicalResult tvm_lower_transpose(tvm_lowering *l) {
  MlirContext c = l->b.context;
  MlirValue x = l->operands[0];
  intptr_t rank = tvm_rank(x);
  MlirAffineExpr exprs[TVM_LOWER_MAX_RANK];
  bool moves = false;
  for (intptr_t i = 0; i < rank; ++i) {
    int64_t from = tvm_get_i64s(l->op, "permutation", i);
    exprs[from] = tvm_dim_expr(c, i);
    moves |= from != i;
  }
  MlirValue out = tvm_destination(l, 0);
  if (!moves) {
    l->results[0] = tvm_copy(&l->b, x, NULL, NULL, out);
    return mlirLogicalResultSuccess();
  }
  MlirAffineMap maps[] = {tvm_map(c, rank, rank, exprs),
                          tvm_identity_map(c, rank)};
  tvm_generic g = tvm_begin_generic(&l->b, 1, &x, 1, &out, maps, rank, 0);
  MlirValue y = tvm_generic_argument(&g, 0);
  l->results[0] = tvm_end_generic(&g, 1, &y);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_lower_reshape(tvm_lowering *l) {
  MlirValue x = tvm_reshape(&l->b, l->operands[0], tvm_result_type(l, 0));
  l->results[0] = l->destinations[0].ptr
                      ? tvm_copy(&l->b, x, NULL, NULL, l->destinations[0])
                      : x;
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_lower_slice(tvm_lowering *l) {
  int64_t starts[TVM_LOWER_MAX_RANK], steps[TVM_LOWER_MAX_RANK];
  for (intptr_t i = 0; i < tvm_rank(l->operands[0]); ++i) {
    starts[i] = tvm_get_i64s(l->op, "starts", i);
    steps[i] = tvm_get_i64s(l->op, "steps", i);
  }
  l->results[0] =
      tvm_copy(&l->b, l->operands[0], starts, steps, tvm_destination(l, 0));
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_lower_concat(tvm_lowering *l) {
  int64_t axis = tvm_get_i64(l->op, "axis");
  int64_t at[TVM_LOWER_MAX_RANK] = {0}, sizes[TVM_LOWER_MAX_RANK];
  MlirValue y = tvm_destination(l, 0);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(l->op); ++i) {
    tvm_shape_of(mlirValueGetType(l->operands[i]), sizes);
    y = tvm_copy_into(&l->b, l->operands[i], NULL, y, at, sizes, NULL);
    at[axis] += sizes[axis];
  }
  l->results[0] = y;
  return mlirLogicalResultSuccess();
}

/* --- pad --------------------------------------------------------------------
 */

static MlirValue clamp(tvm_builder *b, MlirValue i, int64_t dim) {
  i = tvm_binary(b, "arith.maxsi", i, tvm_index_constant(b, 0));
  return tvm_binary(b, "arith.minsi", i, tvm_index_constant(b, dim - 1));
}

/* i modulo `period`, never negative. */
static MlirValue wrap(tvm_builder *b, MlirValue i, int64_t period) {
  MlirValue p = tvm_index_constant(b, period);
  MlirValue r = tvm_binary(b, "arith.remsi", i, p);
  MlirValue negative = tvm_compare_int(b, "slt", r, tvm_index_constant(b, 0));
  return tvm_select(b, negative, tvm_binary(b, "arith.addi", r, p), r);
}

/* 0 1 2 1 0 1 2 ... */
static MlirValue reflect(tvm_builder *b, MlirValue i, int64_t dim) {
  if (dim == 1)
    return tvm_index_constant(b, 0);
  int64_t period = 2 * (dim - 1);
  MlirValue r = wrap(b, i, period);
  MlirValue back =
      tvm_binary(b, "arith.subi", tvm_index_constant(b, period), r);
  return tvm_binary(b, "arith.minsi", r, back);
}

static MlirValue source_index(tvm_builder *b, char mode, MlirValue i,
                              int64_t dim) {
  return mode == 'e'   ? clamp(b, i, dim)
         : mode == 'r' ? reflect(b, i, dim)
                       : wrap(b, i, dim);
}

static MlirLogicalResult pad_from_input(tvm_lowering *l, char mode) {
  MlirValue x = l->operands[0], out = tvm_destination(l, 0);
  intptr_t rank = tvm_rank(x);
  MlirAffineMap map = tvm_identity_map(l->b.context, rank);
  tvm_generic g = tvm_begin_generic(&l->b, 0, NULL, 1, &out, &map, rank, 0);
  MlirValue at[TVM_LOWER_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i) {
    int64_t low = tvm_get_i64s(l->op, "low", i);
    int64_t high = tvm_get_i64s(l->op, "high", i);
    at[i] = tvm_loop_index(&g, i);
    if (!low && !high)
      continue;
    at[i] =
        tvm_binary(&g.b, "arith.subi", at[i], tvm_index_constant(&g.b, low));
    at[i] = source_index(&g.b, mode, at[i], tvm_dim(x, i));
  }
  MlirValue y = tvm_extract(&g.b, x, at);
  l->results[0] = tvm_end_generic(&g, 1, &y);
  return mlirLogicalResultSuccess();
}

/* One generic that chooses between input and value. Nothing depends on the
 * innermost index but the addresses, so that its loop becomes vectors. */
static MlirLogicalResult pad_outer_dims(tvm_lowering *l) {
  MlirValue x = l->operands[0], out = tvm_destination(l, 0), inside = {0};
  MlirValue value = tvm_scalar_operand(l, 1);
  intptr_t rank = tvm_rank(x);
  MlirAffineMap map = tvm_identity_map(l->b.context, rank);
  tvm_generic g = tvm_begin_generic(&l->b, 0, NULL, 1, &out, &map, rank, 0);
  MlirValue at[TVM_LOWER_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i) {
    int64_t low = tvm_get_i64s(l->op, "low", i);
    at[i] = tvm_loop_index(&g, i);
    if (!low && !tvm_get_i64s(l->op, "high", i))
      continue;
    at[i] = tvm_index_plus(&g.b, at[i], -low);
    MlirValue ok = tvm_index_in_range(&g.b, at[i], tvm_dim(x, i));
    at[i] = tvm_select(&g.b, ok, at[i], tvm_index_constant(&g.b, 0));
    inside = inside.ptr ? tvm_binary(&g.b, "arith.andi", inside, ok) : ok;
  }
  MlirValue y = tvm_extract(&g.b, x, at);
  if (inside.ptr)
    y = tvm_select(&g.b, inside, y, value);
  l->results[0] = tvm_end_generic(&g, 1, &y);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_lower_pad(tvm_lowering *l) {
  char mode = tvm_get_str(l->op, "mode").data[0];
  if (mode != 'c')
    return pad_from_input(l, mode);
  int64_t low[TVM_LOWER_MAX_RANK], high[TVM_LOWER_MAX_RANK];
  for (intptr_t i = 0; i < tvm_rank(l->operands[0]); ++i) {
    low[i] = tvm_get_i64s(l->op, "low", i);
    high[i] = tvm_get_i64s(l->op, "high", i);
  }
  intptr_t last = tvm_rank(l->operands[0]) - 1;
  if (last >= 0 && !low[last] && !high[last] &&
      tvm_num_elements(mlirValueGetType(l->operands[0])) > 0)
    return pad_outer_dims(l);
  l->results[0] = tvm_pad(&l->b, l->operands[0], tvm_scalar_operand(l, 1), low,
                          high, tvm_destination(l, 0));
  return mlirLogicalResultSuccess();
}
