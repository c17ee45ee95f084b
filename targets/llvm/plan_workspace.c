/* plan_workspace.c - no kernel allocates: what bufferization left as
 * memref.alloc becomes stack (small, or private to a parallel iteration) or a
 * part of the workspace that the host program sets aside in the arena. */
#include "llvm/llvm.h"

#include <stdlib.h>

enum { ALIGNMENT = 64, STACK_LIMIT = 4096, PRIVATE_LIMIT = 256 * 1024 };

typedef struct {
  MlirOperation *ops;
  size_t count, capacity;
} op_list;

typedef struct {
  op_list allocs, deallocs;
} found_ops;

static void push(op_list *l, MlirOperation op) {
  if (l->count == l->capacity) {
    l->capacity = l->capacity ? 2 * l->capacity : 16;
    l->ops = realloc(l->ops, l->capacity * sizeof *l->ops);
  }
  l->ops[l->count++] = op;
}

static MlirWalkResult collect(MlirOperation op, void *user) {
  found_ops *f = user;
  if (tvm_op_is(op, "memref.alloc"))
    push(&f->allocs, op);
  else if (tvm_op_is(op, "memref.dealloc"))
    push(&f->deallocs, op);
  return MlirWalkResultAdvance;
}

/* Inside of a loop over parallel iterations a buffer is private to each. */
static bool is_private(MlirOperation op, MlirOperation func) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  for (; parent.ptr && parent.ptr != func.ptr;
       parent = mlirOperationGetParentOperation(parent))
    if (tvm_op_is(parent, "scf.forall") || tvm_op_is(parent, "scf.parallel"))
      return true;
  return false;
}

static int64_t static_bytes(MlirType memref) {
  if (!mlirShapedTypeHasStaticShape(memref))
    return -1;
  int64_t n = tvm_element_bytes(mlirShapedTypeGetElementType(memref));
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(memref); ++i)
    n *= mlirShapedTypeGetDimSize(memref, i);
  return n;
}

/* A stack slot at the entry of the function: inside a loop it would grow. */
static void to_stack(MlirOperation alloc, MlirOperation func) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  tvm_builder b = tvm_builder_before(mlirBlockGetFirstOperation(entry));
  int32_t segments[] = {0, 0};
  MlirType i64 = mlirIntegerTypeGet(b.context, 64);
  MlirNamedAttribute attrs[] = {
      tvm_attr(b.context, "operandSegmentSizes",
               mlirDenseI32ArrayGet(b.context, 2, segments)),
      tvm_attr(b.context, "alignment", mlirIntegerAttrGet(i64, ALIGNMENT))};
  MlirValue slot = tvm_build_value(&b, "memref.alloca",
                                   mlirValueGetType(tvm_result(alloc, 0)), 0,
                                   NULL, 2, attrs);
  mlirValueReplaceAllUsesOfWith(tvm_result(alloc, 0), slot);
  mlirOperationDestroy(alloc);
}

static void to_workspace(MlirOperation alloc, MlirValue workspace,
                         int64_t offset, MlirOperation func) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  tvm_builder b = tvm_builder_before(mlirBlockGetFirstOperation(entry));
  MlirType index = mlirIndexTypeGet(b.context);
  MlirNamedAttribute value =
      tvm_attr(b.context, "value", mlirIntegerAttrGet(index, offset));
  MlirValue operands[] = {
      workspace,
      tvm_build_value(&b, "arith.constant", index, 0, NULL, 1, &value)};
  MlirValue view =
      tvm_build_value(&b, "memref.view", mlirValueGetType(tvm_result(alloc, 0)),
                      2, operands, 0, NULL);
  mlirValueReplaceAllUsesOfWith(tvm_result(alloc, 0), view);
  mlirOperationDestroy(alloc);
}

static bool goes_to_stack(MlirOperation alloc, MlirOperation func,
                          int64_t bytes) {
  return bytes <= STACK_LIMIT ||
         (bytes <= PRIVATE_LIMIT && is_private(alloc, func));
}

static int64_t round_up(int64_t n) {
  return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

MlirLogicalResult tvm_llvm_plan_workspace(MlirOperation func,
                                          int64_t *out_bytes) {
  found_ops found = {0};
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirContext context = mlirOperationGetContext(func);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  *out_bytes = 0;
  mlirOperationWalk(func, collect, &found, MlirWalkPreOrder);
  for (size_t i = 0; i < found.deallocs.count; ++i)
    mlirOperationDestroy(found.deallocs.ops[i]);
  for (size_t i = 0; i < found.allocs.count; ++i) {
    MlirOperation op = found.allocs.ops[i];
    int64_t bytes = static_bytes(mlirValueGetType(tvm_result(op, 0)));
    if (bytes < 0) {
      tvm_emit_error(mlirOperationGetLocation(op),
                     "kernel needs an allocation of dynamic size");
      result = mlirLogicalResultFailure();
      goto done;
    }
    if (bytes > PRIVATE_LIMIT && is_private(op, func)) {
      /* one copy cannot serve iterations that run at once */
      mlirOperationSetDiscardableAttributeByName(
          func, mlirStringRefCreateFromCString("tvm.sequential"),
          mlirUnitAttrGet(context));
    }
    if (!goes_to_stack(op, func, bytes))
      *out_bytes += round_up(bytes);
  }
  MlirValue workspace = {0};
  if (*out_bytes) {
    MlirType type = mlirMemRefTypeContiguousGet(
        mlirIntegerTypeGet(context, 8), 1, out_bytes, mlirAttributeGetNull());
    workspace =
        mlirBlockAddArgument(entry, type, mlirOperationGetLocation(func));
  }
  int64_t offset = 0;
  for (size_t i = 0; i < found.allocs.count; ++i) {
    MlirOperation op = found.allocs.ops[i];
    int64_t bytes = static_bytes(mlirValueGetType(tvm_result(op, 0)));
    if (goes_to_stack(op, func, bytes)) {
      to_stack(op, func);
    } else {
      to_workspace(op, workspace, offset, func);
      offset += round_up(bytes);
    }
  }
done:
  free(found.allocs.ops);
  free(found.deallocs.ops);
  return result;
}
