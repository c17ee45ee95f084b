/* recurrent.h - LSTM, GRU and RNN unrolled over a static number of steps. */
#ifndef TVM_TARGETS_ONNX_RECURRENT_H
#define TVM_TARGETS_ONNX_RECURRENT_H

#include "emit.h"

typedef enum tvm_recurrent_kind {
  TVM_RECURRENT_RNN,
  TVM_RECURRENT_GRU,
  TVM_RECURRENT_LSTM,
} tvm_recurrent_kind;

enum { TVM_RECURRENT_MAX_ACTIVATIONS = 3 }; /* of one direction */

/* An activation of the table in activation.c. */
typedef struct tvm_activation {
  int32_t function;
  double alpha, beta;
} tvm_activation;

/* Look up `name`; `takes_alpha` and `takes_beta` say which parameters count,
 * `out` has the defaults. Returns false when there is no such function. */
bool tvm_activation_find(const char *name, tvm_activation *out,
                         bool *takes_alpha, bool *takes_beta);
MlirValue tvm_activation_emit(tvm_builder *b, const tvm_activation *a,
                              MlirValue x);

/* The operands in ONNX's layout 0. Absent ones are null. */
typedef struct tvm_recurrent {
  tvm_recurrent_kind kind;
  int64_t steps, batch, width, hidden, directions;
  bool reverse; /* of a single direction */
  bool input_forget;
  bool linear_before_reset;
  double clip; /* 0: none */
  tvm_activation activations[2][TVM_RECURRENT_MAX_ACTIVATIONS];
  MlirValue x;         /* steps, batch, width */
  MlirValue w, r;      /* directions, gates * hidden, width or hidden */
  MlirValue bias;      /* directions, 2 * gates * hidden */
  MlirValue lengths;   /* batch; null when every sequence is full */
  MlirValue h0, c0;    /* directions, batch, hidden */
  MlirValue peepholes; /* directions, 3 * hidden */
} tvm_recurrent;

/* Gates a cell has: 1, 3 or 4. */
int64_t tvm_recurrent_gates(tvm_recurrent_kind kind);

typedef struct tvm_recurrent_results {
  MlirValue y;      /* steps, directions, batch, hidden */
  MlirValue hn, cn; /* directions, batch, hidden */
} tvm_recurrent_results;

/* Emit all steps. Fails: emits, returns false. Source: ONNX LSTM, GRU, RNN. */
bool tvm_recurrent_emit(tvm_builder *b, const tvm_recurrent *op,
                        tvm_recurrent_results *out);

#endif
