/* dialect.c - load the dialect with its verifiers and folds. */
#include "graph/graph.h"
#include "graph/verify.h"

extern const char tvm_graph_irdl[];
extern const size_t tvm_graph_irdl_size;

/* A reshape, broadcast, cast ... to the type it starts from is nothing. */
static MlirLogicalResult fold_same_type(MlirOperation op, intptr_t n,
                                        MlirAttribute *operands,
                                        tvm_seam_fold_push push, void *sink) {
  (void)n, (void)operands;
  MlirValue x = tvm_operand(op, 0);
  if (!mlirTypeEqual(mlirValueGetType(x), mlirValueGetType(tvm_result(op, 0))))
    return mlirLogicalResultFailure();
  push(sink, mlirAttributeGetNull(), x);
  return mlirLogicalResultSuccess();
}

static bool is_identity(MlirOperation op) {
  intptr_t n = tvm_get_i64s_size(op, "permutation");
  for (intptr_t i = 0; i < n; ++i)
    if (tvm_get_i64s(op, "permutation", i) != i)
      return false;
  return true;
}

/* The identity, or the inverse of the transpose before it. */
static MlirLogicalResult fold_transpose(MlirOperation op, intptr_t n,
                                        MlirAttribute *operands,
                                        tvm_seam_fold_push push, void *sink) {
  (void)n, (void)operands;
  MlirValue x = tvm_operand(op, 0);
  if (is_identity(op)) {
    push(sink, mlirAttributeGetNull(), x);
    return mlirLogicalResultSuccess();
  }
  MlirOperation before = tvm_defining_op(x);
  if (!tvm_op_is(before, "graph.transpose"))
    return mlirLogicalResultFailure();
  for (intptr_t i = 0; i < tvm_get_i64s_size(op, "permutation"); ++i) {
    intptr_t middle = (intptr_t)tvm_get_i64s(op, "permutation", i);
    if (tvm_get_i64s(before, "permutation", middle) != i)
      return mlirLogicalResultFailure();
  }
  push(sink, mlirAttributeGetNull(), tvm_operand(before, 0));
  return mlirLogicalResultSuccess();
}

static bool all_are(MlirOperation op, const char *name, int64_t value) {
  for (intptr_t i = 0; i < tvm_get_i64s_size(op, name); ++i)
    if (tvm_get_i64s(op, name, i) != value)
      return false;
  return true;
}

/* Forward alone, and all of it. */
static MlirLogicalResult fold_slice(MlirOperation op, intptr_t n,
                                    MlirAttribute *operands,
                                    tvm_seam_fold_push push, void *sink) {
  if (!all_are(op, "steps", 1))
    return mlirLogicalResultFailure();
  return fold_same_type(op, n, operands, push, sink);
}

static MlirLogicalResult fold_pad(MlirOperation op, intptr_t n,
                                  MlirAttribute *operands,
                                  tvm_seam_fold_push push, void *sink) {
  if (!all_are(op, "low", 0) || !all_are(op, "high", 0))
    return mlirLogicalResultFailure();
  return fold_same_type(op, n, operands, push, sink);
}

static MlirLogicalResult fold_concat(MlirOperation op, intptr_t n,
                                     MlirAttribute *operands,
                                     tvm_seam_fold_push push, void *sink) {
  if (n != 1)
    return mlirLogicalResultFailure();
  return fold_same_type(op, n, operands, push, sink);
}

static const struct {
  const char *name;
  tvm_seam_op_hooks hooks;
} SPECIAL[] = {
    {"graph.reshape", {tvm_graph_verify_operator, fold_same_type}},
    {"graph.broadcast", {tvm_graph_verify_operator, fold_same_type}},
    {"graph.cast", {tvm_graph_verify_operator, fold_same_type}},
    {"graph.transpose", {tvm_graph_verify_operator, fold_transpose}},
    {"graph.slice", {tvm_graph_verify_operator, fold_slice}},
    {"graph.pad", {tvm_graph_verify_operator, fold_pad}},
    {"graph.concat", {tvm_graph_verify_operator, fold_concat}},
    {"graph.fused", {tvm_graph_verify_fused, NULL}},
    {"graph.yield", {tvm_graph_verify_yield, NULL}},
};

static const tvm_seam_op_hooks *find_hooks(MlirStringRef op) {
  static const tvm_seam_op_hooks common = {tvm_graph_verify_operator, NULL};
  for (size_t i = 0; i < sizeof SPECIAL / sizeof *SPECIAL; ++i)
    if (mlirStringRefEqual(op, mlirStringRefCreateFromCString(SPECIAL[i].name)))
      return &SPECIAL[i].hooks;
  return tvm_graph_find_operator(op) ? &common : NULL;
}

void tvm_graph_register_dialect(MlirDialectRegistry registry) {
  tvm_seam_register_irdl(
      registry, "graph",
      mlirStringRefCreate(tvm_graph_irdl, tvm_graph_irdl_size), find_hooks);
}
