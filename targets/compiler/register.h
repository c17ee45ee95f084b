/* register.h - all dialects and passes of the compiler, for tools. */
#ifndef TVM_TARGETS_COMPILER_REGISTER_H
#define TVM_TARGETS_COMPILER_REGISTER_H

#include "base/base.h"
#include "llvm/llvm.h"

void tvm_compiler_register_dialects(MlirDialectRegistry registry);
/* Upstream's and ours, and the named pipelines. Thread-safe. */
void tvm_compiler_register_passes(void);

/* Graph or te level to `form`; as tvm_compile_file after the import.
 * Fails: emits. */
MlirLogicalResult tvm_compiler_compile_module(MlirModule module,
                                              const char *output_path,
                                              const tvm_llvm_options *options);

/* Be a kernel worker of process `parent`, see llvm/kernel_workers.h. Returns
 * an exit code. */
int tvm_compiler_serve_kernels(int socket, long parent, int seconds);

#endif
