/* run_library.c - run a compiled program at compile time, in this process. */
#include "llvm/run_library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void launch_serially(void *user, int32_t index, tvm_kernel_fn kernel,
                            void *const *buffers, int64_t grid) {
  (void)user;
  (void)index;
  kernel(buffers, 0, grid);
}

static void *allocate(uint64_t bytes) {
  size_t size = (bytes + 64) / 64 * 64;
  void *memory = aligned_alloc(64, size);
  memset(memory, 0, size);
  return memory;
}

MlirLogicalResult tvm_llvm_library_init(tvm_llvm_library *library,
                                        const char *path,
                                        MlirLocation location) {
  *library = (tvm_llvm_library){.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
  if (library->handle)
    library->model =
        (const tvm_model *)dlsym(library->handle, TVM_MODEL_SYMBOL);
  const tvm_model *m = library->model;
  if (!m) {
    tvm_emit_error(location, "cannot load the program: %s", dlerror());
    tvm_llvm_library_finish(library);
    return mlirLogicalResultFailure();
  }
  library->arena = allocate(m->arena_bytes);
  size_t n = (size_t)(m->num_inputs + m->num_outputs);
  library->io = calloc(n + 1, sizeof *library->io);
  for (int32_t i = 0; i < m->num_inputs; ++i)
    library->io[i] = allocate(m->inputs[i].bytes);
  for (int32_t i = 0; i < m->num_outputs; ++i)
    library->io[m->num_inputs + i] = allocate(m->outputs[i].bytes);
  return mlirLogicalResultSuccess();
}

void tvm_llvm_library_finish(tvm_llvm_library *library) {
  const tvm_model *m = library->model;
  for (int32_t i = 0; m && i < m->num_inputs + m->num_outputs; ++i)
    free(library->io[i]);
  free(library->io);
  free(library->arena);
  if (library->handle)
    dlclose(library->handle);
  *library = (tvm_llvm_library){0};
}

const char *tvm_llvm_library_run(const tvm_llvm_library *library,
                                 const tvm_host *host) {
  static const tvm_host serial = {.launch = launch_serially};
  int32_t code =
      library->model->run(host ? host : &serial, library->io, library->arena);
  return code ? library->model->messages[code - 1] : NULL;
}

void *tvm_llvm_library_take_output(tvm_llvm_library *library, int32_t i) {
  void **slot = &library->io[library->model->num_inputs + i];
  void *taken = *slot;
  *slot = NULL;
  return taken;
}
