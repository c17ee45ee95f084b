/* graph.c - names in sight, graphs node by node, graphs within graphs. */
#include "importer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_ATTRIBUTES_TAG = 11 }; /* of FunctionProto */

void tvm_onnx_scope_finish(tvm_onnx_scope *scope) {
  tvm_onnx_table_finish(&scope->values);
  tvm_onnx_table_finish(&scope->initializers);
  tvm_onnx_table_finish(&scope->sparse);
  tvm_onnx_table_finish(&scope->later);
}

static MlirValue build_initializer(tvm_onnx_model *m, tvm_onnx_scope *scope,
                                   tvm_builder *b, const char *name,
                                   Onnx__TensorProto *tensor) {
  char what[256];
  snprintf(what, sizeof what, "initializer '%s'", name);
  tvm_builder at = *b;
  at.location = m->location;
  MlirValue value = tvm_onnx_share_tensor(m, &at, tensor, what);
  if (!mlirValueIsNull(value))
    tvm_onnx_table_put(&scope->values, tensor->name,
                       (void *)(uintptr_t)value.ptr);
  return value;
}

MlirValue tvm_onnx_find_value(tvm_onnx_model *m, tvm_onnx_scope *scope,
                              tvm_builder *b, const char *name, bool *found) {
  *found = true;
  for (; scope; scope = scope->outer) {
    void *value = tvm_onnx_table_get(&scope->values, name);
    if (value)
      return (MlirValue){value};
    Onnx__TensorProto *tensor = tvm_onnx_table_get(&scope->initializers, name);
    if (tensor)
      return build_initializer(m, scope, b, name, tensor);
    if (tvm_onnx_table_get(&scope->sparse, name)) {
      tvm_emit_error(b->location,
                     "unsupported: initializer '%s' is a sparse tensor", name);
      return (MlirValue){NULL};
    }
  }
  *found = false;
  return (MlirValue){NULL};
}

MlirLogicalResult tvm_onnx_define(tvm_onnx_model *m, tvm_onnx_scope *scope,
                                  const char *name, MlirValue value) {
  (void)m;
  if (tvm_onnx_table_get(&scope->values, name) ||
      tvm_onnx_table_get(&scope->initializers, name))
    return mlirLogicalResultFailure();
  tvm_onnx_table_put(&scope->values, name, (void *)(uintptr_t)value.ptr);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult add_initializers(tvm_onnx_model *m,
                                          tvm_onnx_scope *scope,
                                          const Onnx__GraphProto *graph) {
  for (size_t i = 0; i < graph->n_initializer; ++i) {
    Onnx__TensorProto *t = graph->initializer[i];
    if (!t->name || !*t->name)
      return tvm_onnx_model_fail(m, "an initializer has no name");
    if (tvm_onnx_table_get(&scope->initializers, t->name))
      return tvm_onnx_model_fail(m, "initializer '%s' is defined twice",
                                 t->name);
    tvm_onnx_table_put(&scope->initializers, t->name, t);
  }
  for (size_t i = 0; i < graph->n_sparse_initializer; ++i) {
    const Onnx__TensorProto *t = graph->sparse_initializer[i]->values;
    if (t && t->name && *t->name)
      tvm_onnx_table_put(&scope->sparse, t->name, graph->sparse_initializer[i]);
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_onnx_import_nodes(tvm_onnx_model *m,
                                        tvm_onnx_scope *scope, size_t n,
                                        Onnx__NodeProto *const *nodes) {
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < nodes[i]->n_output; ++k)
      if (*nodes[i]->output[k])
        tvm_onnx_table_put(&scope->later, nodes[i]->output[k], nodes[i]);
  for (size_t i = 0; i < n; ++i) {
    MlirLogicalResult result = tvm_onnx_import_node(m, scope, nodes[i]);
    if (mlirLogicalResultIsFailure(result))
      return result;
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_onnx_import_graph(tvm_onnx_model *m,
                                        tvm_onnx_scope *scope,
                                        const Onnx__GraphProto *graph) {
  MlirLogicalResult result = add_initializers(m, scope, graph);
  if (mlirLogicalResultIsSuccess(result) && !scope->outer)
    result = tvm_onnx_import_inputs(m, scope, graph);
  if (mlirLogicalResultIsSuccess(result))
    result = tvm_onnx_import_nodes(m, scope, graph->n_node, graph->node);
  return result;
}

static MlirLogicalResult enter(tvm_onnx_node *node) {
  if (node->model->nesting == TVM_ONNX_MAX_NESTING)
    return tvm_onnx_fail(node, "graphs and functions nest more than %d deep",
                         TVM_ONNX_MAX_NESTING);
  ++node->model->nesting;
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult take_result(tvm_onnx_node *node, tvm_onnx_scope *scope,
                                     intptr_t i, const char *name) {
  bool found;
  MlirValue value = tvm_onnx_find_value(node->model, scope, &node->builder,
                                        name ? name : "", &found);
  if (!found)
    return tvm_onnx_fail(node, "nothing in its body computes the output '%s'",
                         name ? name : "");
  return tvm_onnx_set_result(node, i, value);
}

MlirLogicalResult tvm_onnx_inline_graph(tvm_onnx_node *node,
                                        const Onnx__GraphProto *graph) {
  tvm_onnx_scope scope = {.outer = node->scope};
  if (graph->n_output != node->proto->n_output)
    return tvm_onnx_fail(node, "has %zu outputs, its branch %zu",
                         node->proto->n_output, graph->n_output);
  if (mlirLogicalResultIsFailure(enter(node)))
    return mlirLogicalResultFailure();
  MlirLogicalResult result = tvm_onnx_import_graph(node->model, &scope, graph);
  for (size_t i = 0; i < graph->n_output && mlirLogicalResultIsSuccess(result);
       ++i)
    result = take_result(node, &scope, (intptr_t)i, graph->output[i]->name);
  tvm_onnx_scope_finish(&scope);
  --node->model->nesting;
  return result;
}

/* Operands that the call leaves out are absent in the body: its nodes that
 * read such a name see one that nothing computes. */
static void bind_inputs(tvm_onnx_node *node, const Onnx__FunctionProto *f,
                        tvm_onnx_scope *scope) {
  for (size_t i = 0; i < f->n_input && i < node->proto->n_input; ++i)
    if (!mlirValueIsNull(node->operands[i]))
      tvm_onnx_table_put(&scope->values, f->input[i],
                         (void *)(uintptr_t)node->operands[i].ptr);
}

static MlirLogicalResult mark_attrs(tvm_onnx_node *node,
                                    const Onnx__FunctionProto *f) {
  for (size_t i = 0; i < f->n_attribute; ++i)
    tvm_onnx_ignore_attr(node, f->attribute[i]);
  /* They came after the schema that is compiled in. */
  for (unsigned i = 0; i < f->base.n_unknown_fields; ++i)
    if (f->base.unknown_fields[i].tag == DEFAULT_ATTRIBUTES_TAG)
      return tvm_onnx_unsupported(node,
                                  "function '%s' has attributes with "
                                  "default values",
                                  f->name);
  return tvm_onnx_check_attrs_read(node);
}

MlirLogicalResult tvm_onnx_inline_function(tvm_onnx_node *node,
                                           const Onnx__FunctionProto *f) {
  tvm_onnx_scope scope = {.function = f, .caller = node};
  if (node->proto->n_input > f->n_input || node->proto->n_output > f->n_output)
    return tvm_onnx_fail(node,
                         "function '%s' takes %zu inputs and gives %zu "
                         "outputs, the call has %zu and %zu",
                         f->name, f->n_input, f->n_output, node->proto->n_input,
                         node->proto->n_output);
  if (mlirLogicalResultIsFailure(mark_attrs(node, f)) ||
      mlirLogicalResultIsFailure(enter(node)))
    return mlirLogicalResultFailure();
  bind_inputs(node, f, &scope);
  MlirLogicalResult result =
      tvm_onnx_import_nodes(node->model, &scope, f->n_node, f->node);
  for (size_t i = 0;
       i < node->proto->n_output && mlirLogicalResultIsSuccess(result); ++i)
    if (tvm_onnx_has_result(node, (intptr_t)i))
      result = take_result(node, &scope, (intptr_t)i, f->output[i]);
  tvm_onnx_scope_finish(&scope);
  --node->model->nesting;
  return result;
}
