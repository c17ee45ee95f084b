/* compile.c - a te-level module to a native library: every kernel on its own,
 * then the host program, then the linker. */
#include "llvm/llvm.h"

#include "base/value_set.h"
#include "te_to_linalg/te_to_linalg.h"
#include "llvm/count_flops.h"
#include "llvm/emit_object.h"
#include "llvm/host_program.h"
#include "llvm/pipeline.h"
#include "llvm/schedule.h"

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
} compilation;

static void report(const compilation *c, const char *stage, int64_t done,
                   int64_t total) {
  if (c->options->progress)
    c->options->progress(c->options->user, stage, done, total);
}

static char *new_object(compilation *c) {
  if (c->count == c->capacity) {
    c->capacity = c->capacity ? 2 * c->capacity : 64;
    c->objects = realloc(c->objects, c->capacity * sizeof *c->objects);
  }
  size_t size = strlen(c->options->work_folder) + 32;
  char *path = malloc(size);
  snprintf(path, size, "%s/%zu.o", c->options->work_folder, c->count);
  return c->objects[c->count++] = path;
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

static MlirLogicalResult schedule_kernel(compilation *c, MlirModule module,
                                         tvm_llvm_packing *packing) {
  if (!c->options->schedule_path &&
      !tvm_llvm_has_pass(c->options, "tvm-schedule-kernels"))
    return tvm_llvm_lower_plainly(module);
  return tvm_llvm_schedule_kernel(module, c->options->target,
                                  c->options->schedule_path, packing);
}

static MlirLogicalResult lower_kernel(compilation *c, MlirOperation kernel,
                                      MlirModule module) {
  MlirOperation op = mlirModuleGetOperation(module);
  MlirOperation program = mlirModuleGetOperation(c->module);
  tvm_llvm_packing packing = {
      .operand = -1, .constants = tvm_llvm_constant_operands(program, kernel)};
  if (mlirLogicalResultIsFailure(tvm_lower_te_compute(op)) ||
      mlirLogicalResultIsFailure(schedule_kernel(c, module, &packing)))
    return mlirLogicalResultFailure();
  if (packing.operand >= 0 && mlirLogicalResultIsFailure(tvm_llvm_pack_operand(
                                  program, kernel, &packing)))
    return mlirLogicalResultFailure();
  return tvm_llvm_lower_kernel(module, kernel);
}

static MlirLogicalResult compile_kernel(compilation *c, MlirOperation kernel) {
  MlirStringRef name = tvm_get_str(kernel, "sym_name");
  MlirModule module = tvm_llvm_clone_kernel(kernel);
  MlirLogicalResult ok = lower_kernel(c, kernel, module);
  if (mlirLogicalResultIsSuccess(ok)) {
    LLVMModuleRef llvm =
        tvm_llvm_translate_kernel(module, name, c->context, c->options->target);
    ok = llvm ? add_part(c, llvm, mlirOperationGetLocation(kernel))
              : mlirLogicalResultFailure();
  }
  mlirModuleDestroy(module);
  return ok;
}

static int64_t count_kernels(MlirBlock body) {
  int64_t n = 0;
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op))
    n += tvm_op_is(op, "te.kernel");
  return n;
}

static MlirLogicalResult compile_kernels(compilation *c) {
  MlirBlock body = mlirModuleGetBody(c->module);
  int64_t total = count_kernels(body), done = 0;
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (!tvm_op_is(op, "te.kernel"))
      continue;
    report(c, "kernels", done++, total);
    tvm_llvm_count_flops(op);
    if (mlirLogicalResultIsFailure(compile_kernel(c, op)))
      return mlirLogicalResultFailure();
  }
  report(c, "kernels", total, total);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult compile_host(compilation *c) {
  MlirOperation module = mlirModuleGetOperation(c->module);
  if (mlirLogicalResultIsFailure(tvm_llvm_plan_memory(module)))
    return mlirLogicalResultFailure();
  size_t size = strlen(c->options->work_folder) + 32;
  char *weights = malloc(size);
  snprintf(weights, size, "%s/weights.bin", c->options->work_folder);
  report(c, "weights", 0, 1);
  LLVMModuleRef llvm = tvm_llvm_build_host_program(
      module, c->context, c->options->target->name, weights, is_textual(c));
  MlirLogicalResult ok =
      llvm ? add_part(c, llvm, c->location) : mlirLogicalResultFailure();
  report(c, "weights", 1, 1);
  free(weights);
  return ok;
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
    ok = is_textual(&c)
             ? tvm_llvm_emit_file(c.whole, c.machine, output_path,
                                  options->form, c.location)
             : tvm_llvm_link(c.count, c.objects, output_path,
                             options->form == TVM_LLVM_SHARED, c.location);
    report(&c, "link", 1, 1);
  }
  for (size_t i = 0; i < c.count; ++i)
    free(c.objects[i]);
  free(c.objects);
  if (c.whole)
    LLVMDisposeModule(c.whole);
  LLVMContextDispose(c.context);
  LLVMDisposeTargetMachine(c.machine);
  return ok;
}
