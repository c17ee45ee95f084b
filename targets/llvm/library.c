/* library.c - the schedules that the compiler carries, and their knobs. */
#include "llvm/schedule_internal.h"

#include "mlir-c/Dialect/Transform/Interpreter.h"

#include <string.h>

#define SCHEDULES(X)                                                           \
  X(general)                                                                   \
  X(row)                                                                       \
  X(attention)                                                                 \
  X(contraction) X(contraction_peeled) X(matvec) X(jam) X(window) X(vectorize)

#define DECLARE(name)                                                          \
  extern const char tvm_schedule_##name[];                                     \
  extern const size_t tvm_schedule_##name##_size;
SCHEDULES(DECLARE)
#undef DECLARE

typedef struct {
  const char *name, *text;
  const size_t *size;
} entry;

static const entry entries[] = {
#define ROW(name) {#name, tvm_schedule_##name, &tvm_schedule_##name##_size},
    SCHEDULES(ROW)
#undef ROW
};

static MlirStringRef str(const char *s) {
  return mlirStringRefCreateFromCString(s);
}

MlirModule tvm_schedule_parse(MlirContext context, const char *name) {
  for (size_t i = 0; i < sizeof entries / sizeof *entries; ++i)
    if (!strcmp(entries[i].name, name))
      return mlirModuleCreateParse(
          context, mlirStringRefCreate(entries[i].text, *entries[i].size));
  return (MlirModule){0};
}

typedef struct {
  const char *name;
  int64_t value;
} knob;

static MlirWalkResult set_knob(MlirOperation op, void *user) {
  const knob *k = user;
  if (!tvm_op_is(op, "transform.tune.knob"))
    return MlirWalkResultAdvance;
  MlirAttribute name = mlirOperationGetInherentAttributeByName(op, str("name"));
  if (mlirStringRefEqual(mlirStringAttrGetValue(name), str(k->name))) {
    MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(op), 64);
    MlirAttribute value = mlirIntegerAttrGet(i64, k->value);
    mlirOperationSetInherentAttributeByName(op, str("selected"), value);
    mlirOperationSetInherentAttributeByName(
        op, str("options"),
        mlirArrayAttrGet(mlirOperationGetContext(op), 1, &value));
  }
  return MlirWalkResultAdvance;
}

static MlirWalkResult select_region(MlirOperation op, void *user) {
  const knob *k = user;
  if (!tvm_op_is(op, "transform.tune.alternatives"))
    return MlirWalkResultAdvance;
  MlirAttribute name = mlirOperationGetInherentAttributeByName(op, str("name"));
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(op), 64);
  if (mlirStringRefEqual(mlirStringAttrGetValue(name), str(k->name)))
    mlirOperationSetInherentAttributeByName(op, str("selected_region_attr"),
                                            mlirIntegerAttrGet(i64, k->value));
  return MlirWalkResultAdvance;
}

void tvm_schedule_select(MlirModule schedule, const char *name,
                         int64_t region) {
  knob k = {name, region};
  mlirOperationWalk(mlirModuleGetOperation(schedule), select_region, &k,
                    MlirWalkPreOrder);
}

void tvm_schedule_set_knob(MlirModule schedule, const char *name,
                           int64_t value) {
  knob k = {name, value};
  mlirOperationWalk(mlirModuleGetOperation(schedule), set_knob, &k,
                    MlirWalkPreOrder);
}

typedef struct {
  const char *mark, *name;
  MlirAttribute value;
} number;

static MlirWalkResult set_number(MlirOperation op, void *user) {
  const number *n = user;
  if (tvm_get_attr(op, n->mark).ptr)
    mlirOperationSetInherentAttributeByName(op, str(n->name), n->value);
  return MlirWalkResultAdvance;
}

void tvm_schedule_set_tiles(MlirModule schedule, const char *mark,
                            intptr_t rank, const int64_t *sizes) {
  MlirOperation op = mlirModuleGetOperation(schedule);
  number n = {mark, "static_tile_sizes",
              mlirDenseI64ArrayGet(mlirOperationGetContext(op), rank, sizes)};
  mlirOperationWalk(op, set_number, &n, MlirWalkPreOrder);
}

void tvm_schedule_set_factor(MlirModule schedule, const char *mark,
                             int64_t factor) {
  MlirOperation op = mlirModuleGetOperation(schedule);
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(op), 64);
  number n = {mark, "factor", mlirIntegerAttrGet(i64, factor)};
  mlirOperationWalk(op, set_number, &n, MlirWalkPreOrder);
}

static MlirOperation find_entry(MlirModule schedule) {
  MlirOperation first = {0};
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(schedule));
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (!tvm_op_is(op, "transform.named_sequence"))
      continue;
    MlirAttribute name =
        mlirOperationGetInherentAttributeByName(op, str("sym_name"));
    if (mlirStringRefEqual(mlirStringAttrGetValue(name),
                           str("__transform_main")))
      return op;
    if (!first.ptr)
      first = op;
  }
  return first;
}

MlirLogicalResult tvm_schedule_apply(MlirModule schedule, MlirModule payload) {
  MlirOperation root = find_entry(schedule);
  MlirOperation module = mlirModuleGetOperation(schedule);
  if (!root.ptr)
    return tvm_emit_error(mlirOperationGetLocation(module),
                          "the schedule has no transform.named_sequence");
  MlirTransformOptions options = mlirTransformOptionsCreate();
  MlirLogicalResult ok = mlirTransformApplyNamedSequence(
      mlirModuleGetOperation(payload), root, module, options);
  mlirTransformOptionsDestroy(options);
  return ok;
}

MlirLogicalResult tvm_schedule_apply_named(const char *name,
                                           MlirModule payload) {
  MlirModule schedule = tvm_schedule_parse(mlirModuleGetContext(payload), name);
  MlirLogicalResult ok = tvm_schedule_apply(schedule, payload);
  mlirModuleDestroy(schedule);
  return ok;
}
