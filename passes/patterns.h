/* patterns.h - rewriting by the rules of a .pdll file. */
#ifndef TVM_PASSES_PATTERNS_H
#define TVM_PASSES_PATTERNS_H

#include "base/base.h"

#include "mlir-c/Rewrite.h"

/* The C functions that a .pdll file declares. A constraint must not change
 * anything. A rewrite cannot fail: what could stand in its way is checked by a
 * constraint before. It builds through `b`, in front of the root. */
typedef bool (*tvm_constraint_fn)(const MlirPDLValue *args);
typedef void (*tvm_rewrite_fn)(tvm_builder *b, const MlirPDLValue *args,
                               MlirPDLResultList results);

/* One of the two functions is null. */
typedef struct tvm_pattern_function {
  const char *name;
  tvm_constraint_fn constraint;
  tvm_rewrite_fn rewrite;
} tvm_pattern_function;

/* Apply the patterns of `pdl`, the text that tvm_embed_patterns made, to all
 * that is nested in `op`, and fold, until nothing changes. */
MlirLogicalResult tvm_apply_patterns(MlirOperation op, MlirStringRef pdl,
                                     size_t n,
                                     const tvm_pattern_function *functions);

/* Replace operand `i` of an operation that stays, telling the rewriter. */
void tvm_rewrite_operand(tvm_builder *b, MlirOperation op, intptr_t i,
                         MlirValue value);
/* A copy of `op` in front of the root, with another operand `i`. */
MlirValue tvm_clone_with_operand(tvm_builder *b, MlirOperation op, intptr_t i,
                                 MlirValue value);

#endif
