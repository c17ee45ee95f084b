/* emit_object.h - LLVM modules to object files, and object files to models. */
#ifndef TVM_TARGETS_LLVM_EMIT_OBJECT_H
#define TVM_TARGETS_LLVM_EMIT_OBJECT_H

#include "base/base.h"
#include "llvm/llvm.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

/* Initialise LLVM's back ends; cheap after the first call, thread-safe. */
void tvm_llvm_initialize(void);

/* Owns: the caller disposes of it. Null after an error at `location`. */
LLVMTargetMachineRef tvm_llvm_create_machine(const tvm_llvm_target *target,
                                             MlirLocation location);

/* A kernel in the LLVM dialect to LLVM IR, with the entry
 * tvm_kernel_<name>(buffers, begin, end) of tvm/model.h around it. Null after
 * an error. */
LLVMModuleRef tvm_llvm_translate_kernel(MlirModule module, MlirStringRef name,
                                        LLVMContextRef context,
                                        const tvm_llvm_target *target);

/* Optimize at O3 and write an object, assembly or IR file (not a shared
 * library). */
MlirLogicalResult tvm_llvm_emit_file(LLVMModuleRef llvm,
                                     LLVMTargetMachineRef machine,
                                     const char *path, tvm_llvm_form form,
                                     MlirLocation location);

/* Link objects into a shared library, which needs `libm` and is called `soname`
 * unless null, or into one relocatable object. Written to a temporary name and
 * renamed. */
MlirLogicalResult tvm_llvm_link(size_t n, char *const *objects,
                                const char *output_path, bool shared,
                                const char *libm, const char *soname,
                                MlirLocation location);

/* The functions of half.ll. */
LLVMModuleRef tvm_llvm_build_half(LLVMContextRef context);

/* Write into `path` where the linker finds the math library of the target; for
 * a foreign one it is made in `folder`. An empty path: there is none. */
MlirLogicalResult tvm_llvm_find_libm(const tvm_llvm_target *target,
                                     LLVMTargetMachineRef machine,
                                     const char *folder, char *path,
                                     size_t size, MlirLocation location);

/* Calls of the C library for fused multiply-adds, which a processor without an
 * instruction would make, become a product and a sum. */
void tvm_llvm_split_fmas(MlirModule kernel);

#endif
