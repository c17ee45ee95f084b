/* nesting.h - bound the depth of a protobuf message before it is unpacked. */
#ifndef TVM_TARGETS_ONNX_NESTING_H
#define TVM_TARGETS_ONNX_NESTING_H

#include <protobuf-c/protobuf-c.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether messages nest in one another `limit` deep at most. The unpacker of
 * protobuf-c recurses without a limit of its own. True for bytes that are no
 * message: the unpacker reports these. */
bool tvm_onnx_check_nesting(const ProtobufCMessageDescriptor *type,
                            const uint8_t *data, size_t size, int limit);

#endif
