/* lower_operator.c - one row an operator, its lowering. */
#include "graph_to_te/lower_operator.h"

#include <string.h>

/* Their tensors may gain two dimensions on the way. */
enum { MAX_GRAPH_RANK = TVM_LOWER_MAX_RANK - 2 };

static MlirLogicalResult no_kernel(tvm_lowering *l) {
  return tvm_emit_op_error(l->op, "cannot stand in a kernel");
}

MlirLogicalResult tvm_lower_assert(tvm_lowering *l) { return no_kernel(l); }
MlirLogicalResult tvm_lower_fused(tvm_lowering *l) { return no_kernel(l); }
MlirLogicalResult tvm_lower_yield(tvm_lowering *l) { return no_kernel(l); }

bool tvm_takes_immediate(MlirOperation op, intptr_t i) {
  const tvm_graph_operator *row =
      tvm_graph_find_operator(mlirIdentifierStr(mlirOperationGetName(op)));
  if (row && row->op_class == TVM_GRAPH_ELEMENTWISE)
    return true;
  return tvm_op_is(op, "graph.broadcast") ||
         (i == 1 &&
          (tvm_op_is(op, "graph.pad") || tvm_op_is(op, "graph.gather")));
}

static MlirLogicalResult check_rank(MlirOperation op, MlirValue v) {
  if (!mlirTypeIsARankedTensor(mlirValueGetType(v)))
    return tvm_emit_op_error(op, "expects ranked tensors");
  if (tvm_rank(v) > MAX_GRAPH_RANK)
    return tvm_emit_op_error(op, "supports rank %d at most, got rank %lld",
                             MAX_GRAPH_RANK, (long long)tvm_rank(v));
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult check_ranks(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirLogicalResultIsFailure(check_rank(op, tvm_operand(op, i))))
      return mlirLogicalResultFailure();
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (mlirLogicalResultIsFailure(check_rank(op, tvm_result(op, i))))
      return mlirLogicalResultFailure();
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_lower_operator(tvm_lowering *l) {
  static const struct {
    const char *name;
    MlirLogicalResult (*lower)(tvm_lowering *l);
  } rows[] = {
#define OPERATOR(name, op_class, check) {"graph." #name, tvm_lower_##name},
#include "graph/operators.def"
  };
  if (mlirLogicalResultIsFailure(check_ranks(l->op)))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (tvm_op_is(l->op, rows[i].name))
      return rows[i].lower(l);
  return tvm_emit_op_error(l->op, "has no lowering");
}
