/* recurrent.c - LSTM, GRU and RNN unrolled over a static number of steps.
 *
 * The product of the input with W does not depend on the state: one matrix
 * product makes it for all steps before the first. Sequences that are shorter
 * than the number of steps keep their state under a mask and give zeros. */
#include "recurrent.h"

#include <stdlib.h>

int64_t tvm_recurrent_gates(tvm_recurrent_kind kind) {
  switch (kind) {
  case TVM_RECURRENT_RNN:
    return 1;
  case TVM_RECURRENT_GRU:
    return 3;
  case TVM_RECURRENT_LSTM:
    return 4;
  }
  return 0;
}

/* One direction. Matrices are transposed: the state multiplies from the left.
 */
typedef struct direction {
  tvm_builder *b;
  const tvm_recurrent *op;
  const tvm_activation *activations;
  MlirValue inputs;  /* steps, batch, gates * hidden: x W^T + bias */
  MlirValue r;       /* hidden, gates * hidden */
  MlirValue r_gates; /* GRU alone: the columns of z and r */
  MlirValue r_cell;  /* GRU alone: the columns of h */
  MlirValue r_bias;  /* GRU with linear_before_reset alone: hidden */
  MlirValue peephole[3];
} direction;

static MlirValue transpose_matrix(tvm_builder *b, MlirValue x) {
  return tvm_emit_transpose(b, x, (int64_t[]){1, 0});
}

static MlirValue add(tvm_builder *b, MlirValue x, MlirValue y) {
  return tvm_emit_binary(b, "add", x, y);
}

static MlirValue multiply(tvm_builder *b, MlirValue x, MlirValue y) {
  return tvm_emit_binary(b, "mul", x, y);
}

/* Columns [i * hidden, (i + n) * hidden) of a matrix. */
static MlirValue get_gates(const direction *d, MlirValue z, int64_t i,
                           int64_t n) {
  int64_t hidden = d->op->hidden;
  return tvm_emit_slice(d->b, z, 1, i * hidden, n * hidden);
}

static MlirValue activate(const direction *d, int32_t i, MlirValue x) {
  double clip = d->op->clip;
  if (clip > 0) {
    x = tvm_emit_with(d->b, "max", x, -clip);
    x = tvm_emit_with(d->b, "min", x, clip);
  }
  return tvm_activation_emit(d->b, &d->activations[i], x);
}

static MlirValue complement(tvm_builder *b, MlirValue x) {
  if (tvm_emit_is_null(x))
    return x;
  MlirValue one = tvm_emit_scalar(b, tvm_element_type(x), 1);
  return tvm_emit_binary(b, "sub", one, x);
}

static MlirValue step_rnn(const direction *d, MlirValue input, MlirValue h) {
  MlirValue z = tvm_emit_binary(d->b, "matmul", h, d->r);
  return activate(d, 0, add(d->b, input, z));
}

static MlirValue step_gru(const direction *d, MlirValue input, MlirValue h) {
  tvm_builder *b = d->b;
  bool linear = d->op->linear_before_reset;
  MlirValue state, gates;
  if (linear) {
    state = tvm_emit_binary(b, "matmul", h, d->r);
    gates = get_gates(d, state, 0, 2);
  } else {
    gates = tvm_emit_binary(b, "matmul", h, d->r_gates);
  }
  gates = activate(d, 0, add(b, get_gates(d, input, 0, 2), gates));
  MlirValue z = get_gates(d, gates, 0, 1), r = get_gates(d, gates, 1, 1);
  MlirValue cell;
  if (linear) {
    cell = get_gates(d, state, 2, 1);
    if (!tvm_emit_is_null(d->r_bias))
      cell = add(b, cell, d->r_bias);
    cell = multiply(b, r, cell);
  } else {
    cell = tvm_emit_binary(b, "matmul", multiply(b, r, h), d->r_cell);
  }
  cell = activate(d, 1, add(b, get_gates(d, input, 2, 1), cell));
  MlirValue kept = multiply(b, z, h);
  return add(b, multiply(b, complement(b, z), cell), kept);
}

static MlirValue add_peephole(const direction *d, int32_t i, MlirValue gate,
                              MlirValue c) {
  if (tvm_emit_is_null(d->peephole[i]))
    return gate;
  return add(d->b, gate, multiply(d->b, d->peephole[i], c));
}

/* Gates and peepholes come in the order i, o, f (, c). */
static MlirValue step_lstm(const direction *d, MlirValue input, MlirValue h,
                           MlirValue *c) {
  tvm_builder *b = d->b;
  MlirValue z = add(b, input, tvm_emit_binary(b, "matmul", h, d->r));
  MlirValue i = add_peephole(d, 0, get_gates(d, z, 0, 1), *c);
  i = activate(d, 0, i);
  MlirValue f;
  if (d->op->input_forget) {
    f = complement(b, i);
  } else {
    f = add_peephole(d, 2, get_gates(d, z, 2, 1), *c);
    f = activate(d, 0, f);
  }
  MlirValue g = activate(d, 1, get_gates(d, z, 3, 1));
  *c = add(b, multiply(b, f, *c), multiply(b, i, g));
  MlirValue o = add_peephole(d, 1, get_gates(d, z, 1, 1), *c);
  o = activate(d, 0, o);
  return multiply(b, o, activate(d, 2, *c));
}

/* batch, 1: whether sequence n has step t. */
static MlirValue get_mask(const direction *d, int64_t t) {
  tvm_builder *b = d->b;
  MlirValue lengths = tvm_emit_cast(b, d->op->lengths, tvm_emit_i64(b));
  lengths = tvm_emit_unsqueeze(b, lengths, 1);
  MlirValue step = tvm_emit_i64s(b, &(tvm_emit_shape){0}, &t);
  return tvm_emit_binary(b, "less", step, lengths);
}

static MlirValue mask_step(const direction *d, MlirValue mask, MlirValue new,
                           MlirValue old, MlirValue *y) {
  MlirValue zero = tvm_emit_scalar(d->b, tvm_element_type(old), 0);
  *y = tvm_emit_select(d->b, mask, new, zero);
  return tvm_emit_select(d->b, mask, new, old);
}

/* Writes y of every step into ys. */
static void emit_steps(const direction *d, bool reverse, MlirValue *ys,
                       MlirValue *h, MlirValue *c) {
  const tvm_recurrent *op = d->op;
  for (int64_t i = 0; i < op->steps; ++i) {
    int64_t t = reverse ? op->steps - 1 - i : i;
    MlirValue input = tvm_emit_pick(d->b, d->inputs, 0, t);
    MlirValue next_c = *c, next_h;
    if (op->kind == TVM_RECURRENT_LSTM)
      next_h = step_lstm(d, input, *h, &next_c);
    else if (op->kind == TVM_RECURRENT_GRU)
      next_h = step_gru(d, input, *h);
    else
      next_h = step_rnn(d, input, *h);
    ys[t] = next_h;
    if (!tvm_emit_is_null(op->lengths) && !tvm_emit_is_null(next_h)) {
      MlirValue mask = get_mask(d, t), unused;
      next_h = mask_step(d, mask, next_h, *h, &ys[t]);
      if (op->kind == TVM_RECURRENT_LSTM)
        next_c = mask_step(d, mask, next_c, *c, &unused);
    }
    *h = next_h;
    *c = next_c;
    if (tvm_emit_is_null(next_h))
      return;
  }
}

/* The bias that joins the input product: Wb + Rb, except that Rb of the GRU's
 * cell stays apart when the reset gate multiplies it. */
static MlirValue get_bias(direction *d, MlirValue bias) {
  tvm_builder *b = d->b;
  const tvm_recurrent *op = d->op;
  int64_t n = tvm_recurrent_gates(op->kind) * op->hidden;
  MlirValue wb = tvm_emit_slice(b, bias, 0, 0, n);
  if (op->kind != TVM_RECURRENT_GRU || !op->linear_before_reset)
    return add(b, wb, tvm_emit_slice(b, bias, 0, n, n));
  int64_t gates = 2 * op->hidden;
  d->r_bias = tvm_emit_slice(b, bias, 0, n + gates, op->hidden);
  MlirValue parts[2] = {
      add(b, tvm_emit_slice(b, wb, 0, 0, gates),
          tvm_emit_slice(b, bias, 0, n, gates)),
      tvm_emit_slice(b, wb, 0, gates, op->hidden),
  };
  return tvm_emit_concat(b, 2, parts, 0);
}

static void init_direction(direction *d, int64_t index) {
  tvm_builder *b = d->b;
  const tvm_recurrent *op = d->op;
  int64_t columns = tvm_recurrent_gates(op->kind) * op->hidden;
  MlirValue w = transpose_matrix(b, tvm_emit_pick(b, op->w, 0, index));
  MlirValue x = tvm_emit_reshape_to(
      b, op->x, 2, (int64_t[]){op->steps * op->batch, op->width});
  MlirValue inputs = tvm_emit_binary(b, "matmul", x, w);
  if (!tvm_emit_is_null(op->bias))
    inputs = add(b, inputs, get_bias(d, tvm_emit_pick(b, op->bias, 0, index)));
  d->inputs = tvm_emit_reshape_to(b, inputs, 3,
                                  (int64_t[]){op->steps, op->batch, columns});
  d->r = transpose_matrix(b, tvm_emit_pick(b, op->r, 0, index));
  if (op->kind == TVM_RECURRENT_GRU && !op->linear_before_reset) {
    d->r_gates = get_gates(d, d->r, 0, 2);
    d->r_cell = get_gates(d, d->r, 2, 1);
  }
  if (tvm_emit_is_null(op->peepholes))
    return;
  MlirValue p = tvm_emit_pick(b, op->peepholes, 0, index);
  for (int32_t i = 0; i < 3; ++i)
    d->peephole[i] = tvm_emit_slice(b, p, 0, i * op->hidden, op->hidden);
}

static MlirValue get_state(tvm_builder *b, const tvm_recurrent *op,
                           MlirValue initial, int64_t index) {
  if (!tvm_emit_is_null(initial))
    return tvm_emit_pick(b, initial, 0, index);
  MlirType type = tvm_tensor_type(2, (int64_t[]){op->batch, op->hidden},
                                  tvm_element_type(op->x));
  return tvm_build_splat(b, type, 0);
}

static MlirValue emit_direction(tvm_builder *b, const tvm_recurrent *op,
                                int64_t index, MlirValue *ys, MlirValue *h,
                                MlirValue *c) {
  direction d = {.b = b, .op = op, .activations = op->activations[index]};
  *h = get_state(b, op, op->h0, index);
  *c = get_state(b, op, op->c0, index);
  if (op->steps == 0) {
    int64_t shape[] = {0, op->batch, op->hidden};
    return tvm_build_splat(
        b, tvm_tensor_type(3, shape, tvm_element_type(op->x)), 0);
  }
  init_direction(&d, index);
  emit_steps(&d, op->directions == 2 ? index == 1 : op->reverse, ys, h, c);
  if (tvm_emit_is_null(*h))
    return *h;
  return tvm_emit_stack(b, op->steps, ys, 0);
}

bool tvm_recurrent_emit(tvm_builder *b, const tvm_recurrent *op,
                        tvm_recurrent_results *out) {
  MlirValue *ys = calloc((size_t)op->steps + 1, sizeof *ys);
  MlirValue y[2] = {{NULL}, {NULL}}, h[2], c[2];
  bool ok = ys != NULL;
  if (!ok)
    tvm_emit_error(b->location, "out of memory");
  for (int64_t i = 0; ok && i < op->directions; ++i) {
    y[i] = emit_direction(b, op, i, ys, &h[i], &c[i]);
    ok = !tvm_emit_is_null(y[i]);
  }
  free(ys);
  if (!ok)
    return false;
  out->y = tvm_emit_stack(b, op->directions, y, 1);
  out->hn = tvm_emit_stack(b, op->directions, h, 0);
  out->cn = tvm_emit_stack(b, op->directions, c, 0);
  return !tvm_emit_is_null(out->y) && !tvm_emit_is_null(out->hn);
}
