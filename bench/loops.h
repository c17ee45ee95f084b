/* loops.h - the loops of bench/peak, one set a vector width. */
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

#include <stddef.h>

typedef struct loops {
  /* Multiplies and adds in registers; returns the count of both. */
  double (*multiply_add)(long rounds);
  /* Reads all of `data`, `bytes` of which a multiple of 2048. */
  void (*read)(const void *data, size_t bytes);
} loops;

extern const loops loops_baseline;
#ifdef __x86_64__
extern const loops loops_avx2, loops_avx512;
#endif

#endif
