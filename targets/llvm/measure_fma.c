/* measure_fma.c - how many vector FMAs this processor starts in one cycle.
 *
 * A cycle is one addition of two registers, each of which waits for the one
 * before: true of every processor of the targets, whatever the clock. FMAs that
 * wait for nothing are timed in turn with it, so that both see the same clock.
 * The least time of many short slices counts: whoever shares the core can only
 * make a slice longer. For the same reason two ports are believed at once, and
 * one after many tries.
 * Source: the method of Agner Fog's instruction tables. */
#define _GNU_SOURCE
#include "llvm/target.h"

#include <time.h>

enum {
  STEPS = 1500,  /* of a slice, 12 operations each */
  PER_STEP = 12, /* more than two ports times the latency of five */
  SLICES = 48,   /* of a try */
  TRIES = 24,    /* before fewer than two ports are believed */
  MIN_TRIES = 2, /* the first one wakes the vector units */
};

#define TIMES_4(X, a, b, c, d) X(a) X(b) X(c) X(d)
#define TIMES_12(X)                                                            \
  TIMES_4(X, "0", "1", "2", "3")                                               \
  TIMES_4(X, "4", "5", "6", "7") TIMES_4(X, "8", "9", "10", "11")

typedef void slice(long steps);

#if defined(__x86_64__)
#define CLOBBERS                                                               \
  "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",        \
      "xmm8", "xmm9", "xmm10", "xmm11"
#define ZERO(r) "vxorps %%xmm" r ", %%xmm" r ", %%xmm" r "\n"
#define FMA_256(r) "vfmadd231ps %%ymm" r ", %%ymm" r ", %%ymm" r "\n"
#define FMA_512(r) "vfmadd231ps %%zmm" r ", %%zmm" r ", %%zmm" r "\n"
#define LOOP(body) "1:\n" body "dec %0\njnz 1b\n"

static void run_256(long steps) {
  __asm__ volatile(TIMES_12(ZERO) LOOP(TIMES_12(FMA_256)) "vzeroupper\n"
                   : "+r"(steps)
                   :
                   : CLOBBERS);
}

static void run_512(long steps) {
  __asm__ volatile(TIMES_12(ZERO) LOOP(TIMES_12(FMA_512)) "vzeroupper\n"
                   : "+r"(steps)
                   :
                   : CLOBBERS);
}

static slice *find_slice(int32_t bytes) {
  return bytes == 64 ? run_512 : bytes == 32 ? run_256 : NULL;
}

#define ADD(r) "add %1, %1\n"
static void run_cycles(long steps) {
  long value = 0;
  __asm__ volatile(LOOP(TIMES_12(ADD)) : "+r"(steps), "+r"(value) : : "cc");
}

#elif defined(__aarch64__)
#define CLOBBERS                                                               \
  "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11"
#define ZERO(r) "movi v" r ".4s, #0\n"
#define FMA_128(r) "fmla v" r ".4s, v" r ".4s, v" r ".4s\n"
#define LOOP(body) "1:\n" body "subs %0, %0, #1\nb.ne 1b\n"

static void run_128(long steps) {
  __asm__ volatile(TIMES_12(ZERO) LOOP(TIMES_12(FMA_128))
                   : "+r"(steps)
                   :
                   : CLOBBERS);
}

static slice *find_slice(int32_t bytes) { return bytes == 16 ? run_128 : NULL; }

#define ADD(r) "add %1, %1, %1\n"
static void run_cycles(long steps) {
  long value = 0;
  __asm__ volatile(LOOP(TIMES_12(ADD)) : "+r"(steps), "+r"(value) : : "cc");
}

#else
static slice *find_slice(int32_t bytes) {
  (void)bytes;
  return NULL;
}

static void run_cycles(long steps) { (void)steps; }
#endif

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void time_slice(slice *run, double *least) {
  double start = seconds();
  run(STEPS);
  double taken = seconds() - start;
  if (taken > 0 && taken < *least)
    *least = taken;
}

/* FMAs in one cycle, and in one second. */
static void measure(slice *run, double *out_a_cycle, double *out_a_second) {
  double fmas = 1, cycles = 1;
  for (int i = 0; i < SLICES; ++i) {
    time_slice(run, &fmas);
    time_slice(run_cycles, &cycles);
  }
  *out_a_cycle = cycles / fmas;
  *out_a_second = STEPS * PER_STEP / fmas;
}

bool tvm_llvm_measure_fma(int32_t widest_bytes, tvm_fma_rate *out_rate) {
  slice *whole = find_slice(widest_bytes);
  slice *half = widest_bytes == 64 ? find_slice(32) : NULL;
  double best = 0, best_half = 0, fastest = 0, fastest_half = 0;
  if (!whole)
    return false;
  for (int i = 0; i < TRIES && (i < MIN_TRIES || best < 1.5); ++i) {
    double a_cycle, a_second;
    measure(whole, &a_cycle, &a_second);
    best = i && a_cycle > best ? a_cycle : best;
    fastest = i && a_second > fastest ? a_second : fastest;
    if (!half)
      continue;
    measure(half, &a_cycle, &a_second);
    best_half = a_cycle > best_half ? a_cycle : best_half;
    fastest_half = a_second > fastest_half ? a_second : fastest_half;
  }
  bool narrow = fastest_half > 2.2 * fastest;
  best = narrow ? best_half : best;
  *out_rate = (tvm_fma_rate){narrow ? widest_bytes / 2 : widest_bytes,
                             best < 1.5   ? 1
                             : best < 2.5 ? 2
                                          : (int32_t)(best + 0.5)};
  return true;
}
