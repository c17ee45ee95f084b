/* host_program.h - @main as one LLVM function over one arena. */
#ifndef TVM_TARGETS_LLVM_HOST_PROGRAM_H
#define TVM_TARGETS_LLVM_HOST_PROGRAM_H

#include "base/base.h"

#include <llvm-c/Core.h>

/* Build the LLVM module of the host program: the function, the tables of
 * tvm_model and the weights, which are written to `weights_path` and included
 * from there when the module is assembled, unless it is
 * `self_contained`. `module` carries the memory plan.
 * Fails: emits, returns null. Owns: the caller disposes of the result. */
LLVMModuleRef tvm_llvm_build_host_program(MlirOperation module,
                                          LLVMContextRef context,
                                          const char *target_name,
                                          const char *weights_path,
                                          bool self_contained);

/* Symbol of the ranged entry of kernel `name`, written to `out`. */
void tvm_llvm_kernel_symbol(MlirStringRef name, char *out, size_t size);

#endif
