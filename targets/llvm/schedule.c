/* schedule.c - choose a Transform schedule for one kernel and apply it. */
#include "llvm/schedule.h"

#include "llvm/attention.h"
#include "llvm/canonical.h"
#include "llvm/knobs.h"
#include "llvm/prefetch.h"
#include "llvm/schedule_internal.h"

#include "mlir-c/Diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prepare_pipeline[] = "builtin.module("
                                       "func.func(linalg-fuse-elementwise-ops),"
                                       "canonicalize,cse)";

static MlirLogicalResult swallow(MlirDiagnostic diagnostic, void *user) {
  (void)diagnostic, (void)user;
  return mlirLogicalResultSuccess();
}

static MlirModule clone_module(MlirModule module) {
  return mlirModuleFromOperation(
      mlirOperationClone(mlirModuleGetOperation(module)));
}

/* Put the contents of `owned_from` in the place of those of `module`. */
static void replace_contents(MlirModule module, MlirModule owned_from) {
  MlirBlock to = mlirModuleGetBody(module);
  MlirBlock from = mlirModuleGetBody(owned_from);
  MlirOperation next, op = mlirBlockGetFirstOperation(to);
  for (; op.ptr; op = next) {
    next = mlirOperationGetNextInBlock(op);
    mlirOperationDestroy(op);
  }
  for (op = mlirBlockGetFirstOperation(from); op.ptr; op = next) {
    next = mlirOperationGetNextInBlock(op);
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(to, op);
  }
  mlirModuleDestroy(owned_from);
}

/* Change `module` by `attempt`, or leave it as it was, without a word. */
static bool
try_schedule(MlirModule module,
             MlirLogicalResult (*attempt)(MlirModule, const tvm_llvm_target *,
                                          tvm_llvm_packing *),
             const tvm_llvm_target *target, tvm_llvm_packing *packing) {
  MlirContext context = mlirModuleGetContext(module);
  MlirModule copy = clone_module(module);
  MlirDiagnosticHandlerID quiet =
      mlirContextAttachDiagnosticHandler(context, swallow, NULL, NULL);
  MlirLogicalResult ok = attempt(copy, target, packing);
  mlirContextDetachDiagnosticHandler(context, quiet);
  if (mlirLogicalResultIsSuccess(ok))
    replace_contents(module, copy);
  else
    mlirModuleDestroy(copy);
  return mlirLogicalResultIsSuccess(ok);
}

static MlirWalkResult find_unscheduled(MlirOperation op, void *user) {
  if (!tvm_op_in_dialect(op, "linalg") && !tvm_op_is(op, "memref.alloc"))
    return MlirWalkResultAdvance;
  *(bool *)user = true;
  return MlirWalkResultInterrupt;
}

/* Return the destination itself where a reshape of it is returned. */
static void unwrap_results(MlirOperation func) {
  static const char *const views[] = {"memref.collapse_shape",
                                      "memref.expand_shape", "memref.cast"};
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirOperation ret = mlirBlockGetTerminator(entry);
  MlirValue value = tvm_operand(ret, 0);
  MlirOperation op = tvm_defining_op(value);
  while (op.ptr) {
    bool is_view = false;
    for (size_t i = 0; i < sizeof views / sizeof *views; ++i)
      is_view |= tvm_op_is(op, views[i]);
    if (!is_view)
      return;
    value = tvm_operand(op, 0);
    op = tvm_defining_op(value);
  }
  if (mlirTypeEqual(mlirValueGetType(value),
                    mlirValueGetType(tvm_operand(ret, 0))))
    mlirOperationSetOperand(ret, 0, value);
}

enum { MAX_TILE = 2048 };

static MlirWalkResult find_large_tile(MlirOperation op, void *user) {
  if (!tvm_op_in_dialect(op, "linalg") || !mlirOperationGetNumResults(op))
    return MlirWalkResultAdvance;
  MlirType type = mlirValueGetType(tvm_result(op, 0));
  if (mlirShapedTypeHasStaticShape(type) && tvm_num_elements(type) <= MAX_TILE)
    return MlirWalkResultAdvance;
  *(bool *)user = true;
  return MlirWalkResultInterrupt;
}

/* What was not tiled would be unrolled whole. */
static bool has_large_tile(MlirModule module) {
  bool large = false;
  mlirOperationWalk(tvm_schedule_func(module), find_large_tile, &large,
                    MlirWalkPreOrder);
  return large;
}

/* Say which schedule the kernel got: for those who look at the result. */
static void describe_choice(MlirOperation func, const char *format, ...) {
  char text[160];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  MlirContext context = mlirOperationGetContext(func);
  mlirOperationSetDiscardableAttributeByName(
      func, mlirStringRefCreateFromCString("tvm.schedule"),
      mlirStringAttrGet(context, mlirStringRefCreateFromCString(text)));
}

static const char *choose_head(const tvm_kernel_shape *shape,
                               const tvm_kernel_knobs *knobs) {
  return shape->kernel_class == TVM_KERNEL_WINDOW ? "window"
         : knobs->jam > 1                         ? "matvec"
         : knobs->edges == TVM_EDGES_NONE         ? "contraction"
                                                  : "contraction_peeled";
}

static MlirLogicalResult apply_head(MlirModule module,
                                    const tvm_kernel_shape *shape,
                                    const tvm_kernel_knobs *knobs) {
  const char *name = choose_head(shape, knobs);
  MlirModule head = tvm_schedule_parse(mlirModuleGetContext(module), name);
  tvm_schedule_select(head, "edges", knobs->edges);
  tvm_schedule_set_knob(head, "ht", knobs->ht);
  tvm_schedule_set_knob(head, "wt", knobs->wt);
  bool packed = shape->panel_columns > 0;
  tvm_schedule_set_knob(head, "pt", packed ? knobs->jam : 1);
  tvm_schedule_set_knob(head, "ct",
                        packed ? knobs->ct : knobs->ct * knobs->jam);
  tvm_schedule_set_knob(head, "mr", knobs->mr);
  tvm_schedule_set_knob(head, "nr", knobs->nr);
  MlirLogicalResult ok = tvm_schedule_apply(head, module);
  mlirModuleDestroy(head);
  return ok;
}

/* The reductions of `panels` panels as one loop. */
static MlirLogicalResult jam(MlirModule module, int64_t panels) {
  MlirModule schedule = tvm_schedule_parse(mlirModuleGetContext(module), "jam");
  tvm_schedule_set_factor(schedule, "tvm.panels", panels);
  MlirLogicalResult ok = tvm_schedule_apply(schedule, module);
  mlirModuleDestroy(schedule);
  return ok;
}

static bool can_pack(const tvm_kernel_shape *shape,
                     const tvm_kernel_knobs *knobs,
                     const tvm_llvm_packing *packing) {
  return packing && shape->matrix >= 0 && shape->matrix < 64 &&
         (packing->constants >> shape->matrix & 1) &&
         knobs->nr < shape->extents[TVM_LOOP_NI] &&
         shape->extents[TVM_LOOP_NI] % knobs->nr == 0;
}

static tvm_llvm_packing describe_packing(const tvm_kernel_shape *shape) {
  return (tvm_llvm_packing){.operand = shape->matrix,
                            .rows = shape->extents[TVM_LOOP_R] *
                                    shape->extents[TVM_LOOP_Q] *
                                    shape->extents[TVM_LOOP_K],
                            .columns = shape->extents[TVM_LOOP_NI],
                            .width = shape->panel_columns};
}

/* Contractions and windows, by a block of results in registers. */
static MlirLogicalResult apply_blocked(MlirModule module,
                                       const tvm_llvm_target *target,
                                       tvm_llvm_packing *packing) {
  tvm_kernel_shape shape = {0};
  tvm_kernel_knobs knobs;
  MlirOperation func = tvm_schedule_func(module);
  if (!tvm_llvm_describe_nest(func, &shape) ||
      !tvm_llvm_choose_knobs(&shape, target, &knobs))
    return mlirLogicalResultFailure();
  if (can_pack(&shape, &knobs, packing))
    shape.panel_columns = knobs.nr;
  tvm_llvm_packing request = describe_packing(&shape);
  if (!tvm_llvm_canonicalize_nest(func, &shape))
    return mlirLogicalResultFailure();
  tvm_schedule_mark_destinations(func);
  if (mlirLogicalResultIsFailure(apply_head(module, &shape, &knobs)) ||
      has_large_tile(module) ||
      mlirLogicalResultIsFailure(tvm_schedule_apply_named("vectorize", module)))
    return mlirLogicalResultFailure();
  if (knobs.jam > 1 && mlirLogicalResultIsFailure(jam(module, knobs.jam)))
    return mlirLogicalResultFailure();
  func = tvm_schedule_func(module);
  bool unscheduled = false;
  mlirOperationWalk(func, find_unscheduled, &unscheduled, MlirWalkPreOrder);
  if (unscheduled)
    return mlirLogicalResultFailure();
  unwrap_results(func);
  if (shape.panel_columns && knobs.rows_ahead)
    tvm_llvm_prefetch_weights(func, shape.matrix, knobs.rows_ahead,
                              target->line_bytes / shape.element_bytes);
  const int64_t *e = shape.extents;
  describe_choice(func,
                  "%s [%ld %ld %ld %ld %ld | %ld %ld %ld] ht=%ld wt=%ld "
                  "ct=%ld mr=%ld nr=%ld jam=%ld%s",
                  choose_head(&shape, &knobs), e[0], e[1], e[2], e[3], e[4],
                  e[5], e[6], e[7], knobs.ht, knobs.wt, knobs.ct, knobs.mr,
                  knobs.nr, knobs.jam, shape.panel_columns ? " packed" : "");
  if (shape.panel_columns)
    *packing = request;
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult apply_attention(MlirModule module,
                                         const tvm_llvm_target *target,
                                         tvm_llvm_packing *packing) {
  (void)packing;
  tvm_attention_shape shape;
  MlirOperation func = tvm_schedule_func(module);
  if (!tvm_llvm_mark_attention(func, &shape))
    return mlirLogicalResultFailure();
  MlirModule head =
      tvm_llvm_attention_schedule(mlirModuleGetContext(module), &shape, target);
  if (!head.ptr)
    return mlirLogicalResultFailure();
  tvm_schedule_relax_reductions(func);
  tvm_schedule_mark_destinations(func);
  MlirLogicalResult ok = tvm_schedule_apply(head, module);
  mlirModuleDestroy(head);
  if (mlirLogicalResultIsSuccess(ok))
    ok = tvm_schedule_bufferize(module);
  if (mlirLogicalResultIsSuccess(ok))
    describe_choice(tvm_schedule_func(module), "attention");
  return ok;
}

static MlirLogicalResult apply_general(MlirModule module,
                                       const tvm_llvm_target *target,
                                       tvm_llvm_packing *packing) {
  (void)target, (void)packing;
  MlirOperation func = tvm_schedule_func(module);
  tvm_schedule_tiles tiles;
  tvm_schedule_relax_reductions(func);
  tvm_schedule_bind_destinations(func);
  if (tvm_schedule_choose_tiles(func, &tiles)) {
    MlirModule schedule = tvm_schedule_parse(
        mlirModuleGetContext(module), tiles.has_rows ? "row" : "general");
    tvm_schedule_set_tiles(schedule, "tvm.tiles", tiles.rank, tiles.pieces);
    tvm_schedule_set_tiles(schedule, "tvm.rows", tiles.rank, tiles.rows);
    MlirLogicalResult ok = tvm_schedule_apply(schedule, module);
    mlirModuleDestroy(schedule);
    if (mlirLogicalResultIsFailure(ok))
      return ok;
    describe_choice(tvm_schedule_func(module),
                    tiles.has_rows ? "row" : "general");
  }
  return tvm_schedule_bufferize(module);
}

MlirLogicalResult tvm_llvm_lower_plainly(MlirModule module) {
  tvm_schedule_bind_destinations(tvm_schedule_func(module));
  return tvm_schedule_bufferize(module);
}

static MlirLogicalResult apply_plain(MlirModule module) {
  tvm_schedule_relax_reductions(tvm_schedule_func(module));
  return tvm_llvm_lower_plainly(module);
}

static char *read_file(const char *path, size_t *out_size) {
  FILE *f = fopen(path, "rb");
  char *text = NULL;
  size_t size = 0, capacity = 0, n = 1;
  while (f && n > 0) {
    if (size == capacity) {
      capacity = capacity ? 2 * capacity : 4096;
      text = realloc(text, capacity + 1);
    }
    n = fread(text + size, 1, capacity - size, f);
    size += n;
  }
  if (f && ferror(f)) { /* a folder, say */
    free(text);
    text = NULL;
  }
  if (f)
    fclose(f);
  if (text)
    text[size] = '\0';
  *out_size = size;
  return text;
}

static MlirLogicalResult apply_user(MlirModule module, const char *path) {
  MlirContext context = mlirModuleGetContext(module);
  MlirOperation func = tvm_schedule_func(module);
  MlirLocation location = mlirOperationGetLocation(func);
  size_t size;
  char *text = read_file(path, &size);
  if (!text)
    return tvm_emit_error(location, "cannot read the schedule '%s'", path);
  MlirOperation parsed =
      mlirOperationCreateParse(context, mlirStringRefCreate(text, size),
                               mlirStringRefCreateFromCString(path));
  free(text);
  if (!parsed.ptr)
    return mlirLogicalResultFailure();
  MlirModule schedule = mlirModuleFromOperation(parsed);
  if (!schedule.ptr) {
    mlirOperationDestroy(parsed);
    return tvm_emit_error(location, "the schedule '%s' is no module", path);
  }
  tvm_schedule_relax_reductions(func);
  tvm_schedule_bind_destinations(func);
  MlirLogicalResult ok = tvm_schedule_apply(schedule, module);
  mlirModuleDestroy(schedule);
  return mlirLogicalResultIsSuccess(ok) ? tvm_schedule_bufferize(module) : ok;
}

MlirLogicalResult tvm_schedule_stop_at(MlirModule module, const char *stage) {
  tvm_kernel_shape shape = {0};
  MlirLogicalResult ok = tvm_run_pipeline(module, prepare_pipeline);
  if (mlirLogicalResultIsSuccess(ok))
    tvm_schedule_merge_results(tvm_schedule_func(module));
  if (mlirLogicalResultIsSuccess(ok) && !strcmp(stage, "canonical"))
    tvm_llvm_canonicalize_nest(tvm_schedule_func(module), &shape);
  return ok;
}

MlirLogicalResult tvm_llvm_schedule_kernel(MlirModule module,
                                           const tvm_llvm_target *target,
                                           const char *user_schedule_path,
                                           tvm_schedule_effort effort,
                                           tvm_llvm_packing *packing) {
  if (packing)
    packing->operand = -1;
  if (!user_schedule_path && effort == TVM_SCHEDULE_PLAIN)
    return tvm_llvm_lower_plainly(module);
  if (mlirLogicalResultIsFailure(tvm_run_pipeline(module, prepare_pipeline)))
    return mlirLogicalResultFailure();
  tvm_schedule_merge_results(tvm_schedule_func(module));
  tvm_schedule_expand_math(tvm_schedule_func(module));
  if (user_schedule_path)
    return apply_user(module, user_schedule_path);
  if ((effort <= TVM_SCHEDULE_BLOCKED &&
       (try_schedule(module, apply_blocked, target, packing) ||
        try_schedule(module, apply_attention, target, packing))) ||
      (effort <= TVM_SCHEDULE_GENERAL &&
       try_schedule(module, apply_general, target, packing)))
    return mlirLogicalResultSuccess();
  return apply_plain(module);
}
