/* verify.c - what IRDL cannot say about the operators. */
#include "graph/verify.h"

#include "graph/infer.h"

#include <stdlib.h>

static MlirLogicalResult compare_results(const tvm_graph_signature *s,
                                         MlirOperation op, intptr_t n,
                                         const MlirType *types) {
  if (mlirOperationGetNumResults(op) != n)
    return tvm_emit_op_error(op, "expects %td results, got %td", n,
                             mlirOperationGetNumResults(op));
  for (intptr_t i = 0; i < n; ++i) {
    char expected[TVM_GRAPH_TEXT_SIZE], got[TVM_GRAPH_TEXT_SIZE];
    MlirType type = mlirValueGetType(tvm_result(op, i));
    if (mlirTypeEqual(type, types[i]))
      continue;
    tvm_graph_print_type(types[i], expected);
    tvm_graph_print_type(type, got);
    tvm_graph_fail(s, "expects result type '%s', got '%s'", expected, got);
    return mlirLogicalResultFailure();
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_graph_verify_operator(MlirOperation op) {
  const tvm_graph_operator *row =
      tvm_graph_find_operator(mlirIdentifierStr(mlirOperationGetName(op)));
  intptr_t n = mlirOperationGetNumOperands(op),
           n_attrs = mlirOperationGetNumAttributes(op), n_results = 0;
  MlirValue *operands = malloc((size_t)(n + 1) * sizeof *operands);
  MlirNamedAttribute *attrs = malloc((size_t)(n_attrs + 1) * sizeof *attrs);
  for (intptr_t i = 0; i < n; ++i)
    operands[i] = tvm_operand(op, i);
  for (intptr_t i = 0; i < n_attrs; ++i)
    attrs[i] = mlirOperationGetAttribute(op, i);
  tvm_graph_signature s = {row->name,
                           mlirOperationGetContext(op),
                           mlirOperationGetLocation(op),
                           n,
                           operands,
                           n_attrs,
                           attrs};
  MlirType types[TVM_GRAPH_MAX_RESULTS];
  MlirLogicalResult ok = row->infer(&s, &n_results, types);
  if (mlirLogicalResultIsSuccess(ok))
    ok = compare_results(&s, op, n_results, types);
  free(operands);
  free(attrs);
  return ok;
}

MlirLogicalResult tvm_graph_verify_yield(MlirOperation op) {
  if (tvm_op_is(mlirOperationGetParentOperation(op), "graph.fused") &&
      !mlirOperationGetNextInBlock(op).ptr)
    return mlirLogicalResultSuccess();
  return tvm_emit_op_error(op, "expects to end the body of a 'graph.fused'");
}

static MlirLogicalResult verify_arguments(MlirOperation op, MlirBlock body) {
  intptr_t n = mlirOperationGetNumOperands(op);
  if (mlirBlockGetNumArguments(body) != n)
    return tvm_emit_op_error(op, "expects %td block arguments, got %td", n,
                             mlirBlockGetNumArguments(body));
  for (intptr_t i = 0; i < n; ++i)
    if (!mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(body, i)),
                       mlirValueGetType(tvm_operand(op, i))))
      return tvm_emit_op_error(
          op, "expects block argument %td to have the type of its operand", i);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult verify_yielded(MlirOperation op, MlirBlock body) {
  MlirOperation yield = mlirBlockGetTerminator(body);
  if (!tvm_op_is(yield, "graph.yield"))
    return tvm_emit_op_error(op, "expects a body that ends in 'graph.yield'");
  intptr_t n = mlirOperationGetNumResults(op);
  if (mlirOperationGetNumOperands(yield) != n)
    return tvm_emit_op_error(op, "expects %td yielded values, got %td", n,
                             mlirOperationGetNumOperands(yield));
  for (intptr_t i = 0; i < n; ++i)
    if (!mlirTypeEqual(mlirValueGetType(tvm_operand(yield, i)),
                       mlirValueGetType(tvm_result(op, i))))
      return tvm_emit_op_error(
          op, "expects yielded value %td to have the type of its result", i);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_graph_verify_fused(MlirOperation op) {
  if (mlirOperationGetNumRegions(op) != 1)
    return tvm_emit_op_error(op, "expects one region, got %td",
                             mlirOperationGetNumRegions(op));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  if (!body.ptr || mlirBlockGetNextInRegion(body).ptr)
    return tvm_emit_op_error(op, "expects a region of one block");
  if (mlirLogicalResultIsFailure(verify_arguments(op, body)) ||
      mlirLogicalResultIsFailure(verify_yielded(op, body)))
    return mlirLogicalResultFailure();
  if (!tvm_block_is_isolated(body))
    return tvm_emit_op_error(
        op, "expects a body that uses its block arguments alone");
  return mlirLogicalResultSuccess();
}
