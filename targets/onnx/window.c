/* window.c - strides, pads and dilations of convolutions and pools. */
#include "window.h"

#include <string.h>

int64_t tvm_window_span(const tvm_window *w, intptr_t i) {
  return (w->kernel[i] - 1) * w->dilations[i] + 1;
}

/* Read `count` integers of at least `low`; `fallback` for all when absent. */
static bool read_ints(tvm_onnx_node *node, const char *name, intptr_t count,
                      int64_t low, int64_t fallback, int64_t *out) {
  size_t n;
  const int64_t *values = tvm_onnx_get_ints(node, name, &n);
  for (intptr_t i = 0; i < count; ++i)
    out[i] = fallback;
  if (!values || n == 0)
    return true;
  if ((intptr_t)n != count) {
    tvm_onnx_fail(node, "attribute '%s' expects %lld values, got %zu", name,
                  (long long)count, n);
    return false;
  }
  for (intptr_t i = 0; i < count; ++i) {
    if (values[i] < low || values[i] > INT32_MAX) {
      tvm_onnx_fail(node, "attribute '%s' has the value %lld, out of range",
                    name, (long long)values[i]);
      return false;
    }
    out[i] = values[i];
  }
  return true;
}

static bool read_kernel(tvm_onnx_node *node, MlirValue weight, tvm_window *w) {
  bool written = tvm_onnx_has_attr(node, "kernel_shape");
  if (!read_ints(node, "kernel_shape", w->n, 1, 1, w->kernel))
    return false;
  if (tvm_emit_is_null(weight)) {
    if (!written)
      tvm_onnx_fail(node, "attribute 'kernel_shape' is missing");
    return written;
  }
  for (intptr_t i = 0; i < w->n; ++i) {
    int64_t extent = tvm_dim(weight, i + 2);
    if (written && w->kernel[i] != extent) {
      tvm_onnx_fail(node,
                    "attribute 'kernel_shape' = %lld in dimension %lld, but "
                    "the weight has %lld",
                    (long long)w->kernel[i], (long long)i, (long long)extent);
      return false;
    }
    w->kernel[i] = extent;
  }
  return true;
}

bool tvm_window_read(tvm_onnx_node *node, MlirValue x, MlirValue weight,
                     bool is_pool, tvm_window *w) {
  static const char *const AUTO_PADS[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER",
                                          "VALID"};
  memset(w, 0, sizeof *w);
  tvm_emit_shape shape = tvm_emit_get_shape(x);
  if (shape.rank < 3) {
    tvm_onnx_fail(node, "expects an input of rank 3 at least, got rank %lld",
                  (long long)shape.rank);
    return false;
  }
  if (!tvm_emit_is_null(weight) && tvm_rank(weight) != shape.rank) {
    tvm_onnx_fail(node, "expects a weight of rank %lld, got rank %lld",
                  (long long)shape.rank, (long long)tvm_rank(weight));
    return false;
  }
  w->n = shape.rank - 2;
  memcpy(w->input, shape.dims + 2, (size_t)w->n * sizeof *w->input);
  int32_t auto_pad;
  if (!read_kernel(node, weight, w) ||
      !read_ints(node, "strides", w->n, 1, 1, w->strides) ||
      !read_ints(node, "dilations", w->n, 1, 1, w->dilations) ||
      !read_ints(node, "pads", 2 * w->n, 0, 0, w->pads) ||
      !tvm_onnx_get_choice(node, "auto_pad", 0, 4, AUTO_PADS, &auto_pad))
    return false;
  w->auto_pad = (tvm_auto_pad)auto_pad;
  if (is_pool)
    w->ceil_mode = tvm_onnx_get_int(node, "ceil_mode", 0) != 0;
  return true;
}

static void choose_pads(tvm_window *w, intptr_t i) {
  int64_t *low = &w->pads[i], *high = &w->pads[w->n + i];
  if (w->auto_pad == TVM_AUTO_PAD_NOTSET)
    return;
  *low = *high = 0;
  if (w->auto_pad == TVM_AUTO_PAD_VALID)
    return;
  int64_t outputs = (w->input[i] + w->strides[i] - 1) / w->strides[i];
  int64_t total =
      (outputs - 1) * w->strides[i] + tvm_window_span(w, i) - w->input[i];
  if (total < 0)
    total = 0;
  *low = w->auto_pad == TVM_AUTO_PAD_SAME_UPPER ? total / 2 : total - total / 2;
  *high = total - *low;
}

/* In ceil mode the last window may hang over, but not start in the pad. */
static int64_t extend_pads(tvm_window *w, intptr_t i, int64_t room) {
  int64_t stride = w->strides[i], low = w->pads[i];
  int64_t outputs = (room + stride - 1) / stride + 1;
  if ((outputs - 1) * stride >= w->input[i] + low)
    outputs -= 1;
  int64_t high =
      (outputs - 1) * stride + tvm_window_span(w, i) - w->input[i] - low;
  w->pads[w->n + i] = high < 0 ? 0 : high;
  return outputs;
}

bool tvm_window_resolve(tvm_onnx_node *node, tvm_window *w) {
  for (intptr_t i = 0; i < w->n; ++i)
    choose_pads(w, i);
  memcpy(w->written_pads, w->pads, sizeof w->pads);
  for (intptr_t i = 0; i < w->n; ++i) {
    int64_t room =
        w->input[i] + w->pads[i] + w->pads[w->n + i] - tvm_window_span(w, i);
    if (room < 0) {
      tvm_onnx_fail(node,
                    "the kernel covers %lld elements in dimension %lld, but "
                    "the padded input has %lld",
                    (long long)tvm_window_span(w, i), (long long)i + 2,
                    (long long)(room + tvm_window_span(w, i)));
      return false;
    }
    w->output[i] =
        w->ceil_mode ? extend_pads(w, i, room) : room / w->strides[i] + 1;
  }
  return true;
}

MlirValue tvm_window_pool(tvm_builder *b, const char *kind, MlirValue x,
                          const tvm_window *w) {
  if (tvm_emit_is_null(x))
    return x;
  MlirNamedAttribute attrs[] = {
      tvm_attr_str(b->context, "kind", kind),
      tvm_attr_i64s(b->context, "kernel", w->n, w->kernel),
      tvm_attr_i64s(b->context, "strides", w->n, w->strides),
      tvm_attr_i64s(b->context, "pads", 2 * w->n, w->pads),
      tvm_attr_i64s(b->context, "dilations", w->n, w->dilations),
      tvm_attr_str(b->context, "layout", "NCX"),
  };
  return tvm_graph_build(b, "pool", 1, &x, 6, attrs);
}

MlirValue tvm_window_conv(tvm_builder *b, MlirValue x, MlirValue weight,
                          int64_t groups, const tvm_window *w) {
  if (tvm_emit_is_null(x) || tvm_emit_is_null(weight))
    return (MlirValue){NULL};
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64s(b->context, "strides", w->n, w->strides),
      tvm_attr_i64s(b->context, "pads", 2 * w->n, w->pads),
      tvm_attr_i64s(b->context, "dilations", w->n, w->dilations),
      tvm_attr_i64(b->context, "groups", groups),
      tvm_attr_str(b->context, "layout", "NCX"),
  };
  return tvm_graph_build(b, "conv", 2, (MlirValue[]){x, weight}, 5, attrs);
}

MlirValue tvm_window_add_bias(tvm_builder *b, MlirValue y, MlirValue bias) {
  if (tvm_emit_is_null(bias) || tvm_emit_is_null(y))
    return y;
  tvm_emit_shape along = tvm_emit_along(
      (intptr_t)tvm_rank(y), 1, tvm_num_elements(mlirValueGetType(bias)));
  return tvm_emit_binary(b, "add", y, tvm_emit_reshape(b, bias, &along));
}

bool tvm_window_check_conv(tvm_onnx_node *node, MlirValue x, MlirValue weight,
                           int64_t groups) {
  int64_t channels = tvm_dim(x, 1), outputs = tvm_dim(weight, 0);
  if (groups < 1 || channels % groups || outputs % groups) {
    tvm_onnx_fail(node,
                  "attribute 'group' = %lld does not divide %lld input and "
                  "%lld output channels",
                  (long long)groups, (long long)channels, (long long)outputs);
    return false;
  }
  if (tvm_dim(weight, 1) != channels / groups) {
    tvm_onnx_fail(node, "expects a weight for %lld channels a group, got %lld",
                  (long long)(channels / groups),
                  (long long)tvm_dim(weight, 1));
    return false;
  }
  return true;
}
