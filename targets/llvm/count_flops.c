/* count_flops.c - operation counts for profiles and for choices by size. */
#include "llvm/count_flops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

enum { MAX_DIMS = 32 };

static int64_t domain_points(MlirOperation op, MlirAttribute maps) {
  int64_t extent[MAX_DIMS] = {0}, points = 1;
  intptr_t n_dims = 0;
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n && i < mlirArrayAttrGetNumElements(maps); ++i) {
    MlirAffineMap map =
        mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
    n_dims = mlirAffineMapGetNumDims(map);
    if (!mlirTypeIsAShaped(type) || n_dims > MAX_DIMS)
      continue;
    for (intptr_t r = 0; r < mlirAffineMapGetNumResults(map); ++r) {
      MlirAffineExpr e = mlirAffineMapGetResult(map, r);
      if (mlirAffineExprIsADim(e))
        extent[mlirAffineDimExprGetPosition(e)] =
            mlirShapedTypeGetDimSize(type, r);
    }
  }
  for (intptr_t d = 0; d < n_dims && d < MAX_DIMS; ++d)
    points *= extent[d];
  return points;
}

static int64_t body_operations(MlirOperation op) {
  int64_t n = 0;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation inner = mlirBlockGetFirstOperation(body);
  for (; inner.ptr; inner = mlirOperationGetNextInBlock(inner))
    n += tvm_op_in_dialect(inner, "arith") || tvm_op_in_dialect(inner, "math");
  return n;
}

static MlirWalkResult count(MlirOperation op, void *user) {
  if (!tvm_op_is(op, "linalg.generic"))
    return MlirWalkResultAdvance;
  MlirAttribute maps = mlirOperationGetInherentAttributeByName(
      op, mlirStringRefCreateFromCString("indexing_maps"));
  *(int64_t *)user += domain_points(op, maps) * body_operations(op);
  return MlirWalkResultAdvance;
}

void tvm_llvm_count_flops(MlirOperation kernel) {
  int64_t flops = 0;
  mlirOperationWalk(kernel, count, &flops, MlirWalkPreOrder);
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(kernel), 64);
  mlirOperationSetDiscardableAttributeByName(
      kernel, mlirStringRefCreateFromCString("tvm.flops"),
      mlirIntegerAttrGet(i64, flops));
}
