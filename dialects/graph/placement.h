/* placement.h - which tensors of a function live inside of others.
 *
 * An operator at function level that only moves elements need not run: it can
 * say where its elements stand. The attribute `placement` decides:
 *
 *   "view"   the result (of slice, transpose) is a part of the operand's
 *            buffer, read with strides;
 *   "parts"  the operands (of concat, pad, transpose, reshape) are parts of the
 *            result's buffer, written there by their producers; what surrounds
 * the operand of a pad is the border, which its producer fills.
 *
 * graph.reshape is a view unless it says "parts". The attribute is a
 * permission: a function means the same without it. passes/place_buffers.c
 * grants it. */
#ifndef TVM_DIALECTS_GRAPH_PLACEMENT_H
#define TVM_DIALECTS_GRAPH_PLACEMENT_H

#include "graph/graph.h"

enum { TVM_GRAPH_MAX_PLACED_RANK = 16 };

/* Element [i, j, ...] of a tensor stands at offset + i * strides[0] +
 * j * strides[1] ... of the buffer of `root`; all in elements. */
typedef struct tvm_graph_placement {
  MlirValue root;
  int64_t offset;
  intptr_t rank;
  int64_t strides[TVM_GRAPH_MAX_PLACED_RANK];
} tvm_graph_placement;

bool tvm_graph_is_view(MlirOperation op);   /* placed in its operand */
bool tvm_graph_has_parts(MlirOperation op); /* its operands placed in it */

/* False when the tensor has no strides: a reshape of a view that joins
 * dimensions which do not follow each other, or a rank above the maximum. */
bool tvm_graph_place(MlirValue tensor, tvm_graph_placement *out);

/* Whether the elements follow each other in row-major order. */
bool tvm_graph_is_dense(const tvm_graph_placement *p, MlirType tensor);

/* The pad whose border the producer of `tensor` fills, or null. */
MlirOperation tvm_graph_border(MlirValue tensor);

/* The strides of the same elements under another shape; false when there are
 * none. `to` is the new tensor type. */
bool tvm_graph_reshape_strides(const tvm_graph_placement *from,
                               MlirType from_type, MlirType to,
                               tvm_graph_placement *out);

#endif
