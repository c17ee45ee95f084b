/* compile.c - a te-level module to a native library: every kernel on its own,
 * then the host program, then the linker. */
#include "llvm/llvm.h"

#include "base/value_set.h"
#include "llvm/host_program.h"
#include "llvm/kernel_cache.h"
#include "llvm/kernel_facts.h"
#include "llvm/kernel_workers.h"
#include "llvm/model_tables.h"
#include "llvm/pipeline.h"

#include <llvm-c/Linker.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  MlirModule module;
  const tvm_llvm_options *options;
  LLVMTargetMachineRef machine;
  LLVMContextRef context;
  MlirLocation location;
  LLVMModuleRef whole; /* every kernel and the host program, textual forms */
  char **objects;
  size_t count, capacity;
  tvm_llvm_kernel_job *jobs;
  size_t num_jobs;
} compilation;

static void report(const compilation *c, const char *stage, int64_t done,
                   int64_t total) {
  if (c->options->progress)
    c->options->progress(c->options->user, stage, done, total);
}

static char *add_object(compilation *c, MlirStringRef stem) {
  if (c->count == c->capacity) {
    c->capacity = c->capacity ? 2 * c->capacity : 64;
    c->objects = realloc(c->objects, c->capacity * sizeof *c->objects);
  }
  size_t size = strlen(c->options->work_folder) + stem.length + 8;
  char *path = malloc(size);
  snprintf(path, size, "%s/%.*s.o", c->options->work_folder, (int)stem.length,
           stem.data);
  return c->objects[c->count++] = path;
}

static char *new_object(compilation *c) {
  char number[32];
  snprintf(number, sizeof number, "%zu", c->count);
  return add_object(c, mlirStringRefCreateFromCString(number));
}

static bool is_textual(const compilation *c) {
  return c->options->form == TVM_LLVM_ASSEMBLY ||
         c->options->form == TVM_LLVM_IR;
}

/* Assemble one part of the program, or put it with the others. */
static MlirLogicalResult add_part(compilation *c, LLVMModuleRef owned_part,
                                  MlirLocation location) {
  if (is_textual(c)) {
    if (!c->whole) {
      c->whole = owned_part;
      return mlirLogicalResultSuccess();
    }
    if (!LLVMLinkModules2(c->whole, owned_part))
      return mlirLogicalResultSuccess();
    return tvm_emit_error(location, "cannot merge the parts of the program");
  }
  MlirLogicalResult ok = tvm_llvm_emit_file(
      owned_part, c->machine, new_object(c), TVM_LLVM_OBJECT, location);
  LLVMDisposeModule(owned_part);
  return ok;
}

static int64_t count_kernels(MlirBlock body) {
  int64_t n = 0;
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op))
    n += tvm_op_is(op, "te.kernel");
  return n;
}

static tvm_llvm_kernel_job describe_job(compilation *c, MlirOperation kernel) {
  bool plain = !tvm_llvm_has_pass(c->options, "tvm-schedule-kernels");
  return (tvm_llvm_kernel_job){
      .kernel = kernel,
      .target = c->options->target,
      .schedule_path = c->options->schedule_path,
      .object_path = is_textual(c) ? NULL
                     : c->options->cache
                         ? add_object(c, tvm_get_str(kernel, "sym_name"))
                         : new_object(c),
      .effort = plain ? TVM_SCHEDULE_PLAIN : TVM_SCHEDULE_BLOCKED,
      .packing.constants = tvm_kernel_get_fact(kernel, TVM_CONSTANT_OPERANDS)};
}

static void report_kernels(void *user, size_t done) {
  compilation *c = user;
  report(c, "kernels", (int64_t)done, (int64_t)c->num_jobs);
}

static MlirLogicalResult build_here(compilation *c) {
  MlirLogicalResult ok = mlirLogicalResultSuccess();
  for (size_t i = 0; i < c->num_jobs && mlirLogicalResultIsSuccess(ok); ++i) {
    tvm_llvm_kernel_job *job = &c->jobs[i];
    report_kernels(c, i);
    if (!is_textual(c)) {
      ok = tvm_llvm_build_object(job);
      continue;
    }
    LLVMModuleRef llvm = tvm_llvm_build_kernel(job, c->context);
    ok = llvm ? add_part(c, llvm, mlirOperationGetLocation(job->kernel))
              : mlirLogicalResultFailure();
  }
  return ok;
}

static void set_number(MlirOperation op, const char *name, int64_t value) {
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(op), 64);
  mlirOperationSetDiscardableAttributeByName(
      op, mlirStringRefCreateFromCString(name), mlirIntegerAttrGet(i64, value));
}

static void set_in_place(const tvm_llvm_kernel_job *job) {
  int64_t operands[TVM_MAX_IN_PLACE];
  for (int i = 0; i < job->n_in_place; ++i)
    operands[i] = job->in_place[i];
  if (job->n_in_place)
    mlirOperationSetDiscardableAttributeByName(
        job->kernel, mlirStringRefCreateFromCString(TVM_IN_PLACE),
        mlirDenseI64ArrayGet(mlirOperationGetContext(job->kernel),
                             job->n_in_place, operands));
}

/* What the rest of the program must know of a kernel. */
static MlirLogicalResult use_kernel(compilation *c,
                                    const tvm_llvm_kernel_job *job) {
  set_number(job->kernel, "tvm.grid", job->grid);
  set_number(job->kernel, "tvm.workspace_bytes", job->workspace_bytes);
  set_number(job->kernel, "tvm.flops", job->flops);
  set_in_place(job);
  if (job->packing.operand < 0)
    return mlirLogicalResultSuccess();
  return tvm_llvm_pack_operand(mlirModuleGetOperation(c->module), job->kernel,
                               &job->packing);
}

/* First those to build, then those that an earlier compilation has built.
 * Returns the number of the former. */
static size_t describe_jobs(compilation *c) {
  MlirBlock body = mlirModuleGetBody(c->module);
  c->jobs = calloc((size_t)count_kernels(body) + 1, sizeof *c->jobs);
  tvm_llvm_mark_constant_operands(mlirModuleGetOperation(c->module));
  if (tvm_llvm_has_pass(c->options, "tvm-write-in-place"))
    tvm_llvm_mark_lifetimes(mlirModuleGetOperation(c->module));
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op))
    if (tvm_op_is(op, "te.kernel"))
      c->jobs[c->num_jobs++] = describe_job(c, op);
  size_t count = c->num_jobs;
  for (size_t i = 0; c->options->cache && i < count;) {
    if (!tvm_llvm_kernel_cache_get(c->options->cache, &c->jobs[i])) {
      ++i;
      continue;
    }
    tvm_llvm_kernel_job known = c->jobs[i];
    c->jobs[i] = c->jobs[--count];
    c->jobs[count] = known;
  }
  return count;
}

static MlirLogicalResult compile_kernels(compilation *c) {
  size_t count = describe_jobs(c), all = c->num_jobs;
  tvm_llvm_workers *workers = c->options->workers;
  c->num_jobs = count;
  MlirLogicalResult ok =
      workers && !is_textual(c) && tvm_llvm_workers_are_available(workers)
          ? tvm_llvm_workers_build(workers, count, c->jobs, report_kernels, c)
          : build_here(c);
  c->num_jobs = all;
  for (size_t i = 0; i < all && mlirLogicalResultIsSuccess(ok); ++i) {
    if (c->options->cache && i < count)
      tvm_llvm_kernel_cache_put(c->options->cache, &c->jobs[i]);
    ok = use_kernel(c, &c->jobs[i]);
  }
  report_kernels(c, c->num_jobs);
  return ok;
}

static MlirLogicalResult compile_host(compilation *c) {
  MlirOperation module = mlirModuleGetOperation(c->module);
  if (mlirLogicalResultIsFailure(
          tvm_llvm_plan_memory(module, c->options->target)))
    return mlirLogicalResultFailure();
  size_t size = strlen(c->options->work_folder) + 32;
  char *weights = malloc(size);
  snprintf(weights, size, "%s/weights.bin", c->options->work_folder);
  report(c, "weights", 0, 1);
  LLVMModuleRef llvm = tvm_llvm_build_host_program(
      module, c->context, c->options->target->name, weights, is_textual(c));
  if (llvm && *c->options->target->level)
    tvm_llvm_tables_emit_level(llvm, c->options->target->level);
  MlirLogicalResult ok =
      llvm ? add_part(c, llvm, c->location) : mlirLogicalResultFailure();
  report(c, "weights", 1, 1);
  free(weights);
  return ok;
}

static MlirLogicalResult link_objects(compilation *c, const char *output_path) {
  const tvm_llvm_options *options = c->options;
  LLVMModuleRef half = tvm_llvm_build_half(c->context);
  if (!half || mlirLogicalResultIsFailure(add_part(c, half, c->location)))
    return mlirLogicalResultFailure();
  bool shared = options->form == TVM_LLVM_SHARED;
  char libm[4096] = "";
  if (shared && mlirLogicalResultIsFailure(tvm_llvm_find_libm(
                    options->target, c->machine, options->work_folder, libm,
                    sizeof libm, c->location)))
    return mlirLogicalResultFailure();
  return tvm_llvm_link(c->count, c->objects, output_path, shared,
                       *libm ? libm : NULL, NULL, c->location);
}

MlirLogicalResult tvm_llvm_compile(MlirModule module, const char *output_path,
                                   const tvm_llvm_options *options) {
  compilation c = {.module = module, .options = options};
  c.location = mlirOperationGetLocation(mlirModuleGetOperation(module));
  c.machine = tvm_llvm_create_machine(options->target, c.location);
  if (!c.machine)
    return mlirLogicalResultFailure();
  c.context = LLVMContextCreate();
  MlirLogicalResult ok = compile_kernels(&c);
  if (mlirLogicalResultIsSuccess(ok))
    ok = compile_host(&c);
  if (mlirLogicalResultIsSuccess(ok)) {
    report(&c, "link", 0, 1);
    ok = is_textual(&c) ? tvm_llvm_emit_file(c.whole, c.machine, output_path,
                                             options->form, c.location)
                        : link_objects(&c, output_path);
    report(&c, "link", 1, 1);
  }
  for (size_t i = 0; i < c.count; ++i)
    free(c.objects[i]);
  free(c.objects);
  free(c.jobs);
  if (c.whole)
    LLVMDisposeModule(c.whole);
  LLVMContextDispose(c.context);
  LLVMDisposeTargetMachine(c.machine);
  return ok;
}
