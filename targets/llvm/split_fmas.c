/* split_fmas.c - for processors that have no FMA instruction. What kernels ask
 * for is speed, never the single rounding. */
#include "llvm/emit_object.h"

static MlirWalkResult split(MlirOperation op, void *user) {
  (void)user;
  if (!tvm_op_is(op, "llvm.intr.fma"))
    return MlirWalkResultAdvance;
  tvm_builder b = tvm_builder_before(op);
  MlirValue operands[] = {tvm_operand(op, 0), tvm_operand(op, 1),
                          tvm_operand(op, 2)};
  MlirValue sum = tvm_build_value(&b, "llvm.intr.fmuladd",
                                  mlirValueGetType(tvm_result(op, 0)), 3,
                                  operands, 0, NULL);
  mlirValueReplaceAllUsesOfWith(tvm_result(op, 0), sum);
  mlirOperationDestroy(op);
  return MlirWalkResultAdvance;
}

void tvm_llvm_split_fmas(MlirModule kernel) {
  mlirOperationWalk(mlirModuleGetOperation(kernel), split, NULL,
                    MlirWalkPostOrder);
}
