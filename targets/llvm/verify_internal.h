/* verify_internal.h - what the parts of --verify-numerics share. */
#ifndef TVM_TARGETS_LLVM_VERIFY_INTERNAL_H
#define TVM_TARGETS_LLVM_VERIFY_INTERNAL_H

#include "llvm/compare_numbers.h"
#include "llvm/kernel_cache.h"
#include "llvm/run_library.h"
#include "llvm/verify_numerics.h"

struct tvm_llvm_numerics {
  tvm_llvm_options options;
  MlirLocation location;
  tvm_llvm_kernel_cache *cache; /* of kernels by plain loops */
  int builds;
  uint64_t hash; /* of the program when it ran last */
  tvm_llvm_library reference;
  tvm_llvm_verified verified;
};

/* The same target without any optimization. */
tvm_llvm_options tvm_llvm_plain_options(const tvm_llvm_options *options);

/* Compile the te-level module to work_folder/name.so and load it. The caller
 * finishes `out_library`, also after a failure. Fails: emits. */
MlirLogicalResult tvm_llvm_build_and_load(MlirModule module,
                                          const tvm_llvm_options *options,
                                          const char *name,
                                          tvm_llvm_library *out_library);

/* The inputs of the reference, to another library of the same program. */
void tvm_llvm_copy_inputs(const tvm_llvm_numerics *numerics,
                          const tvm_llvm_library *to);

/* Run the library on the inputs of the reference and compare the outputs.
 * Fails: emits. */
MlirLogicalResult tvm_llvm_verify_run(const tvm_llvm_numerics *numerics,
                                      const tvm_llvm_library *library,
                                      const char *stage);

#endif
