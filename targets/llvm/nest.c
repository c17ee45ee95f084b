/* nest.c - read the loops of a kernel from its linalg operations.
 *
 * All accesses are linear in the loops (access.h). The loops over the output
 * are cut at every place where the core operation or its epilogue has a loop
 * boundary, then neighbours that are contiguous in all operands are merged. */
#include "llvm/nest.h"

#include <stdlib.h>
#include <string.h>

/* --- find the operations ------------------------------------------------ */

static bool has_reduction(MlirOperation generic) {
  for (intptr_t i = 0; i < tvm_linalg_num_loops(generic); ++i)
    if (tvm_linalg_is_reduction(generic, i))
      return true;
  return false;
}

static bool is_bookkeeping(MlirOperation op) {
  static const char *const names[] = {"tensor.empty", "tensor.expand_shape",
                                      "tensor.collapse_shape", "linalg.fill",
                                      "arith.constant"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (tvm_op_is(op, names[i]))
      return true;
  return false;
}

/* The core and at most one elementwise operation, nothing else. */
static bool collect_operations(MlirBlock entry, tvm_nest *n) {
  MlirOperation op = mlirBlockGetFirstOperation(entry);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (tvm_op_is(op, "linalg.generic")) {
      MlirOperation *slot = has_reduction(op) ? &n->core : &n->epilogue;
      if (slot->ptr || mlirOperationGetNumResults(op) != 1)
        return false;
      *slot = op;
    } else if (tvm_op_is(op, "func.return")) {
      n->ret = op;
    } else if (!is_bookkeeping(op)) {
      return false;
    }
  }
  return n->core.ptr && n->ret.ptr && mlirOperationGetNumOperands(n->ret) == 1;
}

bool tvm_nest_find(MlirOperation func, tvm_nest *n) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  if (!collect_operations(entry, n))
    return false;
  MlirOperation last = n->epilogue.ptr ? n->epilogue : n->core;
  MlirValue returned = tvm_operand(n->ret, 0);
  intptr_t n_args = mlirBlockGetNumArguments(entry);
  if (!n_args ||
      !mlirValueEqual(tvm_access_base(returned), tvm_result(last, 0)))
    return false;
  n->destination = mlirBlockGetArgument(entry, n_args - 1);
  MlirOperation fill = tvm_defining_op(
      tvm_access_base(tvm_operand(n->core, tvm_linalg_num_inputs(n->core))));
  if (!fill.ptr || !tvm_op_is(fill, "linalg.fill"))
    return false;
  n->fill_value = tvm_operand(fill, 0);
  return mlirTypeEqual(mlirValueGetType(n->destination),
                       mlirValueGetType(returned));
}

/* --- read the loops ----------------------------------------------------- */

static int by_out_stride(const void *a, const void *b) {
  int64_t x = ((const tvm_nest_loop *)a)->out,
          y = ((const tvm_nest_loop *)b)->out;
  return x < y ? 1 : x > y ? -1 : 0;
}

static int by_first_stride(const void *a, const void *b) {
  int64_t x = ((const tvm_nest_loop *)a)->strides[0],
          y = ((const tvm_nest_loop *)b)->strides[0];
  return x < y ? 1 : x > y ? -1 : 0;
}

/* Outermost first; the result must be dense and written once. */
static bool sort_dense(tvm_nest_loops *list) {
  qsort(list->items, (size_t)list->count, sizeof(tvm_nest_loop), by_out_stride);
  int64_t expected = 1;
  for (intptr_t i = list->count; i-- > 0;) {
    if (list->items[i].out != expected)
      return false;
    expected *= list->items[i].extent;
  }
  return true;
}

/* The loops of one generic, with the strides of its inputs at `first`. */
static bool read_loops(MlirOperation op, tvm_nest *n, intptr_t first,
                       tvm_nest_loops *parallel, tvm_nest_loops *reduction) {
  int64_t extents[TVM_MAX_LOOPS];
  intptr_t n_in = tvm_linalg_num_inputs(op);
  tvm_access out;
  if (first + n_in > TVM_MAX_OPERANDS || !tvm_access_extents(op, extents) ||
      !tvm_access_read(tvm_linalg_map(op, n_in), tvm_operand(op, n_in), &out) ||
      out.offset != 0)
    return false;
  for (intptr_t k = 0; k < n_in; ++k) {
    tvm_access *a = &n->operands[first + k];
    MlirBlock body = tvm_linalg_body(op);
    if (!mlirTypeIsARankedTensor(mlirValueGetType(tvm_operand(op, k))) ||
        !tvm_access_read(tvm_linalg_map(op, k), tvm_operand(op, k), a) ||
        !tvm_access_apply_layout(a, tvm_linalg_num_loops(op), extents))
      return false;
    n->is_core_result[first + k] =
        mlirValueEqual(a->base, tvm_result(n->core, 0));
    n->is_unused[first + k] = mlirOpOperandIsNull(
        mlirValueGetFirstUse(mlirBlockGetArgument(body, k)));
  }
  for (intptr_t d = 0; d < tvm_linalg_num_loops(op); ++d) {
    bool is_reduction = tvm_linalg_is_reduction(op, d);
    if (extents[d] == 1)
      continue;
    tvm_nest_loops *list = is_reduction ? reduction : parallel;
    if (!list || is_reduction != (out.strides[d] == 0))
      return false;
    tvm_nest_loop *l = &list->items[list->count++];
    memset(l, 0, sizeof *l);
    l->extent = extents[d];
    l->out = out.strides[d];
    for (intptr_t k = 0; k < n_in; ++k)
      if (!n->is_unused[first + k])
        l->strides[first + k] = n->operands[first + k].strides[d];
  }
  return sort_dense(parallel);
}

static int64_t total(const tvm_nest_loops *list) {
  return list->count ? list->items[0].out * list->items[0].extent : 1;
}

/* The piece of `list` that holds the output stride `out`. */
static const tvm_nest_loop *loop_at(const tvm_nest_loops *list, int64_t out) {
  for (intptr_t i = 0; i < list->count; ++i)
    if (list->items[i].out <= out)
      return &list->items[i];
  return NULL;
}

static void add_strides(tvm_nest_loop *piece, const tvm_nest_loops *from,
                        intptr_t first, intptr_t last) {
  const tvm_nest_loop *l = loop_at(from, piece->out);
  for (intptr_t k = first; l && k < last; ++k)
    piece->strides[k] = l->strides[k] * (piece->out / l->out);
}

/* The dimension of a destination with a layout that holds the output stride
 * `out`: loops must not run across it. */
static int64_t dimension_at(const tvm_nest *n, int64_t out) {
  int64_t stride = 1, found = 1;
  if (!tvm_access_layout(n->destination).ptr)
    return 1;
  for (intptr_t i = tvm_rank(n->destination); i-- > 0 && stride <= out;
       stride *= tvm_dim(n->destination, i))
    found = stride;
  return found;
}

/* Where the destination itself stands: the strides of its layout. */
static bool place_destination(tvm_nest *n) {
  tvm_nest_loops *p = &n->parallel;
  tvm_access a = {.base = n->destination};
  int64_t extents[TVM_MAX_LOOPS];
  for (intptr_t i = 0; i < p->count; ++i) {
    extents[i] = p->items[i].extent;
    a.strides[i] = p->items[i].out;
  }
  if (!tvm_access_apply_layout(&a, p->count, extents))
    return false;
  for (intptr_t i = 0; i < p->count; ++i)
    p->items[i].strides[TVM_NEST_DESTINATION] = a.strides[i];
  n->destination_offset = a.offset;
  return true;
}

/* Cut both lists at the union of their boundaries. */
static bool cut_loops(tvm_nest *n, const tvm_nest_loops *core,
                      const tvm_nest_loops *epi) {
  int64_t end = total(core);
  if (n->epilogue.ptr && total(epi) != end)
    return false;
  while (end > 1) {
    const tvm_nest_loop *a = loop_at(core, end - 1);
    const tvm_nest_loop *b = n->epilogue.ptr ? loop_at(epi, end - 1) : a;
    int64_t start = a->out > b->out ? a->out : b->out;
    int64_t edge = dimension_at(n, end - 1);
    start = edge > start ? edge : start;
    if (end % start || start % a->out || start % b->out ||
        n->parallel.count == TVM_MAX_LOOPS)
      return false;
    tvm_nest_loop *piece = &n->parallel.items[n->parallel.count++];
    memset(piece, 0, sizeof *piece);
    piece->extent = end / start;
    piece->out = start;
    add_strides(piece, core, 0, n->n_core);
    if (n->epilogue.ptr)
      add_strides(piece, epi, n->n_core, n->n_operands);
    end = start;
  }
  return true;
}

static bool can_merge(const tvm_nest_loop *outer, const tvm_nest_loop *inner,
                      intptr_t n) {
  for (intptr_t k = 0; k < n; ++k)
    if (outer->strides[k] != inner->strides[k] * inner->extent)
      return false;
  return outer->strides[TVM_NEST_DESTINATION] ==
         inner->strides[TVM_NEST_DESTINATION] * inner->extent;
}

static void merge_loops(tvm_nest_loops *list, intptr_t n_operands) {
  intptr_t kept = 0;
  for (intptr_t i = 0; i < list->count; ++i) {
    tvm_nest_loop *previous = kept ? &list->items[kept - 1] : NULL;
    if (previous && can_merge(previous, &list->items[i], n_operands)) {
      int64_t extent = previous->extent * list->items[i].extent;
      *previous = list->items[i];
      previous->extent = extent;
    } else {
      list->items[kept++] = list->items[i];
    }
  }
  list->count = kept;
}

bool tvm_nest_read(tvm_nest *n) {
  tvm_nest_loops core = {0}, epilogue = {0};
  n->n_core = n->n_operands = tvm_linalg_num_inputs(n->core);
  if (!read_loops(n->core, n, 0, &core, &n->reduction))
    return false;
  if (n->epilogue.ptr) {
    n->n_operands += tvm_linalg_num_inputs(n->epilogue);
    if (!read_loops(n->epilogue, n, n->n_core, &epilogue, NULL))
      return false;
  }
  if (!cut_loops(n, &core, &epilogue) || !place_destination(n))
    return false;
  merge_loops(&n->parallel, n->n_operands);
  qsort(n->reduction.items, (size_t)n->reduction.count, sizeof(tvm_nest_loop),
        by_first_stride);
  merge_loops(&n->reduction, n->n_core);
  const tvm_nest_loops *p = &n->parallel;
  return p->count && n->reduction.count &&
         p->items[p->count - 1].strides[TVM_NEST_DESTINATION] == 1;
}
