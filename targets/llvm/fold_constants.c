/* fold_constants.c - run @constants with the code that the compiler makes for
 * the host, and give its results to @main. */
#include "llvm/llvm.h"

#include "base/value_set.h"
#include "tvm/model.h"
#include "llvm/pipeline.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A module whose @main is @constants. */
static MlirModule constants_module(MlirOperation func) {
  MlirModule module = mlirModuleCreateEmpty(mlirOperationGetLocation(func));
  MlirOperation clone = mlirOperationClone(func);
  mlirOperationSetInherentAttributeByName(
      clone, mlirStringRefCreateFromCString("sym_name"),
      mlirStringAttrGet(mlirOperationGetContext(func),
                        mlirStringRefCreateFromCString("main")));
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(module), clone);
  return module;
}

static void launch_serially(void *user, int32_t index, tvm_kernel_fn kernel,
                            void *const *buffers, int64_t grid) {
  (void)user;
  (void)index;
  kernel(buffers, 0, grid);
}

static void *allocate(uint64_t bytes) {
  return aligned_alloc(64, (bytes + 64) / 64 * 64);
}

/* Run the library; `outputs` receives malloc'ed buffers. */
static MlirLogicalResult run_library(const char *path, void **outputs,
                                     MlirLocation location) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const tvm_model *model =
      library ? (const tvm_model *)dlsym(library, TVM_MODEL_SYMBOL) : NULL;
  if (!model) {
    tvm_emit_error(location, "cannot load the constant program: %s", dlerror());
    if (library)
      dlclose(library);
    return mlirLogicalResultFailure();
  }
  tvm_host host = {.launch = launch_serially};
  void *arena = allocate(model->arena_bytes);
  for (int32_t i = 0; i < model->num_outputs; ++i)
    outputs[i] = allocate(model->outputs[i].bytes);
  int32_t code = model->run(&host, outputs, arena);
  MlirLogicalResult ok = mlirLogicalResultSuccess();
  if (code) {
    tvm_emit_error(location, "%s", model->messages[code - 1]);
    ok = mlirLogicalResultFailure();
  }
  free(arena);
  dlclose(library);
  return ok;
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
  void **outputs = calloc(n + 1, sizeof *outputs);
  size_t size = strlen(options->work_folder) + 32;
  char *path = malloc(size);
  snprintf(path, size, "%s/constants.so", options->work_folder);
  tvm_llvm_options host = *options;
  host.form = TVM_LLVM_SHARED;
  MlirModule program = constants_module(func);
  MlirLogicalResult ok = tvm_llvm_lower_graph(program, options);
  if (mlirLogicalResultIsSuccess(ok))
    ok = tvm_llvm_compile(program, path, &host);
  if (mlirLogicalResultIsSuccess(ok))
    ok = run_library(path, outputs, location);
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
  free(outputs);
  return ok;
}
