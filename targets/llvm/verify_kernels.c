/* verify_kernels.c - the numbers of each launch before and after scheduling.
 *
 * The program is compiled twice, with plain loops and as the options say. Both
 * have the same launches. Before each launch of the scheduled one the plain
 * kernel runs on the same numbers, in the memory that it has in its program:
 * each has its own plan, its own in-place results, and weights packed as it
 * wants them. */
#include "llvm/verify_internal.h"

#include "base/value_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANK = 32 };

/* What the plain program launched. */
typedef struct {
  MlirOperation op; /* te.launch */
  tvm_kernel_fn kernel;
  int64_t grid;
  void **buffers; /* operands, results, maybe workspace */
} launch;

typedef struct {
  MlirModule module; /* with the launches; compiled with plain loops */
  tvm_llvm_library plain, scheduled;
  launch *launches;
  size_t count;
  char text[512];   /* about the first that differs; empty when none did */
  MlirOperation at; /* its kernel */
} inspection;

/* --- memory ---------------------------------------------------------------
 */

static bool is_inside(const void *p, const void *start, uint64_t bytes) {
  return (uintptr_t)p >= (uintptr_t)start &&
         (uintptr_t)p < (uintptr_t)start + bytes;
}

/* Weights stand elsewhere. */
static bool is_program_memory(const tvm_llvm_library *l, const void *p) {
  const tvm_model *m = l->model;
  bool inside = is_inside(p, l->arena, m->arena_bytes);
  for (int32_t i = 0; i < m->num_inputs; ++i)
    inside |= is_inside(p, l->io[i], m->inputs[i].bytes);
  for (int32_t i = 0; i < m->num_outputs; ++i)
    inside |= is_inside(p, l->io[m->num_inputs + i], m->outputs[i].bytes);
  return inside;
}

/* --- results --------------------------------------------------------------
 */

static tvm_model_type model_type(MlirType element) {
  tvm_model_type t = {.bits = (uint8_t)(8 * tvm_element_bytes(element)),
                      .lanes = 1};
  if (!mlirTypeIsAInteger(element))
    t.code = mlirTypeIsABF16(element) ? 4 : 2;
  else if (mlirIntegerTypeGetWidth(element) == 1)
    t.code = 6;
  else
    t.code = mlirIntegerTypeIsUnsigned(element);
  return t;
}

static MlirOperation find_kernel(const inspection *n, MlirOperation launch_op) {
  MlirStringRef name =
      mlirFlatSymbolRefAttrGetValue(tvm_get_attr(launch_op, "kernel"));
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(n->module));
  while (op.ptr && !(tvm_op_is(op, "te.kernel") &&
                     mlirStringRefEqual(tvm_get_str(op, "sym_name"), name)))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

/* The strided layout of argument `i`, or null. */
static MlirAttribute layout_of(MlirOperation kernel, intptr_t i) {
  MlirAttribute none = {0}, all = tvm_get_attr(kernel, "layouts");
  if (!all.ptr)
    return none;
  MlirAttribute layout = mlirArrayAttrGetElement(all, i);
  return mlirAttributeIsAStridedLayout(layout) ? layout : none;
}

/* Copy the elements of a result, wherever they stand, into a dense one. */
static void gather(const tvm_model_tensor *t, MlirAttribute layout,
                   const char *from, char *to) {
  size_t bytes = t->type.bits / 8u;
  int64_t index[MAX_RANK] = {0}, place = 0, strides[MAX_RANK];
  if (!layout.ptr) {
    memcpy(to, from, t->bytes);
    return;
  }
  from += mlirStridedLayoutAttrGetOffset(layout) * (int64_t)bytes;
  for (int32_t d = 0; d < t->rank; ++d)
    strides[d] = mlirStridedLayoutAttrGetStride(layout, d);
  for (const char *end = to + t->bytes; to < end; to += bytes) {
    memcpy(to, from + place * (int64_t)bytes, bytes);
    for (int32_t d = t->rank; d-- > 0;) {
      place += strides[d];
      if (++index[d] < t->shape[d])
        break;
      place -= strides[d] * index[d];
      index[d] = 0;
    }
  }
}

/* The results of a launch, one after the other; malloc'ed. */
static char *gather_results(const inspection *n, const launch *l,
                            void *const *buffers) {
  MlirOperation kernel = find_kernel(n, l->op);
  intptr_t n_inputs = mlirOperationGetNumOperands(l->op);
  char *all = NULL;
  size_t size = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(l->op); ++i) {
    MlirType type = mlirValueGetType(tvm_result(l->op, i));
    int64_t shape[MAX_RANK];
    tvm_model_tensor t = {.type =
                              model_type(mlirShapedTypeGetElementType(type)),
                          .rank = (int32_t)mlirShapedTypeGetRank(type),
                          .shape = shape};
    for (int32_t d = 0; d < t.rank; ++d)
      shape[d] = mlirShapedTypeGetDimSize(type, d);
    t.bytes = (uint64_t)tvm_num_elements(type) * (t.type.bits / 8u);
    all = realloc(all, size + t.bytes + 1);
    gather(&t, layout_of(kernel, n_inputs + i), buffers[n_inputs + i],
           all + size);
    size += t.bytes;
  }
  return all;
}

static bool compare_results(inspection *n, const launch *l, const char *plain,
                            const char *scheduled) {
  size_t at = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(l->op); ++i) {
    MlirType type = mlirValueGetType(tvm_result(l->op, i));
    int64_t shape[MAX_RANK];
    tvm_model_tensor t = {.type =
                              model_type(mlirShapedTypeGetElementType(type)),
                          .rank = (int32_t)mlirShapedTypeGetRank(type),
                          .shape = shape};
    for (int32_t d = 0; d < t.rank; ++d)
      shape[d] = mlirShapedTypeGetDimSize(type, d);
    t.bytes = (uint64_t)tvm_num_elements(type) * (t.type.bits / 8u);
    char text[400];
    if (!tvm_compare_numbers(&t, plain + at, scheduled + at, text,
                             sizeof text)) {
      snprintf(n->text, sizeof n->text, "result %d%s", (int)i, text);
      n->at = find_kernel(n, l->op);
      return false;
    }
    at += t.bytes;
  }
  return true;
}

/* --- launches -------------------------------------------------------------
 */

static intptr_t num_buffers(const inspection *n, const launch *l) {
  bool workspace =
      tvm_get_i64(find_kernel(n, l->op), "tvm.workspace_bytes") > 0;
  return mlirOperationGetNumOperands(l->op) +
         mlirOperationGetNumResults(l->op) + workspace;
}

static void record_launch(void *user, int32_t index, tvm_kernel_fn kernel,
                          void *const *buffers, int64_t grid) {
  inspection *n = user;
  launch *l = &n->launches[index];
  size_t size = (size_t)num_buffers(n, l) * sizeof *l->buffers;
  l->kernel = kernel;
  l->grid = grid;
  l->buffers = malloc(size + 1);
  memcpy(l->buffers, buffers, size);
  kernel(buffers, 0, grid);
}

/* From where an argument starts to its last element. */
static size_t span_bytes(MlirValue v, MlirAttribute layout) {
  MlirType type = mlirValueGetType(v);
  int64_t bytes = tvm_element_bytes(mlirShapedTypeGetElementType(type));
  if (!layout.ptr)
    return (size_t)(tvm_num_elements(type) * bytes);
  int64_t last = mlirStridedLayoutAttrGetOffset(layout);
  for (intptr_t d = 0; d < tvm_rank(v); ++d)
    last += mlirStridedLayoutAttrGetStride(layout, d) * (tvm_dim(v, d) - 1);
  return (size_t)((last + 1) * bytes);
}

/* Give the plain kernel the numbers that the scheduled one is about to read. */
static void copy_operands(const inspection *n, const launch *l,
                          void *const *buffers) {
  MlirOperation kernel = find_kernel(n, l->op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(l->op); ++i)
    if (is_program_memory(&n->scheduled, buffers[i]))
      memcpy(l->buffers[i], buffers[i],
             span_bytes(tvm_operand(l->op, i), layout_of(kernel, i)));
}

static void check_launch(void *user, int32_t index, tvm_kernel_fn kernel,
                         void *const *buffers, int64_t grid) {
  inspection *n = user;
  const launch *l = &n->launches[index];
  if (n->text[0])
    return; /* one is enough */
  copy_operands(n, l, buffers);
  l->kernel(l->buffers, 0, l->grid);
  kernel(buffers, 0, grid);
  char *plain = gather_results(n, l, l->buffers);
  char *scheduled = gather_results(n, l, buffers);
  compare_results(n, l, plain, scheduled);
  free(plain);
  free(scheduled);
}

static void list_launches(inspection *n) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(
      tvm_find_function(mlirModuleGetOperation(n->module), "main"), 0));
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (!tvm_op_is(op, "te.launch"))
      continue;
    n->launches = realloc(n->launches, (n->count + 1) * sizeof *n->launches);
    n->launches[n->count++] = (launch){.op = op};
  }
}

static MlirLogicalResult inspect(inspection *n,
                                 const tvm_llvm_numerics *numerics) {
  tvm_host record = {.user = n, .launch = record_launch};
  tvm_host check = {.user = n, .launch = check_launch};
  tvm_llvm_copy_inputs(numerics, &n->plain);
  tvm_llvm_copy_inputs(numerics, &n->scheduled);
  tvm_llvm_library_run(&n->plain, &record);
  tvm_llvm_library_run(&n->scheduled, &check);
  if (!n->text[0]) /* the numbers may differ elsewhere: in a border */
    return tvm_llvm_verify_run(numerics, &n->scheduled, "tvm-schedule-kernels");
  MlirStringRef name = tvm_get_str(n->at, "sym_name");
  return tvm_emit_error(mlirOperationGetLocation(n->at),
                        "numbers differ in the scheduled kernel '%.*s': %s",
                        (int)name.length, name.data, n->text);
}

static MlirModule clone_module(MlirModule module) {
  return mlirModuleFromOperation(
      mlirOperationClone(mlirModuleGetOperation(module)));
}

static int64_t count_kernels(MlirModule module) {
  int64_t n = 0;
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  for (; op.ptr; op = mlirOperationGetNextInBlock(op))
    n += tvm_op_is(op, "te.kernel");
  return n;
}

static void finish(inspection *n) {
  tvm_llvm_library_finish(&n->plain);
  tvm_llvm_library_finish(&n->scheduled);
  for (size_t i = 0; i < n->count; ++i)
    free(n->launches[i].buffers);
  free(n->launches);
  mlirModuleDestroy(n->module);
}

MlirLogicalResult tvm_llvm_verify_kernels(tvm_llvm_numerics *numerics,
                                          MlirModule module,
                                          const tvm_llvm_options *options) {
  if (options->progress)
    options->progress(options->user, "kernels against plain loops", 0, 1);
  tvm_llvm_options plain = tvm_llvm_plain_options(options);
  MlirModule scheduled = clone_module(module); /* each packs its constants */
  inspection n = {.module = clone_module(module)};
  list_launches(&n);
  MlirLogicalResult ok =
      tvm_llvm_build_and_load(n.module, &plain, "plain", &n.plain);
  if (mlirLogicalResultIsSuccess(ok))
    ok = tvm_llvm_build_and_load(scheduled, options, "scheduled", &n.scheduled);
  if (mlirLogicalResultIsSuccess(ok))
    ok = inspect(&n, numerics);
  numerics->verified.kernels = count_kernels(module);
  finish(&n);
  mlirModuleDestroy(scheduled);
  return ok;
}
