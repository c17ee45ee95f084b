/* count_allocations.h - count the allocations of a process.
 *
 * The functions below stand before the C library's own for every thread and
 * every library of the program that includes this file, once. */
#ifndef TVM_TEST_COUNT_ALLOCATIONS_H
#define TVM_TEST_COUNT_ALLOCATIONS_H

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t align, size_t size);

static atomic_bool is_counting;
static atomic_int num_allocations;

static void count_one(void) {
  if (is_counting)
    num_allocations++;
}

void *malloc(size_t size) {
  count_one();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  count_one();
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  count_one();
  return __libc_realloc(memory, size);
}

void *memalign(size_t align, size_t size) {
  count_one();
  return __libc_memalign(align, size);
}

void *aligned_alloc(size_t align, size_t size) { return memalign(align, size); }

int posix_memalign(void **out, size_t align, size_t size) {
  *out = memalign(align, size);
  return *out ? 0 : ENOMEM;
}

#endif
