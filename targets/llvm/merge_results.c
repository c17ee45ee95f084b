/* merge_results.c - a kernel with several results is one generic with as many.
 *
 * Elementwise fusion stops at a value that is also returned. Where its only
 * reader walks over it element by element, both generics become one, which
 * yields the value too: one loop, and a schedule has one root. */
#include "llvm/schedule_internal.h"

#include "llvm/access.h"

#include <stdlib.h>

enum { MAX_OPERANDS = 48 };

static MlirAttribute inherent(MlirOperation op, const char *name) {
  return mlirOperationGetInherentAttributeByName(
      op, mlirStringRefCreateFromCString(name));
}

/* All loops parallel, each result written at the loop indices. */
static bool is_elementwise(MlirOperation op) {
  if (!tvm_op_is(op, "linalg.generic") || !mlirOperationGetNumResults(op))
    return false;
  for (intptr_t d = 0; d < tvm_linalg_num_loops(op); ++d)
    if (tvm_linalg_is_reduction(op, d))
      return false;
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t k = tvm_linalg_num_inputs(op); k < n; ++k)
    if (!mlirAffineMapIsIdentity(tvm_linalg_map(op, k)))
      return false;
  return true;
}

static bool is_result_of(MlirValue v, MlirOperation op) {
  return mlirValueIsAOpResult(v) && mlirOpResultGetOwner(v).ptr == op.ptr;
}

/* The elementwise reader of a result; null when there is none, or when another
 * operation than the end of the function reads one too. */
static MlirOperation find_reader(MlirOperation op) {
  MlirOperation none = {0}, reader = {0};
  for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r) {
    MlirOpOperand u = mlirValueGetFirstUse(tvm_result(op, r));
    for (; !mlirOpOperandIsNull(u); u = mlirOpOperandGetNextUse(u)) {
      MlirOperation user = mlirOpOperandGetOwner(u);
      if (tvm_op_is(user, "func.return"))
        continue;
      if (reader.ptr && user.ptr != reader.ptr)
        return none;
      intptr_t k = mlirOpOperandGetOperandNumber(u);
      if (!is_elementwise(user) || k >= tvm_linalg_num_inputs(user) ||
          !mlirAffineMapIsIdentity(tvm_linalg_map(user, k)))
        return none;
      reader = user;
    }
  }
  return reader;
}

/* The operands of the merged generic, and where those of its halves went. */
typedef struct {
  MlirValue operands[MAX_OPERANDS];
  MlirAttribute maps[MAX_OPERANDS];
  intptr_t count;
} operand_list;

static intptr_t add_operand(operand_list *l, MlirOperation from, intptr_t k) {
  l->operands[l->count] = tvm_operand(from, k);
  l->maps[l->count] = mlirAffineMapAttrGet(tvm_linalg_map(from, k));
  return l->count++;
}

/* Move the body of `from` to the end of `to`; an operand reads the block
 * argument `argument[k]`, or `value[k]` where that is -1. */
static void append_body(MlirBlock to, MlirOperation from,
                        const intptr_t *argument, const MlirValue *value,
                        MlirValue *out_yields) {
  MlirBlock body = tvm_linalg_body(from);
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(from); ++k)
    mlirValueReplaceAllUsesOfWith(
        mlirBlockGetArgument(body, k),
        argument[k] < 0 ? value[k] : mlirBlockGetArgument(to, argument[k]));
  MlirOperation next, op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (tvm_op_is(op, "linalg.yield")) {
      for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
        out_yields[i] = tvm_operand(op, i);
      return;
    }
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(to, op);
  }
}

static MlirBlock create_body(const operand_list *l, MlirLocation location) {
  MlirType types[MAX_OPERANDS];
  MlirLocation locations[MAX_OPERANDS];
  for (intptr_t k = 0; k < l->count; ++k) {
    MlirType type = mlirValueGetType(l->operands[k]);
    types[k] =
        mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type;
    locations[k] = location;
  }
  return mlirBlockCreate(l->count, types, locations);
}

static MlirOperation build_generic(tvm_builder *b, const operand_list *l,
                                   intptr_t n_results, MlirAttribute iterators,
                                   MlirBlock owned_body) {
  MlirType types[MAX_OPERANDS];
  intptr_t n_ins = l->count - n_results;
  for (intptr_t i = 0; i < n_results; ++i)
    types[i] = mlirValueGetType(l->operands[n_ins + i]);
  int32_t segments[] = {(int32_t)n_ins, (int32_t)n_results};
  MlirNamedAttribute attrs[] = {
      tvm_attr(b->context, "indexing_maps",
               mlirArrayAttrGet(b->context, l->count, l->maps)),
      tvm_attr(b->context, "iterator_types", iterators),
      tvm_attr(b->context, "operandSegmentSizes",
               mlirDenseI32ArrayGet(b->context, 2, segments))};
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, owned_body);
  return tvm_build_op(b, "linalg.generic", n_results, types, l->count,
                      l->operands, 3, attrs, 1, &region);
}

/* One generic in the place of `second`, with the results of both. */
static void merge(MlirOperation first, MlirOperation second) {
  intptr_t at[2][MAX_OPERANDS], n_in[2], n_out[2];
  MlirOperation halves[] = {first, second};
  operand_list l = {.count = 0};
  for (int h = 0; h < 2; ++h) {
    n_in[h] = tvm_linalg_num_inputs(halves[h]);
    n_out[h] = mlirOperationGetNumResults(halves[h]);
    for (intptr_t k = 0; k < n_in[h]; ++k)
      at[h][k] = h && is_result_of(tvm_operand(second, k), first)
                     ? -1
                     : add_operand(&l, halves[h], k);
  }
  for (int h = 0; h < 2; ++h)
    for (intptr_t k = 0; k < n_out[h]; ++k)
      at[h][n_in[h] + k] = add_operand(&l, halves[h], n_in[h] + k);
  tvm_builder b = tvm_builder_before(second);
  MlirBlock body = create_body(&l, b.location);
  MlirValue yields[MAX_OPERANDS], values[MAX_OPERANDS] = {{0}};
  append_body(body, first, at[0], values, yields);
  for (intptr_t k = 0; k < n_in[1]; ++k)
    if (at[1][k] < 0)
      values[k] = yields[mlirOpResultGetResultNumber(tvm_operand(second, k))];
  append_body(body, second, at[1], values, yields + n_out[0]);
  tvm_builder end = tvm_builder_at_end(body, b.location);
  intptr_t n = n_out[0] + n_out[1];
  tvm_build_op(&end, "linalg.yield", 0, NULL, n, yields, 0, NULL, 0, NULL);
  MlirOperation merged =
      build_generic(&b, &l, n, inherent(second, "iterator_types"), body);
  for (int h = 0; h < 2; ++h)
    for (intptr_t i = 0; i < n_out[h]; ++i)
      mlirValueReplaceAllUsesOfWith(tvm_result(halves[h], i),
                                    tvm_result(merged, (h ? n_out[0] : 0) + i));
  mlirOperationDestroy(second);
  mlirOperationDestroy(first);
}

static bool same_loops(MlirOperation a, MlirOperation b) {
  int64_t x[TVM_MAX_LOOPS], y[TVM_MAX_LOOPS];
  intptr_t n = tvm_linalg_num_loops(a);
  if (n != tvm_linalg_num_loops(b) || !tvm_access_extents(a, x) ||
      !tvm_access_extents(b, y))
    return false;
  for (intptr_t d = 0; d < n; ++d)
    if (x[d] != y[d])
      return false;
  return mlirOperationGetNumOperands(a) + mlirOperationGetNumOperands(b) <=
         MAX_OPERANDS;
}

void tvm_schedule_merge_results(MlirOperation func) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirOperation ret = mlirBlockGetTerminator(entry);
  if (mlirOperationGetNumOperands(ret) < 2)
    return;
  MlirOperation next, op = mlirBlockGetFirstOperation(entry);
  for (; op.ptr; op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!is_elementwise(op))
      continue;
    MlirOperation reader = find_reader(op);
    if (!reader.ptr || !same_loops(op, reader))
      continue;
    merge(op, reader); /* `next` may be gone; there is one generic less */
    next = mlirBlockGetFirstOperation(entry);
  }
}
