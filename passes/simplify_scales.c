/* simplify_scales.c - functions of simplify_graph.pdll that move constant
 * factors into the weights of convolutions and matrix products. */
#include "graph/graph.h"
#include "passes/constant_values.h"
#include "passes/simplify.h"

#include <math.h>
#include <string.h>

enum { MAX_RANK = 32, MAX_DEPTH = 12 };

/* A factor or divisor. */
typedef struct scale {
  MlirValue value;
  const char *op; /* "mul" or "div" */
  bool single;    /* one number */
  tvm_range range;
} scale;

/* Where a linear operator keeps its constant weight, and which dimension of
 * the weight goes with dimension `channel` of its result (or input). No such
 * dimension when weight_dim is negative: single numbers alone are legal. */
typedef struct site {
  intptr_t weight; /* operand number */
  int64_t channel, weight_dim;
} site;

static bool is_mul_or_div(MlirOperation op) {
  return tvm_op_is(op, "graph.mul") || tvm_op_is(op, "graph.div");
}

static bool read_scale(MlirOperation op, scale *s) {
  if (!is_mul_or_div(op))
    return false;
  s->value = tvm_operand(op, 1);
  s->op = tvm_op_is(op, "graph.mul") ? "mul" : "div";
  s->single = tvm_num_elements(mlirValueGetType(s->value)) == 1;
  return mlirTypeEqual(mlirValueGetType(tvm_operand(op, 0)),
                       mlirValueGetType(tvm_result(op, 0))) &&
         tvm_get_range(s->value, &s->range);
}

/* ---- sites ---- */

static bool has_word(MlirOperation op, const char *attr, const char *word) {
  return mlirStringRefEqual(tvm_get_str(op, attr),
                            mlirStringRefCreateFromCString(word));
}

static bool is_ncx(MlirOperation conv) {
  return has_word(conv, "layout", "NCX");
}

static bool conv_output(MlirOperation op, site *out) {
  int64_t last = tvm_rank(tvm_result(op, 0)) - 1;
  *out = is_ncx(op) ? (site){1, 1, 0} : (site){1, last, last};
  return true;
}

static bool conv_input(MlirOperation op, site *out) {
  int64_t last = tvm_rank(tvm_result(op, 0)) - 1;
  bool ncx = is_ncx(op);
  MlirValue w = tvm_operand(op, 1);
  int64_t groups = tvm_get_i64(op, "groups");
  int64_t outputs = tvm_dim(w, ncx ? 0 : (intptr_t)last);
  int64_t inputs = tvm_dim(w, ncx ? 1 : (intptr_t)last - 1);
  *out = (site){1, ncx ? 1 : last, -1};
  if (groups == 1)
    out->weight_dim = ncx ? 1 : last - 1;
  else if (inputs == 1 && outputs == groups) /* depthwise */
    out->weight_dim = ncx ? 0 : last;
  return true;
}

static bool conv_transpose_output(MlirOperation op, site *out) {
  *out = (site){1, 1, tvm_get_i64(op, "groups") == 1 ? 1 : -1};
  return true;
}

static bool matmul_output(MlirOperation op, site *out) {
  int64_t rank = tvm_rank(tvm_result(op, 0));
  bool right = tvm_is_constant(tvm_operand(op, 1));
  int64_t weight_rank = tvm_rank(tvm_operand(op, right ? 1 : 0));
  *out = right ? (site){1, rank - 1, weight_rank - 1}
               : (site){0, rank - 2, weight_rank - 2};
  return true;
}

static bool matmul_input(MlirOperation op, intptr_t input, site *out) {
  int64_t rank = tvm_rank(tvm_operand(op, input));
  int64_t weight_rank = tvm_rank(tvm_operand(op, 1 - input));
  *out = input == 0 ? (site){1, rank - 1, weight_rank - 2}
                    : (site){0, rank - 2, weight_rank - 1};
  return true;
}

static bool has_own_constant(MlirOperation op, intptr_t operand) {
  MlirValue w = tvm_operand(op, operand);
  return tvm_has_one_use(w) && tvm_is_constant(w);
}

static bool find_output_site(MlirOperation op, site *out) {
  bool found = tvm_op_is(op, "graph.conv") ? conv_output(op, out)
               : tvm_op_is(op, "graph.conv_transpose")
                   ? conv_transpose_output(op, out)
               : tvm_op_is(op, "graph.matmul") ? matmul_output(op, out)
                                               : false;
  return found && has_own_constant(op, out->weight);
}

static bool find_input_site(MlirOperation op, intptr_t input, site *out) {
  bool found = tvm_op_is(op, "graph.matmul") ? matmul_input(op, input, out)
               : tvm_op_is(op, "graph.conv") && input == 0 ? conv_input(op, out)
                                                           : false;
  return found && has_own_constant(op, out->weight);
}

/* Whether v, broadcast to `rank` dimensions, varies along `channel` alone. */
static bool varies_along(MlirValue v, int64_t rank, int64_t channel) {
  int64_t own = tvm_rank(v);
  for (int64_t d = 0; d < own; ++d)
    if (tvm_dim(v, (intptr_t)d) != 1 && rank - own + d != channel)
      return false;
  return true;
}

static bool combine_ranges(const scale *s, MlirValue with) {
  tvm_range r, product;
  MlirType element = tvm_element_type(with);
  if (!tvm_get_range(with, &r))
    return false;
  return strcmp(s->op, "mul") == 0
             ? tvm_multiply_ranges(element, &r, &s->range, &product)
             : tvm_divide_ranges(element, &r, &s->range, &product);
}

static bool fits_site(const scale *s, MlirOperation op, const site *at,
                      int64_t rank) {
  if (!s->single &&
      (at->weight_dim < 0 || !varies_along(s->value, rank, at->channel)))
    return false;
  return combine_ranges(s, tvm_operand(op, at->weight));
}

static MlirValue reshape(tvm_builder *b, MlirValue v, intptr_t rank,
                         const int64_t *shape) {
  MlirNamedAttribute attr = tvm_attr_i64s(b->context, "shape", rank, shape);
  return tvm_graph_build(b, "reshape", 1, &v, 1, &attr);
}

/* The weight times the scale. */
static MlirValue scale_weight(tvm_builder *b, const scale *s, MlirOperation op,
                              const site *at) {
  MlirValue w = tvm_operand(op, at->weight), v = s->value;
  int64_t shape[MAX_RANK];
  intptr_t rank = s->single ? 0 : (intptr_t)(tvm_rank(w) - at->weight_dim);
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = d ? 1 : tvm_num_elements(mlirValueGetType(v));
  MlirValue operands[] = {w, reshape(b, v, rank, shape)};
  return tvm_graph_build(b, s->op, 2, operands, 0, NULL);
}

/* ---- factors behind ---- */

static bool is_sum(MlirOperation op) {
  return tvm_op_is(op, "graph.add") || tvm_op_is(op, "graph.sub");
}

static bool is_zero(MlirValue v) {
  tvm_scalar s;
  return tvm_get_splat(v, &s) && s.is_float && s.number == 0;
}

/* Whether a single factor before the operator's first operand is one behind
 * its result. */
static bool is_homogeneous(MlirOperation op) {
  if (tvm_op_is(op, "graph.pool"))
    return has_word(op, "kind", "sum");
  if (tvm_op_is(op, "graph.pad"))
    return !has_word(op, "mode", "constant") || is_zero(tvm_operand(op, 1));
  return tvm_op_is(op, "graph.reshape") || tvm_op_is(op, "graph.transpose") ||
         tvm_op_is(op, "graph.slice") || tvm_op_is(op, "graph.reduce_sum");
}

/* Elements of a and b broadcast against each other; of no more than the
 * larger, unless both vary where the other does not. */
static bool grows_in_product(MlirValue a, MlirValue b) {
  int64_t ranks[] = {tvm_rank(a), tvm_rank(b)}, n = 1;
  int64_t rank = ranks[0] > ranks[1] ? ranks[0] : ranks[1];
  for (int64_t d = 1; d <= rank; ++d) {
    int64_t x = d <= ranks[0] ? tvm_dim(a, (intptr_t)(ranks[0] - d)) : 1;
    int64_t y = d <= ranks[1] ? tvm_dim(b, (intptr_t)(ranks[1] - d)) : 1;
    n *= x > y ? x : y;
  }
  return n > tvm_num_elements(mlirValueGetType(a)) &&
         n > tvm_num_elements(mlirValueGetType(b));
}

static bool can_scale(MlirValue v, const scale *s, int depth);

/* A constant times the scale is a constant; what is none must be an addend of
 * the whole shape that can be scaled. */
static bool can_scale_addend(MlirOperation op, intptr_t i, const scale *s,
                             int depth) {
  MlirValue x = tvm_operand(op, i);
  if (tvm_is_constant(x))
    return !grows_in_product(x, s->value) && combine_ranges(s, x);
  return mlirTypeEqual(mlirValueGetType(x),
                       mlirValueGetType(tvm_result(op, 0))) &&
         can_scale(x, s, depth);
}

/* Every value on the way down has its one use above. */
static bool can_scale(MlirValue v, const scale *s, int depth) {
  MlirOperation op = tvm_defining_op(v);
  site at;
  if (!op.ptr || depth == 0 || !tvm_has_one_use(v))
    return false;
  if (find_output_site(op, &at))
    return fits_site(s, op, &at, tvm_rank(v));
  if (is_sum(op))
    return can_scale_addend(op, 0, s, depth - 1) &&
           can_scale_addend(op, 1, s, depth - 1);
  if (tvm_op_is(op, "graph.relu") && s->range.least > 0)
    return can_scale(tvm_operand(op, 0), s, depth - 1);
  if (!s->single)
    return false;
  if (is_homogeneous(op))
    return can_scale(tvm_operand(op, 0), s, depth - 1);
  return tvm_op_is(op, "graph.matmul") &&
         (can_scale(tvm_operand(op, 0), s, depth - 1) ||
          can_scale(tvm_operand(op, 1), s, depth - 1));
}

bool tvm_simplify_can_scale_producer(const MlirPDLValue *args) {
  MlirOperation root = mlirPDLValueAsOperation(args[0]);
  scale s;
  return read_scale(root, &s) && can_scale(tvm_operand(root, 0), &s, MAX_DEPTH);
}

static MlirValue apply_scale(tvm_builder *b, MlirValue v, const scale *s,
                             int depth);

static MlirValue scale_sum(tvm_builder *b, MlirOperation op, const scale *s,
                           int depth) {
  MlirValue operands[2];
  for (intptr_t i = 0; i < 2; ++i) {
    MlirValue x = tvm_operand(op, i), product[] = {x, s->value};
    operands[i] = tvm_is_constant(x)
                      ? tvm_graph_build(b, s->op, 2, product, 0, NULL)
                      : apply_scale(b, x, s, depth);
  }
  return tvm_graph_build(b, tvm_op_is(op, "graph.add") ? "add" : "sub", 2,
                         operands, 0, NULL);
}

/* What stands on the way is copied in front of the root, where the scale is
 * known; the originals lose their only use. */
static MlirValue apply_scale(tvm_builder *b, MlirValue v, const scale *s,
                             int depth) {
  MlirOperation op = tvm_defining_op(v);
  site at;
  if (find_output_site(op, &at))
    return tvm_clone_with_operand(b, op, at.weight,
                                  scale_weight(b, s, op, &at));
  if (is_sum(op))
    return scale_sum(b, op, s, depth - 1);
  intptr_t through = 0;
  if (tvm_op_is(op, "graph.matmul") &&
      !can_scale(tvm_operand(op, 0), s, depth - 1))
    through = 1;
  return tvm_clone_with_operand(
      b, op, through, apply_scale(b, tvm_operand(op, through), s, depth - 1));
}

void tvm_simplify_scale_producer(tvm_builder *b, const MlirPDLValue *args,
                                 MlirPDLResultList results) {
  MlirOperation root = mlirPDLValueAsOperation(args[0]);
  scale s;
  read_scale(root, &s);
  mlirPDLResultListPushBackValue(
      results, apply_scale(b, tvm_operand(root, 0), &s, MAX_DEPTH));
}

/* ---- factors before ---- */

static intptr_t operand_number(MlirOperation op, MlirValue v) {
  return mlirValueEqual(tvm_operand(op, 0), v) ? 0 : 1;
}

/* The factor that x carries, over homogeneous operators when it is a single
 * number. Every value on the way has one use. */
static bool find_factor(MlirValue x, scale *s, MlirOperation *out) {
  MlirOperation op = tvm_defining_op(x);
  int moves = 0;
  for (; op.ptr && is_homogeneous(op) && moves < MAX_DEPTH; ++moves) {
    if (!tvm_has_one_use(x))
      return false;
    x = tvm_operand(op, 0);
    op = tvm_defining_op(x);
  }
  *out = op;
  return op.ptr && tvm_has_one_use(x) && read_scale(op, s) &&
         (moves == 0 || s->single);
}

bool tvm_simplify_can_scale_input(const MlirPDLValue *args) {
  MlirOperation root = mlirPDLValueAsOperation(args[0]), factor;
  MlirValue x = mlirPDLValueAsValue(args[1]);
  site at;
  scale s;
  return find_input_site(root, operand_number(root, x), &at) &&
         find_factor(x, &s, &factor) && fits_site(&s, root, &at, tvm_rank(x));
}

/* x with what it reads in place of `factor`. */
static MlirValue drop_factor(tvm_builder *b, MlirValue x,
                             MlirOperation factor) {
  MlirOperation op = tvm_defining_op(x);
  if (mlirOperationEqual(op, factor))
    return tvm_operand(factor, 0);
  return tvm_clone_with_operand(b, op, 0,
                                drop_factor(b, tvm_operand(op, 0), factor));
}

void tvm_simplify_scale_input(tvm_builder *b, const MlirPDLValue *args,
                              MlirPDLResultList results) {
  (void)results;
  MlirOperation root = mlirPDLValueAsOperation(args[0]), factor;
  MlirValue x = mlirPDLValueAsValue(args[1]);
  intptr_t input = operand_number(root, x);
  site at = {0};
  scale s;
  find_input_site(root, input, &at);
  find_factor(x, &s, &factor);
  tvm_rewrite_operand(b, root, at.weight, scale_weight(b, &s, root, &at));
  tvm_rewrite_operand(b, root, input, drop_factor(b, x, factor));
}

/* ---- factors of factors ---- */

/* Far from overflow, and no zero. */
static bool is_moderate(const tvm_range *r) {
  double least = fmin(fabs(r->least), fabs(r->most));
  return r->least * r->most > 0 && least >= ldexp(1, -32) &&
         r->largest <= ldexp(1, 32);
}

/* A constant, or one operator on such: what long chains of factors make is not
 * read through again for each of them. */
static bool is_shallow(MlirValue v) {
  MlirOperation op = tvm_defining_op(v);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!tvm_op_is(tvm_defining_op(tvm_operand(op, i)), "arith.constant"))
      return false;
  return true;
}

bool tvm_simplify_can_merge_factors(const MlirPDLValue *args) {
  MlirOperation inner = mlirPDLValueAsOperation(args[0]);
  MlirOperation root = mlirPDLValueAsOperation(args[1]);
  scale a, b;
  return is_mul_or_div(inner) && tvm_is_constant(tvm_operand(inner, 1)) &&
         is_shallow(tvm_operand(inner, 1)) &&
         is_shallow(tvm_operand(root, 1)) && read_scale(inner, &a) &&
         read_scale(root, &b) && is_moderate(&a.range) &&
         is_moderate(&b.range) && !grows_in_product(a.value, b.value);
}

/* x times the one factor, or by the one divisor, that two make. */
void tvm_simplify_merge_factors(tvm_builder *b, const MlirPDLValue *args,
                                MlirPDLResultList results) {
  MlirOperation inner = mlirPDLValueAsOperation(args[0]);
  MlirOperation root = mlirPDLValueAsOperation(args[1]);
  bool inner_mul = tvm_op_is(inner, "graph.mul");
  bool outer_mul = tvm_op_is(root, "graph.mul");
  MlirValue first = tvm_operand(inner, 1), second = tvm_operand(root, 1);
  bool swap = !inner_mul && outer_mul; /* x / a * b is x * (b / a) */
  MlirValue pair[] = {swap ? second : first, swap ? first : second};
  const char *combine = inner_mul == outer_mul ? "mul" : "div";
  MlirValue factor = tvm_graph_build(b, combine, 2, pair, 0, NULL);
  MlirValue operands[] = {tvm_operand(inner, 0), factor};
  mlirPDLResultListPushBackValue(
      results, tvm_graph_build(b, inner_mul || outer_mul ? "mul" : "div", 2,
                               operands, 0, NULL));
}

/* ---- biases ---- */

static bool is_bias(MlirValue c, MlirOperation op, const site *at,
                    tvm_range *out) {
  return varies_along(c, tvm_rank(tvm_result(op, 0)), at->channel) &&
         tvm_get_range(c, out);
}

/* A number added and taken away again rounds what it is added to; one that is
 * no larger than this many times another addend leaves it most digits. */
static const double BIAS_RATIO = 256;

static bool is_comparable(MlirValue c, const tvm_range *r,
                          const tvm_range *other) {
  return tvm_num_elements(mlirValueGetType(c)) > 1 ||
         r->largest <= BIAS_RATIO * other->largest;
}

bool tvm_simplify_are_biases_of(const MlirPDLValue *args) {
  MlirValue b = mlirPDLValueAsValue(args[0]), c = mlirPDLValueAsValue(args[1]);
  MlirOperation op = tvm_defining_op(mlirPDLValueAsValue(args[2]));
  site at;
  tvm_range rb, rc;
  return op.ptr && find_output_site(op, &at) && is_bias(b, op, &at, &rb) &&
         is_bias(c, op, &at, &rc) && is_comparable(b, &rb, &rc) &&
         is_comparable(c, &rc, &rb);
}

void tvm_simplify_build_sum(tvm_builder *b, const MlirPDLValue *args,
                            MlirPDLResultList results) {
  MlirValue operands[] = {mlirPDLValueAsValue(args[0]),
                          mlirPDLValueAsValue(args[1])};
  mlirPDLResultListPushBackValue(
      results, tvm_graph_build(b, "add", 2, operands, 0, NULL));
}
