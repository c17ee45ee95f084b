/* pack_weights.h - constant operands in the order that their kernel reads. */
#ifndef TVM_TARGETS_LLVM_PACK_WEIGHTS_H
#define TVM_TARGETS_LLVM_PACK_WEIGHTS_H

#include "base/base.h"

/* A matrix of `rows` x `columns` elements, stored as panels of `width` columns
 * one after another, each panel row by row. */
typedef struct tvm_llvm_packing {
  uint64_t constants; /* in: bit k: operand k is a constant at every launch */
  intptr_t operand;   /* out: the operand to be packed, or -1 */
  int64_t rows, columns, width;
} tvm_llvm_packing;

/* Find out which operands of each te.kernel are constants at every launch:
 * TVM_CONSTANT_OPERANDS. */
void tvm_llvm_mark_constant_operands(MlirOperation module);

/* Give every launch of `kernel` a packed copy of that operand. The types stay
 * what they are. Fails: emits. */
MlirLogicalResult tvm_llvm_pack_operand(MlirOperation module,
                                        MlirOperation kernel,
                                        const tvm_llvm_packing *packing);

#endif
