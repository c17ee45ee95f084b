/* lower_kernel.c - one kernel from te.kernel to the LLVM dialect. */
#include "llvm/build_kernel.h"
#include "llvm/in_place.h"
#include "llvm/kernel_facts.h"
#include "llvm/llvm.h"

#include "mlir-c/Pass.h"

#include <stdlib.h>
#include <string.h>

static MlirStringRef str(const char *s) {
  return mlirStringRefCreateFromCString(s);
}

/* One-shot bufferization asks the arguments for their layout. */
static void set_layouts(MlirOperation func, MlirAttribute layouts) {
  MlirContext context = mlirOperationGetContext(func);
  intptr_t n = mlirArrayAttrGetNumElements(layouts);
  MlirAttribute *attrs = malloc((size_t)(n + 1) * sizeof *attrs);
  for (intptr_t i = 0; i < n; ++i) {
    MlirAttribute layout = mlirArrayAttrGetElement(layouts, i);
    MlirNamedAttribute attr =
        tvm_attr(context, "bufferization.buffer_layout", layout);
    attrs[i] =
        mlirDictionaryAttrGet(context, !mlirAttributeIsAUnit(layout), &attr);
  }
  mlirOperationSetInherentAttributeByName(func, str("arg_attrs"),
                                          mlirArrayAttrGet(context, n, attrs));
  free(attrs);
}

MlirModule tvm_llvm_clone_kernel(MlirOperation kernel) {
  MlirContext context = mlirOperationGetContext(kernel);
  MlirLocation location = mlirOperationGetLocation(kernel);
  MlirModule module = mlirModuleCreateEmpty(location);
  MlirAttribute layouts = tvm_get_attr(kernel, "layouts");
  MlirOperation clone = mlirOperationClone(kernel);
  MlirRegion region = mlirRegionCreate();
  mlirRegionTakeBody(region, mlirOperationGetRegion(clone, 0));
  mlirOperationDestroy(clone);
  MlirBlock entry = mlirRegionGetFirstBlock(region);
  MlirOperation ret = mlirBlockGetTerminator(entry);
  intptr_t n_results = mlirOperationGetNumOperands(ret);
  intptr_t n_args = mlirBlockGetNumArguments(entry);
  MlirType *types = malloc((size_t)(n_args + n_results + 1) * sizeof *types);
  MlirValue *values = malloc((size_t)(n_results + 1) * sizeof *values);
  for (intptr_t i = 0; i < n_args; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(entry, i));
  for (intptr_t i = 0; i < n_results; ++i) {
    values[i] = mlirOperationGetOperand(ret, i);
    types[n_args + i] = mlirValueGetType(values[i]);
  }
  tvm_builder end = tvm_builder_at_end(entry, location);
  mlirOperationDestroy(ret);
  tvm_build_op(&end, "func.return", 0, NULL, n_results, values, 0, NULL, 0,
               NULL);
  MlirType type =
      mlirFunctionTypeGet(context, n_args, types, n_results, types + n_args);
  MlirNamedAttribute attrs[] = {
      tvm_attr(context, "sym_name", tvm_get_attr(kernel, "sym_name")),
      tvm_attr(context, "function_type", mlirTypeAttrGet(type))};
  tvm_builder b = tvm_builder_at_end(mlirModuleGetBody(module), location);
  MlirOperation func =
      tvm_build_op(&b, "func.func", 0, NULL, 0, NULL, 2, attrs, 1, &region);
  if (layouts.ptr)
    set_layouts(func, layouts);
  free(types);
  free(values);
  return module;
}

/* Write every returned buffer into its destination argument, the last
 * arguments of the function, and return nothing. */
static void drop_results(MlirOperation func) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirOperation ret = mlirBlockGetTerminator(entry);
  intptr_t n = mlirOperationGetNumOperands(ret);
  intptr_t n_args = mlirBlockGetNumArguments(entry);
  tvm_builder b = tvm_builder_before(ret);
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue pair[] = {mlirOperationGetOperand(ret, i),
                        mlirBlockGetArgument(entry, n_args - n + i)};
    if (!mlirValueEqual(pair[0], pair[1]))
      tvm_build_op(&b, "memref.copy", 0, NULL, 2, pair, 0, NULL, 0, NULL);
  }
  tvm_build_op(&b, "func.return", 0, NULL, 0, NULL, 0, NULL, 0, NULL);
  mlirOperationDestroy(ret);
}

/* Match the function type and the argument attributes to the entry block;
 * buffers of one launch never overlap. */
static void set_signature(MlirOperation func) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirContext context = mlirOperationGetContext(func);
  intptr_t n = mlirBlockGetNumArguments(entry);
  MlirType *types = malloc((size_t)n * sizeof *types);
  MlirAttribute *attrs = malloc((size_t)n * sizeof *attrs);
  MlirNamedAttribute noalias =
      tvm_attr(context, "llvm.noalias", mlirUnitAttrGet(context));
  for (intptr_t i = 0; i < n; ++i) {
    types[i] = mlirValueGetType(mlirBlockGetArgument(entry, i));
    bool buffer = mlirTypeIsAMemRef(types[i]);
    attrs[i] = mlirDictionaryAttrGet(context, buffer, &noalias);
  }
  MlirType type = mlirFunctionTypeGet(context, n, types, 0, NULL);
  mlirOperationSetInherentAttributeByName(func, str("function_type"),
                                          mlirTypeAttrGet(type));
  mlirOperationSetInherentAttributeByName(func, str("arg_attrs"),
                                          mlirArrayAttrGet(context, n, attrs));
  free(types);
  free(attrs);
}

static MlirLogicalResult run_pipeline(MlirModule module, const char *text) {
  MlirContext context = mlirModuleGetContext(module);
  MlirPassManager pm = mlirPassManagerCreate(context);
  MlirLogicalResult ok =
      tvm_parse_pipeline(mlirPassManagerGetAsOpPassManager(pm), text);
  if (mlirLogicalResultIsSuccess(ok))
    ok = mlirPassManagerRunOnOp(pm, mlirModuleGetOperation(module));
  mlirPassManagerDestroy(pm);
  return ok;
}

static const char buffer_pipeline[] =
    "builtin.module(canonicalize,cse,canonicalize)";

/* After the memory of the kernel is settled. */
static const char llvm_pipeline[] =
    "builtin.module("
    "scf-forall-to-for,convert-linalg-to-loops,convert-vector-to-scf,"
    "expand-strided-metadata,lower-affine,convert-scf-to-cf,"
    "canonicalize{region-simplify=disabled},cse,"
    "convert-math-to-llvm,convert-math-to-libm,"
    "convert-vector-to-llvm,convert-arith-to-llvm,arith-expand,"
    "convert-arith-to-llvm,"
    "finalize-memref-to-llvm,convert-index-to-llvm,convert-ub-to-llvm,"
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},"
    "convert-cf-to-llvm,reconcile-unrealized-casts,"
    "canonicalize{region-simplify=disabled},cse)";

static MlirOperation only_func(MlirModule module) {
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  for (; op.ptr; op = mlirOperationGetNextInBlock(op))
    if (tvm_op_is(op, "func.func"))
      return op;
  return op;
}

static void write_in_place(MlirOperation func, MlirOperation kernel) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel, 0));
  MlirContext context = mlirOperationGetContext(kernel);
  tvm_in_place which = {
      .n_results = mlirOperationGetNumOperands(mlirBlockGetTerminator(body)),
      .dying_operands = tvm_kernel_get_fact(kernel, TVM_DYING_OPERANDS),
      .own_results = tvm_kernel_get_fact(kernel, TVM_OWN_RESULTS)};
  int64_t operands[TVM_MAX_IN_PLACE];
  if (which.n_results > TVM_MAX_IN_PLACE || !which.dying_operands)
    return;
  tvm_llvm_write_in_place(func, &which, operands);
  for (intptr_t i = 0; i < which.n_results; ++i)
    if (operands[i] >= 0) {
      mlirOperationSetDiscardableAttributeByName(
          kernel, str(TVM_IN_PLACE),
          mlirDenseI64ArrayGet(context, which.n_results, operands));
      return;
    }
}

MlirLogicalResult tvm_llvm_lower_kernel(MlirModule module,
                                        MlirOperation kernel) {
  MlirContext context = mlirModuleGetContext(module);
  MlirOperation func = only_func(module);
  MlirAttribute borders = tvm_get_attr(kernel, "borders");
  intptr_t first_destination =
      mlirBlockGetNumArguments(
          mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0))) -
      (borders.ptr ? mlirArrayAttrGetNumElements(borders) : 0);
  drop_results(func);
  set_signature(func);
  if (mlirLogicalResultIsFailure(run_pipeline(module, buffer_pipeline)))
    return mlirLogicalResultFailure();
  func = only_func(module);
  write_in_place(func, kernel);
  int64_t workspace_bytes;
  if (mlirLogicalResultIsFailure(
          tvm_llvm_plan_workspace(func, &workspace_bytes)))
    return mlirLogicalResultFailure();
  int64_t grid = tvm_llvm_distribute_forall(func);
  tvm_llvm_fill_borders(func, first_destination, borders);
  set_signature(func);
  MlirType i64 = mlirIntegerTypeGet(context, 64);
  mlirOperationSetDiscardableAttributeByName(kernel, str("tvm.grid"),
                                             mlirIntegerAttrGet(i64, grid));
  mlirOperationSetDiscardableAttributeByName(
      kernel, str("tvm.workspace_bytes"),
      mlirIntegerAttrGet(i64, workspace_bytes));
  return run_pipeline(module, llvm_pipeline);
}
