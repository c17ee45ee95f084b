/* loops.c - FMAs and reads for one vector width.
 *
 * Compiled once a width: VECTOR_BYTES, CHAINS (independent sums, as many as
 * registers hold) and LOOPS (the name of the table) come from the build. */
#include "loops.h"

typedef float floats __attribute__((vector_size(VECTOR_BYTES)));
typedef int ints __attribute__((vector_size(VECTOR_BYTES)));

enum { LANES = VECTOR_BYTES / 4, READS = 8 };

static double multiply_add(long rounds) {
  volatile float near_one = 0.999999f, small = 1e-6f;
  floats sum[CHAINS], factor = near_one + (floats){0},
                      addend = small + (floats){0};
  for (int i = 0; i < CHAINS; i++)
    sum[i] = (float)i + (floats){0};
  for (long r = 0; r < rounds; r++)
    for (int i = 0; i < CHAINS; i++)
      sum[i] = sum[i] * factor + addend;
  for (int i = 1; i < CHAINS; i++)
    sum[0] += sum[i];
  near_one = sum[0][0];
  return 2.0 * LANES * CHAINS * (double)rounds;
}

static void read(const void *data, size_t bytes) {
  ints seen[READS] = {{0}};
  const ints *from = data, *end = from + bytes / sizeof *from;
  for (; from < end; from += READS)
    for (int i = 0; i < READS; i++)
      seen[i] |= from[i];
  for (int i = 1; i < READS; i++)
    seen[0] |= seen[i];
  volatile int kept = seen[0][0];
  (void)kept;
}

const loops LOOPS = {multiply_add, read};
