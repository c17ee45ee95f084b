/* canonical.c - convolutions, matrix products and windows in one loop form.
 *
 * The loops of the kernel (nest.h) get the names of the canonical form, and its
 * operations are rebuilt on views with one dimension for each loop. */
#include "llvm/canonical.h"

#include "mlir-c/AffineExpr.h"
#include "llvm/nest.h"

#include <stdlib.h>
#include <string.h>

/* --- give the loops their names ------------------------------------------ */

static bool is_multiply_add(MlirOperation core) {
  MlirBlock body = tvm_linalg_body(core);
  MlirOperation mul = mlirBlockGetFirstOperation(body);
  MlirOperation add = mlirOperationGetNextInBlock(mul);
  if (!add.ptr || !tvm_op_is(mul, "arith.mulf") ||
      !tvm_op_is(add, "arith.addf"))
    return false;
  MlirOperation yield = mlirOperationGetNextInBlock(add);
  MlirValue product = tvm_result(mul, 0), sum = mlirBlockGetArgument(body, 2);
  MlirValue l = tvm_operand(add, 0), r = tvm_operand(add, 1);
  MlirValue x = tvm_operand(mul, 0), y = tvm_operand(mul, 1);
  bool inputs = mlirValueIsABlockArgument(x) && mlirValueIsABlockArgument(y) &&
                !mlirValueEqual(x, y) && !mlirValueEqual(x, sum) &&
                !mlirValueEqual(y, sum);
  return inputs && tvm_op_is(yield, "linalg.yield") &&
         ((mlirValueEqual(l, sum) && mlirValueEqual(r, product)) ||
          (mlirValueEqual(r, sum) && mlirValueEqual(l, product)));
}

static void place(const tvm_nest_loops *list, intptr_t count, int first,
                  int last, tvm_nest_loop *slots) {
  for (int s = first; s <= last; ++s) {
    memset(&slots[s], 0, sizeof slots[s]);
    slots[s].extent = 1;
  }
  for (intptr_t i = 0; i < count; ++i)
    slots[last - (count - 1 - i)] = list->items[i];
}

static bool is_wide_float(tvm_nest *n) {
  MlirType type = tvm_element_type(n->destination);
  return mlirTypeIsAF32(type) || mlirTypeIsAF64(type);
}

/* Their sums are kept in f32 and rounded at the end: the tail cannot vectorize
 * that. */
static bool is_narrow_float(tvm_nest *n) {
  MlirType type = tvm_element_type(n->destination);
  return mlirTypeIsAF16(type) || mlirTypeIsABF16(type);
}

/* Whether a reduction runs along input `k` as the innermost loop does, as in a
 * convolution of one channel: the windows overlap, and the vector patterns
 * transpose such reads for ever. */
static bool overlaps(const tvm_nest *n, int k) {
  for (intptr_t i = 0; i < n->reduction.count; ++i)
    if (n->reduction.items[i].extent > 1 &&
        n->reduction.items[i].strides[k] == 1)
      return true;
  return false;
}

/* The innermost loop runs along one input and not along the other. */
static bool place_contraction(tvm_nest *n, tvm_nest_loop *slots) {
  const tvm_nest_loops *p = &n->parallel;
  const tvm_nest_loop *inner = &p->items[p->count - 1];
  if (n->n_core != 2 || !is_multiply_add(n->core) || n->reduction.count > 3)
    return false;
  int still = inner->strides[0] == 0 ? 0 : 1;
  if (inner->strides[still] != 0 || inner->strides[1 - still] != 1 ||
      (inner->extent > 1 && overlaps(n, 1 - still)))
    return false;
  intptr_t rest = p->count - 1;
  bool packed = rest && p->items[rest - 1].strides[still] == 0 &&
                p->items[rest - 1].strides[1 - still] != 0;
  if (rest - packed > 3)
    return false;
  place(p, rest - packed, TVM_LOOP_B, TVM_LOOP_W, slots);
  place(p, 0, TVM_LOOP_NO, TVM_LOOP_NI, slots);
  if (packed)
    slots[TVM_LOOP_NO] = p->items[rest - 1];
  slots[TVM_LOOP_NI] = *inner;
  place(&n->reduction, n->reduction.count, TVM_LOOP_R, TVM_LOOP_K, slots);
  return true;
}

/* The innermost loop runs along the inputs as along the output. */
static bool place_window(tvm_nest *n, tvm_nest_loop *slots) {
  const tvm_nest_loops *p = &n->parallel;
  const tvm_nest_loop *inner = &p->items[p->count - 1];
  for (intptr_t k = 0; k < n->n_core; ++k)
    if (!n->is_unused[k] && inner->strides[k] != 1)
      return false;
  if (p->count > 4 || n->reduction.count > 2)
    return false;
  place(p, p->count, TVM_LOOP_B, TVM_LOOP_NO, slots);
  place(p, 0, TVM_LOOP_NI, TVM_LOOP_NI, slots);
  place(&n->reduction, n->reduction.count, TVM_LOOP_R, TVM_LOOP_Q, slots);
  return true;
}

/* --- build --------------------------------------------------------------- */

static MlirAttribute parse_attribute(MlirContext context, const char *text) {
  return mlirAttributeParseGet(context, mlirStringRefCreateFromCString(text));
}

static void set_inherent(MlirOperation op, const char *name,
                         MlirAttribute value) {
  mlirOperationSetInherentAttributeByName(
      op, mlirStringRefCreateFromCString(name), value);
}

static void mark(MlirOperation op, const char *name) {
  mlirOperationSetDiscardableAttributeByName(
      op, mlirStringRefCreateFromCString(name),
      mlirUnitAttrGet(mlirOperationGetContext(op)));
}

/* The loops of the canonical form, in order, for core or epilogue. */
typedef struct {
  const tvm_nest_loop *slots[TVM_NUM_LOOPS];
  intptr_t count, n_parallel;
} form;

static form make_form(const tvm_nest_loop *slots, bool window,
                      bool with_reduction) {
  form f = {0};
  int last = window ? TVM_LOOP_NO : TVM_LOOP_NI;
  for (int s = TVM_LOOP_B; s <= last; ++s)
    f.slots[f.count++] = &slots[s];
  f.n_parallel = f.count;
  last = window ? TVM_LOOP_Q : TVM_LOOP_K;
  for (int s = TVM_LOOP_R; with_reduction && s <= last; ++s)
    f.slots[f.count++] = &slots[s];
  return f;
}

/* Input `k` as a view with one dimension for each loop that it varies in.
 * Unit reductions appear in the first input, for linalg wants every loop in
 * some operand. */
static MlirValue build_input(tvm_builder *b, tvm_nest *n, intptr_t k,
                             const form *f, MlirAffineMap *map) {
  int64_t sizes[TVM_NUM_LOOPS], strides[TVM_NUM_LOOPS];
  MlirAffineExpr exprs[TVM_NUM_LOOPS];
  const tvm_access *a = &n->operands[k];
  intptr_t rank = 0;
  /* what is contiguous comes last: vectors run along it */
  for (int last = 0; last < 2; ++last)
    for (intptr_t d = 0; d < f->count; ++d) {
      const tvm_nest_loop *l = f->slots[d];
      bool carries_unit = k == 0 && d >= f->n_parallel && l->extent == 1;
      bool carries_loop = n->is_unused[k] && d >= f->n_parallel;
      bool contiguous = l->extent > 1 && l->strides[k] == 1;
      if (contiguous != last ||
          (!l->strides[k] && !carries_unit && !carries_loop))
        continue;
      sizes[rank] = l->extent;
      strides[rank] = carries_unit ? 1 : l->strides[k];
      exprs[rank++] = mlirAffineDimExprGet(b->context, d);
    }
  if (rank == 0 && tvm_rank(a->base) > 0) {
    sizes[0] = strides[0] = 1;
    exprs[rank++] = mlirAffineConstantExprGet(b->context, 0);
  }
  *map = mlirAffineMapGet(b->context, f->count, 0, rank, exprs);
  if (n->is_unused[k])
    return tvm_build_value(
        b, "tensor.empty",
        tvm_tensor_type(rank, sizes, tvm_element_type(a->base)), 0, NULL, 0,
        NULL);
  return rank ? tvm_linalg_view(b, a->base, a->offset, rank, sizes, strides)
              : a->base;
}

static void rebuild_generic(tvm_builder *b, MlirOperation op, tvm_nest *n,
                            intptr_t first, const form *f, MlirValue core,
                            MlirValue init) {
  MlirContext context = b->context;
  intptr_t n_in = tvm_linalg_num_inputs(op);
  MlirValue operands[TVM_MAX_OPERANDS + 1];
  MlirAttribute maps[TVM_MAX_OPERANDS + 1], types[TVM_NUM_LOOPS];
  MlirAffineExpr exprs[TVM_NUM_LOOPS];
  for (intptr_t d = 0; d < f->count; ++d) {
    exprs[d] = mlirAffineDimExprGet(context, d);
    types[d] = parse_attribute(context, d < f->n_parallel
                                            ? "#linalg.iterator_type<parallel>"
                                            : "#linalg.iterator_type"
                                              "<reduction>");
  }
  MlirAffineMap out =
      mlirAffineMapGet(context, f->count, 0, f->n_parallel, exprs);
  for (intptr_t k = 0; k < n_in; ++k) {
    MlirAffineMap map = out;
    operands[k] = n->is_core_result[first + k]
                      ? core
                      : build_input(b, n, first + k, f, &map);
    maps[k] = mlirAffineMapAttrGet(map);
  }
  operands[n_in] = init;
  maps[n_in] = mlirAffineMapAttrGet(out);
  mlirOperationSetOperands(op, n_in + 1, operands);
  set_inherent(op, "indexing_maps", mlirArrayAttrGet(context, n_in + 1, maps));
  set_inherent(op, "iterator_types",
               mlirArrayAttrGet(context, f->count, types));
  mlirValueSetType(tvm_result(op, 0), mlirValueGetType(init));
}

/* A product and the sum that takes it may round once. */
static void allow_contraction(MlirOperation core) {
  MlirAttribute flag = parse_attribute(mlirOperationGetContext(core),
                                       "#arith.fastmath<contract>");
  MlirOperation op = mlirBlockGetFirstOperation(tvm_linalg_body(core));
  for (; op.ptr; op = mlirOperationGetNextInBlock(op))
    if (tvm_op_is(op, "arith.mulf") || tvm_op_is(op, "arith.addf"))
      set_inherent(op, "fastmath", flag);
}

static MlirValue build_fill(tvm_builder *b, MlirValue value, MlirValue init) {
  MlirType type = mlirValueGetType(init);
  int32_t segments[] = {1, 1};
  MlirNamedAttribute attr =
      tvm_attr(b->context, "operandSegmentSizes",
               mlirDenseI32ArrayGet(b->context, 2, segments));
  MlirType element = mlirShapedTypeGetElementType(type);
  MlirType types[] = {element, element};
  MlirLocation locations[] = {b->location, b->location};
  MlirBlock body = mlirBlockCreate(2, types, locations);
  tvm_builder inner = tvm_builder_at_end(body, b->location);
  MlirValue yielded = mlirBlockGetArgument(body, 0);
  tvm_build_op(&inner, "linalg.yield", 0, NULL, 1, &yielded, 0, NULL, 0, NULL);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  MlirValue operands[] = {value, init};
  return tvm_result(tvm_build_op(b, "linalg.fill", 1, &type, 2, operands, 1,
                                 &attr, 1, &region),
                    0);
}

/* Reshapes of results that have another type now. */
static void erase_dead_reshapes(MlirBlock block) {
  MlirOperation previous[1024], op = mlirBlockGetFirstOperation(block);
  size_t count = 0;
  for (; op.ptr && count < 1024; op = mlirOperationGetNextInBlock(op))
    if (tvm_op_is(op, "tensor.expand_shape") ||
        tvm_op_is(op, "tensor.collapse_shape"))
      previous[count++] = op;
  while (count-- > 0)
    if (mlirOpOperandIsNull(
            mlirValueGetFirstUse(tvm_result(previous[count], 0))))
      mlirOperationDestroy(previous[count]);
}

/* The destination in the form of the loops. Where it has a layout, also the
 * buffer that the result is stored in. */
static MlirValue build_destination(tvm_builder *b, tvm_nest *n, const form *f,
                                   MlirType type, MlirValue *out_buffer) {
  if (!tvm_access_layout(n->destination).ptr)
    return tvm_linalg_reshape(b, n->destination, type);
  int64_t sizes[TVM_NUM_LOOPS], strides[TVM_NUM_LOOPS];
  for (intptr_t d = 0; d < f->count; ++d) {
    sizes[d] = f->slots[d]->extent;
    strides[d] = sizes[d] > 1 ? f->slots[d]->strides[TVM_NEST_DESTINATION] : 1;
  }
  *out_buffer = tvm_linalg_buffer_view(b, n->destination, n->destination_offset,
                                       f->count, sizes, strides);
  MlirAttribute unit = mlirUnitAttrGet(b->context);
  MlirNamedAttribute attrs[] = {tvm_attr(b->context, "restrict", unit),
                                tvm_attr(b->context, "writable", unit)};
  return tvm_build_value(b, "bufferization.to_tensor", type, 1, out_buffer, 2,
                         attrs);
}

/* The stored result is the destination, which is not looked at any more. */
static MlirValue store_in(tvm_builder *b, MlirValue result, MlirValue buffer,
                          MlirValue destination) {
  MlirNamedAttribute writable =
      tvm_attr(b->context, "writable", mlirUnitAttrGet(b->context));
  MlirValue operands[] = {result, buffer};
  tvm_build_op(b, "bufferization.materialize_in_destination", 0, NULL, 2,
               operands, 1, &writable, 0, NULL);
  return destination;
}

static void rebuild(tvm_nest *n, const tvm_nest_loop *slots, bool window) {
  form full = make_form(slots, window, true);
  form outer = make_form(slots, window, false);
  int64_t shape[TVM_NUM_LOOPS];
  for (intptr_t d = 0; d < outer.count; ++d)
    shape[d] = outer.slots[d]->extent;
  MlirType element = tvm_element_type(n->destination);
  MlirType type = tvm_tensor_type(outer.count, shape, element);
  MlirType returned = mlirValueGetType(n->destination);

  tvm_builder b = tvm_builder_before(n->core);
  MlirOperation fill = tvm_defining_op(n->fill_value);
  if (fill.ptr) /* a constant: it may stand after its first new use */
    mlirOperationMoveBefore(
        fill, mlirBlockGetFirstOperation(mlirOperationGetBlock(n->core)));
  MlirValue buffer = {0};
  MlirValue destination = build_destination(&b, n, &outer, type, &buffer);
  MlirValue scratch = n->epilogue.ptr ? tvm_build_value(&b, "tensor.empty",
                                                        type, 0, NULL, 0, NULL)
                                      : destination;
  MlirValue init = build_fill(&b, n->fill_value, scratch);
  rebuild_generic(&b, n->core, n, 0, &full, init, init);
  allow_contraction(n->core);
  mark(n->core, "tvm.contract");
  MlirOperation last = n->core;
  if (n->epilogue.ptr) {
    last = n->epilogue;
    b = tvm_builder_before(last);
    rebuild_generic(&b, last, n, n->n_core, &outer, tvm_result(n->core, 0),
                    destination);
  }
  mark(last, "tvm.root");
  b = tvm_builder_before(n->ret);
  mlirOperationSetOperand(
      n->ret, 0,
      buffer.ptr ? store_in(&b, tvm_result(last, 0), buffer, n->destination)
                 : tvm_linalg_reshape(&b, tvm_result(last, 0), returned));
  erase_dead_reshapes(mlirOperationGetBlock(n->ret));
}

/* y as a dense matrix in an argument, read along its rows; else -1. */
static intptr_t find_matrix(tvm_nest *n, const tvm_nest_loop *slots) {
  intptr_t y = slots[TVM_LOOP_NI].strides[0] == 1 ? 0 : 1;
  const tvm_access *a = &n->operands[y];
  int64_t expected = slots[TVM_LOOP_NI].extent;
  if (!mlirValueIsABlockArgument(a->base) || a->offset ||
      tvm_access_layout(a->base).ptr || slots[TVM_LOOP_NO].extent > 1)
    return -1;
  for (int s = TVM_LOOP_K; s >= TVM_LOOP_R; --s) {
    if (slots[s].extent > 1 && slots[s].strides[y] != expected)
      return -1;
    expected *= slots[s].extent;
  }
  for (int s = TVM_LOOP_B; s <= TVM_LOOP_W; ++s)
    if (slots[s].strides[y])
      return -1;
  if (expected != tvm_num_elements(mlirValueGetType(a->base)))
    return -1;
  return mlirBlockArgumentGetArgNumber(a->base);
}

/* Cut ni into panels, and read y as if they lay one after another. */
static void cut_panels(tvm_nest_loop *slots, int64_t columns) {
  tvm_nest_loop *no = &slots[TVM_LOOP_NO], *ni = &slots[TVM_LOOP_NI];
  intptr_t y = ni->strides[0] == 1 ? 0 : 1;
  *no = *ni;
  no->extent = ni->extent / columns;
  ni->extent = columns;
  for (intptr_t k = 0; k <= TVM_NEST_DESTINATION; ++k)
    no->strides[k] *= columns;
  int64_t stride = columns;
  for (int s = TVM_LOOP_K; s >= TVM_LOOP_R; --s) {
    slots[s].strides[y] = stride;
    stride *= slots[s].extent;
  }
  no->strides[y] = stride;
}

static bool describe(MlirOperation func, tvm_nest *n, tvm_nest_loop *slots,
                     tvm_kernel_shape *shape) {
  if (!tvm_nest_find(func, n) || !tvm_nest_read(n))
    return false;
  shape->kernel_class = TVM_KERNEL_GENERAL;
  shape->matrix = -1;
  if (is_wide_float(n) && place_contraction(n, slots))
    shape->kernel_class = TVM_KERNEL_CONTRACTION;
  else if (!is_narrow_float(n) && place_window(n, slots))
    shape->kernel_class = TVM_KERNEL_WINDOW;
  else
    return false;
  if (shape->kernel_class == TVM_KERNEL_WINDOW)
    memset(&slots[TVM_LOOP_K], 0, sizeof slots[TVM_LOOP_K]);
  else
    shape->matrix = find_matrix(n, slots);
  intptr_t x = slots[TVM_LOOP_NI].strides[0] == 1 &&
                       shape->kernel_class == TVM_KERNEL_CONTRACTION
                   ? 1
                   : 0;
  for (int s = 0; s < TVM_NUM_LOOPS; ++s) {
    shape->extents[s] = slots[s].extent > 1 ? slots[s].extent : 1;
    shape->x_strides[s] = slots[s].extent > 1 ? slots[s].strides[x] : 0;
  }
  shape->element_bytes = tvm_element_bytes(tvm_element_type(n->destination));
  return true;
}

bool tvm_llvm_describe_nest(MlirOperation func, tvm_kernel_shape *shape) {
  tvm_nest n = {0};
  tvm_nest_loop slots[TVM_NUM_LOOPS];
  return describe(func, &n, slots, shape);
}

bool tvm_llvm_canonicalize_nest(MlirOperation func, tvm_kernel_shape *shape) {
  tvm_nest n = {0};
  tvm_nest_loop slots[TVM_NUM_LOOPS];
  if (!describe(func, &n, slots, shape))
    return false;
  if (shape->matrix >= 0 && shape->panel_columns)
    cut_panels(slots, shape->panel_columns);
  for (int s = 0; s < TVM_NUM_LOOPS; ++s)
    shape->extents[s] = slots[s].extent > 1 ? slots[s].extent : 1;
  rebuild(&n, slots, shape->kernel_class == TVM_KERNEL_WINDOW);
  return true;
}
