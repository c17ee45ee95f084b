/* weights.h - constants of the host program as raw bytes of the library. */
#ifndef TVM_TARGETS_LLVM_WEIGHTS_H
#define TVM_TARGETS_LLVM_WEIGHTS_H

#include "base/base.h"

#include <llvm-c/Core.h>

typedef struct tvm_llvm_weights {
  struct tvm_llvm_weight *items;
  size_t count, capacity;
  uint64_t bytes; /* so far, aligned */
} tvm_llvm_weights;

/* Set aside room for the elements; equal attributes share it. Writes the
 * offset. Returns false when the attribute has no stored elements. */
bool tvm_llvm_weights_add(tvm_llvm_weights *w, MlirAttribute elements,
                          int64_t *out_offset);
/* Write all bytes to a file. Returns false on failure. */
bool tvm_llvm_weights_write(const tvm_llvm_weights *w, const char *path);
/* The symbol that the program addresses. */
LLVMValueRef tvm_llvm_weights_declare(LLVMModuleRef module);
/* Define the symbol as the contents of the file. */
void tvm_llvm_weights_include(const tvm_llvm_weights *w, LLVMModuleRef module,
                              const char *path);
/* Define the symbol by its bytes, for forms that are read elsewhere. */
bool tvm_llvm_weights_define(const tvm_llvm_weights *w, LLVMModuleRef module);
void tvm_llvm_weights_finish(tvm_llvm_weights *w);

#endif
