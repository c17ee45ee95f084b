/* passes.h - rewrites of the graph dialect into itself. */
#ifndef TVM_PASSES_H
#define TVM_PASSES_H

#include "base/base.h"

#define PASS(argument, op, function, description)                              \
  MlirLogicalResult function(MlirOperation target);
#include "passes/passes.def"

/* Register the passes of this room, once in a process. Thread-safe. */
void tvm_passes_register(void);

#endif
