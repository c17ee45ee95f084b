// dialect.cpp - IRDL operations with traits, C verifiers and C folds.
#include "tvm_seam.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/IRDL/IR/IRDL.h"
#include "mlir/Dialect/IRDL/IRDLLoading.h"
#include "mlir/Dialect/IRDL/IRDLVerifiers.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

#include <mutex>

using namespace mlir;

namespace {

using Verifier = llvm::unique_function<LogicalResult(Operation *) const>;

// One uniform form: dialect.op(%x) {attributes} : (types) -> types {regions}
ParseResult parseUniform(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  FunctionType type;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
      parser.parseType(type))
    return failure();
  state.addTypes(type.getResults());
  if (parser.resolveOperands(operands, type.getInputs(), location,
                             state.operands))
    return failure();
  while (true) {
    auto region = std::make_unique<Region>();
    OptionalParseResult parsed = parser.parseOptionalRegion(*region);
    if (!parsed.has_value())
      return success();
    if (failed(*parsed))
      return failure();
    state.addRegion(std::move(region));
  }
}

struct SeamOp final : OperationName::Impl {
  SeamOp(StringRef name, Dialect *dialect, TypeID id,
         SmallVector<TypeID> traits, Verifier irdl,
         const tvm_seam_op_hooks *hooks)
      : Impl(name, dialect, id, detail::InterfaceMap()),
        traits(std::move(traits)), irdl(std::move(irdl)), hooks(hooks) {}

  LogicalResult foldHook(Operation *op, ArrayRef<Attribute> operands,
                         SmallVectorImpl<OpFoldResult> &results) override {
    if (!hooks || !hooks->fold)
      return failure();
    SmallVector<MlirAttribute> wrapped;
    for (Attribute a : operands)
      wrapped.push_back(wrap(a));
    auto push = [](void *sink, MlirAttribute attr, MlirValue value) {
      auto *out = static_cast<SmallVectorImpl<OpFoldResult> *>(sink);
      if (value.ptr)
        out->push_back(unwrap(value));
      else
        out->push_back(unwrap(attr));
    };
    return unwrap(
        hooks->fold(wrap(op), wrapped.size(), wrapped.data(), push, &results));
  }
  void getCanonicalizationPatterns(RewritePatternSet &,
                                   MLIRContext *) override {}
  bool hasTrait(TypeID id) override { return llvm::is_contained(traits, id); }
  OperationName::ParseAssemblyFn getParseAssemblyFn() override {
    return parseUniform;
  }
  void populateDefaultAttrs(const OperationName &, NamedAttrList &) override {}
  void printAssembly(Operation *op, OpAsmPrinter &p,
                     StringRef defaultDialect) override {
    StringRef name = op->getName().getStringRef();
    if (!defaultDialect.empty() &&
        name.starts_with((defaultDialect + ".").str()))
      name = name.drop_front(defaultDialect.size() + 1);
    p << name << '(' << op->getOperands() << ')';
    p.printOptionalAttrDict(op->getAttrs());
    p << " : "
      << FunctionType::get(op->getContext(), op->getOperandTypes(),
                           op->getResultTypes());
    for (Region &region : op->getRegions()) {
      p << ' ';
      p.printRegion(region);
    }
  }
  LogicalResult verifyInvariants(Operation *op) override {
    if (failed(irdl(op)))
      return failure();
    if (hooks && hooks->verify)
      return unwrap(hooks->verify(wrap(op)));
    return success();
  }
  LogicalResult verifyRegionInvariants(Operation *) override {
    return success();
  }

  // No properties: every attribute is discardable.
  std::optional<Attribute> getInherentAttr(Operation *, StringRef) override {
    return std::nullopt;
  }
  void setInherentAttr(Operation *, StringAttr, Attribute) override {}
  void populateInherentAttrs(Operation *, NamedAttrList &) override {}
  LogicalResult
  verifyInherentAttrs(OperationName, NamedAttrList &,
                      function_ref<InFlightDiagnostic()>) override {
    return success();
  }
  int getOpPropertyByteSize() override { return 0; }
  void initProperties(OperationName, OpaqueProperties,
                      OpaqueProperties) override {}
  void deleteProperties(OpaqueProperties) override {}
  void populateDefaultProperties(OperationName, OpaqueProperties) override {}
  LogicalResult
  setPropertiesFromAttr(OperationName, OpaqueProperties, Attribute,
                        function_ref<InFlightDiagnostic()> emit) override {
    emit() << "has no properties";
    return failure();
  }
  Attribute getPropertiesAsAttr(Operation *) override { return {}; }
  void copyProperties(OpaqueProperties, OpaqueProperties) override {}
  bool compareProperties(OpaqueProperties, OpaqueProperties) override {
    return true;
  }
  llvm::hash_code hashProperties(OpaqueProperties) override { return {}; }

  SmallVector<TypeID> traits;
  Verifier irdl;
  const tvm_seam_op_hooks *hooks;
};

struct PureModel : MemoryEffectOpInterface::FallbackModel<PureModel> {
  void getEffects(Operation *,
                  SmallVectorImpl<MemoryEffects::EffectInstance> &) const {}
};

struct SpeculatableModel
    : ConditionallySpeculatable::FallbackModel<SpeculatableModel> {
  Speculation::Speculatability getSpeculatability(Operation *) const {
    return Speculation::Speculatable;
  }
};

TypeID traitId(StringRef name) {
  if (name == "IsTerminator")
    return TypeID::get<OpTrait::IsTerminator>();
  if (name == "NoTerminator")
    return TypeID::get<OpTrait::NoTerminator>();
  if (name == "IsolatedFromAbove")
    return TypeID::get<OpTrait::IsIsolatedFromAbove>();
  if (name == "Commutative")
    return TypeID::get<OpTrait::IsCommutative>();
  if (name == "RecursiveMemoryEffects")
    return TypeID::get<OpTrait::HasRecursiveMemoryEffects>();
  if (name == "ConstantLike")
    return TypeID::get<OpTrait::ConstantLike>();
  return TypeID();
}

// DynamicDialect cannot make constants, so folds to attributes would be lost;
// created first under the same name, this one is what IRDL loading then finds.
struct SeamDialect : DynamicDialect {
  using DynamicDialect::DynamicDialect;
  Operation *materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                 Location location) override {
    if (!isa<TypedAttr>(value))
      return nullptr;
    OperationState state(location, "arith.constant");
    state.addAttribute("value", value);
    state.addTypes(type);
    return builder.create(state);
  }
};

void createDialect(MLIRContext *context, StringRef name) {
  context->getOrLoadDialect("arith");
  auto dialect = std::make_unique<SeamDialect>(name, context);
  TypeID id = dialect->DynamicDialect::getTypeID();
  context->getOrLoadDialect(name, id, [&] { return std::move(dialect); });
}

struct OpRecord {
  std::string dialect, name;
  SmallVector<TypeID> traits;
  bool pure = false;
  Verifier verifier;
  const tvm_seam_op_hooks *hooks = nullptr;
};

LogicalResult readRecord(irdl::OperationOp op, StringRef dialect,
                         tvm_seam_hooks_lookup lookup, OpRecord &r) {
  r.dialect = dialect.str();
  r.name = (dialect + "." + op.getName()).str();
  r.hooks = lookup ? lookup(wrap(StringRef(r.name))) : nullptr;
  bool onlyC = false;
  if (auto traits = op->getAttrOfType<ArrayAttr>("traits"))
    for (auto trait : traits.getAsRange<StringAttr>()) {
      if (trait.getValue() == "Pure") {
        r.pure = true;
      } else if (trait.getValue() == "CVerifierOnly") {
        onlyC = true;
      } else if (TypeID id = traitId(trait.getValue()); id != TypeID()) {
        r.traits.push_back(id);
      } else {
        return op.emitError("unknown trait ") << trait;
      }
    }
  llvm::DenseMap<irdl::TypeOp, std::unique_ptr<DynamicTypeDefinition>> types;
  llvm::DenseMap<irdl::AttributeOp, std::unique_ptr<DynamicAttrDefinition>>
      attrs;
  r.verifier = irdl::createVerifier(op, types, attrs);
  if (!r.verifier)
    return failure();
  if (onlyC)
    r.verifier = [](Operation *) { return success(); };
  return success();
}

TypeID allocateTypeId() {
  static std::mutex mutex;
  static auto *allocator = new TypeIDAllocator();
  std::lock_guard<std::mutex> lock(mutex);
  return allocator->allocate();
}

LogicalResult loadIrdl(MLIRContext *context, StringRef source,
                       tvm_seam_hooks_lookup lookup) {
  context->getOrLoadDialect<irdl::IRDLDialect>();
  auto module = parseSourceString<ModuleOp>(source, ParserConfig(context));
  if (!module)
    return failure();
  std::vector<OpRecord> records;
  SmallVector<Operation *> erase;
  for (auto dialect : module->getOps<irdl::DialectOp>()) {
    for (auto op : dialect.getOps<irdl::OperationOp>()) {
      OpRecord record;
      if (failed(readRecord(op, dialect.getName(), lookup, record)))
        return failure();
      records.push_back(std::move(record));
      erase.push_back(op);
    }
    createDialect(context, dialect.getName());
  }
  for (Operation *op : erase)
    op->erase();
  if (failed(irdl::loadDialects(*module)))
    return failure();
  for (OpRecord &r : records) {
    RegisteredOperationName::insert(
        std::make_unique<SeamOp>(r.name, context->getLoadedDialect(r.dialect),
                                 allocateTypeId(), std::move(r.traits),
                                 std::move(r.verifier), r.hooks),
        {});
    if (r.pure)
      RegisteredOperationName::lookup(r.name, context)
          ->attachInterface<PureModel, SpeculatableModel>();
  }
  return success();
}

} // namespace

void tvm_seam_register_irdl(MlirDialectRegistry registry, const char *name,
                            MlirStringRef source,
                            tvm_seam_hooks_lookup lookup) {
  std::string key = name;
  StringRef text = unwrap(source);
  unwrap(registry)->insert<irdl::IRDLDialect>();
  unwrap(registry)->insert(
      TypeID::getFromOpaquePointer(source.data), key,
      DialectAllocatorFunction([=](MLIRContext *context) -> Dialect * {
        if (!context->getLoadedDialect(key) &&
            failed(loadIrdl(context, text, lookup)))
          llvm::report_fatal_error("an embedded dialect failed to load");
        return context->getLoadedDialect(key);
      }));
}

void tvm_seam_register_all_extensions(MlirDialectRegistry registry) {
  registerAllExtensions(*unwrap(registry));
  registerAllToLLVMIRTranslations(*unwrap(registry));
}

bool tvm_seam_resource_data(MlirAttribute attr, const void **out_data,
                            size_t *out_bytes) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(unwrap(attr));
  if (!resource)
    return false;
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return false;
  *out_data = blob->getData().data();
  *out_bytes = blob->getData().size();
  return true;
}
