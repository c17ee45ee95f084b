/* verify_numerics.c - numbers before and after each graph-level pass.
 *
 * A copy of the program is lowered without any optimization at each stage, and
 * runs here on the same inputs. Weights are what they are. A stage that leaves
 * the text of the program as it was is not run. */
#include "llvm/verify_internal.h"

#include "llvm/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const everything[] = {"all"};

static uint64_t hash_text(uint64_t h, const char *data, size_t n) {
  for (size_t i = 0; i < n; ++i)
    h = (h ^ (unsigned char)data[i]) * 0x100000001b3u; /* FNV-1a */
  return h;
}

static void hash_piece(MlirStringRef piece, void *user) {
  uint64_t *h = user;
  *h = hash_text(*h, piece.data, piece.length);
}

/* Of the text, large constants by name. */
static uint64_t hash_module(MlirModule module) {
  uint64_t h = 0xcbf29ce484222325u;
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsElideLargeElementsAttrs(flags, 4096);
  mlirOpPrintingFlagsElideLargeResourceString(flags, 0);
  mlirOpPrintingFlagsAssumeVerified(flags);
  mlirOperationPrintWithFlags(mlirModuleGetOperation(module), flags, hash_piece,
                              &h);
  mlirOpPrintingFlagsDestroy(flags);
  return h;
}

static MlirOperation find_call(MlirBlock body) {
  MlirOperation op = mlirBlockGetFirstOperation(body);
  while (op.ptr && !tvm_op_is(op, "func.call"))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

/* Put @constants in the place of its call. */
static void inline_constants(MlirOperation module) {
  MlirOperation func = tvm_find_function(module, "constants");
  MlirOperation main_func = tvm_find_function(module, "main");
  if (!func.ptr)
    return;
  MlirBlock to = mlirRegionGetFirstBlock(mlirOperationGetRegion(main_func, 0));
  MlirBlock from = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirOperation call = find_call(to), ret = mlirBlockGetTerminator(from);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i)
    mlirValueReplaceAllUsesOfWith(tvm_result(call, i), tvm_operand(ret, i));
  MlirOperation next, op = mlirBlockGetFirstOperation(from);
  for (; !mlirOperationEqual(op, ret); op = next) {
    next = mlirOperationGetNextInBlock(op);
    mlirOperationRemoveFromParent(op);
    mlirBlockInsertOwnedOperationBefore(to, call, op);
  }
  mlirOperationDestroy(call);
  mlirOperationDestroy(func);
}

MlirLogicalResult tvm_llvm_build_and_load(MlirModule module,
                                          const tvm_llvm_options *options,
                                          const char *name,
                                          tvm_llvm_library *out_library) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.so", options->work_folder, name);
  tvm_llvm_options quiet = *options;
  quiet.form = TVM_LLVM_SHARED;
  quiet.numerics = NULL;
  quiet.progress = NULL;
  *out_library = (tvm_llvm_library){0};
  MlirLogicalResult ok = tvm_llvm_compile(module, path, &quiet);
  if (mlirLogicalResultIsSuccess(ok))
    ok = tvm_llvm_library_init(
        out_library, path,
        mlirOperationGetLocation(mlirModuleGetOperation(module)));
  unlink(path);
  return ok;
}

tvm_llvm_options tvm_llvm_plain_options(const tvm_llvm_options *options) {
  tvm_llvm_options plain = *options;
  plain.schedule_path = NULL;
  plain.num_disabled_passes = 1;
  plain.disabled_passes = everything;
  plain.numerics = NULL;
  return plain;
}

/* The program by plain loops. Leaves `module` alone. */
static MlirLogicalResult build(tvm_llvm_numerics *n, MlirModule module,
                               tvm_llvm_library *out_library) {
  char name[32]; /* one for each: the loader takes equal paths for one file */
  snprintf(name, sizeof name, "stage%d", n->builds++);
  MlirModule copy = mlirModuleFromOperation(
      mlirOperationClone(mlirModuleGetOperation(module)));
  inline_constants(mlirModuleGetOperation(copy));
  tvm_llvm_options plain = tvm_llvm_plain_options(&n->options);
  plain.cache = n->cache;
  MlirLogicalResult ok = tvm_llvm_lower_graph(copy, &plain);
  if (mlirLogicalResultIsSuccess(ok)) {
    tvm_llvm_name_kernels_by_content(copy);
    ok = tvm_llvm_build_and_load(copy, &plain, name, out_library);
  }
  mlirModuleDestroy(copy);
  return ok;
}

/* Small integers suit most index inputs; zero is in any table. */
static const char *run_reference(tvm_llvm_library *r) {
  const char *complaint = NULL;
  for (int64_t limit = 3; limit >= 0; limit -= 3) {
    uint64_t state = 88172645463325252u;
    for (int32_t i = 0; i < r->model->num_inputs; ++i)
      tvm_fill_numbers(&r->model->inputs[i], r->io[i], TVM_NUMBERS_SYMMETRIC,
                       limit, &state);
    complaint = tvm_llvm_library_run(r, NULL);
    if (!complaint)
      break;
  }
  return complaint;
}

tvm_llvm_numerics *tvm_llvm_numerics_create(MlirModule module,
                                            const tvm_llvm_options *options) {
  tvm_llvm_numerics *n = calloc(1, sizeof *n);
  n->options = *options;
  n->cache = tvm_llvm_kernel_cache_create();
  n->location = mlirOperationGetLocation(mlirModuleGetOperation(module));
  n->hash = hash_module(module);
  MlirLogicalResult ok = build(n, module, &n->reference);
  const char *complaint =
      mlirLogicalResultIsSuccess(ok) ? run_reference(&n->reference) : NULL;
  if (complaint)
    ok = tvm_emit_error(n->location,
                        "numbers cannot be verified: the model refuses random "
                        "inputs: %s",
                        complaint);
  if (mlirLogicalResultIsSuccess(ok))
    return n;
  tvm_llvm_numerics_destroy(n);
  return NULL;
}

void tvm_llvm_numerics_destroy(tvm_llvm_numerics *n) {
  if (!n)
    return;
  tvm_llvm_library_finish(&n->reference);
  tvm_llvm_kernel_cache_destroy(n->cache);
  free(n);
}

tvm_llvm_verified tvm_llvm_numerics_count(const tvm_llvm_numerics *n) {
  return n->verified;
}

static MlirLogicalResult compare_outputs(const tvm_llvm_numerics *n,
                                         const tvm_llvm_library *got,
                                         const char *stage) {
  const tvm_model *m = n->reference.model;
  for (int32_t i = 0; i < m->num_outputs; ++i) {
    char text[512];
    int32_t at = m->num_inputs + i;
    if (!tvm_compare_numbers(&m->outputs[i], n->reference.io[at], got->io[at],
                             text, sizeof text))
      return tvm_emit_error(n->location,
                            "numbers differ after '%s': output '%s'%s", stage,
                            m->outputs[i].name, text);
  }
  return mlirLogicalResultSuccess();
}

void tvm_llvm_copy_inputs(const tvm_llvm_numerics *n,
                          const tvm_llvm_library *to) {
  const tvm_model *m = n->reference.model;
  for (int32_t i = 0; i < m->num_inputs; ++i)
    memcpy(to->io[i], n->reference.io[i], m->inputs[i].bytes);
}

MlirLogicalResult tvm_llvm_verify_run(const tvm_llvm_numerics *n,
                                      const tvm_llvm_library *got,
                                      const char *stage) {
  tvm_llvm_copy_inputs(n, got);
  const char *complaint = tvm_llvm_library_run(got, NULL);
  return complaint ? tvm_emit_error(n->location,
                                    "after '%s' the program refuses its "
                                    "inputs: %s",
                                    stage, complaint)
                   : compare_outputs(n, got, stage);
}

MlirLogicalResult tvm_llvm_verify_stage(tvm_llvm_numerics *n, MlirModule module,
                                        const char *stage) {
  uint64_t hash = hash_module(module);
  if (hash == n->hash)
    return mlirLogicalResultSuccess();
  n->hash = hash;
  if (n->options.progress)
    n->options.progress(n->options.user, stage, 0, 1);
  tvm_llvm_library got;
  MlirLogicalResult ok = build(n, module, &got);
  if (mlirLogicalResultIsSuccess(ok))
    ok = tvm_llvm_verify_run(n, &got, stage);
  tvm_llvm_library_finish(&got);
  n->verified.passes += mlirLogicalResultIsSuccess(ok);
  return ok;
}
