/* outline.h - make a kernel of a group of operators. */
#ifndef TVM_CONVERSION_OUTLINE_H
#define TVM_CONVERSION_OUTLINE_H

#include "graph_to_te/kernel_table.h"

/* Replace `op`, a graph.fused or another graph operator, by the launch of a
 * kernel in `module`. Fails: emits. */
MlirLogicalResult tvm_outline_kernel(tvm_kernel_table *table,
                                     MlirOperation module, MlirOperation op);

#endif
