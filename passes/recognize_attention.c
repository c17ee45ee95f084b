/* recognize_attention.c - attention over heads put together again.
 *
 *   matmul(softmax(scale * matmul(q, k^T) + mask), v)
 *
 * where q, k and v are transposes of [batch, position, head, channel], or of
 * [position, head, channel] without a batch, becomes one graph.attention,
 * which reads them as they lie in memory. The scale may stand at the scores or
 * at the query or key; no value in between may have another reader.
 *
 * Left alone are shapes that attention.mlir, the schedule, has no blocks for
 * (few rows or keys, channels of values that fill no vectors) and heads whose
 * transposed keys exceed the second cache.
 *
 * Preserves: results up to rounding. Terminates: one walk. */
#include "passes/passes_internal.h"

enum {
  VECTOR = 16,              /* elements */
  MIN_ROWS = 8,             /* of queries */
  MAX_KEY_ELEMENTS = 49152, /* of one head */
};

typedef struct {
  MlirValue query, key, value, mask; /* mask may be null */
  double scale;
} attention;

static MlirOperation producer(MlirValue v, const char *name) {
  MlirOperation op = tvm_defining_op(v), none = {0};
  return tvm_op_is(op, name) && tvm_has_one_use(v) ? op : none;
}

static bool read_number(MlirValue v, double *out) {
  MlirOperation op = tvm_defining_op(v);
  if (!tvm_op_is(op, "arith.constant"))
    return false;
  MlirAttribute value = tvm_get_attr(op, "value");
  if (!mlirAttributeIsADenseElements(value) ||
      !mlirDenseElementsAttrIsSplat(value))
    return false;
  MlirAttribute scalar = mlirDenseElementsAttrGetSplatValue(value);
  if (!mlirAttributeIsAFloat(scalar))
    return false;
  *out = mlirFloatAttrGetValueDouble(scalar);
  return true;
}

/* Take products with and quotients by a number off `v`. */
static MlirValue strip_scale(MlirValue v, double *scale) {
  for (;;) {
    MlirOperation mul = producer(v, "graph.mul"),
                  div = producer(v, "graph.div");
    double number;
    intptr_t at = 1;
    if (mul.ptr && !read_number(tvm_operand(mul, 1), &number))
      at = 0;
    MlirOperation op = mul.ptr ? mul : div;
    if (!op.ptr || !read_number(tvm_operand(op, at), &number) ||
        !mlirTypeEqual(mlirValueGetType(tvm_operand(op, 1 - at)),
                       mlirValueGetType(v)))
      return v;
    *scale = mul.ptr ? *scale * number : *scale / number;
    v = tvm_operand(op, 1 - at);
  }
}

/* Take the sum with a mask off the scores. */
static MlirValue strip_mask(MlirValue v, MlirValue *mask) {
  MlirOperation add = producer(v, "graph.add");
  if (!add.ptr)
    return v;
  for (intptr_t i = 0; i < 2; ++i) {
    MlirValue x = tvm_operand(add, i);
    double scale = 1;
    if (mlirTypeEqual(mlirValueGetType(x), mlirValueGetType(v)) &&
        producer(strip_scale(x, &scale), "graph.matmul").ptr) {
      *mask = tvm_operand(add, 1 - i);
      return x;
    }
  }
  return v;
}

/* What `v` transposes into heads, each a matrix of positions by channels, or
 * the other way round if `turned`; null if it is something else. */
static MlirValue strip_heads(MlirValue v, bool turned) {
  static const int64_t PLAIN[] = {0, 2, 1, 3}, TURNED[] = {0, 2, 3, 1};
  MlirValue none = {0};
  MlirOperation op = tvm_defining_op(v);
  int64_t rank = tvm_rank(v), skip = 4 - rank;
  if (!tvm_op_is(op, "graph.transpose") || rank < 3 || rank > 4)
    return none;
  for (int64_t d = 0; d < rank; ++d)
    if (tvm_get_i64s(op, "permutation", d) !=
        (turned ? TURNED : PLAIN)[d + skip] - skip)
      return none;
  return tvm_operand(op, 0);
}

static bool match(MlirOperation softmax, attention *a, MlirOperation *last) {
  MlirValue weights = tvm_result(softmax, 0);
  int64_t rank = tvm_rank(weights);
  if (!tvm_has_one_use(weights) || tvm_get_i64(softmax, "axis") != rank - 1 ||
      !mlirTypeIsAF32(tvm_element_type(weights)))
    return false;
  *last = mlirOpOperandGetOwner(mlirValueGetFirstUse(weights));
  if (!tvm_op_is(*last, "graph.matmul") ||
      !mlirValueEqual(tvm_operand(*last, 0), weights) ||
      tvm_rank(tvm_operand(*last, 1)) != rank)
    return false;
  *a = (attention){.scale = 1};
  MlirValue logits = tvm_operand(softmax, 0);
  MlirValue scores = strip_scale(strip_mask(logits, &a->mask), &a->scale);
  MlirOperation product = producer(scores, "graph.matmul");
  if (!product.ptr || (!a->mask.ptr && tvm_rank(logits) != rank))
    return false;
  a->query =
      strip_heads(strip_scale(tvm_operand(product, 0), &a->scale), false);
  a->key = strip_heads(strip_scale(tvm_operand(product, 1), &a->scale), true);
  a->value = strip_heads(tvm_operand(*last, 1), false);
  return a->query.ptr && a->key.ptr && a->value.ptr &&
         tvm_rank(a->query) == rank && tvm_rank(a->key) == rank;
}

static bool has_blocks(const attention *a) {
  int64_t rank = tvm_rank(a->query), first = rank - 4;
  int64_t rows = tvm_dim(a->query, first + 1);
  int64_t columns = tvm_dim(a->key, first + 1);
  int64_t channels = tvm_dim(a->key, rank - 1);
  bool same = tvm_dim(a->query, rank - 2) == tvm_dim(a->key, rank - 2) &&
              tvm_dim(a->query, rank - 2) == tvm_dim(a->value, rank - 2);
  for (int64_t d = 0; d < rank - 3; ++d)
    same &= tvm_dim(a->query, d) == tvm_dim(a->key, d) &&
            tvm_dim(a->query, d) == tvm_dim(a->value, d);
  return same && rows >= MIN_ROWS && columns >= VECTOR && channels > 1 &&
         tvm_dim(a->value, rank - 1) % VECTOR == 0 &&
         channels * columns <= MAX_KEY_ELEMENTS;
}

/* [position, head, channel] with a batch of one in front. */
static MlirValue add_batch(tvm_builder *b, MlirValue v) {
  if (tvm_rank(v) == 4)
    return v;
  int64_t shape[] = {1, tvm_dim(v, 0), tvm_dim(v, 1), tvm_dim(v, 2)};
  MlirNamedAttribute attr = tvm_attr_i64s(b->context, "shape", 4, shape);
  return tvm_graph_build(b, "reshape", 1, &v, 1, &attr);
}

/* Back to heads of positions by channels, as the product had them. */
static MlirValue build_heads(tvm_builder *b, MlirValue v, int64_t rank) {
  static const int64_t PERMUTATION[] = {0, 2, 1, 3}, FLAT[] = {1, 0, 2};
  if (rank == 3) {
    int64_t shape[] = {tvm_dim(v, 1), tvm_dim(v, 2), tvm_dim(v, 3)};
    MlirNamedAttribute attr = tvm_attr_i64s(b->context, "shape", 3, shape);
    v = tvm_graph_build(b, "reshape", 1, &v, 1, &attr);
  }
  MlirNamedAttribute attr = tvm_attr_i64s(b->context, "permutation", rank,
                                          rank == 3 ? FLAT : PERMUTATION);
  return tvm_graph_build(b, "transpose", 1, &v, 1, &attr);
}

static bool replace(MlirOperation last, const attention *a) {
  tvm_builder b = tvm_builder_before(last);
  MlirValue operands[] = {add_batch(&b, a->query), add_batch(&b, a->key),
                          add_batch(&b, a->value), a->mask};
  MlirNamedAttribute scale = tvm_attr_f64(b.context, "scale", a->scale);
  MlirValue y = tvm_graph_build(&b, "attention", a->mask.ptr ? 4 : 3, operands,
                                1, &scale);
  if (y.ptr)
    y = build_heads(&b, y, tvm_rank(a->query));
  if (y.ptr)
    mlirValueReplaceAllUsesOfWith(tvm_result(last, 0), y);
  return y.ptr;
}

MlirLogicalResult tvm_pass_recognize_attention(MlirOperation func) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirOperation op = mlirBlockGetFirstOperation(body), last;
  attention a;
  for (; op.ptr; op = mlirOperationGetNextInBlock(op))
    if (tvm_op_is(op, "graph.softmax") && match(op, &a, &last) &&
        has_blocks(&a) && !replace(last, &a))
      return mlirLogicalResultFailure();
  return mlirLogicalResultSuccess();
}
