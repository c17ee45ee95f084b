/* node.c - one node: its operands, its importer, its results. */
#include "importer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tvm_builder *tvm_onnx_builder(tvm_onnx_node *node) { return &node->builder; }

const char *tvm_onnx_op_type(const tvm_onnx_node *node) {
  return node->proto->op_type;
}

int64_t tvm_onnx_opset(const tvm_onnx_node *node) { return node->opset; }

/* One error a node: the first is the cause of those that follow. */
static MlirLogicalResult emit(tvm_onnx_node *node, const char *prefix,
                              const char *suffix, const char *format,
                              va_list arguments) {
  char text[1024];
  vsnprintf(text, sizeof text, format, arguments);
  if (!node->failed)
    tvm_emit_error(node->builder.location, "%s%s%s", prefix, text, suffix);
  node->failed = true;
  return mlirLogicalResultFailure();
}

MlirLogicalResult tvm_onnx_fail(tvm_onnx_node *node, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  MlirLogicalResult result = emit(node, "", "", format, arguments);
  va_end(arguments);
  return result;
}

MlirLogicalResult tvm_onnx_unsupported(tvm_onnx_node *node, const char *format,
                                       ...) {
  va_list arguments;
  va_start(arguments, format);
  MlirLogicalResult result = emit(node, "unsupported: ", "", format, arguments);
  va_end(arguments);
  return result;
}

intptr_t tvm_onnx_num_operands(const tvm_onnx_node *node) {
  return (intptr_t)node->proto->n_input;
}

bool tvm_onnx_has_operand(const tvm_onnx_node *node, intptr_t i) {
  return i < tvm_onnx_num_operands(node) && *node->proto->input[i];
}

MlirValue tvm_onnx_operand(tvm_onnx_node *node, intptr_t i) {
  if (!tvm_onnx_has_operand(node, i))
    return (MlirValue){NULL};
  return node->operands[i];
}

MlirLogicalResult tvm_onnx_expect_operands(tvm_onnx_node *node, intptr_t low,
                                           intptr_t high) {
  intptr_t n = tvm_onnx_num_operands(node);
  if (n < low || n > high) {
    if (low == high)
      return tvm_onnx_fail(node, "expects %d inputs, got %d", (int)low, (int)n);
    return tvm_onnx_fail(node, "expects %d to %d inputs, got %d", (int)low,
                         (int)high, (int)n);
  }
  for (intptr_t i = 0; i < low; ++i)
    if (!tvm_onnx_has_operand(node, i))
      return tvm_onnx_fail(node, "input %d must not be left out", (int)i);
  return mlirLogicalResultSuccess();
}

intptr_t tvm_onnx_num_results(const tvm_onnx_node *node) {
  return (intptr_t)node->proto->n_output;
}

bool tvm_onnx_has_result(const tvm_onnx_node *node, intptr_t i) {
  return i < tvm_onnx_num_results(node) && *node->proto->output[i];
}

MlirLogicalResult tvm_onnx_set_result(tvm_onnx_node *node, intptr_t i,
                                      MlirValue value) {
  if (mlirValueIsNull(value))
    return mlirLogicalResultFailure();
  if (!tvm_onnx_has_result(node, i))
    return mlirLogicalResultSuccess();
  tvm_emit_shape shape = tvm_emit_get_shape(value);
  int64_t bytes;
  if (!tvm_onnx_count_bytes((size_t)shape.rank, shape.dims,
                            tvm_element_bytes(tvm_element_type(value)), &bytes))
    return tvm_onnx_fail(node, "output '%s' has too many elements",
                         node->proto->output[i]);
  if (bytes == 0) /* no kernel need run over nothing */
    value = tvm_build_splat(&node->builder, mlirValueGetType(value), 0);
  node->results[i] = value;
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_onnx_assert(tvm_onnx_node *node, MlirValue condition,
                                  const char *message) {
  if (mlirValueIsNull(condition))
    return mlirLogicalResultFailure();
  const tvm_onnx_cell *cells = tvm_onnx_evaluate(node->model, condition);
  if (cells) {
    int64_t n = tvm_num_elements(mlirValueGetType(condition));
    for (int64_t i = 0; i < n; ++i)
      if (!cells[i].i)
        return tvm_onnx_fail(node, "%s", message);
    return mlirLogicalResultSuccess();
  }
  char text[512];
  const char *name = node->proto->name ? node->proto->name : "";
  snprintf(text, sizeof text, "node '%s' (%s): %s", name, node->proto->op_type,
           message);
  MlirNamedAttribute attr =
      tvm_attr_str(node->builder.context, "message", text);
  tvm_build_op(&node->builder, "graph.assert", 0, NULL, 1, &condition, 1, &attr,
               0, NULL);
  return mlirLogicalResultSuccess();
}

/* ---- values known at import ---- */

bool tvm_onnx_is_constant(tvm_onnx_node *node, intptr_t operand) {
  MlirValue value = tvm_onnx_operand(node, operand);
  return !mlirValueIsNull(value) && tvm_onnx_evaluate(node->model, value);
}

static void report_unknown(tvm_onnx_node *node, intptr_t operand,
                           MlirValue value) {
  tvm_onnx_model *m = node->model;
  const char *name = node->proto->input[operand];
  const char *input = tvm_onnx_find_blamed_input(m, value);
  if (!input) {
    tvm_onnx_unsupported(node,
                         "input '%s' must be known at compile time and "
                         "cannot be computed then",
                         name);
    return;
  }
  if (m->options->shape_input)
    m->options->shape_input(m->options->user, input);
  tvm_onnx_fail(node,
                "input '%s' must be known at compile time, but it depends on "
                "the model input '%s'; fix that one's value",
                name, input);
}

static const tvm_onnx_cell *get_cells(tvm_onnx_node *node, intptr_t operand,
                                      int64_t *out_count) {
  MlirValue value = tvm_onnx_operand(node, operand);
  if (mlirValueIsNull(value)) {
    tvm_onnx_fail(node, "input %d must not be left out", (int)operand);
    return NULL;
  }
  const tvm_onnx_cell *cells = tvm_onnx_evaluate(node->model, value);
  if (!cells)
    report_unknown(node, operand, value);
  *out_count = tvm_num_elements(mlirValueGetType(value));
  return cells;
}

static bool is_float_operand(tvm_onnx_node *node, intptr_t operand) {
  MlirValue value = tvm_onnx_operand(node, operand);
  return !mlirValueIsNull(value) && mlirTypeIsAFloat(tvm_element_type(value));
}

bool tvm_onnx_copy_i64s(tvm_onnx_node *node, intptr_t operand,
                        int64_t *out_count, int64_t **out_values) {
  *out_values = NULL;
  if (is_float_operand(node, operand)) {
    tvm_onnx_fail(node, "input '%s' expects integers, got floats",
                  node->proto->input[operand]);
    return false;
  }
  const tvm_onnx_cell *cells = get_cells(node, operand, out_count);
  if (!cells)
    return false;
  *out_values = malloc(((size_t)*out_count + 1) * sizeof **out_values);
  for (int64_t i = 0; i < *out_count; ++i)
    (*out_values)[i] = cells[i].i;
  return true;
}

bool tvm_onnx_copy_doubles(tvm_onnx_node *node, intptr_t operand,
                           int64_t *out_count, double **out_values) {
  *out_values = NULL;
  const tvm_onnx_cell *cells = get_cells(node, operand, out_count);
  if (!cells)
    return false;
  bool is_float = is_float_operand(node, operand);
  *out_values = malloc(((size_t)*out_count + 1) * sizeof **out_values);
  for (int64_t i = 0; i < *out_count; ++i)
    (*out_values)[i] = is_float ? cells[i].d : (double)cells[i].i;
  return true;
}

static bool check_single(tvm_onnx_node *node, intptr_t operand, int64_t count) {
  if (count == 1)
    return true;
  tvm_onnx_fail(node, "input '%s' expects one element, got %lld",
                node->proto->input[operand], (long long)count);
  return false;
}

bool tvm_onnx_read_i64(tvm_onnx_node *node, intptr_t operand, int64_t *out) {
  int64_t count, *values;
  bool ok = tvm_onnx_copy_i64s(node, operand, &count, &values) &&
            check_single(node, operand, count);
  if (ok)
    *out = values[0];
  free(values);
  return ok;
}

bool tvm_onnx_read_double(tvm_onnx_node *node, intptr_t operand, double *out) {
  int64_t count;
  double *values;
  bool ok = tvm_onnx_copy_doubles(node, operand, &count, &values) &&
            check_single(node, operand, count);
  if (ok)
    *out = values[0];
  free(values);
  return ok;
}

/* ---- one node ---- */

static MlirLocation get_location(const tvm_onnx_model *m,
                                 const Onnx__NodeProto *p) {
  char text[512];
  const char *name = p->name && *p->name ? p->name
                     : p->n_output       ? p->output[0]
                                         : "";
  snprintf(text, sizeof text, "%s: node '%s' (%s)", m->file_name, name,
           p->op_type ? p->op_type : "");
  return mlirLocationNameGet(m->context, mlirStringRefCreateFromCString(text),
                             mlirLocationUnknownGet(m->context));
}

static MlirLogicalResult find_operands(tvm_onnx_node *node) {
  for (size_t i = 0; i < node->proto->n_input; ++i) {
    const char *name = node->proto->input[i];
    bool found;
    if (!*name)
      continue;
    node->operands[i] = tvm_onnx_find_value(node->model, node->scope,
                                            &node->builder, name, &found);
    if (!mlirValueIsNull(node->operands[i]))
      continue;
    if (found)
      return mlirLogicalResultFailure();
    if (tvm_onnx_table_get(&node->scope->later, name))
      return tvm_onnx_fail(node,
                           "reads '%s' before it is computed: the graph is "
                           "cyclic or not sorted",
                           name);
    return tvm_onnx_fail(node, "reads '%s', which nothing computes", name);
  }
  return mlirLogicalResultSuccess();
}

/* Operators whose older form would be read without an error and mean another
 * thing: they trained by default. What else changed before opset 7 shows in
 * attributes or inputs that the importers reject. */
static bool is_unlike_old(tvm_onnx_node *node) {
  const char *op_type = node->proto->op_type;
  return (strcmp(op_type, "BatchNormalization") == 0 ||
          strcmp(op_type, "Dropout") == 0) &&
         !tvm_onnx_get_int(node, "is_test", 0);
}

static MlirLogicalResult find_opset(tvm_onnx_node *node) {
  const Onnx__ModelProto *model = node->model->proto;
  const Onnx__FunctionProto *f = NULL;
  for (tvm_onnx_scope *s = node->scope; s && !f; s = s->outer)
    f = s->function;
  const char *domain = node->proto->domain;
  node->opset =
      f ? tvm_onnx_find_opset(f->n_opset_import, f->opset_import, domain)
        : tvm_onnx_find_opset(model->n_opset_import, model->opset_import,
                              domain);
  if (!tvm_onnx_is_default_domain(domain))
    return mlirLogicalResultSuccess();
  if (!node->opset)
    return tvm_onnx_fail(node, "the model imports no opset of domain ''");
  if (node->opset < 1 || node->opset > TVM_ONNX_MAX_OPSET ||
      (node->opset < TVM_ONNX_MIN_OPSET && is_unlike_old(node)))
    return tvm_onnx_unsupported(node, "opset %lld, supported are %d to %d",
                                (long long)node->opset, TVM_ONNX_MIN_OPSET,
                                TVM_ONNX_MAX_OPSET);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult run_importer(tvm_onnx_node *node) {
  const Onnx__NodeProto *p = node->proto;
  const Onnx__FunctionProto *f =
      tvm_onnx_find_function(node->model, p->domain, p->op_type);
  if (f)
    return tvm_onnx_inline_function(node, f);
  if (!tvm_onnx_is_default_domain(p->domain))
    return tvm_onnx_unsupported(node, "operator '%s' of domain '%s'",
                                p->op_type, p->domain);
  const tvm_onnx_row *row = tvm_onnx_find_row(p->op_type);
  if (!row)
    return tvm_onnx_unsupported(node, "operator '%s'", p->op_type);
  if (node->opset < row->since)
    return tvm_onnx_fail(node,
                         "operator '%s' exists from opset %lld on, the model "
                         "imports %lld",
                         p->op_type, (long long)row->since,
                         (long long)node->opset);
  MlirLogicalResult result = row->import(node);
  if (mlirLogicalResultIsFailure(result) || node->failed)
    return mlirLogicalResultFailure();
  return tvm_onnx_check_attrs_read(node);
}

static MlirLogicalResult define_results(tvm_onnx_node *node) {
  for (size_t i = 0; i < node->proto->n_output; ++i) {
    const char *name = node->proto->output[i];
    if (!*name)
      continue;
    if (mlirValueIsNull(node->results[i]))
      return tvm_onnx_unsupported(node, "output %d ('%s')", (int)i, name);
    if (mlirLogicalResultIsFailure(
            tvm_onnx_define(node->model, node->scope, name, node->results[i])))
      return tvm_onnx_fail(node, "'%s' is defined twice", name);
  }
  return mlirLogicalResultSuccess();
}

static void finish(tvm_onnx_node *node) {
  for (size_t i = 0; i < node->num_copies; ++i)
    free(node->copies[i]);
  free(node->copies);
  free(node->operands);
  free(node->results);
  free(node->read);
}

MlirLogicalResult tvm_onnx_import_node(tvm_onnx_model *m, tvm_onnx_scope *scope,
                                       const Onnx__NodeProto *proto) {
  MlirLocation location = get_location(m, proto);
  if (!proto->op_type || !*proto->op_type)
    return tvm_emit_error(location, "the node has no operator");
  if (++m->num_nodes > TVM_ONNX_MAX_NODES)
    return tvm_emit_error(location, "the model has more than %d nodes",
                          TVM_ONNX_MAX_NODES);
  tvm_onnx_node node = {.model = m,
                        .scope = scope,
                        .proto = proto,
                        .builder = tvm_builder_at_end(m->block, location)};
  node.operands = calloc(proto->n_input + 1, sizeof *node.operands);
  node.results = calloc(proto->n_output + 1, sizeof *node.results);
  node.read = calloc(proto->n_attribute + 1, sizeof *node.read);
  MlirLogicalResult result = find_opset(&node);
  if (mlirLogicalResultIsSuccess(result))
    result = find_operands(&node);
  if (mlirLogicalResultIsSuccess(result))
    result = run_importer(&node);
  if (mlirLogicalResultIsSuccess(result))
    result = define_results(&node);
  if (m->failed)
    result = mlirLogicalResultFailure();
  else if (mlirLogicalResultIsFailure(result))
    tvm_onnx_fail(&node, "cannot be imported");
  finish(&node);
  return result;
}
