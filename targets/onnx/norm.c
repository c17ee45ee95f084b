/* norm.c - normalizations as means, products and square roots.
 *
 * Source: ONNX BatchNormalization 7 to 15, InstanceNormalization 6,
 * LayerNormalization 17, GroupNormalization 18 and 21, LpNormalization 1,
 * MeanVarianceNormalization 9, LRN 1, RMSNormalization 23. */
#include "decompose.h"

#include <string.h>

static MlirLogicalResult failure(void) { return mlirLogicalResultFailure(); }

static MlirValue mul(tvm_builder *b, MlirValue x, MlirValue y) {
  return tvm_emit_binary(b, "mul", x, y);
}

static MlirValue add(tvm_builder *b, MlirValue x, MlirValue y) {
  return tvm_emit_binary(b, "add", x, y);
}

static MlirValue sub(tvm_builder *b, MlirValue x, MlirValue y) {
  return tvm_emit_binary(b, "sub", x, y);
}

/* 1 / sqrt(x + epsilon). */
static MlirValue invert_root(tvm_builder *b, MlirValue x, double epsilon) {
  if (tvm_emit_is_null(x))
    return x;
  MlirValue root =
      tvm_emit_unary(b, "sqrt", tvm_emit_with(b, "add", x, epsilon));
  MlirValue one = tvm_emit_scalar(b, tvm_element_type(x), 1);
  return tvm_emit_binary(b, "div", one, root);
}

typedef struct moments {
  MlirValue mean, centered, variance;
} moments;

/* Over `axes`, which stay as extents of one. */
static moments get_moments(tvm_builder *b, MlirValue x, intptr_t n,
                           const int64_t *axes) {
  moments m;
  m.mean = tvm_emit_mean(b, x, n, axes, true);
  m.centered = sub(b, x, m.mean);
  m.variance = tvm_emit_mean(b, mul(b, m.centered, m.centered), n, axes, true);
  return m;
}

/* Axes [from, to) into `axes`; their number. */
static intptr_t fill_axes(intptr_t from, intptr_t to, int64_t *axes) {
  for (intptr_t i = from; i < to; ++i)
    axes[i - from] = i;
  return to > from ? to - from : 0;
}

static bool expect_rank(tvm_onnx_node *node, MlirValue x, intptr_t low) {
  int64_t rank = tvm_rank(x);
  if (rank >= low && rank < TVM_EMIT_MAX_RANK)
    return true;
  tvm_onnx_fail(node, "expects an input of rank %lld at least, got rank %lld",
                (long long)low, (long long)rank);
  return false;
}

/* ---- BatchNormalization ---- */

/* A statistic in the shape that broadcasts against x. Opset 7 may have one
 * value an activation instead of one a channel. */
static MlirValue along_channels(tvm_builder *b, MlirValue v, intptr_t rank) {
  if (tvm_emit_is_null(v))
    return v;
  tvm_emit_shape s = tvm_emit_get_shape(v), to = {.rank = rank};
  for (intptr_t i = 0; i < rank; ++i)
    to.dims[i] = i >= 1 && i <= s.rank ? s.dims[i - 1] : 1;
  return tvm_emit_reshape(b, v, &to);
}

/* Population statistics of the batch instead of the running ones, which get
 * their share of them. */
static MlirLogicalResult train(tvm_onnx_node *node, MlirValue x,
                               double momentum, MlirValue *mean,
                               MlirValue *variance) {
  tvm_builder *b = tvm_onnx_builder(node);
  int64_t axes[TVM_EMIT_MAX_RANK] = {0};
  intptr_t n = 1 + fill_axes(2, (intptr_t)tvm_rank(x), axes + 1);
  moments m = get_moments(b, x, n, axes);
  MlirValue running[2] = {*mean, *variance}, *now[2] = {mean, variance};
  MlirValue batch[2] = {m.mean, m.variance};
  for (int i = 0; i < 2; ++i) {
    MlirValue fresh =
        tvm_emit_reshape_to(b, batch[i], 1, (int64_t[]){tvm_dim(x, 1)});
    *now[i] = fresh = tvm_emit_cast(b, fresh, tvm_element_type(running[i]));
    MlirValue y = add(b, tvm_emit_with(b, "mul", running[i], momentum),
                      tvm_emit_with(b, "mul", fresh, 1 - momentum));
    if (tvm_onnx_has_result(node, i + 1) &&
        mlirLogicalResultIsFailure(tvm_onnx_set_result(node, i + 1, y)))
      return failure();
  }
  return mlirLogicalResultSuccess();
}

static bool check_statistics(tvm_onnx_node *node, MlirValue x) {
  for (intptr_t i = 1; i < 5; ++i) {
    MlirValue v = tvm_onnx_operand(node, i);
    if (tvm_rank(v) >= 1 && tvm_rank(v) < tvm_rank(x) &&
        tvm_dim(v, 0) == tvm_dim(x, 1))
      continue;
    tvm_onnx_fail(node,
                  "expects operand %lld with an element for each of %lld "
                  "channels",
                  (long long)i, (long long)tvm_dim(x, 1));
    return false;
  }
  return true;
}

MlirLogicalResult tvm_onnx_import_batch_normalization(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 5, 5)))
    return failure();
  tvm_builder *b = tvm_onnx_builder(node);
  double epsilon = tvm_onnx_get_float(node, "epsilon", 1e-5f);
  double momentum = tvm_onnx_get_float(node, "momentum", 0.9f);
  int64_t opset = tvm_onnx_opset(node);
  bool training = opset >= 14 && tvm_onnx_get_int(node, "training_mode", 0);
  if (opset < 7)
    training = !tvm_onnx_get_int(node, "is_test", 0);
  if (opset < 9)
    tvm_onnx_get_int(node, "spatial", 1);
  if (opset < 7)
    tvm_onnx_ignore_attr(node, "consumed_inputs");
  MlirValue x = tvm_onnx_operand(node, 0), scale = tvm_onnx_operand(node, 1),
            bias = tvm_onnx_operand(node, 2), mean = tvm_onnx_operand(node, 3),
            variance = tvm_onnx_operand(node, 4);
  if (!expect_rank(node, x, 2) || !check_statistics(node, x))
    return failure();
  if (opset < 14 && (training || tvm_onnx_has_result(node, 1)))
    return tvm_onnx_unsupported(node, "training before opset 14");
  if (training &&
      mlirLogicalResultIsFailure(train(node, x, momentum, &mean, &variance)))
    return failure();
  MlirType type = tvm_element_type(x), wide = tvm_element_type(variance);
  intptr_t rank = (intptr_t)tvm_rank(x);
  MlirValue factor =
      mul(b, tvm_emit_cast(b, scale, wide), invert_root(b, variance, epsilon));
  MlirValue shift = sub(b, tvm_emit_cast(b, bias, wide), mul(b, mean, factor));
  factor = along_channels(b, tvm_emit_cast(b, factor, type), rank);
  shift = along_channels(b, tvm_emit_cast(b, shift, type), rank);
  return tvm_onnx_set_result(node, 0, add(b, mul(b, x, factor), shift));
}

/* ---- InstanceNormalization ---- */

MlirLogicalResult tvm_onnx_import_instance_normalization(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 3, 3)))
    return failure();
  tvm_builder *b = tvm_onnx_builder(node);
  double epsilon = tvm_onnx_get_float(node, "epsilon", 1e-5f);
  if (tvm_onnx_opset(node) < 6)
    tvm_onnx_ignore_attr(node, "consumed_inputs");
  MlirValue x = tvm_onnx_operand(node, 0);
  if (!expect_rank(node, x, 3))
    return failure();
  intptr_t rank = (intptr_t)tvm_rank(x);
  int64_t axes[TVM_EMIT_MAX_RANK];
  moments m = get_moments(b, x, fill_axes(2, rank, axes), axes);
  MlirValue y = mul(b, m.centered, invert_root(b, m.variance, epsilon));
  y = mul(b, y, along_channels(b, tvm_onnx_operand(node, 1), rank));
  y = add(b, y, along_channels(b, tvm_onnx_operand(node, 2), rank));
  return tvm_onnx_set_result(node, 0, y);
}

/* ---- LayerNormalization, RMSNormalization ---- */

/* The type of the first stage: f32 for narrower floats if stash_type asks. */
static bool get_stash_type(tvm_onnx_node *node, MlirValue x, MlirType *type) {
  int64_t code = tvm_onnx_get_int(node, "stash_type", 1);
  *type = tvm_onnx_element_type(node, code);
  if (mlirTypeIsNull(*type))
    return false;
  if (mlirTypeIsAF64(tvm_element_type(x)))
    *type = tvm_element_type(x);
  return true;
}

static MlirLogicalResult set_if_wanted(tvm_onnx_node *node, intptr_t i,
                                       MlirValue v) {
  if (!tvm_onnx_has_result(node, i))
    return mlirLogicalResultSuccess();
  return tvm_onnx_set_result(node, i, v);
}

/* What graph.normalize computes in. */
static bool is_wide(MlirType stash) {
  return mlirTypeIsAF32(stash) || mlirTypeIsAF64(stash);
}

MlirLogicalResult tvm_onnx_import_layer_normalization(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 3)))
    return failure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0), bias = tvm_onnx_operand(node, 2);
  double epsilon = tvm_onnx_get_float(node, "epsilon", 1e-5f);
  MlirType type = tvm_element_type(x), stash;
  int64_t axis, axes[TVM_EMIT_MAX_RANK];
  if (!expect_rank(node, x, 1) || !get_stash_type(node, x, &stash) ||
      !tvm_onnx_get_axis(node, "axis", -1, tvm_rank(x), &axis))
    return failure();
  MlirValue wide = tvm_emit_cast(b, x, stash), y;
  if (is_wide(stash) && !tvm_onnx_has_result(node, 1) &&
      !tvm_onnx_has_result(node, 2)) {
    y = tvm_emit_normalize(b, wide, axis, epsilon, true);
  } else {
    intptr_t n = fill_axes((intptr_t)axis, (intptr_t)tvm_rank(x), axes);
    moments m = get_moments(b, wide, n, axes);
    MlirValue inverse = invert_root(b, m.variance, epsilon);
    y = mul(b, m.centered, inverse);
    if (mlirLogicalResultIsFailure(set_if_wanted(node, 1, m.mean)) ||
        mlirLogicalResultIsFailure(set_if_wanted(node, 2, inverse)))
      return failure();
  }
  y = mul(b, tvm_emit_cast(b, y, type), tvm_onnx_operand(node, 1));
  if (!tvm_emit_is_null(bias))
    y = add(b, y, bias);
  return tvm_onnx_set_result(node, 0, y);
}

MlirLogicalResult tvm_onnx_import_rms_normalization(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 2)))
    return failure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  double epsilon = tvm_onnx_get_float(node, "epsilon", 1e-5f);
  MlirType type = tvm_element_type(x), stash;
  int64_t axis, axes[TVM_EMIT_MAX_RANK];
  if (!expect_rank(node, x, 1) || !get_stash_type(node, x, &stash) ||
      !tvm_onnx_get_axis(node, "axis", -1, tvm_rank(x), &axis))
    return failure();
  intptr_t n = fill_axes((intptr_t)axis, (intptr_t)tvm_rank(x), axes);
  MlirValue wide = tvm_emit_cast(b, x, stash);
  MlirValue y;
  if (is_wide(stash)) {
    y = tvm_emit_normalize(b, wide, axis, epsilon, false);
  } else {
    MlirValue square = tvm_emit_mean(b, mul(b, wide, wide), n, axes, true);
    y = mul(b, wide, invert_root(b, square, epsilon));
  }
  y = tvm_emit_cast(b, y, type);
  return tvm_onnx_set_result(node, 0, mul(b, y, tvm_onnx_operand(node, 1)));
}

/* ---- GroupNormalization ---- */

MlirLogicalResult tvm_onnx_import_group_normalization(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 3, 3)))
    return failure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0), scale = tvm_onnx_operand(node, 1),
            bias = tvm_onnx_operand(node, 2);
  double epsilon = tvm_onnx_get_float(node, "epsilon", 1e-5f);
  int64_t groups = tvm_onnx_get_int(node, "num_groups", 0);
  MlirType type = tvm_element_type(x), stash = type;
  if (!expect_rank(node, x, 2) ||
      (tvm_onnx_opset(node) >= 21 && !get_stash_type(node, x, &stash)))
    return failure();
  tvm_emit_shape s = tvm_emit_get_shape(x);
  if (groups < 1 || s.dims[1] % groups)
    return tvm_onnx_fail(node,
                         "attribute 'num_groups' = %lld does not divide %lld "
                         "channels",
                         (long long)groups, (long long)s.dims[1]);
  bool per_group = tvm_onnx_opset(node) < 21;
  int64_t each = s.dims[1] / groups * tvm_emit_count(&s, 2, s.rank);
  tvm_emit_shape grouped = {.rank = 3, .dims = {s.dims[0], groups, each}};
  MlirValue flat = tvm_emit_reshape(b, tvm_emit_cast(b, x, stash), &grouped);
  moments m = get_moments(b, flat, 1, (int64_t[]){2});
  MlirValue y = mul(b, m.centered, invert_root(b, m.variance, epsilon));
  y = tvm_emit_cast(b, y, type);
  if (!per_group)
    y = tvm_emit_reshape(b, y, &s);
  intptr_t rank = per_group ? 3 : s.rank;
  y = mul(b, y, along_channels(b, scale, rank));
  y = add(b, y, along_channels(b, bias, rank));
  return tvm_onnx_set_result(node, 0, tvm_emit_reshape(b, y, &s));
}

/* ---- the others ---- */

MlirLogicalResult tvm_onnx_import_lp_normalization(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return failure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  int64_t p = tvm_onnx_get_int(node, "p", 2), axis;
  if (!tvm_onnx_get_axis(node, "axis", -1, tvm_rank(x), &axis))
    return failure();
  if (p != 1 && p != 2)
    return tvm_onnx_fail(node, "attribute 'p' = %lld is not one of 1, 2",
                         (long long)p);
  MlirValue norm = p == 1 ? tvm_emit_unary(b, "abs", x) : mul(b, x, x);
  norm = tvm_emit_reduce(b, "reduce_sum", norm, 1, &axis, true);
  if (p == 2)
    norm = tvm_emit_unary(b, "sqrt", norm);
  MlirValue is_zero = tvm_emit_with(b, "equal", norm, 0);
  MlirValue one = tvm_emit_scalar(b, tvm_element_type(x), 1);
  norm = tvm_emit_select(b, is_zero, one, norm); /* zeros stay zeros */
  return tvm_onnx_set_result(node, 0, tvm_emit_binary(b, "div", x, norm));
}

MlirLogicalResult
tvm_onnx_import_mean_variance_normalization(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return failure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  static const int64_t DEFAULTS[] = {0, 2, 3};
  int64_t axes[TVM_EMIT_MAX_RANK], rank = tvm_rank(x);
  size_t n;
  const int64_t *values = tvm_onnx_get_ints(node, "axes", &n);
  bool marked[TVM_EMIT_MAX_RANK] = {false};
  if (!values) {
    values = DEFAULTS;
    n = 3;
  }
  for (size_t i = 0; i < n; ++i) {
    int64_t axis = values[i];
    if (!tvm_onnx_check_axis(node, "axes", rank, &axis))
      return failure();
    marked[axis] = true;
  }
  intptr_t count = 0;
  for (int64_t i = 0; i < rank && i < TVM_EMIT_MAX_RANK; ++i)
    if (marked[i])
      axes[count++] = i;
  moments m = get_moments(b, x, count, axes);
  MlirValue deviation = tvm_emit_unary(b, "sqrt", m.variance);
  deviation = tvm_emit_with(b, "add", deviation, 1e-9);
  return tvm_onnx_set_result(node, 0,
                             tvm_emit_binary(b, "div", m.centered, deviation));
}

/* Sum over `size` neighbouring channels. */
static MlirValue sum_channels(tvm_builder *b, MlirValue x, int64_t size) {
  tvm_emit_shape s = tvm_emit_get_shape(x);
  int64_t flat[] = {s.dims[0], 1, s.dims[1], tvm_emit_count(&s, 2, s.rank)};
  x = tvm_emit_reshape_to(b, x, 4, flat);
  if (tvm_emit_is_null(x))
    return x;
  int64_t kernel[] = {size, 1}, ones[] = {1, 1};
  int64_t pads[] = {(size - 1) / 2, 0, size / 2, 0};
  MlirNamedAttribute attrs[] = {
      tvm_attr_str(b->context, "kind", "sum"),
      tvm_attr_i64s(b->context, "kernel", 2, kernel),
      tvm_attr_i64s(b->context, "strides", 2, ones),
      tvm_attr_i64s(b->context, "pads", 4, pads),
      tvm_attr_i64s(b->context, "dilations", 2, ones),
      tvm_attr_str(b->context, "layout", "NCX"),
  };
  return tvm_emit_reshape(b, tvm_graph_build(b, "pool", 1, &x, 6, attrs), &s);
}

MlirLogicalResult tvm_onnx_import_lrn(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return failure();
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_onnx_operand(node, 0);
  double alpha = tvm_onnx_get_float(node, "alpha", 1e-4f);
  double beta = tvm_onnx_get_float(node, "beta", 0.75f);
  double bias = tvm_onnx_get_float(node, "bias", 1);
  int64_t size = tvm_onnx_get_int(node, "size", 0);
  if (!expect_rank(node, x, 2))
    return failure();
  if (size < 1 || size > INT32_MAX)
    return tvm_onnx_fail(node, "attribute 'size' = %lld is not positive",
                         (long long)size);
  MlirValue sum = sum_channels(b, mul(b, x, x), size);
  sum = tvm_emit_with(b, "mul", sum, alpha / (double)size);
  sum = tvm_emit_with(b, "add", sum, bias);
  sum = tvm_emit_with(b, "pow", sum, beta);
  return tvm_onnx_set_result(node, 0, tvm_emit_binary(b, "div", x, sum));
}
