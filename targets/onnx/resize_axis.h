/* resize_axis.h - where Resize reads along one axis, computed at import. */
#ifndef TVM_TARGETS_ONNX_RESIZE_AXIS_H
#define TVM_TARGETS_ONNX_RESIZE_AXIS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tvm_resize_mode {
  TVM_RESIZE_NEAREST,
  TVM_RESIZE_LINEAR,
  TVM_RESIZE_CUBIC,
} tvm_resize_mode;

typedef enum tvm_resize_coordinates {
  TVM_RESIZE_HALF_PIXEL,
  TVM_RESIZE_HALF_PIXEL_SYMMETRIC,
  TVM_RESIZE_PYTORCH_HALF_PIXEL,
  TVM_RESIZE_ALIGN_CORNERS,
  TVM_RESIZE_ASYMMETRIC,
  TVM_RESIZE_TF_HALF_PIXEL,
  TVM_RESIZE_TF_CROP,
} tvm_resize_coordinates;

typedef enum tvm_resize_rounding {
  TVM_RESIZE_PREFER_FLOOR,
  TVM_RESIZE_PREFER_CEIL,
  TVM_RESIZE_FLOOR,
  TVM_RESIZE_CEIL,
  TVM_RESIZE_SIMPLE, /* opset 10: ceil when shrinking, else floor */
} tvm_resize_rounding;

typedef struct tvm_resize_options {
  tvm_resize_mode mode;
  tvm_resize_coordinates coordinates;
  tvm_resize_rounding rounding;
  double cubic_a;
  bool exclude_outside;
  bool antialias;
} tvm_resize_options;

/* One axis of the operation. `scale` is output / input, not rounded. */
typedef struct tvm_resize_extent {
  int64_t input;
  int64_t output;
  double scale;
  double roi_start, roi_end; /* TVM_RESIZE_TF_CROP alone */
} tvm_resize_extent;

/* Reads of one axis: output i is the sum over k of
 * weights[i * taps + k] * input[indices[i * taps + k]], or the extrapolation
 * value where outside[i] is set. */
typedef struct tvm_resize_samples {
  int64_t taps;
  int64_t *indices;
  double *weights;
  uint8_t *outside;
  bool any_outside;
} tvm_resize_samples;

/* Fill `samples`. Returns false when out of memory. Owns: the caller finishes
 * the samples. Source: ONNX Resize 10 to 19. */
bool tvm_resize_samples_init(tvm_resize_samples *samples,
                             const tvm_resize_options *options,
                             const tvm_resize_extent *extent);
void tvm_resize_samples_finish(tvm_resize_samples *samples);

#endif
