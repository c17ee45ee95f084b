/* arena_exact.c - all arrangements of a few buffers, by branch and bound.
 *
 * In some best arrangement every buffer lies at 0 or right on top of one that
 * lives with it. Taken by rising offset, each then lies on top of all that were
 * taken before it and live with it: so the search chooses which comes next.
 *
 * Let `floor` be the offset of the last one. What is left must lie above it: at
 * each time the rest that is alive needs its sum above the floor and above the
 * top of what is there. Branches that cannot beat the best are cut. */
#include "llvm/arena_internal.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BUFFERS = 64, MAX_TIMES = 2 * MAX_BUFFERS };
static const int64_t step_limit = 300000;

typedef struct {
  const tvm_arena_problem *problem;
  tvm_arena_solution *best;
  size_t n_times;
  uint8_t first[MAX_BUFFERS], last[MAX_BUFFERS]; /* in numbered times */
  uint8_t order[MAX_BUFFERS];                    /* largest first */
  int64_t offsets[MAX_BUFFERS];
  bool placed[MAX_BUFFERS];
  int64_t steps;
} search;

static int compare_times(const void *x, const void *y) {
  const int64_t *a = x, *b = y;
  return (*a > *b) - (*a < *b);
}

/* Only the starts count: between two the set of the living shrinks. */
static void number_times(search *s) {
  const tvm_arena_problem *p = s->problem;
  int64_t starts[MAX_BUFFERS];
  for (size_t i = 0; i < p->n; ++i)
    starts[i] = p->buffers[i].first;
  qsort(starts, p->n, sizeof *starts, compare_times);
  size_t n = 0;
  for (size_t i = 0; i < p->n; ++i)
    if (!n || starts[n - 1] != starts[i])
      starts[n++] = starts[i];
  s->n_times = n;
  for (size_t i = 0; i < p->n; ++i)
    for (size_t t = 0; t < n; ++t) {
      if (starts[t] == p->buffers[i].first)
        s->first[i] = (uint8_t)t;
      if (starts[t] <= p->buffers[i].last)
        s->last[i] = (uint8_t)t;
    }
}

static void sort_by_size(search *s) {
  const tvm_arena_problem *p = s->problem;
  for (size_t i = 0; i < p->n; ++i) {
    size_t k = i;
    for (; k > 0 && p->buffers[s->order[k - 1]].bytes < p->buffers[i].bytes;
         --k)
      s->order[k] = s->order[k - 1];
    s->order[k] = (uint8_t)i;
  }
}

/* Whether the rest may fit below the best arena. */
static bool is_hopeful(const search *s, int64_t floor, const int64_t *top,
                       const int64_t *rest) {
  for (size_t t = 0; t < s->n_times; ++t) {
    int64_t base = top[t] > floor ? top[t] : floor;
    if (rest[t] && base + rest[t] >= s->best->bytes)
      return false;
  }
  return true;
}

static int64_t lowest_place(const search *s, size_t i, const int64_t *top) {
  int64_t offset = 0;
  for (size_t t = s->first[i]; t <= s->last[i]; ++t)
    offset = top[t] > offset ? top[t] : offset;
  return offset;
}

static void extend(search *s, size_t n_placed, int64_t floor, size_t previous,
                   const int64_t *top, const int64_t *rest, int64_t arena);

/* Put buffer i at `offset` and go on. */
static void put(search *s, size_t n_placed, size_t i, int64_t offset,
                const int64_t *top, const int64_t *rest, int64_t arena) {
  int64_t new_top[MAX_TIMES], new_rest[MAX_TIMES];
  int64_t bytes = s->problem->buffers[i].bytes, end = offset + bytes;
  memcpy(new_top, top, s->n_times * sizeof *top);
  memcpy(new_rest, rest, s->n_times * sizeof *rest);
  for (size_t t = s->first[i]; t <= s->last[i]; ++t) {
    new_top[t] = end;
    new_rest[t] -= bytes;
  }
  if (!is_hopeful(s, offset, new_top, new_rest))
    return;
  s->placed[i] = true;
  s->offsets[i] = offset;
  extend(s, n_placed + 1, offset, i, new_top, new_rest,
         end > arena ? end : arena);
  s->placed[i] = false;
}

static void extend(search *s, size_t n_placed, int64_t floor, size_t previous,
                   const int64_t *top, const int64_t *rest, int64_t arena) {
  const tvm_arena_problem *p = s->problem;
  if (n_placed == p->n) {
    s->best->bytes = arena;
    memcpy(s->best->offsets, s->offsets, p->n * sizeof *s->offsets);
    return;
  }
  for (size_t k = 0; k < p->n; ++k) {
    size_t i = s->order[k];
    if (s->placed[i])
      continue;
    if (s->best->bytes <= p->bound || ++s->steps > step_limit)
      return;
    int64_t offset = lowest_place(s, i, top);
    /* of those at one offset any order does: take the rising one */
    bool in_order =
        offset > floor || (offset == floor && i > previous) || n_placed == 0;
    if (in_order && offset + p->buffers[i].bytes < s->best->bytes)
      put(s, n_placed, i, offset, top, rest, arena);
  }
}

void tvm_arena_search_all(const tvm_arena_problem *p,
                          tvm_arena_solution *best) {
  if (p->n > MAX_BUFFERS)
    return;
  search s = {.problem = p, .best = best};
  int64_t top[MAX_TIMES] = {0}, rest[MAX_TIMES] = {0};
  number_times(&s);
  sort_by_size(&s);
  for (size_t i = 0; i < p->n; ++i)
    for (size_t t = s.first[i]; t <= s.last[i]; ++t)
      rest[t] += p->buffers[i].bytes;
  extend(&s, 0, 0, 0, top, rest, 0);
}
