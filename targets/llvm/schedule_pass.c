/* schedule_pass.c - scheduling as a pass, for tests and schedule writers. */
#include "llvm/pipeline.h"

#include "llvm/llvm.h"
#include "llvm/schedule.h"
#include "llvm/schedule_internal.h"

#include <stdio.h>

enum { OPTION_TARGET, OPTION_SCHEDULE, OPTION_STOP, NUM_OPTIONS };

static const tvm_seam_option options[NUM_OPTIONS] = {
    {"target", "name of the CPU target", "host"},
    {"schedule", "file of a Transform schedule instead of the library's", ""},
    {"stop", "'prepared' or 'canonical' leaves what a schedule gets", ""},
};

static void copy_option(tvm_seam_pass pass, intptr_t index, char *out,
                        size_t size) {
  MlirStringRef value = tvm_seam_pass_option(pass, index);
  snprintf(out, size, "%.*s", (int)value.length, value.data);
}

typedef struct {
  tvm_llvm_target target;
  char schedule[1024], stop[16];
} request;

static MlirLogicalResult schedule(MlirModule module, const request *r) {
  if (r->stop[0])
    return tvm_schedule_stop_at(module, r->stop);
  return tvm_llvm_schedule_kernel(module, &r->target,
                                  r->schedule[0] ? r->schedule : NULL,
                                  TVM_SCHEDULE_BLOCKED, NULL);
}

/* Replace a te.kernel by a module of its name that holds the function. */
static MlirLogicalResult replace_kernel(MlirOperation kernel,
                                        const request *r) {
  MlirModule module = tvm_llvm_clone_kernel(kernel);
  MlirLogicalResult ok = schedule(module, r);
  MlirOperation op = mlirModuleGetOperation(module);
  mlirOperationSetInherentAttributeByName(
      op, mlirStringRefCreateFromCString("sym_name"),
      tvm_get_attr(kernel, "sym_name"));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(kernel), kernel,
                                      op);
  mlirOperationDestroy(kernel);
  return ok;
}

/* What is left would launch kernels that are gone. */
static void drop_functions(MlirModule module) {
  MlirOperation next,
      op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  for (; op.ptr; op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (tvm_op_is(op, "func.func"))
      mlirOperationDestroy(op);
  }
}

static MlirLogicalResult run(MlirOperation op, tvm_seam_pass pass, void *user) {
  (void)user;
  request r;
  char name[256], message[TVM_TARGET_MESSAGE_BYTES];
  copy_option(pass, OPTION_TARGET, name, sizeof name);
  copy_option(pass, OPTION_SCHEDULE, r.schedule, sizeof r.schedule);
  copy_option(pass, OPTION_STOP, r.stop, sizeof r.stop);
  if (!tvm_llvm_target_resolve(name, &r.target, message))
    return tvm_emit_error(mlirOperationGetLocation(op), "%s", message);
  MlirModule module = mlirModuleFromOperation(op);
  bool any = false;
  MlirOperation next,
      kernel = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  for (; kernel.ptr; kernel = next) {
    next = mlirOperationGetNextInBlock(kernel);
    if (!tvm_op_is(kernel, "te.kernel"))
      continue;
    any = true;
    if (mlirLogicalResultIsFailure(replace_kernel(kernel, &r)))
      return mlirLogicalResultFailure();
  }
  if (!any)
    return schedule(module, &r);
  drop_functions(module);
  return mlirLogicalResultSuccess();
}

static const char *const dialects[] = {
    "affine", "arith",  "bufferization", "func",      "linalg", "memref",
    "scf",    "tensor", "vector",        "transform", "ub",     "math"};

static const tvm_seam_pass_desc description = {
    .argument = "tvm-schedule-kernels",
    .description = "Schedule the kernels of a module as the compiler does",
    .op_name = "builtin.module",
    .n_options = NUM_OPTIONS,
    .options = options,
    .n_dialects = sizeof dialects / sizeof *dialects,
    .dialects = dialects,
    .run = run,
};

void tvm_llvm_register_schedule_pass(void) {
  tvm_seam_register_pass(&description);
}
