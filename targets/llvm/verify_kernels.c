/* verify_kernels.c - the numbers of each launch before and after scheduling.
 *
 * The program is compiled twice, with plain loops and as the options say. Both
 * have the same launches. The scheduled one runs, and at each launch the plain
 * kernel runs on the same buffers: with the strides, borders and in-place
 * results that it has there, the inputs that the plain kernels computed, and
 * weights as each of the two wants them packed. */
#include "llvm/verify_internal.h"

#include "base/value_set.h"
#include "llvm/roots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANK = 32 };

/* What the plain program launched. */
typedef struct {
  MlirOperation op; /* te.launch */
  tvm_kernel_fn kernel;
  int64_t grid;
  void **buffers; /* operands, results */
} launch;

typedef struct {
  MlirModule module; /* with the launches; compiled with plain loops */
  tvm_llvm_library plain, scheduled;
  launch *launches;
  size_t count;
  char *saved;      /* memory that a launch may write, before it did */
  char text[512];   /* about the first that differs; empty when none did */
  MlirOperation at; /* its kernel */
} inspection;

/* --- memory ---------------------------------------------------------------
 */

/* Copy what launches write: the arena, then the outputs. */
static void copy_memory(inspection *n, bool restore) {
  const tvm_model *m = n->scheduled.model;
  char *saved = n->saved;
  for (int32_t i = -1; i < m->num_outputs; ++i) {
    void *part =
        i < 0 ? n->scheduled.arena : n->scheduled.io[m->num_inputs + i];
    size_t bytes = i < 0 ? m->arena_bytes : m->outputs[i].bytes;
    memcpy(restore ? part : saved, restore ? saved : part, bytes);
    saved += bytes;
  }
}

static size_t memory_bytes(const tvm_model *m) {
  size_t bytes = m->arena_bytes;
  for (int32_t i = 0; i < m->num_outputs; ++i)
    bytes += m->outputs[i].bytes;
  return bytes;
}

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

static intptr_t num_buffers(const launch *l) {
  return mlirOperationGetNumOperands(l->op) + mlirOperationGetNumResults(l->op);
}

static void record_launch(void *user, int32_t index, tvm_kernel_fn kernel,
                          void *const *buffers, int64_t grid) {
  inspection *n = user;
  launch *l = &n->launches[index];
  size_t size = (size_t)num_buffers(l) * sizeof *l->buffers;
  l->kernel = kernel;
  l->grid = grid;
  l->buffers = malloc(size + 1);
  memcpy(l->buffers, buffers, size);
  kernel(buffers, 0, grid);
}

/* A copy of an operand that a result is written over: the plain kernel may not
 * read each element before it writes it. Null for the others. */
static void *copy_shared(const launch *l, intptr_t operand,
                         void *const *buffers) {
  intptr_t n_inputs = mlirOperationGetNumOperands(l->op);
  for (intptr_t i = n_inputs; i < num_buffers(l); ++i) {
    if (buffers[i] != buffers[operand])
      continue;
    size_t bytes = (size_t)tvm_llvm_value_bytes(tvm_operand(l->op, operand));
    void *copy = aligned_alloc(64, (bytes + 64) / 64 * 64);
    memcpy(copy, buffers[i], bytes);
    return copy;
  }
  return NULL;
}

/* On the buffers of the scheduled program, but for weights and workspace. */
static void run_plain(const inspection *n, const launch *l,
                      void *const *buffers) {
  intptr_t count = num_buffers(l);
  intptr_t n_inputs = mlirOperationGetNumOperands(l->op);
  void **mine = calloc((size_t)count + 2, sizeof *mine);
  void **copies = calloc((size_t)n_inputs + 1, sizeof *copies);
  for (intptr_t i = 0; i < count; ++i)
    mine[i] = is_program_memory(&n->scheduled, buffers[i]) ? buffers[i]
                                                           : l->buffers[i];
  for (intptr_t i = 0; i < n_inputs; ++i)
    if ((copies[i] = copy_shared(l, i, mine)))
      mine[i] = copies[i];
  size_t bytes =
      (size_t)tvm_get_i64(find_kernel(n, l->op), "tvm.workspace_bytes");
  mine[count] = aligned_alloc(64, (bytes + 64) / 64 * 64);
  l->kernel(mine, 0, l->grid);
  for (intptr_t i = 0; i < n_inputs; ++i)
    free(copies[i]);
  free(copies);
  free(mine[count]);
  free(mine);
}

static void check_launch(void *user, int32_t index, tvm_kernel_fn kernel,
                         void *const *buffers, int64_t grid) {
  inspection *n = user;
  const launch *l = &n->launches[index];
  if (n->text[0])
    return; /* one is enough */
  copy_memory(n, false);
  kernel(buffers, 0, grid);
  char *scheduled = gather_results(n, l, buffers);
  copy_memory(n, true);
  run_plain(n, l, buffers);
  char *plain = gather_results(n, l, buffers);
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
  n->saved = malloc(memory_bytes(n->scheduled.model) + 1);
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
  free(n->saved);
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
