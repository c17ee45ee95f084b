/* te_to_linalg.c - te.compute as linalg.generic.
 *
 * The body moves into the generic, its index arguments become linalg.index.
 * A reduction starts from the combiner's identity; an unused second tensor
 * carries the extents of the reduce indices, as in linalg's poolings. */
#include "te_to_linalg/te_to_linalg.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LOOPS = 32 };

typedef struct {
  MlirOperation op;
  tvm_builder b;
  MlirType type, element; /* of the result */
  intptr_t rank, n_reduce;
  int64_t reduce[MAX_LOOPS];
  bool is_max, is_min, is_mul;
} compute;

static bool combiner_is(MlirOperation op, const char *name) {
  return mlirStringRefEqual(tvm_get_str(op, "combiner"),
                            mlirStringRefCreateFromCString(name));
}

static MlirLogicalResult read_compute(MlirOperation op, compute *c) {
  *c = (compute){.op = op, .b = tvm_builder_before(op)};
  c->type = mlirValueGetType(tvm_result(op, 0));
  c->element = mlirShapedTypeGetElementType(c->type);
  c->rank = mlirShapedTypeGetRank(c->type);
  c->n_reduce = tvm_get_i64s_size(op, "reduce");
  if (c->rank + c->n_reduce > MAX_LOOPS)
    return tvm_emit_op_error(op, "supports %d indices at most, got %lld",
                             MAX_LOOPS, (long long)(c->rank + c->n_reduce));
  for (intptr_t i = 0; i < c->n_reduce; ++i)
    c->reduce[i] = tvm_get_i64s(op, "reduce", i);
  if (c->n_reduce) {
    c->is_max = combiner_is(op, "max");
    c->is_min = combiner_is(op, "min");
    c->is_mul = combiner_is(op, "mul");
  }
  return mlirLogicalResultSuccess();
}

/* --- the combiner -----------------------------------------------------------
 */

static MlirAttribute identity_of(const compute *c) {
  if (mlirTypeIsAFloat(c->element)) {
    double v = c->is_max ? -INFINITY : c->is_min ? INFINITY : c->is_mul ? 1 : 0;
    return mlirFloatAttrDoubleGet(c->b.context, c->element, v);
  }
  unsigned width = mlirIntegerTypeGetWidth(c->element);
  int64_t least = width == 64 ? INT64_MIN : -(1ll << (width - 1));
  int64_t v = c->is_max ? least : c->is_min ? ~least : c->is_mul;
  return mlirIntegerAttrGet(c->element, v);
}

static const char *combiner_op(const compute *c) {
  bool f = mlirTypeIsAFloat(c->element);
  if (c->is_max)
    return f ? "arith.maximumf" : "arith.maxsi";
  if (c->is_min)
    return f ? "arith.minimumf" : "arith.minsi";
  if (c->is_mul)
    return f ? "arith.mulf" : "arith.muli";
  return f ? "arith.addf" : "arith.addi";
}

static MlirAttribute parse(MlirContext context, const char *text) {
  return mlirAttributeParseGet(context, mlirStringRefCreateFromCString(text));
}

static MlirValue build_combine(const compute *c, tvm_builder *b, MlirValue acc,
                               MlirValue v) {
  bool contract = mlirTypeIsAFloat(c->element) && !c->is_max && !c->is_min;
  MlirNamedAttribute attr =
      tvm_attr(b->context, "fastmath",
               parse(b->context, "#arith.fastmath<reassoc,contract>"));
  MlirValue operands[] = {acc, v};
  return tvm_build_value(b, combiner_op(c), c->element, 2, operands, contract,
                         &attr);
}

/* --- the generic ------------------------------------------------------------
 */

static MlirValue build_fill(compute *c, MlirValue into) {
  MlirNamedAttribute value = tvm_attr(c->b.context, "value", identity_of(c));
  MlirValue scalar =
      tvm_build_value(&c->b, "arith.constant", c->element, 0, NULL, 1, &value);
  MlirType types[] = {c->element, c->element};
  MlirLocation locations[] = {c->b.location, c->b.location};
  MlirBlock body = mlirBlockCreate(2, types, locations);
  tvm_builder inner = tvm_builder_at_end(body, c->b.location);
  MlirValue yielded = mlirBlockGetArgument(body, 0);
  tvm_build_op(&inner, "linalg.yield", 0, NULL, 1, &yielded, 0, NULL, 0, NULL);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  int32_t segments[] = {1, 1};
  MlirNamedAttribute attr =
      tvm_attr(c->b.context, "operandSegmentSizes",
               mlirDenseI32ArrayGet(c->b.context, 2, segments));
  MlirValue operands[] = {scalar, into};
  return tvm_result(tvm_build_op(&c->b, "linalg.fill", 1, &c->type, 2, operands,
                                 1, &attr, 1, &region),
                    0);
}

static MlirAttribute range_map(const compute *c, intptr_t first, intptr_t n) {
  MlirAffineExpr exprs[MAX_LOOPS];
  for (intptr_t i = 0; i < n; ++i)
    exprs[i] = mlirAffineDimExprGet(c->b.context, first + i);
  return mlirAffineMapAttrGet(
      mlirAffineMapGet(c->b.context, c->rank + c->n_reduce, 0, n, exprs));
}

static MlirAttribute iterators(const compute *c) {
  MlirAttribute kinds[MAX_LOOPS];
  for (intptr_t i = 0; i < c->rank + c->n_reduce; ++i)
    kinds[i] =
        parse(c->b.context, i < c->rank ? "#linalg.iterator_type<parallel>"
                                        : "#linalg.iterator_type<reduction>");
  return mlirArrayAttrGet(c->b.context, c->rank + c->n_reduce, kinds);
}

/* A generic with an empty body: [reduce extents,] result. */
static MlirOperation build_generic(compute *c, MlirBlock body) {
  MlirContext context = c->b.context;
  MlirValue out =
      tvm_build_value(&c->b, "tensor.empty", c->type, 0, NULL, 0, NULL);
  MlirValue operands[2];
  MlirAttribute maps[2];
  int32_t segments[] = {c->n_reduce > 0, 1};
  intptr_t n = 0;
  if (c->n_reduce) {
    operands[n] = tvm_build_value(
        &c->b, "tensor.empty",
        tvm_tensor_type(c->n_reduce, c->reduce, c->element), 0, NULL, 0, NULL);
    maps[n++] = range_map(c, c->rank, c->n_reduce);
    out = build_fill(c, out);
  }
  operands[n] = out;
  maps[n++] = range_map(c, 0, c->rank);
  MlirNamedAttribute attrs[] = {
      tvm_attr(context, "indexing_maps", mlirArrayAttrGet(context, n, maps)),
      tvm_attr(context, "iterator_types", iterators(c)),
      tvm_attr(context, "operandSegmentSizes",
               mlirDenseI32ArrayGet(context, 2, segments))};
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  return tvm_build_op(&c->b, "linalg.generic", 1, &c->type, n, operands, 3,
                      attrs, 1, &region);
}

static void move_body(compute *c, MlirBlock to) {
  MlirBlock from = mlirRegionGetFirstBlock(mlirOperationGetRegion(c->op, 0));
  tvm_builder b = tvm_builder_at_end(to, c->b.location);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(from); ++i) {
    MlirNamedAttribute attr = tvm_attr_i64(b.context, "dim", i);
    MlirValue index = tvm_build_value(
        &b, "linalg.index", mlirIndexTypeGet(b.context), 0, NULL, 1, &attr);
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(from, i), index);
  }
  MlirOperation yield = mlirBlockGetTerminator(from);
  MlirOperation op = mlirBlockGetFirstOperation(from);
  while (!mlirOperationEqual(op, yield)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(to, op);
    op = next;
  }
  MlirValue v = tvm_operand(yield, 0);
  if (c->n_reduce)
    v = build_combine(c, &b, mlirBlockGetArgument(to, 1), v);
  tvm_build_op(&b, "linalg.yield", 0, NULL, 1, &v, 0, NULL, 0, NULL);
}

static MlirLogicalResult lower_compute(MlirOperation op) {
  compute c;
  if (mlirLogicalResultIsFailure(read_compute(op, &c)))
    return mlirLogicalResultFailure();
  MlirType types[] = {c.element, c.element};
  MlirLocation locations[] = {c.b.location, c.b.location};
  MlirBlock body = mlirBlockCreate(c.n_reduce ? 2 : 1, types, locations);
  MlirOperation generic = build_generic(&c, body);
  move_body(&c, body);
  mlirValueReplaceAllUsesOfWith(tvm_result(op, 0), tvm_result(generic, 0));
  mlirOperationDestroy(op);
  return mlirLogicalResultSuccess();
}

/* --- all of them ------------------------------------------------------------
 */

typedef struct {
  MlirOperation *ops;
  size_t count, capacity;
} op_list;

static MlirWalkResult collect(MlirOperation op, void *user) {
  op_list *list = user;
  if (!tvm_op_is(op, "te.compute"))
    return MlirWalkResultAdvance;
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 16;
    list->ops = realloc(list->ops, list->capacity * sizeof *list->ops);
  }
  list->ops[list->count++] = op;
  return MlirWalkResultAdvance;
}

MlirLogicalResult tvm_lower_te_compute(MlirOperation op) {
  op_list list = {0};
  MlirLogicalResult ok = mlirLogicalResultSuccess();
  mlirOperationWalk(op, collect, &list, MlirWalkPostOrder);
  for (size_t i = 0; i < list.count && mlirLogicalResultIsSuccess(ok); ++i)
    ok = lower_compute(list.ops[i]);
  free(list.ops);
  return ok;
}

static MlirLogicalResult run(MlirOperation op, tvm_seam_pass pass, void *user) {
  (void)pass, (void)user;
  return tvm_lower_te_compute(op);
}

void tvm_te_to_linalg_register(void) {
  static const char *const dialects[] = {"linalg", "tensor", "arith"};
  static const tvm_seam_pass_desc pass = {
      .argument = "tvm-convert-te-to-linalg",
      .description = "Lower te.compute to linalg.generic",
      .n_dialects = sizeof dialects / sizeof *dialects,
      .dialects = dialects,
      .run = run,
  };
  tvm_seam_register_pass(&pass);
}
