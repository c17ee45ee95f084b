/* plan_memory.c - every intermediate buffer is an offset in one arena.
 *
 * Results that leave @main live in the caller's buffers. Tensors that are
 * placed inside of others (roots.h) share their buffer. Time is the position of
 * an operation in @main; arena.c finds the offsets. */
#include "base/value_set.h"
#include "llvm/arena.h"
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
} plan;

static size_t add_buffer(plan *p, int64_t bytes, int64_t time,
                         MlirOperation workspace_of) {
  if (p->count == p->capacity) {
    p->capacity = p->capacity ? 2 * p->capacity : 64;
    p->buffers = realloc(p->buffers, p->capacity * sizeof *p->buffers);
    p->workspace_of =
        realloc(p->workspace_of, p->capacity * sizeof *p->workspace_of);
  }
  int64_t rounded = (bytes + p->alignment - 1) / p->alignment * p->alignment;
  p->buffers[p->count] = (tvm_arena_buffer){rounded, time, time, 0};
  p->workspace_of[p->count] = workspace_of;
  return p->count++;
}

/* 1 + index of the buffer behind a value; 0 for none. */
static size_t buffer_of(const plan *p, MlirValue v) {
  return (size_t)(uintptr_t)tvm_value_map_get_pointer(&p->index_of,
                                                      tvm_llvm_root_of(v));
}

static void extend(plan *p, MlirValue v, int64_t time) {
  size_t i = buffer_of(p, v);
  if (i && p->buffers[i - 1].last < time)
    p->buffers[i - 1].last = time;
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

/* The workspace that the launched kernel asks for. */
static int64_t workspace_bytes(const plan *p, MlirOperation launch) {
  MlirOperation kernel = mlirSymbolTableLookup(
      p->kernels,
      mlirFlatSymbolRefAttrGetValue(tvm_get_attr(launch, "kernel")));
  bool has = kernel.ptr && tvm_get_attr(kernel, "tvm.workspace_bytes").ptr;
  return has ? tvm_get_i64(kernel, "tvm.workspace_bytes") : 0;
}

static void collect_launch(plan *p, MlirOperation op, int64_t time,
                           const tvm_value_set *outputs) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue root = tvm_llvm_root_of(tvm_result(op, i));
    if (tvm_value_set_has(outputs, root) || buffer_of(p, root))
      continue;
    size_t index =
        add_buffer(p, tvm_llvm_value_bytes(root), time, (MlirOperation){0});
    tvm_value_map_put_pointer(&p->index_of, root,
                              (void *)(uintptr_t)(index + 1));
  }
  int64_t workspace = workspace_bytes(p, op);
  if (workspace)
    add_buffer(p, workspace, time, op);
}

static void collect_buffers(plan *p, MlirBlock body) {
  tvm_value_set outputs = {0};
  int64_t time = 0;
  mark_outputs(body, &outputs);
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op), ++time) {
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      extend(p, tvm_operand(op, i), time);
    if (tvm_op_is(op, "te.launch"))
      collect_launch(p, op, time, &outputs);
  }
  tvm_value_set_finish(&outputs);
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

MlirLogicalResult tvm_llvm_plan_memory(MlirOperation module,
                                       const tvm_llvm_target *target) {
  MlirOperation func = tvm_find_function(module, "main");
  if (!func.ptr)
    return tvm_emit_error(mlirOperationGetLocation(module),
                          "the module has no function 'main'");
  plan p = {.alignment = target->line_bytes,
            .kernels = mlirSymbolTableCreate(module)};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  collect_buffers(&p, body);
  int64_t bound = tvm_arena_bound(p.count, p.buffers);
  int64_t arena = tvm_arena_assign(p.count, p.buffers);
  write_attributes(&p, body);
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(module), 64);
  set_attr(module, "tvm.arena_bytes", mlirIntegerAttrGet(i64, arena));
  set_attr(module, "tvm.max_live_bytes", mlirIntegerAttrGet(i64, bound));
  mlirSymbolTableDestroy(p.kernels);
  free(p.buffers);
  free(p.workspace_of);
  tvm_value_map_finish(&p.index_of);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult run(MlirOperation module, tvm_seam_pass pass,
                             void *user) {
  (void)user;
  char name[64];
  tvm_llvm_target target;
  MlirStringRef value = tvm_seam_pass_option(pass, 0);
  snprintf(name, sizeof name, "%.*s", (int)value.length, value.data);
  if (!tvm_llvm_target_resolve(name, &target))
    return tvm_emit_error(mlirOperationGetLocation(module),
                          "unknown target '%s', known are: %s", name,
                          tvm_llvm_target_names());
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
