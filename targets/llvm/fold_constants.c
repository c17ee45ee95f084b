/* fold_constants.c - run @constants with the code that the compiler makes for
 * the host, and give its results to @main. */
#include "llvm/llvm.h"

#include "base/value_set.h"
#include "llvm/pipeline.h"
#include "llvm/run_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Constants that the program gets as inputs: less is written to disk, linked
 * and loaded again. */
typedef struct {
  void **data;
  size_t count, capacity;
} input_list;

enum { MIN_INPUT_BYTES = 4096 };

static void push_input(input_list *l, const void *data) {
  if (l->count == l->capacity) {
    l->capacity = l->capacity ? 2 * l->capacity : 64;
    l->data = realloc(l->data, l->capacity * sizeof *l->data);
  }
  l->data[l->count++] = (void *)(uintptr_t)data;
}

static bool is_input(MlirOperation op, const void **out_data) {
  size_t bytes;
  return tvm_op_is(op, "arith.constant") &&
         tvm_seam_resource_data(tvm_get_attr(op, "value"), out_data, &bytes) &&
         bytes >= MIN_INPUT_BYTES;
}

/* The function's type from its arguments and results. */
static void set_function_type(MlirOperation func, MlirBlock body) {
  MlirOperation ret = mlirBlockGetTerminator(body);
  intptr_t n = mlirBlockGetNumArguments(body);
  intptr_t n_results = mlirOperationGetNumOperands(ret);
  MlirType *types = malloc((size_t)(n + n_results + 1) * sizeof *types);
  for (intptr_t i = 0; i < n; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(body, i));
  for (intptr_t i = 0; i < n_results; ++i)
    types[n + i] = mlirValueGetType(tvm_operand(ret, i));
  MlirType type = mlirFunctionTypeGet(mlirOperationGetContext(func), n, types,
                                      n_results, types + n);
  mlirOperationSetInherentAttributeByName(
      func, mlirStringRefCreateFromCString("function_type"),
      mlirTypeAttrGet(type));
  free(types);
}

static void lift_constants(MlirOperation func, input_list *inputs) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirOperation next, op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = next) {
    const void *data;
    next = mlirOperationGetNextInBlock(op);
    if (!is_input(op, &data))
      continue;
    MlirValue value = tvm_result(op, 0);
    MlirValue argument = mlirBlockAddArgument(body, mlirValueGetType(value),
                                              mlirOperationGetLocation(op));
    mlirValueReplaceAllUsesOfWith(value, argument);
    mlirOperationDestroy(op);
    push_input(inputs, data);
  }
  set_function_type(func, body);
}

/* A module whose @main is @constants. */
static MlirModule constants_module(MlirOperation func, input_list *inputs) {
  MlirModule module = mlirModuleCreateEmpty(mlirOperationGetLocation(func));
  MlirOperation clone = mlirOperationClone(func);
  mlirOperationSetInherentAttributeByName(
      clone, mlirStringRefCreateFromCString("sym_name"),
      mlirStringAttrGet(mlirOperationGetContext(func),
                        mlirStringRefCreateFromCString("main")));
  lift_constants(clone, inputs);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(module), clone);
  return module;
}

/* Run the library on the inputs; malloc'ed outputs follow them in `io`. */
static MlirLogicalResult run_library(const char *path, void **io,
                                     MlirLocation location) {
  tvm_llvm_library library;
  if (mlirLogicalResultIsFailure(
          tvm_llvm_library_init(&library, path, location)))
    return mlirLogicalResultFailure();
  const tvm_model *m = library.model;
  for (int32_t i = 0; i < m->num_inputs; ++i)
    memcpy(library.io[i], io[i], m->inputs[i].bytes);
  const char *complaint = tvm_llvm_library_run(&library, NULL);
  if (complaint)
    tvm_emit_error(location, "%s", complaint);
  for (int32_t i = 0; !complaint && i < m->num_outputs; ++i)
    io[m->num_inputs + i] = tvm_llvm_library_take_output(&library, i);
  tvm_llvm_library_finish(&library);
  return complaint ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}

static void free_elements(void *user, const void *data, size_t bytes,
                          size_t align) {
  (void)data;
  (void)bytes;
  (void)align;
  free(user);
}

/* Takes the buffers. */
static void replace_call(MlirOperation call, void **outputs) {
  tvm_builder b = tvm_builder_before(call);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i) {
    MlirType type = mlirValueGetType(tvm_result(call, i));
    size_t bytes =
        (size_t)(tvm_num_elements(type) *
                 tvm_element_bytes(mlirShapedTypeGetElementType(type)));
    MlirValue value;
    if (bytes <= 64) {
      value = tvm_build_constant(&b, type, outputs[i], bytes);
      free(outputs[i]);
    } else {
      value = tvm_build_resource(&b, type, "folded", outputs[i], bytes,
                                 free_elements, outputs[i]);
    }
    mlirValueReplaceAllUsesOfWith(tvm_result(call, i), value);
  }
  mlirOperationDestroy(call);
}

static MlirOperation find_call(MlirOperation main_func) {
  MlirOperation op = mlirBlockGetFirstOperation(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(main_func, 0)));
  while (op.ptr && !tvm_op_is(op, "func.call"))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

MlirLogicalResult tvm_llvm_fold_constants(MlirModule module,
                                          const tvm_llvm_options *options) {
  MlirOperation op = mlirModuleGetOperation(module);
  MlirOperation func = tvm_find_function(op, "constants");
  MlirOperation main_func = tvm_find_function(op, "main");
  if (!func.ptr || !main_func.ptr)
    return mlirLogicalResultSuccess();
  MlirLocation location = mlirOperationGetLocation(func);
  MlirOperation call = find_call(main_func);
  size_t n = (size_t)mlirOperationGetNumResults(call);
  size_t size = strlen(options->work_folder) + 32;
  char *path = malloc(size);
  snprintf(path, size, "%s/constants.so", options->work_folder);
  tvm_llvm_options host = *options;
  host.form = TVM_LLVM_SHARED;
  host.numerics = NULL;
  input_list inputs = {0};
  MlirModule program = constants_module(func, &inputs);
  void **io = calloc(inputs.count + n + 1, sizeof *io);
  if (inputs.count)
    memcpy(io, inputs.data, inputs.count * sizeof *io);
  void **outputs = io + inputs.count;
  MlirLogicalResult ok = tvm_llvm_lower_graph(program, &host);
  if (mlirLogicalResultIsSuccess(ok))
    ok = tvm_llvm_compile(program, path, &host);
  if (mlirLogicalResultIsSuccess(ok))
    ok = run_library(path, io, location);
  mlirModuleDestroy(program);
  if (mlirLogicalResultIsSuccess(ok)) {
    replace_call(call, outputs);
    mlirOperationDestroy(func);
  } else {
    for (size_t i = 0; i < n; ++i)
      free(outputs[i]);
  }
  unlink(path);
  free(path);
  free(io);
  free(inputs.data);
  return ok;
}
