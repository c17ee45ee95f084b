/* draw_graph.c - the fused graph for graphviz. */
#include "llvm/draw_graph.h"

#include "base/text.h"
#include "base/value_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  MlirOperation module, func;
  MlirBlock body;
  FILE *out;
  tvm_value_map nodes; /* value -> 1 + number of the node that makes it */
  size_t count;
} drawing;

/* Names come from the model: quotes and line ends must not end the label. */
static void write_escaped(FILE *out, MlirStringRef text) {
  char *copy = strndup(text.data, text.length);
  char *clean = tvm_text_escape(copy);
  for (const char *s = clean; *s; ++s) {
    if (*s == '"' || *s == '\\')
      fputc('\\', out);
    fputc(*s, out);
  }
  free(clean);
  free(copy);
}

static void write_piece(MlirStringRef piece, void *user) {
  write_escaped(user, piece);
}

/* "f32[1,64,56,56]" */
static void write_type(FILE *out, MlirType type) {
  mlirTypePrint(mlirShapedTypeGetElementType(type), write_piece, out);
  fputc('[', out);
  for (int64_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    fprintf(out, "%s%lld", i ? "," : "",
            (long long)mlirShapedTypeGetDimSize(type, i));
  fputc(']', out);
}

static MlirStringRef io_name(const drawing *d, const char *list, intptr_t i) {
  MlirStringRef none = mlirStringRefCreateFromCString("");
  MlirAttribute all = mlirOperationGetAttributeByName(
      d->func, mlirStringRefCreateFromCString(list));
  if (!all.ptr || i >= mlirArrayAttrGetNumElements(all))
    return none;
  MlirAttribute name = mlirDictionaryAttrGetElementByName(
      mlirArrayAttrGetElement(all, i),
      mlirStringRefCreateFromCString("tvm.name"));
  return name.ptr ? mlirStringAttrGetValue(name) : none;
}

static void put_node(drawing *d, MlirValue v) {
  tvm_value_map_put_pointer(&d->nodes, v, (void *)(uintptr_t)d->count);
}

static size_t get_node(const drawing *d, MlirValue v) {
  return (size_t)(uintptr_t)tvm_value_map_get_pointer(&d->nodes, v);
}

static void draw_inputs(drawing *d) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(d->body); ++i) {
    MlirValue v = mlirBlockGetArgument(d->body, i);
    fprintf(d->out, "  n%zu [shape=ellipse, label=\"", ++d->count);
    write_escaped(d->out, io_name(d, "arg_attrs", i));
    fprintf(d->out, "\\n");
    write_type(d->out, mlirValueGetType(v));
    fprintf(d->out, "\"];\n");
    put_node(d, v);
  }
}

static bool is_constant(MlirValue v) {
  MlirOperation def = tvm_defining_op(v);
  return def.ptr && tvm_op_is(def, "arith.constant");
}

static MlirOperation find_kernel(const drawing *d, MlirStringRef name) {
  MlirOperation op = mlirBlockGetFirstOperation(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(d->module, 0)));
  while (op.ptr && !(tvm_op_is(op, "te.kernel") &&
                     mlirStringRefEqual(tvm_get_str(op, "sym_name"), name)))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

/* Whether argument `i` of the kernel is a part of something larger. */
static bool is_strided(MlirOperation kernel, intptr_t i) {
  MlirAttribute all = {0};
  if (kernel.ptr)
    all = tvm_get_attr(kernel, "layouts");
  return all.ptr &&
         mlirAttributeIsAStridedLayout(mlirArrayAttrGetElement(all, i));
}

static const char *color_of(MlirStringRef op_class) {
  static const char *const colors[][2] = {{"complex", "#f4cccc"},
                                          {"reduction", "#fff2cc"},
                                          {"injective", "#d9ead3"},
                                          {"elementwise", "#d0e0f0"}};
  for (size_t i = 0; i < sizeof colors / sizeof *colors; ++i)
    if (mlirStringRefEqual(op_class,
                           mlirStringRefCreateFromCString(colors[i][0])))
      return colors[i][1];
  return "#eeeeee";
}

static void write_location(const drawing *d, MlirOperation op) {
  MlirLocation location = mlirOperationGetLocation(op);
  if (!mlirLocationIsAName(location))
    return;
  fprintf(d->out, ", tooltip=\"");
  write_escaped(d->out, mlirIdentifierStr(mlirLocationNameGetName(location)));
  fprintf(d->out, "\"");
}

static void draw_edges(drawing *d, MlirOperation op, MlirOperation kernel) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue v = tvm_operand(op, i);
    if (!get_node(d, v))
      continue;
    fprintf(d->out, "  n%zu -> n%zu [label=\"", get_node(d, v), d->count);
    write_type(d->out, mlirValueGetType(v));
    fprintf(d->out, "%s\"];\n", is_strided(kernel, i) ? " strided" : "");
  }
}

static void draw_launch(drawing *d, MlirOperation op) {
  MlirStringRef name =
      mlirFlatSymbolRefAttrGetValue(tvm_get_attr(op, "kernel"));
  MlirOperation kernel = find_kernel(d, name);
  MlirStringRef op_class = tvm_get_str(kernel, "op_class");
  fprintf(d->out, "  n%zu [fillcolor=\"%s\", label=\"", ++d->count,
          color_of(op_class));
  write_escaped(d->out, name);
  fprintf(d->out, "\\n");
  write_escaped(d->out, op_class);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (is_constant(tvm_operand(op, i))) {
      fprintf(d->out, "\\nweights ");
      write_type(d->out, mlirValueGetType(tvm_operand(op, i)));
    }
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (is_strided(kernel, n + i))
      fprintf(d->out, "\\nwrites a part");
  fprintf(d->out, "\"");
  write_location(d, op);
  fprintf(d->out, "];\n");
  draw_edges(d, op, kernel);
}

/* Reshapes, slices, parts: nothing runs. */
static void draw_view(drawing *d, MlirOperation op) {
  MlirOperation none = {0};
  const char *name = mlirIdentifierStr(mlirOperationGetName(op)).data;
  const char *dot = strchr(name, '.');
  fprintf(d->out, "  n%zu [shape=plaintext, style=\"\", label=\"%s\"",
          ++d->count, dot ? dot + 1 : name);
  write_location(d, op);
  fprintf(d->out, "];\n");
  draw_edges(d, op, none);
}

static void draw_outputs(drawing *d, MlirOperation ret) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(ret); ++i) {
    MlirValue v = tvm_operand(ret, i);
    fprintf(d->out, "  n%zu [shape=ellipse, label=\"", ++d->count);
    write_escaped(d->out, io_name(d, "res_attrs", i));
    fprintf(d->out, "\\n");
    write_type(d->out, mlirValueGetType(v));
    fprintf(d->out, "\"];\n");
    if (get_node(d, v))
      fprintf(d->out, "  n%zu -> n%zu;\n", get_node(d, v), d->count);
  }
}

static void draw(MlirModule module, FILE *out) {
  drawing d = {.module = mlirModuleGetOperation(module), .out = out};
  d.func = tvm_find_function(d.module, "main");
  d.body = mlirRegionGetFirstBlock(mlirOperationGetRegion(d.func, 0));
  fprintf(out, "digraph model {\n"
               "  node [shape=box, style=\"rounded,filled\", "
               "fillcolor=\"#ffffff\", fontname=\"sans-serif\"];\n"
               "  edge [fontname=\"sans-serif\", fontsize=10];\n");
  draw_inputs(&d);
  MlirOperation op = mlirBlockGetFirstOperation(d.body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (tvm_op_is(op, "arith.constant"))
      continue;
    if (tvm_op_is(op, "func.return")) {
      draw_outputs(&d, op);
      continue;
    }
    if (tvm_op_is(op, "te.launch"))
      draw_launch(&d, op);
    else
      draw_view(&d, op);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      put_node(&d, tvm_result(op, i));
  }
  fprintf(out, "}\n");
  tvm_value_map_finish(&d.nodes);
}

MlirLogicalResult tvm_llvm_draw_graph(MlirModule module, const char *path) {
  char temporary[4096];
  snprintf(temporary, sizeof temporary, "%s.tmp%ld", path, (long)getpid());
  FILE *out = fopen(temporary, "wb");
  bool ok = out != NULL;
  if (ok) {
    draw(module, out);
    ok = !ferror(out);
    ok = fclose(out) == 0 && ok;
  }
  if (ok && rename(temporary, path) == 0)
    return mlirLogicalResultSuccess();
  tvm_emit_error(mlirOperationGetLocation(mlirModuleGetOperation(module)),
                 "cannot write '%s': %s", path, strerror(errno));
  unlink(temporary);
  return mlirLogicalResultFailure();
}
