/* kernel_facts.h - what holds at every launch of a kernel, kept as bit masks on
 * the te.kernel. */
#ifndef TVM_TARGETS_LLVM_KERNEL_FACTS_H
#define TVM_TARGETS_LLVM_KERNEL_FACTS_H

#include "base/base.h"

/* Bit i stands for operand i. */
#define TVM_CONSTANT_OPERANDS "tvm.constants"
/* Operands in the arena that nobody reads after the launch. */
#define TVM_DYING_OPERANDS "tvm.dying"
/* Bit r stands for result r, which lies in the arena. */
#define TVM_OWN_RESULTS "tvm.own"
/* array<i64>: the operand whose buffer each result must share, or -1. */
#define TVM_IN_PLACE "tvm.in_place"

/* The fact holds at one more launch for these bits only. */
void tvm_kernel_restrict_fact(MlirOperation kernel, const char *name,
                              uint64_t bits);
/* Zero when nothing was ever said. */
uint64_t tvm_kernel_get_fact(MlirOperation kernel, const char *name);

#endif
