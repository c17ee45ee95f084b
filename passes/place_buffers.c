/* place_buffers.c - let producers write where their consumers read.
 *
 * Concatenations, paddings, slices and transpositions that stand alone after
 * fusion only move elements. Where strides can say the same, the operator is
 * marked (graph/placement.h) and becomes no kernel: parts of a concatenation
 * and the inside of a padded tensor are written in place by their producers,
 * slices are read where they are. A part that cannot be written in place (an
 * input, a value that is part of something else) is copied by a slice of all
 * of it.
 *
 * A mark is kept when every tensor that it moves still has strides, and is read
 * by kernels alone unless it is dense.
 *
 * Runs after tvm-fuse-operators, and nothing may fold graph operators after it.
 * Preserves: results. Terminates: two walks; each operator is marked once. */
#include "graph/placement.h"
#include "passes/passes_internal.h"

enum { MAX_NESTING = 32 }; /* placing a part walks through all its wholes */

static MlirStringRef str(const char *s) {
  return mlirStringRefCreateFromCString(s);
}

static void mark(MlirOperation op, const char *kind) {
  mlirOperationSetDiscardableAttributeByName(
      op, str("placement"),
      mlirStringAttrGet(mlirOperationGetContext(op), str(kind)));
}

static void unmark(MlirOperation op) {
  mlirOperationRemoveDiscardableAttributeByName(op, str("placement"));
}

/* What becomes a kernel: it can read and write with strides. */
static bool is_kernel(MlirOperation op) {
  return op.ptr && tvm_op_in_dialect(op, "graph") &&
         !tvm_op_is(op, "graph.assert") && !tvm_graph_is_view(op) &&
         !tvm_graph_has_parts(op);
}

/* Whether all that reads `v`, where it stands now, can read it there. */
static bool is_readable(MlirValue v) {
  tvm_graph_placement p;
  if (!tvm_graph_place(v, &p))
    return false;
  bool dense = tvm_graph_is_dense(&p, mlirValueGetType(v));
  MlirOpOperand use = mlirValueGetFirstUse(v);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tvm_graph_is_view(user)
            ? !is_readable(tvm_result(user, 0))
            : !dense && !is_kernel(user) && !tvm_graph_has_parts(user))
      return false;
  }
  return true;
}

static bool has_elements(MlirOperation op) {
  return tvm_num_elements(mlirValueGetType(tvm_result(op, 0))) > 0;
}

/* --- views ---------------------------------------------------------------- */

static bool holds_product(MlirOperation op) {
  if (tvm_op_is(op, "graph.matmul"))
    return true;
  if (!tvm_op_is(op, "graph.fused"))
    return false;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation inner = mlirBlockGetFirstOperation(body);
  for (; inner.ptr; inner = mlirOperationGetNextInBlock(inner))
    if (tvm_op_is(inner, "graph.matmul"))
      return true;
  return false;
}

static bool keeps_last_dimension(MlirOperation transpose) {
  int64_t last = tvm_rank(tvm_operand(transpose, 0)) - 1;
  return last >= 0 && tvm_get_i64s(transpose, "permutation", last) == last;
}

/* Matrix products read panels row by row; other kernels would walk across
 * memory once for every element. */
static bool is_read_by_products(MlirValue v) {
  MlirOpOperand use = mlirValueGetFirstUse(v);
  bool any = false;
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tvm_graph_is_view(user) ? !is_read_by_products(tvm_result(user, 0))
                                : !holds_product(user))
      return false;
    any = true;
  }
  return any;
}

static bool steps_forward(MlirOperation slice) {
  int64_t rank = tvm_rank(tvm_operand(slice, 0));
  for (int64_t d = 0; d < rank; ++d) {
    int64_t step = tvm_get_i64s(slice, "steps", d);
    if (step < 1 || (d == rank - 1 && step != 1))
      return false;
  }
  return true;
}

static void try_view(MlirOperation op) {
  mark(op, "view");
  if (!is_readable(tvm_result(op, 0)))
    unmark(op);
}

/* --- parts ---------------------------------------------------------------- */

/* Whether `v` is in use where `whole` is not the only one to say where it
 * stands. */
static bool is_placed(MlirValue v, MlirOperation whole) {
  MlirOpOperand use = mlirValueGetFirstUse(v);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (user.ptr == whole.ptr)
      continue;
    if (tvm_graph_has_parts(user) || !tvm_op_in_dialect(user, "graph"))
      return true;
    if (tvm_graph_is_view(user) && is_placed(tvm_result(user, 0), whole))
      return true;
  }
  return false;
}

static intptr_t count_operand(MlirOperation op, MlirValue v) {
  intptr_t n = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    n += mlirValueEqual(tvm_operand(op, i), v);
  return n;
}

/* How many wholes stand inside of each other at `whole`. */
static int nesting(MlirOperation whole) {
  int depth = 0;
  for (; whole.ptr && tvm_graph_has_parts(whole) && depth <= MAX_NESTING;
       ++depth)
    whole = tvm_defining_op(tvm_operand(whole, 0));
  return depth;
}

/* Whether `v` is made by a kernel, or assembled from parts, and free to stand
 * inside of the result of `whole`. */
static bool can_be_part(MlirOperation whole, MlirValue v) {
  MlirOperation def = tvm_defining_op(v);
  if (!def.ptr || count_operand(whole, v) != 1 || is_placed(v, whole))
    return false;
  if (tvm_graph_has_parts(def))
    return !tvm_op_is(def, "graph.pad") && nesting(def) < MAX_NESTING;
  return is_kernel(def);
}

/* What may be written in place if its view is given up: a slice that only the
 * whole reads, a reshape of a kernel's result. */
static void prepare_part(MlirOperation whole, MlirValue v) {
  MlirOperation def = tvm_defining_op(v);
  if (!def.ptr || !tvm_graph_is_view(def) || !tvm_has_one_use(v) ||
      count_operand(whole, v) != 1)
    return;
  if (!tvm_op_is(def, "graph.reshape"))
    unmark(def);
  else if (can_be_part(def, tvm_operand(def, 0)) &&
           tvm_has_one_use(tvm_operand(def, 0)))
    mark(def, "parts");
}

static MlirValue build_copy(MlirOperation before, MlirValue x) {
  enum { MAX_RANK = TVM_GRAPH_MAX_PLACED_RANK };
  int64_t starts[MAX_RANK] = {0}, sizes[MAX_RANK], steps[MAX_RANK];
  intptr_t rank = tvm_rank(x);
  for (intptr_t d = 0; d < rank; ++d) {
    sizes[d] = tvm_dim(x, d);
    steps[d] = 1;
  }
  tvm_builder b = tvm_builder_before(before);
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64s(b.context, "starts", rank, starts),
      tvm_attr_i64s(b.context, "sizes", rank, sizes),
      tvm_attr_i64s(b.context, "steps", rank, steps)};
  return tvm_graph_build(&b, "slice", 1, &x, 3, attrs);
}

static bool are_readable(MlirOperation whole) {
  bool ok = is_readable(tvm_result(whole, 0));
  for (intptr_t i = 0; ok && i < mlirOperationGetNumOperands(whole); ++i)
    ok = tvm_rank(tvm_operand(whole, i)) == 0 ||
         is_readable(tvm_operand(whole, i));
  return ok;
}

/* Undo prepare_part where the whole has no parts. */
static void release_parts(MlirOperation whole) {
  unmark(whole);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(whole); ++i) {
    MlirOperation def = tvm_defining_op(tvm_operand(whole, i));
    if (def.ptr && tvm_op_is(def, "graph.reshape"))
      unmark(def);
    else if (def.ptr && tvm_op_is(def, "graph.slice") && steps_forward(def) &&
             !tvm_graph_is_view(def))
      try_view(def);
  }
}

/* Whether the values that the kernels write can be told from `v`. */
static bool has_place(MlirValue v) {
  tvm_graph_placement p;
  if (!tvm_graph_place(v, &p))
    return false;
  MlirOperation def = tvm_defining_op(v);
  return !def.ptr || !tvm_op_is(def, "graph.reshape") ||
         !tvm_graph_has_parts(def) || has_place(tvm_operand(def, 0));
}

/* `min_written` parts at least must be written by their producers. */
static void try_concat(MlirOperation op, intptr_t min_written) {
  intptr_t n = mlirOperationGetNumOperands(op), written = 0;
  if (tvm_rank(tvm_result(op, 0)) > TVM_GRAPH_MAX_PLACED_RANK)
    return;
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue v = tvm_operand(op, i);
    if (tvm_num_elements(mlirValueGetType(v)) == 0)
      return;
    prepare_part(op, v);
    written += can_be_part(op, v);
  }
  if (written >= min_written) {
    mark(op, "parts");
    bool ok = true;
    for (intptr_t i = 0; ok && i < n; ++i)
      ok = has_place(tvm_operand(op, i));
    for (intptr_t i = 0; ok && i < n; ++i) {
      MlirValue v = tvm_operand(op, i);
      if (!can_be_part(op, v) || !is_readable(v))
        mlirOperationSetOperand(op, i, build_copy(op, v));
    }
    if (ok && are_readable(op))
      return;
  }
  release_parts(op);
}

static bool is_plain_pad(MlirOperation op) {
  MlirOperation value = tvm_defining_op(tvm_operand(op, 1));
  if (!mlirStringRefEqual(tvm_get_str(op, "mode"), str("constant")) ||
      !value.ptr || !tvm_op_is(value, "arith.constant"))
    return false;
  for (intptr_t d = 0; d < tvm_rank(tvm_result(op, 0)); ++d)
    if (tvm_get_i64s(op, "low", d) < 0 || tvm_get_i64s(op, "high", d) < 0)
      return false;
  return tvm_num_elements(mlirValueGetType(tvm_operand(op, 0))) > 0;
}

static void try_pad(MlirOperation op) {
  MlirValue x = tvm_operand(op, 0);
  if (!is_plain_pad(op))
    return;
  prepare_part(op, x);
  if (can_be_part(op, x)) {
    mark(op, "parts");
    if (has_place(x) && are_readable(op))
      return;
  }
  release_parts(op);
}

static void try_transpose(MlirOperation op) {
  MlirValue x = tvm_operand(op, 0);
  MlirOperation def = tvm_defining_op(x);
  if (!keeps_last_dimension(op) || tvm_rank(x) > TVM_GRAPH_MAX_PLACED_RANK)
    return;
  if (is_read_by_products(tvm_result(op, 0))) {
    try_view(op);
    if (tvm_graph_is_view(op))
      return;
  }
  if (!def.ptr || !holds_product(def) || !tvm_has_one_use(x) ||
      !can_be_part(op, x))
    return;
  mark(op, "parts");
  if (!are_readable(op))
    unmark(op);
}

static void place(MlirOperation op) {
  if (tvm_op_is(op, "graph.slice") && steps_forward(op))
    try_view(op);
  else if (tvm_op_is(op, "graph.transpose"))
    try_transpose(op);
  else if (tvm_op_is(op, "graph.concat"))
    try_concat(op, mlirOperationGetNumOperands(op));
  else if (tvm_op_is(op, "graph.pad"))
    try_pad(op);
}

/* Those that need copies come last: a part of theirs may stand in a padded
 * tensor without one. */
static void place_rest(MlirOperation op) {
  if (tvm_op_is(op, "graph.concat") && !tvm_graph_has_parts(op))
    try_concat(op, 1);
}

MlirLogicalResult tvm_pass_place_buffers(MlirOperation func) {
  static void (*const walks[])(MlirOperation) = {place, place_rest};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  for (size_t i = 0; i < sizeof walks / sizeof *walks; ++i) {
    MlirOperation op = mlirBlockGetFirstOperation(body);
    for (; op.ptr; op = mlirOperationGetNextInBlock(op))
      if (tvm_op_in_dialect(op, "graph") &&
          mlirOperationGetNumResults(op) == 1 && has_elements(op))
        walks[i](op);
  }
  return mlirLogicalResultSuccess();
}
