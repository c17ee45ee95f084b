/* window.h - strides, pads and dilations of convolutions and pools. */
#ifndef TVM_TARGETS_ONNX_WINDOW_H
#define TVM_TARGETS_ONNX_WINDOW_H

#include "decompose.h"

typedef enum tvm_auto_pad {
  TVM_AUTO_PAD_NOTSET,
  TVM_AUTO_PAD_SAME_UPPER,
  TVM_AUTO_PAD_SAME_LOWER,
  TVM_AUTO_PAD_VALID,
} tvm_auto_pad;

/* One entry a spatial dimension; `pads` has the lows, then the highs. */
typedef struct tvm_window {
  intptr_t n;
  tvm_auto_pad auto_pad;
  bool ceil_mode;
  int64_t input[TVM_EMIT_MAX_RANK];
  int64_t kernel[TVM_EMIT_MAX_RANK];
  int64_t strides[TVM_EMIT_MAX_RANK];
  int64_t dilations[TVM_EMIT_MAX_RANK];
  int64_t pads[2 * TVM_EMIT_MAX_RANK];
  /* Set by tvm_window_resolve: pads as written or chosen, before ceil_mode
   * extended the high ones. */
  int64_t written_pads[2 * TVM_EMIT_MAX_RANK];
  int64_t output[TVM_EMIT_MAX_RANK];
} tvm_window;

/* Read kernel_shape, strides, dilations, pads, auto_pad (and ceil_mode where
 * `is_pool`) for the spatial dimensions of operand `x`. `weight` gives the
 * kernel, or is null. Fails: emits, returns false. */
bool tvm_window_read(tvm_onnx_node *node, MlirValue x, MlirValue weight,
                     bool is_pool, tvm_window *out);
/* Replace auto_pad and ceil_mode by explicit pads; compute the outputs. */
bool tvm_window_resolve(tvm_onnx_node *node, tvm_window *w);
/* Extent that the dilated kernel covers. */
int64_t tvm_window_span(const tvm_window *w, intptr_t i);

MlirValue tvm_window_pool(tvm_builder *b, const char *kind, MlirValue x,
                          const tvm_window *w);
MlirValue tvm_window_conv(tvm_builder *b, MlirValue x, MlirValue weight,
                          int64_t groups, const tvm_window *w);
/* `bias` along the channels; `y` alone when it is null. */
MlirValue tvm_window_add_bias(tvm_builder *b, MlirValue y, MlirValue bias);
/* Check channels against groups for a Conv-like node. */
bool tvm_window_check_conv(tvm_onnx_node *node, MlirValue x, MlirValue weight,
                           int64_t groups);

#endif
