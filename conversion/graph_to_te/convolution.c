/* convolution.c - convolutions in both layouts, grouped and transposed.
 *
 * Groups are a loop of their own: channels are split in two dimensions by
 * reshapes of the operands and of the accumulator. */
#include "graph_to_te/contraction.h"

/* The loops: n, then group, output channel and the spatial ones in the order
 * of the layout, then the window, then the input channel. */
typedef struct {
  tvm_lowering *l;
  tvm_window w;
  int64_t groups, in_channels, out_channels; /* a group */
  intptr_t n_loops, n, group, out, in, space, window;
  uint32_t reductions;
} convolution;

static void number_loops(convolution *c) {
  intptr_t g = c->groups > 1, s = c->w.rank;
  c->n = 0;
  c->space = c->w.channels_last ? 1 : 2 + g;
  c->group = c->w.channels_last ? 1 + s : 1;
  c->out = c->group + g;
  c->window = 2 + g + s;
  c->in = c->window + s;
  c->n_loops = c->in + 1;
  for (intptr_t i = c->window; i < c->n_loops; ++i)
    c->reductions |= 1u << i;
}

/* Append one dimension. */
typedef struct {
  intptr_t rank;
  int64_t shape[TVM_LOWER_MAX_RANK + 1];
  MlirAffineExpr exprs[TVM_LOWER_MAX_RANK + 1];
} view;

static void add(view *v, int64_t extent, MlirAffineExpr expr) {
  v->shape[v->rank] = extent;
  v->exprs[v->rank++] = expr;
}

static void add_loop(convolution *c, view *v, int64_t extent, intptr_t loop) {
  add(v, extent, tvm_dim_expr(c->l->b.context, loop));
}

static void add_channels(convolution *c, view *v, int64_t extent,
                         intptr_t loop) {
  if (c->groups > 1)
    add_loop(c, v, c->groups, c->group);
  add_loop(c, v, extent, loop);
}

static view input_view(convolution *c, MlirValue x) {
  view v = {0};
  add_loop(c, &v, tvm_dim(x, 0), c->n);
  if (!c->w.channels_last)
    add_channels(c, &v, c->in_channels, c->in);
  for (intptr_t i = 0; i < c->w.rank; ++i)
    add(&v, tvm_dim(x, tvm_window_dim(&c->w, i)),
        tvm_window_expr(c->l->b.context, &c->w, i, c->space + i,
                        c->window + i));
  if (c->w.channels_last)
    add_channels(c, &v, c->in_channels, c->in);
  return v;
}

/* (group, out, in, window), or (window, in, group, out). */
static view weight_view(convolution *c) {
  view v = {0};
  if (!c->w.channels_last) {
    add_channels(c, &v, c->out_channels, c->out);
    add_loop(c, &v, c->in_channels, c->in);
  }
  for (intptr_t i = 0; i < c->w.rank; ++i)
    add_loop(c, &v, c->w.kernel[i], c->window + i);
  if (c->w.channels_last) {
    add_loop(c, &v, c->in_channels, c->in);
    add_channels(c, &v, c->out_channels, c->out);
  }
  return v;
}

static view output_view(convolution *c) {
  view v = {0};
  MlirType type = tvm_result_type(c->l, 0);
  add_loop(c, &v, tvm_type_dim(type, 0), c->n);
  if (!c->w.channels_last)
    add_channels(c, &v, c->out_channels, c->out);
  for (intptr_t i = 0; i < c->w.rank; ++i)
    add_loop(c, &v, tvm_type_dim(type, tvm_window_dim(&c->w, i)), c->space + i);
  if (c->w.channels_last)
    add_channels(c, &v, c->out_channels, c->out);
  return v;
}

static MlirValue see(convolution *c, MlirValue x, const view *v) {
  return tvm_reshape(&c->l->b, x,
                     tvm_tensor_type(v->rank, v->shape, tvm_element_type(x)));
}

/* x is padded; w has the order that weight_view says. */
static void build(convolution *c, MlirValue x, MlirValue w) {
  tvm_lowering *l = c->l;
  view in = input_view(c, x), weight = weight_view(c), out = output_view(c);
  MlirContext k = l->b.context;
  MlirAffineMap maps[] = {tvm_map(k, c->n_loops, in.rank, in.exprs),
                          tvm_map(k, c->n_loops, weight.rank, weight.exprs),
                          tvm_map(k, c->n_loops, out.rank, out.exprs)};
  MlirValue acc = tvm_begin_contraction(l, out.rank, out.shape);
  MlirValue y = tvm_build_contraction(l, see(c, x, &in), see(c, w, &weight),
                                      acc, maps, c->n_loops, c->reductions);
  tvm_end_accumulate(l, y);
}

static convolution begin(tvm_lowering *l) {
  convolution c = {
      .l = l, .w = tvm_read_window(l), .groups = tvm_get_i64(l->op, "groups")};
  intptr_t channel = c.w.channels_last ? c.w.rank + 1 : 1;
  c.in_channels = tvm_dim(tvm_operand(l->op, 0), channel) / c.groups;
  c.out_channels = tvm_dim(tvm_result(l->op, 0), channel) / c.groups;
  number_loops(&c);
  return c;
}

static MlirValue zero_of(tvm_lowering *l, MlirValue x) {
  return tvm_number(&l->b, tvm_element_type(x), 0);
}

MlirLogicalResult tvm_lower_conv(tvm_lowering *l) {
  convolution c = begin(l);
  MlirValue x = l->operands[0];
  build(&c, tvm_window_pad(l, &c.w, x, zero_of(l, x)), l->operands[1]);
  return mlirLogicalResultSuccess();
}

/* --- transposed -------------------------------------------------------------
 */

/* The input with strides - 1 zeros between neighbours and with what a plain
 * convolution of the window needs around it; may crop. */
static MlirValue spread_input(convolution *c, MlirValue x) {
  tvm_lowering *l = c->l;
  intptr_t rank = tvm_rank(x), s = c->w.rank;
  int64_t spread[TVM_LOWER_MAX_RANK], steps[TVM_LOWER_MAX_RANK];
  int64_t at[TVM_LOWER_MAX_RANK] = {0}, sizes[TVM_LOWER_MAX_RANK];
  int64_t low[TVM_LOWER_MAX_RANK] = {0}, high[TVM_LOWER_MAX_RANK] = {0};
  for (intptr_t d = 0; d < rank; ++d) {
    spread[d] = sizes[d] = tvm_dim(x, d);
    steps[d] = 1;
  }
  for (intptr_t i = 0; i < s; ++i) {
    intptr_t d = tvm_window_dim(&c->w, i);
    steps[d] = c->w.strides[i];
    spread[d] = sizes[d] ? (sizes[d] - 1) * steps[d] + 1 : 0;
    int64_t reach = (c->w.kernel[i] - 1) * c->w.dilations[i];
    low[d] = reach - tvm_get_i64s(l->op, "pads", i);
    high[d] = tvm_dim(tvm_result(l->op, 0), d) + reach - low[d] - spread[d];
  }
  MlirValue into =
      tvm_fill(&l->b, zero_of(l, x),
               tvm_empty_shape(&l->b, rank, spread, tvm_element_type(x)));
  MlirValue wide = tvm_copy_into(&l->b, x, NULL, into, at, sizes, steps);
  return tvm_pad(&l->b, wide, zero_of(l, x), low, high, (MlirValue){0});
}

/* (in * groups, out, window) to (group, out, in, reversed window), flat in the
 * first two as weight_view reads it. */
static MlirValue turn_weight(convolution *c, MlirValue w) {
  tvm_builder *b = &c->l->b;
  intptr_t s = c->w.rank, rank = s + 2;
  int64_t shape[TVM_LOWER_MAX_RANK];
  shape[0] = c->groups * c->out_channels;
  shape[1] = c->in_channels;
  for (intptr_t i = 0; i < s; ++i)
    shape[2 + i] = c->w.kernel[i];
  MlirValue out = tvm_empty_shape(b, rank, shape, tvm_element_type(w));
  MlirAffineMap map = tvm_identity_map(b->context, rank);
  tvm_generic g = tvm_begin_generic(b, 0, NULL, 1, &out, &map, rank, 0);
  MlirValue at[TVM_LOWER_MAX_RANK];
  MlirValue o = tvm_loop_index(&g, 0), i = tvm_loop_index(&g, 1);
  MlirValue n_out = tvm_index_constant(&g.b, c->out_channels);
  MlirValue n_in = tvm_index_constant(&g.b, c->in_channels);
  MlirValue group = tvm_binary(&g.b, "arith.divui", o, n_out);
  at[0] = tvm_binary(&g.b, "arith.addi",
                     tvm_binary(&g.b, "arith.muli", group, n_in), i);
  at[1] = tvm_binary(&g.b, "arith.remui", o, n_out);
  for (intptr_t d = 0; d < s; ++d)
    at[2 + d] = tvm_binary(&g.b, "arith.subi",
                           tvm_index_constant(&g.b, c->w.kernel[d] - 1),
                           tvm_loop_index(&g, 2 + d));
  MlirValue y = tvm_extract(&g.b, w, at);
  return tvm_end_generic(&g, 1, &y);
}

/* A plain convolution of stride 1 over the spread input. */
MlirLogicalResult tvm_lower_conv_transpose(tvm_lowering *l) {
  convolution c = begin(l);
  MlirValue x = spread_input(&c, l->operands[0]);
  MlirValue w = turn_weight(&c, l->operands[1]);
  for (intptr_t i = 0; i < c.w.rank; ++i)
    c.w.strides[i] = 1;
  build(&c, x, w);
  return mlirLogicalResultSuccess();
}
