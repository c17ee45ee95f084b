/* softmax.c - Softmax, LogSoftmax, Hardmax and the losses on them.
 *
 * Source: ONNX Softmax 1 to 13, NegativeLogLikelihoodLoss 12 to 22,
 * SoftmaxCrossEntropyLoss 12 to 13. */
#include "softmax.h"

#include <string.h>

MlirValue tvm_softmax_emit_log(tvm_builder *b, MlirValue x, intptr_t axis) {
  int64_t a = axis;
  MlirValue top = tvm_emit_reduce(b, "reduce_max", x, 1, &a, true);
  MlirValue shifted = tvm_emit_binary(b, "sub", x, top);
  MlirValue sum = tvm_emit_reduce(
      b, "reduce_sum", tvm_emit_unary(b, "exp", shifted), 1, &a, true);
  return tvm_emit_binary(b, "sub", shifted, tvm_emit_unary(b, "log", sum));
}

/* One at the first maximum, zero elsewhere. */
static MlirValue emit_hardmax(tvm_builder *b, MlirValue x, intptr_t axis) {
  if (tvm_emit_is_null(x))
    return x;
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64(b->context, "axis", axis),
      tvm_attr_bool(b->context, "keepdims", true),
      tvm_attr_bool(b->context, "select_last", false),
  };
  MlirValue best = tvm_graph_build(b, "arg_max", 1, &x, 3, attrs);
  MlirValue at =
      tvm_emit_iota(b, (intptr_t)tvm_rank(x), axis, tvm_dim(x, axis));
  return tvm_emit_cast(b, tvm_emit_binary(b, "equal", at, best),
                       tvm_element_type(x));
}

MlirLogicalResult tvm_onnx_import_softmax(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return mlirLogicalResultFailure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  tvm_emit_shape s = tvm_emit_get_shape(x);
  bool flat = tvm_onnx_opset(node) < 13;
  const char *op_type = tvm_onnx_op_type(node);
  int64_t axis = tvm_onnx_get_int(node, "axis", flat ? 1 : -1);
  if (flat && axis == s.rank) /* every row has one element */
    x = tvm_emit_unsqueeze(b, x, s.rank);
  else if (!tvm_onnx_check_axis(node, "axis", s.rank, &axis))
    return mlirLogicalResultFailure();
  else if (flat) {
    int64_t rows = tvm_emit_count(&s, 0, (intptr_t)axis);
    x = tvm_emit_reshape_to(
        b, x, 2, (int64_t[]){rows, tvm_emit_count(&s, (intptr_t)axis, s.rank)});
    axis = 1;
  }
  MlirValue y;
  if (strcmp(op_type, "Softmax") == 0)
    y = tvm_emit_softmax(b, x, (intptr_t)axis);
  else if (strcmp(op_type, "LogSoftmax") == 0)
    y = tvm_softmax_emit_log(b, x, (intptr_t)axis);
  else
    y = emit_hardmax(b, x, (intptr_t)axis);
  return tvm_onnx_set_result(node, 0, tvm_emit_reshape(b, y, &s));
}

/* ---- losses ---- */

typedef enum loss_mode { LOSS_NONE, LOSS_SUM, LOSS_MEAN } loss_mode;

typedef struct loss {
  tvm_builder *b;
  loss_mode mode;
  bool ignores;
  int64_t ignored;
  MlirValue target, weight; /* weight may be null */
} loss;

static bool read_loss(tvm_onnx_node *node, loss *l) {
  static const char *const MODES[] = {"none", "sum", "mean"};
  int32_t mode;
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 3)) ||
      !tvm_onnx_get_choice(node, "reduction", LOSS_MEAN, 3, MODES, &mode))
    return false;
  *l = (loss){.b = tvm_onnx_builder(node),
              .mode = (loss_mode)mode,
              .ignores = tvm_onnx_has_attr(node, "ignore_index"),
              .ignored = tvm_onnx_get_int(node, "ignore_index", 0),
              .target = tvm_onnx_operand(node, 1),
              .weight = tvm_onnx_operand(node, 2)};
  MlirValue x = tvm_onnx_operand(node, 0);
  intptr_t rank = (intptr_t)tvm_rank(x);
  bool ok = rank >= 2 && tvm_rank(l->target) == rank - 1;
  for (intptr_t i = 0; ok && i + 1 < rank; ++i)
    ok = tvm_dim(l->target, i) == tvm_dim(x, i ? i + 1 : 0);
  if (ok && !tvm_emit_is_null(l->weight))
    ok = tvm_rank(l->weight) == 1 && tvm_dim(l->weight, 0) == tvm_dim(x, 1);
  if (!ok)
    tvm_onnx_fail(node, "expects a target shaped as the input without its "
                        "classes, and a weight a class");
  return ok;
}

/* The weight of every target; null when all count one. */
static MlirValue get_weights(const loss *l, MlirValue keep, MlirType type) {
  tvm_builder *b = l->b;
  MlirValue w = l->weight;
  if (!tvm_emit_is_null(w))
    w = tvm_emit_gather(b, w, l->target, 0);
  if (!l->ignores)
    return w;
  if (tvm_emit_is_null(w))
    return tvm_emit_cast(b, keep, type);
  return tvm_emit_select(b, keep, w, tvm_emit_scalar(b, type, 0));
}

static MlirValue emit_loss(const loss *l, MlirValue log_prob) {
  tvm_builder *b = l->b;
  MlirType type = tvm_element_type(log_prob), i64 = tvm_emit_i64(b);
  MlirValue keep = {NULL};
  MlirValue index = tvm_emit_cast(b, l->target, i64);
  if (l->ignores)
    keep = tvm_emit_unary(b, "not",
                          tvm_emit_with(b, "equal", index, (double)l->ignored));
  MlirNamedAttribute axis = tvm_attr_i64(b->context, "axis", 1);
  MlirValue operands[] = {log_prob, tvm_emit_unsqueeze(b, index, 1)};
  MlirValue y = tvm_graph_build(b, "gather_elements", 2, operands, 1, &axis);
  tvm_emit_shape s = tvm_emit_get_shape(l->target);
  y = tvm_emit_unary(b, "neg", tvm_emit_reshape(b, y, &s));
  MlirValue weights = get_weights(l, keep, type);
  if (!tvm_emit_is_null(weights))
    y = tvm_emit_binary(b, "mul", y, weights);
  if (l->ignores)
    y = tvm_emit_select(b, keep, y, tvm_emit_scalar(b, type, 0));
  int64_t axes[TVM_EMIT_MAX_RANK];
  for (intptr_t i = 0; i < s.rank; ++i)
    axes[i] = i;
  if (l->mode == LOSS_NONE)
    return y;
  if (l->mode == LOSS_MEAN && tvm_emit_is_null(weights))
    return tvm_emit_mean(b, y, s.rank, axes, false);
  y = tvm_emit_reduce(b, "reduce_sum", y, s.rank, axes, false);
  if (l->mode == LOSS_SUM)
    return y;
  MlirValue total =
      tvm_emit_reduce(b, "reduce_sum", weights, s.rank, axes, false);
  return tvm_emit_binary(b, "div", y, total);
}

MlirLogicalResult
tvm_onnx_import_negative_log_likelihood_loss(tvm_onnx_node *node) {
  loss l;
  if (!read_loss(node, &l))
    return mlirLogicalResultFailure();
  return tvm_onnx_set_result(node, 0, emit_loss(&l, tvm_onnx_operand(node, 0)));
}

MlirLogicalResult
tvm_onnx_import_softmax_cross_entropy_loss(tvm_onnx_node *node) {
  loss l;
  if (!read_loss(node, &l))
    return mlirLogicalResultFailure();
  MlirValue log_prob = tvm_softmax_emit_log(l.b, tvm_onnx_operand(node, 0), 1);
  if (tvm_emit_is_null(log_prob))
    return mlirLogicalResultFailure();
  if (tvm_onnx_has_result(node, 1) &&
      mlirLogicalResultIsFailure(tvm_onnx_set_result(node, 1, log_prob)))
    return mlirLogicalResultFailure();
  return tvm_onnx_set_result(node, 0, emit_loss(&l, log_prob));
}
