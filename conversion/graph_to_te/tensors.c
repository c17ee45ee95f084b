/* tensors.c - whole tensors: new, filled, reshaped, copied, padded.
 *
 * Moves of data are generics that read their source by tensor.extract. An
 * identity generic over an operand would be folded away, and the copy into
 * the destination would come back later as a call into a C library. */
#include "graph_to_te/lowering.h"

MlirValue tvm_empty(tvm_builder *b, MlirType tensor) {
  return tvm_build_value(b, "tensor.empty", tensor, 0, NULL, 0, NULL);
}

MlirValue tvm_empty_shape(tvm_builder *b, intptr_t rank, const int64_t *shape,
                          MlirType element) {
  return tvm_empty(b, tvm_tensor_type(rank, shape, element));
}

MlirValue tvm_fill(tvm_builder *b, MlirValue scalar, MlirValue into) {
  MlirType type = mlirValueGetType(into);
  MlirType types[] = {mlirValueGetType(scalar), tvm_element_type(into)};
  MlirLocation locations[] = {b->location, b->location};
  MlirBlock body = mlirBlockCreate(2, types, locations);
  tvm_builder inner = tvm_builder_at_end(body, b->location);
  MlirValue yielded = mlirBlockGetArgument(body, 0);
  tvm_build_op(&inner, "linalg.yield", 0, NULL, 1, &yielded, 0, NULL, 0, NULL);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  int32_t segments[] = {1, 1};
  MlirNamedAttribute attr =
      tvm_attr(b->context, "operandSegmentSizes",
               mlirDenseI32ArrayGet(b->context, 2, segments));
  MlirValue operands[] = {scalar, into};
  return tvm_result(tvm_build_op(b, "linalg.fill", 1, &type, 2, operands, 1,
                                 &attr, 1, &region),
                    0);
}

int64_t tvm_type_rank(MlirType tensor) { return mlirShapedTypeGetRank(tensor); }

int64_t tvm_type_dim(MlirType tensor, intptr_t i) {
  return mlirShapedTypeGetDimSize(tensor, i);
}

void tvm_shape_of(MlirType tensor, int64_t *out) {
  for (intptr_t i = 0; i < tvm_type_rank(tensor); ++i)
    out[i] = tvm_type_dim(tensor, i);
}

MlirType tvm_result_type(const tvm_lowering *l, intptr_t i) {
  return tvm_signless(mlirValueGetType(tvm_result(l->op, i)));
}

MlirValue tvm_destination(tvm_lowering *l, intptr_t i) {
  if (l->destinations[i].ptr)
    return l->destinations[i];
  return tvm_empty(&l->b, tvm_result_type(l, i));
}

MlirType tvm_operand_element(const tvm_lowering *l, intptr_t i) {
  return tvm_element_type(tvm_operand(l->op, i));
}

/* --- reshape -------------------------------------------------------------- */

/* [[0, 1, ..., n - 1]], or [] for n = 0. */
static MlirAttribute one_group(MlirContext c, intptr_t n) {
  MlirType i64 = mlirIntegerTypeGet(c, 64);
  MlirAttribute members[TVM_LOWER_MAX_LOOPS];
  for (intptr_t i = 0; i < n; ++i)
    members[i] = mlirIntegerAttrGet(i64, i);
  MlirAttribute group = mlirArrayAttrGet(c, n, members);
  return mlirArrayAttrGet(c, n ? 1 : 0, &group);
}

static MlirValue build_collapse(tvm_builder *b, MlirValue x, MlirType to,
                                MlirAttribute groups) {
  MlirNamedAttribute attr = tvm_attr(b->context, "reassociation", groups);
  return tvm_build_value(b, "tensor.collapse_shape", to, 1, &x, 1, &attr);
}

static MlirValue build_expand(tvm_builder *b, MlirValue x, MlirType to,
                              MlirAttribute groups) {
  int64_t shape[TVM_LOWER_MAX_LOOPS];
  tvm_shape_of(to, shape);
  MlirNamedAttribute attrs[] = {tvm_attr(b->context, "reassociation", groups),
                                tvm_attr_i64s(b->context, "static_output_shape",
                                              tvm_type_rank(to), shape)};
  return tvm_build_value(b, "tensor.expand_shape", to, 1, &x, 2, attrs);
}

/* Groups of the dimensions of `fine` that make up those of `coarse`; false
 * when `fine` is no refinement. Unit dimensions join the group before them. */
static bool find_groups(MlirContext c, MlirType coarse, MlirType fine,
                        MlirAttribute *out) {
  MlirType i64 = mlirIntegerTypeGet(c, 64);
  MlirAttribute groups[TVM_LOWER_MAX_LOOPS];
  intptr_t n = tvm_type_rank(coarse), n_fine = tvm_type_rank(fine), f = 0;
  for (intptr_t i = 0; i < n; ++i) {
    MlirAttribute members[TVM_LOWER_MAX_LOOPS];
    intptr_t count = 0;
    int64_t product = 1, size = tvm_type_dim(coarse, i);
    while (f < n_fine && (count == 0 || product < size)) {
      product *= tvm_type_dim(fine, f);
      members[count++] = mlirIntegerAttrGet(i64, f++);
    }
    while (f < n_fine && tvm_type_dim(fine, f) == 1 && n_fine - f > n - 1 - i)
      members[count++] = mlirIntegerAttrGet(i64, f++);
    if (product != size || count == 0)
      return false;
    groups[i] = mlirArrayAttrGet(c, count, members);
  }
  *out = mlirArrayAttrGet(c, n, groups);
  return n > 0 && f == n_fine;
}

MlirValue tvm_reshape(tvm_builder *b, MlirValue tensor, MlirType to) {
  MlirType from = mlirValueGetType(tensor);
  if (mlirTypeEqual(from, to))
    return tensor;
  MlirAttribute groups;
  int64_t rank = tvm_type_rank(from), to_rank = tvm_type_rank(to);
  bool empty = tvm_num_elements(to) == 0;
  if (!empty && rank > to_rank && find_groups(b->context, to, from, &groups))
    return build_collapse(b, tensor, to, groups);
  if (!empty && rank < to_rank && find_groups(b->context, from, to, &groups))
    return build_expand(b, tensor, to, groups);
  int64_t n = tvm_num_elements(to);
  MlirType flat = tvm_tensor_type(1, &n, mlirShapedTypeGetElementType(to));
  if (rank == 0)
    tensor = build_expand(b, tensor, flat, one_group(b->context, 0));
  else if (rank > 1)
    tensor = build_collapse(b, tensor, flat, one_group(b->context, rank));
  if (to_rank == 0)
    return build_collapse(b, tensor, to, one_group(b->context, 0));
  if (to_rank == 1)
    return tensor;
  return build_expand(b, tensor, to, one_group(b->context, to_rank));
}

/* --- copies ----------------------------------------------------------------
 */

static MlirValue build_linear(tvm_builder *b, MlirValue index, int64_t step,
                              int64_t offset) {
  if (step != 1)
    index = tvm_binary(b, "arith.muli", index, tvm_index_constant(b, step));
  if (offset)
    index = tvm_binary(b, "arith.addi", index, tvm_index_constant(b, offset));
  return index;
}

MlirValue tvm_copy(tvm_builder *b, MlirValue source, const int64_t *offsets,
                   const int64_t *steps, MlirValue into) {
  intptr_t rank = tvm_rank(into);
  MlirAffineMap map = tvm_identity_map(b->context, rank);
  tvm_generic g = tvm_begin_generic(b, 0, NULL, 1, &into, &map, rank, 0);
  MlirValue at[TVM_LOWER_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i)
    at[i] = build_linear(&g.b, tvm_loop_index(&g, i), steps ? steps[i] : 1,
                         offsets ? offsets[i] : 0);
  MlirValue x = tvm_extract(&g.b, source, at);
  return tvm_end_generic(&g, 1, &x);
}

static void slice_attributes(MlirContext c, intptr_t rank, const int64_t *at,
                             const int64_t *sizes, const int64_t *steps,
                             intptr_t n_tensors, MlirNamedAttribute *out) {
  int64_t ones[TVM_LOWER_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i)
    ones[i] = 1;
  int32_t segments[5] = {1, 1, 0, 0, 0};
  int32_t short_segments[4] = {1, 0, 0, 0};
  out[0] = tvm_attr_i64s(c, "static_offsets", rank, at);
  out[1] = tvm_attr_i64s(c, "static_sizes", rank, sizes);
  out[2] = tvm_attr_i64s(c, "static_strides", rank, steps ? steps : ones);
  out[3] =
      tvm_attr(c, "operandSegmentSizes",
               n_tensors == 2 ? mlirDenseI32ArrayGet(c, 5, segments)
                              : mlirDenseI32ArrayGet(c, 4, short_segments));
}

MlirValue tvm_copy_into(tvm_builder *b, MlirValue source,
                        const int64_t *offsets, MlirValue into,
                        const int64_t *at, const int64_t *sizes,
                        const int64_t *steps) {
  intptr_t rank = tvm_rank(into);
  for (intptr_t i = 0; i < rank; ++i)
    if (sizes[i] == 0)
      return into;
  MlirNamedAttribute attrs[4];
  MlirType type = tvm_tensor_type(rank, sizes, tvm_element_type(into));
  slice_attributes(b->context, rank, at, sizes, steps, 1, attrs);
  MlirValue slice =
      tvm_build_value(b, "tensor.extract_slice", type, 1, &into, 4, attrs);
  MlirValue operands[] = {tvm_copy(b, source, offsets, NULL, slice), into};
  slice_attributes(b->context, rank, at, sizes, steps, 2, attrs);
  return tvm_build_value(b, "tensor.insert_slice", mlirValueGetType(into), 2,
                         operands, 4, attrs);
}

MlirValue tvm_pad(tvm_builder *b, MlirValue x, MlirValue scalar,
                  const int64_t *low, const int64_t *high, MlirValue into) {
  intptr_t rank = tvm_rank(x);
  int64_t shape[TVM_LOWER_MAX_RANK], sizes[TVM_LOWER_MAX_RANK];
  int64_t offsets[TVM_LOWER_MAX_RANK], at[TVM_LOWER_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i) {
    int64_t dim = tvm_dim(x, i);
    shape[i] = dim + low[i] + high[i];
    offsets[i] = low[i] < 0 ? -low[i] : 0;
    at[i] = low[i] > 0 ? low[i] : 0;
    sizes[i] = dim - offsets[i] + (high[i] < 0 ? high[i] : 0);
    sizes[i] = sizes[i] < 0 ? 0 : sizes[i];
  }
  if (!into.ptr)
    into = tvm_empty_shape(b, rank, shape, tvm_element_type(x));
  return tvm_copy_into(b, x, offsets, tvm_fill(b, scalar, into), at, sizes,
                       NULL);
}
