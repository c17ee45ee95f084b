/* in_place.h - results that take the place of an operand. */
#ifndef TVM_TARGETS_LLVM_IN_PLACE_H
#define TVM_TARGETS_LLVM_IN_PLACE_H

#include "base/base.h"

/* What the launches of a kernel allow. */
typedef struct tvm_in_place {
  intptr_t n_results;
  uint64_t dying_operands; /* bit i: nobody reads operand i afterwards */
  uint64_t own_results;    /* bit r: result r lies in the arena */
} tvm_in_place;

/* Rewrite a bufferized kernel, whose last arguments are the destinations, so
 * that a result is written over an operand where that is provably the same.
 * Writes for each result the operand whose buffer it must share, or -1. */
void tvm_llvm_write_in_place(MlirOperation func, const tvm_in_place *which,
                             int64_t *out_operands);

/* Register the same as `tvm-write-in-place` on func.func. */
void tvm_llvm_register_in_place(void);

#endif
