/* plan_memory.c - every intermediate buffer is an offset in one arena.
 *
 * Results that leave @main live in the caller's buffers. Tensors that are
 * placed inside of others (roots.h) share their buffer. Time is the position of
 * an operation in @main; arena.c finds the offsets. */
#include "base/value_set.h"
#include "llvm/arena.h"
#include "llvm/kernel_facts.h"
#include "llvm/llvm.h"
#include "llvm/roots.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct plan {
  int64_t alignment;
  tvm_arena_buffer *buffers;
  MlirOperation *workspace_of; /* null: the buffer of a root */
  size_t count, capacity;
  MlirSymbolTable kernels;
  tvm_value_map index_of; /* root -> 1 + index, as a pointer */
  tvm_value_map last_use; /* root -> 1 + time, as a pointer */
} plan;

static size_t add_buffer(plan *p, int64_t bytes, int64_t first, int64_t last,
                         MlirOperation workspace_of) {
  if (p->count == p->capacity) {
    p->capacity = p->capacity ? 2 * p->capacity : 64;
    p->buffers = realloc(p->buffers, p->capacity * sizeof *p->buffers);
    p->workspace_of =
        realloc(p->workspace_of, p->capacity * sizeof *p->workspace_of);
  }
  int64_t rounded = (bytes + p->alignment - 1) / p->alignment * p->alignment;
  p->buffers[p->count] = (tvm_arena_buffer){rounded, first, last, 0};
  p->workspace_of[p->count] = workspace_of;
  return p->count++;
}

/* 1 + index of the buffer behind a value; 0 for none. */
static size_t buffer_of(const plan *p, MlirValue v) {
  return (size_t)(uintptr_t)tvm_value_map_get_pointer(&p->index_of,
                                                      tvm_llvm_root_of(v));
}

/* When the buffer of `v` is last read under its own name; -1: never. */
static int64_t last_use(const plan *p, MlirValue v) {
  return (int64_t)(uintptr_t)tvm_value_map_get_pointer(&p->last_use,
                                                       tvm_llvm_root_of(v)) -
         1;
}

static void find_last_uses(plan *p, MlirBlock body) {
  int64_t time = 0;
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op), ++time)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      tvm_value_map_put_pointer(&p->last_use,
                                tvm_llvm_root_of(tvm_operand(op, i)),
                                (void *)(uintptr_t)(time + 1));
}

/* Mark roots that are returned: no buffer of ours. */
static void mark_outputs(MlirBlock body, tvm_value_set *outputs) {
  MlirOperation ret = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(ret); ++i) {
    MlirValue output = tvm_llvm_output_root(tvm_operand(ret, i));
    if (output.ptr)
      tvm_value_set_add(outputs, output);
  }
}

static MlirOperation kernel_of(const plan *p, MlirOperation launch) {
  return mlirSymbolTableLookup(p->kernels, mlirFlatSymbolRefAttrGetValue(
                                               tvm_get_attr(launch, "kernel")));
}

/* The workspace that the launched kernel asks for. */
static int64_t workspace_bytes(MlirOperation kernel) {
  bool has = kernel.ptr && tvm_get_attr(kernel, "tvm.workspace_bytes").ptr;
  return has ? tvm_get_i64(kernel, "tvm.workspace_bytes") : 0;
}

/* Whether a tensor is all there is in its buffer. */
static bool fills_root(MlirValue v) {
  tvm_graph_placement p;
  return tvm_graph_place(v, &p) && !p.offset &&
         tvm_graph_is_dense(&p, mlirValueGetType(v)) &&
         tvm_llvm_value_bytes(v) == tvm_llvm_value_bytes(p.root);
}

/* Whether nothing reads the buffer of operand i but the launch at `time`, and
 * that by this operand alone. */
static bool dies(const plan *p, MlirOperation launch, intptr_t i,
                 int64_t time) {
  MlirValue v = tvm_operand(launch, i), root = tvm_llvm_root_of(v);
  if (!buffer_of(p, v) || last_use(p, v) != time || !fills_root(v))
    return false;
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(launch); ++k)
    if (k != i &&
        mlirValueEqual(tvm_llvm_root_of(tvm_operand(launch, k)), root))
      return false;
  return true;
}

/* The operand whose buffer the kernel writes result i to, or -1. */
static int64_t shared_operand(MlirOperation kernel, intptr_t i) {
  return kernel.ptr && tvm_get_attr(kernel, TVM_IN_PLACE).ptr
             ? tvm_get_i64s(kernel, TVM_IN_PLACE, i)
             : -1;
}

/* 1 + the buffer of result i; 0 after an error. */
static size_t give_buffer(plan *p, MlirOperation launch, MlirOperation kernel,
                          intptr_t i, int64_t time) {
  MlirValue v = tvm_result(launch, i);
  int64_t operand = shared_operand(kernel, i), last = last_use(p, v);
  last = last > time ? last : time;
  if (operand < 0)
    return 1 + add_buffer(p, tvm_llvm_value_bytes(tvm_llvm_root_of(v)), time,
                          last, (MlirOperation){0});
  MlirValue x = tvm_operand(launch, operand);
  if (!dies(p, launch, operand, time) || !fills_root(v) ||
      tvm_llvm_value_bytes(x) != tvm_llvm_value_bytes(v)) {
    tvm_emit_op_error(launch, "cannot write result %d over operand %d", (int)i,
                      (int)operand);
    return 0;
  }
  size_t shared = buffer_of(p, x);
  p->buffers[shared - 1].last = last;
  return shared;
}

static bool collect_launch(plan *p, MlirOperation op, int64_t time,
                           const tvm_value_set *outputs) {
  MlirOperation kernel = kernel_of(p, op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue root = tvm_llvm_root_of(tvm_result(op, i));
    if (tvm_value_set_has(outputs, root) || buffer_of(p, root))
      continue;
    size_t buffer = give_buffer(p, op, kernel, i, time);
    if (!buffer)
      return false;
    tvm_value_map_put_pointer(&p->index_of, root, (void *)(uintptr_t)buffer);
  }
  int64_t workspace = workspace_bytes(kernel);
  if (workspace)
    add_buffer(p, workspace, time, time, op);
  return true;
}

static bool collect_buffers(plan *p, MlirBlock body) {
  tvm_value_set outputs = {0};
  int64_t time = 0;
  bool ok = true;
  find_last_uses(p, body);
  mark_outputs(body, &outputs);
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr && ok; op = mlirOperationGetNextInBlock(op), ++time)
    if (tvm_op_is(op, "te.launch"))
      ok = collect_launch(p, op, time, &outputs);
  tvm_value_set_finish(&outputs);
  return ok;
}

static void set_attr(MlirOperation op, const char *name, MlirAttribute a) {
  mlirOperationSetDiscardableAttributeByName(
      op, mlirStringRefCreateFromCString(name), a);
}

/* Where each result of the launch begins in the arena; -1 outside of it. */
static void write_offsets(const plan *p, MlirOperation launch) {
  intptr_t n = mlirOperationGetNumResults(launch);
  int64_t *offsets = malloc((size_t)(n + 1) * sizeof *offsets);
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue v = tvm_result(launch, i);
    size_t b = buffer_of(p, v);
    offsets[i] = b ? p->buffers[b - 1].offset + tvm_llvm_offset_in_root(v) : -1;
  }
  set_attr(launch, "tvm.offsets",
           mlirDenseI64ArrayGet(mlirOperationGetContext(launch), n, offsets));
  free(offsets);
}

static void write_attributes(const plan *p, MlirBlock body) {
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op))
    if (tvm_op_is(op, "te.launch"))
      write_offsets(p, op);
  for (size_t i = 0; i < p->count; ++i) {
    MlirOperation launch = p->workspace_of[i];
    if (launch.ptr)
      set_attr(launch, "tvm.workspace_offset",
               mlirIntegerAttrGet(
                   mlirIntegerTypeGet(mlirOperationGetContext(launch), 64),
                   p->buffers[i].offset));
  }
}

static void plan_finish(plan *p) {
  mlirSymbolTableDestroy(p->kernels);
  free(p->buffers);
  free(p->workspace_of);
  tvm_value_map_finish(&p->index_of);
  tvm_value_map_finish(&p->last_use);
}

MlirLogicalResult tvm_llvm_plan_memory(MlirOperation module,
                                       const tvm_llvm_target *target) {
  MlirOperation func = tvm_find_function(module, "main");
  if (!func.ptr)
    return tvm_emit_error(mlirOperationGetLocation(module),
                          "the module has no function 'main'");
  plan p = {.alignment = target->line_bytes,
            .kernels = mlirSymbolTableCreate(module)};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  bool ok = collect_buffers(&p, body);
  if (ok) {
    int64_t bound = tvm_arena_bound(p.count, p.buffers);
    int64_t arena = tvm_arena_assign(p.count, p.buffers);
    write_attributes(&p, body);
    MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(module), 64);
    set_attr(module, "tvm.arena_bytes", mlirIntegerAttrGet(i64, arena));
    set_attr(module, "tvm.max_live_bytes", mlirIntegerAttrGet(i64, bound));
  }
  plan_finish(&p);
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

static void mark_launch(const plan *p, MlirOperation launch, int64_t time) {
  uint64_t dying = 0, own = 0;
  MlirOperation kernel = kernel_of(p, launch);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(launch) && i < 64; ++i)
    if (dies(p, launch, i, time))
      dying |= (uint64_t)1 << i;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(launch) && i < 64; ++i)
    if (buffer_of(p, tvm_result(launch, i)) &&
        fills_root(tvm_result(launch, i)))
      own |= (uint64_t)1 << i;
  tvm_kernel_restrict_fact(kernel, TVM_DYING_OPERANDS, dying);
  tvm_kernel_restrict_fact(kernel, TVM_OWN_RESULTS, own);
}

void tvm_llvm_mark_lifetimes(MlirOperation module) {
  MlirOperation func = tvm_find_function(module, "main");
  if (!func.ptr)
    return;
  plan p = {.alignment = 1, .kernels = mlirSymbolTableCreate(module)};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  int64_t time = 0;
  collect_buffers(&p, body);
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op), ++time)
    if (tvm_op_is(op, "te.launch"))
      mark_launch(&p, op, time);
  plan_finish(&p);
}

static MlirLogicalResult run(MlirOperation module, tvm_seam_pass pass,
                             void *user) {
  (void)user;
  char name[256], message[TVM_TARGET_MESSAGE_BYTES];
  tvm_llvm_target target;
  MlirStringRef value = tvm_seam_pass_option(pass, 0);
  snprintf(name, sizeof name, "%.*s", (int)value.length, value.data);
  if (!tvm_llvm_target_resolve(name, &target, message))
    return tvm_emit_error(mlirOperationGetLocation(module), "%s", message);
  return tvm_llvm_plan_memory(module, &target);
}

void tvm_llvm_register_plan_memory(void) {
  static const tvm_seam_option options[] = {
      {"target", "name of the CPU target", "host"}};
  static const tvm_seam_pass_desc pass = {
      .argument = "tvm-plan-memory",
      .description = "Give each result of a te.launch its place in one arena",
      .op_name = "builtin.module",
      .n_options = 1,
      .options = options,
      .run = run};
  tvm_seam_register_pass(&pass);
}
