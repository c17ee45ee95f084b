/* einsum.c - Einstein sums as transposes, products and reductions.
 *
 * Operands are first made simple: no label twice (a diagonal is a gather), no
 * label that nobody else needs (a sum), no broadcast dimension (dropped, the
 * label comes from the others). Then they are multiplied from left to right,
 * each time as one batched matrix product. */
#include "einsum.h"

typedef struct factor {
  MlirValue value;
  tvm_einsum_term term;
} factor;

static int32_t find_label(const tvm_einsum_term *t, int32_t label) {
  for (int32_t i = 0; i < t->n; ++i)
    if (t->labels[i] == label)
      return i;
  return -1;
}

static void remove_label(tvm_einsum_term *t, int32_t at) {
  for (int32_t i = at; i + 1 < t->n; ++i)
    t->labels[i] = t->labels[i + 1];
  t->n -= 1;
}

static void transpose_factor(tvm_builder *b, factor *f, const int64_t *perm) {
  tvm_einsum_term old = f->term;
  for (int32_t i = 0; i < old.n; ++i)
    f->term.labels[i] = old.labels[perm[i]];
  f->value = tvm_emit_transpose(b, f->value, perm);
}

/* Keep the diagonal of dimensions `p` < `q`; it becomes the last one. */
static void take_diagonal(tvm_builder *b, factor *f, int32_t p, int32_t q) {
  int64_t perm[TVM_EMIT_MAX_RANK];
  int32_t n = 0;
  for (int32_t i = 0; i < f->term.n; ++i)
    if (i != p && i != q)
      perm[n++] = i;
  perm[n++] = p;
  perm[n++] = q;
  transpose_factor(b, f, perm);
  tvm_emit_shape s = tvm_emit_get_shape(f->value);
  int64_t extent = s.dims[n - 1];
  s.rank = n - 1;
  s.dims[n - 2] = extent * extent;
  f->term.n = n - 1;
  MlirValue flat = tvm_emit_reshape(b, f->value, &s);
  MlirValue indices = tvm_emit_iota(b, 1, 0, extent);
  indices = tvm_emit_with(b, "mul", indices, (double)(extent + 1));
  f->value = tvm_emit_gather(b, flat, indices, n - 2);
}

static void take_diagonals(tvm_builder *b, factor *f) {
  for (int32_t q = 1; q < f->term.n; ++q) {
    int32_t p = find_label(&f->term, f->term.labels[q]);
    if (p == q)
      continue;
    take_diagonal(b, f, p, q);
    if (tvm_emit_is_null(f->value))
      return;
    q = 0; /* the dimensions moved */
  }
}

/* Drop dimensions of one that another operand broadcasts. */
static void drop_broadcasts(tvm_builder *b, const tvm_einsum *e, factor *f) {
  tvm_emit_shape s = tvm_emit_get_shape(f->value), kept = {0};
  tvm_einsum_term term = {0};
  for (int32_t i = 0; i < f->term.n; ++i) {
    if (s.dims[i] == 1 && e->extents[f->term.labels[i]] != 1)
      continue;
    kept.dims[kept.rank++] = s.dims[i];
    term.labels[term.n++] = f->term.labels[i];
  }
  f->value = tvm_emit_reshape(b, f->value, &kept);
  f->term = term;
}

static void sum_unneeded(tvm_builder *b, factor *f, const bool *needed) {
  int64_t axes[TVM_EMIT_MAX_RANK];
  intptr_t n = 0;
  for (int32_t i = 0; i < f->term.n; ++i)
    if (!needed[f->term.labels[i]])
      axes[n++] = i;
  for (intptr_t i = n; i > 0; --i)
    remove_label(&f->term, (int32_t)axes[i - 1]);
  f->value = tvm_emit_reduce(b, "reduce_sum", f->value, n, axes, false);
}

/* The dimensions of a product: shared and kept, of one side, summed. */
typedef struct roles {
  tvm_einsum_term batch, left, right, summed;
} roles;

static void append(tvm_einsum_term *t, int32_t label) {
  t->labels[t->n++] = label;
}

static roles get_roles(const factor *x, const factor *y, const bool *needed) {
  roles r = {0};
  for (int32_t i = 0; i < x->term.n; ++i) {
    int32_t label = x->term.labels[i];
    if (find_label(&y->term, label) < 0)
      append(&r.left, label);
    else
      append(needed[label] ? &r.batch : &r.summed, label);
  }
  for (int32_t i = 0; i < y->term.n; ++i)
    if (find_label(&x->term, y->term.labels[i]) < 0)
      append(&r.right, y->term.labels[i]);
  return r;
}

static int64_t count_elements(const tvm_einsum *e, const tvm_einsum_term *t) {
  int64_t n = 1;
  for (int32_t i = 0; i < t->n; ++i)
    n *= e->extents[t->labels[i]];
  return n;
}

/* Bring a factor to [batch, a, b], each group of labels as one dimension. */
static MlirValue arrange(tvm_builder *b, const tvm_einsum *e, const factor *f,
                         const tvm_einsum_term *batch, const tvm_einsum_term *p,
                         const tvm_einsum_term *q) {
  const tvm_einsum_term *groups[3] = {batch, p, q};
  int64_t perm[TVM_EMIT_MAX_RANK], shape[3];
  int32_t n = 0;
  for (int32_t g = 0; g < 3; ++g) {
    shape[g] = count_elements(e, groups[g]);
    for (int32_t i = 0; i < groups[g]->n; ++i)
      perm[n++] = find_label(&f->term, groups[g]->labels[i]);
  }
  MlirValue y = tvm_emit_transpose(b, f->value, perm);
  return batch->n ? tvm_emit_reshape_to(b, y, 3, shape)
                  : tvm_emit_reshape_to(b, y, 2, shape + 1);
}

static bool multiply(tvm_builder *b, const tvm_einsum *e, factor *x,
                     const factor *y, const bool *needed) {
  roles r = get_roles(x, y, needed);
  MlirValue left = arrange(b, e, x, &r.batch, &r.left, &r.summed);
  MlirValue right = arrange(b, e, y, &r.batch, &r.summed, &r.right);
  const char *name = r.summed.n ? "matmul" : "mul";
  MlirValue product = tvm_emit_binary(b, name, left, right);
  const tvm_einsum_term *groups[3] = {&r.batch, &r.left, &r.right};
  tvm_emit_shape shape = {0};
  tvm_einsum_term term = {0};
  for (int32_t g = 0; g < 3; ++g)
    for (int32_t i = 0; i < groups[g]->n; ++i) {
      if (term.n == TVM_EMIT_MAX_RANK) {
        tvm_emit_error(b->location,
                       "an intermediate of Einsum has more than 32 "
                       "dimensions, which is not supported");
        return false;
      }
      shape.dims[shape.rank++] = e->extents[groups[g]->labels[i]];
      append(&term, groups[g]->labels[i]);
    }
  x->value = tvm_emit_reshape(b, product, &shape);
  x->term = term;
  return !tvm_emit_is_null(x->value);
}

/* Labels of the output and of the terms from `from` on, other than `skip`. */
static void mark_needed(const tvm_einsum *e, int32_t from, int32_t skip,
                        bool *needed) {
  for (int32_t i = 0; i < TVM_EINSUM_LABELS; ++i)
    needed[i] = find_label(&e->output, i) >= 0;
  for (int32_t k = from; k < e->n_terms; ++k)
    for (int32_t i = 0; k != skip && i < e->terms[k].n; ++i)
      needed[e->terms[k].labels[i]] = true;
}

static factor simplify(tvm_builder *b, const tvm_einsum *e, MlirValue value,
                       int32_t index) {
  factor f = {value, e->terms[index]};
  bool needed[TVM_EINSUM_LABELS];
  mark_needed(e, 0, index, needed);
  take_diagonals(b, &f);
  if (tvm_emit_is_null(f.value))
    return f;
  drop_broadcasts(b, e, &f);
  sum_unneeded(b, &f, needed);
  return f;
}

/* The output may have labels that every factor lost to broadcasting of an
 * empty kind; those are of extent one and come back by the reshape. */
static MlirValue order_output(tvm_builder *b, const tvm_einsum *e, factor *f) {
  int64_t perm[TVM_EMIT_MAX_RANK];
  tvm_emit_shape shape = {0};
  int32_t n = 0;
  for (int32_t i = 0; i < e->output.n; ++i) {
    int32_t label = e->output.labels[i], at = find_label(&f->term, label);
    shape.dims[shape.rank++] = e->extents[label];
    if (at >= 0)
      perm[n++] = at;
  }
  return tvm_emit_reshape(b, tvm_emit_transpose(b, f->value, perm), &shape);
}

MlirValue tvm_einsum_emit(tvm_builder *b, const tvm_einsum *e,
                          const MlirValue *operands) {
  factor product = simplify(b, e, operands[0], 0);
  for (int32_t i = 1; i < e->n_terms; ++i) {
    factor next = simplify(b, e, operands[i], i);
    bool needed[TVM_EINSUM_LABELS];
    mark_needed(e, i + 1, -1, needed);
    if (tvm_emit_is_null(product.value) || tvm_emit_is_null(next.value) ||
        !multiply(b, e, &product, &next, needed))
      return (MlirValue){NULL};
    sum_unneeded(b, &product, needed);
  }
  if (tvm_emit_is_null(product.value))
    return product.value;
  return order_output(b, e, &product);
}
