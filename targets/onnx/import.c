/* import.c - onnx.h: the model as a module with @main. */
#include "importer.h"

#include <mlir-c/Diagnostics.h>

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *get_file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

static char *find_folder(const char *path) {
  char *copy = strdup(path);
  char *folder = realpath(dirname(copy), NULL);
  free(copy);
  return folder;
}

static MlirLogicalResult
collect_outputs(tvm_onnx_model *m, tvm_onnx_scope *scope, MlirValue *values) {
  const Onnx__GraphProto *graph = m->proto->graph;
  tvm_builder b = tvm_builder_at_end(m->block, m->location);
  for (size_t i = 0; i < graph->n_output; ++i) {
    const Onnx__ValueInfoProto *info = graph->output[i];
    bool found;
    if (!info->name || !*info->name)
      return tvm_onnx_model_fail(m, "a model output has no name");
    for (size_t k = 0; k < i; ++k)
      if (strcmp(graph->output[k]->name, info->name) == 0)
        return tvm_onnx_model_fail(m, "output '%s' is declared twice",
                                   info->name);
    values[i] = tvm_onnx_find_value(m, scope, &b, info->name, &found);
    if (!found)
      return tvm_onnx_model_fail(m, "nothing computes the output '%s'",
                                 info->name);
    if (mlirValueIsNull(values[i]) ||
        mlirLogicalResultIsFailure(tvm_onnx_check_output(m, info, values[i])))
      return mlirLogicalResultFailure();
  }
  if (!graph->n_output)
    return tvm_onnx_model_fail(m, "the model has no outputs");
  return mlirLogicalResultSuccess();
}

static MlirAttribute build_name(MlirContext c, const char *name) {
  MlirNamedAttribute attr = tvm_attr_str(c, "tvm.name", name);
  return mlirDictionaryAttrGet(c, 1, &attr);
}

static MlirNamedAttribute build_names(MlirContext c, const char *attr, size_t n,
                                      const char *const *names) {
  MlirAttribute *items = malloc((n + 1) * sizeof *items);
  for (size_t i = 0; i < n; ++i)
    items[i] = build_name(c, names[i]);
  MlirAttribute array = mlirArrayAttrGet(c, (intptr_t)n, items);
  free(items);
  return tvm_attr(c, attr, array);
}

static MlirNamedAttribute build_type(tvm_onnx_model *m, size_t n,
                                     const MlirType *results) {
  size_t n_inputs = (size_t)m->num_arguments;
  MlirType *inputs = malloc((n_inputs + 1) * sizeof *inputs);
  for (size_t i = 0; i < n_inputs; ++i)
    inputs[i] = mlirValueGetType(mlirBlockGetArgument(m->block, (intptr_t)i));
  MlirType type = mlirFunctionTypeGet(m->context, (intptr_t)n_inputs, inputs,
                                      (intptr_t)n, results);
  free(inputs);
  return tvm_attr(m->context, "function_type", mlirTypeAttrGet(type));
}

/* Ends the block and puts a function around the region. */
static void build_function(tvm_onnx_model *m, MlirModule module,
                           MlirRegion region, const MlirValue *values) {
  const Onnx__GraphProto *graph = m->proto->graph;
  size_t n = graph->n_output;
  MlirType *types = malloc((n + 1) * sizeof *types);
  const char **names = malloc((n + 1) * sizeof *names);
  for (size_t i = 0; i < n; ++i) {
    types[i] = mlirValueGetType(values[i]);
    names[i] = graph->output[i]->name;
  }
  tvm_builder b = tvm_builder_at_end(m->block, m->location);
  tvm_build_op(&b, "func.return", 0, NULL, (intptr_t)n, values, 0, NULL, 0,
               NULL);
  MlirNamedAttribute attrs[] = {
      tvm_attr_str(m->context, "sym_name", "main"),
      build_type(m, n, types),
      build_names(m->context, "arg_attrs", (size_t)m->num_arguments,
                  m->arguments),
      build_names(m->context, "res_attrs", n, names),
  };
  b = tvm_builder_at_end(mlirModuleGetBody(module), m->location);
  tvm_build_op(&b, "func.func", 0, NULL, 0, NULL, 4, attrs, 1, &region);
  free(types);
  free(names);
}

static MlirModule import_model(tvm_onnx_model *m) {
  MlirModule module = {NULL};
  tvm_onnx_scope scope = {0};
  MlirRegion region = mlirRegionCreate();
  m->block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, m->block);
  MlirValue *values = calloc(m->proto->graph->n_output + 1, sizeof *values);
  if (mlirLogicalResultIsSuccess(
          tvm_onnx_import_graph(m, &scope, m->proto->graph)) &&
      mlirLogicalResultIsSuccess(collect_outputs(m, &scope, values))) {
    module = mlirModuleCreateEmpty(m->location);
    build_function(m, module, region, values);
  } else {
    mlirRegionDestroy(region);
  }
  free(values);
  tvm_onnx_scope_finish(&scope);
  return module;
}

/* Passes the first error on and keeps those that follow from it. */
static MlirLogicalResult on_diagnostic(MlirDiagnostic d, void *user) {
  tvm_onnx_model *m = user;
  if (mlirDiagnosticGetSeverity(d) != MlirDiagnosticError)
    return mlirLogicalResultFailure();
  bool is_first = !m->failed;
  m->failed = true;
  return is_first ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}

MlirModule tvm_onnx_import(MlirContext context, const char *path,
                           const tvm_onnx_options *options) {
  static const tvm_onnx_options none;
  tvm_onnx_model m = {.context = context,
                      .options = options ? options : &none,
                      .file_name = get_file_name(path),
                      .folder = find_folder(path)};
  m.location =
      mlirLocationNameGet(context, mlirStringRefCreateFromCString(m.file_name),
                          mlirLocationUnknownGet(context));
  MlirDiagnosticHandlerID handler =
      mlirContextAttachDiagnosticHandler(context, on_diagnostic, &m, NULL);
  MlirModule module = {NULL};
  m.proto = tvm_onnx_load_model(&m, path);
  if (m.proto)
    module = import_model(&m);
  tvm_onnx_evaluate_finish(&m);
  tvm_onnx_table_finish(&m.tensors);
  free(m.arguments);
  free(m.folder);
  if (m.proto)
    onnx__model_proto__free_unpacked(m.proto, NULL);
  if (!mlirModuleIsNull(module) &&
      !mlirOperationVerify(mlirModuleGetOperation(module))) {
    mlirModuleDestroy(module);
    module = (MlirModule){NULL};
  }
  mlirContextDetachDiagnosticHandler(context, handler);
  return module;
}
