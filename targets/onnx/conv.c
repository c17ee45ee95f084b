/* conv.c - Conv and ConvTranspose.
 *
 * Source: ONNX Conv 1 and 11, ConvTranspose 1 and 11. */
#include "window.h"

static bool check_bias(tvm_onnx_node *node, int64_t channels) {
  MlirValue bias = tvm_onnx_operand(node, 2);
  if (tvm_emit_is_null(bias) ||
      (tvm_rank(bias) == 1 && tvm_dim(bias, 0) == channels))
    return true;
  tvm_onnx_fail(node, "expects a bias of %lld elements, got %lld",
                (long long)channels,
                (long long)tvm_num_elements(mlirValueGetType(bias)));
  return false;
}

MlirLogicalResult tvm_onnx_import_conv(tvm_onnx_node *node) {
  MlirLogicalResult failure = mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 3)))
    return failure;
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0), weight = tvm_onnx_operand(node, 1);
  int64_t groups = tvm_onnx_get_int(node, "group", 1);
  tvm_window w;
  if (!tvm_window_read(node, x, weight, false, &w) ||
      !tvm_window_check_conv(node, x, weight, groups) ||
      !check_bias(node, tvm_dim(weight, 0)) || !tvm_window_resolve(node, &w))
    return failure;
  MlirValue y = tvm_window_conv(b, x, weight, groups, &w);
  return tvm_onnx_set_result(
      node, 0, tvm_window_add_bias(b, y, tvm_onnx_operand(node, 2)));
}

/* What the output has too much is cropped at both ends, what it lacks is added
 * at the high one. */
static void fit_output(tvm_window *w, intptr_t i, int64_t wanted,
                       int64_t *output_pad) {
  int64_t total = w->strides[i] * (w->input[i] - 1) + *output_pad +
                  tvm_window_span(w, i) - wanted;
  if (total < 0) {
    *output_pad -= total;
    total = 0;
  }
  w->pads[i] =
      w->auto_pad == TVM_AUTO_PAD_SAME_UPPER ? total / 2 : total - total / 2;
  w->pads[w->n + i] = total - w->pads[i];
}

static bool choose_transposed_pads(tvm_onnx_node *node, tvm_window *w,
                                   int64_t *output_pads) {
  size_t n;
  const int64_t *values = tvm_onnx_get_ints(node, "output_padding", &n);
  if (n != 0 && n != (size_t)w->n) {
    tvm_onnx_fail(node,
                  "attribute 'output_padding' expects %lld values, got %zu",
                  (long long)w->n, n);
    return false;
  }
  for (intptr_t i = 0; i < w->n; ++i)
    output_pads[i] = n ? values[i] : 0;
  const int64_t *shape = tvm_onnx_get_ints(node, "output_shape", &n);
  /* Some exporters write the batch and channel extents too. */
  if (n == (size_t)w->n + 2)
    shape += 2;
  else if (n != 0 && n != (size_t)w->n) {
    tvm_onnx_fail(node, "attribute 'output_shape' expects %lld values, got %zu",
                  (long long)w->n, n);
    return false;
  }
  for (intptr_t i = 0; i < w->n; ++i) {
    if (n != 0)
      fit_output(w, i, shape[i], &output_pads[i]);
    else if (w->auto_pad == TVM_AUTO_PAD_SAME_UPPER ||
             w->auto_pad == TVM_AUTO_PAD_SAME_LOWER)
      fit_output(w, i, w->input[i] * w->strides[i], &output_pads[i]);
    else if (w->auto_pad == TVM_AUTO_PAD_VALID)
      w->pads[i] = w->pads[w->n + i] = 0;
  }
  return true;
}

static MlirValue build_transposed(tvm_builder *b, MlirValue x, MlirValue weight,
                                  int64_t groups, const tvm_window *w,
                                  const int64_t *output_pads) {
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64s(b->context, "strides", w->n, w->strides),
      tvm_attr_i64s(b->context, "pads", 2 * w->n, w->pads),
      tvm_attr_i64s(b->context, "output_pads", w->n, output_pads),
      tvm_attr_i64s(b->context, "dilations", w->n, w->dilations),
      tvm_attr_i64(b->context, "groups", groups),
  };
  return tvm_graph_build(b, "conv_transpose", 2, (MlirValue[]){x, weight}, 5,
                         attrs);
}

MlirLogicalResult tvm_onnx_import_conv_transpose(tvm_onnx_node *node) {
  MlirLogicalResult failure = mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 3)))
    return failure;
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0), weight = tvm_onnx_operand(node, 1);
  int64_t groups = tvm_onnx_get_int(node, "group", 1);
  int64_t output_pads[TVM_EMIT_MAX_RANK] = {0};
  tvm_window w;
  if (!tvm_window_read(node, x, weight, false, &w) ||
      !choose_transposed_pads(node, &w, output_pads))
    return failure;
  int64_t channels = tvm_dim(x, 1);
  if (groups < 1 || channels % groups || tvm_dim(weight, 0) != channels)
    return tvm_onnx_fail(node,
                         "expects a weight for %lld channels in %lld groups, "
                         "got %lld",
                         (long long)channels, (long long)groups,
                         (long long)tvm_dim(weight, 0));
  if (!check_bias(node, tvm_dim(weight, 1) * groups))
    return failure;
  MlirValue y = build_transposed(b, x, weight, groups, &w, output_pads);
  return tvm_onnx_set_result(
      node, 0, tvm_window_add_bias(b, y, tvm_onnx_operand(node, 2)));
}
