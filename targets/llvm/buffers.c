/* buffers.c - what every schedule ends with: buffers instead of tensors. */
#include "llvm/schedule_internal.h"

#include "mlir-c/AffineMap.h"

#include <stdlib.h>
#include <string.h>

static MlirStringRef str(const char *s) {
  return mlirStringRefCreateFromCString(s);
}

static MlirAttribute parse_attribute(MlirContext context, const char *text) {
  return mlirAttributeParseGet(context, str(text));
}

static MlirWalkResult find_func(MlirOperation op, void *user) {
  if (!tvm_op_is(op, "func.func"))
    return MlirWalkResultAdvance;
  *(MlirOperation *)user = op;
  return MlirWalkResultInterrupt;
}

MlirOperation tvm_schedule_func(MlirModule module) {
  MlirOperation func = {0};
  mlirOperationWalk(mlirModuleGetOperation(module), find_func, &func,
                    MlirWalkPreOrder);
  return func;
}

static MlirWalkResult relax(MlirOperation op, void *user) {
  (void)user;
  if (!tvm_op_is(op, "linalg.generic"))
    return MlirWalkResultAdvance;
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute types =
      mlirOperationGetInherentAttributeByName(op, str("iterator_types"));
  MlirAttribute reduction =
      parse_attribute(context, "#linalg.iterator_type<reduction>");
  bool reduces = false;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(types); ++i)
    reduces |= mlirAttributeEqual(mlirArrayAttrGetElement(types, i), reduction);
  MlirAttribute flag =
      parse_attribute(context, "#arith.fastmath<reassoc,contract>");
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation inner = mlirBlockGetFirstOperation(body);
  for (; reduces && inner.ptr; inner = mlirOperationGetNextInBlock(inner))
    if (tvm_op_is(inner, "arith.addf") || tvm_op_is(inner, "arith.mulf"))
      mlirOperationSetInherentAttributeByName(inner, str("fastmath"), flag);
  return MlirWalkResultAdvance;
}

void tvm_schedule_relax_reductions(MlirOperation func) {
  mlirOperationWalk(func, relax, NULL, MlirWalkPreOrder);
}

typedef struct {
  MlirOperation *ops;
  size_t count, capacity;
} op_list;

static MlirWalkResult collect_copies(MlirOperation op, void *user) {
  op_list *l = user;
  if (!tvm_op_is(op, "memref.copy"))
    return MlirWalkResultAdvance;
  if (l->count == l->capacity) {
    l->capacity = l->capacity ? 2 * l->capacity : 16;
    l->ops = realloc(l->ops, l->capacity * sizeof *l->ops);
  }
  l->ops[l->count++] = op;
  return MlirWalkResultAdvance;
}

/* A linalg.generic that copies: memref.copy would need a library call where
 * the layout is not contiguous. */
static void replace_copy(MlirOperation copy) {
  tvm_builder b = tvm_builder_before(copy);
  MlirValue pair[] = {tvm_operand(copy, 0), tvm_operand(copy, 1)};
  MlirType type = mlirValueGetType(pair[0]);
  intptr_t rank = mlirShapedTypeGetRank(type);
  MlirType element = mlirShapedTypeGetElementType(type);
  MlirType types[] = {element, element};
  MlirLocation locations[] = {b.location, b.location};
  MlirBlock body = mlirBlockCreate(2, types, locations);
  tvm_builder inner = tvm_builder_at_end(body, b.location);
  MlirValue value = mlirBlockGetArgument(body, 0);
  tvm_build_op(&inner, "linalg.yield", 0, NULL, 1, &value, 0, NULL, 0, NULL);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  MlirAttribute map =
      mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(b.context, rank));
  MlirAttribute maps[] = {map, map};
  MlirAttribute *loops = malloc((size_t)(rank + 1) * sizeof *loops);
  for (intptr_t i = 0; i < rank; ++i)
    loops[i] = parse_attribute(b.context, "#linalg.iterator_type<parallel>");
  int32_t segments[] = {1, 1};
  MlirNamedAttribute attrs[] = {
      tvm_attr(b.context, "indexing_maps",
               mlirArrayAttrGet(b.context, 2, maps)),
      tvm_attr(b.context, "iterator_types",
               mlirArrayAttrGet(b.context, rank, loops)),
      tvm_attr(b.context, "operandSegmentSizes",
               mlirDenseI32ArrayGet(b.context, 2, segments))};
  tvm_build_op(&b, "linalg.generic", 0, NULL, 2, pair, 3, attrs, 1, &region);
  mlirOperationDestroy(copy);
  free(loops);
}

static void replace_copies(MlirOperation func) {
  op_list copies = {0};
  mlirOperationWalk(func, collect_copies, &copies, MlirWalkPreOrder);
  for (size_t i = 0; i < copies.count; ++i)
    replace_copy(copies.ops[i]);
  free(copies.ops);
}

static const char buffer_pipeline[] =
    "builtin.module("
    "eliminate-empty-tensors,empty-tensor-to-alloc-tensor,"
    "one-shot-bufferize{bufferize-function-boundaries=1 "
    "function-boundary-type-conversion=infer-layout-map},"
    "canonicalize,cse,canonicalize)";

MlirLogicalResult tvm_schedule_bufferize(MlirModule module) {
  if (mlirLogicalResultIsFailure(tvm_run_pipeline(module, buffer_pipeline)))
    return mlirLogicalResultFailure();
  replace_copies(tvm_schedule_func(module));
  return tvm_run_pipeline(module, "builtin.module(convert-linalg-to-loops)");
}
