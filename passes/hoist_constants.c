/* hoist_constants.c - move what depends on constants alone out of @main.
 *
 * Operators of @main whose operands are all constants (weight packing, batch
 * norm coefficients, constant branches of a model) move to a new function
 * @constants, and @main receives their values from one call of it. The
 * compiler compiles and runs @constants for the host and puts the values in
 * place of the call, so folding cannot disagree with running.
 *
 * Broadcasts that would only make a constant larger stay where they are.
 * Preserves: results. Source: design, decision 9. */
#include "base/value_set.h"
#include "passes/passes_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  tvm_value_set constant; /* values known at compile time */
  MlirOperation *ops;     /* to move, in program order */
  size_t count, capacity;
} hoist_state;

static void push_op(hoist_state *s, MlirOperation op) {
  if (s->count == s->capacity) {
    s->capacity = s->capacity ? 2 * s->capacity : 64;
    s->ops = realloc(s->ops, s->capacity * sizeof *s->ops);
  }
  s->ops[s->count++] = op;
}

static bool can_hoist(const hoist_state *s, MlirOperation op) {
  if (!tvm_op_in_dialect(op, "graph") || tvm_op_is(op, "graph.assert"))
    return false;
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; ++i)
    if (!tvm_value_set_has(&s->constant, tvm_operand(op, i)))
      return false;
  return n > 0 && !tvm_op_is(op, "graph.broadcast");
}

static void collect(hoist_state *s, MlirBlock body) {
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    bool constant = tvm_op_is(op, "arith.constant");
    if (!constant && !can_hoist(s, op))
      continue;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      tvm_value_set_add(&s->constant, tvm_result(op, i));
    if (!constant)
      push_op(s, op);
  }
}

/* Is the value read by an operation that stays in @main? */
static bool escapes(MlirValue v, const tvm_value_set *hoisted) {
  for (MlirOpOperand u = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(u);
       u = mlirOpOperandGetNextUse(u)) {
    MlirOperation user = mlirOpOperandGetOwner(u);
    if (mlirOperationGetNumResults(user) == 0 ||
        !tvm_value_set_has(hoisted, tvm_result(user, 0)))
      return true;
  }
  return false;
}

/* Move the operation to the end of `block`; its constant operands that stay
 * behind are copied in front of it. */
static void move_op(MlirOperation op, MlirBlock block, tvm_value_map *copies) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation def = tvm_defining_op(tvm_operand(op, i));
    if (!tvm_op_is(def, "arith.constant"))
      continue;
    MlirValue copy = tvm_value_map_get(copies, tvm_operand(op, i));
    if (!copy.ptr) {
      MlirOperation clone = mlirOperationClone(def);
      mlirBlockAppendOwnedOperation(block, clone);
      copy = tvm_result(clone, 0);
      tvm_value_map_put(copies, tvm_operand(op, i), copy);
    }
    mlirOperationSetOperand(op, i, copy);
  }
  mlirOperationRemoveFromParent(op);
  mlirBlockAppendOwnedOperation(block, op);
}

static MlirOperation create_constants_func(MlirOperation main_func, intptr_t n,
                                           MlirType *types) {
  tvm_builder b = tvm_builder_before(main_func);
  MlirType type = mlirFunctionTypeGet(b.context, 0, NULL, n, types);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, mlirBlockCreate(0, NULL, NULL));
  MlirNamedAttribute attrs[] = {
      tvm_attr_str(b.context, "sym_name", "constants"),
      tvm_attr(b.context, "function_type", mlirTypeAttrGet(type))};
  return tvm_build_op(&b, "func.func", 0, NULL, 0, NULL, 2, attrs, 1, &region);
}

/* The hoisted operations go on reading the values themselves. */
static void replace_by_call(const hoist_state *s, MlirOperation main_func,
                            intptr_t n, MlirValue *values, MlirType *types) {
  MlirBlock body =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(main_func, 0));
  tvm_builder b = tvm_builder_before(mlirBlockGetFirstOperation(body));
  MlirNamedAttribute attr =
      tvm_attr(b.context, "callee",
               mlirFlatSymbolRefAttrGet(
                   b.context, mlirStringRefCreateFromCString("constants")));
  MlirOperation call =
      tvm_build_op(&b, "func.call", n, types, 0, NULL, 1, &attr, 0, NULL);
  for (intptr_t i = 0; i < n; ++i)
    mlirValueReplaceAllUsesExcept(values[i], tvm_result(call, i),
                                  (intptr_t)s->count, s->ops);
}

static void hoist(hoist_state *s, MlirOperation main_func) {
  tvm_value_set hoisted = {0};
  size_t n_results = 0;
  for (size_t i = 0; i < s->count; ++i)
    tvm_value_set_add(&hoisted, tvm_result(s->ops[i], 0));
  MlirValue *values = malloc(2 * s->count * sizeof *values);
  MlirType *types = malloc(2 * s->count * sizeof *types);
  for (size_t i = 0; i < s->count; ++i)
    for (intptr_t r = 0; r < mlirOperationGetNumResults(s->ops[i]); ++r)
      if (escapes(tvm_result(s->ops[i], r), &hoisted)) {
        values[n_results] = tvm_result(s->ops[i], r);
        types[n_results++] = mlirValueGetType(tvm_result(s->ops[i], r));
      }
  MlirOperation func =
      create_constants_func(main_func, (intptr_t)n_results, types);
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  replace_by_call(s, main_func, (intptr_t)n_results, values, types);
  tvm_value_map copies = {0};
  for (size_t i = 0; i < s->count; ++i)
    move_op(s->ops[i], block, &copies);
  tvm_builder b = tvm_builder_at_end(block, mlirOperationGetLocation(func));
  tvm_build_op(&b, "func.return", 0, NULL, (intptr_t)n_results, values, 0, NULL,
               0, NULL);
  tvm_value_map_finish(&copies);
  tvm_value_set_finish(&hoisted);
  free(values);
  free(types);
}

MlirLogicalResult tvm_pass_hoist_constants(MlirOperation module) {
  MlirOperation main_func = tvm_find_function(module, "main");
  if (!main_func.ptr || tvm_find_function(module, "constants").ptr)
    return mlirLogicalResultSuccess();
  hoist_state s = {0};
  collect(&s, mlirRegionGetFirstBlock(mlirOperationGetRegion(main_func, 0)));
  if (s.count)
    hoist(&s, main_func);
  tvm_value_set_finish(&s.constant);
  free(s.ops);
  return mlirLogicalResultSuccess();
}
