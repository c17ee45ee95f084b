/* simplify.h - the C functions of simplify_graph.pdll, by their file. */
#ifndef TVM_PASSES_SIMPLIFY_H
#define TVM_PASSES_SIMPLIFY_H

#include "passes/patterns.h"

#define CONSTRAINT(name, function) bool function(const MlirPDLValue *args);
#define REWRITE(name, function)                                                \
  void function(tvm_builder *b, const MlirPDLValue *args,                      \
                MlirPDLResultList results);
#include "passes/simplify_functions.def"

#endif
