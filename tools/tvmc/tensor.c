/* tensor.c - tensors in memory: element types, access, names of types. */
#include "tvmc.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* .npy has no bfloat16: ml_dtypes writes it as opaque elements of 2 bytes. */
static const element_type element_types[] = {
    {"bool", kDLBool, 8, 'b', 9},    {"i8", kDLInt, 8, 'i', 3},
    {"i16", kDLInt, 16, 'i', 5},     {"i32", kDLInt, 32, 'i', 6},
    {"i64", kDLInt, 64, 'i', 7},     {"u8", kDLUInt, 8, 'u', 2},
    {"u16", kDLUInt, 16, 'u', 4},    {"u32", kDLUInt, 32, 'u', 12},
    {"u64", kDLUInt, 64, 'u', 13},   {"f16", kDLFloat, 16, 'f', 10},
    {"f32", kDLFloat, 32, 'f', 1},   {"f64", kDLFloat, 64, 'f', 11},
    {"bf16", kDLBfloat, 16, 'V', 16}};
enum { NUM_ELEMENT_TYPES = sizeof element_types / sizeof *element_types };

const element_type *find_element_type(DLDataType dtype) {
  for (int i = 0; i < NUM_ELEMENT_TYPES; i++)
    if (element_types[i].code == dtype.code &&
        element_types[i].bits == dtype.bits && dtype.lanes == 1)
      return &element_types[i];
  return NULL;
}

const element_type *find_onnx_type(int32_t onnx_type) {
  for (int i = 0; i < NUM_ELEMENT_TYPES; i++)
    if (element_types[i].onnx_type == onnx_type)
      return &element_types[i];
  return NULL;
}

const element_type *find_npy_type(char kind, uint64_t bytes) {
  for (int i = 0; i < NUM_ELEMENT_TYPES; i++)
    if (element_types[i].npy_kind == kind &&
        element_types[i].bits / 8u == bytes)
      return &element_types[i];
  return NULL;
}

bool is_float_type(DLDataType dtype) {
  return dtype.code == kDLFloat || dtype.code == kDLBfloat;
}

bool tensor_init(tensor *out, DLDataType dtype, int64_t rank,
                 const int64_t *shape, failure *f) {
  *out = (tensor){.dtype = dtype};
  size_t count = 1, bytes;
  if (rank < 0 || rank > TENSOR_MAX_RANK)
    return fail(f, "a rank from 0 to %d expected, got %" PRId64,
                TENSOR_MAX_RANK, rank);
  for (int64_t i = 0; i < rank; i++) {
    if (shape[i] < 0)
      return fail(f, "dimension %" PRId64 " is negative: %" PRId64, i,
                  shape[i]);
    if (__builtin_mul_overflow(count, (size_t)shape[i], &count))
      return fail(f, "the dimensions overflow");
  }
  if (__builtin_mul_overflow(count, (size_t)dtype.bits / 8, &bytes) ||
      bytes > (size_t)PTRDIFF_MAX - 64)
    return fail(f, "the dimensions overflow");
  void *data = calloc(bytes ? bytes : 1, 1);
  if (!data)
    return fail(f, "no memory for %zu bytes", bytes);
  out->rank = (int32_t)rank;
  out->shape = calloc((size_t)rank + 1, sizeof *out->shape);
  if (rank)
    memcpy(out->shape, shape, (size_t)rank * sizeof *shape);
  out->count = count;
  out->bytes = bytes;
  out->data = data;
  return true;
}

void tensor_finish(tensor *t) {
  free(t->name);
  free(t->shape);
  free(t->data);
  *t = (tensor){0};
}

DLTensor tensor_view(const tensor *t) {
  return (DLTensor){.data = t->data,
                    .device = {kDLCPU, 0},
                    .ndim = t->rank,
                    .dtype = t->dtype,
                    .shape = t->shape};
}

tensor tensor_from_view(const DLTensor *view, const char *name) {
  tensor t = {.name = (char *)name,
              .dtype = view->dtype,
              .rank = view->ndim,
              .shape = view->shape,
              .count = 1,
              .data = (char *)view->data + view->byte_offset};
  for (int32_t i = 0; i < t.rank; i++)
    t.count *= (size_t)t.shape[i];
  t.bytes = t.count * (t.dtype.bits / 8u);
  return t;
}

static double half_to_double(uint16_t h) {
  int exponent = h >> 10 & 31, mantissa = h & 1023;
  double value;
  if (exponent == 31)
    value = mantissa ? (double)NAN : (double)INFINITY;
  else if (exponent)
    value = ldexp(mantissa + 1024, exponent - 25);
  else
    value = ldexp(mantissa, -24);
  return h >> 15 ? -value : value;
}

/* Rounds to nearest, ties to even. */
static uint16_t double_to_half(double value) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  value = fabs(value);
  if (isnan(value))
    return sign | 0x7e00;
  if (value >= 65520)
    return sign | 0x7c00;
  if (value < ldexp(1, -14))
    return sign | (uint16_t)nearbyint(ldexp(value, 24));
  int exponent;
  frexp(value, &exponent);
  int mantissa = (int)nearbyint(ldexp(value, 11 - exponent));
  return sign | (uint16_t)((exponent + 13) * 1024 + mantissa);
}

static uint16_t double_to_bfloat(double value) {
  float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  if (isnan(value))
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static double bfloat_to_double(uint16_t b) {
  uint32_t bits = (uint32_t)b << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* memcpy throughout: tensors in mapped files need not be aligned. */
#define LOADER(type)                                                           \
  static type load_##type(const char *at) {                                    \
    type value;                                                                \
    memcpy(&value, at, sizeof value);                                          \
    return value;                                                              \
  }
LOADER(int8_t)
LOADER(int16_t)
LOADER(int32_t)
LOADER(int64_t)
LOADER(uint8_t)
LOADER(uint16_t)
LOADER(uint32_t)
LOADER(uint64_t)
LOADER(float)
LOADER(double)

static int64_t load_signed(const char *at, int bits) {
  switch (bits) {
  case 8:
    return load_int8_t(at);
  case 16:
    return load_int16_t(at);
  case 32:
    return load_int32_t(at);
  }
  return load_int64_t(at);
}

static uint64_t load_unsigned(const char *at, int bits) {
  switch (bits) {
  case 8:
    return load_uint8_t(at);
  case 16:
    return load_uint16_t(at);
  case 32:
    return load_uint32_t(at);
  }
  return load_uint64_t(at);
}

double tensor_get(const tensor *t, size_t index) {
  int bits = t->dtype.bits;
  const char *at = (const char *)t->data + index * (size_t)(bits / 8);
  switch (t->dtype.code) {
  case kDLInt:
    return (double)load_signed(at, bits);
  case kDLBfloat:
    return bfloat_to_double(load_uint16_t(at));
  case kDLFloat:
    if (bits == 16)
      return half_to_double(load_uint16_t(at));
    return bits == 32 ? (double)load_float(at) : load_double(at);
  }
  return (double)load_unsigned(at, bits);
}

void tensor_set(tensor *t, size_t index, double value) {
  int bits = t->dtype.bits;
  char *at = (char *)t->data + index * (size_t)(bits / 8);
  float single = (float)value;
  uint16_t half = t->dtype.code == kDLBfloat ? double_to_bfloat(value)
                                             : double_to_half(value);
  if (t->dtype.code == kDLBfloat || (t->dtype.code == kDLFloat && bits == 16)) {
    memcpy(at, &half, sizeof half);
  } else if (t->dtype.code == kDLFloat && bits == 32) {
    memcpy(at, &single, sizeof single);
  } else if (t->dtype.code == kDLFloat) {
    memcpy(at, &value, sizeof value);
  } else {
    int64_t whole = (int64_t)value; /* little-endian: the low bytes */
    memcpy(at, &whole, (size_t)(bits / 8));
  }
}

char *print_element(char *buffer, size_t size, const tensor *t, size_t index) {
  int bits = t->dtype.bits;
  const char *at = (const char *)t->data + index * (size_t)(bits / 8);
  if (t->dtype.code == kDLInt)
    snprintf(buffer, size, "%" PRId64, load_signed(at, bits));
  else if (t->dtype.code == kDLBool)
    snprintf(buffer, size, "%s", load_unsigned(at, 8) ? "true" : "false");
  else if (t->dtype.code == kDLUInt)
    snprintf(buffer, size, "%" PRIu64, load_unsigned(at, bits));
  else
    snprintf(buffer, size, "%.*g", bits == 64 ? 15 : 7, tensor_get(t, index));
  return buffer;
}

__attribute__((format(printf, 3, 4))) static size_t
append(char *buffer, size_t at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(buffer + at, TENSOR_TEXT_BYTES - at, format, args);
  va_end(args);
  at += n > 0 ? (size_t)n : 0;
  return at < TENSOR_TEXT_BYTES ? at : TENSOR_TEXT_BYTES - 1;
}

char *print_type(char *buffer, DLDataType dtype, int32_t rank,
                 const int64_t *shape) {
  const element_type *type = find_element_type(dtype);
  size_t at = append(buffer, 0, "%s[", type ? type->name : "?");
  for (int32_t i = 0; i < rank; i++)
    at = append(buffer, at, "%s%" PRId64, i ? "," : "", shape[i]);
  append(buffer, at, "]");
  return buffer;
}

char *print_position(char *buffer, const tensor *t, size_t index) {
  int64_t position[TENSOR_MAX_RANK];
  int32_t rank = t->rank < TENSOR_MAX_RANK ? t->rank : TENSOR_MAX_RANK;
  for (int32_t i = rank; i-- > 0;) {
    position[i] = (int64_t)(index % (size_t)t->shape[i]);
    index /= (size_t)t->shape[i];
  }
  size_t at = append(buffer, 0, "[");
  for (int32_t i = 0; i < rank; i++)
    at = append(buffer, at, "%s%" PRId64, i ? "," : "", position[i]);
  append(buffer, at, "]");
  return buffer;
}

bool same_type(const tensor *t, DLDataType dtype, int32_t rank,
               const int64_t *shape) {
  if (t->dtype.code != dtype.code || t->dtype.bits != dtype.bits ||
      t->rank != rank)
    return false;
  for (int32_t i = 0; i < rank; i++)
    if (t->shape[i] != shape[i])
      return false;
  return true;
}
