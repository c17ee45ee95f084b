/* kernel_message.c - whole messages over a stream socket. */
#include "llvm/kernel_message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

void tvm_bytes_append(tvm_bytes *b, const void *data, size_t size) {
  if (!size)
    return; /* `data` may be null */
  if (b->size + size > b->capacity) {
    b->capacity = 2 * (b->size + size);
    b->data = realloc(b->data, b->capacity);
  }
  memcpy(b->data + b->size, data, size);
  b->size += size;
}

uint64_t tvm_kernel_magic(void) {
  static const char build[] = "kernel " TVM_VERSION;
  uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
  for (size_t i = 0; i < sizeof build; ++i)
    h = (h ^ (unsigned char)build[i]) * 0x100000001b3u;
  h = (h ^ sizeof(tvm_kernel_request)) * 0x100000001b3u;
  return (h ^ sizeof(tvm_kernel_reply)) * 0x100000001b3u;
}

bool tvm_send_bytes(int socket, const void *data, size_t size) {
  for (const char *at = data; size > 0;) {
    ssize_t n = send(socket, at, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}

bool tvm_receive_bytes(int socket, void *data, size_t size) {
  for (char *at = data; size > 0;) {
    ssize_t n = recv(socket, at, size, 0);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}
