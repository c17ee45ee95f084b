/* sort.c - operators that walk an axis in order: top_k and cum_sum. */
#include "graph_to_te/indices.h"

/* All dimensions but the axis, as one loop. */
typedef struct {
  intptr_t rank, axis;
  int64_t extent, rows, shape[TVM_LOWER_MAX_RANK];
} walk;

static walk begin_walk(const tvm_lowering *l) {
  walk w = {.rank = tvm_rank(l->operands[0]),
            .axis = tvm_get_i64(l->op, "axis"),
            .rows = 1};
  tvm_shape_of(mlirValueGetType(l->operands[0]), w.shape);
  w.extent = w.shape[w.axis];
  w.shape[w.axis] = 1;
  for (intptr_t i = 0; i < w.rank; ++i)
    w.rows *= w.shape[i];
  return w;
}

static MlirValue read_at(tvm_builder *b, const walk *w, MlirValue tensor,
                         MlirValue *at, MlirValue position) {
  at[w->axis] = position;
  return tvm_widen(b, tvm_extract(b, tensor, at));
}

static MlirValue write_at(tvm_builder *b, const walk *w, MlirValue x,
                          MlirValue tensor, MlirValue *at, MlirValue position) {
  at[w->axis] = position;
  return tvm_insert(b, tvm_narrow(b, x, tvm_element_type(tensor)), tensor, at);
}

/* --- cum_sum ----------------------------------------------------------------
 */

static MlirValue sum_row(tvm_lowering *l, tvm_builder *b, const walk *w,
                         MlirValue *at, MlirValue into) {
  MlirType element = tvm_operand_element(l, 0);
  MlirValue carried[] = {into,
                         tvm_combiner_identity(b, TVM_COMBINE_SUM, element)};
  tvm_for f = tvm_begin_for(b, w->extent, 2, carried);
  MlirValue i = tvm_for_index(&f);
  if (tvm_get_bool(l->op, "reverse"))
    i = tvm_binary(&f.b, "arith.subi", tvm_index_constant(&f.b, w->extent - 1),
                   i);
  MlirValue before = tvm_for_carried(&f, 1);
  MlirValue x = read_at(&f.b, w, l->operands[0], at, i);
  /* In order: a running sum has no other association. */
  MlirValue after = tvm_binary(
      &f.b, tvm_is_float(element) ? "arith.addf" : "arith.addi", before, x);
  MlirValue y = tvm_get_bool(l->op, "exclusive") ? before : after;
  MlirValue next[] = {write_at(&f.b, w, y, tvm_for_carried(&f, 0), at, i),
                      after};
  tvm_end_for(&f, 2, next);
  return tvm_result(f.op, 0);
}

MlirLogicalResult tvm_lower_cum_sum(tvm_lowering *l) {
  walk w = begin_walk(l);
  MlirValue out = tvm_destination(l, 0), at[TVM_LOWER_MAX_RANK];
  tvm_for rows = tvm_begin_for(&l->b, w.rows, 1, &out);
  tvm_delinearize(&rows.b, tvm_for_index(&rows), w.rank, w.shape, at);
  MlirValue y = sum_row(l, &rows.b, &w, at, tvm_for_carried(&rows, 0));
  tvm_end_for(&rows, 1, &y);
  l->results[0] = tvm_result(rows.op, 0);
  return mlirLogicalResultSuccess();
}

/* --- top_k ------------------------------------------------------------------
 */

typedef struct {
  tvm_lowering *l;
  walk w;
  MlirType element;
  bool largest;
} top_k;

/* Does x come strictly before y in the order of the result? */
static MlirValue precedes(const top_k *t, tvm_builder *b, MlirValue x,
                          MlirValue y) {
  return t->largest ? tvm_is_above(b, t->element, x, y)
                    : tvm_is_above(b, t->element, y, x);
}

static MlirValue not(tvm_builder *b, MlirValue x) {
  return tvm_binary(b, "arith.xori", x,
                    tvm_int_constant(b, mlirValueGetType(x), 1));
}

/* May (x, i) still be picked after `last` at `last_i` was? It may when it comes
 * later in the order, or is equal and stands further right. */
static MlirValue is_left(const top_k *t, tvm_builder *b, MlirValue x,
                         MlirValue i, MlirValue last, MlirValue last_i) {
  MlirValue later = precedes(t, b, last, x);
  MlirValue same = not(b, precedes(t, b, x, last));
  MlirValue right = tvm_compare_int(b, "sgt", i, last_i);
  MlirValue none = tvm_compare_int(b, "slt", last_i, tvm_index_constant(b, 0));
  MlirValue y = tvm_binary(b, "arith.ori", later,
                           tvm_binary(b, "arith.andi", same, right));
  return tvm_binary(b, "arith.ori", y, none);
}

/* The first in order of what is left: its value and its place. */
static tvm_for pick(const top_k *t, tvm_builder *b, MlirValue *at,
                    MlirValue last, MlirValue last_i) {
  MlirValue carried[] = {last, tvm_index_constant(b, -1)};
  tvm_for f = tvm_begin_for(b, t->w.extent, 2, carried);
  MlirValue best = tvm_for_carried(&f, 0), best_i = tvm_for_carried(&f, 1);
  MlirValue i = tvm_for_index(&f);
  MlirValue x = read_at(&f.b, &t->w, t->l->operands[0], at, i);
  MlirValue left = is_left(t, &f.b, x, i, last, last_i);
  MlirValue none =
      tvm_compare_int(&f.b, "slt", best_i, tvm_index_constant(&f.b, 0));
  MlirValue better =
      tvm_binary(&f.b, "arith.ori", none, precedes(t, &f.b, x, best));
  MlirValue take = tvm_binary(&f.b, "arith.andi", left, better);
  MlirValue next[] = {tvm_select(&f.b, take, x, best),
                      tvm_select(&f.b, take, i, best_i)};
  tvm_end_for(&f, 2, next);
  return f;
}

static tvm_for pick_row(const top_k *t, tvm_builder *b, MlirValue *at,
                        MlirValue values, MlirValue indices) {
  MlirType i64 = mlirIntegerTypeGet(b->context, 64);
  MlirValue carried[] = {values, indices,
                         tvm_number(b, tvm_compute_type(t->element), 0),
                         tvm_index_constant(b, -1)};
  tvm_for f = tvm_begin_for(b, tvm_get_i64(t->l->op, "k"), 4, carried);
  tvm_for best =
      pick(t, &f.b, at, tvm_for_carried(&f, 2), tvm_for_carried(&f, 3));
  MlirValue x = tvm_result(best.op, 0), i = tvm_result(best.op, 1);
  MlirValue place = tvm_for_index(&f);
  MlirValue next[] = {
      write_at(&f.b, &t->w, x, tvm_for_carried(&f, 0), at, place),
      write_at(&f.b, &t->w, tvm_convert(&f.b, "arith.index_cast", i64, i),
               tvm_for_carried(&f, 1), at, place),
      x, i};
  tvm_end_for(&f, 4, next);
  return f;
}

/* k scans of each row, each for what follows the element picked before: no
 * state but that element. */
MlirLogicalResult tvm_lower_top_k(tvm_lowering *l) {
  top_k t = {.l = l,
             .w = begin_walk(l),
             .element = tvm_operand_element(l, 0),
             .largest = tvm_get_bool(l->op, "largest")};
  MlirValue outs[] = {tvm_destination(l, 0), tvm_destination(l, 1)};
  MlirValue at[TVM_LOWER_MAX_RANK];
  tvm_for rows = tvm_begin_for(&l->b, t.w.rows, 2, outs);
  tvm_delinearize(&rows.b, tvm_for_index(&rows), t.w.rank, t.w.shape, at);
  tvm_for row = pick_row(&t, &rows.b, at, tvm_for_carried(&rows, 0),
                         tvm_for_carried(&rows, 1));
  MlirValue y[] = {tvm_result(row.op, 0), tvm_result(row.op, 1)};
  tvm_end_for(&rows, 2, y);
  l->results[0] = tvm_result(rows.op, 0);
  l->results[1] = tvm_result(rows.op, 1);
  return mlirLogicalResultSuccess();
}
