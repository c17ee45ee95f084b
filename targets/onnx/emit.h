/* emit.h - graph operators in one call each, for the importer's decompositions.
 *
 * Every function takes null values and then returns null, so that a chain of
 * calls needs one check at its end: whoever returned null first has emitted
 * the error. */
#ifndef TVM_TARGETS_ONNX_EMIT_H
#define TVM_TARGETS_ONNX_EMIT_H

#include "graph/graph.h"

enum { TVM_EMIT_MAX_RANK = 32 };

typedef struct tvm_emit_shape {
  intptr_t rank;
  int64_t dims[TVM_EMIT_MAX_RANK];
} tvm_emit_shape;

tvm_emit_shape tvm_emit_get_shape(MlirValue x);
/* Product of dims[from, to). */
int64_t tvm_emit_count(const tvm_emit_shape *s, intptr_t from, intptr_t to);
/* The trailing rank - axis dimensions of x are kept, the others are one:
 * the shape in which a vector along `axis` broadcasts against rank `rank`. */
tvm_emit_shape tvm_emit_along(intptr_t rank, intptr_t axis, int64_t extent);

bool tvm_emit_is_null(MlirValue x);
MlirValue tvm_emit_unary(tvm_builder *b, const char *name, MlirValue x);
MlirValue tvm_emit_binary(tvm_builder *b, const char *name, MlirValue x,
                          MlirValue y);
/* `x` op scalar of the element type of x. */
MlirValue tvm_emit_with(tvm_builder *b, const char *name, MlirValue x,
                        double scalar);
MlirValue tvm_emit_select(tvm_builder *b, MlirValue condition, MlirValue x,
                          MlirValue y);
/* The identity when x has that type already. */
MlirValue tvm_emit_cast(tvm_builder *b, MlirValue x, MlirType to);
MlirValue tvm_emit_reshape(tvm_builder *b, MlirValue x,
                           const tvm_emit_shape *shape);
MlirValue tvm_emit_reshape_to(tvm_builder *b, MlirValue x, intptr_t rank,
                              const int64_t *shape);
MlirValue tvm_emit_broadcast(tvm_builder *b, MlirValue x,
                             const tvm_emit_shape *shape);
/* The identity when the permutation is one. */
MlirValue tvm_emit_transpose(tvm_builder *b, MlirValue x, const int64_t *perm);
/* Elements [start, start + size) along `axis`. */
MlirValue tvm_emit_slice(tvm_builder *b, MlirValue x, intptr_t axis,
                         int64_t start, int64_t size);
/* The same without the axis, at one index. */
MlirValue tvm_emit_pick(tvm_builder *b, MlirValue x, intptr_t axis,
                        int64_t index);
MlirValue tvm_emit_reverse(tvm_builder *b, MlirValue x, intptr_t axis);
MlirValue tvm_emit_concat(tvm_builder *b, intptr_t n, const MlirValue *x,
                          intptr_t axis);
/* Adds an axis of extent one, then concatenates along it. */
MlirValue tvm_emit_stack(tvm_builder *b, intptr_t n, const MlirValue *x,
                         intptr_t axis);
MlirValue tvm_emit_unsqueeze(tvm_builder *b, MlirValue x, intptr_t axis);
MlirValue tvm_emit_reduce(tvm_builder *b, const char *name, MlirValue x,
                          intptr_t n, const int64_t *axes, bool keepdims);
MlirValue tvm_emit_mean(tvm_builder *b, MlirValue x, intptr_t n,
                        const int64_t *axes, bool keepdims);
MlirValue tvm_emit_gather(tvm_builder *b, MlirValue x, MlirValue indices,
                          intptr_t axis);
MlirValue tvm_emit_softmax(tvm_builder *b, MlirValue x, intptr_t axis);
MlirValue tvm_emit_normalize(tvm_builder *b, MlirValue x, int64_t axis,
                             double epsilon, bool center);

/* Constants. */
MlirValue tvm_emit_scalar(tvm_builder *b, MlirType element, double value);
MlirValue tvm_emit_i64s(tvm_builder *b, const tvm_emit_shape *shape,
                        const int64_t *values);
MlirValue tvm_emit_bools(tvm_builder *b, const tvm_emit_shape *shape,
                         const uint8_t *values);
/* Rounded from double to a float element type. */
MlirValue tvm_emit_doubles(tvm_builder *b, MlirType element,
                           const tvm_emit_shape *shape, const double *values);
/* 0, 1, ..., n - 1 along `axis` of rank `rank`, as i64. */
MlirValue tvm_emit_iota(tvm_builder *b, intptr_t rank, intptr_t axis,
                        int64_t n);

MlirType tvm_emit_f32(const tvm_builder *b);
MlirType tvm_emit_i64(const tvm_builder *b);
MlirType tvm_emit_i32(const tvm_builder *b);

#endif
