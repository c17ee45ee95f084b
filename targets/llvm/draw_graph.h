/* draw_graph.h - the fused graph for graphviz. */
#ifndef TVM_TARGETS_LLVM_DRAW_GRAPH_H
#define TVM_TARGETS_LLVM_DRAW_GRAPH_H

#include "base/base.h"

/* Write @main of a te-level module as a DOT graph: a box a launch with the
 * kernel's name, its class and its weights, a plain word a view, and on each
 * edge the type, and whether it is read or written with strides. `path` is
 * written whole or not at all. Fails: emits. */
MlirLogicalResult tvm_llvm_draw_graph(MlirModule module, const char *path);

#endif
