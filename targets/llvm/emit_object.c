/* emit_object.c - translate, optimize and assemble with llvm-c. */
#include "llvm/emit_object.h"

#include "llvm/host_program.h"

#include "mlir-c/Target/LLVMIR.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void initialize_once(void) {
  LLVMInitializeAllTargetInfos();
  LLVMInitializeAllTargets();
  LLVMInitializeAllTargetMCs();
  LLVMInitializeAllAsmParsers();
  LLVMInitializeAllAsmPrinters();
}

void tvm_llvm_initialize(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initialize_once);
}

LLVMTargetMachineRef tvm_llvm_create_machine(const tvm_llvm_target *target,
                                             MlirLocation location) {
  LLVMTargetRef llvm_target;
  char *message = NULL;
  tvm_llvm_initialize();
  if (LLVMGetTargetFromTriple(target->triple, &llvm_target, &message)) {
    tvm_emit_error(location, "target '%s' is not available: %s", target->triple,
                   message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
  LLVMTargetMachineOptionsSetCPU(options, target->cpu);
  LLVMTargetMachineOptionsSetFeatures(options, target->features);
  if (*target->abi)
    LLVMTargetMachineOptionsSetABI(options, target->abi);
  LLVMTargetMachineOptionsSetCodeGenOptLevel(options,
                                             LLVMCodeGenLevelAggressive);
  LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
  LLVMTargetMachineRef machine =
      LLVMCreateTargetMachineWithOptions(llvm_target, target->triple, options);
  LLVMDisposeTargetMachineOptions(options);
  return machine;
}

static void set_function_attribute(LLVMValueRef f, const char *name,
                                   const char *value) {
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
  LLVMAddAttributeAtIndex(
      f, LLVMAttributeFunctionIndex,
      LLVMCreateStringAttribute(context, name, (unsigned)strlen(name), value,
                                (unsigned)strlen(value)));
}

static void set_target_attributes(LLVMValueRef f,
                                  const tvm_llvm_target *target) {
  char width[16];
  snprintf(width, sizeof width, "%d", 8 * target->vector_bytes);
  set_function_attribute(f, "target-cpu", target->cpu);
  set_function_attribute(f, "target-features", target->features);
  set_function_attribute(f, "prefer-vector-width", width);
}

static void set_enum_attribute(LLVMValueRef f, const char *name) {
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(context, kind, 0));
}

/* void tvm_kernel_<name>(ptr buffers, i64 begin, i64 end): load the pointers
 * and call the kernel, which is inlined. */
static void build_entry(LLVMModuleRef llvm, LLVMValueRef kernel,
                        MlirStringRef name, const tvm_llvm_target *target) {
  LLVMContextRef context = LLVMGetModuleContext(llvm);
  LLVMTypeRef ptr = LLVMPointerTypeInContext(context, 0);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
  LLVMTypeRef params[] = {ptr, i64, i64};
  LLVMTypeRef type =
      LLVMFunctionType(LLVMVoidTypeInContext(context), params, 3, 0);
  char symbol[256];
  tvm_llvm_kernel_symbol(name, symbol, sizeof symbol);
  LLVMValueRef entry = LLVMAddFunction(llvm, symbol, type);
  LLVMSetVisibility(entry, LLVMHiddenVisibility);
  set_target_attributes(entry, target);
  LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(
      b, LLVMAppendBasicBlockInContext(context, entry, "entry"));
  unsigned n = LLVMCountParams(kernel);
  LLVMValueRef *args = malloc(n * sizeof *args);
  for (unsigned i = 0; i + 2 < n; ++i) {
    LLVMValueRef index = LLVMConstInt(i64, i, 0);
    LLVMValueRef slot =
        LLVMBuildGEP2(b, ptr, LLVMGetParam(entry, 0), &index, 1, "");
    args[i] = LLVMBuildLoad2(b, ptr, slot, "");
  }
  args[n - 2] = LLVMGetParam(entry, 1);
  args[n - 1] = LLVMGetParam(entry, 2);
  LLVMBuildCall2(b, LLVMGlobalGetValueType(kernel), kernel, args, n, "");
  LLVMBuildRetVoid(b);
  LLVMDisposeBuilder(b);
  free(args);
}

LLVMModuleRef tvm_llvm_translate_kernel(MlirModule module, MlirStringRef name,
                                        LLVMContextRef context,
                                        const tvm_llvm_target *target) {
  MlirOperation op = mlirModuleGetOperation(module);
  LLVMModuleRef llvm = mlirTranslateModuleToLLVMIR(op, context);
  if (!llvm)
    return NULL;
  char *text = malloc(name.length + 1);
  memcpy(text, name.data, name.length);
  text[name.length] = 0;
  LLVMValueRef kernel = LLVMGetNamedFunction(llvm, text);
  free(text);
  if (!kernel) {
    tvm_emit_error(mlirOperationGetLocation(op), "kernel '%.*s' was lost",
                   (int)name.length, name.data);
    LLVMDisposeModule(llvm);
    return NULL;
  }
  LLVMSetLinkage(kernel, LLVMInternalLinkage);
  set_enum_attribute(kernel, "alwaysinline");
  set_enum_attribute(kernel, "nounwind");
  set_target_attributes(kernel, target);
  build_entry(llvm, kernel, name, target);
  return llvm;
}

static MlirLogicalResult optimize(LLVMModuleRef llvm,
                                  LLVMTargetMachineRef machine,
                                  MlirLocation location) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetLoopVectorization(options, 1);
  LLVMPassBuilderOptionsSetSLPVectorization(options, 1);
  LLVMPassBuilderOptionsSetLoopUnrolling(options, 1);
  LLVMErrorRef error = LLVMRunPasses(llvm, "default<O3>", machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return mlirLogicalResultSuccess();
  char *message = LLVMGetErrorMessage(error);
  tvm_emit_error(location, "cannot optimize: %s", message);
  LLVMDisposeErrorMessage(message);
  return mlirLogicalResultFailure();
}

MlirLogicalResult tvm_llvm_emit_file(LLVMModuleRef llvm,
                                     LLVMTargetMachineRef machine,
                                     const char *path, tvm_llvm_form form,
                                     MlirLocation location) {
  char *triple = LLVMGetTargetMachineTriple(machine);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetTarget(llvm, triple);
  LLVMSetModuleDataLayout(llvm, layout);
  LLVMDisposeTargetData(layout);
  LLVMDisposeMessage(triple);
  if (mlirLogicalResultIsFailure(optimize(llvm, machine, location)))
    return mlirLogicalResultFailure();
  char *message = NULL;
  LLVMCodeGenFileType type =
      form == TVM_LLVM_ASSEMBLY ? LLVMAssemblyFile : LLVMObjectFile;
  LLVMBool failed =
      form == TVM_LLVM_IR
          ? LLVMPrintModuleToFile(llvm, path, &message)
          : LLVMTargetMachineEmitToFile(machine, llvm, path, type, &message);
  if (!failed)
    return mlirLogicalResultSuccess();
  tvm_emit_error(location, "cannot write '%s': %s", path, message);
  LLVMDisposeMessage(message);
  return mlirLogicalResultFailure();
}
