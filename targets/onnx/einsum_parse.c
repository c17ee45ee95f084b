/* einsum_parse.c - read the equation of an Einstein sum. */
#include "einsum.h"

#include <stdio.h>
#include <string.h>

typedef struct parser {
  const char *at;
  size_t error_bytes;
  char *error;
} parser;

enum { ELLIPSIS = -1 };

#define FAIL(p, ...)                                                           \
  (snprintf((p)->error, (p)->error_bytes, __VA_ARGS__), false)

static void skip_spaces(parser *p) {
  while (*p->at == ' ')
    ++p->at;
}

static int32_t get_label(char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  return c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

static char get_letter(int32_t label) {
  return (char)(label < 26 ? 'A' + label : 'a' + label - 26);
}

/* Labels up to a comma, an arrow or the end. */
static bool parse_term(parser *p, tvm_einsum_term *out, bool *has_ellipsis) {
  out->n = 0;
  *has_ellipsis = false;
  for (;;) {
    skip_spaces(p);
    int32_t label = get_label(*p->at);
    if (strncmp(p->at, "...", 3) == 0) {
      if (*has_ellipsis)
        return FAIL(p, "has two ellipses in one term");
      *has_ellipsis = true;
      label = ELLIPSIS;
      p->at += 3;
    } else if (label >= 0) {
      p->at += 1;
    } else if (*p->at == ',' || *p->at == '-' || *p->at == '\0') {
      return true;
    } else {
      return FAIL(p, "has the unexpected character '%c'", *p->at);
    }
    if (out->n == TVM_EMIT_MAX_RANK)
      return FAIL(p, "has a term of more than %d labels", TVM_EMIT_MAX_RANK);
    out->labels[out->n++] = label;
  }
}

/* Replace the ellipsis by the labels of `rank` dimensions. */
static bool expand_ellipsis(parser *p, tvm_einsum_term *t, int32_t rank) {
  tvm_einsum_term out = {0};
  for (int32_t i = 0; i < t->n; ++i) {
    int32_t n = t->labels[i] == ELLIPSIS ? rank : 1;
    if (out.n + n > TVM_EMIT_MAX_RANK)
      return FAIL(p, "has a term of more than %d labels", TVM_EMIT_MAX_RANK);
    for (int32_t k = 0; k < n; ++k)
      out.labels[out.n++] =
          t->labels[i] == ELLIPSIS ? TVM_EINSUM_LETTERS + k : t->labels[i];
  }
  *t = out;
  return true;
}

/* The extents of an operand's labels join those of the others; one extent of
 * one broadcasts, in the ellipsis alone. */
static bool join_extents(parser *p, tvm_einsum *e, const tvm_einsum_term *t,
                         const tvm_emit_shape *shape, int32_t operand) {
  for (int32_t i = 0; i < t->n; ++i) {
    int64_t *extent = &e->extents[t->labels[i]], dim = shape->dims[i];
    bool broadcasts = t->labels[i] >= TVM_EINSUM_LETTERS;
    if (*extent < 0 || (broadcasts && *extent == 1)) {
      *extent = dim;
    } else if (*extent != dim && !(broadcasts && dim == 1)) {
      if (broadcasts)
        return FAIL(p, "operand %d: ellipsis extents %lld and %lld differ",
                    operand, (long long)*extent, (long long)dim);
      return FAIL(p, "operand %d: extent of '%c' is %lld, expected %lld",
                  operand, get_letter(t->labels[i]), (long long)dim,
                  (long long)*extent);
    }
  }
  return true;
}

static bool parse_inputs(parser *p, int32_t n, const tvm_emit_shape *shapes,
                         tvm_einsum *e, int32_t *ellipsis_rank) {
  *ellipsis_rank = -1;
  for (int32_t i = 0; i < n; ++i) {
    tvm_einsum_term *t = &e->terms[i];
    bool has_ellipsis;
    if (!parse_term(p, t, &has_ellipsis))
      return false;
    if (i + 1 < n ? *p->at != ',' : *p->at == ',')
      return FAIL(p, "does not have one term for each of %d operands", n);
    p->at += *p->at == ',';
    int32_t rank = (int32_t)shapes[i].rank - t->n + has_ellipsis;
    if (rank < 0 || (rank > 0 && !has_ellipsis))
      return FAIL(p, "operand %d: %d labels for rank %lld", i,
                  t->n - has_ellipsis, (long long)shapes[i].rank);
    if (!has_ellipsis)
      continue;
    if (*ellipsis_rank >= 0 && *ellipsis_rank != rank)
      return FAIL(p, "operand %d: ellipsis of %d dimensions, expected %d", i,
                  rank, *ellipsis_rank);
    *ellipsis_rank = rank;
    if (!expand_ellipsis(p, t, rank))
      return false;
  }
  for (int32_t i = 0; i < n; ++i)
    if (!join_extents(p, e, &e->terms[i], &shapes[i], i))
      return false;
  return true;
}

/* Without an arrow: the ellipsis, then the letters that occur once, sorted. */
static void derive_output(tvm_einsum *e, int32_t ellipsis_rank) {
  int32_t counts[TVM_EINSUM_LABELS] = {0};
  for (int32_t i = 0; i < e->n_terms; ++i)
    for (int32_t k = 0; k < e->terms[i].n; ++k)
      counts[e->terms[i].labels[k]] += 1;
  for (int32_t k = 0; k < ellipsis_rank; ++k)
    e->output.labels[e->output.n++] = TVM_EINSUM_LETTERS + k;
  for (int32_t i = 0; i < TVM_EINSUM_LETTERS; ++i)
    if (counts[i] == 1 && e->output.n < TVM_EMIT_MAX_RANK)
      e->output.labels[e->output.n++] = i;
}

static bool parse_output(parser *p, tvm_einsum *e, int32_t ellipsis_rank) {
  bool has_ellipsis, seen[TVM_EINSUM_LABELS] = {false};
  if (!parse_term(p, &e->output, &has_ellipsis))
    return false;
  if (*p->at)
    return FAIL(p, "has the unexpected character '%c' after the output",
                *p->at);
  if (has_ellipsis && ellipsis_rank < 0)
    return FAIL(p, "has an ellipsis in the output alone");
  if (!expand_ellipsis(p, &e->output, ellipsis_rank))
    return false;
  for (int32_t i = 0; i < e->output.n; ++i) {
    int32_t label = e->output.labels[i];
    if (e->extents[label] < 0)
      return FAIL(p, "has '%c' in the output alone", get_letter(label));
    if (seen[label])
      return FAIL(p, "has '%c' twice in the output", get_letter(label));
    seen[label] = true;
  }
  return true;
}

bool tvm_einsum_parse(const char *equation, int32_t n,
                      const tvm_emit_shape *shapes, tvm_einsum *out,
                      size_t error_bytes, char *error) {
  parser p = {equation, error_bytes, error};
  memset(out, 0, sizeof *out);
  if (n < 1 || n > TVM_EINSUM_MAX_TERMS)
    return FAIL(&p, "has %d operands, expected 1 to %d", n,
                TVM_EINSUM_MAX_TERMS);
  out->n_terms = n;
  for (int32_t i = 0; i < TVM_EINSUM_LABELS; ++i)
    out->extents[i] = -1;
  int32_t ellipsis_rank;
  if (!parse_inputs(&p, n, shapes, out, &ellipsis_rank))
    return false;
  if (strncmp(p.at, "->", 2) == 0) {
    p.at += 2;
    return parse_output(&p, out, ellipsis_rank);
  }
  if (*p.at)
    return FAIL(&p, "has the unexpected character '%c'", *p.at);
  derive_output(out, ellipsis_rank);
  return true;
}
