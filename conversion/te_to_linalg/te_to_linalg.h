/* te_to_linalg.h - tensor expressions become linalg. */
#ifndef TVM_CONVERSION_TE_TO_LINALG_H
#define TVM_CONVERSION_TE_TO_LINALG_H

#include "base/base.h"

/* Replace every te.compute under `op` by a linalg.generic over its output and
 * reduce indices. Fails: emits. */
MlirLogicalResult tvm_lower_te_compute(MlirOperation op);

/* Register the same as `tvm-convert-te-to-linalg`, on any operation. */
void tvm_te_to_linalg_register(void);

#endif
