/* builder.c - build operations and read their attributes. */
#include "base/base.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <string.h>

static MlirStringRef str(const char *s) {
  return mlirStringRefCreateFromCString(s);
}

tvm_builder tvm_builder_at_end(MlirBlock block, MlirLocation location) {
  return (tvm_builder){.context = mlirLocationGetContext(location),
                       .location = location,
                       .block = block};
}

tvm_builder tvm_builder_before(MlirOperation op) {
  return (tvm_builder){.context = mlirOperationGetContext(op),
                       .location = mlirOperationGetLocation(op),
                       .block = mlirOperationGetBlock(op),
                       .before = op};
}

static void insert(tvm_builder *b, MlirOperation op) {
  if (b->rewriter.ptr)
    mlirRewriterBaseInsert(b->rewriter, op);
  else if (b->before.ptr)
    mlirBlockInsertOwnedOperationBefore(b->block, b->before, op);
  else
    mlirBlockAppendOwnedOperation(b->block, op);
}

MlirOperation tvm_build_op(tvm_builder *b, const char *name, intptr_t n_results,
                           const MlirType *results, intptr_t n_operands,
                           const MlirValue *operands, intptr_t n_attrs,
                           const MlirNamedAttribute *attrs, intptr_t n_regions,
                           MlirRegion *owned_regions) {
  MlirOperationState state = mlirOperationStateGet(str(name), b->location);
  mlirOperationStateAddResults(&state, n_results, results);
  mlirOperationStateAddOperands(&state, n_operands, operands);
  mlirOperationStateAddAttributes(&state, n_attrs, attrs);
  mlirOperationStateAddOwnedRegions(&state, n_regions, owned_regions);
  MlirOperation op = mlirOperationCreate(&state);
  insert(b, op);
  return op;
}

MlirValue tvm_build_value(tvm_builder *b, const char *name, MlirType result,
                          intptr_t n_operands, const MlirValue *operands,
                          intptr_t n_attrs, const MlirNamedAttribute *attrs) {
  return mlirOperationGetResult(tvm_build_op(b, name, 1, &result, n_operands,
                                             operands, n_attrs, attrs, 0, NULL),
                                0);
}

MlirNamedAttribute tvm_attr(MlirContext c, const char *name, MlirAttribute a) {
  return mlirNamedAttributeGet(mlirIdentifierGet(c, str(name)), a);
}

MlirNamedAttribute tvm_attr_i64(MlirContext c, const char *name, int64_t v) {
  return tvm_attr(c, name, mlirIntegerAttrGet(mlirIntegerTypeGet(c, 64), v));
}

MlirNamedAttribute tvm_attr_i64s(MlirContext c, const char *name, intptr_t n,
                                 const int64_t *v) {
  return tvm_attr(c, name, mlirDenseI64ArrayGet(c, n, v));
}

MlirNamedAttribute tvm_attr_f64(MlirContext c, const char *name, double v) {
  return tvm_attr(c, name, mlirFloatAttrDoubleGet(c, mlirF64TypeGet(c), v));
}

MlirNamedAttribute tvm_attr_bool(MlirContext c, const char *name, bool v) {
  return tvm_attr(c, name, mlirBoolAttrGet(c, v));
}

MlirNamedAttribute tvm_attr_str(MlirContext c, const char *name,
                                const char *v) {
  return tvm_attr(c, name, mlirStringAttrGet(c, str(v)));
}

/* Operations of upstream dialects keep theirs as properties; asking an IRDL
 * operation for inherent attributes finds none. */
MlirAttribute tvm_get_attr(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, str(name));
}

int64_t tvm_get_i64(MlirOperation op, const char *name) {
  return mlirIntegerAttrGetValueInt(tvm_get_attr(op, name));
}

double tvm_get_f64(MlirOperation op, const char *name) {
  return mlirFloatAttrGetValueDouble(tvm_get_attr(op, name));
}

bool tvm_get_bool(MlirOperation op, const char *name) {
  return mlirBoolAttrGetValue(tvm_get_attr(op, name));
}

MlirStringRef tvm_get_str(MlirOperation op, const char *name) {
  return mlirStringAttrGetValue(tvm_get_attr(op, name));
}

intptr_t tvm_get_i64s_size(MlirOperation op, const char *name) {
  return mlirDenseArrayGetNumElements(tvm_get_attr(op, name));
}

int64_t tvm_get_i64s(MlirOperation op, const char *name, intptr_t index) {
  return mlirDenseI64ArrayGetElement(tvm_get_attr(op, name), index);
}

bool tvm_op_is(MlirOperation op, const char *name) {
  return op.ptr && mlirStringRefEqual(
                       mlirIdentifierStr(mlirOperationGetName(op)), str(name));
}

bool tvm_op_in_dialect(MlirOperation op, const char *dialect) {
  if (!op.ptr)
    return false;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  size_t n = strlen(dialect);
  return name.length > n && name.data[n] == '.' &&
         memcmp(name.data, dialect, n) == 0;
}

MlirOperation tvm_defining_op(MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return (MlirOperation){NULL};
  return mlirOpResultGetOwner(value);
}

bool tvm_has_one_use(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) &&
         mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

MlirValue tvm_result(MlirOperation op, intptr_t i) {
  return mlirOperationGetResult(op, i);
}

MlirValue tvm_operand(MlirOperation op, intptr_t i) {
  return mlirOperationGetOperand(op, i);
}
