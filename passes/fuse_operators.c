/* fuse_operators.c - group operators into kernels by operator class.
 *
 * An operator joins the group that all its users are in when the classes allow
 * it (paper, section 3): elementwise into elementwise and into reductions,
 * complex operators (convolution, matrix product) and reductions with the
 * elementwise chain that follows them. A group has one root, which dominates
 * all ways out of the other members, so that no cycle can arise. In elementwise
 * groups a member may also have users that stand behind the root: then it is
 * one more result. Groups of two and more become graph.fused.
 *
 * Preserves: results. Terminates: one reverse walk. */
#include "base/value_set.h"
#include "passes/passes_internal.h"

#include <stdlib.h>

/* Past this a kernel's epilogue no longer fits a register tile. */
enum { MAX_GROUP = 24, MAX_RESULTS = 4 };

typedef struct group {
  MlirOperation root;
  MlirOperation *members; /* reverse program order */
  size_t count;
  MlirOperation results[MAX_RESULTS]; /* the root, then those used behind it */
  intptr_t n_results;
  bool has_anchor; /* holds a complex operator or a reduction */
} group;

typedef struct fuse_state {
  tvm_value_map group_of; /* first result -> group */
  group **groups;         /* reverse program order of the roots */
  size_t count, capacity;
} fuse_state;

static const tvm_graph_operator *row_of(MlirOperation op) {
  return tvm_graph_find_operator(mlirIdentifierStr(mlirOperationGetName(op)));
}

/* Whether elementwise operators alone read the result. */
static bool feeds_elementwise(MlirOperation op) {
  MlirOpOperand u = mlirValueGetFirstUse(tvm_result(op, 0));
  bool any = !mlirOpOperandIsNull(u);
  for (; !mlirOpOperandIsNull(u); u = mlirOpOperandGetNextUse(u)) {
    const tvm_graph_operator *row = row_of(mlirOpOperandGetOwner(u));
    any &= row && row->op_class == TVM_GRAPH_ELEMENTWISE;
  }
  return any;
}

static bool same_shape(MlirValue a, MlirValue b) {
  if (tvm_rank(a) != tvm_rank(b))
    return false;
  for (int64_t d = 0; d < tvm_rank(a); ++d)
    if (tvm_dim(a, d) != tvm_dim(b, d))
      return false;
  return true;
}

static bool is_anchor(const tvm_graph_operator *row) {
  return row->op_class == TVM_GRAPH_COMPLEX ||
         row->op_class == TVM_GRAPH_REDUCTION;
}

static bool is_bool(MlirValue v) {
  MlirType type = tvm_element_type(v);
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1;
}

/* Whether the value is what a complex operator computes, perhaps after an
 * elementwise chain: its accumulators take the chain for nothing. */
static bool ends_complex_chain(MlirValue v, int depth) {
  MlirOperation op = tvm_defining_op(v);
  const tvm_graph_operator *row = op.ptr ? row_of(op) : NULL;
  if (!row || depth > MAX_GROUP)
    return false;
  if (row->op_class != TVM_GRAPH_ELEMENTWISE)
    return row->op_class == TVM_GRAPH_COMPLEX;
  bool ends = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue x = tvm_operand(op, i);
    if (is_bool(x))
      return false;
    MlirOperation from = tvm_defining_op(x);
    ends |= from.ptr && same_shape(x, v) && feeds_elementwise(from) &&
            ends_complex_chain(x, depth + 1);
  }
  return ends;
}

/* Softmax, norms, pools, sums: an elementwise operator can take their result as
 * it is made. Positions of extremes are made together with the extremes. */
static bool takes_epilogue(MlirOperation op) {
  return row_of(op)->op_class == TVM_GRAPH_REDUCTION &&
         !tvm_op_is(op, "graph.arg_max") && !tvm_op_is(op, "graph.arg_min");
}

static bool in_group(const fuse_state *s, const group *g, MlirValue v) {
  return tvm_value_map_get_pointer(&s->group_of, v) == g;
}

/* Truth values in memory, a byte each, are no vectors: with them a complex
 * operator would lose its schedule. */
static bool touches_bools(const fuse_state *s, const group *g) {
  for (size_t m = 0; m < g->count; ++m)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(g->members[m]); ++i) {
      MlirValue v = tvm_operand(g->members[m], i);
      if (is_bool(v) && !in_group(s, g, v))
        return true;
    }
  return is_bool(tvm_result(g->root, 0));
}

/* Whether the elementwise `op` may be computed where `user` reads it. */
static bool can_join_elementwise(MlirOperation op, MlirOperation user,
                                 const group *g) {
  MlirValue x = tvm_result(op, 0);
  bool is_epilogue = ends_complex_chain(x, 0);
  if (row_of(user)->op_class == TVM_GRAPH_ELEMENTWISE) /* one anchor a group */
    return same_shape(x, tvm_result(user, 0)) &&
           !(g->has_anchor && is_epilogue);
  return row_of(user)->op_class == TVM_GRAPH_REDUCTION &&
         !tvm_op_is(user, "graph.pool") && !is_epilogue;
}

static bool can_join(const fuse_state *s, MlirOperation op, MlirOperation user,
                     const group *g) {
  const tvm_graph_operator *from = row_of(op), *to = row_of(user);
  if (!from || !to || g->count >= MAX_GROUP)
    return false;
  if (from->op_class == TVM_GRAPH_ELEMENTWISE)
    return can_join_elementwise(op, user, g);
  if (g->has_anchor || g->n_results > 1 ||
      to->op_class != TVM_GRAPH_ELEMENTWISE ||
      !same_shape(tvm_result(op, 0), tvm_result(user, 0)))
    return false;
  if (from->op_class == TVM_GRAPH_COMPLEX)
    return !touches_bools(s, g);
  return takes_epilogue(op);
}

static group *group_of_user(const fuse_state *s, MlirOpOperand use) {
  MlirOperation user = mlirOpOperandGetOwner(use);
  return mlirOperationGetNumResults(user) == 1
             ? tvm_value_map_get_pointer(&s->group_of, tvm_result(user, 0))
             : NULL;
}

/* The group of users that stands first. */
static group *first_group(const fuse_state *s, MlirOperation op) {
  group *first = NULL;
  MlirOpOperand u = mlirValueGetFirstUse(tvm_result(op, 0));
  for (; !mlirOpOperandIsNull(u); u = mlirOpOperandGetNextUse(u)) {
    group *g = group_of_user(s, u);
    if (g && (!first || mlirOperationIsBeforeInBlock(g->root, first->root)))
      first = g;
  }
  return first;
}

static bool can_escape(MlirOperation op, const group *g) {
  return row_of(op)->op_class == TVM_GRAPH_ELEMENTWISE && !g->has_anchor &&
         g->n_results < MAX_RESULTS &&
         !ends_complex_chain(tvm_result(op, 0), 0);
}

/* The group that may take the op in, or null: it holds all users, or the others
 * stand behind it, which `out_escapes` tells. */
static group *find_group(const fuse_state *s, MlirOperation op,
                         bool *out_escapes) {
  group *g = first_group(s, op);
  *out_escapes = false;
  if (!g)
    return NULL;
  MlirOpOperand u = mlirValueGetFirstUse(tvm_result(op, 0));
  for (; !mlirOpOperandIsNull(u); u = mlirOpOperandGetNextUse(u)) {
    MlirOperation user = mlirOpOperandGetOwner(u);
    if (group_of_user(s, u) == g) {
      if (!can_join(s, op, user, g))
        return NULL;
    } else {
      if (!can_escape(op, g) || !mlirOperationIsBeforeInBlock(g->root, user))
        return NULL;
      *out_escapes = true;
    }
  }
  return g;
}

static group *new_group(fuse_state *s, MlirOperation root) {
  if (s->count == s->capacity) {
    s->capacity = s->capacity ? 2 * s->capacity : 64;
    s->groups = realloc(s->groups, s->capacity * sizeof *s->groups);
  }
  group *g = calloc(1, sizeof *g);
  g->root = root;
  g->results[g->n_results++] = root;
  g->members = calloc(MAX_GROUP, sizeof *g->members);
  return s->groups[s->count++] = g;
}

static void join(fuse_state *s, group *g, MlirOperation op) {
  g->members[g->count++] = op;
  g->has_anchor |= is_anchor(row_of(op));
  tvm_value_map_put_pointer(&s->group_of, tvm_result(op, 0), g);
}

static void assign(fuse_state *s, MlirOperation op) {
  if (!row_of(op) || mlirOperationGetNumResults(op) != 1)
    return;
  bool escapes;
  group *g = find_group(s, op, &escapes);
  if (g && escapes)
    g->results[g->n_results++] = op;
  join(s, g ? g : new_group(s, op), op);
}

/* The values that a group reads from outside, each once. */
static size_t collect_inputs(const fuse_state *s, const group *g,
                             MlirValue *inputs, tvm_value_map *index) {
  size_t n = 0;
  for (size_t m = g->count; m-- > 0;)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(g->members[m]); ++i) {
      MlirValue v = tvm_operand(g->members[m], i);
      if (in_group(s, g, v) || tvm_value_set_has(index, v))
        continue;
      tvm_value_set_add(index, v);
      inputs[n++] = v;
    }
  return n;
}

static size_t count_operands(const group *g) {
  size_t n = 0;
  for (size_t m = 0; m < g->count; ++m)
    n += (size_t)mlirOperationGetNumOperands(g->members[m]);
  return n;
}

/* Give the users outside of the group `to` in the place of `from`. */
static void replace_outside(const fuse_state *s, const group *g, MlirValue from,
                            MlirValue to) {
  MlirOpOperand next, u = mlirValueGetFirstUse(from);
  for (; !mlirOpOperandIsNull(u); u = next) {
    next = mlirOpOperandGetNextUse(u);
    if (group_of_user(s, u) != g)
      mlirOperationSetOperand(mlirOpOperandGetOwner(u),
                              mlirOpOperandGetOperandNumber(u), to);
  }
}

static void outline_group(const fuse_state *s, group *g) {
  size_t most = count_operands(g);
  MlirValue *inputs = malloc((most + 1) * sizeof *inputs);
  MlirType *types = malloc((most + 1) * sizeof *types);
  MlirLocation *locations = malloc((most + 1) * sizeof *locations);
  tvm_value_map arguments = {0};
  size_t n = collect_inputs(s, g, inputs, &arguments);
  MlirLocation location = mlirOperationGetLocation(g->root);
  for (size_t i = 0; i < n; ++i) {
    types[i] = mlirValueGetType(inputs[i]);
    locations[i] = location;
  }
  MlirBlock block = mlirBlockCreate((intptr_t)n, types, locations);
  for (size_t i = 0; i < n; ++i)
    tvm_value_map_put(&arguments, inputs[i],
                      mlirBlockGetArgument(block, (intptr_t)i));
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  tvm_builder b = tvm_builder_before(g->root);
  MlirValue yields[MAX_RESULTS];
  MlirType result_types[MAX_RESULTS];
  for (intptr_t i = 0; i < g->n_results; ++i) {
    yields[i] = tvm_result(g->results[i], 0);
    result_types[i] = mlirValueGetType(yields[i]);
  }
  MlirOperation fused =
      tvm_build_op(&b, "graph.fused", g->n_results, result_types, (intptr_t)n,
                   inputs, 0, NULL, 1, &region);
  for (intptr_t i = 0; i < g->n_results; ++i)
    replace_outside(s, g, yields[i], tvm_result(fused, i));
  for (size_t m = g->count; m-- > 0;) {
    MlirOperation op = g->members[m];
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      MlirValue v = tvm_value_map_get(&arguments, tvm_operand(op, i));
      if (v.ptr)
        mlirOperationSetOperand(op, i, v);
    }
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(block, op);
  }
  tvm_builder end = tvm_builder_at_end(block, location);
  tvm_build_op(&end, "graph.yield", 0, NULL, g->n_results, yields, 0, NULL, 0,
               NULL);
  tvm_value_map_finish(&arguments);
  free(inputs);
  free(types);
  free(locations);
}

static void assign_all(fuse_state *s, MlirBlock body) {
  size_t n = 0, capacity = 256;
  MlirOperation *ops = malloc(capacity * sizeof *ops);
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (n == capacity)
      ops = realloc(ops, (capacity *= 2) * sizeof *ops);
    ops[n++] = op;
  }
  while (n-- > 0)
    assign(s, ops[n]);
  free(ops);
}

MlirLogicalResult tvm_pass_fuse_operators(MlirOperation func) {
  fuse_state s = {0};
  assign_all(&s, mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0)));
  for (size_t i = s.count; i-- > 0;)
    if (s.groups[i]->count > 1)
      outline_group(&s, s.groups[i]);
  for (size_t i = 0; i < s.count; ++i) {
    free(s.groups[i]->members);
    free(s.groups[i]);
  }
  free(s.groups);
  tvm_value_map_finish(&s.group_of);
  return mlirLogicalResultSuccess();
}
