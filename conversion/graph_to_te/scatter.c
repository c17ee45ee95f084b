/* scatter.c - updates written at indices that are data, in row-major order.
 *
 * The input is copied to the result first. One loop runs over all updates;
 * an update that is out of range writes back what it read at a valid place. */
#include "graph_to_te/indices.h"

#include <string.h>

typedef struct {
  tvm_lowering *l;
  tvm_for loop;
  MlirValue update;
  intptr_t rank; /* of the updates */
  MlirValue at[TVM_LOWER_MAX_RANK];
} scatter;

static bool has_work(tvm_lowering *l) {
  return tvm_num_elements(mlirValueGetType(l->operands[0])) > 0 &&
         tvm_num_elements(mlirValueGetType(l->operands[2])) > 0;
}

static scatter begin(tvm_lowering *l) {
  scatter s = {.l = l, .rank = tvm_rank(l->operands[2])};
  MlirValue into =
      tvm_copy(&l->b, l->operands[0], NULL, NULL, tvm_destination(l, 0));
  l->results[0] = into;
  if (!has_work(l))
    return s;
  MlirType type = mlirValueGetType(l->operands[2]);
  int64_t shape[TVM_LOWER_MAX_RANK];
  tvm_shape_of(type, shape);
  s.loop = tvm_begin_for(&l->b, tvm_num_elements(type), 1, &into);
  tvm_delinearize(&s.loop.b, tvm_for_index(&s.loop), s.rank, shape, s.at);
  s.update = tvm_extract(&s.loop.b, l->operands[2], s.at);
  return s;
}

static MlirValue apply(scatter *s, MlirValue old) {
  static const struct {
    const char *name;
    tvm_combiner kind;
  } kinds[] = {{"add", TVM_COMBINE_SUM},
               {"mul", TVM_COMBINE_PROD},
               {"max", TVM_COMBINE_MAX},
               {"min", TVM_COMBINE_MIN}};
  tvm_builder *b = &s->loop.b;
  MlirType element = tvm_operand_element(s->l, 0);
  MlirStringRef reduction = tvm_get_str(s->l->op, "reduction");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (mlirStringRefEqual(reduction,
                           mlirStringRefCreateFromCString(kinds[i].name)))
      return tvm_narrow(b,
                        tvm_combine(b, kinds[i].kind, element,
                                    tvm_widen(b, old), tvm_widen(b, s->update)),
                        mlirValueGetType(s->update));
  return s->update;
}

/* Clamp a coordinate and note whether that moved it. */
static MlirValue check(scatter *s, MlirValue index, int64_t dim,
                       MlirValue *inside) {
  tvm_builder *b = &s->loop.b;
  MlirValue i = tvm_index_from_end(b, index, dim);
  MlirValue ok = tvm_index_in_range(b, i, dim);
  *inside = inside->ptr ? tvm_binary(b, "arith.andi", *inside, ok) : ok;
  return tvm_select(b, ok, i, tvm_index_constant(b, 0));
}

static void finish(scatter *s, const MlirValue *at, MlirValue inside) {
  tvm_builder *b = &s->loop.b;
  MlirValue tensor = tvm_for_carried(&s->loop, 0);
  MlirValue old = tvm_extract(b, tensor, at);
  MlirValue y = apply(s, old);
  if (inside.ptr)
    y = tvm_select(b, inside, y, old);
  y = tvm_insert(b, y, tensor, at);
  tvm_end_for(&s->loop, 1, &y);
  s->l->results[0] = tvm_result(s->loop.op, 0);
}

MlirLogicalResult tvm_lower_scatter_elements(tvm_lowering *l) {
  scatter s = begin(l);
  if (!s.loop.op.ptr)
    return mlirLogicalResultSuccess();
  int64_t axis = tvm_get_i64(l->op, "axis");
  MlirValue inside = {0};
  MlirValue index = tvm_extract(&s.loop.b, l->operands[1], s.at);
  s.at[axis] = check(&s, index, tvm_dim(l->operands[0], axis), &inside);
  finish(&s, s.at, inside);
  return mlirLogicalResultSuccess();
}

/* indices: (rows.., k); updates: (rows.., rest of the input). */
MlirLogicalResult tvm_lower_scatter_nd(tvm_lowering *l) {
  scatter s = begin(l);
  if (!s.loop.op.ptr)
    return mlirLogicalResultSuccess();
  MlirValue indices = l->operands[1], inside = {0};
  intptr_t rows = tvm_rank(indices) - 1;
  int64_t k = tvm_dim(indices, rows);
  MlirValue row[TVM_LOWER_MAX_RANK], at[TVM_LOWER_MAX_RANK];
  memcpy(row, s.at, sizeof row);
  for (intptr_t i = 0; i < tvm_rank(l->operands[0]); ++i) {
    if (i >= k) {
      at[i] = s.at[rows + i - k];
      continue;
    }
    row[rows] = tvm_index_constant(&s.loop.b, i);
    at[i] = check(&s, tvm_extract(&s.loop.b, indices, row),
                  tvm_dim(l->operands[0], i), &inside);
  }
  finish(&s, at, inside);
  return mlirLogicalResultSuccess();
}
