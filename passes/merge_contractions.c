/* merge_contractions.c - one matrix product in place of several that read the
 * same left operand.
 *
 * The projections of attention (queries, keys, values) multiply the same
 * activation by constant weights. Their weights are concatenated, and so are
 * their biases where each has one; slices of the one result take the place of
 * the results. The left operand is then read once, and what was too little
 * work for all cores at a time is enough.
 *
 * It pays while reading slices in place is cheaper than the launches and
 * readings that go: three products with 128 to 512 rows and their transposes
 * took 5 to 15 % less time, with 2048 rows 7 % more. Preserves: results.
 * Terminates: one walk; a merged product is not looked at again. */
#include "passes/constant_values.h"
#include "passes/passes_internal.h"

#include <stdlib.h>

enum { MAX_ROWS = 512, MAX_MEMBERS = 8, MAX_USES = 32, MAX_RANK = 32 };

typedef struct member {
  MlirOperation product;
  MlirOperation addition; /* of the bias; null when there is none */
  MlirValue weight, bias;
} member;

typedef struct bundle {
  member members[MAX_MEMBERS];
  int count;
  bool biased; /* all of them */
} bundle;

static int64_t count_rows(MlirValue x) {
  int64_t rows = 1;
  for (intptr_t d = 0; d + 1 < tvm_rank(x); ++d)
    rows *= tvm_dim(x, d);
  return rows;
}

/* The bias is a vector of constants that the one user adds. */
static void find_bias(member *m) {
  MlirValue y = tvm_result(m->product, 0);
  if (!tvm_has_one_use(y))
    return;
  MlirOperation user = mlirOpOperandGetOwner(mlirValueGetFirstUse(y));
  if (!tvm_op_is(user, "graph.add"))
    return;
  MlirValue bias = tvm_operand(user, 1);
  if (tvm_rank(bias) == 1 && tvm_dim(bias, 0) == tvm_dim(m->weight, 1) &&
      tvm_is_constant(bias)) {
    m->addition = user;
    m->bias = bias;
  }
}

static bool read_member(MlirOperation op, MlirValue x, member *out) {
  if (!tvm_op_is(op, "graph.matmul") ||
      !mlirValueEqual(tvm_operand(op, 0), x) ||
      !mlirTypeEqual(tvm_element_type(x), tvm_element_type(tvm_result(op, 0))))
    return false;
  MlirValue w = tvm_operand(op, 1);
  if (tvm_rank(w) != 2 || !tvm_has_one_use(w) || !tvm_is_constant(w))
    return false;
  *out = (member){.product = op, .weight = w};
  find_bias(out);
  return true;
}

static int compare_position(const void *a, const void *b) {
  MlirOperation x = ((const member *)a)->product;
  MlirOperation y = ((const member *)b)->product;
  return mlirOperationIsBeforeInBlock(x, y) ? -1 : 1;
}

/* The products of x in the block. A value of very many uses is left alone. */
static bool collect(MlirValue x, MlirBlock block, bundle *out) {
  *out = (bundle){.biased = true};
  int uses = 0;
  MlirOpOperand u = mlirValueGetFirstUse(x);
  for (; !mlirOpOperandIsNull(u); u = mlirOpOperandGetNextUse(u)) {
    MlirOperation user = mlirOpOperandGetOwner(u);
    if (out->count == MAX_MEMBERS || ++uses > MAX_USES)
      return false;
    if (!mlirBlockEqual(mlirOperationGetBlock(user), block) ||
        !read_member(user, x, &out->members[out->count]))
      continue;
    out->biased &= out->members[out->count++].addition.ptr != NULL;
  }
  qsort(out->members, (size_t)out->count, sizeof *out->members,
        compare_position);
  return out->count > 1;
}

/* Move the operations that a constant depends on, where they stand behind. */
static void move_before(MlirValue constant, MlirOperation anchor) {
  MlirOperation op = tvm_defining_op(constant);
  if (mlirOperationIsBeforeInBlock(op, anchor))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    move_before(tvm_operand(op, i), anchor);
  mlirOperationMoveBefore(op, anchor);
}

static MlirValue concat(tvm_builder *b, intptr_t n, const MlirValue *parts,
                        int64_t axis) {
  MlirNamedAttribute attr = tvm_attr_i64(b->context, "axis", axis);
  return tvm_graph_build(b, "concat", n, parts, 1, &attr);
}

static MlirValue build_merged(tvm_builder *b, const bundle *g, MlirValue x) {
  MlirValue weights[MAX_MEMBERS], biases[MAX_MEMBERS];
  for (int i = 0; i < g->count; ++i) {
    weights[i] = g->members[i].weight;
    biases[i] = g->members[i].bias;
    move_before(weights[i], b->before);
    if (g->biased)
      move_before(biases[i], b->before);
  }
  MlirValue product[] = {x, concat(b, g->count, weights, 1)};
  MlirValue y = tvm_graph_build(b, "matmul", 2, product, 0, NULL);
  if (!g->biased)
    return y;
  MlirValue sum[] = {y, concat(b, g->count, biases, 0)};
  return tvm_graph_build(b, "add", 2, sum, 0, NULL);
}

/* `size` columns from `start` on. */
static MlirValue slice_columns(tvm_builder *b, MlirValue y, int64_t start,
                               int64_t size) {
  int64_t starts[MAX_RANK] = {0}, sizes[MAX_RANK], steps[MAX_RANK];
  intptr_t rank = (intptr_t)tvm_rank(y);
  for (intptr_t d = 0; d < rank; ++d) {
    sizes[d] = tvm_dim(y, d);
    steps[d] = 1;
  }
  starts[rank - 1] = start;
  sizes[rank - 1] = size;
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64s(b->context, "starts", rank, starts),
      tvm_attr_i64s(b->context, "sizes", rank, sizes),
      tvm_attr_i64s(b->context, "steps", rank, steps)};
  return tvm_graph_build(b, "slice", 1, &y, 3, attrs);
}

/* The old operations are left dead: the walk stands among them. */
static void merge(const bundle *g, MlirValue x) {
  tvm_builder b = tvm_builder_before(g->members[0].product);
  MlirValue y = build_merged(&b, g, x);
  int64_t start = 0;
  for (int i = 0; i < g->count; ++i) {
    const member *m = &g->members[i];
    int64_t size = tvm_dim(m->weight, 1);
    MlirValue old = tvm_result(g->biased ? m->addition : m->product, 0);
    mlirValueReplaceAllUsesOfWith(old, slice_columns(&b, y, start, size));
    start += size;
  }
}

MlirLogicalResult tvm_pass_merge_contractions(MlirOperation func) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    bundle g;
    if (!tvm_op_is(op, "graph.matmul"))
      continue;
    MlirValue x = tvm_operand(op, 0);
    if (count_rows(x) <= MAX_ROWS && !tvm_is_constant(x) &&
        collect(x, body, &g) && g.members[0].product.ptr == op.ptr)
      merge(&g, x);
  }
  return mlirLogicalResultSuccess();
}
