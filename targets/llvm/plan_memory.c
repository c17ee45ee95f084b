/* plan_memory.c - every intermediate buffer is an offset in one arena.
 *
 * Greedy by size: the largest buffer first, each at the lowest gap among the
 * buffers whose lifetimes meet its own that wastes least. Results that leave
 * @main live in the caller's buffers. A graph.reshape at function level is
 * another name for its operand's buffer.
 *
 * Source: Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net
 * Inference" (2020), greedy by size. */
#include "base/value_set.h"
#include "llvm/llvm.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

typedef struct buffer {
  int64_t bytes, first, last, offset;
  MlirOperation op;
  intptr_t result; /* -1: the workspace of op */
} buffer;

typedef struct plan {
  buffer *buffers;
  size_t count, capacity;
  tvm_value_map index_of; /* value -> 1 + index, as a pointer */
} plan;

static int64_t round_up(int64_t n) {
  return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t add_buffer(plan *p, buffer b) {
  if (p->count == p->capacity) {
    p->capacity = p->capacity ? 2 * p->capacity : 64;
    p->buffers = realloc(p->buffers, p->capacity * sizeof *p->buffers);
  }
  p->buffers[p->count] = b;
  return p->count++;
}

/* 1 + index of the buffer behind a value; 0 for none. */
static size_t buffer_of(const plan *p, MlirValue v) {
  return (size_t)(uintptr_t)tvm_value_map_get_pointer(&p->index_of, v);
}

static void name_buffer(plan *p, MlirValue v, size_t index) {
  tvm_value_map_put_pointer(&p->index_of, v, (void *)(uintptr_t)(index + 1));
}

static void extend(plan *p, MlirValue v, int64_t time) {
  size_t i = buffer_of(p, v);
  if (i && p->buffers[i - 1].last < time)
    p->buffers[i - 1].last = time;
}

/* Mark results that are returned, also through reshapes: no buffer of ours. */
static void mark_outputs(MlirBlock body, tvm_value_set *outputs) {
  MlirOperation ret = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(ret); ++i) {
    MlirValue v = mlirOperationGetOperand(ret, i);
    for (MlirOperation def = tvm_defining_op(v);
         def.ptr && tvm_op_is(def, "graph.reshape"); def = tvm_defining_op(v))
      v = tvm_operand(def, 0);
    MlirOperation def = tvm_defining_op(v);
    if (def.ptr && tvm_op_is(def, "te.launch"))
      tvm_value_set_add(outputs, v);
  }
}

static void collect_launch(plan *p, MlirOperation op, int64_t time,
                           const tvm_value_set *outputs,
                           const MlirOperation kernel) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue v = tvm_result(op, i);
    MlirType type = mlirValueGetType(v);
    if (tvm_value_set_has(outputs, v))
      continue;
    int64_t bytes = tvm_num_elements(type) *
                    tvm_element_bytes(mlirShapedTypeGetElementType(type));
    name_buffer(p, v,
                add_buffer(p, (buffer){round_up(bytes), time, time, 0, op, i}));
  }
  int64_t workspace =
      kernel.ptr ? tvm_get_i64(kernel, "tvm.workspace_bytes") : 0;
  if (workspace)
    add_buffer(p, (buffer){round_up(workspace), time, time, 0, op, -1});
}

static MlirOperation kernel_of(MlirOperation module, MlirOperation launch) {
  MlirStringRef name =
      mlirFlatSymbolRefAttrGetValue(tvm_get_attr(launch, "kernel"));
  MlirOperation op = mlirBlockGetFirstOperation(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)));
  for (; op.ptr; op = mlirOperationGetNextInBlock(op))
    if (tvm_op_is(op, "te.kernel") &&
        mlirStringRefEqual(tvm_get_str(op, "sym_name"), name))
      return op;
  return op;
}

static void collect_buffers(plan *p, MlirOperation module, MlirBlock body) {
  tvm_value_set outputs = {0};
  int64_t time = 0;
  mark_outputs(body, &outputs);
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op), ++time) {
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      extend(p, tvm_operand(op, i), time);
    if (tvm_op_is(op, "te.launch"))
      collect_launch(p, op, time, &outputs, kernel_of(module, op));
    else if (tvm_op_is(op, "graph.reshape") && buffer_of(p, tvm_operand(op, 0)))
      name_buffer(p, tvm_result(op, 0), buffer_of(p, tvm_operand(op, 0)) - 1);
  }
  tvm_value_set_finish(&outputs);
}

static int by_size(const void *x, const void *y) {
  const buffer *a = *(buffer *const *)x, *b = *(buffer *const *)y;
  if (a->bytes != b->bytes)
    return a->bytes < b->bytes ? 1 : -1;
  return (a->first > b->first) - (a->first < b->first);
}

static int by_offset(const void *x, const void *y) {
  const buffer *a = *(buffer *const *)x, *b = *(buffer *const *)y;
  return (a->offset > b->offset) - (a->offset < b->offset);
}

static bool overlap(const buffer *a, const buffer *b) {
  return a->first <= b->last && b->first <= a->last;
}

/* The gap between placed neighbours that fits best. `near` has room for all. */
static int64_t best_offset(buffer *const *placed, size_t n, const buffer *b,
                           buffer **near) {
  size_t m = 0;
  for (size_t i = 0; i < n; ++i)
    if (overlap(placed[i], b))
      near[m++] = placed[i];
  qsort(near, m, sizeof *near, by_offset);
  int64_t top = 0, best = -1, best_gap = INT64_MAX;
  for (size_t i = 0; i < m; ++i) {
    int64_t gap = near[i]->offset - top;
    if (gap >= b->bytes && gap < best_gap) {
      best = top;
      best_gap = gap;
    }
    if (near[i]->offset + near[i]->bytes > top)
      top = near[i]->offset + near[i]->bytes;
  }
  return best >= 0 ? best : top;
}

static int64_t assign_offsets(plan *p) {
  buffer **order = malloc((p->count + 1) * sizeof *order);
  buffer **near = malloc((p->count + 1) * sizeof *near);
  int64_t arena = 0;
  for (size_t i = 0; i < p->count; ++i)
    order[i] = &p->buffers[i];
  qsort(order, p->count, sizeof *order, by_size);
  for (size_t i = 0; i < p->count; ++i) {
    order[i]->offset = best_offset(order, i, order[i], near);
    if (order[i]->offset + order[i]->bytes > arena)
      arena = order[i]->offset + order[i]->bytes;
  }
  free(order);
  free(near);
  return arena;
}

/* The most bytes alive at one time: no arena can be smaller. */
static int64_t max_live(const plan *p) {
  int64_t end = 0, live = 0, most = 0;
  for (size_t i = 0; i < p->count; ++i)
    if (p->buffers[i].last + 2 > end)
      end = p->buffers[i].last + 2;
  int64_t *delta = calloc((size_t)end + 1, sizeof *delta);
  for (size_t i = 0; i < p->count; ++i) {
    delta[p->buffers[i].first] += p->buffers[i].bytes;
    delta[p->buffers[i].last + 1] -= p->buffers[i].bytes;
  }
  for (int64_t t = 0; t < end; ++t) {
    live += delta[t];
    most = live > most ? live : most;
  }
  free(delta);
  return most;
}

static void set_attr(MlirOperation op, const char *name, MlirAttribute a) {
  mlirOperationSetDiscardableAttributeByName(
      op, mlirStringRefCreateFromCString(name), a);
}

static void write_attributes(const plan *p, MlirBlock body) {
  size_t next = 0;
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (!tvm_op_is(op, "te.launch"))
      continue;
    MlirContext context = mlirOperationGetContext(op);
    intptr_t n = mlirOperationGetNumResults(op);
    int64_t *offsets = malloc((size_t)(n + 1) * sizeof *offsets);
    for (intptr_t i = 0; i < n; ++i)
      offsets[i] = -1;
    for (; next < p->count && p->buffers[next].op.ptr == op.ptr; ++next) {
      const buffer *b = &p->buffers[next];
      if (b->result >= 0)
        offsets[b->result] = b->offset;
      else
        set_attr(
            op, "tvm.workspace_offset",
            mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), b->offset));
    }
    set_attr(op, "tvm.offsets", mlirDenseI64ArrayGet(context, n, offsets));
    free(offsets);
  }
}

MlirLogicalResult tvm_llvm_plan_memory(MlirOperation module) {
  MlirOperation func = tvm_find_function(module, "main");
  if (!func.ptr)
    return mlirLogicalResultFailure();
  plan p = {0};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  collect_buffers(&p, module, body);
  int64_t arena = assign_offsets(&p), bound = max_live(&p);
  write_attributes(&p, body);
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(module), 64);
  set_attr(module, "tvm.arena_bytes", mlirIntegerAttrGet(i64, arena));
  set_attr(module, "tvm.max_live_bytes", mlirIntegerAttrGet(i64, bound));
  free(p.buffers);
  tvm_value_map_finish(&p.index_of);
  return mlirLogicalResultSuccess();
}
