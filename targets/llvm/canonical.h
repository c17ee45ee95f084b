/* canonical.h - the loop nests that the schedules are written for. */
#ifndef TVM_TARGETS_LLVM_CANONICAL_H
#define TVM_TARGETS_LLVM_CANONICAL_H

#include "base/base.h"

typedef enum tvm_kernel_class {
  TVM_KERNEL_GENERAL,     /* anything */
  TVM_KERNEL_CONTRACTION, /* (b, h, w, no, ni | r, q, k) */
  TVM_KERNEL_WINDOW,      /* (b, h, w, c | r, q) */
} tvm_kernel_class;

/* Positions of the loops in `extents`. */
enum {
  TVM_LOOP_B,
  TVM_LOOP_H,
  TVM_LOOP_W,
  TVM_LOOP_NO, /* c of a window */
  TVM_LOOP_NI,
  TVM_LOOP_R,
  TVM_LOOP_Q,
  TVM_LOOP_K,
  TVM_NUM_LOOPS
};

typedef struct tvm_kernel_shape {
  tvm_kernel_class kernel_class;
  int64_t extents[TVM_NUM_LOOPS]; /* 1 where a loop is absent */
  /* elements of x between neighbours in each loop; 0 where x does not vary */
  int64_t x_strides[TVM_NUM_LOOPS];
  int64_t element_bytes;
  /* the argument that holds y of a contraction as a plain matrix of (r, q, k)
   * rows and ni columns; -1 when there is none */
  intptr_t matrix;
  /* in: y is stored in panels of so many columns, 0: it is not */
  int64_t panel_columns;
} tvm_kernel_shape;

/* Recognize a contraction (convolution, matrix product) or a reduction over
 * windows (depthwise convolution, pooling), followed by at most one
 * elementwise generic, and rewrite it in place:
 *
 *   contraction  out[b,h,w,no,ni] += x[b,h,w,r,q,k] * y[b,no,r,q,k,ni]
 *   window       out[b,h,w,c] = f(out, x[b,h,w,r,q,c], y[r,q,c] ...)
 *
 * An operand lacks the loops that it does not vary in. Inputs become strided
 * views of the arguments, so that strides, dilations and packed weights need
 * no loops of their own; loops that are contiguous in every operand are one.
 * With panel_columns, ni is cut to one panel and no numbers the panels.
 * The core operation gets the attribute tvm.contract and the last one
 * tvm.root. Leaves the function alone, and returns false, when it is neither.
 */
bool tvm_llvm_canonicalize_nest(MlirOperation func, tvm_kernel_shape *shape);

/* Only say what it would be. */
bool tvm_llvm_describe_nest(MlirOperation func, tvm_kernel_shape *shape);

#endif
