/* activation.c - the activation functions that recurrent operators name. */
#include "recurrent.h"

#include <string.h>

typedef MlirValue (*activation_fn)(tvm_builder *b, MlirValue x, double alpha,
                                   double beta);

static MlirValue emit_sigmoid(tvm_builder *b, MlirValue x, double alpha,
                              double beta) {
  (void)alpha, (void)beta;
  return tvm_emit_unary(b, "sigmoid", x);
}

static MlirValue emit_tanh(tvm_builder *b, MlirValue x, double alpha,
                           double beta) {
  (void)alpha, (void)beta;
  return tvm_emit_unary(b, "tanh", x);
}

static MlirValue emit_relu(tvm_builder *b, MlirValue x, double alpha,
                           double beta) {
  (void)alpha, (void)beta;
  return tvm_emit_unary(b, "relu", x);
}

static MlirValue emit_affine(tvm_builder *b, MlirValue x, double alpha,
                             double beta) {
  return tvm_emit_with(b, "add", tvm_emit_with(b, "mul", x, alpha), beta);
}

static MlirValue select_negative(tvm_builder *b, MlirValue x, MlirValue y) {
  MlirValue negative = tvm_emit_with(b, "less", x, 0);
  return tvm_emit_select(b, negative, y, x);
}

static MlirValue emit_leaky_relu(tvm_builder *b, MlirValue x, double alpha,
                                 double beta) {
  (void)beta;
  return select_negative(b, x, tvm_emit_with(b, "mul", x, alpha));
}

static MlirValue emit_thresholded_relu(tvm_builder *b, MlirValue x,
                                       double alpha, double beta) {
  (void)beta;
  MlirValue limit = tvm_emit_scalar(b, tvm_element_type(x), alpha);
  MlirValue zero = tvm_emit_scalar(b, tvm_element_type(x), 0);
  MlirValue kept = tvm_emit_binary(b, "less_equal", limit, x);
  return tvm_emit_select(b, kept, x, zero);
}

static MlirValue emit_scaled_tanh(tvm_builder *b, MlirValue x, double alpha,
                                  double beta) {
  MlirValue y = tvm_emit_unary(b, "tanh", tvm_emit_with(b, "mul", x, beta));
  return tvm_emit_with(b, "mul", y, alpha);
}

static MlirValue emit_hard_sigmoid(tvm_builder *b, MlirValue x, double alpha,
                                   double beta) {
  MlirValue y = emit_affine(b, x, alpha, beta);
  return tvm_emit_with(b, "min", tvm_emit_with(b, "max", y, 0), 1);
}

static MlirValue emit_elu(tvm_builder *b, MlirValue x, double alpha,
                          double beta) {
  (void)beta;
  MlirValue y = tvm_emit_unary(b, "expm1", x);
  return select_negative(b, x, tvm_emit_with(b, "mul", y, alpha));
}

static MlirValue emit_softsign(tvm_builder *b, MlirValue x, double alpha,
                               double beta) {
  (void)alpha, (void)beta;
  MlirValue y = tvm_emit_with(b, "add", tvm_emit_unary(b, "abs", x), 1);
  return tvm_emit_binary(b, "div", x, y);
}

/* max(x, 0) + log(1 + exp(-|x|)), which cannot overflow. */
static MlirValue emit_softplus(tvm_builder *b, MlirValue x, double alpha,
                               double beta) {
  (void)alpha, (void)beta;
  MlirValue y = tvm_emit_unary(b, "neg", tvm_emit_unary(b, "abs", x));
  y = tvm_emit_unary(b, "log1p", tvm_emit_unary(b, "exp", y));
  return tvm_emit_binary(b, "add", tvm_emit_unary(b, "relu", x), y);
}

static const struct {
  const char *name;
  activation_fn emit;
  bool takes_alpha, takes_beta;
  double alpha, beta;
} FUNCTIONS[] = {
    {"Relu", emit_relu, false, false, 0, 0},
    {"Tanh", emit_tanh, false, false, 0, 0},
    {"Sigmoid", emit_sigmoid, false, false, 0, 0},
    {"Affine", emit_affine, true, true, 1, 0},
    {"LeakyRelu", emit_leaky_relu, true, false, 0.01, 0},
    {"ThresholdedRelu", emit_thresholded_relu, true, false, 1, 0},
    {"ScaledTanh", emit_scaled_tanh, true, true, 1, 1},
    {"HardSigmoid", emit_hard_sigmoid, true, true, 0.2, 0.5},
    {"Elu", emit_elu, true, false, 1, 0},
    {"Softsign", emit_softsign, false, false, 0, 0},
    {"Softplus", emit_softplus, false, false, 0, 0},
};

bool tvm_activation_find(const char *name, tvm_activation *out,
                         bool *takes_alpha, bool *takes_beta) {
  for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; ++i) {
    if (strcmp(FUNCTIONS[i].name, name) != 0)
      continue;
    *out = (tvm_activation){(int32_t)i, FUNCTIONS[i].alpha, FUNCTIONS[i].beta};
    *takes_alpha = FUNCTIONS[i].takes_alpha;
    *takes_beta = FUNCTIONS[i].takes_beta;
    return true;
  }
  return false;
}

MlirValue tvm_activation_emit(tvm_builder *b, const tvm_activation *a,
                              MlirValue x) {
  if (tvm_emit_is_null(x))
    return x;
  return FUNCTIONS[a->function].emit(b, x, a->alpha, a->beta);
}
