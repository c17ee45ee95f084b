/* split_conv_transpose.c - transposed convolutions as plain ones.
 *
 * With stride s, result s * i + r of a dimension ("phase" r) is the sum over t
 * of x[i - t] * w[s * t + r]: a plain convolution of stride 1 with every s-th
 * tap. Phases with equally many taps are the output channels of one
 * convolution, of which a dimension needs at most two; the phases are then
 * interleaved, and what the pads take away is cropped. No product with an
 * inserted zero is left, and none that was not there before: an infinity
 * reaches the same results.
 *
 * An input of extent 1 in a dimension has no neighbours, so its stride may be
 * the extent of the kernel: all taps are phases, as in the first layer of a
 * generator, which becomes a matrix product.
 *
 * Left alone, for the general lowering: weights that are no constants,
 * dilations, strides above the kernel, pads beyond the taps of one phase.
 * Preserves: results. Terminates: one walk.
 * Source: Shi et al., "Is the deconvolution layer the same as a convolutional
 * layer?" (2016). */
#include "passes/constant_values.h"
#include "passes/passes_internal.h"

enum { MAX_SPACE = 3, MAX_RANK = 2 + 3 * MAX_SPACE + 2 };

/* Phases of one dimension that have equally many taps. */
typedef struct {
  int64_t first, count, taps;
} phase_class;

typedef struct {
  int64_t extent, kernel, stride;
  int64_t skip;   /* leading positions that the pads take away whole */
  int64_t crop;   /* results that they take from the first that is left */
  int64_t places; /* positions of the plain convolutions */
  int64_t result; /* extent */
  int n_classes;
  phase_class classes[2];
} dimension;

typedef struct {
  tvm_builder b;
  intptr_t space;
  dimension dims[MAX_SPACE];
  int64_t groups, in_channels, out_channels; /* a group */
  MlirValue x;
  MlirValue taps; /* [g, in, out, (taps, phases)...] of constants */
} split;

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

static bool read_dimension(MlirOperation op, intptr_t i, dimension *d) {
  d->extent = tvm_dim(tvm_operand(op, 0), 2 + i);
  d->kernel = tvm_dim(tvm_operand(op, 1), 2 + i);
  d->result = tvm_dim(tvm_result(op, 0), 2 + i);
  d->stride = d->extent == 1 ? d->kernel : tvm_get_i64s(op, "strides", i);
  int64_t low = tvm_get_i64s(op, "pads", i);
  if (low < 0 || d->stride > d->kernel || tvm_get_i64s(op, "dilations", i) != 1)
    return false;
  d->skip = low / d->stride;
  d->crop = low % d->stride;
  d->places = ceil_div(d->crop + d->result, d->stride);
  int64_t rest = d->kernel % d->stride, least = d->kernel / d->stride;
  d->n_classes = 0;
  if (rest)
    d->classes[d->n_classes++] = (phase_class){0, rest, least + 1};
  d->classes[d->n_classes++] = (phase_class){rest, d->stride - rest, least};
  /* both pads of the plain convolutions, as in build_class */
  return d->skip < least && d->places + d->skip >= d->extent;
}

static bool read(MlirOperation op, split *s) {
  MlirValue x = tvm_operand(op, 0), w = tvm_operand(op, 1);
  *s = (split){.x = x, .space = (intptr_t)tvm_rank(x) - 2};
  if (s->space < 1 || s->space > MAX_SPACE || !tvm_is_constant(w) ||
      !mlirTypeEqual(tvm_element_type(x), tvm_element_type(tvm_result(op, 0))))
    return false;
  s->groups = tvm_get_i64(op, "groups");
  s->in_channels = tvm_dim(x, 1) / s->groups;
  s->out_channels = tvm_dim(w, 1);
  for (intptr_t i = 0; i < s->space; ++i)
    if (!read_dimension(op, i, &s->dims[i]))
      return false;
  return true;
}

/* --- small operators ------------------------------------------------------ */

static MlirValue reshape(tvm_builder *b, MlirValue x, intptr_t rank,
                         const int64_t *shape) {
  MlirNamedAttribute attr = tvm_attr_i64s(b->context, "shape", rank, shape);
  return tvm_graph_build(b, "reshape", 1, &x, 1, &attr);
}

static MlirValue transpose(tvm_builder *b, MlirValue x,
                           const int64_t *permutation) {
  MlirNamedAttribute attr = tvm_attr_i64s(b->context, "permutation",
                                          (intptr_t)tvm_rank(x), permutation);
  return tvm_graph_build(b, "transpose", 1, &x, 1, &attr);
}

static MlirValue slice(tvm_builder *b, MlirValue x, const int64_t *starts,
                       const int64_t *sizes, const int64_t *steps) {
  intptr_t rank = (intptr_t)tvm_rank(x);
  MlirNamedAttribute attrs[] = {
      tvm_attr_i64s(b->context, "starts", rank, starts),
      tvm_attr_i64s(b->context, "sizes", rank, sizes),
      tvm_attr_i64s(b->context, "steps", rank, steps)};
  return tvm_graph_build(b, "slice", 1, &x, 3, attrs);
}

static MlirValue pad_high(tvm_builder *b, MlirValue x, const int64_t *high) {
  int64_t low[MAX_RANK] = {0};
  intptr_t rank = (intptr_t)tvm_rank(x);
  MlirValue zero =
      tvm_build_splat(b, tvm_tensor_type(0, NULL, tvm_element_type(x)), 0);
  MlirNamedAttribute attrs[] = {tvm_attr_i64s(b->context, "low", rank, low),
                                tvm_attr_i64s(b->context, "high", rank, high),
                                tvm_attr_str(b->context, "mode", "constant")};
  return tvm_graph_build(b, "pad", 2, (MlirValue[]){x, zero}, 3, attrs);
}

/* --- weights -------------------------------------------------------------- */

/* (in * groups, out, kernel...) to (g, in, out, (taps, phases)...); where the
 * stride does not divide the kernel, the last taps are filled up and not
 * read. */
static MlirValue split_taps(split *s, MlirValue w) {
  int64_t high[MAX_RANK] = {0}, shape[MAX_RANK];
  bool uneven = false;
  intptr_t rank = 0;
  shape[rank++] = s->groups;
  shape[rank++] = s->in_channels;
  shape[rank++] = s->out_channels;
  for (intptr_t i = 0; i < s->space; ++i) {
    const dimension *d = &s->dims[i];
    int64_t taps = ceil_div(d->kernel, d->stride);
    high[2 + i] = taps * d->stride - d->kernel;
    uneven |= high[2 + i] > 0;
    shape[rank++] = taps;
    shape[rank++] = d->stride;
  }
  return reshape(&s->b, uneven ? pad_high(&s->b, w, high) : w, rank, shape);
}

/* The weight of the plain convolution of one class in each dimension:
 * (g * phases... * out, in, reversed taps...). */
static MlirValue build_weight(split *s, const phase_class *const *classes) {
  int64_t starts[MAX_RANK] = {0}, sizes[MAX_RANK], steps[MAX_RANK];
  int64_t permutation[MAX_RANK], shape[MAX_RANK];
  intptr_t n = s->space;
  for (intptr_t d = 0; d < 3 + 2 * n; ++d) {
    sizes[d] = tvm_dim(s->taps, d);
    steps[d] = 1;
  }
  shape[0] = s->groups * s->out_channels;
  shape[1] = s->in_channels;
  permutation[0] = 0;
  permutation[1 + n] = 2;
  permutation[2 + n] = 1;
  for (intptr_t i = 0; i < n; ++i) {
    const phase_class *c = classes[i];
    intptr_t tap = 3 + 2 * i, phase = tap + 1;
    starts[tap] = c->taps - 1;
    steps[tap] = -1;
    sizes[tap] = c->taps;
    starts[phase] = c->first;
    sizes[phase] = c->count;
    permutation[1 + i] = phase;
    permutation[3 + n + i] = tap;
    shape[0] *= c->count;
    shape[2 + i] = c->taps;
  }
  MlirValue w = slice(&s->b, s->taps, starts, sizes, steps);
  return reshape(&s->b, transpose(&s->b, w, permutation), 2 + n, shape);
}

/* --- results -------------------------------------------------------------- */

/* The results of one class in each dimension:
 * (n, (places, phases)..., g, out), channels last for what reads them. */
static MlirValue build_class(split *s, const phase_class *const *classes) {
  intptr_t n = s->space;
  int64_t strides[MAX_SPACE], pads[2 * MAX_SPACE];
  int64_t last[MAX_RANK], shape[MAX_RANK], permutation[MAX_RANK];
  last[0] = 0;
  last[1 + n] = 1;
  shape[0] = tvm_dim(s->x, 0);
  permutation[0] = 0;
  shape[1 + n] = s->groups;
  shape[2 + 2 * n] = s->out_channels;
  permutation[1 + 2 * n] = 1 + n;
  permutation[2 + 2 * n] = 2 + 2 * n;
  for (intptr_t i = 0; i < n; ++i) {
    const dimension *d = &s->dims[i];
    strides[i] = 1;
    pads[i] = classes[i]->taps - 1 - d->skip;
    pads[n + i] = d->places + d->skip - d->extent;
    last[1 + i] = 2 + i;
    shape[1 + i] = d->places;
    shape[2 + n + i] = classes[i]->count;
    permutation[1 + 2 * i] = 1 + i;
    permutation[2 + 2 * i] = 2 + n + i;
  }
  MlirContext k = s->b.context;
  MlirNamedAttribute attrs[] = {tvm_attr_i64s(k, "strides", n, strides),
                                tvm_attr_i64s(k, "pads", 2 * n, pads),
                                tvm_attr_i64s(k, "dilations", n, strides),
                                tvm_attr_i64(k, "groups", s->groups),
                                tvm_attr_str(k, "layout", "NCX")};
  MlirValue operands[] = {s->x, build_weight(s, classes)};
  MlirValue y = tvm_graph_build(&s->b, "conv", 2, operands, 5, attrs);
  y = reshape(&s->b, transpose(&s->b, y, last), 3 + 2 * n, shape);
  return transpose(&s->b, y, permutation);
}

/* All classes of dimension i and those behind it, side by side. */
static MlirValue build_classes(split *s, intptr_t i,
                               const phase_class **classes) {
  if (i == s->space)
    return build_class(s, classes);
  MlirValue parts[2];
  for (int c = 0; c < s->dims[i].n_classes; ++c) {
    classes[i] = &s->dims[i].classes[c];
    parts[c] = build_classes(s, i + 1, classes);
  }
  MlirNamedAttribute axis = tvm_attr_i64(s->b.context, "axis", 2 + 2 * i);
  return s->dims[i].n_classes == 1
             ? parts[0]
             : tvm_graph_build(&s->b, "concat", 2, parts, 1, &axis);
}

static MlirValue build(split *s, MlirValue w) {
  const phase_class *classes[MAX_SPACE];
  int64_t shape[MAX_RANK], starts[MAX_RANK] = {0}, sizes[MAX_RANK],
                           steps[MAX_RANK], permutation[MAX_RANK];
  intptr_t n = s->space;
  s->taps = split_taps(s, w);
  MlirValue y = build_classes(s, 0, classes);
  bool cropped = false;
  shape[0] = sizes[0] = tvm_dim(s->x, 0);
  shape[1 + n] = sizes[1 + n] = s->groups * s->out_channels;
  steps[0] = steps[1 + n] = 1;
  permutation[0] = 0;
  permutation[1] = 1 + n;
  for (intptr_t i = 0; i < n; ++i) {
    const dimension *d = &s->dims[i];
    shape[1 + i] = d->places * d->stride;
    starts[1 + i] = d->crop;
    sizes[1 + i] = d->result;
    steps[1 + i] = 1;
    permutation[2 + i] = 1 + i;
    cropped |= shape[1 + i] != sizes[1 + i];
  }
  y = reshape(&s->b, y, 2 + n, shape);
  if (cropped)
    y = slice(&s->b, y, starts, sizes, steps);
  return transpose(&s->b, y, permutation);
}

MlirLogicalResult tvm_pass_split_conv_transpose(MlirOperation func) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    split s;
    if (!tvm_op_is(op, "graph.conv_transpose") || !read(op, &s))
      continue;
    s.b = tvm_builder_before(op);
    mlirValueReplaceAllUsesOfWith(tvm_result(op, 0),
                                  build(&s, tvm_operand(op, 1)));
  }
  return mlirLogicalResultSuccess();
}
