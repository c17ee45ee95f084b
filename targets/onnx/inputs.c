/* inputs.c - the arguments of @main: declared types, given shapes and values.
 */
#include "importer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tvm_onnx_print_shape(char *buffer, size_t size, MlirType type) {
  int64_t rank = mlirShapedTypeGetRank(type);
  size_t length = 0;
  snprintf(buffer, size, "a scalar");
  for (int64_t i = 0; i < rank && length < size; ++i)
    length += (size_t)snprintf(
        buffer + length, size - length, "%s%lld", i ? "x" : "",
        (long long)mlirShapedTypeGetDimSize(type, (intptr_t)i));
}

typedef struct {
  tvm_onnx_model *model;
  tvm_onnx_scope *scope;
  const char *name;
  const Onnx__TypeProto__Tensor *type;
  const tvm_shape_binding *binding; /* may be null */
  MlirType element;
  tvm_onnx_table *symbols; /* name of a dimension -> its shape's address */
} input;

static const tvm_shape_binding *find_shape(const tvm_onnx_options *o,
                                           const char *name) {
  for (size_t i = 0; i < o->num_shapes; ++i)
    if (strcmp(o->shapes[i].input, name) == 0)
      return &o->shapes[i];
  return NULL;
}

static const tvm_value_binding *find_value(const tvm_onnx_options *o,
                                           const char *name) {
  for (size_t i = 0; i < o->num_values; ++i)
    if (strcmp(o->values[i].input, name) == 0)
      return &o->values[i];
  return NULL;
}

static MlirLogicalResult read_type(input *in,
                                   const Onnx__ValueInfoProto *info) {
  tvm_onnx_model *m = in->model;
  if (!info->name || !*info->name)
    return tvm_onnx_model_fail(m, "a model input has no name");
  in->name = info->name;
  if (!info->type || info->type->value_case == 0)
    return tvm_onnx_model_fail(m, "input '%s' has no type", in->name);
  if (info->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
    return tvm_onnx_model_fail(m, "unsupported: input '%s' is not a tensor",
                               in->name);
  in->type = info->type->tensor_type;
  in->element = tvm_onnx_type_of_code(m->context, in->type->elem_type);
  if (mlirTypeIsNull(in->element))
    return tvm_onnx_model_fail(
        m, "unsupported: input '%s' has the element type %s (%d)", in->name,
        tvm_onnx_name_of_code(in->type->elem_type), in->type->elem_type);
  in->binding = find_shape(m->options, in->name);
  return mlirLogicalResultSuccess();
}

/* -1: not known; -2: negative. */
static int64_t get_declared(const Onnx__TensorShapeProto__Dimension *d) {
  if (d->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
    return -1;
  return d->dim_value < 0 ? -2 : d->dim_value;
}

static const char *get_symbol(const Onnx__TensorShapeProto__Dimension *d) {
  if (d->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM ||
      !*d->dim_param)
    return NULL;
  return d->dim_param;
}

/* The extent that a given shape fixed under the dimension's name. */
static MlirLogicalResult find_symbol(input *in, const char *symbol, size_t i,
                                     int64_t *out) {
  const int64_t *known =
      symbol ? tvm_onnx_table_get(in->symbols, symbol) : NULL;
  if (known) {
    *out = *known;
    return mlirLogicalResultSuccess();
  }
  if (symbol)
    return tvm_onnx_model_fail(
        in->model,
        "input '%s' has the dynamic dimension '%s'; fix it by --shape %s=...",
        in->name, symbol, in->name);
  return tvm_onnx_model_fail(
      in->model,
      "input '%s' has the dynamic dimension %zu; fix it by --shape %s=...",
      in->name, i, in->name);
}

static MlirLogicalResult read_dim(input *in, size_t i, int64_t *out) {
  const Onnx__TensorShapeProto__Dimension *d = in->type->shape->dim[i];
  int64_t declared = get_declared(d);
  if (declared == -2)
    return tvm_onnx_model_fail(in->model,
                               "input '%s' has the negative dimension %lld",
                               in->name, (long long)d->dim_value);
  *out = in->binding ? in->binding->shape[i] : declared;
  if (in->binding && declared >= 0 && declared != *out)
    return tvm_onnx_model_fail(in->model,
                               "dimension %zu of input '%s' is %lld, --shape "
                               "gives %lld",
                               i, in->name, (long long)declared,
                               (long long)*out);
  if (*out >= 0)
    return mlirLogicalResultSuccess();
  return find_symbol(in, get_symbol(d), i, out);
}

static MlirLogicalResult read_shape(input *in, tvm_emit_shape *out) {
  tvm_onnx_model *m = in->model;
  const tvm_shape_binding *b = in->binding;
  const Onnx__TensorShapeProto *shape = in->type->shape;
  if (!shape && !b)
    return tvm_onnx_model_fail(
        m, "input '%s' has no shape; fix it by --shape %s=...", in->name,
        in->name);
  size_t rank = shape ? shape->n_dim : (size_t)b->rank;
  if (b && (size_t)b->rank != rank)
    return tvm_onnx_model_fail(m, "input '%s' has rank %zu, --shape gives %d",
                               in->name, rank, b->rank);
  if (rank > TVM_EMIT_MAX_RANK)
    return tvm_onnx_model_fail(m, "input '%s' has rank %zu, supported is %d",
                               in->name, rank, TVM_EMIT_MAX_RANK);
  out->rank = (intptr_t)rank;
  for (size_t i = 0; i < rank; ++i) {
    if (!shape)
      out->dims[i] = b->shape[i];
    else if (mlirLogicalResultIsFailure(read_dim(in, i, &out->dims[i])))
      return mlirLogicalResultFailure();
  }
  int64_t bytes;
  if (!tvm_onnx_count_bytes(rank, out->dims, tvm_element_bytes(in->element),
                            &bytes))
    return tvm_onnx_model_fail(
        m, "input '%s' has negative dimensions or too many elements", in->name);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult check_value_type(input *in, MlirValue value) {
  const Onnx__TensorShapeProto *shape = in->type->shape;
  bool same = mlirTypeEqual(tvm_element_type(value), in->element);
  same &= !shape || (int64_t)shape->n_dim == tvm_rank(value);
  for (size_t i = 0; same && shape && i < shape->n_dim; ++i) {
    int64_t declared = get_declared(shape->dim[i]);
    same = declared < 0 || declared == tvm_dim(value, (intptr_t)i);
  }
  if (same)
    return mlirLogicalResultSuccess();
  return tvm_onnx_model_fail(
      in->model, "the value given for input '%s' is not of its type", in->name);
}

/* The tensor's memory moves to the constant, the rest is freed. */
static MlirLogicalResult add_value(input *in, const tvm_value_binding *v) {
  tvm_onnx_model *m = in->model;
  tvm_builder b = tvm_builder_at_end(m->block, m->location);
  Onnx__TensorProto *tensor = tvm_onnx_load_tensor(m, v->tensor_proto_path);
  if (!tensor)
    return mlirLogicalResultFailure();
  char what[256];
  snprintf(what, sizeof what, "the value given for input '%s'", in->name);
  MlirValue value = tvm_onnx_build_tensor(m, &b, tensor, what);
  onnx__tensor_proto__free_unpacked(tensor, NULL);
  if (mlirValueIsNull(value) ||
      mlirLogicalResultIsFailure(check_value_type(in, value)))
    return mlirLogicalResultFailure();
  tvm_onnx_table_put(&in->scope->values, in->name,
                     (void *)(uintptr_t)value.ptr);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult add_argument(input *in) {
  tvm_onnx_model *m = in->model;
  tvm_emit_shape shape;
  if (mlirLogicalResultIsFailure(read_shape(in, &shape)))
    return mlirLogicalResultFailure();
  MlirType type = tvm_tensor_type(shape.rank, shape.dims, in->element);
  MlirValue value = mlirBlockAddArgument(m->block, type, m->location);
  m->arguments = realloc(m->arguments,
                         (size_t)(m->num_arguments + 1) * sizeof *m->arguments);
  m->arguments[m->num_arguments++] = in->name;
  tvm_onnx_table_put(&in->scope->values, in->name,
                     (void *)(uintptr_t)value.ptr);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult add_input(input *in,
                                   const Onnx__ValueInfoProto *info) {
  if (!info->name || !*info->name)
    return tvm_onnx_model_fail(in->model, "a model input has no name");
  const tvm_value_binding *value = find_value(in->model->options, info->name);
  if (tvm_onnx_table_get(&in->scope->values, info->name))
    return tvm_onnx_model_fail(in->model, "input '%s' is defined twice",
                               info->name);
  if (!value && tvm_onnx_table_get(&in->scope->initializers, info->name))
    return mlirLogicalResultSuccess(); /* its default is its value */
  if (mlirLogicalResultIsFailure(read_type(in, info)))
    return mlirLogicalResultFailure();
  return value ? add_value(in, value) : add_argument(in);
}

static MlirLogicalResult add_symbols(input *in, const Onnx__GraphProto *graph) {
  for (size_t i = 0; i < graph->n_input; ++i) {
    const Onnx__ValueInfoProto *info = graph->input[i];
    const tvm_shape_binding *b =
        info->name ? find_shape(in->model->options, info->name) : NULL;
    if (!b || !info->type ||
        info->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ||
        !info->type->tensor_type->shape ||
        info->type->tensor_type->shape->n_dim != (size_t)b->rank)
      continue;
    for (int32_t k = 0; k < b->rank; ++k) {
      const char *symbol = get_symbol(info->type->tensor_type->shape->dim[k]);
      const int64_t *known =
          symbol ? tvm_onnx_table_get(in->symbols, symbol) : NULL;
      if (known && *known != b->shape[k])
        return tvm_onnx_model_fail(
            in->model,
            "--shape gives dimension '%s' both the size %lld and %lld", symbol,
            (long long)*known, (long long)b->shape[k]);
      if (symbol)
        tvm_onnx_table_put(in->symbols, symbol,
                           (void *)(uintptr_t)&b->shape[k]);
    }
  }
  return mlirLogicalResultSuccess();
}

static bool is_input(const Onnx__GraphProto *graph, const char *name) {
  for (size_t i = 0; i < graph->n_input; ++i)
    if (graph->input[i]->name && strcmp(graph->input[i]->name, name) == 0)
      return true;
  return false;
}

/* A misspelt binding would otherwise do nothing. */
static MlirLogicalResult check_bindings(tvm_onnx_model *m,
                                        const Onnx__GraphProto *graph) {
  const tvm_onnx_options *o = m->options;
  for (size_t i = 0; i < o->num_shapes; ++i) {
    if (!is_input(graph, o->shapes[i].input))
      return tvm_onnx_model_fail(
          m, "--shape names '%s', which is not an input of the model",
          o->shapes[i].input);
    for (int32_t k = 0; k < o->shapes[i].rank; ++k)
      if (o->shapes[i].shape[k] < 0)
        return tvm_onnx_model_fail(
            m, "--shape gives input '%s' the negative dimension %lld",
            o->shapes[i].input, (long long)o->shapes[i].shape[k]);
  }
  for (size_t i = 0; i < o->num_values; ++i)
    if (!is_input(graph, o->values[i].input))
      return tvm_onnx_model_fail(
          m, "a value is given for '%s', which is not an input of the model",
          o->values[i].input);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_onnx_import_inputs(tvm_onnx_model *m,
                                         tvm_onnx_scope *scope,
                                         const Onnx__GraphProto *graph) {
  tvm_onnx_table symbols = {0};
  input in = {.model = m, .scope = scope, .symbols = &symbols};
  MlirLogicalResult result = check_bindings(m, graph);
  if (mlirLogicalResultIsSuccess(result))
    result = add_symbols(&in, graph);
  for (size_t i = 0; i < graph->n_input && mlirLogicalResultIsSuccess(result);
       ++i)
    result = add_input(&in, graph->input[i]);
  tvm_onnx_table_finish(&symbols);
  return result;
}

MlirLogicalResult tvm_onnx_check_output(tvm_onnx_model *m,
                                        const Onnx__ValueInfoProto *info,
                                        MlirValue value) {
  if (!info->type || info->type->value_case == 0)
    return mlirLogicalResultSuccess();
  if (info->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
    return tvm_onnx_model_fail(m, "unsupported: output '%s' is not a tensor",
                               info->name);
  const Onnx__TypeProto__Tensor *t = info->type->tensor_type;
  MlirType element = tvm_onnx_type_of_code(m->context, t->elem_type);
  if (t->elem_type && !mlirTypeEqual(element, tvm_element_type(value)))
    return tvm_onnx_model_fail(
        m, "output '%s' is declared as %s, its node computes another type",
        info->name, tvm_onnx_name_of_code(t->elem_type));
  char shape[256];
  tvm_onnx_print_shape(shape, sizeof shape, mlirValueGetType(value));
  if (t->shape && (int64_t)t->shape->n_dim != tvm_rank(value))
    return tvm_onnx_model_fail(
        m, "output '%s' is declared with rank %zu, its node computes %s",
        info->name, t->shape->n_dim, shape);
  for (size_t i = 0; t->shape && i < t->shape->n_dim; ++i) {
    int64_t declared = get_declared(t->shape->dim[i]);
    if (declared >= 0 && declared != tvm_dim(value, (intptr_t)i))
      return tvm_onnx_model_fail(
          m,
          "output '%s' is declared with %lld in dimension %zu, its node "
          "computes %s",
          info->name, (long long)declared, i, shape);
  }
  return mlirLogicalResultSuccess();
}
