/* access.h - what a linalg operand reads, as a linear function of the loops.
 *
 * Every static map over a dense tensor, seen through any chain of reshapes, is
 * offset + sum(stride * index). Layouts, strides and dilations of convolutions
 * all become plain strides, and loops can be split and merged by arithmetic. */
#ifndef TVM_TARGETS_LLVM_ACCESS_H
#define TVM_TARGETS_LLVM_ACCESS_H

#include "base/base.h"

#include "mlir-c/AffineMap.h"

enum { TVM_MAX_LOOPS = 16, TVM_MAX_OPERANDS = 24 };

typedef struct tvm_access {
  MlirValue base; /* what stands behind the reshapes */
  int64_t offset; /* elements */
  int64_t strides[TVM_MAX_LOOPS];
} tvm_access;

/* The tensor behind expand_shape and collapse_shape. */
MlirValue tvm_access_base(MlirValue tensor);

/* False when the map is not affine with constant strides, the shape is dynamic
 * or there are too many loops. */
bool tvm_access_read(MlirAffineMap map, MlirValue tensor, tvm_access *out);

/* The strided layout of a function argument (bufferization.buffer_layout);
 * null when its elements follow each other. */
MlirAttribute tvm_access_layout(MlirValue base);

/* Offset and strides of a dense base as those of its layout. False when a loop
 * runs across dimensions that do not follow each other. */
bool tvm_access_apply_layout(tvm_access *access, intptr_t n_loops,
                             const int64_t *extents);

/* Loop extents of a linalg.generic from the shapes of its operands; false when
 * one cannot be told. */
bool tvm_access_extents(MlirOperation generic, int64_t *extents);

/* Parts of a linalg.generic. */
MlirAffineMap tvm_linalg_map(MlirOperation generic, intptr_t operand);
intptr_t tvm_linalg_num_loops(MlirOperation generic);
intptr_t tvm_linalg_num_inputs(MlirOperation generic);
bool tvm_linalg_is_reduction(MlirOperation generic, intptr_t loop);
MlirBlock tvm_linalg_body(MlirOperation generic);

/* The same elements under another shape, by way of one dimension. */
MlirValue tvm_linalg_reshape(tvm_builder *b, MlirValue tensor, MlirType to);

/* The buffer of `base` at offset + sum(stride * index). */
MlirValue tvm_linalg_buffer_view(tvm_builder *b, MlirValue base, int64_t offset,
                                 intptr_t rank, const int64_t *sizes,
                                 const int64_t *strides);

/* A tensor that reads `base` at offset + sum(stride * index): an overlapping
 * view is allowed, nothing is copied. */
MlirValue tvm_linalg_view(tvm_builder *b, MlirValue base, int64_t offset,
                          intptr_t rank, const int64_t *sizes,
                          const int64_t *strides);

#endif
