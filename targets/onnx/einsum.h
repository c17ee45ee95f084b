/* einsum.h - Einstein sums as transposes, products and reductions. */
#ifndef TVM_TARGETS_ONNX_EINSUM_H
#define TVM_TARGETS_ONNX_EINSUM_H

#include "emit.h"

enum {
  TVM_EINSUM_LETTERS = 52,
  TVM_EINSUM_LABELS = TVM_EINSUM_LETTERS + TVM_EMIT_MAX_RANK,
  TVM_EINSUM_MAX_TERMS = 16,
};

/* The labels of one operand's dimensions, in order: 0 to 25 are A to Z, 26 to
 * 51 are a to z, the rest stand for the dimensions of the ellipsis. */
typedef struct tvm_einsum_term {
  int32_t n;
  int32_t labels[TVM_EMIT_MAX_RANK];
} tvm_einsum_term;

typedef struct tvm_einsum {
  int32_t n_terms;
  tvm_einsum_term terms[TVM_EINSUM_MAX_TERMS];
  tvm_einsum_term output;
  int64_t extents[TVM_EINSUM_LABELS]; /* after broadcasting; -1: not used */
} tvm_einsum;

/* Parse `equation` for operands of these shapes. Fails: writes one sentence
 * to `error`, returns false. */
bool tvm_einsum_parse(const char *equation, int32_t n,
                      const tvm_emit_shape *shapes, tvm_einsum *out,
                      size_t error_bytes, char *error);

/* Emit the sum. Fails: emits, returns null. Source: ONNX Einsum 12. */
MlirValue tvm_einsum_emit(tvm_builder *b, const tvm_einsum *e,
                          const MlirValue *operands);

#endif
