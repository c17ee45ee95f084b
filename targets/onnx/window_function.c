/* window_function.c - HannWindow, HammingWindow, BlackmanWindow and
 * MelWeightMatrix: tables that are known at import.
 *
 * Source: ONNX 17. */
#include "decompose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Coefficients of the cosines of 0, 1 and 2 turns. */
static const double *get_coefficients(const char *op_type) {
  static const double HANN[] = {0.5, -0.5, 0}, BLACKMAN[] = {0.42, -0.5, 0.08},
                      HAMMING[] = {25.0 / 46, -21.0 / 46, 0};
  if (strcmp(op_type, "HannWindow") == 0)
    return HANN;
  return strcmp(op_type, "HammingWindow") == 0 ? HAMMING : BLACKMAN;
}

static MlirValue build_table(tvm_onnx_node *node, MlirType type,
                             const tvm_emit_shape *shape,
                             const double *values) {
  tvm_builder *b = tvm_onnx_builder(node);
  MlirType f64 = mlirF64TypeGet(b->context);
  return tvm_emit_cast(b, tvm_emit_doubles(b, f64, shape, values), type);
}

static bool read_size(tvm_onnx_node *node, intptr_t operand, int64_t *size) {
  if (!tvm_onnx_read_i64(node, operand, size))
    return false;
  if (*size >= 0 && *size <= INT32_MAX)
    return true;
  tvm_onnx_fail(node, "operand %lld = %lld is not a size", (long long)operand,
                (long long)*size);
  return false;
}

MlirLogicalResult tvm_onnx_import_window_function(tvm_onnx_node *node) {
  MlirLogicalResult failure = mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return failure;
  int64_t size;
  bool periodic = tvm_onnx_get_int(node, "periodic", 1) != 0;
  MlirType type =
      tvm_onnx_element_type(node, tvm_onnx_get_int(node, "output_datatype", 1));
  if (mlirTypeIsNull(type) || !read_size(node, 0, &size))
    return failure;
  double *values = malloc((size_t)size * sizeof *values + 1);
  if (!values)
    return tvm_onnx_fail(node, "out of memory");
  const double *c = get_coefficients(tvm_onnx_op_type(node));
  double period = (double)(periodic ? size : size - 1);
  for (int64_t i = 0; i < size; ++i) {
    double turn = period > 0 ? 2 * PI * (double)i / period : PI;
    values[i] = c[0] + c[1] * cos(turn) + c[2] * cos(2 * turn);
  }
  tvm_emit_shape shape = {.rank = 1, .dims = {size}};
  MlirValue y = build_table(node, type, &shape, values);
  free(values);
  return tvm_onnx_set_result(node, 0, y);
}

/* ---- MelWeightMatrix ---- */

typedef struct mel_bank {
  int64_t bins, rows, length, rate;
  double low, high; /* in mel */
} mel_bank;

/* The spectrogram row of edge i. */
static int64_t get_edge(const mel_bank *m, int64_t i) {
  double step = (m->high - m->low) / (double)(m->bins + 2);
  double hertz = 700 * (pow(10, ((double)i * step + m->low) / 2595) - 1);
  double row = floor((double)(m->length + 1) * hertz / (double)m->rate);
  return row < 0 ? 0 : row >= (double)m->rows ? m->rows - 1 : (int64_t)row;
}

/* A triangle over the rows of three neighbouring edges. */
static void fill_bin(const mel_bank *m, int64_t i, double *values) {
  int64_t low = get_edge(m, i), center = get_edge(m, i + 1),
          high = get_edge(m, i + 2);
  if (low == center)
    values[center * m->bins + i] = 1;
  else
    for (int64_t j = low; j <= center; ++j)
      values[j * m->bins + i] = (double)(j - low) / (double)(center - low);
  for (int64_t j = center; j < high; ++j)
    values[j * m->bins + i] = (double)(high - j) / (double)(high - center);
}

static double get_mel(double hertz) { return 2595 * log10(1 + hertz / 700); }

MlirLogicalResult tvm_onnx_import_mel_weight_matrix(tvm_onnx_node *node) {
  MlirLogicalResult failure = mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 5, 5)))
    return failure;
  mel_bank m;
  double low, high;
  MlirType type =
      tvm_onnx_element_type(node, tvm_onnx_get_int(node, "output_datatype", 1));
  if (mlirTypeIsNull(type) || !read_size(node, 0, &m.bins) ||
      !read_size(node, 1, &m.length) || !read_size(node, 2, &m.rate) ||
      !tvm_onnx_read_double(node, 3, &low) ||
      !tvm_onnx_read_double(node, 4, &high))
    return failure;
  if (m.rate == 0)
    return tvm_onnx_fail(node, "the sample rate is zero");
  m.low = get_mel(low);
  m.high = get_mel(high);
  m.rows = m.length / 2 + 1;
  double *values = calloc((size_t)(m.rows * m.bins) + 1, sizeof *values);
  if (!values)
    return tvm_onnx_fail(node, "out of memory");
  for (int64_t i = 0; i < m.bins; ++i)
    fill_bin(&m, i, values);
  tvm_emit_shape shape = {.rank = 2, .dims = {m.rows, m.bins}};
  MlirValue y = build_table(node, type, &shape, values);
  free(values);
  return tvm_onnx_set_result(node, 0, y);
}
