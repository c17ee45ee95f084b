/* graph_to_te.c - the pass tvm-convert-graph-to-te. */
#include "graph_to_te/graph_to_te.h"

#include "graph/placement.h"
#include "graph_to_te/outline.h"

/* Views and checks are the host program's. */
static bool stays(MlirOperation op) {
  return !tvm_op_in_dialect(op, "graph") || tvm_graph_is_view(op) ||
         tvm_graph_has_parts(op) || tvm_op_is(op, "graph.assert");
}

/* No kernel has a result without elements: it is a constant. */
static bool replace_empty(MlirOperation op) {
  intptr_t n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; ++i)
    if (tvm_num_elements(mlirValueGetType(tvm_result(op, i))) > 0)
      return false;
  tvm_builder b = tvm_builder_before(op);
  for (intptr_t i = 0; i < n; ++i)
    mlirValueReplaceAllUsesOfWith(
        tvm_result(op, i),
        tvm_build_constant(&b, mlirValueGetType(tvm_result(op, i)), "", 0));
  mlirOperationDestroy(op);
  return true;
}

static MlirLogicalResult convert_function(tvm_kernel_table *table,
                                          MlirOperation module,
                                          MlirOperation func) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  if (mlirBlockIsNull(body))
    return mlirLogicalResultSuccess();
  MlirOperation op = mlirBlockGetFirstOperation(body);
  while (op.ptr) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    if (!stays(op) && !replace_empty(op) &&
        mlirLogicalResultIsFailure(tvm_outline_kernel(table, module, op)))
      return mlirLogicalResultFailure();
    op = next;
  }
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult run(MlirOperation module, tvm_seam_pass pass,
                             void *user) {
  (void)pass, (void)user;
  tvm_kernel_table table = {0};
  MlirLogicalResult ok = mlirLogicalResultSuccess();
  MlirOperation op = mlirBlockGetFirstOperation(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)));
  for (; op.ptr && mlirLogicalResultIsSuccess(ok);
       op = mlirOperationGetNextInBlock(op))
    if (tvm_op_is(op, "func.func"))
      ok = convert_function(&table, module, op);
  tvm_kernel_table_finish(&table);
  return ok;
}

void tvm_graph_to_te_register(void) {
  static const char *const dialects[] = {"te",    "linalg", "tensor",
                                         "arith", "math",   "scf"};
  static const tvm_seam_pass_desc pass = {
      .argument = "tvm-convert-graph-to-te",
      .description = "Outline graph operators into te.kernel ops on linalg",
      .op_name = "builtin.module",
      .n_dialects = sizeof dialects / sizeof *dialects,
      .dialects = dialects,
      .run = run,
  };
  tvm_seam_register_pass(&pass);
}
