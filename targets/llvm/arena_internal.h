/* arena_internal.h - the parts of the arena's search. */
#ifndef TVM_TARGETS_LLVM_ARENA_INTERNAL_H
#define TVM_TARGETS_LLVM_ARENA_INTERNAL_H

#include "llvm/arena.h"

/* The buffers, and who lives together with whom: the neighbours of buffer i are
 * neighbours[begin[i] .. begin[i + 1]). */
typedef struct tvm_arena_problem {
  size_t n;
  const tvm_arena_buffer *buffers;
  size_t *begin;
  uint32_t *neighbours;
  int64_t bound;
} tvm_arena_problem;

/* The best offsets so far. */
typedef struct tvm_arena_solution {
  int64_t *offsets;
  int64_t bytes;
} tvm_arena_solution;

/* ---- arena.c ---- */

/* Place buffers one after another at the gap that fits best, in `order`.
 * `scratch` has room for 2 n elements. Returns the bytes of the arena. */
int64_t tvm_arena_place(const tvm_arena_problem *p, const uint32_t *order,
                        int64_t *offsets, int64_t *scratch);

/* ---- arena_search.c ---- */

/* Change the order at random and keep what is not worse, a bounded number of
 * times. `order` is the order that led to `best`; it is changed. */
void tvm_arena_improve(const tvm_arena_problem *p, uint32_t *order,
                       tvm_arena_solution *best);

/* ---- arena_exact.c ---- */

/* Search all arrangements for less than `best`, a bounded number of steps. */
void tvm_arena_search_all(const tvm_arena_problem *p, tvm_arena_solution *best);

#endif
