/* passes_internal.h - what every pass of this room includes. */
#ifndef TVM_PASSES_INTERNAL_H
#define TVM_PASSES_INTERNAL_H

#include "graph/graph.h"
#include "passes/passes.h"

#endif
