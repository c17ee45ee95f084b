/* pooling.c - window reductions over padded inputs.
 *
 * As in linalg's named pooling operations the second input is an unused
 * tensor that carries the extents of the window. */
#include "graph_to_te/contraction.h"

MlirLogicalResult tvm_lower_pool(tvm_lowering *l) {
  MlirContext c = l->b.context;
  tvm_window w = tvm_read_window(l);
  MlirType element = tvm_operand_element(l, 0), type = tvm_result_type(l, 0);
  bool max = mlirStringRefEqual(tvm_get_str(l->op, "kind"),
                                mlirStringRefCreateFromCString("max"));
  tvm_combiner kind = max ? TVM_COMBINE_MAX : TVM_COMBINE_SUM;
  MlirValue identity = tvm_combiner_identity(&l->b, kind, element);
  MlirValue x = l->operands[0];
  MlirValue padding = tvm_narrow(&l->b, identity, tvm_element_type(x));
  intptr_t rank = w.rank + 2;
  MlirAffineExpr in[TVM_LOWER_MAX_RANK], window[TVM_LOWER_MAX_RANK];
  MlirAffineExpr out[TVM_LOWER_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i)
    in[i] = out[i] = tvm_dim_expr(c, i);
  uint32_t mask = 0;
  for (intptr_t i = 0; i < w.rank; ++i) {
    intptr_t d = tvm_window_dim(&w, i);
    in[d] = tvm_window_expr(c, &w, i, d, rank + i);
    window[i] = tvm_dim_expr(c, rank + i);
    mask |= 1u << (rank + i);
  }
  intptr_t loops = rank + w.rank;
  MlirAffineMap maps[] = {tvm_map(c, loops, rank, in),
                          tvm_map(c, loops, w.rank, window),
                          tvm_map(c, loops, rank, out)};
  int64_t shape[TVM_LOWER_MAX_RANK];
  tvm_shape_of(type, shape);
  MlirValue ins[] = {
      tvm_window_pad(l, &w, x, padding),
      tvm_empty_shape(&l->b, w.rank, w.kernel, tvm_element_type(x))};
  MlirValue acc = tvm_begin_accumulate(l, identity, rank, shape);
  tvm_generic g = tvm_begin_generic(&l->b, 2, ins, 1, &acc, maps, loops, mask);
  MlirValue y = tvm_combine(&g.b, kind, element, tvm_generic_argument(&g, 2),
                            tvm_widen(&g.b, tvm_generic_argument(&g, 0)));
  tvm_end_accumulate(l, tvm_end_generic(&g, 1, &y));
  return mlirLogicalResultSuccess();
}
