/* kernel_cache.h - objects of kernels that stay the same from one compilation
 * to the next in one work folder, as when passes are verified. */
#ifndef TVM_TARGETS_LLVM_KERNEL_CACHE_H
#define TVM_TARGETS_LLVM_KERNEL_CACHE_H

#include "llvm/build_kernel.h"

typedef struct tvm_llvm_kernel_cache tvm_llvm_kernel_cache;

tvm_llvm_kernel_cache *tvm_llvm_kernel_cache_create(void);
void tvm_llvm_kernel_cache_destroy(tvm_llvm_kernel_cache *cache);

/* Name the kernels of a te-level module after what they compute: equal names
 * then mean equal objects. */
void tvm_llvm_name_kernels_by_content(MlirModule module);

/* Fill in what came of an equal job; false when there was none. */
bool tvm_llvm_kernel_cache_get(const tvm_llvm_kernel_cache *cache,
                               tvm_llvm_kernel_job *job);
void tvm_llvm_kernel_cache_put(tvm_llvm_kernel_cache *cache,
                               const tvm_llvm_kernel_job *job);

#endif
