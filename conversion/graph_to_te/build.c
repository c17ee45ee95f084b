/* build.c - scalar operations of arith, math and tensor by name. */
#include "graph_to_te/lowering.h"

#include "mlir-c/BuiltinAttributes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

MlirType tvm_signless(MlirType type) {
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGet(mlirTypeGetContext(type),
                              mlirIntegerTypeGetWidth(type));
  if (!mlirTypeIsARankedTensor(type))
    return type;
  int64_t shape[64];
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < rank && i < 64; ++i)
    shape[i] = mlirShapedTypeGetDimSize(type, i);
  return tvm_tensor_type(rank, shape,
                         tvm_signless(mlirShapedTypeGetElementType(type)));
}

bool tvm_is_unsigned(MlirType element) {
  return mlirTypeIsAInteger(element) && (mlirIntegerTypeIsUnsigned(element) ||
                                         mlirIntegerTypeGetWidth(element) == 1);
}

bool tvm_is_float(MlirType element) { return mlirTypeIsAFloat(element); }

bool tvm_is_half(MlirType element) {
  return mlirTypeIsAF16(element) || mlirTypeIsABF16(element);
}

MlirType tvm_compute_type(MlirType element) {
  return tvm_is_half(element) ? mlirF32TypeGet(mlirTypeGetContext(element))
                              : tvm_signless(element);
}

static MlirValue build_scalar_constant(tvm_builder *b, MlirAttribute value) {
  MlirNamedAttribute attr = tvm_attr(b->context, "value", value);
  return tvm_build_value(b, "arith.constant", mlirAttributeGetType(value), 0,
                         NULL, 1, &attr);
}

MlirValue tvm_index_constant(tvm_builder *b, int64_t v) {
  return build_scalar_constant(
      b, mlirIntegerAttrGet(mlirIndexTypeGet(b->context), v));
}

MlirValue tvm_int_constant(tvm_builder *b, MlirType type, int64_t v) {
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1)
    return build_scalar_constant(b, mlirIntegerAttrGet(type, v & 1));
  return build_scalar_constant(b, mlirIntegerAttrGet(type, v));
}

MlirValue tvm_float_constant(tvm_builder *b, MlirType type, double v) {
  return build_scalar_constant(b, mlirFloatAttrDoubleGet(b->context, type, v));
}

MlirValue tvm_number(tvm_builder *b, MlirType type, double v) {
  return tvm_is_float(type) ? tvm_float_constant(b, type, v)
                            : tvm_int_constant(b, type, (int64_t)v);
}

MlirValue tvm_unary(tvm_builder *b, const char *name, MlirValue x) {
  return tvm_build_value(b, name, mlirValueGetType(x), 1, &x, 0, NULL);
}

MlirValue tvm_binary(tvm_builder *b, const char *name, MlirValue x,
                     MlirValue y) {
  MlirValue operands[] = {x, y};
  return tvm_build_value(b, name, mlirValueGetType(x), 2, operands, 0, NULL);
}

MlirValue tvm_fast_binary(tvm_builder *b, const char *name, const char *flags,
                          MlirValue x, MlirValue y) {
  char text[64];
  snprintf(text, sizeof text, "#arith.fastmath<%s>", flags);
  MlirNamedAttribute attr = tvm_attr(
      b->context, "fastmath",
      mlirAttributeParseGet(b->context, mlirStringRefCreateFromCString(text)));
  MlirValue operands[] = {x, y};
  return tvm_build_value(b, name, mlirValueGetType(x), 2, operands, 1, &attr);
}

MlirValue tvm_convert(tvm_builder *b, const char *name, MlirType to,
                      MlirValue x) {
  return tvm_build_value(b, name, to, 1, &x, 0, NULL);
}

MlirValue tvm_select(tvm_builder *b, MlirValue condition, MlirValue x,
                     MlirValue y) {
  MlirValue operands[] = {condition, x, y};
  return tvm_build_value(b, "arith.select", mlirValueGetType(x), 3, operands, 0,
                         NULL);
}

static int64_t find_name(const char *const *names, int64_t n,
                         const char *name) {
  for (int64_t i = 0; i < n; ++i)
    if (!strcmp(names[i], name))
      return i;
  return 0;
}

static MlirValue build_compare(tvm_builder *b, const char *op,
                               int64_t predicate, MlirValue x, MlirValue y) {
  MlirValue operands[] = {x, y};
  MlirNamedAttribute attr = tvm_attr_i64(b->context, "predicate", predicate);
  return tvm_build_value(b, op, mlirIntegerTypeGet(b->context, 1), 2, operands,
                         1, &attr);
}

MlirValue tvm_compare_int(tvm_builder *b, const char *predicate, MlirValue x,
                          MlirValue y) {
  static const char *const names[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                      "sge", "ult", "ule", "ugt", "uge"};
  return build_compare(b, "arith.cmpi", find_name(names, 10, predicate), x, y);
}

MlirValue tvm_compare_float(tvm_builder *b, const char *predicate, MlirValue x,
                            MlirValue y) {
  static const char *const names[] = {
      "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
      "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};
  return build_compare(b, "arith.cmpf", find_name(names, 16, predicate), x, y);
}

MlirValue tvm_extract(tvm_builder *b, MlirValue tensor, const MlirValue *at) {
  MlirValue operands[1 + TVM_LOWER_MAX_RANK] = {tensor};
  intptr_t rank = tvm_rank(tensor);
  for (intptr_t i = 0; i < rank; ++i)
    operands[1 + i] = at[i];
  return tvm_build_value(b, "tensor.extract", tvm_element_type(tensor),
                         1 + rank, operands, 0, NULL);
}

MlirValue tvm_insert(tvm_builder *b, MlirValue x, MlirValue tensor,
                     const MlirValue *at) {
  MlirValue operands[2 + TVM_LOWER_MAX_RANK] = {x, tensor};
  intptr_t rank = tvm_rank(tensor);
  for (intptr_t i = 0; i < rank; ++i)
    operands[2 + i] = at[i];
  return tvm_build_value(b, "tensor.insert", mlirValueGetType(tensor), 2 + rank,
                         operands, 0, NULL);
}

void tvm_delinearize(tvm_builder *b, MlirValue linear, intptr_t rank,
                     const int64_t *shape, MlirValue *out) {
  for (intptr_t i = rank; i-- > 0;) {
    if (shape[i] == 1) {
      out[i] = tvm_index_constant(b, 0);
      continue;
    }
    MlirValue extent = tvm_index_constant(b, shape[i]);
    out[i] = tvm_binary(b, "arith.remui", linear, extent);
    linear = tvm_binary(b, "arith.divui", linear, extent);
  }
}
