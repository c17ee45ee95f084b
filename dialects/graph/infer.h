/* infer.h - what the inference functions of this room share.
 *
 * A reader checks what it reads and emits the error itself, so that an
 * inference function is a chain of readers followed by the shape rule. */
#ifndef TVM_DIALECTS_GRAPH_INFER_H
#define TVM_DIALECTS_GRAPH_INFER_H

#include "graph/graph.h"

enum { TVM_GRAPH_MAX_RANK = 32 };

/* No tensor of the graph has more elements. Products of extents and of a few
 * bytes an element then stay clear of int64. */
#define TVM_GRAPH_MAX_ELEMENTS ((int64_t)1 << 48)

typedef struct tvm_graph_shape {
  MlirType element;
  intptr_t rank;
  int64_t dims[TVM_GRAPH_MAX_RANK];
} tvm_graph_shape;

/* Kinds of element types, as bits. */
enum {
  TVM_GRAPH_BOOL = 1,
  TVM_GRAPH_INTEGER = 2,
  TVM_GRAPH_FLOAT = 4,
  TVM_GRAPH_NUMBER = TVM_GRAPH_INTEGER | TVM_GRAPH_FLOAT,
  TVM_GRAPH_ANY = TVM_GRAPH_BOOL | TVM_GRAPH_NUMBER,
};

/* ---- infer.c ---- */

/* `'graph.conv' <message>` at the location. Always returns false. */
bool tvm_graph_fail(const tvm_graph_signature *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Exactly `n` operands, or fail. */
bool tvm_graph_expect_operands(const tvm_graph_signature *s, intptr_t n);
/* Operand `i` as a static ranked tensor whose element is one of `kinds`. */
bool tvm_graph_read_operand(const tvm_graph_signature *s, intptr_t i, int kinds,
                            tvm_graph_shape *out);
bool tvm_graph_read_i64(const tvm_graph_signature *s, const char *name,
                        int64_t *out);
bool tvm_graph_read_bool(const tvm_graph_signature *s, const char *name,
                         bool *out);
bool tvm_graph_read_f64(const tvm_graph_signature *s, const char *name,
                        double *out);
/* The index of the attribute's value in `choices`, a null-terminated list. */
bool tvm_graph_read_choice(const tvm_graph_signature *s, const char *name,
                           const char *const *choices, int *out);
/* An array<i64> of exactly `n` elements. */
bool tvm_graph_read_i64s(const tvm_graph_signature *s, const char *name,
                         intptr_t n, int64_t *out);
/* An array<i64> of at most TVM_GRAPH_MAX_RANK elements. */
bool tvm_graph_read_list(const tvm_graph_signature *s, const char *name,
                         intptr_t *n, int64_t *out);
/* An i64 in [0, rank). */
bool tvm_graph_read_axis(const tvm_graph_signature *s, const char *name,
                         intptr_t rank, intptr_t *out);
/* Null, with an error, when absent. */
MlirAttribute tvm_graph_read_attr(const tvm_graph_signature *s,
                                  const char *name);

/* Operands `i` and `j` have equal element types, or fail. */
bool tvm_graph_expect_same_element(const tvm_graph_signature *s, intptr_t i,
                                   intptr_t j);
/* Broadcast `other` into `shape` as numpy does; dimensions [0, shape->rank -
 * skip) alone when the last `skip` of both are not to be looked at. */
bool tvm_graph_broadcast(const tvm_graph_signature *s, intptr_t skip,
                         const tvm_graph_shape *other, tvm_graph_shape *shape);

int64_t tvm_graph_count(const tvm_graph_shape *shape);
bool tvm_graph_has_element_kind(MlirType element, int kinds);
MlirType tvm_graph_int64(const tvm_graph_signature *s);
MlirType tvm_graph_bool(const tvm_graph_signature *s);

/* The one result. Fails: the number of elements passes the limit. */
MlirLogicalResult tvm_graph_set_result(const tvm_graph_signature *s,
                                       const tvm_graph_shape *shape,
                                       intptr_t *n_results, MlirType *results);
MlirLogicalResult tvm_graph_add_result(const tvm_graph_signature *s,
                                       const tvm_graph_shape *shape,
                                       intptr_t *n_results, MlirType *results);

/* The type as MLIR prints it, cut to the size; for messages. */
enum { TVM_GRAPH_TEXT_SIZE = 256 };
void tvm_graph_print_type(MlirType type, char text[TVM_GRAPH_TEXT_SIZE]);

/* ---- infer_*.c: one function for each name in operators.def ---- */

#define TVM_GRAPH_INFER(check)                                                 \
  MlirLogicalResult tvm_graph_infer_##check(                                   \
      const tvm_graph_signature *s, intptr_t *n_results,                       \
      MlirType results[TVM_GRAPH_MAX_RESULTS])

TVM_GRAPH_INFER(number_unary);
TVM_GRAPH_INFER(float_unary);
TVM_GRAPH_INFER(integer_unary);
TVM_GRAPH_INFER(float_predicate);
TVM_GRAPH_INFER(number_binary);
TVM_GRAPH_INFER(integer_binary);
TVM_GRAPH_INFER(comparison);
TVM_GRAPH_INFER(cast);
TVM_GRAPH_INFER(select);
TVM_GRAPH_INFER(reduction);
TVM_GRAPH_INFER(arg_reduction);
TVM_GRAPH_INFER(cum_sum);
TVM_GRAPH_INFER(softmax);
TVM_GRAPH_INFER(normalize);
TVM_GRAPH_INFER(attention);
TVM_GRAPH_INFER(matmul);
TVM_GRAPH_INFER(conv);
TVM_GRAPH_INFER(conv_transpose);
TVM_GRAPH_INFER(pool);
TVM_GRAPH_INFER(transpose);
TVM_GRAPH_INFER(reshape);
TVM_GRAPH_INFER(broadcast);
TVM_GRAPH_INFER(concat);
TVM_GRAPH_INFER(slice);
TVM_GRAPH_INFER(pad);
TVM_GRAPH_INFER(gather);
TVM_GRAPH_INFER(gather_elements);
TVM_GRAPH_INFER(gather_nd);
TVM_GRAPH_INFER(scatter_elements);
TVM_GRAPH_INFER(scatter_nd);
TVM_GRAPH_INFER(top_k);
TVM_GRAPH_INFER(assert);

#endif
