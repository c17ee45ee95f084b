// pass.cpp - passes written in C, registered by name and with options.
#include "tvm_seam.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <deque>

using namespace mlir;

namespace {

// Loads dialects by namespace when a pass that depends on them is built.
struct LoadByName : DialectExtensionBase {
  explicit LoadByName(const tvm_seam_pass_desc *desc)
      : DialectExtensionBase({"builtin"}), desc(desc) {}
  void apply(MLIRContext *context, MutableArrayRef<Dialect *>) const override {
    for (intptr_t i = 0; i < desc->n_dialects; ++i)
      context->getOrLoadDialect(desc->dialects[i]);
  }
  std::unique_ptr<DialectExtensionBase> clone() const override {
    return std::make_unique<LoadByName>(desc);
  }
  const tvm_seam_pass_desc *desc;
};

struct SeamPass : Pass {
  explicit SeamPass(const tvm_seam_pass_desc *desc)
      : Pass(TypeID::getFromOpaquePointer(desc),
             desc->op_name ? std::optional<StringRef>(desc->op_name)
                           : std::nullopt),
        desc(desc) {
    for (intptr_t i = 0; i < desc->n_options; ++i)
      options.emplace_back(
          *this, desc->options[i].name,
          llvm::cl::desc(desc->options[i].description),
          llvm::cl::init(std::string(desc->options[i].initial)));
  }
  StringRef getName() const override { return desc->argument; }
  StringRef getArgument() const override { return desc->argument; }
  StringRef getDescription() const override { return desc->description; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.addExtension(TypeID::getFromOpaquePointer(&desc->n_dialects),
                          std::make_unique<LoadByName>(desc));
  }
  bool canScheduleOn(RegisteredOperationName name) const override {
    return !desc->op_name || name.getStringRef() == desc->op_name;
  }
  void runOnOperation() override {
    if (failed(unwrap(
            desc->run(wrap(getOperation()), tvm_seam_pass{this}, desc->user))))
      signalPassFailure();
  }
  std::unique_ptr<Pass> clonePass() const override {
    return std::make_unique<SeamPass>(desc);
  }
  const tvm_seam_pass_desc *desc;
  std::deque<Option<std::string>> options;
};

} // namespace

void tvm_seam_register_pass(const tvm_seam_pass_desc *desc) {
  registerPass([desc] { return std::make_unique<SeamPass>(desc); });
}

MlirStringRef tvm_seam_pass_option(tvm_seam_pass pass, intptr_t index) {
  const std::string &value =
      static_cast<SeamPass *>(pass.ptr)->options[index].getValue();
  return {value.data(), value.size()};
}

void tvm_seam_register_pipeline(const char *argument, const char *description,
                                const char *pipeline) {
  registerPassPipeline(
      argument, description,
      [pipeline =
           std::string(pipeline)](OpPassManager &pm, StringRef,
                                  function_ref<LogicalResult(const Twine &)>) {
        // A manager of modules would look for modules inside of them.
        StringRef text(pipeline);
        if (pm.getOpAnchorName() == "builtin.module" &&
            text.consume_front("builtin.module("))
          text = text.drop_back();
        return parsePassPipeline(text, pm);
      },
      [](function_ref<void(const detail::PassOptions &)>) {});
}

void tvm_seam_emit_warning(MlirLocation location, const char *text) {
  emitWarning(unwrap(location)) << text;
}
