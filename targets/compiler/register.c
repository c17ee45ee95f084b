/* register.c - all dialects and passes of the compiler, for tools. */
#include "compiler/register.h"

#include "graph/graph.h"
#include "graph_to_te/graph_to_te.h"
#include "passes/passes.h"
#include "te/te.h"
#include "te_to_linalg/te_to_linalg.h"
#include "llvm/draw_graph.h"
#include "llvm/kernel_workers.h"
#include "llvm/pipeline.h"
#include "llvm/verify_numerics.h"

#include "mlir-c/RegisterEverything.h"

#include <pthread.h>

void tvm_compiler_register_dialects(MlirDialectRegistry registry) {
  tvm_graph_register_dialect(registry);
  tvm_te_register_dialect(registry);
}

static void register_once(void) {
  mlirRegisterAllPasses();
  tvm_passes_register();
  tvm_graph_to_te_register();
  tvm_te_to_linalg_register();
  tvm_llvm_register_pipelines();
}

void tvm_compiler_register_passes(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_once);
}

static MlirLogicalResult compile(MlirModule module, const char *output_path,
                                 const tvm_llvm_options *options) {
  MlirLogicalResult ok = tvm_llvm_prepare_graph(module, options);
  if (mlirLogicalResultIsSuccess(ok)) {
    tvm_llvm_target host;
    tvm_llvm_target_get_host(&host);
    tvm_llvm_options at_compile_time = *options;
    at_compile_time.target = &host;
    at_compile_time.schedule_path = NULL;
    ok = tvm_llvm_fold_constants(module, &at_compile_time);
    if (mlirLogicalResultIsSuccess(ok) && options->numerics)
      ok = tvm_llvm_verify_stage(options->numerics, module, "constant folding");
  }
  if (mlirLogicalResultIsSuccess(ok))
    ok = tvm_llvm_lower_graph(module, options);
  if (mlirLogicalResultIsSuccess(ok) && options->numerics)
    ok = tvm_llvm_verify_kernels(options->numerics, module, options);
  if (mlirLogicalResultIsSuccess(ok))
    ok = options->form == TVM_LLVM_GRAPH
             ? tvm_llvm_draw_graph(module, output_path)
             : tvm_llvm_compile(module, output_path, options);
  return ok;
}

/* With the numbers of each pass and kernel checked. */
static MlirLogicalResult compile_verified(MlirModule module,
                                          const char *output_path,
                                          const tvm_llvm_options *options) {
  tvm_llvm_options verified = *options;
  if (!tvm_llvm_target_runs_here(options->target))
    return tvm_emit_error(
        mlirOperationGetLocation(mlirModuleGetOperation(module)),
        "cannot verify numbers: this machine does not run code for '%s'",
        options->target->name);
  verified.numerics = tvm_llvm_numerics_create(module, options);
  if (!verified.numerics)
    return mlirLogicalResultFailure();
  MlirLogicalResult ok = compile(module, output_path, &verified);
  *options->verify = tvm_llvm_numerics_count(verified.numerics);
  tvm_llvm_numerics_destroy(verified.numerics);
  return ok;
}

MlirLogicalResult tvm_compiler_compile_module(MlirModule module,
                                              const char *output_path,
                                              const tvm_llvm_options *options) {
  tvm_llvm_options with_workers = *options;
  with_workers.workers =
      tvm_llvm_workers_create(options->num_threads, options->kernel_seconds);
  MlirLogicalResult ok =
      options->verify ? compile_verified(module, output_path, &with_workers)
                      : compile(module, output_path, &with_workers);
  tvm_llvm_workers_destroy(with_workers.workers);
  return ok;
}

int tvm_compiler_serve_kernels(int socket, long parent, int seconds) {
  static void (*const dialects[])(MlirDialectRegistry) = {
      tvm_compiler_register_dialects};
  if (!tvm_llvm_prepare_worker(parent))
    return 1;
  tvm_compiler_register_passes();
  MlirContext context = tvm_context_create(1, dialects);
  tvm_llvm_serve_kernels(context, socket, seconds);
  mlirContextDestroy(context);
  return 0;
}
