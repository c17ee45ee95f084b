/* peak.c - what this machine does at most, for bench/compare --kernels.
 *
 *   peak THREADS [fma]
 *
 * Prints one JSON object: GFLOP/s of FMAs in registers and, unless these are
 * all that is asked for, GB/s of reads of memory of several sizes, which all
 * threads share out. Each is the best of many short trials, and of all vector
 * widths that the processor has. */
#include "loops.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  FMA_ROUNDS = 1000000,
  TRIALS = 20,
  MAX_THREADS = 1024,
  PIECE = 2048, /* the reads of a loop's round divide it */
};

static const size_t trial_bytes = (size_t)64 << 20;
static const size_t sizes[] = {
    (size_t)16 << 10, (size_t)64 << 10, (size_t)256 << 10, (size_t)1 << 20,
    (size_t)4 << 20,  (size_t)16 << 20, (size_t)64 << 20,  (size_t)256 << 20};

typedef struct worker {
  const loops *loops;
  pthread_barrier_t *start;
  const char *data; /* null: FMAs */
  size_t bytes;
  double began, ended, work;
} worker;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *run_worker(void *user) {
  worker *w = user;
  if (w->data)
    w->loops->read(w->data, w->bytes);
  pthread_barrier_wait(w->start);
  w->began = now();
  if (!w->data) {
    w->work = w->loops->multiply_add(FMA_ROUNDS);
  } else {
    for (w->work = 0; w->work < (double)trial_bytes;
         w->work += (double)w->bytes)
      w->loops->read(w->data, w->bytes);
  }
  w->ended = now();
  return NULL;
}

/* Units of work in a second, of all threads together. */
static double run_trial(const loops *l, int threads, const char *data,
                        size_t bytes) {
  static worker workers[MAX_THREADS];
  pthread_t ids[MAX_THREADS];
  pthread_barrier_t start;
  size_t part = bytes / (size_t)threads / PIECE * PIECE;
  pthread_barrier_init(&start, NULL, (unsigned)threads);
  for (int i = 0; i < threads; i++) {
    workers[i] = (worker){.loops = l,
                          .start = &start,
                          .data = data ? data + (size_t)i * part : NULL,
                          .bytes = part};
    if (i && pthread_create(&ids[i], NULL, run_worker, &workers[i])) {
      fprintf(stderr, "peak: error: cannot start a thread\n");
      exit(1);
    }
  }
  run_worker(&workers[0]);
  double began = workers[0].began, ended = workers[0].ended, work = 0;
  for (int i = 0; i < threads; i++) {
    if (i)
      pthread_join(ids[i], NULL);
    began = workers[i].began < began ? workers[i].began : began;
    ended = workers[i].ended > ended ? workers[i].ended : ended;
    work += workers[i].work;
  }
  pthread_barrier_destroy(&start);
  return work / (ended - began);
}

static double find_best(const loops *const *all, int threads, const char *data,
                        size_t bytes) {
  double best = 0;
  for (int trial = 0; trial < TRIALS; trial++)
    for (const loops *const *l = all; *l; l++) {
      double rate = run_trial(*l, threads, data, bytes);
      best = rate > best ? rate : best;
    }
  return best;
}

static void list_loops(const loops **all) {
  *all++ = &loops_baseline;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    *all++ = &loops_avx2;
  if (__builtin_cpu_supports("avx512f"))
    *all++ = &loops_avx512;
#endif
  *all = NULL;
}

static void print_fma(const loops *const *all, int threads) {
  printf("\"gflops\": %.6g", find_best(all, threads, NULL, 0) * 1e-9);
}

static int print_reads(const loops *const *all, int threads) {
  size_t count = sizeof sizes / sizeof *sizes, most = sizes[count - 1];
  char *data = aligned_alloc(4096, most);
  if (!data) {
    fprintf(stderr, "peak: error: no memory\n");
    return 1;
  }
  memset(data, 1, most);
  printf(", \"reads\": [");
  for (size_t i = 0; i < count; i++)
    printf("%s{\"bytes\": %zu, \"gbytes\": %.6g}", i ? ", " : "", sizes[i],
           find_best(all, threads, data, sizes[i]) * 1e-9);
  putchar(']');
  free(data);
  return 0;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 0;
  int is_fma = argc == 3 && strcmp(argv[2], "fma") == 0;
  if (threads < 1 || threads > MAX_THREADS || argc != 2 + is_fma) {
    fprintf(stderr, "usage: peak THREADS [fma]\n");
    return 2;
  }
  const loops *all[4];
  list_loops(all);
  putchar('{');
  print_fma(all, threads);
  int failed = !is_fma && print_reads(all, threads);
  printf("}\n");
  return failed;
}
