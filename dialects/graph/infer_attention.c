/* infer_attention.c - the result of attention over heads. */
#include "graph/infer.h"

/* Dimensions of query, key and value. */
enum { BATCH, POSITION, HEAD, CHANNEL, RANK };

static bool read_heads(const tvm_graph_signature *s, intptr_t i,
                       tvm_graph_shape *out) {
  if (!tvm_graph_read_operand(s, i, TVM_GRAPH_FLOAT, out) ||
      !tvm_graph_expect_same_element(s, 0, i))
    return false;
  return out->rank == RANK ||
         tvm_graph_fail(s, "expects operand #%td of rank 4, got rank %td", i,
                        out->rank);
}

static bool expect_equal(const tvm_graph_signature *s, const char *what,
                         int64_t x, int64_t y) {
  return x == y || tvm_graph_fail(s, "expects equal %s, got %lld and %lld",
                                  what, (long long)x, (long long)y);
}

static bool check_mask(const tvm_graph_signature *s,
                       const tvm_graph_shape *scores) {
  tvm_graph_shape mask, out = *scores;
  if (s->n_operands == 3)
    return true;
  if (!tvm_graph_read_operand(s, 3, TVM_GRAPH_FLOAT, &mask) ||
      !tvm_graph_expect_same_element(s, 0, 3) ||
      !tvm_graph_broadcast(s, 0, &mask, &out))
    return false;
  bool same = out.rank == scores->rank;
  for (intptr_t d = 0; same && d < out.rank; ++d)
    same = out.dims[d] == scores->dims[d];
  return same || tvm_graph_fail(s, "expects a mask that broadcasts to the "
                                   "scores");
}

TVM_GRAPH_INFER(attention) {
  tvm_graph_shape q, k, v;
  double scale;
  if (s->n_operands != 4 && !tvm_graph_expect_operands(s, 3))
    return mlirLogicalResultFailure();
  if (!read_heads(s, 0, &q) || !read_heads(s, 1, &k) || !read_heads(s, 2, &v) ||
      !tvm_graph_read_f64(s, "scale", &scale) ||
      !expect_equal(s, "batches", q.dims[BATCH], k.dims[BATCH]) ||
      !expect_equal(s, "batches", q.dims[BATCH], v.dims[BATCH]) ||
      !expect_equal(s, "heads", q.dims[HEAD], k.dims[HEAD]) ||
      !expect_equal(s, "heads", q.dims[HEAD], v.dims[HEAD]) ||
      !expect_equal(s, "channels", q.dims[CHANNEL], k.dims[CHANNEL]) ||
      !expect_equal(s, "key positions", k.dims[POSITION], v.dims[POSITION]))
    return mlirLogicalResultFailure();
  tvm_graph_shape scores = q;
  scores.dims[1] = q.dims[HEAD];
  scores.dims[2] = q.dims[POSITION];
  scores.dims[3] = k.dims[POSITION];
  if (!check_mask(s, &scores))
    return mlirLogicalResultFailure();
  q.dims[CHANNEL] = v.dims[CHANNEL];
  return tvm_graph_set_result(s, &q, n_results, results);
}
