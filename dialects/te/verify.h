/* verify.h - verifiers of the te operations. */
#ifndef TVM_DIALECTS_TE_VERIFY_H
#define TVM_DIALECTS_TE_VERIFY_H

#include "base/base.h"

MlirLogicalResult tvm_te_verify_kernel(MlirOperation op);
MlirLogicalResult tvm_te_verify_return(MlirOperation op);
MlirLogicalResult tvm_te_verify_launch(MlirOperation op);
MlirLogicalResult tvm_te_verify_compute(MlirOperation op);
MlirLogicalResult tvm_te_verify_yield(MlirOperation op);
MlirLogicalResult tvm_te_verify_intrinsic(MlirOperation op);

#endif
