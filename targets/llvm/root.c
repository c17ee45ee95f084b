/* root.c - where a kernel's result is made, and how to cut that work. */
#include "llvm/schedule_internal.h"

#include "mlir-c/AffineExpr.h"
#include "llvm/access.h"

#include <stdlib.h>
#include <string.h>

enum {
  PIECE_WORK = 8192,   /* iterations that one piece should hold */
  PIECE_RESULT = 4096, /* elements of the result that it should write */
};

static MlirStringRef str(const char *s) {
  return mlirStringRefCreateFromCString(s);
}

/* Results are written in place, and every buffer has a layout that is known. */
static MlirAttribute argument_attributes(MlirBlock entry, intptr_t i,
                                         bool writable) {
  MlirValue argument = mlirBlockGetArgument(entry, i);
  MlirContext context = mlirTypeGetContext(mlirValueGetType(argument));
  MlirAttribute layout = tvm_access_layout(argument);
  if (!layout.ptr)
    layout = mlirAffineMapAttrGet(
        mlirAffineMapMultiDimIdentityGet(context, tvm_rank(argument)));
  MlirNamedAttribute attrs[] = {
      tvm_attr(context, "bufferization.buffer_layout", layout),
      tvm_attr(context, "bufferization.writable",
               mlirBoolAttrGet(context, writable))};
  return mlirDictionaryAttrGet(context, 2, attrs);
}

void tvm_schedule_mark_destinations(MlirOperation func) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirOperation ret = mlirBlockGetTerminator(entry);
  MlirContext context = mlirOperationGetContext(func);
  intptr_t n = mlirOperationGetNumOperands(ret);
  intptr_t n_args = mlirBlockGetNumArguments(entry);
  MlirAttribute *attrs = malloc((size_t)(n_args + 1) * sizeof *attrs);
  for (intptr_t i = 0; i < n_args; ++i)
    attrs[i] = argument_attributes(entry, i, i >= n_args - n);
  mlirOperationSetInherentAttributeByName(
      func, str("arg_attrs"), mlirArrayAttrGet(context, n_args, attrs));
  free(attrs);
}

static bool has_uses(MlirValue value) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(value));
}

/* A value that is returned twice is made twice: one buffer cannot be two
 * destinations. Folding constants makes such. */
static void separate_results(MlirOperation ret) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(ret); ++i)
    for (intptr_t j = 0; j < i; ++j) {
      MlirValue v = tvm_operand(ret, i);
      MlirOperation maker = tvm_defining_op(v);
      if (!maker.ptr || !mlirValueEqual(v, tvm_operand(ret, j)))
        continue;
      intptr_t k = mlirOpResultGetResultNumber(v);
      MlirOperation copy = mlirOperationClone(maker);
      mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(ret), ret,
                                          copy);
      mlirOperationSetOperand(ret, i, mlirOperationGetResult(copy, k));
    }
}

void tvm_schedule_bind_destinations(MlirOperation func) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirOperation ret = mlirBlockGetTerminator(entry);
  intptr_t n = mlirOperationGetNumOperands(ret);
  intptr_t n_args = mlirBlockGetNumArguments(entry);
  tvm_builder b = tvm_builder_before(ret);
  separate_results(ret);
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue pair[] = {tvm_operand(ret, i),
                        mlirBlockGetArgument(entry, n_args - n + i)};
    /* A loop that carries the destination writes nowhere else, and reading
     * its result would be a conflict with those writes. */
    MlirOperation maker = tvm_defining_op(pair[0]);
    if (mlirValueEqual(pair[0], pair[1]) ||
        (maker.ptr && tvm_op_is(maker, "scf.for") && has_uses(pair[1])))
      continue;
    MlirValue bound =
        tvm_build_value(&b, "bufferization.materialize_in_destination",
                        mlirValueGetType(pair[1]), 2, pair, 0, NULL);
    mlirOperationSetOperand(ret, i, bound);
  }
  tvm_schedule_mark_destinations(func);
}

/* The generic that makes what the function returns, all of it. */
static MlirOperation find_root(MlirOperation func) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirOperation ret = mlirBlockGetTerminator(entry), root = {0};
  intptr_t n = mlirOperationGetNumOperands(ret);
  for (intptr_t i = 0; i < n; ++i) {
    MlirOperation op = tvm_defining_op(tvm_operand(ret, i));
    if (op.ptr && tvm_op_is(op, "bufferization.materialize_in_destination"))
      op = tvm_defining_op(tvm_operand(op, 0));
    if (!op.ptr || !tvm_op_is(op, "linalg.generic") ||
        (root.ptr && root.ptr != op.ptr))
      return (MlirOperation){0};
    root = op;
  }
  if (root.ptr && mlirOperationGetNumResults(root) != n)
    return (MlirOperation){0};
  return root;
}

/* Which result of the map is loop `d` on its own; -1 when none. */
static intptr_t result_of_loop(MlirAffineMap map, intptr_t d) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    if (mlirAffineExprIsADim(expr) && mlirAffineDimExprGetPosition(expr) == d)
      return i;
  }
  return -1;
}

static bool is_cheap(MlirOperation op) {
  return tvm_op_is(op, "linalg.fill") || tvm_op_is(op, "tensor.empty") ||
         tvm_op_is(op, "arith.constant");
}

/* Forget the loops along which cutting would compute a producer twice. */
static void restrict_loops(MlirOperation op, bool *may_cut, int depth) {
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); ++k) {
    MlirOperation producer = tvm_defining_op(tvm_operand(op, k));
    if (!producer.ptr || is_cheap(producer))
      continue;
    bool fusable = tvm_op_is(producer, "linalg.generic") && depth < 16;
    if (!fusable)
      continue; /* stays in front of the loop, computed once */
    MlirAffineMap map = tvm_linalg_map(op, k);
    MlirAffineMap out =
        tvm_linalg_map(producer, tvm_linalg_num_inputs(producer));
    bool inner[TVM_MAX_LOOPS] = {0};
    intptr_t loop_of[TVM_MAX_LOOPS];
    intptr_t n = tvm_linalg_num_loops(op);
    if (tvm_linalg_num_loops(producer) > TVM_MAX_LOOPS) {
      memset(may_cut, 0, (size_t)n * sizeof *may_cut);
      return;
    }
    for (intptr_t d = 0; d < n; ++d) {
      intptr_t at = result_of_loop(map, d);
      loop_of[d] = -1;
      if (at >= 0) {
        MlirAffineExpr expr = mlirAffineMapGetResult(out, at);
        if (mlirAffineExprIsADim(expr))
          loop_of[d] = mlirAffineDimExprGetPosition(expr);
      }
      if (loop_of[d] < 0)
        may_cut[d] = false;
      else
        inner[loop_of[d]] = may_cut[d];
    }
    restrict_loops(producer, inner, depth + 1);
    for (intptr_t d = 0; d < n; ++d)
      if (loop_of[d] >= 0)
        may_cut[d] = may_cut[d] && inner[loop_of[d]];
  }
}

static int64_t largest_divisor(int64_t n, int64_t limit) {
  for (int64_t d = limit < n ? limit : n; d > 1; --d)
    if (n % d == 0)
      return d;
  return 1;
}

/* Rows are the innermost loops, where a producer reduces along them: the cut
 * loops stand outside, one iteration of them is a row. */
static void choose_rows(MlirOperation root, const bool *may_cut,
                        const int64_t *extents, tvm_schedule_tiles *t) {
  intptr_t last = t->rank - 1;
  while (last >= 0 && extents[last] == 1)
    --last;
  intptr_t first = last;
  while (first >= 0 && (!may_cut[first] || extents[first] == 1))
    --first;
  t->has_rows = first < last;
  for (intptr_t d = 0; d < t->rank; ++d) {
    t->rows[d] = may_cut[d] && extents[d] > 1;
    if (tvm_linalg_is_reduction(root, d) ||
        (d <= first && !may_cut[d] && extents[d] > 1))
      t->has_rows = false;
  }
}

/* Whether all other work is of a kind that fuses into the root's loop. */
bool tvm_schedule_choose_tiles(MlirOperation func, tvm_schedule_tiles *out) {
  MlirOperation root = find_root(func);
  int64_t extents[TVM_MAX_LOOPS];
  if (!root.ptr || !tvm_access_extents(root, extents))
    return false;
  intptr_t n = tvm_linalg_num_loops(root);
  bool may_cut[TVM_MAX_LOOPS];
  int64_t work = 1, result = 1;
  MlirAffineMap map = tvm_linalg_map(root, tvm_linalg_num_inputs(root));
  for (intptr_t d = 0; d < n; ++d) {
    bool reduction = tvm_linalg_is_reduction(root, d);
    may_cut[d] = !reduction && result_of_loop(map, d) >= 0;
    work *= extents[d];
    result *= reduction ? 1 : extents[d];
  }
  restrict_loops(root, may_cut, 0);
  bool any = false;
  for (intptr_t d = 0; d < n; ++d) {
    out->pieces[d] = 0;
    if (!may_cut[d] || extents[d] == 1)
      continue;
    if (work <= PIECE_WORK && result <= PIECE_RESULT)
      continue;
    /* how many iterations of this loop fit into one piece */
    int64_t row = work / extents[d], row_result = result / extents[d];
    int64_t fit = PIECE_WORK / (row ? row : 1);
    int64_t fit_result = PIECE_RESULT / (row_result ? row_result : 1);
    fit = fit_result < fit ? fit_result : fit;
    out->pieces[d] = largest_divisor(extents[d], fit < 1 ? 1 : fit);
    if (out->pieces[d] == extents[d]) {
      out->pieces[d] = 0;
      continue;
    }
    work = row * out->pieces[d];
    result = row_result * out->pieces[d];
    any = true;
  }
  if (!any)
    return false;
  out->rank = n;
  choose_rows(root, may_cut, extents, out);
  mlirOperationSetDiscardableAttributeByName(
      root, str("tvm.root"), mlirUnitAttrGet(mlirOperationGetContext(root)));
  return true;
}
