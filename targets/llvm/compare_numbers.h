/* compare_numbers.h - tensors of a model as numbers. */
#ifndef TVM_TARGETS_LLVM_COMPARE_NUMBERS_H
#define TVM_TARGETS_LLVM_COMPARE_NUMBERS_H

#include "tvm/model.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum tvm_number_range {
  TVM_NUMBERS_SYMMETRIC, /* floats in [-1, 1) */
  TVM_NUMBERS_POSITIVE,  /* floats in [0.1, 2): logarithms, roots */
} tvm_number_range;

/* Fill a tensor with random numbers: integers of 1 to `limit`, or zeros when
 * `limit` is 0; truth values are either. Advances `state`, not zero. */
void tvm_fill_numbers(const tvm_model_tensor *tensor, void *data,
                      tvm_number_range range, int64_t limit, uint64_t *state);

/* Whether `got` has the numbers of `expected`: integers exactly, floats to a
 * part of the largest finite one that the type can keep through a long sum.
 * NaN equals NaN. Otherwise writes "[0,2]: expected 1, got 2 (3 of 8 differ)"
 * about the worst element. */
bool tvm_compare_numbers(const tvm_model_tensor *tensor, const void *expected,
                         const void *got, char *text, size_t size);

#endif
