/* product.h - the matrix product with numpy's rules for rank 1. */
#ifndef TVM_TARGETS_ONNX_PRODUCT_H
#define TVM_TARGETS_ONNX_PRODUCT_H

#include "decompose.h"

/* Fails: emits, returns null. */
MlirValue tvm_product_emit(tvm_onnx_node *node, MlirValue lhs, MlirValue rhs);

#endif
