/* contraction.h - multiply-add generics of matrix products and convolutions. */
#ifndef TVM_CONVERSION_CONTRACTION_H
#define TVM_CONVERSION_CONTRACTION_H

#include "graph_to_te/lowering.h"

/* A zeroed accumulator for result 0, seen as `shape`. */
MlirValue tvm_begin_contraction(tvm_lowering *l, intptr_t rank,
                                const int64_t *shape);
/* out += x * y; x and y carry the elements of graph operands 0 and 1. */
MlirValue tvm_build_contraction(tvm_lowering *l, MlirValue x, MlirValue y,
                                MlirValue out, const MlirAffineMap *maps,
                                intptr_t n_loops, uint32_t reductions);

/* The spatial part of a convolution or pool, read from its attributes. */
typedef struct tvm_window {
  intptr_t rank; /* spatial dimensions */
  bool channels_last;
  int64_t strides[TVM_LOWER_MAX_RANK], dilations[TVM_LOWER_MAX_RANK];
  int64_t kernel[TVM_LOWER_MAX_RANK];
} tvm_window;

tvm_window tvm_read_window(const tvm_lowering *l);
/* The position of spatial dimension `i` in a tensor of the layout. */
intptr_t tvm_window_dim(const tvm_window *w, intptr_t i);
/* x with the `pads` of the operator around it, filled with `scalar`. Where the
 * last windows reach past the end, x is extended there too. */
MlirValue tvm_window_pad(tvm_lowering *l, const tvm_window *w, MlirValue x,
                         MlirValue scalar);
/* out * stride + kernel * dilation */
MlirAffineExpr tvm_window_expr(MlirContext c, const tvm_window *w, intptr_t i,
                               intptr_t out_loop, intptr_t kernel_loop);

#endif
