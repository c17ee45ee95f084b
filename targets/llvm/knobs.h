/* knobs.h - tile sizes that need no tuning. */
#ifndef TVM_TARGETS_LLVM_KNOBS_H
#define TVM_TARGETS_LLVM_KNOBS_H

#include "llvm/canonical.h"
#include "llvm/target.h"

typedef struct tvm_kernel_knobs {
  int64_t ht, wt, ct; /* the panel that one parallel piece computes */
  int64_t mr, nr;     /* the block that is held in registers */
  int64_t jam;        /* panels of one row that share a loop, 1: no such */
  int64_t rows_ahead; /* steps before their use to prefetch weights, 0: none */
  /* What the blocks leave over; the peeled schedule is for these. */
  enum { TVM_EDGES_BOTH, TVM_EDGES_W, TVM_EDGES_N, TVM_EDGES_NONE } edges;
} tvm_kernel_knobs;

/* Choose from a model of the processor: FMA ports, loads and registers decide
 * the block, the caches the panel. Returns false when no block is worth it. */
bool tvm_llvm_choose_knobs(const tvm_kernel_shape *shape,
                           const tvm_llvm_target *target,
                           tvm_kernel_knobs *out_knobs);

#endif
