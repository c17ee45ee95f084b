/* infer_elementwise.c - results of the elementwise operators. */
#include "graph/infer.h"

static MlirLogicalResult infer_unary(const tvm_graph_signature *s, int kinds,
                                     intptr_t *n_results, MlirType *results) {
  tvm_graph_shape x;
  if (!tvm_graph_expect_operands(s, 1) ||
      !tvm_graph_read_operand(s, 0, kinds, &x))
    return mlirLogicalResultFailure();
  return tvm_graph_set_result(s, &x, n_results, results);
}

TVM_GRAPH_INFER(number_unary) {
  return infer_unary(s, TVM_GRAPH_NUMBER, n_results, results);
}

TVM_GRAPH_INFER(float_unary) {
  return infer_unary(s, TVM_GRAPH_FLOAT, n_results, results);
}

TVM_GRAPH_INFER(integer_unary) {
  return infer_unary(s, TVM_GRAPH_INTEGER | TVM_GRAPH_BOOL, n_results, results);
}

TVM_GRAPH_INFER(float_predicate) {
  tvm_graph_shape x;
  if (!tvm_graph_expect_operands(s, 1) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_FLOAT, &x))
    return mlirLogicalResultFailure();
  x.element = tvm_graph_bool(s);
  return tvm_graph_set_result(s, &x, n_results, results);
}

/* The two operands' broadcast shape, with their element type. */
static bool read_pair(const tvm_graph_signature *s, intptr_t first, int kinds,
                      tvm_graph_shape *out) {
  tvm_graph_shape other;
  return tvm_graph_read_operand(s, first, kinds, out) &&
         tvm_graph_read_operand(s, first + 1, kinds, &other) &&
         tvm_graph_expect_same_element(s, first, first + 1) &&
         tvm_graph_broadcast(s, 0, &other, out);
}

static bool has_name(const tvm_graph_signature *s, const char *name) {
  return mlirStringRefEqual(mlirStringRefCreateFromCString(s->name),
                            mlirStringRefCreateFromCString(name));
}

TVM_GRAPH_INFER(number_binary) {
  tvm_graph_shape out;
  if (!tvm_graph_expect_operands(s, 2) ||
      !read_pair(s, 0, TVM_GRAPH_NUMBER, &out))
    return mlirLogicalResultFailure();
  return tvm_graph_set_result(s, &out, n_results, results);
}

TVM_GRAPH_INFER(integer_binary) {
  tvm_graph_shape out;
  bool shifts =
      has_name(s, "graph.shift_left") || has_name(s, "graph.shift_right");
  int kinds = TVM_GRAPH_INTEGER | (shifts ? 0 : TVM_GRAPH_BOOL);
  if (!tvm_graph_expect_operands(s, 2) || !read_pair(s, 0, kinds, &out))
    return mlirLogicalResultFailure();
  return tvm_graph_set_result(s, &out, n_results, results);
}

TVM_GRAPH_INFER(comparison) {
  tvm_graph_shape out;
  /* The order of false and true is nobody's business. */
  int kinds = has_name(s, "graph.equal") ? TVM_GRAPH_ANY : TVM_GRAPH_NUMBER;
  if (!tvm_graph_expect_operands(s, 2) || !read_pair(s, 0, kinds, &out))
    return mlirLogicalResultFailure();
  out.element = tvm_graph_bool(s);
  return tvm_graph_set_result(s, &out, n_results, results);
}

TVM_GRAPH_INFER(cast) {
  tvm_graph_shape x;
  if (!tvm_graph_expect_operands(s, 1) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_ANY, &x))
    return mlirLogicalResultFailure();
  MlirAttribute to = tvm_graph_read_attr(s, "to");
  if (mlirAttributeIsNull(to))
    return mlirLogicalResultFailure();
  if (!mlirAttributeIsAType(to) ||
      !tvm_graph_has_element_kind(mlirTypeAttrGetValue(to), TVM_GRAPH_ANY)) {
    tvm_graph_fail(s, "expects attribute 'to' to be an element type");
    return mlirLogicalResultFailure();
  }
  x.element = mlirTypeAttrGetValue(to);
  return tvm_graph_set_result(s, &x, n_results, results);
}

TVM_GRAPH_INFER(select) {
  tvm_graph_shape condition, out;
  if (!tvm_graph_expect_operands(s, 3) ||
      !tvm_graph_read_operand(s, 0, TVM_GRAPH_BOOL, &condition) ||
      !read_pair(s, 1, TVM_GRAPH_ANY, &out) ||
      !tvm_graph_broadcast(s, 0, &condition, &out))
    return mlirLogicalResultFailure();
  return tvm_graph_set_result(s, &out, n_results, results);
}
