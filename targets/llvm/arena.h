/* arena.h - offsets in one arena for buffers that live for a time.
 *
 * Dynamic storage allocation with all lifetimes known. Plain C: no MLIR. */
#ifndef TVM_TARGETS_LLVM_ARENA_H
#define TVM_TARGETS_LLVM_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tvm_arena_buffer {
  int64_t bytes;       /* > 0 */
  int64_t first, last; /* alive from first to last, both included */
  int64_t offset;      /* out */
} tvm_arena_buffer;

/* The most bytes alive at one time: no arena can be smaller. */
int64_t tvm_arena_bound(size_t n, const tvm_arena_buffer *buffers);

/* Give each buffer an offset, a sum of sizes, such that no two that live at one
 * time overlap. Returns the bytes of the arena. The same input gives the same
 * offsets; the work is bounded: exact for a few buffers, close for the rest. */
int64_t tvm_arena_assign(size_t n, tvm_arena_buffer *buffers);

#endif
