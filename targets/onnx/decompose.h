/* decompose.h - what every operator importer includes. */
#ifndef TVM_TARGETS_ONNX_DECOMPOSE_H
#define TVM_TARGETS_ONNX_DECOMPOSE_H

#include "emit.h"
#include "import.h"

#endif
