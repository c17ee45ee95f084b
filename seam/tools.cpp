// tools.cpp - the mains of mlir-opt and mlir-translate for tools in C.
#include "tvm_seam.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

int tvm_seam_opt_main(int argc, char **argv, const char *name,
                      MlirDialectRegistry registry) {
  return asMainReturnCode(MlirOptMain(argc, argv, name, *unwrap(registry)));
}

void tvm_seam_register_export(const char *argument, const char *description,
                              tvm_seam_export run,
                              void (*dialects)(MlirDialectRegistry)) {
  static std::vector<std::unique_ptr<TranslateFromMLIRRegistration>> kept;
  kept.push_back(std::make_unique<TranslateFromMLIRRegistration>(
      argument, description,
      [run](Operation *op, raw_ostream &os) -> LogicalResult {
        auto write = [](MlirStringRef text, void *sink) {
          *static_cast<raw_ostream *>(sink) << unwrap(text);
        };
        return unwrap(run(wrap(op), write, &os));
      },
      [dialects](DialectRegistry &registry) { dialects(wrap(&registry)); }));
}

void tvm_seam_register_import(const char *argument, const char *description,
                              tvm_seam_import run,
                              void (*dialects)(MlirDialectRegistry)) {
  static std::vector<std::unique_ptr<TranslateToMLIRRegistration>> kept;
  kept.push_back(std::make_unique<TranslateToMLIRRegistration>(
      argument, description,
      [run](llvm::SourceMgr &sources,
            MLIRContext *context) -> OwningOpRef<Operation *> {
        unsigned id = sources.getMainFileID();
        std::string path =
            sources.getMemoryBuffer(id)->getBufferIdentifier().str();
        return unwrap(run(wrap(context), path.c_str()));
      },
      [dialects](DialectRegistry &registry) { dialects(wrap(&registry)); }));
}

int tvm_seam_translate_main(int argc, char **argv, const char *name) {
  registerAllTranslations();
  return asMainReturnCode(mlirTranslateMain(argc, argv, name));
}
