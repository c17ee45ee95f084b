/* prefetch.h - loads that come before their time. */
#ifndef TVM_TARGETS_LLVM_PREFETCH_H
#define TVM_TARGETS_LLVM_PREFETCH_H

#include "base/base.h"

/* In a function that is scheduled and bufferized: the innermost loops prefetch
 * what they will read of argument `weights`, which lies in packed panels, in
 * `rows_ahead` steps, once a cache line of `line_elements`. Addresses beyond
 * the end of the argument are asked for, never read. */
void tvm_llvm_prefetch_weights(MlirOperation func, intptr_t weights,
                               int64_t rows_ahead, int64_t line_elements);

#endif
