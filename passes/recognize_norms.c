/* recognize_norms.c - layer and RMS norm put together again.
 *
 * Exporters take them apart:
 *
 *   layer  c = x - mean(x);  c / sqrt(mean(c * c) + epsilon)
 *   RMS    x / sqrt(mean(x * x) + epsilon)
 *
 * with the mean as a sum by a count or by its reciprocal, the square as a
 * product or a power, the division as such or by a reciprocal. Each becomes
 * graph.normalize; scale and bias stay the elementwise operators that follow.
 * All values between must have no other reader, or they would be computed
 * twice. f16 and bf16 are left alone: the operator computes them in f32.
 *
 * Preserves: results up to rounding. Terminates: one walk. */
#include "passes/passes_internal.h"

/* ---- small patterns ---- */

static MlirOperation producer(MlirValue v, const char *name) {
  MlirOperation op = tvm_defining_op(v), none = {0};
  return tvm_op_is(op, name) ? op : none;
}

static intptr_t count_uses(MlirValue v) {
  intptr_t n = 0;
  MlirOpOperand use = mlirValueGetFirstUse(v);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    ++n;
  return n;
}

/* The number that all elements of a constant are equal to. */
static bool read_number(MlirValue v, double *out) {
  MlirOperation op = producer(v, "arith.constant");
  if (!op.ptr)
    return false;
  MlirAttribute value = tvm_get_attr(op, "value");
  if (!mlirAttributeIsADenseElements(value) ||
      !mlirDenseElementsAttrIsSplat(value))
    return false;
  MlirAttribute scalar = mlirDenseElementsAttrGetSplatValue(value);
  if (!mlirAttributeIsAFloat(scalar))
    return false;
  *out = mlirFloatAttrGetValueDouble(scalar);
  return true;
}

/* The operand of a commutative operator beside a number. */
static bool read_with_number(MlirOperation op, MlirValue *x, double *number) {
  for (intptr_t i = 0; i < 2; ++i)
    if (read_number(tvm_operand(op, i), number)) {
      *x = tvm_operand(op, 1 - i);
      return true;
    }
  return false;
}

/* ---- the parts of a norm ---- */

/* The first of the trailing axes that `sum` reduces and keeps; -1 if it is of
 * another kind. */
static int64_t trailing_axis(MlirOperation sum) {
  int64_t rank = tvm_rank(tvm_operand(sum, 0));
  intptr_t n = tvm_get_i64s_size(sum, "axes");
  if (!n || !tvm_get_bool(sum, "keepdims"))
    return -1;
  for (intptr_t i = 0; i < n; ++i)
    if (tvm_get_i64s(sum, "axes", i) != rank - n + i)
      return -1;
  return rank - n;
}

/* `mean` as the mean of x from `axis` on. */
static bool match_mean(MlirValue mean, MlirValue *x, int64_t *axis) {
  MlirOperation op = tvm_defining_op(mean);
  MlirValue sum;
  double number, scale = 1;
  if (tvm_op_is(op, "graph.div") && read_number(tvm_operand(op, 1), &number))
    sum = tvm_operand(op, 0);
  else if (tvm_op_is(op, "graph.mul") && read_with_number(op, &sum, &scale))
    number = 0;
  else
    return false;
  MlirOperation reduce = producer(sum, "graph.reduce_sum");
  if (!reduce.ptr || !tvm_has_one_use(sum) || !tvm_has_one_use(mean))
    return false;
  *x = tvm_operand(reduce, 0);
  *axis = trailing_axis(reduce);
  if (*axis < 0)
    return false;
  double count = 1;
  for (int64_t d = *axis; d < tvm_rank(*x); ++d)
    count *= (double)tvm_dim(*x, d);
  bool single = mlirTypeIsAF32(tvm_element_type(*x));
  double inverse = single ? (double)(1.0f / (float)count) : 1 / count;
  return number ? number == count : scale == inverse;
}

/* `y` as x * x; `reads` counts how often it reads x. */
static bool match_square(MlirValue y, MlirValue *x, intptr_t *reads) {
  MlirOperation op = tvm_defining_op(y);
  double exponent;
  if (!op.ptr || !tvm_has_one_use(y) || mlirOperationGetNumOperands(op) != 2)
    return false;
  *x = tvm_operand(op, 0);
  bool product =
      tvm_op_is(op, "graph.mul") && mlirValueEqual(*x, tvm_operand(op, 1));
  *reads = product ? 2 : 1;
  return product ||
         (tvm_op_is(op, "graph.pow") &&
          read_number(tvm_operand(op, 1), &exponent) && exponent == 2 &&
          mlirTypeEqual(mlirValueGetType(y), mlirValueGetType(*x)));
}

/* `root` as sqrt(x + epsilon). */
static bool match_root(MlirValue root, MlirValue *x, double *epsilon) {
  MlirOperation op = producer(root, "graph.sqrt");
  if (!op.ptr || !tvm_has_one_use(root))
    return false;
  MlirValue sum = tvm_operand(op, 0);
  MlirOperation add = producer(sum, "graph.add");
  return add.ptr && tvm_has_one_use(sum) && read_with_number(add, x, epsilon);
}

/* `inverse` as 1 / root. */
static bool match_inverse(MlirValue inverse, MlirValue *root) {
  MlirOperation op = producer(inverse, "graph.div");
  double one;
  if (!op.ptr || !tvm_has_one_use(inverse) ||
      !read_number(tvm_operand(op, 0), &one) || one != 1)
    return false;
  *root = tvm_operand(op, 1);
  return true;
}

typedef struct {
  MlirValue input;
  int64_t axis;
  double epsilon;
  bool center;
} norm;

/* c / root, from the quotient's parts. */
static bool match_quotient(MlirValue c, MlirValue root, norm *n) {
  MlirValue variance, square, x, of;
  intptr_t reads;
  int64_t axis;
  if (!match_root(root, &variance, &n->epsilon) ||
      !match_mean(variance, &square, &n->axis) ||
      !match_square(square, &of, &reads) || !mlirValueEqual(of, c))
    return false;
  n->input = c;
  n->center = false;
  MlirOperation sub = producer(c, "graph.sub");
  if (!sub.ptr || !match_mean(tvm_operand(sub, 1), &x, &axis) ||
      axis != n->axis || !mlirValueEqual(x, tvm_operand(sub, 0)))
    return true;
  n->input = x;
  n->center = true;
  return count_uses(c) == reads + 1;
}

static bool match_norm(MlirOperation op, norm *n) {
  MlirValue root;
  MlirType element = tvm_element_type(tvm_result(op, 0));
  if (!mlirTypeIsAF32(element) && !mlirTypeIsAF64(element))
    return false;
  if (tvm_op_is(op, "graph.div"))
    return match_quotient(tvm_operand(op, 0), tvm_operand(op, 1), n);
  for (intptr_t i = 0; i < 2; ++i)
    if (match_inverse(tvm_operand(op, i), &root))
      return match_quotient(tvm_operand(op, 1 - i), root, n);
  return false;
}

/* ---- the pass ---- */

static MlirLogicalResult replace(MlirOperation op, const norm *n) {
  tvm_builder b = tvm_builder_before(op);
  MlirNamedAttribute attrs[] = {tvm_attr_i64(b.context, "axis", n->axis),
                                tvm_attr_f64(b.context, "epsilon", n->epsilon),
                                tvm_attr_bool(b.context, "center", n->center)};
  MlirValue y = tvm_graph_build(&b, "normalize", 1, &n->input, 3, attrs);
  if (!y.ptr)
    return mlirLogicalResultFailure();
  mlirValueReplaceAllUsesOfWith(tvm_result(op, 0), y);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_pass_recognize_norms(MlirOperation func) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirOperation op = mlirBlockGetFirstOperation(body);
  norm n;
  for (; op.ptr; op = mlirOperationGetNextInBlock(op))
    if ((tvm_op_is(op, "graph.div") || tvm_op_is(op, "graph.mul")) &&
        match_norm(op, &n) && mlirLogicalResultIsFailure(replace(op, &n)))
      return mlirLogicalResultFailure();
  return mlirLogicalResultSuccess();
}
