/* access.c - linear accesses of linalg operands, and views made from them. */
#include "llvm/access.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/Dialect/Linalg.h"

#include <string.h>

static MlirAttribute inherent(MlirOperation op, const char *name) {
  return mlirOperationGetInherentAttributeByName(
      op, mlirStringRefCreateFromCString(name));
}

MlirAffineMap tvm_linalg_map(MlirOperation generic, intptr_t operand) {
  MlirAttribute maps = inherent(generic, "indexing_maps");
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, operand));
}

intptr_t tvm_linalg_num_loops(MlirOperation generic) {
  return mlirArrayAttrGetNumElements(inherent(generic, "iterator_types"));
}

intptr_t tvm_linalg_num_inputs(MlirOperation generic) {
  return mlirOperationGetNumOperands(generic) -
         mlirOperationGetNumResults(generic);
}

bool tvm_linalg_is_reduction(MlirOperation generic, intptr_t loop) {
  MlirContext context = mlirOperationGetContext(generic);
  MlirAttribute type =
      mlirArrayAttrGetElement(inherent(generic, "iterator_types"), loop);
  MlirAttribute reduction = mlirAttributeParseGet(
      context,
      mlirStringRefCreateFromCString("#linalg.iterator_type<reduction>"));
  return mlirAttributeEqual(type, reduction);
}

MlirBlock tvm_linalg_body(MlirOperation generic) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(generic, 0));
}

MlirValue tvm_access_base(MlirValue tensor) {
  for (;;) {
    MlirOperation op = tvm_defining_op(tensor);
    if (!op.ptr || !(tvm_op_is(op, "tensor.expand_shape") ||
                     tvm_op_is(op, "tensor.collapse_shape")))
      return tensor;
    tensor = tvm_operand(op, 0);
  }
}

static bool is_static(MlirType type) {
  return mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type);
}

/* Truth values take a byte each in memory, a bit in a vector. */
static bool is_bool(MlirType tensor) {
  MlirType type = mlirShapedTypeGetElementType(tensor);
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1;
}

/* access += scale * expr */
static bool add_expr(MlirAffineExpr expr, int64_t scale, tvm_access *access) {
  if (mlirAffineExprIsADim(expr)) {
    access->strides[mlirAffineDimExprGetPosition(expr)] += scale;
    return true;
  }
  if (mlirAffineExprIsAConstant(expr)) {
    access->offset += scale * mlirAffineConstantExprGetValue(expr);
    return true;
  }
  if (!mlirAffineExprIsABinary(expr))
    return false;
  MlirAffineExpr lhs = mlirAffineBinaryOpExprGetLHS(expr);
  MlirAffineExpr rhs = mlirAffineBinaryOpExprGetRHS(expr);
  if (mlirAffineExprIsAAdd(expr))
    return add_expr(lhs, scale, access) && add_expr(rhs, scale, access);
  if (mlirAffineExprIsAMul(expr) && mlirAffineExprIsAConstant(rhs))
    return add_expr(lhs, scale * mlirAffineConstantExprGetValue(rhs), access);
  return false;
}

bool tvm_access_read(MlirAffineMap map, MlirValue tensor, tvm_access *out) {
  MlirType type = mlirValueGetType(tensor);
  if (!is_static(type) || is_bool(type) || mlirAffineMapGetNumSymbols(map) ||
      mlirAffineMapGetNumDims(map) > TVM_MAX_LOOPS)
    return false;
  memset(out, 0, sizeof *out);
  out->base = tvm_access_base(tensor);
  int64_t stride = 1;
  for (intptr_t i = mlirAffineMapGetNumResults(map); i-- > 0;) {
    if (!add_expr(mlirAffineMapGetResult(map, i), stride, out))
      return false;
    stride *= mlirShapedTypeGetDimSize(type, i);
  }
  return out->offset >= 0;
}

MlirAttribute tvm_access_layout(MlirValue base) {
  MlirAttribute none = {0};
  if (!mlirValueIsABlockArgument(base))
    return none;
  MlirBlock block = mlirBlockArgumentGetOwner(base);
  MlirAttribute attrs =
      inherent(mlirBlockGetParentOperation(block), "arg_attrs");
  intptr_t i = mlirBlockArgumentGetArgNumber(base);
  if (!attrs.ptr || i >= mlirArrayAttrGetNumElements(attrs))
    return none;
  MlirAttribute layout = mlirDictionaryAttrGetElementByName(
      mlirArrayAttrGetElement(attrs, i),
      mlirStringRefCreateFromCString("bufferization.buffer_layout"));
  return layout.ptr && mlirAttributeIsAStridedLayout(layout) ? layout : none;
}

/* The outermost dimension that a dense stride is a multiple of. */
static intptr_t dimension_of(intptr_t rank, const int64_t *shape,
                             const int64_t *dense, int64_t stride) {
  for (intptr_t i = 0; i < rank; ++i)
    if (shape[i] > 1 && stride % dense[i] == 0)
      return i;
  return -1;
}

bool tvm_access_apply_layout(tvm_access *access, intptr_t n_loops,
                             const int64_t *extents) {
  MlirAttribute layout = tvm_access_layout(access->base);
  if (!layout.ptr)
    return true;
  intptr_t rank = tvm_rank(access->base);
  int64_t shape[TVM_MAX_LOOPS], dense[TVM_MAX_LOOPS], at[TVM_MAX_LOOPS];
  if (rank > TVM_MAX_LOOPS)
    return false;
  int64_t size = 1;
  for (intptr_t i = rank; i-- > 0; size *= shape[i]) {
    shape[i] = tvm_dim(access->base, i);
    dense[i] = size;
  }
  int64_t rest = access->offset;
  access->offset = mlirStridedLayoutAttrGetOffset(layout);
  for (intptr_t i = 0; i < rank; ++i) {
    at[i] = rest / dense[i];
    rest %= dense[i];
    access->offset += at[i] * mlirStridedLayoutAttrGetStride(layout, i);
  }
  for (intptr_t d = 0; d < n_loops; ++d) {
    int64_t stride = access->strides[d];
    if (stride == 0)
      continue;
    intptr_t i = dimension_of(rank, shape, dense, stride);
    if (extents[d] == 1) {
      access->strides[d] = 0;
      continue;
    }
    if (i < 0 || stride < 0)
      return false;
    at[i] += stride / dense[i] * (extents[d] - 1);
    access->strides[d] =
        stride / dense[i] * mlirStridedLayoutAttrGetStride(layout, i);
  }
  for (intptr_t i = 0; i < rank; ++i)
    if (at[i] >= shape[i])
      return false; /* a loop that crosses into the next dimension */
  return true;
}

bool tvm_access_extents(MlirOperation generic, int64_t *extents) {
  intptr_t n = tvm_linalg_num_loops(generic);
  if (n > TVM_MAX_LOOPS)
    return false;
  for (intptr_t i = 0; i < n; ++i)
    extents[i] = -1;
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(generic); ++k) {
    MlirType type = mlirValueGetType(tvm_operand(generic, k));
    MlirAffineMap map = tvm_linalg_map(generic, k);
    if (mlirTypeIsARankedTensor(type) && !is_static(type))
      return false;
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
      MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
      if (mlirAffineExprIsADim(expr))
        extents[mlirAffineDimExprGetPosition(expr)] =
            mlirShapedTypeGetDimSize(type, i);
    }
  }
  for (intptr_t i = 0; i < n; ++i)
    if (extents[i] < 1)
      return false;
  return true;
}

static MlirValue reshape(tvm_builder *b, const char *name, MlirValue tensor,
                         MlirType to, bool expand) {
  int64_t rank = tvm_rank(tensor);
  int64_t wide = expand ? mlirShapedTypeGetRank(to) : rank;
  MlirType i64 = mlirIntegerTypeGet(b->context, 64);
  MlirAttribute all[TVM_MAX_LOOPS];
  int64_t shape[TVM_MAX_LOOPS];
  for (int64_t i = 0; i < wide; ++i) {
    all[i] = mlirIntegerAttrGet(i64, i);
    shape[i] = expand ? mlirShapedTypeGetDimSize(to, i) : 0;
  }
  MlirAttribute group = mlirArrayAttrGet(b->context, wide, all);
  MlirNamedAttribute attrs[] = {
      tvm_attr(b->context, "reassociation",
               mlirArrayAttrGet(b->context, 1, &group)),
      tvm_attr_i64s(b->context, "static_output_shape", wide, shape)};
  return tvm_build_value(b, name, to, 1, &tensor, expand ? 2 : 1, attrs);
}

MlirValue tvm_linalg_reshape(tvm_builder *b, MlirValue tensor, MlirType to) {
  if (mlirTypeEqual(mlirValueGetType(tensor), to))
    return tensor;
  int64_t total = tvm_num_elements(to);
  if (tvm_rank(tensor) > 1)
    tensor =
        reshape(b, "tensor.collapse_shape", tensor,
                tvm_tensor_type(1, &total, tvm_element_type(tensor)), false);
  if (mlirShapedTypeGetRank(to) > 1)
    tensor = reshape(b, "tensor.expand_shape", tensor, to, true);
  return tensor;
}

static MlirType buffer_type(MlirValue base) {
  MlirType tensor = mlirValueGetType(base);
  MlirAttribute layout = tvm_access_layout(base);
  int64_t shape[TVM_MAX_LOOPS];
  int64_t rank = mlirShapedTypeGetRank(tensor);
  for (int64_t i = 0; i < rank; ++i)
    shape[i] = mlirShapedTypeGetDimSize(tensor, i);
  MlirType element = mlirShapedTypeGetElementType(tensor);
  return layout.ptr ? mlirMemRefTypeGet(element, rank, shape, layout,
                                        mlirAttributeGetNull())
                    : mlirMemRefTypeContiguousGet(element, rank, shape,
                                                  mlirAttributeGetNull());
}

MlirValue tvm_linalg_buffer_view(tvm_builder *b, MlirValue base, int64_t offset,
                                 intptr_t rank, const int64_t *sizes,
                                 const int64_t *strides) {
  MlirNamedAttribute read_only =
      tvm_attr(b->context, "read_only", mlirUnitAttrGet(b->context));
  MlirValue buffer = tvm_build_value(
      b, "bufferization.to_buffer", buffer_type(base), 1, &base, 1, &read_only);
  int32_t segments[] = {1, 0, 0, 0};
  MlirNamedAttribute attrs[] = {
      tvm_attr(b->context, "operandSegmentSizes",
               mlirDenseI32ArrayGet(b->context, 4, segments)),
      tvm_attr_i64s(b->context, "static_offsets", 1, &offset),
      tvm_attr_i64s(b->context, "static_sizes", rank, sizes),
      tvm_attr_i64s(b->context, "static_strides", rank, strides)};
  MlirAttribute layout =
      mlirStridedLayoutAttrGet(b->context, offset, rank, strides);
  MlirType type = mlirMemRefTypeGet(tvm_element_type(base), rank, sizes, layout,
                                    mlirAttributeGetNull());
  return tvm_build_value(b, "memref.reinterpret_cast", type, 1, &buffer, 4,
                         attrs);
}

MlirValue tvm_linalg_view(tvm_builder *b, MlirValue base, int64_t offset,
                          intptr_t rank, const int64_t *sizes,
                          const int64_t *strides) {
  MlirValue view =
      tvm_linalg_buffer_view(b, base, offset, rank, sizes, strides);
  MlirNamedAttribute restricted =
      tvm_attr(b->context, "restrict", mlirUnitAttrGet(b->context));
  MlirType type = tvm_tensor_type(rank, sizes, tvm_element_type(base));
  return tvm_build_value(b, "bufferization.to_tensor", type, 1, &view, 1,
                         &restricted);
}
