/* build_kernel.c - one te.kernel to LLVM IR or an object file. */
#include "llvm/build_kernel.h"

#include "te_to_linalg/te_to_linalg.h"
#include "llvm/count_flops.h"
#include "llvm/kernel_facts.h"

static MlirLogicalResult lower(tvm_llvm_kernel_job *job, MlirModule module) {
  job->packing.operand = -1;
  if (mlirLogicalResultIsFailure(
          tvm_lower_te_compute(mlirModuleGetOperation(module))) ||
      mlirLogicalResultIsFailure(
          tvm_llvm_schedule_kernel(module, job->target, job->schedule_path,
                                   job->effort, &job->packing)) ||
      mlirLogicalResultIsFailure(tvm_llvm_lower_kernel(module, job->kernel)))
    return mlirLogicalResultFailure();
  if (!job->target->has_fma)
    tvm_llvm_split_fmas(module);
  job->grid = tvm_get_i64(job->kernel, "tvm.grid");
  job->n_in_place = (int32_t)(tvm_get_attr(job->kernel, TVM_IN_PLACE).ptr
                                  ? tvm_get_i64s_size(job->kernel, TVM_IN_PLACE)
                                  : 0);
  for (int i = 0; i < job->n_in_place; ++i)
    job->in_place[i] = (int32_t)tvm_get_i64s(job->kernel, TVM_IN_PLACE, i);
  job->workspace_bytes = tvm_get_i64(job->kernel, "tvm.workspace_bytes");
  return mlirLogicalResultSuccess();
}

LLVMModuleRef tvm_llvm_build_kernel(tvm_llvm_kernel_job *job,
                                    LLVMContextRef context) {
  LLVMModuleRef llvm = NULL;
  tvm_llvm_count_flops(job->kernel);
  job->flops = tvm_get_i64(job->kernel, "tvm.flops");
  MlirModule module = tvm_llvm_clone_kernel(job->kernel);
  if (mlirLogicalResultIsSuccess(lower(job, module)))
    llvm = tvm_llvm_translate_kernel(
        module, tvm_get_str(job->kernel, "sym_name"), context, job->target);
  mlirModuleDestroy(module);
  return llvm;
}

MlirLogicalResult tvm_llvm_build_object(tvm_llvm_kernel_job *job) {
  MlirLocation location = mlirOperationGetLocation(job->kernel);
  MlirLogicalResult ok = mlirLogicalResultFailure();
  LLVMTargetMachineRef machine = tvm_llvm_create_machine(job->target, location);
  if (!machine)
    return ok;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef llvm = tvm_llvm_build_kernel(job, context);
  if (llvm) {
    ok = tvm_llvm_emit_file(llvm, machine, job->object_path, TVM_LLVM_OBJECT,
                            location);
    LLVMDisposeModule(llvm);
  }
  LLVMContextDispose(context);
  LLVMDisposeTargetMachine(machine);
  return ok;
}
