/* test_arena.c - offsets of many random sets of buffers.
 *
 * No two that live at one time may overlap, the arena must hold all of them,
 * the bound must be what it says, and few buffers must be placed as well as by
 * trying everything. */
#include "llvm/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int num_failures;

#define CHECK(condition, round)                                                \
  do {                                                                         \
    if (!(condition)) {                                                        \
      num_failures++;                                                          \
      fprintf(stderr, "%s:%d: round %d failed: %s\n", __FILE__, __LINE__,      \
              (int)(round), #condition);                                       \
    }                                                                          \
  } while (0)

static uint64_t next(uint64_t *state) {
  uint64_t x = *state;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return *state = x;
}

static void fill(size_t n, tvm_arena_buffer *b, int64_t span, int64_t sizes,
                 uint64_t *random) {
  for (size_t i = 0; i < n; i++) {
    b[i].first = (int64_t)(next(random) % (uint64_t)span);
    b[i].last = b[i].first + (int64_t)(next(random) % 6);
    if (next(random) % 10 == 0)
      b[i].last = b[i].first + (int64_t)(next(random) % (uint64_t)span);
    b[i].bytes = 64 * (1 + (int64_t)(next(random) % (uint64_t)sizes));
  }
}

static bool live_together(const tvm_arena_buffer *a,
                          const tvm_arena_buffer *b) {
  return a->first <= b->last && b->first <= a->last;
}

static bool is_valid(size_t n, const tvm_arena_buffer *b, int64_t arena) {
  for (size_t i = 0; i < n; i++) {
    if (b[i].offset < 0 || b[i].offset + b[i].bytes > arena)
      return false;
    for (size_t j = 0; j < i; j++)
      if (live_together(&b[i], &b[j]) &&
          b[i].offset < b[j].offset + b[j].bytes &&
          b[j].offset < b[i].offset + b[i].bytes)
        return false;
  }
  return true;
}

static int64_t naive_bound(size_t n, const tvm_arena_buffer *b) {
  int64_t most = 0;
  for (size_t i = 0; i < n; i++) {
    int64_t live = 0;
    for (size_t j = 0; j < n; j++)
      if (b[j].first <= b[i].first && b[i].first <= b[j].last)
        live += b[j].bytes;
    most = live > most ? live : most;
  }
  return most;
}

/* The least arena: every order, each buffer at its lowest place. */
static int64_t least(size_t n, tvm_arena_buffer *b, size_t placed,
                     unsigned mask, int64_t arena, int64_t best) {
  if (arena >= best)
    return best;
  if (placed == n)
    return arena;
  for (size_t i = 0; i < n; i++) {
    if (mask >> i & 1)
      continue;
    int64_t offset = 0;
    for (size_t j = 0; j < n; j++)
      if (mask >> j & 1 && live_together(&b[i], &b[j]) &&
          b[j].offset + b[j].bytes > offset)
        offset = b[j].offset + b[j].bytes;
    b[i].offset = offset;
    int64_t end = offset + b[i].bytes;
    best = least(n, b, placed + 1, mask | 1u << i, end > arena ? end : arena,
                 best);
  }
  return best;
}

static void check_few(void) {
  uint64_t random = 1;
  for (int round = 0; round < 300; round++) {
    tvm_arena_buffer b[7];
    size_t n = 1 + next(&random) % 7;
    fill(n, b, 8, 5, &random);
    int64_t arena = tvm_arena_assign(n, b);
    CHECK(is_valid(n, b, arena), round);
    CHECK(tvm_arena_bound(n, b) == naive_bound(n, b), round);
    CHECK(arena == least(n, b, 0, 0, 0, INT64_MAX), round);
  }
}

static void check_many(void) {
  enum { MOST = 400 };
  static tvm_arena_buffer b[MOST], again[MOST];
  uint64_t random = 2;
  double worst = 1;
  for (int round = 0; round < 16; round++) {
    size_t n = 1 + next(&random) % MOST;
    fill(n, b, 1 + (int64_t)n / 2, round % 2 ? 1000 : 4, &random);
    memcpy(again, b, sizeof b);
    int64_t arena = tvm_arena_assign(n, b), bound = tvm_arena_bound(n, b);
    CHECK(is_valid(n, b, arena), round);
    CHECK(bound == naive_bound(n, b) && arena >= bound, round);
    CHECK(tvm_arena_assign(n, again) == arena, round);
    CHECK(!memcmp(b, again, n * sizeof *b), round);
    worst = (double)arena / (double)bound > worst
                ? (double)arena / (double)bound
                : worst;
  }
  printf("arena: at worst %.3f of the bound\n", worst);
  CHECK(worst < 1.1, 0);
}

/* A chain: each buffer lives with the next. */
static void check_chain(size_t n) {
  tvm_arena_buffer *b = calloc(n, sizeof *b);
  for (size_t i = 0; i < n; i++)
    b[i] = (tvm_arena_buffer){64, (int64_t)i, (int64_t)i + 1, 0};
  CHECK(tvm_arena_assign(n, b) == 128, n);
  free(b);
}

int main(void) {
  CHECK(tvm_arena_assign(0, NULL) == 0, 0);
  check_few();
  check_many();
  check_chain(200000);
  printf("arena: %s\n", num_failures ? "FAILED" : "passed");
  return num_failures != 0;
}
