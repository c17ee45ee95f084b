/* kernel_facts.c - bit masks on a te.kernel. */
#include "llvm/kernel_facts.h"

void tvm_kernel_restrict_fact(MlirOperation kernel, const char *name,
                              uint64_t bits) {
  if (tvm_get_attr(kernel, name).ptr)
    bits &= tvm_kernel_get_fact(kernel, name);
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(kernel), 64);
  mlirOperationSetDiscardableAttributeByName(
      kernel, mlirStringRefCreateFromCString(name),
      mlirIntegerAttrGet(i64, (int64_t)bits));
}

uint64_t tvm_kernel_get_fact(MlirOperation kernel, const char *name) {
  bool has = tvm_get_attr(kernel, name).ptr;
  return has ? (uint64_t)tvm_get_i64(kernel, name) : 0;
}
