/* arena.c - greedy placement in several orders, then searches for less.
 *
 * Source: Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net
 * Inference" (2020), greedy by size; the other orders win where small buffers
 * live long. */
#include "llvm/arena_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  int64_t key;
  uint32_t index;
} keyed;

static int compare_keys(const void *x, const void *y) {
  const keyed *a = x, *b = y;
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

static int64_t lifetime(const tvm_arena_buffer *b) {
  return b->last - b->first + 1;
}

static int64_t largest_first(const tvm_arena_buffer *b) { return -b->bytes; }
static int64_t longest_first(const tvm_arena_buffer *b) { return -lifetime(b); }
static int64_t earliest_first(const tvm_arena_buffer *b) { return b->first; }
static int64_t largest_area_first(const tvm_arena_buffer *b) {
  int64_t area;
  return __builtin_mul_overflow(b->bytes, lifetime(b), &area) ? INT64_MIN
                                                              : -area;
}

static int64_t (*const keys[])(const tvm_arena_buffer *) = {
    largest_first, largest_area_first, longest_first, earliest_first};
enum { NUM_KEYS = sizeof keys / sizeof *keys };

/* Equal keys: the buffer that comes first in the program goes first. */
static void sort(const tvm_arena_problem *p,
                 int64_t (*key)(const tvm_arena_buffer *), uint32_t *order) {
  keyed *items = malloc((p->n + 1) * sizeof *items);
  for (size_t i = 0; i < p->n; ++i)
    items[i] = (keyed){key(&p->buffers[i]), (uint32_t)i};
  qsort(items, p->n, sizeof *items, compare_keys);
  for (size_t i = 0; i < p->n; ++i)
    order[i] = items[i].index;
  free(items);
}

static int compare_pairs(const void *x, const void *y) {
  const int64_t *a = x, *b = y;
  return (a[0] > b[0]) - (a[0] < b[0]);
}

/* The gap between `m` used pieces, pairs of begin and end, that fits best. */
static int64_t best_gap(int64_t bytes, size_t m, int64_t *used) {
  qsort(used, m, 2 * sizeof *used, compare_pairs);
  int64_t top = 0, best = -1, best_gap = INT64_MAX;
  for (size_t i = 0; i < m; ++i) {
    int64_t gap = used[2 * i] - top;
    if (gap >= bytes && gap < best_gap) {
      best = top;
      best_gap = gap;
    }
    if (used[2 * i + 1] > top)
      top = used[2 * i + 1];
  }
  return best >= 0 ? best : top;
}

int64_t tvm_arena_place(const tvm_arena_problem *p, const uint32_t *order,
                        int64_t *offsets, int64_t *scratch) {
  int64_t arena = 0;
  for (size_t i = 0; i < p->n; ++i)
    offsets[i] = -1; /* not placed */
  for (size_t k = 0; k < p->n; ++k) {
    uint32_t i = order[k];
    size_t m = 0;
    for (size_t e = p->begin[i]; e < p->begin[i + 1]; ++e) {
      uint32_t j = p->neighbours[e];
      if (offsets[j] < 0)
        continue;
      scratch[2 * m] = offsets[j];
      scratch[2 * m++ + 1] = offsets[j] + p->buffers[j].bytes;
    }
    offsets[i] = best_gap(p->buffers[i].bytes, m, scratch);
    int64_t end = offsets[i] + p->buffers[i].bytes;
    arena = end > arena ? end : arena;
  }
  return arena;
}

/* Visit every pair of buffers that live together, in order of their starts. */
static void visit_pairs(const tvm_arena_problem *p, const uint32_t *by_start,
                        void (*visit)(void *user, uint32_t i, uint32_t j),
                        void *user) {
  uint32_t *alive = malloc((p->n + 1) * sizeof *alive);
  size_t n = 0;
  for (size_t k = 0; k < p->n; ++k) {
    uint32_t i = by_start[k];
    size_t left = 0;
    for (size_t a = 0; a < n; ++a) {
      if (p->buffers[alive[a]].last < p->buffers[i].first)
        continue;
      visit(user, alive[a], i);
      alive[left++] = alive[a];
    }
    alive[left] = i;
    n = left + 1;
  }
  free(alive);
}

static void count_pair(void *user, uint32_t i, uint32_t j) {
  size_t *begin = user;
  ++begin[i + 1];
  ++begin[j + 1];
}

typedef struct {
  tvm_arena_problem *problem;
  size_t *next;
} filling;

static void add_pair(void *user, uint32_t i, uint32_t j) {
  filling *f = user;
  f->problem->neighbours[f->next[i]++] = j;
  f->problem->neighbours[f->next[j]++] = i;
}

static void find_neighbours(tvm_arena_problem *p) {
  uint32_t *by_start = malloc((p->n + 1) * sizeof *by_start);
  sort(p, earliest_first, by_start);
  p->begin = calloc(p->n + 2, sizeof *p->begin);
  visit_pairs(p, by_start, count_pair, p->begin);
  for (size_t i = 0; i < p->n; ++i)
    p->begin[i + 1] += p->begin[i];
  p->neighbours = malloc((p->begin[p->n] + 1) * sizeof *p->neighbours);
  filling f = {p, malloc((p->n + 1) * sizeof *f.next)};
  memcpy(f.next, p->begin, p->n * sizeof *f.next);
  visit_pairs(p, by_start, add_pair, &f);
  free(f.next);
  free(by_start);
}

int64_t tvm_arena_bound(size_t n, const tvm_arena_buffer *buffers) {
  keyed *events = malloc((2 * n + 1) * sizeof *events);
  for (size_t i = 0; i < n; ++i) {
    events[2 * i] = (keyed){2 * buffers[i].first + 1, (uint32_t)i};
    events[2 * i + 1] = (keyed){2 * (buffers[i].last + 1), (uint32_t)i};
  }
  qsort(events, 2 * n, sizeof *events, compare_keys);
  int64_t live = 0, most = 0;
  for (size_t k = 0; k < 2 * n; ++k) {
    int64_t bytes = buffers[events[k].index].bytes;
    live += events[k].key & 1 ? bytes : -bytes;
    most = live > most ? live : most;
  }
  free(events);
  return most;
}

/* Try every order; returns the number of the best one. */
static int try_orders(const tvm_arena_problem *p, uint32_t *order,
                      int64_t *offsets, int64_t *scratch,
                      tvm_arena_solution *best) {
  int best_key = 0;
  for (int k = 0; k < NUM_KEYS && best->bytes > p->bound; ++k) {
    sort(p, keys[k], order);
    int64_t bytes = tvm_arena_place(p, order, offsets, scratch);
    if (bytes >= best->bytes)
      continue;
    best->bytes = bytes;
    best_key = k;
    memcpy(best->offsets, offsets, p->n * sizeof *offsets);
  }
  return best_key;
}

int64_t tvm_arena_assign(size_t n, tvm_arena_buffer *buffers) {
  tvm_arena_problem p = {
      .n = n, .buffers = buffers, .bound = tvm_arena_bound(n, buffers)};
  find_neighbours(&p);
  uint32_t *order = malloc((n + 1) * sizeof *order);
  int64_t *offsets = malloc((n + 1) * sizeof *offsets);
  int64_t *scratch = malloc((2 * n + 2) * sizeof *scratch);
  tvm_arena_solution best = {malloc((n + 1) * sizeof *best.offsets), INT64_MAX};
  int key = try_orders(&p, order, offsets, scratch, &best);
  if (best.bytes > p.bound)
    tvm_arena_search_all(&p, &best);
  if (best.bytes > p.bound) {
    sort(&p, keys[key], order);
    tvm_arena_improve(&p, order, &best);
  }
  for (size_t i = 0; i < n; ++i)
    buffers[i].offset = best.offsets[i];
  free(best.offsets);
  free(scratch);
  free(offsets);
  free(order);
  free(p.neighbours);
  free(p.begin);
  return n ? best.bytes : 0;
}
