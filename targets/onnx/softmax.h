/* softmax.h - the logarithm of softmax, for the operators that build on it. */
#ifndef TVM_TARGETS_ONNX_SOFTMAX_H
#define TVM_TARGETS_ONNX_SOFTMAX_H

#include "decompose.h"

MlirValue tvm_softmax_emit_log(tvm_builder *b, MlirValue x, intptr_t axis);

#endif
