/* prefetch.c - ask for weights before they are needed.
 *
 * A block of results takes one row of weights a step. Packed panels lie one
 * after another, so what the loop reads in a while is at a constant distance;
 * asking for it early hides memory behind arithmetic, also across the end of a
 * page, where processors stop looking ahead by themselves. */
#include "llvm/prefetch.h"

#include "llvm/access.h"

typedef struct {
  MlirValue weights; /* the function's argument */
  int64_t rows_ahead, line_elements;
} request;

static MlirValue argument_behind(MlirValue buffer) {
  static const char *const views[] = {"memref.reinterpret_cast",
                                      "memref.subview", "memref.expand_shape",
                                      "memref.collapse_shape", "memref.cast"};
  for (MlirOperation op = tvm_defining_op(buffer); op.ptr;
       op = tvm_defining_op(buffer)) {
    bool is_view = false;
    for (size_t i = 0; i < sizeof views / sizeof *views; ++i)
      is_view |= tvm_op_is(op, views[i]);
    if (!is_view)
      break;
    buffer = tvm_operand(op, 0);
  }
  return buffer;
}

/* The position of the operand that is the loop's index, or -1. */
static intptr_t find_index(MlirOperation load, MlirValue index) {
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(load); ++i)
    if (mlirValueEqual(tvm_operand(load, i), index))
      return i;
  return -1;
}

/* The last index as a constant; 0 for another one, which starts a row. */
static int64_t column(MlirOperation load) {
  MlirOperation op =
      tvm_defining_op(tvm_operand(load, mlirOperationGetNumOperands(load) - 1));
  if (!op.ptr || !tvm_op_is(op, "arith.constant"))
    return 0;
  return mlirIntegerAttrGetValueInt(tvm_get_attr(op, "value"));
}

static void prefetch(const request *r, MlirOperation load, intptr_t at) {
  MlirContext context = mlirOperationGetContext(load);
  tvm_builder b = tvm_builder_before(load);
  MlirValue operands[TVM_MAX_LOOPS];
  intptr_t n = mlirOperationGetNumOperands(load);
  MlirType index = mlirIndexTypeGet(context);
  MlirNamedAttribute value =
      tvm_attr(context, "value", mlirIntegerAttrGet(index, r->rows_ahead));
  for (intptr_t i = 0; i < n; ++i)
    operands[i] = tvm_operand(load, i);
  MlirValue ahead[] = {
      operands[at],
      tvm_build_value(&b, "arith.constant", index, 0, NULL, 1, &value)};
  operands[at] = tvm_build_value(&b, "arith.addi", index, 2, ahead, 0, NULL);
  MlirType i32 = mlirIntegerTypeGet(context, 32);
  MlirNamedAttribute attrs[] = {
      tvm_attr(context, "isWrite", mlirBoolAttrGet(context, false)),
      tvm_attr(context, "localityHint", mlirIntegerAttrGet(i32, 3)),
      tvm_attr(context, "isDataCache", mlirBoolAttrGet(context, true))};
  tvm_build_op(&b, "memref.prefetch", 0, NULL, n, operands, 3, attrs, 0, NULL);
}

/* Whether the loop multiplies, and all of its body is straight. */
static bool is_inner_product(MlirBlock body) {
  bool multiplies = false;
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (mlirOperationGetNumRegions(op))
      return false;
    multiplies |= tvm_op_is(op, "vector.fma");
  }
  return multiplies;
}

static MlirWalkResult prefetch_in(MlirOperation loop, void *user) {
  const request *r = user;
  if (!tvm_op_is(loop, "scf.for"))
    return MlirWalkResultAdvance;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  if (!is_inner_product(body))
    return MlirWalkResultAdvance;
  MlirValue index = mlirBlockGetArgument(body, 0);
  MlirOperation next, op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!tvm_op_is(op, "vector.load") ||
        !mlirValueEqual(argument_behind(tvm_operand(op, 0)), r->weights) ||
        mlirOperationGetNumOperands(op) > TVM_MAX_LOOPS)
      continue;
    intptr_t at = find_index(op, index);
    if (at > 0 && column(op) % r->line_elements == 0)
      prefetch(r, op, at);
  }
  return MlirWalkResultAdvance;
}

void tvm_llvm_prefetch_weights(MlirOperation func, intptr_t weights,
                               int64_t rows_ahead, int64_t line_elements) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  request r = {.weights = mlirBlockGetArgument(entry, weights),
               .rows_ahead = rows_ahead,
               .line_elements = line_elements};
  mlirOperationWalk(func, prefetch_in, &r, MlirWalkPreOrder);
}
