/* run_library.h - run a compiled program at compile time, in this process. */
#ifndef TVM_TARGETS_LLVM_RUN_LIBRARY_H
#define TVM_TARGETS_LLVM_RUN_LIBRARY_H

#include "base/base.h"
#include "tvm/model.h"

typedef struct tvm_llvm_library {
  void *handle;
  const tvm_model *model;
  void *arena;
  void *
      *io; /* inputs, then outputs; malloc'ed, null entries are the caller's */
} tvm_llvm_library;

/* Load `path` and allocate its tensors, all zero. Fails: emits. */
MlirLogicalResult tvm_llvm_library_init(tvm_llvm_library *library,
                                        const char *path,
                                        MlirLocation location);
void tvm_llvm_library_finish(tvm_llvm_library *library);

/* Run it, serially unless `host` is given. Returns null, or what the program
 * says of its data. */
const char *tvm_llvm_library_run(const tvm_llvm_library *library,
                                 const tvm_host *host);

/* Take the buffer of output `i`, to be freed by the caller. */
void *tvm_llvm_library_take_output(tvm_llvm_library *library, int32_t i);

#endif
