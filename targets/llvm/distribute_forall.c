/* distribute_forall.c - the outermost parallel loop as a [begin, end) range. */
#include "llvm/llvm.h"

#include "mlir-c/BuiltinAttributes.h"

#include <string.h>

enum { MAX_LOOPS = 8 };

typedef struct {
  intptr_t rank;
  int64_t lower[MAX_LOOPS], step[MAX_LOOPS], trips[MAX_LOOPS];
} loop_nest;

static MlirAttribute inherent(MlirOperation op, const char *name) {
  return mlirOperationGetInherentAttributeByName(
      op, mlirStringRefCreateFromCString(name));
}

/* Constant bounds of the forall; false when any is dynamic. */
static bool read_nest(MlirOperation forall, loop_nest *nest) {
  MlirAttribute lower = inherent(forall, "staticLowerBound");
  MlirAttribute upper = inherent(forall, "staticUpperBound");
  MlirAttribute step = inherent(forall, "staticStep");
  nest->rank = mlirDenseArrayGetNumElements(upper);
  if (nest->rank > MAX_LOOPS || mlirOperationGetNumOperands(forall))
    return false;
  for (intptr_t i = 0; i < nest->rank; ++i) {
    nest->lower[i] = mlirDenseI64ArrayGetElement(lower, i);
    nest->step[i] = mlirDenseI64ArrayGetElement(step, i);
    int64_t span = mlirDenseI64ArrayGetElement(upper, i) - nest->lower[i];
    if (nest->step[i] <= 0)
      return false;
    nest->trips[i] = span <= 0 ? 0 : (span + nest->step[i] - 1) / nest->step[i];
  }
  return true;
}

/* Operations that every range may repeat: they write no memory. */
static bool is_repeatable(MlirOperation op) {
  static const char *const names[] = {"memref.subview",
                                      "memref.cast",
                                      "memref.reinterpret_cast",
                                      "memref.expand_shape",
                                      "memref.view",
                                      "memref.collapse_shape",
                                      "memref.get_global",
                                      "memref.alloc",
                                      "memref.alloca",
                                      "memref.dealloc",
                                      "affine.apply",
                                      "ub.poison",
                                      "memref.transpose",
                                      "memref.memory_space_cast"};
  if (tvm_op_in_dialect(op, "arith") || tvm_op_is(op, "func.return"))
    return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (tvm_op_is(op, names[i]))
      return true;
  return false;
}

static MlirOperation find_only_forall(MlirBlock body) {
  MlirOperation found = {0}, op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (tvm_op_is(op, "scf.forall")) {
      if (found.ptr)
        return (MlirOperation){0};
      found = op;
    } else if (!is_repeatable(op)) {
      return (MlirOperation){0};
    }
  }
  return found;
}

static MlirValue index_constant(tvm_builder *b, int64_t value) {
  MlirType type = mlirIndexTypeGet(b->context);
  MlirNamedAttribute attr =
      tvm_attr(b->context, "value", mlirIntegerAttrGet(type, value));
  return tvm_build_value(b, "arith.constant", type, 0, NULL, 1, &attr);
}

static MlirValue index_op(tvm_builder *b, const char *name, MlirValue x,
                          int64_t y) {
  MlirValue operands[] = {x, index_constant(b, y)};
  return tvm_build_value(b, name, mlirIndexTypeGet(b->context), 2, operands, 0,
                         NULL);
}

/* Induction variables of the nest from the linear iteration number. */
static void build_ivs(tvm_builder *b, const loop_nest *nest, MlirValue linear,
                      MlirValue *ivs) {
  for (intptr_t i = nest->rank; i-- > 0;) {
    MlirValue trip = linear;
    if (i > 0) {
      trip = index_op(b, "arith.remui", linear, nest->trips[i]);
      linear = index_op(b, "arith.divui", linear, nest->trips[i]);
    }
    MlirValue scaled = index_op(b, "arith.muli", trip, nest->step[i]);
    ivs[i] = index_op(b, "arith.addi", scaled, nest->lower[i]);
  }
}

static void move_body(MlirOperation forall, MlirBlock to) {
  MlirBlock from = mlirRegionGetFirstBlock(mlirOperationGetRegion(forall, 0));
  MlirOperation next, op = mlirBlockGetFirstOperation(from);
  for (; op.ptr; op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (tvm_op_is(op, "scf.forall.in_parallel"))
      continue;
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(to, op);
  }
}

static void replace_forall(MlirOperation forall, const loop_nest *nest,
                           MlirValue begin, MlirValue end) {
  tvm_builder b = tvm_builder_before(forall);
  MlirType index = mlirIndexTypeGet(b.context);
  MlirBlock body = mlirBlockCreate(1, &index, &b.location);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  MlirValue bounds[] = {begin, end, index_constant(&b, 1)};
  tvm_build_op(&b, "scf.for", 0, NULL, 3, bounds, 0, NULL, 1, &region);
  tvm_builder inner = tvm_builder_at_end(body, b.location);
  MlirValue ivs[MAX_LOOPS];
  build_ivs(&inner, nest, mlirBlockGetArgument(body, 0), ivs);
  MlirBlock from = mlirRegionGetFirstBlock(mlirOperationGetRegion(forall, 0));
  for (intptr_t i = 0; i < nest->rank; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(from, i), ivs[i]);
  move_body(forall, body);
  tvm_build_op(&inner, "scf.yield", 0, NULL, 0, NULL, 0, NULL, 0, NULL);
  mlirOperationDestroy(forall);
}

int64_t tvm_llvm_distribute_forall(MlirOperation func) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirContext context = mlirOperationGetContext(func);
  MlirLocation location = mlirOperationGetLocation(func);
  MlirType index = mlirIndexTypeGet(context);
  MlirValue begin = mlirBlockAddArgument(body, index, location);
  MlirValue end = mlirBlockAddArgument(body, index, location);
  loop_nest nest;
  int64_t grid = 1;
  MlirOperation forall = find_only_forall(body);
  bool sequential = tvm_get_attr(func, "tvm.sequential").ptr;
  if (!sequential && forall.ptr && read_nest(forall, &nest)) {
    for (intptr_t i = 0; i < nest.rank; ++i)
      grid *= nest.trips[i];
    replace_forall(forall, &nest, begin, end);
  }
  return grid;
}
