/* kernel_message.h - what the compiler and a kernel worker say to each other.
 *
 * Both are of one build and on one machine: structs travel as they are, behind
 * them the bytes that they count. */
#ifndef TVM_TARGETS_LLVM_KERNEL_MESSAGE_H
#define TVM_TARGETS_LLVM_KERNEL_MESSAGE_H

#include "llvm/build_kernel.h"

/* Bytes that grow. Zero-initialise to create, free `data` to release. */
typedef struct tvm_bytes {
  char *data;
  size_t size, capacity;
} tvm_bytes;

void tvm_bytes_append(tvm_bytes *b, const void *data, size_t size);

/* One kernel to build; behind it the three texts. */
typedef struct tvm_kernel_request {
  uint64_t magic; /* of this build */
  tvm_llvm_target target;
  uint64_t constants;
  int32_t effort;
  uint32_t schedule_bytes, object_bytes; /* with a zero */
  uint64_t kernel_bytes;                 /* MLIR bytecode */
} tvm_kernel_request;

/* Behind it the messages, each a severity and a text with a zero. */
typedef struct tvm_kernel_reply {
  int32_t is_built;
  int64_t grid, workspace_bytes, flops;
  tvm_llvm_packing packing;
  int32_t n_in_place, in_place[TVM_MAX_IN_PLACE];
  uint64_t message_bytes;
} tvm_kernel_reply;

/* Tells builds of the compiler apart that must not be mixed. */
uint64_t tvm_kernel_magic(void);

/* Whole, or false: the other side is gone. Never raises SIGPIPE. */
bool tvm_send_bytes(int socket, const void *data, size_t size);
bool tvm_receive_bytes(int socket, void *data, size_t size);

#endif
