/* tensor.c - ranked tensor types and constants. */
#include "base/base.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t tvm_rank(MlirValue value) {
  return mlirShapedTypeGetRank(mlirValueGetType(value));
}

int64_t tvm_dim(MlirValue value, intptr_t i) {
  return mlirShapedTypeGetDimSize(mlirValueGetType(value), i);
}

MlirType tvm_element_type(MlirValue value) {
  return mlirShapedTypeGetElementType(mlirValueGetType(value));
}

MlirType tvm_tensor_type(intptr_t rank, const int64_t *shape,
                         MlirType element) {
  return mlirRankedTensorTypeGet(rank, shape, element, mlirAttributeGetNull());
}

int64_t tvm_num_elements(MlirType tensor) {
  int64_t n = 1;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(tensor); ++i)
    n *= mlirShapedTypeGetDimSize(tensor, i);
  return n;
}

int64_t tvm_element_bytes(MlirType element) {
  if (mlirTypeIsAInteger(element))
    return (mlirIntegerTypeGetWidth(element) + 7) / 8;
  if (mlirTypeIsAIndex(element))
    return 8;
  return mlirFloatTypeGetWidth(element) / 8;
}

static MlirValue build_constant(tvm_builder *b, MlirType tensor,
                                MlirAttribute value) {
  MlirNamedAttribute attr = tvm_attr(b->context, "value", value);
  return tvm_build_value(b, "arith.constant", tensor, 0, NULL, 1, &attr);
}

/* One byte an element; MLIR's own raw form of i1 differs between versions. */
static MlirAttribute get_bools(MlirType tensor, const uint8_t *data) {
  int64_t n = tvm_num_elements(tensor);
  int *values = malloc((size_t)(n + 1) * sizeof *values);
  for (int64_t i = 0; i < n; ++i)
    values[i] = data[i] != 0;
  MlirAttribute a = mlirDenseElementsAttrBoolGet(tensor, n, values);
  free(values);
  return a;
}

MlirValue tvm_build_constant(tvm_builder *b, MlirType tensor, const void *data,
                             size_t bytes) {
  MlirType element = mlirShapedTypeGetElementType(tensor);
  if (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 1)
    return build_constant(b, tensor, get_bools(tensor, data));
  if (bytes == 0) /* null data is fine, an empty list of elements */
    return build_constant(b, tensor, mlirDenseElementsAttrGet(tensor, 0, NULL));
  return build_constant(b, tensor,
                        mlirDenseElementsAttrRawBufferGet(tensor, bytes, data));
}

MlirValue tvm_build_resource(tvm_builder *b, MlirType tensor, const char *name,
                             const void *data, size_t bytes,
                             void (*deleter)(void *, const void *, size_t,
                                             size_t),
                             void *user_data) {
  size_t align =
      (size_t)tvm_element_bytes(mlirShapedTypeGetElementType(tensor));
  MlirAttribute value = mlirUnmanagedDenseResourceElementsAttrGet(
      tensor, mlirStringRefCreateFromCString(name), (void *)(uintptr_t)data,
      bytes, align, false, deleter, user_data);
  return build_constant(b, tensor, value);
}

static int64_t round_to_integer(double value) {
  if (isnan(value))
    return 0;
  if (value >= 9223372036854775808.0)
    return INT64_MAX;
  if (value < -9223372036854775808.0)
    return INT64_MIN;
  return (int64_t)value;
}

MlirValue tvm_build_splat(tvm_builder *b, MlirType tensor, double value) {
  MlirType element = mlirShapedTypeGetElementType(tensor);
  MlirAttribute scalar;
  if (mlirTypeIsAInteger(element) || mlirTypeIsAIndex(element))
    scalar = mlirIntegerAttrGet(element, round_to_integer(value));
  else
    scalar = mlirFloatAttrDoubleGet(b->context, element, value);
  return build_constant(b, tensor,
                        mlirDenseElementsAttrSplatGet(tensor, scalar));
}

static void *copy_bools(MlirAttribute elements, int64_t n) {
  uint8_t *copy = malloc((size_t)n + 1);
  bool splat = mlirDenseElementsAttrIsSplat(elements);
  for (int64_t i = 0; i < n; ++i)
    copy[i] = splat ? mlirDenseElementsAttrGetBoolSplatValue(elements)
                    : mlirDenseElementsAttrGetBoolValue(elements, i);
  return copy;
}

static void *copy_dense(MlirAttribute elements, int64_t n,
                        int64_t element_bytes) {
  char *copy = malloc((size_t)(n * element_bytes) + 1);
  const char *raw = mlirDenseElementsAttrGetRawData(elements);
  bool splat = mlirDenseElementsAttrIsSplat(elements);
  if (!splat && n)
    memcpy(copy, raw, (size_t)(n * element_bytes));
  if (!splat)
    return copy;
  for (int64_t i = 0; i < n; ++i)
    memcpy(copy + i * element_bytes, raw, (size_t)element_bytes);
  return copy;
}

void *tvm_copy_elements(MlirAttribute elements, size_t *out_bytes) {
  *out_bytes = 0;
  if (mlirAttributeIsNull(elements) || !mlirAttributeIsAElements(elements))
    return NULL;
  MlirType tensor = mlirAttributeGetType(elements);
  MlirType element = mlirShapedTypeGetElementType(tensor);
  int64_t n = tvm_num_elements(tensor), bytes = tvm_element_bytes(element);
  const void *data;
  size_t size;
  if (tvm_seam_resource_data(elements, &data, &size)) {
    if (size != (size_t)(n * bytes))
      return NULL;
    void *copy = malloc(size + 1);
    memcpy(copy, data, size);
    *out_bytes = size;
    return copy;
  }
  if (!mlirAttributeIsADenseElements(elements))
    return NULL;
  *out_bytes = (size_t)(n * bytes);
  if (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 1)
    return copy_bools(elements, n);
  return copy_dense(elements, n, bytes);
}
