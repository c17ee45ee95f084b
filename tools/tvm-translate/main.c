/* main.c - tvm-translate: ONNX to MLIR, MLIR to LLVM IR and machine code. */
#include "compiler/register.h"
#include "onnx/onnx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void register_dialects(MlirDialectRegistry registry) {
  tvm_register_upstream(registry);
  tvm_compiler_register_dialects(registry);
}

static MlirOperation import_onnx(MlirContext context, const char *path) {
  tvm_onnx_options options = {0};
  mlirContextLoadAllAvailableDialects(context);
  if (strcmp(path, "<stdin>") == 0 || strcmp(path, "-") == 0) {
    tvm_emit_error(mlirLocationUnknownGet(context),
                   "'--import-onnx' needs the name of a file");
    return (MlirOperation){NULL};
  }
  MlirModule module = tvm_onnx_import(context, path, &options);
  return mlirModuleIsNull(module) ? (MlirOperation){NULL}
                                  : mlirModuleGetOperation(module);
}

static MlirLogicalResult copy_file(const char *path, MlirStringCallback write,
                                   void *sink) {
  char buffer[1 << 16];
  FILE *f = fopen(path, "rb");
  if (!f)
    return mlirLogicalResultFailure();
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;)
    write(mlirStringRefCreate(buffer, n), sink);
  bool ok = !ferror(f);
  fclose(f);
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

static void remove_folder(const char *folder, const char *output) {
  char command[512];
  unlink(output);
  snprintf(command, sizeof command, "%s/weights.bin", folder);
  unlink(command);
  for (int i = 0;; ++i) {
    snprintf(command, sizeof command, "%s/%d.o", folder, i);
    if (unlink(command))
      break;
  }
  rmdir(folder);
}

/* The module may name its target in the attribute tvm.target. */
static MlirLogicalResult find_target(MlirOperation op, tvm_llvm_target *out) {
  char name[256] = "host", message[TVM_TARGET_MESSAGE_BYTES];
  MlirAttribute a = tvm_get_attr(op, "tvm.target");
  if (!mlirAttributeIsNull(a) && mlirAttributeIsAString(a)) {
    MlirStringRef text = mlirStringAttrGetValue(a);
    snprintf(name, sizeof name, "%.*s", (int)text.length, text.data);
  }
  if (tvm_llvm_target_resolve(name, out, message))
    return mlirLogicalResultSuccess();
  return tvm_emit_error(mlirOperationGetLocation(op), "%s", message);
}

static MlirLogicalResult emit(MlirOperation op, tvm_llvm_form form,
                              MlirStringCallback write, void *sink) {
  char folder[] = "/tmp/tvm-translate-XXXXXX", output[64];
  tvm_llvm_target target;
  mlirContextLoadAllAvailableDialects(mlirOperationGetContext(op));
  if (mlirLogicalResultIsFailure(find_target(op, &target)))
    return mlirLogicalResultFailure();
  if (!mkdtemp(folder))
    return tvm_emit_error(mlirOperationGetLocation(op),
                          "cannot create a folder in '/tmp'");
  snprintf(output, sizeof output, "%s/output", folder);
  tvm_compiler_register_passes();
  tvm_llvm_options options = {
      .target = &target, .work_folder = folder, .form = form, .num_threads = 1};
  MlirLogicalResult ok = tvm_compiler_compile_module(
      mlirModuleFromOperation(op), output, &options);
  if (mlirLogicalResultIsSuccess(ok))
    ok = copy_file(output, write, sink);
  remove_folder(folder, output);
  return ok;
}

static MlirLogicalResult emit_llvm(MlirOperation op, MlirStringCallback write,
                                   void *sink) {
  return emit(op, TVM_LLVM_IR, write, sink);
}

static MlirLogicalResult emit_obj(MlirOperation op, MlirStringCallback write,
                                  void *sink) {
  return emit(op, TVM_LLVM_OBJECT, write, sink);
}

static MlirLogicalResult emit_asm(MlirOperation op, MlirStringCallback write,
                                  void *sink) {
  return emit(op, TVM_LLVM_ASSEMBLY, write, sink);
}

int main(int argc, char **argv) {
  tvm_seam_register_import("import-onnx", "ONNX model to the graph dialect",
                           import_onnx, register_dialects);
  tvm_seam_register_export("emit-llvm", "graph dialect to optimized LLVM IR",
                           emit_llvm, register_dialects);
  tvm_seam_register_export("emit-obj", "graph dialect to a relocatable object",
                           emit_obj, register_dialects);
  tvm_seam_register_export("emit-asm", "graph dialect to assembly", emit_asm,
                           register_dialects);
  return tvm_seam_translate_main(argc, argv, "TVM translation driver");
}
