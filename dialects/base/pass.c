/* pass.c - run textual pass pipelines. */
#include "base/base.h"

static void ignore(MlirStringRef text, void *user) { (void)text, (void)user; }

MlirLogicalResult tvm_parse_pipeline(MlirOpPassManager manager,
                                     const char *pipeline) {
  return mlirParsePassPipeline(
      manager, mlirStringRefCreateFromCString(pipeline), ignore, NULL);
}

MlirLogicalResult tvm_run_pipeline(MlirModule module, const char *pipeline) {
  MlirOperation op = mlirModuleGetOperation(module);
  MlirPassManager pm = mlirPassManagerCreate(mlirOperationGetContext(op));
  MlirLogicalResult ok =
      tvm_parse_pipeline(mlirPassManagerGetAsOpPassManager(pm), pipeline);
  if (mlirLogicalResultIsFailure(ok))
    tvm_emit_error(mlirOperationGetLocation(op),
                   "the pass pipeline '%s' is malformed", pipeline);
  else
    ok = mlirPassManagerRunOnOp(pm, op);
  mlirPassManagerDestroy(pm);
  return ok;
}
