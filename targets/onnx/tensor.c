/* tensor.c - TensorProto to constants, the bytes moved as they are. */
#include "importer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_INLINE_BYTES = 64, /* printed in the IR; larger ones are resources */
  CODE_LIMIT = 23
};

static const char *const CODE_NAMES[CODE_LIMIT] = {
    "undefined",    "float32",  "uint8",      "int8",           "uint16",
    "int16",        "int32",    "int64",      "string",         "bool",
    "float16",      "float64",  "uint32",     "uint64",         "complex64",
    "complex128",   "bfloat16", "float8e4m3", "float8e4m3fnuz", "float8e5m2",
    "float8e5m2fn", "uint4",    "int4"};

const char *tvm_onnx_name_of_code(int64_t code) {
  return code < 0 || code >= CODE_LIMIT ? "unknown" : CODE_NAMES[code];
}

MlirType tvm_onnx_type_of_code(MlirContext c, int64_t code) {
  switch (code) {
  case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
    return mlirF32TypeGet(c);
  case ONNX__TENSOR_PROTO__DATA_TYPE__UINT8:
    return mlirIntegerTypeUnsignedGet(c, 8);
  case ONNX__TENSOR_PROTO__DATA_TYPE__INT8:
    return mlirIntegerTypeGet(c, 8);
  case ONNX__TENSOR_PROTO__DATA_TYPE__UINT16:
    return mlirIntegerTypeUnsignedGet(c, 16);
  case ONNX__TENSOR_PROTO__DATA_TYPE__INT16:
    return mlirIntegerTypeGet(c, 16);
  case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
    return mlirIntegerTypeGet(c, 32);
  case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
    return mlirIntegerTypeGet(c, 64);
  case ONNX__TENSOR_PROTO__DATA_TYPE__BOOL:
    return mlirIntegerTypeGet(c, 1);
  case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16:
    return mlirF16TypeGet(c);
  case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
    return mlirF64TypeGet(c);
  case ONNX__TENSOR_PROTO__DATA_TYPE__UINT32:
    return mlirIntegerTypeUnsignedGet(c, 32);
  case ONNX__TENSOR_PROTO__DATA_TYPE__UINT64:
    return mlirIntegerTypeUnsignedGet(c, 64);
  case ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16:
    return mlirBF16TypeGet(c);
  default:
    return (MlirType){NULL};
  }
}

bool tvm_onnx_count_bytes(size_t rank, const int64_t *dims, int64_t unit,
                          int64_t *out_bytes) {
  /* A zero must not hide that the others overflow. */
  int64_t bytes = unit;
  bool empty = false;
  for (size_t i = 0; i < rank; ++i) {
    empty |= dims[i] == 0;
    if (dims[i] < 0 ||
        __builtin_mul_overflow(bytes, dims[i] ? dims[i] : 1, &bytes))
      return false;
  }
  *out_bytes = empty ? 0 : bytes;
  return bytes < INT64_MAX / 16;
}

/* One tensor on its way. */
typedef struct {
  tvm_onnx_model *model;
  tvm_builder *builder;
  Onnx__TensorProto *proto;
  const char *what;
  MlirType element;
  size_t unit, count, bytes;
} source;

__attribute__((format(printf, 2, 3))) static bool
fail(const source *s, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  tvm_emit_error(s->builder->location, "%s %s", s->what, text);
  return false;
}

static void release_malloc(void *user, const void *data, size_t bytes,
                           size_t align) {
  (void)user, (void)bytes, (void)align;
  free((void *)(uintptr_t)data);
}

static bool check_dims(source *s) {
  const Onnx__TensorProto *p = s->proto;
  int64_t bytes;
  if (p->n_dims > TVM_EMIT_MAX_RANK)
    return fail(s, "has rank %zu, supported is %d at most", p->n_dims,
                TVM_EMIT_MAX_RANK);
  for (size_t i = 0; i < p->n_dims; ++i)
    if (p->dims[i] < 0)
      return fail(s, "has the negative dimension %lld", (long long)p->dims[i]);
  if (!tvm_onnx_count_bytes(p->n_dims, p->dims, (int64_t)s->unit, &bytes))
    return fail(s, "has dimensions whose product overflows");
  s->bytes = (size_t)bytes;
  s->count = s->bytes / s->unit;
  return true;
}

static bool check_type(source *s) {
  const Onnx__TensorProto *p = s->proto;
  if (!p->has_data_type || p->data_type == 0)
    return fail(s, "has no element type");
  s->element = tvm_onnx_type_of_code(s->model->context, p->data_type);
  if (mlirTypeIsNull(s->element))
    return fail(s, "has the element type %s (%d), which is not supported",
                tvm_onnx_name_of_code(p->data_type), p->data_type);
  if (p->segment)
    return fail(s, "is stored in segments, which is not supported");
  s->unit = (size_t)tvm_element_bytes(s->element);
  return check_dims(s);
}

/* The typed field that holds elements of this type. */
static size_t count_typed(const source *s) {
  const Onnx__TensorProto *p = s->proto;
  switch (p->data_type) {
  case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
    return p->n_float_data;
  case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
    return p->n_double_data;
  case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
    return p->n_int64_data;
  case ONNX__TENSOR_PROTO__DATA_TYPE__UINT32:
  case ONNX__TENSOR_PROTO__DATA_TYPE__UINT64:
    return p->n_uint64_data;
  default:
    return p->n_int32_data;
  }
}

/* The bits of element i, which a little-endian copy then narrows. */
static uint64_t get_bits(const source *s, size_t i) {
  const Onnx__TensorProto *p = s->proto;
  return p->n_uint64_data ? p->uint64_data[i]
                          : (uint64_t)(int64_t)p->int32_data[i];
}

static void *take(void *field) {
  void **pointer = field;
  void *data = *pointer;
  *pointer = NULL;
  return data;
}

static void *take_typed(const source *s) {
  Onnx__TensorProto *p = s->proto;
  if (p->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT)
    return p->n_float_data = 0, take(&p->float_data);
  if (p->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE)
    return p->n_double_data = 0, take(&p->double_data);
  if (p->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__INT64)
    return p->n_int64_data = 0, take(&p->int64_data);
  if (p->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__UINT64)
    return p->n_uint64_data = 0, take(&p->uint64_data);
  if (p->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__INT32)
    return p->n_int32_data = 0, take(&p->int32_data);
  uint8_t *data = malloc(s->bytes);
  for (size_t i = 0; data && i < s->count; ++i) {
    uint64_t bits = get_bits(s, i);
    memcpy(data + i * s->unit, &bits, s->unit);
  }
  return data;
}

/* Fails: emits. Empty tensors have null data. */
static bool find_bytes(source *s, tvm_onnx_bytes *out) {
  Onnx__TensorProto *p = s->proto;
  *out = (tvm_onnx_bytes){NULL, s->bytes, release_malloc, NULL};
  if (p->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
    return tvm_onnx_map_external(s->model, s->builder->location, p, s->what,
                                 s->bytes, out);
  if (p->has_raw_data) {
    if (p->raw_data.len != s->bytes)
      return fail(s, "holds %zu bytes, its type and shape need %zu",
                  p->raw_data.len, s->bytes);
    p->raw_data.len = 0;
    out->data = take(&p->raw_data.data);
  } else {
    if (count_typed(s) != s->count)
      return fail(s, "holds %zu elements, its shape needs %zu", count_typed(s),
                  s->count);
    out->data = s->count ? take_typed(s) : NULL;
  }
  return out->data || s->bytes == 0 || fail(s, "does not fit in memory");
}

/* Bools are one byte each, and the kernels trust that it is 0 or 1. */
static void normalize_bools(tvm_onnx_bytes *bytes) {
  uint8_t *data = bytes->data;
  for (size_t i = 0; i < bytes->size; ++i)
    if (data[i] > 1)
      data[i] = 1;
}

static MlirValue build(source *s, MlirType type, tvm_onnx_bytes *bytes) {
  if (bytes->size && mlirTypeIsAInteger(s->element) &&
      mlirIntegerTypeGetWidth(s->element) == 1)
    normalize_bools(bytes);
  if (bytes->size > MAX_INLINE_BYTES) {
    const char *name = s->proto->name && *s->proto->name ? s->proto->name : "w";
    return tvm_build_resource(s->builder, type, name, bytes->data, bytes->size,
                              bytes->release, bytes->release_data);
  }
  uint64_t none = 0;
  MlirValue value = tvm_build_constant(
      s->builder, type, bytes->data ? bytes->data : &none, bytes->size);
  if (bytes->data)
    bytes->release(bytes->release_data, bytes->data, bytes->size, 1);
  return value;
}

MlirValue tvm_onnx_build_tensor(tvm_onnx_model *m, tvm_builder *b,
                                Onnx__TensorProto *tensor, const char *what) {
  source s = {.model = m, .builder = b, .proto = tensor, .what = what};
  tvm_onnx_bytes bytes;
  if (!check_type(&s) || !find_bytes(&s, &bytes))
    return (MlirValue){NULL};
  MlirType type =
      tvm_tensor_type((intptr_t)tensor->n_dims, tensor->dims, s.element);
  return build(&s, type, &bytes);
}

MlirValue tvm_onnx_share_tensor(tvm_onnx_model *m, tvm_builder *b,
                                Onnx__TensorProto *tensor, const char *what) {
  void *known = tvm_onnx_table_get_at(&m->tensors, tensor);
  if (known)
    return (MlirValue){known};
  MlirValue value = tvm_onnx_build_tensor(m, b, tensor, what);
  if (!mlirValueIsNull(value))
    tvm_onnx_table_put_at(&m->tensors, tensor, (void *)(uintptr_t)value.ptr);
  return value;
}
