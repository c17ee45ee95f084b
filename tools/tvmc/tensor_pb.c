/* tensor_pb.c - ONNX TensorProto files. */
#include "tvmc.h"

#include "onnx.pb-c.h"

#include <stdlib.h>
#include <string.h>

/* Copies `count` numbers of a typed field, each `from_bytes` wide, to elements
 * of `to_bytes`: the low bytes, in memory order. */
static void narrow(tensor *t, const void *from, size_t from_bytes) {
  size_t to_bytes = t->dtype.bits / 8u;
  size_t both = to_bytes < from_bytes ? to_bytes : from_bytes;
  for (size_t i = 0; i < t->count; i++)
    memcpy((char *)t->data + i * to_bytes, (const char *)from + i * from_bytes,
           both);
}

static bool copy_typed(tensor *t, const Onnx__TensorProto *p, const char *path,
                       failure *f) {
  const void *from = p->int32_data;
  size_t have = p->n_int32_data, width = 4;
  const char *field = "int32_data";
  if (t->dtype.code == kDLFloat && t->dtype.bits == 32) {
    from = p->float_data;
    have = p->n_float_data;
    field = "float_data";
  } else if (t->dtype.code == kDLFloat && t->dtype.bits == 64) {
    from = p->double_data;
    have = p->n_double_data;
    width = 8;
    field = "double_data";
  } else if (t->dtype.code == kDLInt && t->dtype.bits == 64) {
    from = p->int64_data;
    have = p->n_int64_data;
    width = 8;
    field = "int64_data";
  } else if (t->dtype.code == kDLUInt && t->dtype.bits >= 32) {
    from = p->uint64_data;
    have = p->n_uint64_data;
    width = 8;
    field = "uint64_data";
  }
  if (have != t->count)
    return fail(f, "'%s' expects %zu elements in '%s', got %zu", path, t->count,
                field, have);
  narrow(t, from, width);
  return true;
}

/* How many elements the message can hold, so that a shape which promises more
 * allocates nothing. */
static bool check_size(const Onnx__TensorProto *p, const element_type *type,
                       const char *path, failure *f) {
  size_t bytes = type->bits / 8u, count = 1;
  for (size_t i = 0; i < p->n_dims; i++) {
    if (p->dims[i] < 0)
      return fail(f, "'%s': dimension %zu is negative: %lld", path, i,
                  (long long)p->dims[i]);
    if (__builtin_mul_overflow(count, (size_t)p->dims[i], &count))
      return fail(f, "'%s': the dimensions overflow", path);
  }
  if (__builtin_mul_overflow(bytes, count, &bytes))
    return fail(f, "'%s': the dimensions overflow", path);
  if (p->has_raw_data && p->raw_data.len != bytes)
    return fail(f, "'%s' expects %zu bytes of data, got %zu", path, bytes,
                p->raw_data.len);
  size_t most = p->n_float_data + p->n_int32_data + p->n_int64_data +
                p->n_double_data + p->n_uint64_data;
  if (!p->has_raw_data && count > most)
    return fail(f, "'%s' expects %zu elements, got %zu", path, count, most);
  return true;
}

static bool convert(tensor *out, const Onnx__TensorProto *p, const char *path,
                    failure *f) {
  failure inner;
  const element_type *type = find_onnx_type(p->data_type);
  if (!type)
    return fail(f, "'%s' has the ONNX element type %d, which is not supported",
                path, p->data_type);
  if (p->n_external_data || (p->has_data_location && p->data_location == 1))
    return fail(f,
                "'%s' keeps its data in another file, which is not "
                "supported",
                path);
  if (!check_size(p, type, path, f))
    return false;
  if (!tensor_init(out, (DLDataType){type->code, type->bits, 1},
                   (int64_t)p->n_dims, p->dims, &inner))
    return fail(f, "'%s': %.900s", path, inner.text);
  if (p->name && *p->name)
    out->name = strdup(p->name);
  if (!p->has_raw_data) {
    if (!copy_typed(out, p, path, f))
      return false;
  } else if (out->bytes) {
    memcpy(out->data, p->raw_data.data, out->bytes);
  }
  for (size_t i = 0; type->code == kDLBool && i < out->count; i++)
    ((uint8_t *)out->data)[i] = ((uint8_t *)out->data)[i] != 0;
  return true;
}

bool tensor_parse_pb(tensor *out, const uint8_t *data, size_t size,
                     const char *path, failure *f) {
  *out = (tensor){0};
  Onnx__TensorProto *p = onnx__tensor_proto__unpack(NULL, size, data);
  if (!p || !p->has_data_type || !p->data_type) {
    if (p)
      onnx__tensor_proto__free_unpacked(p, NULL);
    return fail(f, "'%s' is no ONNX TensorProto", path);
  }
  bool ok = convert(out, p, path, f);
  if (!ok)
    tensor_finish(out);
  onnx__tensor_proto__free_unpacked(p, NULL);
  return ok;
}

bool tensor_write_pb(const tensor *t, const char *path, failure *f) {
  Onnx__TensorProto p = ONNX__TENSOR_PROTO__INIT;
  p.n_dims = (size_t)t->rank;
  p.dims = t->shape;
  p.has_data_type = 1;
  p.data_type = find_element_type(t->dtype)->onnx_type;
  p.name = t->name;
  p.has_raw_data = 1;
  p.raw_data = (ProtobufCBinaryData){t->bytes, t->data};
  size_t size = onnx__tensor_proto__get_packed_size(&p);
  uint8_t *packed = malloc(size ? size : 1);
  if (!packed)
    return fail(f, "no memory for %zu bytes", size);
  onnx__tensor_proto__pack(&p, packed);
  bool ok = file_write(path, packed, size, NULL, 0, f);
  free(packed);
  return ok;
}

bool tensor_read(tensor *out, const char *path, failure *f) {
  *out = (tensor){0};
  file_bytes file;
  bool npy = has_extension(path, ".npy");
  if (!npy && !has_extension(path, ".pb"))
    return fail(f, "'%s' expects the extension .npy, .pb or .png", path);
  if (!file_map(&file, path, f))
    return false;
  bool ok = (npy ? tensor_parse_npy : tensor_parse_pb)(out, file.data,
                                                       file.size, path, f);
  file_unmap(&file);
  return ok;
}

bool tensor_write(const tensor *t, const char *path, failure *f) {
  if (has_extension(path, ".npy"))
    return tensor_write_npy(t, path, f);
  if (has_extension(path, ".pb"))
    return tensor_write_pb(t, path, f);
  return fail(f, "'%s' expects the extension .npy or .pb", path);
}
