/* outline.c - one group of operators becomes a te.kernel and a te.launch.
 *
 * The arguments of the kernel are the values that the group reads, each once,
 * then one destination a result. Constants whose elements are all equal are no
 * arguments when every reader takes a scalar, and neither are tensors without
 * elements. */
#include "graph_to_te/outline.h"

#include "base/value_set.h"
#include "graph/placement.h"
#include "graph_to_te/lower_operator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  MlirOperation op; /* graph.fused, or the only operator */
  MlirBlock body;   /* of the fused; null */
  MlirValue *inputs;
  intptr_t n_inputs, n_results;
  tvm_value_map values;     /* graph value -> kernel value */
  tvm_value_map immediates; /* graph value -> scalar attribute */
  tvm_value_map results;    /* graph value -> 1 + index of the result */
  MlirOperation kernel;
  MlirBlock kernel_body;
} group;

/* --- what the group reads
 * ----------------------------------------------------- */

static MlirOperation first_member(const group *g) {
  return g->body.ptr ? mlirBlockGetFirstOperation(g->body) : g->op;
}

static MlirOperation next_member(const group *g, MlirOperation op) {
  MlirOperation none = {0};
  return g->body.ptr ? mlirOperationGetNextInBlock(op) : none;
}

static bool is_member(MlirOperation op) {
  return op.ptr && !tvm_op_is(op, "graph.yield");
}

/* The value that stands for operand `i` of the group inside of it. */
static MlirValue inner_value(const group *g, intptr_t i) {
  return g->body.ptr ? mlirBlockGetArgument(g->body, i) : tvm_operand(g->op, i);
}

static MlirAttribute signless_scalar(MlirAttribute scalar) {
  MlirType type = mlirAttributeGetType(scalar);
  if (!mlirTypeIsAInteger(type) || mlirIntegerTypeIsSignless(type))
    return scalar;
  int64_t v = mlirIntegerTypeIsSigned(type)
                  ? mlirIntegerAttrGetValueSInt(scalar)
                  : (int64_t)mlirIntegerAttrGetValueUInt(scalar);
  unsigned width = mlirIntegerTypeGetWidth(type);
  if (width < 64) /* as the signed number with the same bits */
    v = (int64_t)((uint64_t)v << (64 - width)) >> (64 - width);
  return mlirIntegerAttrGet(tvm_signless(type), v);
}

/* The scalar that all elements of a constant are equal to, or null. */
static MlirAttribute splat_of(MlirValue v) {
  MlirAttribute none = {0};
  MlirOperation def = tvm_defining_op(v);
  if (!def.ptr || !tvm_op_is(def, "arith.constant"))
    return none;
  MlirAttribute value = mlirOperationGetAttributeByName(
      def, mlirStringRefCreateFromCString("value"));
  if (!mlirAttributeIsADenseElements(value) ||
      !mlirDenseElementsAttrIsSplat(value))
    return none;
  return signless_scalar(mlirDenseElementsAttrGetSplatValue(value));
}

static bool all_take_immediate(const group *g, MlirValue inner) {
  for (MlirOperation op = first_member(g); op.ptr; op = next_member(g, op))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      if (mlirValueEqual(tvm_operand(op, i), inner) &&
          (!is_member(op) || !tvm_takes_immediate(op, i)))
        return false;
  return true;
}

static void collect_inputs(group *g) {
  intptr_t n = mlirOperationGetNumOperands(g->op);
  g->inputs = malloc((size_t)(n + 1) * sizeof *g->inputs);
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue outer = tvm_operand(g->op, i), inner = inner_value(g, i);
    MlirAttribute scalar = splat_of(outer);
    if (scalar.ptr && all_take_immediate(g, inner)) {
      tvm_value_map_put_pointer(&g->immediates, inner, (void *)scalar.ptr);
      continue;
    }
    if (tvm_num_elements(mlirValueGetType(outer)) == 0)
      continue;
    intptr_t k = 0;
    while (k < g->n_inputs && !mlirValueEqual(g->inputs[k], outer))
      ++k;
    if (k == g->n_inputs)
      g->inputs[g->n_inputs++] = outer;
  }
}

/* --- the kernel
 * ---------------------------------------------------------------- */

static const char *class_name(tvm_graph_class c) {
  static const char *const names[] = {[TVM_GRAPH_ELEMENTWISE] = "elementwise",
                                      [TVM_GRAPH_INJECTIVE] = "injective",
                                      [TVM_GRAPH_REDUCTION] = "reduction",
                                      [TVM_GRAPH_COMPLEX] = "complex",
                                      [TVM_GRAPH_OPAQUE] = "opaque"};
  return names[c];
}

static tvm_graph_class class_of(const group *g) {
  tvm_graph_class most = TVM_GRAPH_ELEMENTWISE;
  for (MlirOperation op = first_member(g); is_member(op);
       op = next_member(g, op)) {
    const tvm_graph_operator *row =
        tvm_graph_find_operator(mlirIdentifierStr(mlirOperationGetName(op)));
    if (row && row->op_class > most)
      most = row->op_class;
  }
  return most;
}

/* What stands in the kernel for each value that the group reads. */
static void map_inputs(group *g) {
  tvm_builder b =
      tvm_builder_at_end(g->kernel_body, mlirOperationGetLocation(g->op));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(g->op); ++i) {
    MlirValue outer = tvm_operand(g->op, i), inner = inner_value(g, i);
    MlirType type = tvm_signless(mlirValueGetType(outer));
    if (tvm_num_elements(type) == 0)
      tvm_value_map_put(&g->values, inner, tvm_empty(&b, type));
    for (intptr_t k = 0; k < g->n_inputs; ++k)
      if (mlirValueEqual(g->inputs[k], outer))
        tvm_value_map_put(&g->values, inner,
                          mlirBlockGetArgument(g->kernel_body, k));
  }
}

static void set_attr(MlirOperation op, const char *name, MlirAttribute a) {
  mlirOperationSetDiscardableAttributeByName(
      op, mlirStringRefCreateFromCString(name), a);
}

/* Where the elements of `v` stand behind the pointer that the kernel gets, as
 * a strided layout; unit when they follow each other. */
static MlirAttribute layout_of(MlirValue v, MlirOperation border) {
  MlirType type = mlirValueGetType(v);
  MlirContext context = mlirTypeGetContext(type);
  tvm_graph_placement p, outer;
  int64_t offset = 0;
  if (!tvm_graph_place(v, &p))
    return mlirUnitAttrGet(context);
  if (border.ptr && tvm_graph_place(tvm_result(border, 0), &outer))
    offset = p.offset - outer.offset;
  if (!offset && tvm_graph_is_dense(&p, type))
    return mlirUnitAttrGet(context);
  int64_t next = 1; /* of unit dimensions, for equal kernels to look equal */
  for (intptr_t d = p.rank; d-- > 0; next = p.strides[d] * tvm_dim(v, d))
    if (tvm_dim(v, d) == 1)
      p.strides[d] = next;
  return mlirStridedLayoutAttrGet(context, offset, p.rank, p.strides);
}

/* What surrounds a result inside of its padded tensor; unit for nothing. */
static MlirAttribute border_of(MlirOperation pad) {
  MlirContext c = mlirOperationGetContext(pad);
  MlirValue x = tvm_operand(pad, 0), y = tvm_result(pad, 0);
  tvm_graph_placement p;
  int64_t low[TVM_GRAPH_MAX_PLACED_RANK], sizes[TVM_GRAPH_MAX_PLACED_RANK],
      shape[TVM_GRAPH_MAX_PLACED_RANK];
  tvm_graph_place(y, &p);
  for (intptr_t d = 0; d < p.rank; ++d) {
    low[d] = tvm_get_i64s(pad, "low", d);
    sizes[d] = tvm_dim(x, d);
    shape[d] = tvm_dim(y, d);
  }
  MlirNamedAttribute fields[] = {
      tvm_attr_i64s(c, "low", p.rank, low),
      tvm_attr_i64s(c, "shape", p.rank, shape),
      tvm_attr_i64s(c, "sizes", p.rank, sizes),
      tvm_attr_i64s(c, "strides", p.rank, p.strides),
      tvm_attr(c, "value", splat_of(tvm_operand(pad, 1)))};
  return mlirDictionaryAttrGet(c, sizeof fields / sizeof *fields, fields);
}

/* The attributes `layouts`, one an argument, and `borders`, one a result, where
 * an argument is a part of something. */
static void set_layouts(group *g) {
  intptr_t n = g->n_inputs + g->n_results;
  MlirContext c = mlirOperationGetContext(g->op);
  MlirAttribute *layouts = malloc((size_t)(n + 1) * sizeof *layouts);
  MlirAttribute *borders = malloc((size_t)(n + 1) * sizeof *borders);
  bool any_layout = false, any_border = false;
  for (intptr_t i = 0; i < n; ++i) {
    MlirOperation border = {0};
    MlirValue v =
        i < g->n_inputs ? g->inputs[i] : tvm_result(g->op, i - g->n_inputs);
    if (i >= g->n_inputs) {
      border = tvm_graph_border(v);
      borders[i - g->n_inputs] =
          border.ptr ? border_of(border) : mlirUnitAttrGet(c);
      any_border |= border.ptr != NULL;
    }
    layouts[i] = layout_of(v, border);
    any_layout |= !mlirAttributeIsAUnit(layouts[i]);
  }
  if (any_layout)
    set_attr(g->kernel, "layouts", mlirArrayAttrGet(c, n, layouts));
  if (any_border)
    set_attr(g->kernel, "borders", mlirArrayAttrGet(c, g->n_results, borders));
  free(layouts);
  free(borders);
}

static void create_kernel(group *g, MlirOperation module) {
  intptr_t n = g->n_inputs + g->n_results;
  MlirType *types = malloc((size_t)(n + 1) * sizeof *types);
  MlirLocation *locations = malloc((size_t)(n + 1) * sizeof *locations);
  MlirLocation location = mlirOperationGetLocation(g->op);
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue v =
        i < g->n_inputs ? g->inputs[i] : tvm_result(g->op, i - g->n_inputs);
    types[i] = tvm_signless(mlirValueGetType(v));
    locations[i] = location;
  }
  g->kernel_body = mlirBlockCreate(n, types, locations);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, g->kernel_body);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  tvm_builder b = tvm_builder_at_end(body, location);
  MlirNamedAttribute attrs[] = {
      tvm_attr_str(b.context, "sym_name", ""),
      tvm_attr_str(b.context, "op_class", class_name(class_of(g)))};
  g->kernel =
      tvm_build_op(&b, "te.kernel", 0, NULL, 0, NULL, 2, attrs, 1, &region);
  set_layouts(g);
  map_inputs(g);
  free(types);
  free(locations);
}

/* The value inside of the group that is its result `i`. */
static MlirValue inner_result(const group *g, intptr_t i) {
  return g->body.ptr ? tvm_operand(mlirBlockGetTerminator(g->body), i)
                     : tvm_result(g->op, i);
}

static MlirValue destination_of(const group *g, intptr_t i) {
  return mlirBlockGetArgument(g->kernel_body, g->n_inputs + i);
}

static MlirLogicalResult lower_member(group *g, MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  MlirValue *operands = calloc((size_t)n + 1, sizeof *operands);
  MlirAttribute *immediates = calloc((size_t)n + 1, sizeof *immediates);
  for (intptr_t i = 0; i < n; ++i) {
    operands[i] = tvm_value_map_get(&g->values, tvm_operand(op, i));
    if (!operands[i].ptr)
      immediates[i].ptr =
          tvm_value_map_get_pointer(&g->immediates, tvm_operand(op, i));
  }
  tvm_lowering l = {
      .b = tvm_builder_at_end(g->kernel_body, mlirOperationGetLocation(op)),
      .op = op,
      .operands = operands,
      .immediates = immediates};
  intptr_t n_results = mlirOperationGetNumResults(op);
  for (intptr_t r = 0; r < n_results; ++r) {
    size_t k = (size_t)(uintptr_t)tvm_value_map_get_pointer(&g->results,
                                                            tvm_result(op, r));
    if (k)
      l.destinations[r] = destination_of(g, (intptr_t)k - 1);
  }
  MlirLogicalResult ok = tvm_lower_operator(&l);
  if (mlirLogicalResultIsSuccess(ok))
    for (intptr_t r = 0; r < n_results; ++r)
      tvm_value_map_put(&g->values, tvm_result(op, r), l.results[r]);
  free(operands);
  free(immediates);
  return ok;
}

/* Results that no member wrote in place: inputs, and values returned twice. */
static MlirValue finish_result(group *g, tvm_builder *b, intptr_t i) {
  MlirValue inner = inner_result(g, i);
  MlirValue v = tvm_value_map_get(&g->values, inner);
  size_t k = (size_t)(uintptr_t)tvm_value_map_get_pointer(&g->results, inner);
  if (k == (size_t)i + 1 && tvm_defining_op(inner).ptr)
    return v;
  return tvm_copy(b, v, NULL, NULL, destination_of(g, i));
}

static MlirLogicalResult lower_group(group *g) {
  for (intptr_t i = g->n_results; i-- > 0;)
    tvm_value_map_put_pointer(&g->results, inner_result(g, i),
                              (void *)(uintptr_t)(i + 1));
  for (MlirOperation op = first_member(g); is_member(op);
       op = next_member(g, op))
    if (mlirLogicalResultIsFailure(lower_member(g, op)))
      return mlirLogicalResultFailure();
  MlirValue *values = malloc((size_t)(g->n_results + 1) * sizeof *values);
  tvm_builder b =
      tvm_builder_at_end(g->kernel_body, mlirOperationGetLocation(g->op));
  for (intptr_t i = 0; i < g->n_results; ++i)
    values[i] = finish_result(g, &b, i);
  tvm_build_op(&b, "te.return", 0, NULL, g->n_results, values, 0, NULL, 0,
               NULL);
  free(values);
  return mlirLogicalResultSuccess();
}

/* --- names
 * ---------------------------------------------------------------------- */

static bool is_noise(MlirOperation op) {
  return tvm_op_is(op, "graph.reshape") || tvm_op_is(op, "graph.broadcast") ||
         tvm_op_is(op, "graph.cast");
}

static void append_name(char *stem, size_t size, MlirOperation op) {
  const char *name =
      mlirIdentifierStr(mlirOperationGetName(op)).data + strlen("graph.");
  size_t used = strlen(stem);
  snprintf(stem + used, size - used, "%s%s", used ? "_" : "", name);
}

/* "conv_add_relu" */
static void write_stem(const group *g, char *stem, size_t size) {
  enum { MAX_PARTS = 4 };
  stem[0] = 0;
  int parts = 0;
  for (MlirOperation op = first_member(g); is_member(op) && parts < MAX_PARTS;
       op = next_member(g, op))
    if (!is_noise(op)) {
      append_name(stem, size, op);
      ++parts;
    }
  if (!parts)
    append_name(stem, size, first_member(g));
}

/* --- the launch
 * ------------------------------------------------------------------ */

static void replace_by_launch(group *g) {
  tvm_builder b = tvm_builder_before(g->op);
  MlirType *types = malloc((size_t)(g->n_results + 1) * sizeof *types);
  for (intptr_t i = 0; i < g->n_results; ++i)
    types[i] = mlirValueGetType(tvm_result(g->op, i));
  MlirNamedAttribute attr = tvm_attr(
      b.context, "kernel",
      mlirFlatSymbolRefAttrGet(b.context, tvm_get_str(g->kernel, "sym_name")));
  MlirOperation launch =
      tvm_build_op(&b, "te.launch", g->n_results, types, g->n_inputs, g->inputs,
                   1, &attr, 0, NULL);
  for (intptr_t i = 0; i < g->n_results; ++i)
    mlirValueReplaceAllUsesOfWith(tvm_result(g->op, i), tvm_result(launch, i));
  free(types);
  mlirOperationDestroy(g->op);
}

MlirLogicalResult tvm_outline_kernel(tvm_kernel_table *table,
                                     MlirOperation module, MlirOperation op) {
  group g = {.op = op, .n_results = mlirOperationGetNumResults(op)};
  if (tvm_op_is(op, "graph.fused"))
    g.body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  char stem[128];
  write_stem(&g, stem, sizeof stem);
  collect_inputs(&g);
  create_kernel(&g, module);
  MlirLogicalResult ok = lower_group(&g);
  if (mlirLogicalResultIsSuccess(ok)) {
    g.kernel = tvm_kernel_table_add(table, g.kernel, stem);
    replace_by_launch(&g);
  } else {
    mlirOperationDestroy(g.kernel);
  }
  free(g.inputs);
  tvm_value_map_finish(&g.values);
  tvm_value_map_finish(&g.immediates);
  tvm_value_map_finish(&g.results);
  return ok;
}
