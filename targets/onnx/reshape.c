/* reshape.c - operators that rename or repeat elements. */
#include "decompose.h"

#include <stdlib.h>
#include <string.h>

static MlirLogicalResult set_reshaped(tvm_onnx_node *node,
                                      const tvm_emit_shape *shape) {
  MlirValue x = tvm_onnx_operand(node, 0);
  return tvm_onnx_set_result(
      node, 0, tvm_emit_reshape(tvm_onnx_builder(node), x, shape));
}

/* Fills in what a zero and a minus one stand for. */
static bool resolve_shape(tvm_onnx_node *node, const tvm_emit_shape *from,
                          bool allow_zero, tvm_emit_shape *to) {
  int64_t total = tvm_emit_count(from, 0, from->rank), known = 1;
  intptr_t open = -1;
  for (intptr_t i = 0; i < to->rank; ++i) {
    if (to->dims[i] == 0 && !allow_zero && i < from->rank)
      to->dims[i] = from->dims[i];
    else if (to->dims[i] == -1 && open < 0)
      open = i;
    else if (to->dims[i] < 0)
      return tvm_onnx_fail(node, "the shape has %lld in dimension %d",
                           (long long)to->dims[i], (int)i),
             false;
    if (i != open && __builtin_mul_overflow(known, to->dims[i], &known))
      return tvm_onnx_fail(node, "the shape has too many elements"), false;
  }
  if (open >= 0) {
    if (known == 0 || total % known)
      return tvm_onnx_fail(node,
                           "cannot infer dimension %d: %lld elements do "
                           "not divide by %lld",
                           (int)open, (long long)total, (long long)known),
             false;
    to->dims[open] = total / known;
    known = total;
  }
  if (known != total)
    return tvm_onnx_fail(node, "the input has %lld elements, the shape %lld",
                         (long long)total, (long long)known),
           false;
  return true;
}

static bool read_dims(tvm_onnx_node *node, intptr_t operand,
                      tvm_emit_shape *out) {
  int64_t n, *dims;
  if (!tvm_onnx_copy_i64s(node, operand, &n, &dims))
    return false;
  bool ok = n <= TVM_EMIT_MAX_RANK;
  if (!ok)
    tvm_onnx_unsupported(node, "rank %lld", (long long)n);
  out->rank = (intptr_t)n;
  if (ok && n)
    memcpy(out->dims, dims, (size_t)n * sizeof *dims);
  free(dims);
  return ok;
}

MlirLogicalResult tvm_onnx_import_reshape(tvm_onnx_node *node) {
  tvm_emit_shape from, to = {0};
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 2)) ||
      !read_dims(node, 1, &to))
    return mlirLogicalResultFailure();
  from = tvm_emit_get_shape(tvm_onnx_operand(node, 0));
  bool allow_zero = tvm_onnx_get_int(node, "allowzero", 0) != 0;
  if (!resolve_shape(node, &from, allow_zero, &to))
    return mlirLogicalResultFailure();
  return set_reshaped(node, &to);
}

MlirLogicalResult tvm_onnx_import_flatten(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return mlirLogicalResultFailure();
  tvm_emit_shape s = tvm_emit_get_shape(tvm_onnx_operand(node, 0));
  int64_t axis = tvm_onnx_get_int(node, "axis", 1);
  if (axis < -s.rank || axis > s.rank)
    return tvm_onnx_fail(node, "'axis' = %lld is not in [%d, %d]",
                         (long long)axis, -(int)s.rank, (int)s.rank);
  axis += axis < 0 ? s.rank : 0;
  tvm_emit_shape to = {.rank = 2,
                       .dims = {tvm_emit_count(&s, 0, (intptr_t)axis),
                                tvm_emit_count(&s, (intptr_t)axis, s.rank)}};
  return set_reshaped(node, &to);
}

/* The axes of Squeeze and Unsqueeze: an attribute up to opset 12, an input
 * from 13 on; `marks` gets a true for each, in [0, rank). */
static bool read_axes(tvm_onnx_node *node, intptr_t rank, bool *given,
                      bool *marks) {
  int64_t n = 0, *axes = NULL;
  bool by_attr = tvm_onnx_opset(node) < 13;
  *given =
      by_attr ? tvm_onnx_has_attr(node, "axes") : tvm_onnx_has_operand(node, 1);
  if (!*given)
    return true;
  if (by_attr) {
    size_t count;
    const int64_t *values = tvm_onnx_get_ints(node, "axes", &count);
    if (!values)
      return false;
    n = (int64_t)count;
    axes = malloc((count + 1) * sizeof *axes);
    memcpy(axes, values, count * sizeof *axes);
  } else if (!tvm_onnx_copy_i64s(node, 1, &n, &axes)) {
    return false;
  }
  bool ok = true;
  for (int64_t i = 0; ok && i < n; ++i) {
    ok = tvm_onnx_check_axis(node, "axes", rank, &axes[i]);
    if (ok && marks[axes[i]]) {
      tvm_onnx_fail(node, "'axes' names the axis %lld twice",
                    (long long)axes[i]);
      ok = false;
    }
    if (ok)
      marks[axes[i]] = true;
  }
  free(axes);
  return ok;
}

MlirLogicalResult tvm_onnx_import_squeeze(tvm_onnx_node *node) {
  bool given, marks[TVM_EMIT_MAX_RANK] = {false};
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 2)))
    return mlirLogicalResultFailure();
  tvm_emit_shape s = tvm_emit_get_shape(tvm_onnx_operand(node, 0)), to = {0};
  if (!read_axes(node, s.rank, &given, marks))
    return mlirLogicalResultFailure();
  for (intptr_t i = 0; i < s.rank; ++i) {
    if (marks[i] && s.dims[i] != 1)
      return tvm_onnx_fail(node, "axis %d has extent %lld, expected 1", (int)i,
                           (long long)s.dims[i]);
    if (given ? !marks[i] : s.dims[i] != 1)
      to.dims[to.rank++] = s.dims[i];
  }
  return set_reshaped(node, &to);
}

static int64_t count_axes(tvm_onnx_node *node) {
  size_t n = 0;
  if (tvm_onnx_opset(node) < 13) {
    tvm_onnx_get_ints(node, "axes", &n);
    return (int64_t)n;
  }
  MlirValue axes = tvm_onnx_operand(node, 1);
  return tvm_emit_is_null(axes) ? 0 : tvm_num_elements(mlirValueGetType(axes));
}

MlirLogicalResult tvm_onnx_import_unsqueeze(tvm_onnx_node *node) {
  bool given, marks[TVM_EMIT_MAX_RANK] = {false};
  intptr_t n = tvm_onnx_opset(node) < 13 ? 1 : 2;
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, n, n)))
    return mlirLogicalResultFailure();
  tvm_emit_shape s = tvm_emit_get_shape(tvm_onnx_operand(node, 0)), to = {0};
  int64_t rank = s.rank + count_axes(node);
  if (rank > TVM_EMIT_MAX_RANK)
    return tvm_onnx_unsupported(node, "rank %lld", (long long)rank);
  if (!read_axes(node, (intptr_t)rank, &given, marks))
    return mlirLogicalResultFailure();
  if (!given)
    return tvm_onnx_fail(node, "attribute 'axes' is missing");
  for (intptr_t i = 0, k = 0; i < rank; ++i)
    to.dims[to.rank++] = marks[i] ? 1 : s.dims[k++];
  return set_reshaped(node, &to);
}

MlirLogicalResult tvm_onnx_import_transpose(tvm_onnx_node *node) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return mlirLogicalResultFailure();
  MlirValue x = tvm_onnx_operand(node, 0);
  intptr_t rank = (intptr_t)tvm_rank(x);
  int64_t permutation[TVM_EMIT_MAX_RANK];
  bool seen[TVM_EMIT_MAX_RANK] = {false};
  size_t n;
  const int64_t *given = tvm_onnx_get_ints(node, "perm", &n);
  if (given && n != (size_t)rank)
    return tvm_onnx_fail(node, "attribute 'perm' has %zu axes, the input %d", n,
                         (int)rank);
  for (intptr_t i = 0; i < rank; ++i) {
    permutation[i] = given ? given[i] : rank - 1 - i;
    if (!tvm_onnx_check_axis(node, "perm", rank, &permutation[i]))
      return mlirLogicalResultFailure();
    if (seen[permutation[i]])
      return tvm_onnx_fail(node, "attribute 'perm' names the axis %lld twice",
                           (long long)permutation[i]);
    seen[permutation[i]] = true;
  }
  return tvm_onnx_set_result(
      node, 0, tvm_emit_transpose(tvm_onnx_builder(node), x, permutation));
}

/* The input's own extents count as well: a one in the shape changes nothing. */
MlirLogicalResult tvm_onnx_import_expand(tvm_onnx_node *node) {
  tvm_emit_shape to = {0};
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 2)) ||
      !read_dims(node, 1, &to))
    return mlirLogicalResultFailure();
  MlirValue x = tvm_onnx_operand(node, 0);
  tvm_emit_shape from = tvm_emit_get_shape(x);
  for (; to.rank < from.rank; ++to.rank) {
    memmove(to.dims + 1, to.dims, (size_t)to.rank * sizeof *to.dims);
    to.dims[0] = 1;
  }
  intptr_t shift = to.rank - from.rank;
  for (intptr_t i = 0; i < to.rank; ++i) {
    int64_t have = i < shift ? 1 : from.dims[i - shift];
    if (to.dims[i] < 0 || (to.dims[i] != have && to.dims[i] != 1 && have != 1))
      return tvm_onnx_fail(node,
                           "extent %lld does not expand to %lld in "
                           "dimension %d",
                           (long long)have, (long long)to.dims[i], (int)i);
    if (to.dims[i] == 1)
      to.dims[i] = have;
  }
  bool same = shift == 0 && memcmp(to.dims, from.dims,
                                   (size_t)to.rank * sizeof *to.dims) == 0;
  return tvm_onnx_set_result(
      node, 0, same ? x : tvm_emit_broadcast(tvm_onnx_builder(node), x, &to));
}

/* Each repeated dimension gets one of its own in front, which broadcasts. */
MlirLogicalResult tvm_onnx_import_tile(tvm_onnx_node *node) {
  tvm_emit_shape repeats = {0}, split = {0}, wide = {0};
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 2, 2)) ||
      !read_dims(node, 1, &repeats))
    return mlirLogicalResultFailure();
  MlirValue x = tvm_onnx_operand(node, 0);
  tvm_emit_shape s = tvm_emit_get_shape(x);
  if (repeats.rank != s.rank || 2 * s.rank > TVM_EMIT_MAX_RANK)
    return tvm_onnx_fail(node, "expects %d repeats, got %d", (int)s.rank,
                         (int)repeats.rank);
  for (intptr_t i = 0; i < s.rank; ++i) {
    if (repeats.dims[i] < 0)
      return tvm_onnx_fail(node, "repeats dimension %d %lld times", (int)i,
                           (long long)repeats.dims[i]);
    if (repeats.dims[i] != 1) {
      split.dims[split.rank++] = 1;
      wide.dims[wide.rank++] = repeats.dims[i];
    }
    split.dims[split.rank++] = wide.dims[wide.rank++] = s.dims[i];
    if (__builtin_mul_overflow(s.dims[i], repeats.dims[i], &s.dims[i]))
      return tvm_onnx_fail(node, "the output has too many elements");
  }
  if (split.rank == s.rank)
    return tvm_onnx_set_result(node, 0, x);
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue y = tvm_emit_broadcast(b, tvm_emit_reshape(b, x, &split), &wide);
  return tvm_onnx_set_result(node, 0, tvm_emit_reshape(b, y, &s));
}

MlirLogicalResult tvm_onnx_import_concat(tvm_onnx_node *node) {
  intptr_t n = tvm_onnx_num_operands(node);
  int64_t axis;
  if (n < 1)
    return tvm_onnx_fail(node, "expects one input at least, got none");
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, n, n)))
    return mlirLogicalResultFailure();
  if (!tvm_onnx_has_attr(node, "axis"))
    return tvm_onnx_fail(node, "attribute 'axis' is missing");
  if (!tvm_onnx_get_axis(node, "axis", 0, tvm_rank(tvm_onnx_operand(node, 0)),
                         &axis))
    return mlirLogicalResultFailure();
  MlirValue *x = malloc((size_t)n * sizeof *x);
  for (intptr_t i = 0; i < n; ++i)
    x[i] = tvm_onnx_operand(node, i);
  MlirValue y = tvm_emit_concat(tvm_onnx_builder(node), n, x, (intptr_t)axis);
  free(x);
  return tvm_onnx_set_result(node, 0, y);
}

/* Given by attribute up to opset 12, by input from 13 on, else equal parts; the
 * last may be shorter when opset 18's num_outputs says how many. */
static bool read_parts(tvm_onnx_node *node, int64_t extent, int64_t n,
                       int64_t *parts) {
  int64_t count = 0, *given = NULL;
  if (tvm_onnx_opset(node) < 13 && tvm_onnx_has_attr(node, "split")) {
    size_t size;
    const int64_t *values = tvm_onnx_get_ints(node, "split", &size);
    if (!values)
      return false;
    count = (int64_t)size;
    given = malloc((size + 1) * sizeof *given);
    memcpy(given, values, size * sizeof *given);
  } else if (tvm_onnx_opset(node) >= 13 && tvm_onnx_has_operand(node, 1) &&
             !tvm_onnx_copy_i64s(node, 1, &count, &given)) {
    return false;
  }
  if (given && count != n)
    tvm_onnx_fail(node, "'split' has %lld parts, the node %lld outputs",
                  (long long)count, (long long)n);
  else if (given)
    memcpy(parts, given, (size_t)n * sizeof *parts);
  bool ok = !given || count == n;
  int64_t size = (extent + n - 1) / n, left = extent;
  for (int64_t i = 0; !given && i < n; ++i) {
    parts[i] = left < size ? left : size;
    left -= parts[i];
  }
  if (!given && extent % n && tvm_onnx_opset(node) < 18) {
    tvm_onnx_fail(node, "extent %lld does not split into %lld equal parts",
                  (long long)extent, (long long)n);
    ok = false;
  }
  free(given);
  return ok;
}

static MlirLogicalResult set_parts(tvm_onnx_node *node, int64_t axis, int64_t n,
                                   const int64_t *parts) {
  MlirValue x = tvm_onnx_operand(node, 0);
  int64_t start = 0, extent = tvm_dim(x, (intptr_t)axis);
  for (int64_t i = 0; i < n; ++i) {
    if (parts[i] < 0 || parts[i] > extent - start)
      return tvm_onnx_fail(node, "'split' does not add up to extent %lld",
                           (long long)extent);
    MlirValue y = tvm_emit_slice(tvm_onnx_builder(node), x, (intptr_t)axis,
                                 parts[i] ? start : 0, parts[i]);
    start += parts[i];
    if (mlirLogicalResultIsFailure(tvm_onnx_set_result(node, (intptr_t)i, y)))
      return mlirLogicalResultFailure();
  }
  if (start != extent)
    return tvm_onnx_fail(node, "'split' adds up to %lld, the extent is %lld",
                         (long long)start, (long long)extent);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_onnx_import_split(tvm_onnx_node *node) {
  int64_t axis, n = tvm_onnx_num_results(node);
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 2)))
    return mlirLogicalResultFailure();
  MlirValue x = tvm_onnx_operand(node, 0);
  if (!tvm_onnx_get_axis(node, "axis", 0, tvm_rank(x), &axis))
    return mlirLogicalResultFailure();
  int64_t declared =
      tvm_onnx_opset(node) < 18 ? n : tvm_onnx_get_int(node, "num_outputs", n);
  if (declared != n || n < 1)
    return tvm_onnx_fail(node,
                         "attribute 'num_outputs' is %lld, the node has "
                         "%lld outputs",
                         (long long)declared, (long long)n);
  int64_t *parts = malloc((size_t)n * sizeof *parts);
  MlirLogicalResult result = mlirLogicalResultFailure();
  if (read_parts(node, tvm_dim(x, (intptr_t)axis), n, parts))
    result = set_parts(node, axis, n, parts);
  free(parts);
  return result;
}

/* Checks rank and block size of the two below. */
static bool read_block(tvm_onnx_node *node, tvm_emit_shape *s, int64_t *block) {
  if (mlirLogicalResultIsFailure(tvm_onnx_expect_operands(node, 1, 1)))
    return false;
  *s = tvm_emit_get_shape(tvm_onnx_operand(node, 0));
  *block = tvm_onnx_get_int(node, "blocksize", 0);
  if (s->rank != 4)
    return tvm_onnx_fail(node, "expects rank 4 input, got rank %d",
                         (int)s->rank),
           false;
  if (*block < 1 || *block > 1 << 15)
    return tvm_onnx_fail(node, "attribute 'blocksize' is %lld",
                         (long long)*block),
           false;
  return true;
}

static MlirLogicalResult set_permuted(tvm_onnx_node *node,
                                      const tvm_emit_shape *split,
                                      const int64_t *permutation,
                                      const tvm_emit_shape *to) {
  tvm_builder *b = tvm_onnx_builder(node);
  MlirValue x = tvm_emit_reshape(b, tvm_onnx_operand(node, 0), split);
  x = tvm_emit_transpose(b, x, permutation);
  return tvm_onnx_set_result(node, 0, tvm_emit_reshape(b, x, to));
}

MlirLogicalResult tvm_onnx_import_depth_to_space(tvm_onnx_node *node) {
  static const char *const MODES[] = {"DCR", "CRD"};
  static const int64_t PERMUTATIONS[][6] = {{0, 3, 4, 1, 5, 2},
                                            {0, 1, 4, 2, 5, 3}};
  tvm_emit_shape s;
  int64_t k;
  int32_t mode;
  if (!read_block(node, &s, &k) ||
      !tvm_onnx_get_choice(node, "mode", 0, 2, MODES, &mode))
    return mlirLogicalResultFailure();
  const int64_t *d = s.dims;
  if (d[1] % (k * k))
    return tvm_onnx_fail(node, "%lld channels do not divide by %lld",
                         (long long)d[1], (long long)(k * k));
  int64_t c = d[1] / (k * k);
  tvm_emit_shape split = {6, {d[0], k, k, c, d[2], d[3]}};
  if (mode)
    split = (tvm_emit_shape){6, {d[0], c, k, k, d[2], d[3]}};
  tvm_emit_shape to = {4, {d[0], c, d[2] * k, d[3] * k}};
  return set_permuted(node, &split, PERMUTATIONS[mode], &to);
}

MlirLogicalResult tvm_onnx_import_space_to_depth(tvm_onnx_node *node) {
  static const int64_t PERMUTATION[] = {0, 3, 5, 1, 2, 4};
  tvm_emit_shape s;
  int64_t k;
  if (!read_block(node, &s, &k))
    return mlirLogicalResultFailure();
  const int64_t *d = s.dims;
  if (d[2] % k || d[3] % k)
    return tvm_onnx_fail(node, "%lldx%lld does not divide by %lld",
                         (long long)d[2], (long long)d[3], (long long)k);
  tvm_emit_shape split = {6, {d[0], d[1], d[2] / k, k, d[3] / k, k}};
  tvm_emit_shape to = {4, {d[0], d[1] * k * k, d[2] / k, d[3] / k}};
  return set_permuted(node, &split, PERMUTATION, &to);
}
