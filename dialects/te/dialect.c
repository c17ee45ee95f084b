/* dialect.c - load the dialect with its verifiers. */
#include "te/te.h"
#include "te/verify.h"

extern const char tvm_te_irdl[];
extern const size_t tvm_te_irdl_size;

static const struct {
  const char *name;
  tvm_seam_op_hooks hooks;
} HOOKS[] = {
    {"te.kernel", {tvm_te_verify_kernel, NULL}},
    {"te.return", {tvm_te_verify_return, NULL}},
    {"te.launch", {tvm_te_verify_launch, NULL}},
    {"te.compute", {tvm_te_verify_compute, NULL}},
    {"te.yield", {tvm_te_verify_yield, NULL}},
    {"te.intrinsic", {tvm_te_verify_intrinsic, NULL}},
};

static const tvm_seam_op_hooks *find_hooks(MlirStringRef op) {
  for (size_t i = 0; i < sizeof HOOKS / sizeof *HOOKS; ++i)
    if (mlirStringRefEqual(op, mlirStringRefCreateFromCString(HOOKS[i].name)))
      return &HOOKS[i].hooks;
  return NULL;
}

void tvm_te_register_dialect(MlirDialectRegistry registry) {
  tvm_seam_register_irdl(registry, "te",
                         mlirStringRefCreate(tvm_te_irdl, tvm_te_irdl_size),
                         find_hooks);
}

MlirOperation tvm_te_find_kernel(MlirOperation launch) {
  MlirOperation module = mlirOperationGetParentOperation(launch);
  while (module.ptr && !tvm_op_is(module, "builtin.module"))
    module = mlirOperationGetParentOperation(module);
  MlirAttribute name = tvm_get_attr(launch, "kernel");
  if (!module.ptr || mlirAttributeIsNull(name) ||
      !mlirAttributeIsAFlatSymbolRef(name))
    return (MlirOperation){NULL};
  MlirStringRef text = mlirFlatSymbolRefAttrGetValue(name);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (!tvm_op_is(op, "te.kernel"))
      continue;
    MlirAttribute own = tvm_get_attr(op, "sym_name");
    if (!mlirAttributeIsNull(own) && mlirAttributeIsAString(own) &&
        mlirStringRefEqual(mlirStringAttrGetValue(own), text))
      return op;
  }
  return op;
}
