/* recurrent_ops.c - LSTM, GRU and RNN: read the node, then recurrent.h.
 *
 * Source: ONNX LSTM, GRU, RNN 7 to 22. */
#include "decompose.h"
#include "recurrent.h"

#include <string.h>

static const char *const DEFAULTS[][TVM_RECURRENT_MAX_ACTIVATIONS] = {
    [TVM_RECURRENT_RNN] = {"Tanh"},
    [TVM_RECURRENT_GRU] = {"Sigmoid", "Tanh"},
    [TVM_RECURRENT_LSTM] = {"Sigmoid", "Tanh", "Tanh"},
};

static tvm_recurrent_kind get_kind(const tvm_onnx_node *node) {
  const char *op_type = tvm_onnx_op_type(node);
  if (strcmp(op_type, "LSTM") == 0)
    return TVM_RECURRENT_LSTM;
  return strcmp(op_type, "GRU") == 0 ? TVM_RECURRENT_GRU : TVM_RECURRENT_RNN;
}

static bool read_activations(tvm_onnx_node *node, tvm_recurrent *op) {
  size_t n = tvm_onnx_get_strings_size(node, "activations");
  size_t n_alpha, n_beta, alpha = 0, beta = 0;
  const float *alphas = tvm_onnx_get_floats(node, "activation_alpha", &n_alpha);
  const float *betas = tvm_onnx_get_floats(node, "activation_beta", &n_beta);
  size_t each = (size_t)op->kind + 1;
  if (n != 0 && n != each * (size_t)op->directions) {
    tvm_onnx_fail(node, "attribute 'activations' expects %zu names, got %zu",
                  each * (size_t)op->directions, n);
    return false;
  }
  for (size_t i = 0; i < each * (size_t)op->directions; ++i) {
    const char *name = n ? tvm_onnx_get_strings(node, "activations", i)
                         : DEFAULTS[op->kind][i % each];
    tvm_activation *a = &op->activations[i / each][i % each];
    bool takes_alpha, takes_beta;
    if (!tvm_activation_find(name, a, &takes_alpha, &takes_beta)) {
      tvm_onnx_unsupported(node, "activation '%s'", name);
      return false;
    }
    if (takes_alpha && alpha < n_alpha)
      a->alpha = alphas[alpha++];
    if (takes_beta && beta < n_beta)
      a->beta = betas[beta++];
  }
  return true;
}

static bool read_attributes(tvm_onnx_node *node, tvm_recurrent *op) {
  static const char *const DIRECTIONS[] = {"forward", "reverse",
                                           "bidirectional"};
  int32_t direction;
  if (!tvm_onnx_get_choice(node, "direction", 0, 3, DIRECTIONS, &direction))
    return false;
  op->directions = direction == 2 ? 2 : 1;
  op->reverse = direction == 1;
  op->clip = tvm_onnx_get_float(node, "clip", 0);
  if (op->kind == TVM_RECURRENT_LSTM)
    op->input_forget = tvm_onnx_get_int(node, "input_forget", 0) != 0;
  if (op->kind == TVM_RECURRENT_GRU)
    op->linear_before_reset =
        tvm_onnx_get_int(node, "linear_before_reset", 0) != 0;
  if (tvm_onnx_opset(node) < 7) /* wanted results tell */
    tvm_onnx_ignore_attr(node, "output_sequence");
  return read_activations(node, op);
}

/* Layout 1 has the batch first. */
static MlirValue swap(tvm_builder *b, MlirValue x, bool batch_first) {
  if (tvm_emit_is_null(x) || !batch_first)
    return x;
  int64_t perm[TVM_EMIT_MAX_RANK] = {1, 0, 2};
  return tvm_emit_transpose(b, x, perm);
}

static bool check_shape(tvm_onnx_node *node, const char *name, MlirValue x,
                        intptr_t rank, const int64_t *dims) {
  if (tvm_emit_is_null(x))
    return true;
  bool ok = tvm_rank(x) == rank;
  for (intptr_t i = 0; ok && i < rank; ++i)
    ok = tvm_dim(x, i) == dims[i];
  if (!ok)
    tvm_onnx_fail(node, "operand '%s' has another shape than its node implies",
                  name);
  return ok;
}

static bool check_operands(tvm_onnx_node *node, const tvm_recurrent *op) {
  int64_t d = op->directions, h = op->hidden;
  int64_t gates = tvm_recurrent_gates(op->kind);
  int64_t w[] = {d, gates * h, op->width}, r[] = {d, gates * h, h};
  int64_t bias[] = {d, 2 * gates * h}, state[] = {d, op->batch, h};
  int64_t peepholes[] = {d, 3 * h};
  return check_shape(node, "W", op->w, 3, w) &&
         check_shape(node, "R", op->r, 3, r) &&
         check_shape(node, "B", op->bias, 2, bias) &&
         check_shape(node, "sequence_lens", op->lengths, 1, &op->batch) &&
         check_shape(node, "initial_h", op->h0, 3, state) &&
         check_shape(node, "initial_c", op->c0, 3, state) &&
         check_shape(node, "P", op->peepholes, 2, peepholes);
}

static bool read_operands(tvm_onnx_node *node, bool batch_first,
                          tvm_recurrent *op) {
  tvm_builder *b = tvm_onnx_builder(node);
  bool lstm = op->kind == TVM_RECURRENT_LSTM;
  if (mlirLogicalResultIsFailure(
          tvm_onnx_expect_operands(node, 3, lstm ? 8 : 6)))
    return false;
  MlirValue x = tvm_onnx_operand(node, 0);
  op->w = tvm_onnx_operand(node, 1);
  op->r = tvm_onnx_operand(node, 2);
  if (tvm_rank(x) != 3 || tvm_rank(op->r) != 3) {
    tvm_onnx_fail(node, "expects X and R of rank 3, got %lld and %lld",
                  (long long)tvm_rank(x), (long long)tvm_rank(op->r));
    return false;
  }
  op->x = swap(b, x, batch_first);
  op->steps = tvm_dim(op->x, 0);
  op->batch = tvm_dim(op->x, 1);
  op->width = tvm_dim(op->x, 2);
  op->hidden = tvm_dim(op->r, 2);
  op->bias = tvm_onnx_operand(node, 3);
  op->lengths = tvm_onnx_operand(node, 4);
  op->h0 = swap(b, tvm_onnx_operand(node, 5), batch_first);
  if (lstm) {
    op->c0 = swap(b, tvm_onnx_operand(node, 6), batch_first);
    op->peepholes = tvm_onnx_operand(node, 7);
  }
  int64_t hidden = tvm_onnx_get_int(node, "hidden_size", op->hidden);
  if (hidden != op->hidden) {
    tvm_onnx_fail(node, "attribute 'hidden_size' = %lld, but R has %lld",
                  (long long)hidden, (long long)op->hidden);
    return false;
  }
  return check_operands(node, op);
}

static MlirLogicalResult set_results(tvm_onnx_node *node, bool batch_first,
                                     const tvm_recurrent *op,
                                     const tvm_recurrent_results *results) {
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue y = results->y;
  if (batch_first)
    y = tvm_emit_transpose(b, y, (int64_t[]){2, 0, 1, 3});
  MlirValue values[] = {y, swap(b, results->hn, batch_first),
                        swap(b, results->cn, batch_first)};
  intptr_t n = op->kind == TVM_RECURRENT_LSTM ? 3 : 2;
  for (intptr_t i = 0; i < n; ++i)
    if (tvm_onnx_has_result(node, i) &&
        mlirLogicalResultIsFailure(tvm_onnx_set_result(node, i, values[i])))
      return mlirLogicalResultFailure();
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_onnx_import_recurrent(tvm_onnx_node *node) {
  tvm_recurrent op = {.kind = get_kind(node)};
  tvm_recurrent_results results;
  bool batch_first =
      tvm_onnx_opset(node) >= 14 && tvm_onnx_get_int(node, "layout", 0) != 0;
  if (!read_attributes(node, &op) || !read_operands(node, batch_first, &op) ||
      !tvm_recurrent_emit(tvm_onnx_builder(node), &op, &results))
    return mlirLogicalResultFailure();
  return set_results(node, batch_first, &op, &results);
}
