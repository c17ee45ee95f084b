/* recurrent_ops.c - the operators LSTM, GRU and RNN.
 *
 * Source: ONNX LSTM, GRU, RNN 7, 14 and 22. */
#include "decompose.h"
#include "recurrent.h"

#include <stdlib.h>

static int32_t activations_per_direction(tvm_recurrent_kind kind) {
  return kind == TVM_RECURRENT_LSTM ? 3 : kind == TVM_RECURRENT_GRU ? 2 : 1;
}

static const char *default_activation(tvm_recurrent_kind kind, int32_t i) {
  if (kind == TVM_RECURRENT_RNN)
    return "Tanh";
  return i == 0 ? "Sigmoid" : "Tanh";
}

/* The names, and the alphas and betas that are taken by those that have any,
 * in order. */
static MlirLogicalResult read_activations(tvm_onnx_node *node,
                                          tvm_recurrent *op) {
  int32_t per = activations_per_direction(op->kind);
  size_t n_alphas, n_betas, alpha = 0, beta = 0;
  const float *alphas = tvm_onnx_get_floats(node, "activation_alpha", &n_alphas);
  const float *betas = tvm_onnx_get_floats(node, "activation_beta", &n_betas);
  size_t n = tvm_onnx_get_strings_size(node, "activations");
  size_t expected = (size_t)(per * op->directions);
  if (n && n != expected)
    return tvm_onnx_fail(node,
                         "attribute 'activations' expects %zu names, got %zu",
                         expected, n);
  for (size_t i = 0; i < expected; ++i) {
    const char *name = n ? tvm_onnx_get_strings(node, "activations", i)
                         : default_activation(op->kind, (int32_t)i % per);
    tvm_activation *a = &op->activations[i / (size_t)per][i % (size_t)per];
    bool takes_alpha, takes_beta;
    if (!tvm_activation_find(name, a, &takes_alpha, &takes_beta))
      return tvm_onnx_fail(
          node, "attribute 'activations' has '%s', which is no activation",
          name);
    if (takes_alpha && alpha < n_alphas)
      a->alpha = (double)alphas[alpha++];
    if (takes_beta && beta < n_betas)
      a->beta = (double)betas[beta++];
  }
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult read_attributes(tvm_onnx_node *node,
                                         tvm_recurrent *op, bool *batch_first) {
  static const char *const DIRECTIONS[] = {"forward", "reverse",
                                           "bidirectional"};
  int32_t direction;
  if (!tvm_onnx_get_choice(node, "direction", 0, 3, DIRECTIONS, &direction))
    return mlirLogicalResultFailure();
  op->directions = direction == 2 ? 2 : 1;
  op->reverse = direction == 1;
  op->clip = tvm_onnx_get_float(node, "clip", 0);
  int64_t layout = tvm_onnx_get_int(node, "layout", 0);
  if (layout != 0 && layout != 1)
    return tvm_onnx_fail(node, "attribute 'layout' = %lld is not 0 or 1",
                         (long long)layout);
  *batch_first = layout == 1;
  tvm_onnx_ignore_attr(node, "output_sequence"); /* opset 1 */
  if (op->kind == TVM_RECURRENT_LSTM)
    op->input_forget = tvm_onnx_get_int(node, "input_forget", 0) != 0;
  if (op->kind == TVM_RECURRENT_GRU)
    op->linear_before_reset =
        tvm_onnx_get_int(node, "linear_before_reset", 0) != 0;
  return read_activations(node, op);
}

/* An operand of this rank and these extents (-1: any); absent is fine when
 * optional. */
static bool check(tvm_onnx_node *node, intptr_t i, MlirValue x, intptr_t rank,
                  const int64_t *dims) {
  bool fits = tvm_rank(x) == rank;
  for (intptr_t d = 0; fits && d < rank; ++d)
    fits = dims[d] < 0 || tvm_dim(x, d) == dims[d];
  if (!fits)
    tvm_onnx_fail(node, "operand %td has a shape that does not fit the others",
                  i);
  return fits;
}

static MlirValue swap_first(tvm_builder *b, MlirValue x) {
  static const int64_t SWAP[] = {1, 0, 2};
  return tvm_emit_is_null(x) || tvm_rank(x) != 3 ? x
                                                 : tvm_emit_transpose(b, x, SWAP);
}

static bool check_operands(tvm_onnx_node *node, tvm_recurrent *op) {
  int64_t d = op->directions, gates = tvm_recurrent_gates(op->kind);
  if (tvm_rank(op->x) != 3 || tvm_rank(op->w) != 3 || tvm_rank(op->r) != 3) {
    tvm_onnx_fail(node, "expects operands X, W and R of rank 3");
    return false;
  }
  op->steps = tvm_dim(op->x, 0);
  op->batch = tvm_dim(op->x, 1);
  op->width = tvm_dim(op->x, 2);
  op->hidden = tvm_dim(op->r, 2);
  int64_t rows = gates * op->hidden;
  int64_t state[] = {d, op->batch, op->hidden};
  int64_t hidden = tvm_onnx_get_int(node, "hidden_size", op->hidden);
  if (hidden != op->hidden) {
    tvm_onnx_fail(node, "attribute 'hidden_size' expects %lld, got %lld",
                  (long long)op->hidden, (long long)hidden);
    return false;
  }
  return check(node, 1, op->w, 3, (int64_t[]){d, rows, op->width}) &&
         check(node, 2, op->r, 3, (int64_t[]){d, rows, op->hidden}) &&
         (tvm_emit_is_null(op->bias) ||
          check(node, 3, op->bias, 2, (int64_t[]){d, 2 * rows})) &&
         (tvm_emit_is_null(op->lengths) ||
          check(node, 4, op->lengths, 1, (int64_t[]){op->batch})) &&
         (tvm_emit_is_null(op->h0) || check(node, 5, op->h0, 3, state)) &&
         (tvm_emit_is_null(op->c0) || check(node, 6, op->c0, 3, state)) &&
         (tvm_emit_is_null(op->peepholes) ||
          check(node, 7, op->peepholes, 2,
                (int64_t[]){d, 3 * op->hidden}));
}

/* Lengths that are all the number of steps mask nothing. */
static bool read_lengths(tvm_onnx_node *node, tvm_recurrent *op) {
  if (tvm_emit_is_null(op->lengths) || !tvm_onnx_is_constant(node, 4))
    return true;
  int64_t n, *lengths;
  if (!tvm_onnx_copy_i64s(node, 4, &n, &lengths))
    return false;
  bool full = true;
  for (int64_t i = 0; i < n; ++i)
    full &= lengths[i] == op->steps;
  free(lengths);
  if (full)
    op->lengths = (MlirValue){NULL};
  return true;
}

static MlirLogicalResult import_recurrent(tvm_onnx_node *node,
                                          tvm_recurrent_kind kind) {
  bool lstm = kind == TVM_RECURRENT_LSTM, batch_first;
  tvm_recurrent op = {.kind = kind};
  if (mlirLogicalResultIsFailure(
          tvm_onnx_expect_operands(node, 3, lstm ? 8 : 6)) ||
      mlirLogicalResultIsFailure(read_attributes(node, &op, &batch_first)))
    return mlirLogicalResultFailure();
  if (op.clip != 0)
    return tvm_onnx_unsupported(node, "attribute 'clip'");
  tvm_builder *b = tvm_onnx_builder(node);
  op.x = tvm_onnx_operand(node, 0);
  op.w = tvm_onnx_operand(node, 1);
  op.r = tvm_onnx_operand(node, 2);
  op.bias = tvm_onnx_operand(node, 3);
  op.lengths = tvm_onnx_operand(node, 4);
  op.h0 = tvm_onnx_operand(node, 5);
  op.c0 = lstm ? tvm_onnx_operand(node, 6) : (MlirValue){NULL};
  op.peepholes = lstm ? tvm_onnx_operand(node, 7) : (MlirValue){NULL};
  if (batch_first) {
    op.x = swap_first(b, op.x);
    op.h0 = swap_first(b, op.h0);
    op.c0 = swap_first(b, op.c0);
  }
  tvm_recurrent_results y;
  if (!check_operands(node, &op) || !read_lengths(node, &op) ||
      !tvm_recurrent_emit(b, &op, &y))
    return mlirLogicalResultFailure();
  if (batch_first) { /* batch, steps, directions, hidden */
    static const int64_t BATCH_FIRST[] = {2, 0, 1, 3};
    y.y = tvm_emit_transpose(b, y.y, BATCH_FIRST);
    y.hn = swap_first(b, y.hn);
    y.cn = swap_first(b, y.cn);
  }
  if (mlirLogicalResultIsFailure(tvm_onnx_set_result(node, 0, y.y)) ||
      mlirLogicalResultIsFailure(tvm_onnx_set_result(node, 1, y.hn)))
    return mlirLogicalResultFailure();
  return lstm ? tvm_onnx_set_result(node, 2, y.cn)
              : mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_onnx_import_lstm(tvm_onnx_node *node) {
  return import_recurrent(node, TVM_RECURRENT_LSTM);
}

MlirLogicalResult tvm_onnx_import_gru(tvm_onnx_node *node) {
  return import_recurrent(node, TVM_RECURRENT_GRU);
}

MlirLogicalResult tvm_onnx_import_rnn(tvm_onnx_node *node) {
  return import_recurrent(node, TVM_RECURRENT_RNN);
}
