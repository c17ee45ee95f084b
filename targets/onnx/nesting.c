/* nesting.c - bound the depth of a protobuf message before it is unpacked. */
#include "nesting.h"

typedef struct {
  const uint8_t *at, *end;
} reader;

static bool read_varint(reader *r, uint64_t *out) {
  *out = 0;
  for (int shift = 0; shift < 70 && r->at < r->end; shift += 7) {
    uint8_t byte = *r->at++;
    if (shift < 64)
      *out |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

static bool skip(reader *r, uint64_t size) {
  if (size > (uint64_t)(r->end - r->at))
    return false;
  r->at += size;
  return true;
}

/* Skips one field. A nested message is returned through `inner`. */
static bool read_field(reader *r, const ProtobufCMessageDescriptor *type,
                       const ProtobufCMessageDescriptor **inner_type,
                       reader *inner) {
  uint64_t tag, size;
  *inner_type = NULL;
  if (!read_varint(r, &tag))
    return false;
  switch (tag & 7) {
  case PROTOBUF_C_WIRE_TYPE_VARINT:
    return read_varint(r, &size);
  case PROTOBUF_C_WIRE_TYPE_64BIT:
    return skip(r, 8);
  case PROTOBUF_C_WIRE_TYPE_32BIT:
    return skip(r, 4);
  case PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED:
    break;
  default:
    return false;
  }
  if (!read_varint(r, &size))
    return false;
  inner->at = r->at;
  if (!skip(r, size))
    return false;
  inner->end = r->at;
  const ProtobufCFieldDescriptor *field =
      protobuf_c_message_descriptor_get_field(type, (unsigned)(tag >> 3));
  if (field && field->type == PROTOBUF_C_TYPE_MESSAGE)
    *inner_type = field->descriptor;
  return true;
}

bool tvm_onnx_check_nesting(const ProtobufCMessageDescriptor *type,
                            const uint8_t *data, size_t size, int limit) {
  if (limit == 0)
    return false;
  reader r = {data, data + size}, inner;
  const ProtobufCMessageDescriptor *inner_type;
  while (r.at < r.end && read_field(&r, type, &inner_type, &inner))
    if (inner_type &&
        !tvm_onnx_check_nesting(inner_type, inner.at,
                                (size_t)(inner.end - inner.at), limit - 1))
      return false;
  return true;
}
