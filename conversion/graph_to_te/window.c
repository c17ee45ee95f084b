/* window.c - strides, dilations and pads shared by convolutions and pools. */
#include "graph_to_te/contraction.h"

tvm_window tvm_read_window(const tvm_lowering *l) {
  tvm_window w = {.rank = tvm_rank(tvm_operand(l->op, 0)) - 2};
  if (tvm_get_attr(l->op, "layout").ptr) {
    MlirStringRef layout = tvm_get_str(l->op, "layout");
    w.channels_last =
        mlirStringRefEqual(layout, mlirStringRefCreateFromCString("NXC"));
  }
  for (intptr_t i = 0; i < w.rank; ++i) {
    w.strides[i] = tvm_get_i64s(l->op, "strides", i);
    w.dilations[i] = tvm_get_i64s(l->op, "dilations", i);
    if (tvm_get_attr(l->op, "kernel").ptr)
      w.kernel[i] = tvm_get_i64s(l->op, "kernel", i);
    else
      w.kernel[i] = tvm_dim(tvm_operand(l->op, 1), w.channels_last ? i : i + 2);
  }
  return w;
}

intptr_t tvm_window_dim(const tvm_window *w, intptr_t i) {
  return w->channels_last ? i + 1 : i + 2;
}

MlirValue tvm_window_pad(tvm_lowering *l, const tvm_window *w, MlirValue x,
                         MlirValue scalar) {
  int64_t low[TVM_LOWER_MAX_RANK] = {0}, high[TVM_LOWER_MAX_RANK] = {0};
  bool any = false;
  for (intptr_t i = 0; i < w->rank; ++i) {
    intptr_t d = tvm_window_dim(w, i);
    int64_t out = tvm_dim(tvm_result(l->op, 0), d);
    int64_t reach =
        (out - 1) * w->strides[i] + (w->kernel[i] - 1) * w->dilations[i] + 1;
    low[d] = tvm_get_i64s(l->op, "pads", i);
    high[d] = tvm_get_i64s(l->op, "pads", w->rank + i);
    int64_t covered = tvm_dim(x, d) + low[d] + high[d];
    if (out > 0 && covered < reach)
      high[d] += reach - covered;
    any |= low[d] || high[d];
  }
  return any ? tvm_pad(&l->b, x, scalar, low, high, (MlirValue){0}) : x;
}

MlirAffineExpr tvm_window_expr(MlirContext c, const tvm_window *w, intptr_t i,
                               intptr_t out_loop, intptr_t kernel_loop) {
  return mlirAffineAddExprGet(
      tvm_linear_expr(c, out_loop, w->strides[i], 0),
      tvm_linear_expr(c, kernel_loop, w->dilations[i], 0));
}
