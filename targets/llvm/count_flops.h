/* count_flops.h - the arithmetic of a kernel. */
#ifndef TVM_TARGETS_LLVM_COUNT_FLOPS_H
#define TVM_TARGETS_LLVM_COUNT_FLOPS_H

#include "base/base.h"

/* Set tvm.flops on a te.kernel: for each linalg.generic the points of its
 * iteration domain times the arithmetic operations of its body. */
void tvm_llvm_count_flops(MlirOperation kernel);

#endif
