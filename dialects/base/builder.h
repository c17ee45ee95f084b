/* builder.h - build and read operations without typing mlirOperationState.
 *
 * Included through base.h. */
#ifndef TVM_DIALECTS_BASE_BUILDER_H
#define TVM_DIALECTS_BASE_BUILDER_H

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/IR.h"
#include "mlir-c/Rewrite.h"

/* An insertion point. New operations go before `before` when it is set, else
 * to the end of `block`. With a `rewriter` they go where that one stands. */
typedef struct tvm_builder {
  MlirContext context;
  MlirLocation location;
  MlirBlock block;
  MlirOperation before;
  MlirRewriterBase rewriter;
} tvm_builder;

tvm_builder tvm_builder_at_end(MlirBlock block, MlirLocation location);
tvm_builder tvm_builder_before(MlirOperation op);

/* Create one operation and insert it. Owns: the regions are taken. */
MlirOperation tvm_build_op(tvm_builder *b, const char *name, intptr_t n_results,
                           const MlirType *results, intptr_t n_operands,
                           const MlirValue *operands, intptr_t n_attrs,
                           const MlirNamedAttribute *attrs, intptr_t n_regions,
                           MlirRegion *owned_regions);

/* The common case: one result, no region. Returns that result. */
MlirValue tvm_build_value(tvm_builder *b, const char *name, MlirType result,
                          intptr_t n_operands, const MlirValue *operands,
                          intptr_t n_attrs, const MlirNamedAttribute *attrs);

MlirNamedAttribute tvm_attr(MlirContext c, const char *name, MlirAttribute a);
MlirNamedAttribute tvm_attr_i64(MlirContext c, const char *name, int64_t v);
MlirNamedAttribute tvm_attr_i64s(MlirContext c, const char *name, intptr_t n,
                                 const int64_t *v); /* array<i64: ...> */
MlirNamedAttribute tvm_attr_f64(MlirContext c, const char *name, double v);
MlirNamedAttribute tvm_attr_bool(MlirContext c, const char *name, bool v);
MlirNamedAttribute tvm_attr_str(MlirContext c, const char *name, const char *v);

/* Read attributes that a verifier has already checked. Getting an integer or
 * an element out of range, or one that is absent, is a programming error. */
MlirAttribute tvm_get_attr(MlirOperation op,
                           const char *name); /* may be null */
int64_t tvm_get_i64(MlirOperation op, const char *name);
double tvm_get_f64(MlirOperation op, const char *name);
bool tvm_get_bool(MlirOperation op, const char *name);
MlirStringRef tvm_get_str(MlirOperation op, const char *name);
intptr_t tvm_get_i64s_size(MlirOperation op, const char *name);
int64_t tvm_get_i64s(MlirOperation op, const char *name, intptr_t index);

bool tvm_op_is(MlirOperation op, const char *name);
bool tvm_op_in_dialect(MlirOperation op, const char *dialect);
/* The operation that defines `value`, or null for a block argument. */
MlirOperation tvm_defining_op(MlirValue value);
bool tvm_has_one_use(MlirValue value);
MlirValue tvm_result(MlirOperation op, intptr_t i);
MlirValue tvm_operand(MlirOperation op, intptr_t i);

/* Ranked tensor types. */
int64_t tvm_rank(MlirValue value);
int64_t tvm_dim(MlirValue value, intptr_t i);
MlirType tvm_element_type(MlirValue value);
MlirType tvm_tensor_type(intptr_t rank, const int64_t *shape, MlirType element);
/* Product of the extents; 1 for rank 0. */
int64_t tvm_num_elements(MlirType tensor);
/* Bytes of one element as stored; i1 takes one byte. */
int64_t tvm_element_bytes(MlirType element);

/* arith.constant of tensor type. Copies `bytes`; i1 is one byte an element.
 * Large contents should come through tvm_build_resource instead. */
MlirValue tvm_build_constant(tvm_builder *b, MlirType tensor, const void *data,
                             size_t bytes);
/* arith.constant whose contents stay where they are (dense_resource).
 * `data` must outlive the context, unless `deleter` is given, which is then
 * called with (user_data, data, bytes, align) when the context goes. */
MlirValue tvm_build_resource(tvm_builder *b, MlirType tensor, const char *name,
                             const void *data, size_t bytes,
                             void (*deleter)(void *, const void *, size_t,
                                             size_t),
                             void *user_data);
/* arith.constant splat of a scalar, converted to the element type. */
MlirValue tvm_build_splat(tvm_builder *b, MlirType tensor, double value);
/* The raw row-major bytes of a constant tensor attribute (dense or resource);
 * a splat is expanded. Returns a malloc'ed copy through `out_bytes`, null when
 * the attribute is something else. */
void *tvm_copy_elements(MlirAttribute elements, size_t *out_bytes);

#endif
