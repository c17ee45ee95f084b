/* te.h - kernels, launches and tensor expressions. */
#ifndef TVM_DIALECTS_TE_H
#define TVM_DIALECTS_TE_H

#include "base/base.h"
#include "te_accessors.h" /* generated from te.irdl.mlir */

/* Register the dialect; every context made from `registry` loads it on use. */
void tvm_te_register_dialect(MlirDialectRegistry registry);

/* The te.kernel that a te.launch names, or null. */
MlirOperation tvm_te_find_kernel(MlirOperation launch);

#endif
