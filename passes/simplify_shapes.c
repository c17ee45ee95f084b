/* simplify_shapes.c - functions of simplify_graph.pdll on where elements
 * stand: permutations, slices, broadcasts, pads. */
#include "graph/graph.h"
#include "passes/constant_values.h"
#include "passes/simplify.h"

#include <string.h>

enum { MAX_RANK = 32, MAX_CHAIN = 8, MAX_OPERANDS = 3 };

static void push_i64s(tvm_builder *b, MlirPDLResultList results, intptr_t n,
                      const int64_t *values) {
  mlirPDLResultListPushBackAttribute(
      results, mlirDenseI64ArrayGet(b->context, n, values));
}

static intptr_t get_shape(MlirValue v, int64_t *shape) {
  intptr_t rank = (intptr_t)tvm_rank(v);
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = tvm_dim(v, d);
  return rank;
}

void tvm_simplify_shape_of(tvm_builder *b, const MlirPDLValue *args,
                           MlirPDLResultList results) {
  int64_t shape[MAX_RANK];
  intptr_t rank = get_shape(mlirPDLValueAsValue(args[0]), shape);
  push_i64s(b, results, rank, shape);
}

/* ---- permutations ---- */

void tvm_simplify_compose_permutations(tvm_builder *b, const MlirPDLValue *args,
                                       MlirPDLResultList results) {
  MlirAttribute first = mlirPDLValueAsAttribute(args[0]);
  MlirAttribute second = mlirPDLValueAsAttribute(args[1]);
  int64_t composed[MAX_RANK];
  intptr_t n = mlirDenseArrayGetNumElements(second);
  for (intptr_t d = 0; d < n; ++d)
    composed[d] = mlirDenseI64ArrayGetElement(
        first, (intptr_t)mlirDenseI64ArrayGetElement(second, d));
  push_i64s(b, results, n, composed);
}

bool tvm_simplify_moves_units_alone(const MlirPDLValue *args) {
  MlirOperation op = mlirPDLValueAsOperation(args[0]);
  MlirValue x = tvm_operand(op, 0);
  int64_t last = -1;
  for (intptr_t d = 0; d < tvm_rank(x); ++d) {
    int64_t source = tvm_get_i64s(op, "permutation", d);
    if (tvm_dim(x, (intptr_t)source) == 1)
      continue;
    if (source < last)
      return false;
    last = source;
  }
  return true;
}

/* ---- transposes around a reshape ---- */

enum { MAX_FACTORS = 2 * MAX_RANK };

/* Extents that are parts of a dimension before a reshape and of one behind. */
typedef struct factors {
  int n;
  intptr_t before[MAX_FACTORS], behind[MAX_FACTORS]; /* dimensions */
} factors;

/* Split the dimensions on both sides, from the outermost on, so that they are
 * made of the same extents. False where 4x3 becomes 6x2. */
static bool split(intptr_t n_before, int64_t *before, intptr_t n_behind,
                  int64_t *behind, factors *out) {
  intptr_t i = 0, k = 0;
  out->n = 0;
  for (;;) {
    while (i < n_before && before[i] == 1)
      ++i;
    while (k < n_behind && behind[k] == 1)
      ++k;
    if (i == n_before || k == n_behind)
      return i == n_before && k == n_behind;
    int64_t part = before[i] < behind[k] ? before[i] : behind[k];
    if (part == 0 || before[i] % part || behind[k] % part)
      return false;
    before[i] /= part;
    behind[k] /= part;
    out->before[out->n] = i;
    out->behind[out->n++] = k;
  }
}

/* The factors of dimension `dim`, of which `of` tells each one's, to `out`. */
static int append_factors(const factors *f, const intptr_t *of, int64_t dim,
                          int *out, int n) {
  for (int i = 0; i < f->n; ++i)
    if (of[i] == dim)
      out[n++] = i;
  return n;
}

bool tvm_simplify_restores_order(const MlirPDLValue *args) {
  MlirOperation inner = mlirPDLValueAsOperation(args[0]);
  MlirOperation middle = mlirPDLValueAsOperation(args[1]);
  MlirOperation root = mlirPDLValueAsOperation(args[2]);
  int64_t before[MAX_RANK], behind[MAX_RANK];
  intptr_t n_before = get_shape(tvm_result(inner, 0), before);
  intptr_t n_behind = get_shape(tvm_result(middle, 0), behind);
  factors f;
  if (!split(n_before, before, n_behind, behind, &f))
    return false;
  int source[MAX_FACTORS], result[MAX_FACTORS], n = 0;
  for (intptr_t d = 0; d < n_before; ++d)
    for (intptr_t k = 0; k < n_before; ++k)
      if (tvm_get_i64s(inner, "permutation", k) == d)
        n = append_factors(&f, f.before, k, source, n);
  n = 0;
  for (intptr_t d = 0; d < n_behind; ++d)
    n = append_factors(&f, f.behind, tvm_get_i64s(root, "permutation", d),
                       result, n);
  return memcmp(source, result, (size_t)n * sizeof *source) == 0;
}

/* ---- transposes around elementwise operators ---- */

/* The operators between two transposes, outermost first. */
typedef struct chain {
  MlirOperation ops[MAX_CHAIN];
  intptr_t through[MAX_CHAIN]; /* the operand that is no constant */
  int count;
  MlirValue source; /* what the inner transpose reads */
} chain;

static bool is_elementwise(MlirOperation op) {
  const tvm_graph_operator *row =
      op.ptr
          ? tvm_graph_find_operator(mlirIdentifierStr(mlirOperationGetName(op)))
          : NULL;
  return row && row->op_class == TVM_GRAPH_ELEMENTWISE;
}

static bool has_shape_of(MlirValue a, MlirValue b) {
  int64_t x[MAX_RANK], y[MAX_RANK];
  intptr_t rank = get_shape(a, x);
  return rank == get_shape(b, y) && memcmp(x, y, (size_t)rank * sizeof *x) == 0;
}

/* The one operand of the result's shape that is no constant, or -1. */
static intptr_t find_varying_operand(MlirOperation op) {
  intptr_t found = -1;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    if (tvm_is_constant(tvm_operand(op, i)))
      continue;
    if (found >= 0 || !has_shape_of(tvm_operand(op, i), tvm_result(op, 0)))
      return -1;
    found = i;
  }
  return found;
}

static bool is_inverse(MlirOperation first, MlirOperation second) {
  for (intptr_t d = 0; d < tvm_get_i64s_size(second, "permutation"); ++d)
    if (tvm_get_i64s(first, "permutation",
                     (intptr_t)tvm_get_i64s(second, "permutation", d)) != d)
      return false;
  return true;
}

static bool find_chain(MlirOperation root, chain *c) {
  c->count = 0;
  MlirValue v = tvm_operand(root, 0);
  MlirOperation op = tvm_defining_op(v);
  while (is_elementwise(op) && c->count < MAX_CHAIN && tvm_has_one_use(v)) {
    intptr_t i = find_varying_operand(op);
    if (i < 0)
      return false;
    c->ops[c->count] = op;
    c->through[c->count++] = i;
    v = tvm_operand(op, i);
    op = tvm_defining_op(v);
  }
  if (c->count == 0 || !tvm_op_is(op, "graph.transpose") ||
      !is_inverse(op, root))
    return false;
  c->source = tvm_operand(op, 0);
  return true;
}

bool tvm_simplify_cancels_transpose_above(const MlirPDLValue *args) {
  chain c;
  return find_chain(mlirPDLValueAsOperation(args[0]), &c);
}

/* A constant operand in the order of dimensions that `root` makes. */
static MlirValue transpose_constant(tvm_builder *b, MlirOperation root,
                                    MlirValue v) {
  intptr_t rank = (intptr_t)tvm_rank(tvm_result(root, 0));
  int64_t own[MAX_RANK], shape[MAX_RANK];
  intptr_t own_rank = get_shape(v, own);
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = d < rank - own_rank ? 1 : own[d - (rank - own_rank)];
  MlirNamedAttribute attr = tvm_attr_i64s(b->context, "shape", rank, shape);
  MlirValue full = tvm_graph_build(b, "reshape", 1, &v, 1, &attr);
  attr = tvm_attr(b->context, "permutation", tvm_get_attr(root, "permutation"));
  return tvm_graph_build(b, "transpose", 1, &full, 1, &attr);
}

/* The operator with new operands and the type that follows from them. */
static MlirValue rebuild(tvm_builder *b, MlirOperation op,
                         const MlirValue *operands) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  bool cast = tvm_op_is(op, "graph.cast");
  MlirNamedAttribute attr;
  if (cast)
    attr = tvm_attr(b->context, "to", tvm_get_attr(op, "to"));
  return tvm_graph_build(b, name.data + strlen("graph."),
                         mlirOperationGetNumOperands(op), operands, cast,
                         &attr);
}

void tvm_simplify_cancel_transpose_above(tvm_builder *b,
                                         const MlirPDLValue *args,
                                         MlirPDLResultList results) {
  MlirOperation root = mlirPDLValueAsOperation(args[0]);
  chain c;
  find_chain(root, &c);
  MlirValue y = c.source;
  for (int k = c.count; k-- > 0;) {
    MlirValue operands[MAX_OPERANDS];
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(c.ops[k]); ++i)
      operands[i] = i == c.through[k]
                        ? y
                        : transpose_constant(b, root, tvm_operand(c.ops[k], i));
    y = rebuild(b, c.ops[k], operands);
  }
  mlirPDLResultListPushBackValue(results, y);
}

/* ---- slices ---- */

bool tvm_simplify_has_elements(const MlirPDLValue *args) {
  return tvm_num_elements(mlirValueGetType(mlirPDLValueAsValue(args[0]))) > 0;
}

static int64_t compose_start(MlirOperation inner, MlirOperation outer,
                             intptr_t d) {
  int64_t start = tvm_get_i64s(outer, "starts", d);
  int64_t step = start ? tvm_get_i64s(inner, "steps", d) : 0;
  return tvm_get_i64s(inner, "starts", d) + start * step;
}

void tvm_simplify_compose_starts(tvm_builder *b, const MlirPDLValue *args,
                                 MlirPDLResultList results) {
  MlirOperation inner = mlirPDLValueAsOperation(args[0]);
  MlirOperation outer = mlirPDLValueAsOperation(args[1]);
  int64_t starts[MAX_RANK];
  intptr_t n = tvm_get_i64s_size(outer, "starts");
  for (intptr_t d = 0; d < n; ++d)
    starts[d] = compose_start(inner, outer, d);
  push_i64s(b, results, n, starts);
}

/* The step of a single element is nobody's business, and may be huge. */
void tvm_simplify_compose_steps(tvm_builder *b, const MlirPDLValue *args,
                                MlirPDLResultList results) {
  MlirOperation inner = mlirPDLValueAsOperation(args[0]);
  MlirOperation outer = mlirPDLValueAsOperation(args[1]);
  int64_t steps[MAX_RANK];
  intptr_t n = tvm_get_i64s_size(outer, "steps");
  for (intptr_t d = 0; d < n; ++d)
    steps[d] =
        tvm_get_i64s(outer, "sizes", d) == 1
            ? 1
            : tvm_get_i64s(inner, "steps", d) * tvm_get_i64s(outer, "steps", d);
  push_i64s(b, results, n, steps);
}

/* ---- broadcasts ---- */

static bool broadcast_into(MlirValue v, intptr_t rank, int64_t *shape) {
  int64_t own[MAX_RANK];
  intptr_t own_rank = get_shape(v, own);
  for (intptr_t d = 0; d < own_rank; ++d)
    if (own[d] != 1)
      shape[rank - own_rank + d] = own[d];
  return own_rank == rank;
}

/* Whether the result keeps its shape when operand `skip` gives way to what it
 * broadcasts. Operands agree where they are not 1, which the verifier saw. */
static bool keeps_shape_without(MlirOperation op, intptr_t skip) {
  int64_t shape[MAX_RANK], wanted[MAX_RANK];
  intptr_t rank = get_shape(tvm_result(op, 0), wanted);
  bool full_rank = false;
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = 1;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue v = tvm_operand(op, i);
    if (i == skip)
      v = tvm_operand(tvm_defining_op(v), 0);
    full_rank |= broadcast_into(v, rank, shape);
  }
  return full_rank && memcmp(shape, wanted, (size_t)rank * sizeof *shape) == 0;
}

static intptr_t find_needless_broadcast(MlirOperation op) {
  if (!is_elementwise(op))
    return -1;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (tvm_op_is(tvm_defining_op(tvm_operand(op, i)), "graph.broadcast") &&
        keeps_shape_without(op, i))
      return i;
  return -1;
}

bool tvm_simplify_has_needless_broadcast(const MlirPDLValue *args) {
  return find_needless_broadcast(mlirPDLValueAsOperation(args[0])) >= 0;
}

void tvm_simplify_drop_needless_broadcast(tvm_builder *b,
                                          const MlirPDLValue *args,
                                          MlirPDLResultList results) {
  (void)results;
  MlirOperation op = mlirPDLValueAsOperation(args[0]);
  intptr_t i = find_needless_broadcast(op);
  tvm_rewrite_operand(b, op, i,
                      tvm_operand(tvm_defining_op(tvm_operand(op, i)), 0));
}

/* ---- pads ---- */

/* Batch and channels, the first two dimensions, get none. */
bool tvm_simplify_pads_space_alone(const MlirPDLValue *args) {
  for (int k = 0; k < 2; ++k) {
    MlirAttribute pads = mlirPDLValueAsAttribute(args[k]);
    for (intptr_t d = 0; d < mlirDenseArrayGetNumElements(pads); ++d) {
      int64_t pad = mlirDenseI64ArrayGetElement(pads, d);
      if (pad < 0 || (d < 2 && pad != 0))
        return false;
    }
  }
  return true;
}

void tvm_simplify_add_pads(tvm_builder *b, const MlirPDLValue *args,
                           MlirPDLResultList results) {
  MlirAttribute pads = mlirPDLValueAsAttribute(args[0]);
  int64_t sum[2 * MAX_RANK];
  intptr_t n = mlirDenseArrayGetNumElements(pads);
  for (intptr_t i = 0; i < n; ++i) {
    bool low = i < n / 2;
    MlirAttribute more = mlirPDLValueAsAttribute(args[low ? 1 : 2]);
    sum[i] = mlirDenseI64ArrayGetElement(pads, i) +
             mlirDenseI64ArrayGetElement(more, 2 + (low ? i : i - n / 2));
  }
  push_i64s(b, results, n, sum);
}
