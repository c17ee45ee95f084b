/* infer_contraction.c - results of matrix products, convolutions and pooling.
 */
#include "graph/infer.h"

#include <string.h>

/* ---- matmul ---- */

static bool expect_rank(const tvm_graph_signature *s, intptr_t i,
                        const tvm_graph_shape *x, intptr_t least) {
  if (x->rank >= least)
    return true;
  return tvm_graph_fail(
      s, "expects operand #%td of rank %td at least, got rank %td", i, least,
      x->rank);
}

TVM_GRAPH_INFER(matmul) {
  tvm_graph_shape a, b;
  if (!tvm_graph_expect_operands(s, 2) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_NUMBER, &a) ||
      !tvm_graph_read_operand(s, 1, TVM_GRAPH_NUMBER, &b) ||
      !tvm_graph_expect_same_element(s, 0, 1) || !expect_rank(s, 0, &a, 2) ||
      !expect_rank(s, 1, &b, 2))
    return mlirLogicalResultFailure();
  int64_t m = a.dims[a.rank - 2], k = a.dims[a.rank - 1];
  int64_t k_rhs = b.dims[b.rank - 2], n = b.dims[b.rank - 1];
  if (k != k_rhs) {
    tvm_graph_fail(s, "expects equal inner dimensions, got %lld and %lld",
                   (long long)k, (long long)k_rhs);
    return mlirLogicalResultFailure();
  }
  if (!tvm_graph_broadcast(s, 2, &b, &a))
    return mlirLogicalResultFailure();
  a.dims[a.rank - 2] = m;
  a.dims[a.rank - 1] = n;
  return tvm_graph_set_result(s, &a, n_results, results);
}

/* ---- windows ---- */

/* What a convolution and a pool share: how a window walks over `n` spatial
 * dimensions. */
typedef struct window {
  intptr_t n;
  int64_t kernel[TVM_GRAPH_MAX_RANK];
  int64_t strides[TVM_GRAPH_MAX_RANK];
  int64_t dilations[TVM_GRAPH_MAX_RANK];
  int64_t pads[2 * TVM_GRAPH_MAX_RANK];
} window;

static bool expect_least(const tvm_graph_signature *s, const char *name,
                         intptr_t n, const int64_t *values, int64_t least) {
  for (intptr_t i = 0; i < n; ++i)
    if (values[i] < least)
      return tvm_graph_fail(s, "expects '%s' of %lld at least, got %lld", name,
                            (long long)least, (long long)values[i]);
  return true;
}

/* Everything but the kernel. */
static bool read_window(const tvm_graph_signature *s, window *w) {
  return tvm_graph_read_i64s(s, "strides", w->n, w->strides) &&
         tvm_graph_read_i64s(s, "dilations", w->n, w->dilations) &&
         tvm_graph_read_i64s(s, "pads", 2 * w->n, w->pads) &&
         expect_least(s, "strides", w->n, w->strides, 1) &&
         expect_least(s, "dilations", w->n, w->dilations, 1) &&
         expect_least(s, "pads", 2 * w->n, w->pads, 0);
}

/* (kernel - 1) * dilation + 1, or fail. */
static bool get_reach(const tvm_graph_signature *s, const window *w, intptr_t d,
                      int64_t *out) {
  if (__builtin_mul_overflow(w->kernel[d] - 1, w->dilations[d], out) ||
      *out >= TVM_GRAPH_MAX_ELEMENTS)
    return tvm_graph_fail(s, "expects a dilated kernel below 2^48 elements");
  *out += 1;
  return true;
}

static bool slide(const tvm_graph_signature *s, const window *w, intptr_t d,
                  int64_t extent, int64_t *out) {
  int64_t reach, padded;
  if (!get_reach(s, w, d, &reach))
    return false;
  if (__builtin_add_overflow(extent, w->pads[d], &padded) ||
      __builtin_add_overflow(padded, w->pads[w->n + d], &padded) ||
      padded > TVM_GRAPH_MAX_ELEMENTS)
    return tvm_graph_fail(s, "expects a padded input below 2^48 elements");
  if (padded < reach)
    return tvm_graph_fail(s,
                          "expects the padded input to hold the dilated "
                          "kernel, got %lld against %lld in spatial "
                          "dimension %td",
                          (long long)padded, (long long)reach, d);
  *out = (padded - reach) / w->strides[d] + 1;
  return true;
}

/* ---- layouts ---- */

/* Where the parts of an activation and of a weight stand. */
typedef struct layout {
  intptr_t channels, spatial;
  intptr_t out_channels, in_channels, weight_spatial;
} layout;

static bool read_layout(const tvm_graph_signature *s, intptr_t rank,
                        layout *out) {
  static const char *const choices[] = {"NCX", "NXC", NULL};
  int choice;
  if (!tvm_graph_read_choice(s, "layout", choices, &choice))
    return false;
  bool ncx = choice == 0;
  *out = (layout){ncx ? 1 : rank - 1, ncx ? 2 : 1, ncx ? 0 : rank - 1,
                  ncx ? 1 : rank - 2, ncx ? 2 : 0};
  return true;
}

static bool read_groups(const tvm_graph_signature *s, int64_t channels,
                        int64_t *groups) {
  if (!tvm_graph_read_i64(s, "groups", groups))
    return false;
  if (*groups < 1 || channels % *groups)
    return tvm_graph_fail(
        s, "expects 'groups' to divide the %lld channels, got %lld",
        (long long)channels, (long long)*groups);
  return true;
}

static bool read_input_and_weight(const tvm_graph_signature *s,
                                  tvm_graph_shape *x, tvm_graph_shape *w) {
  if (!tvm_graph_expect_operands(s, 2) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_NUMBER, x) ||
      !tvm_graph_read_operand(s, 1, TVM_GRAPH_NUMBER, w) ||
      !tvm_graph_expect_same_element(s, 0, 1) || !expect_rank(s, 0, x, 3))
    return false;
  if (w->rank == x->rank)
    return true;
  return tvm_graph_fail(s, "expects rank %td weight, got rank %td", x->rank,
                        w->rank);
}

static bool copy_kernel(const tvm_graph_signature *s, const int64_t *dims,
                        window *w) {
  memcpy(w->kernel, dims, (size_t)w->n * sizeof *dims);
  return expect_least(s, "kernel", w->n, w->kernel, 1);
}

/* ---- conv ---- */

static bool check_conv_channels(const tvm_graph_signature *s, int64_t in,
                                int64_t out, int64_t weight_in) {
  int64_t groups;
  if (!read_groups(s, in, &groups))
    return false;
  if (out % groups)
    return tvm_graph_fail(
        s, "expects 'groups' to divide the %lld output channels, got %lld",
        (long long)out, (long long)groups);
  if (weight_in != in / groups)
    return tvm_graph_fail(s,
                          "expects a weight of %lld channels a group, got %lld",
                          (long long)(in / groups), (long long)weight_in);
  return true;
}

TVM_GRAPH_INFER(conv) {
  tvm_graph_shape x, weight;
  layout l;
  window w;
  if (!read_input_and_weight(s, &x, &weight) || !read_layout(s, x.rank, &l))
    return mlirLogicalResultFailure();
  w.n = x.rank - 2;
  int64_t out_channels = weight.dims[l.out_channels];
  if (!read_window(s, &w) ||
      !copy_kernel(s, weight.dims + l.weight_spatial, &w) ||
      !check_conv_channels(s, x.dims[l.channels], out_channels,
                           weight.dims[l.in_channels]))
    return mlirLogicalResultFailure();
  for (intptr_t d = 0; d < w.n; ++d) {
    int64_t *extent = &x.dims[l.spatial + d];
    if (!slide(s, &w, d, *extent, extent))
      return mlirLogicalResultFailure();
  }
  x.dims[l.channels] = out_channels;
  return tvm_graph_set_result(s, &x, n_results, results);
}

/* ---- conv_transpose ---- */

/* The extent of the full result is (extent - 1) * stride + reach; the pads
 * crop it, the output pads extend it. */
static bool spread(const tvm_graph_signature *s, const window *w,
                   const int64_t *output_pads, intptr_t d, int64_t extent,
                   int64_t *out) {
  int64_t reach, full;
  if (!get_reach(s, w, d, &reach))
    return false;
  if (extent < 1)
    return tvm_graph_fail(s,
                          "expects an element at least in spatial "
                          "dimension %td",
                          d);
  if (__builtin_mul_overflow(extent - 1, w->strides[d], &full) ||
      __builtin_add_overflow(full, reach, &full) ||
      full > TVM_GRAPH_MAX_ELEMENTS || output_pads[d] > TVM_GRAPH_MAX_ELEMENTS)
    return tvm_graph_fail(s, "expects a result below 2^48 elements");
  int64_t low = w->pads[d], high = w->pads[w->n + d];
  int64_t room = full + output_pads[d];
  if (low >= room || high >= room || low + high >= room)
    return tvm_graph_fail(s,
                          "expects 'pads' that leave an element of %lld, got "
                          "%lld and %lld",
                          (long long)room, (long long)low, (long long)high);
  *out = room - low - high;
  return true;
}

TVM_GRAPH_INFER(conv_transpose) {
  tvm_graph_shape x, weight;
  window w;
  int64_t groups, output_pads[TVM_GRAPH_MAX_RANK], out_channels;
  if (!read_input_and_weight(s, &x, &weight))
    return mlirLogicalResultFailure();
  w.n = x.rank - 2;
  if (!read_window(s, &w) || !copy_kernel(s, weight.dims + 2, &w) ||
      !tvm_graph_read_i64s(s, "output_pads", w.n, output_pads) ||
      !expect_least(s, "output_pads", w.n, output_pads, 0) ||
      !read_groups(s, x.dims[1], &groups))
    return mlirLogicalResultFailure();
  if (weight.dims[0] != x.dims[1]) {
    tvm_graph_fail(s, "expects a weight of %lld channels, got %lld",
                   (long long)x.dims[1], (long long)weight.dims[0]);
    return mlirLogicalResultFailure();
  }
  if (__builtin_mul_overflow(weight.dims[1], groups, &out_channels)) {
    tvm_graph_fail(s, "expects a result below 2^48 elements");
    return mlirLogicalResultFailure();
  }
  for (intptr_t d = 0; d < w.n; ++d) {
    int64_t *extent = &x.dims[2 + d];
    if (!spread(s, &w, output_pads, d, *extent, extent))
      return mlirLogicalResultFailure();
  }
  x.dims[1] = out_channels;
  return tvm_graph_set_result(s, &x, n_results, results);
}

/* ---- pool ---- */

TVM_GRAPH_INFER(pool) {
  static const char *const kinds[] = {"max", "sum", NULL};
  tvm_graph_shape x;
  layout l;
  window w;
  int kind;
  if (!tvm_graph_expect_operands(s, 1) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_NUMBER, &x) ||
      !expect_rank(s, 0, &x, 3) || !read_layout(s, x.rank, &l) ||
      !tvm_graph_read_choice(s, "kind", kinds, &kind))
    return mlirLogicalResultFailure();
  w.n = x.rank - 2;
  if (!read_window(s, &w) || !tvm_graph_read_i64s(s, "kernel", w.n, w.kernel) ||
      !expect_least(s, "kernel", w.n, w.kernel, 1))
    return mlirLogicalResultFailure();
  for (intptr_t d = 0; d < w.n; ++d) {
    int64_t *extent = &x.dims[l.spatial + d];
    if (!slide(s, &w, d, *extent, extent))
      return mlirLogicalResultFailure();
  }
  return tvm_graph_set_result(s, &x, n_results, results);
}
