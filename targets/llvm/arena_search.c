/* arena_search.c - better orders by chance, the same ones every time. */
#include "llvm/arena_internal.h"

#include <stdlib.h>
#include <string.h>

/* Pairs of neighbours that are looked at in all: a second at most. */
static const int64_t work_limit = 20000000;

static uint64_t next_random(uint64_t *state) {
  uint64_t x = *state; /* xorshift64 */
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return *state = x;
}

/* The position in `order` of a buffer that reaches the top of the arena. */
static size_t find_top(const tvm_arena_problem *p, const uint32_t *order,
                       const int64_t *offsets, int64_t arena) {
  for (size_t k = 0; k < p->n; ++k)
    if (offsets[order[k]] + p->buffers[order[k]].bytes == arena)
      return k;
  return 0;
}

static void move(uint32_t *order, size_t from, size_t to) {
  uint32_t item = order[from];
  if (to < from)
    memmove(order + to + 1, order + to, (from - to) * sizeof *order);
  else
    memmove(order + from, order + from + 1, (to - from) * sizeof *order);
  order[to] = item;
}

/* Let what reaches the top choose its place earlier, or swap two. */
static void change(const tvm_arena_problem *p, uint32_t *order,
                   const int64_t *offsets, int64_t arena, uint64_t *random) {
  uint64_t r = next_random(random);
  if (r % 4) {
    size_t top = find_top(p, order, offsets, arena);
    if (top) {
      move(order, top, next_random(random) % top);
      return;
    }
  }
  size_t i = next_random(random) % p->n, j = next_random(random) % p->n;
  uint32_t item = order[i];
  order[i] = order[j];
  order[j] = item;
}

void tvm_arena_improve(const tvm_arena_problem *p, uint32_t *order,
                       tvm_arena_solution *best) {
  size_t size = p->n * sizeof *order;
  uint32_t *trial = malloc(size);
  int64_t *offsets = malloc(p->n * sizeof *offsets);
  int64_t *current = malloc(p->n * sizeof *current);
  int64_t *scratch = malloc((2 * p->n + 2) * sizeof *scratch);
  int64_t cost = (int64_t)(p->begin[p->n] + 4 * p->n);
  int64_t bytes = tvm_arena_place(p, order, current, scratch);
  uint64_t random = 0x9e3779b97f4a7c15u;
  for (int64_t work = cost; work < work_limit && best->bytes > p->bound;
       work += cost) {
    memcpy(trial, order, size);
    change(p, trial, current, bytes, &random);
    int64_t got = tvm_arena_place(p, trial, offsets, scratch);
    if (got > bytes)
      continue;
    memcpy(order, trial, size);
    memcpy(current, offsets, p->n * sizeof *offsets);
    bytes = got;
    if (got < best->bytes) {
      best->bytes = got;
      memcpy(best->offsets, offsets, p->n * sizeof *offsets);
    }
  }
  free(scratch);
  free(current);
  free(offsets);
  free(trial);
}
