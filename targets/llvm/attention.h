/* attention.h - the kernel of graph.attention. */
#ifndef TVM_TARGETS_LLVM_ATTENTION_H
#define TVM_TARGETS_LLVM_ATTENTION_H

#include "llvm/schedule_internal.h"

typedef struct tvm_attention_shape {
  int64_t pieces;           /* batches times heads */
  int64_t rows, columns;    /* positions of queries, of keys */
  int64_t channels, values; /* of keys, of values */
} tvm_attention_shape;

/* Recognize what graph.attention lowers to and mark its operations as
 * schedules/attention.mlir wants; the last one writes to the destination. */
bool tvm_llvm_mark_attention(MlirOperation func, tvm_attention_shape *shape);

/* A copy of attention.mlir with its knobs chosen; null where blocks of
 * registers do not fit the shape. */
MlirModule tvm_llvm_attention_schedule(MlirContext context,
                                       const tvm_attention_shape *shape,
                                       const tvm_llvm_target *target);

#endif
