/* scalar_builders.h - the element computations of elementwise operators. */
#ifndef TVM_CONVERSION_SCALAR_BUILDERS_H
#define TVM_CONVERSION_SCALAR_BUILDERS_H

#include "graph_to_te/lowering.h"

#define SCALAR(name)                                                           \
  MlirValue tvm_scalar_##name(tvm_scalar *s, const MlirValue *args);
#include "graph_to_te/scalar_builders.def"

#endif
