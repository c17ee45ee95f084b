/* libm.c - what a library links with: conversions of half precision, and the
 * library of the functions of <math.h>.
 *
 * Kernels call it for functions without an instruction. The machine's own is
 * known by its full name, so that no development package is needed. For a
 * foreign processor a library of that name and its functions is made: the
 * linker reads no more than names, the code comes from the machine that loads
 * the model. */
#include "llvm/emit_object.h"

#include <llvm-c/IRReader.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Each with its float form. */
static const char *const functions[] = {
    "acos",  "acosh",  "asin",     "asinh",     "atan", "atan2",     "atanh",
    "cbrt",  "ceil",   "copysign", "cos",       "cosh", "erf",       "erfc",
    "exp",   "exp10",  "exp2",     "expm1",     "fabs", "floor",     "fma",
    "fmax",  "fmin",   "fmod",     "ldexp",     "log",  "log10",     "log1p",
    "log2",  "pow",    "powi",     "remainder", "rint", "nearbyint", "round",
    "sin",   "sincos", "sinh",     "sqrt",      "tan",  "tanh",      "tgamma",
    "trunc", "lgamma", "roundeven"};

static bool find_own(char *path, size_t size) {
  static const char *const paths[] = {
      "/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6",
      "/lib/riscv64-linux-gnu/libm.so.6", "/lib64/libm.so.6"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i)
    if (access(paths[i], R_OK) == 0) {
      snprintf(path, size, "%s", paths[i]);
      return true;
    }
  return false;
}

static void define(LLVMModuleRef llvm, const char *name, const char *suffix) {
  LLVMContextRef context = LLVMGetModuleContext(llvm);
  LLVMTypeRef type =
      LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, 0);
  char symbol[32];
  snprintf(symbol, sizeof symbol, "%s%s", name, suffix);
  LLVMValueRef f = LLVMAddFunction(llvm, symbol, type);
  LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, f, ""));
  LLVMBuildRetVoid(b);
  LLVMDisposeBuilder(b);
}

static MlirLogicalResult emit(LLVMTargetMachineRef machine, const char *path,
                              MlirLocation location) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef llvm = LLVMModuleCreateWithNameInContext("libm", context);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    define(llvm, functions[i], "");
    define(llvm, functions[i], "f");
  }
  MlirLogicalResult ok =
      tvm_llvm_emit_file(llvm, machine, path, TVM_LLVM_OBJECT, location);
  LLVMDisposeModule(llvm);
  LLVMContextDispose(context);
  return ok;
}

extern const char tvm_llvm_half[];
extern const size_t tvm_llvm_half_size;

LLVMModuleRef tvm_llvm_build_half(LLVMContextRef context) {
  LLVMModuleRef llvm = NULL;
  char *message = NULL;
  LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRange(
      tvm_llvm_half, tvm_llvm_half_size, "half.ll", 1);
  if (LLVMParseIRInContext(context, text, &llvm, &message))
    LLVMDisposeMessage(message);
  return llvm; /* the text is ours: a test compiles it */
}

MlirLogicalResult tvm_llvm_find_libm(const tvm_llvm_target *target,
                                     LLVMTargetMachineRef machine,
                                     const char *folder, char *path,
                                     size_t size, MlirLocation location) {
  char object[4096], *objects[] = {object};
  *path = 0;
  if (tvm_llvm_target_is_native(target)) {
    find_own(path, size);
    return mlirLogicalResultSuccess();
  }
  snprintf(path, size, "%s/libm.so.6", folder);
  snprintf(object, sizeof object, "%s/libm.o", folder);
  MlirLogicalResult ok = emit(machine, object, location);
  if (mlirLogicalResultIsSuccess(ok))
    ok = tvm_llvm_link(1, objects, path, true, NULL, "libm.so.6", location);
  unlink(object);
  return ok;
}
