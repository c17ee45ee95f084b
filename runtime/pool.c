/* pool.c - threads that share the iterations of one loop at a time.
 *
 * The gate says who is inside the job: a count of workers and a bit that is
 * set while there is nothing to do. A worker enters by adding one and leaves at
 * once if it finds the bit. The caller shuts the gate when no iteration is
 * left and waits until the count is zero. Workers that sleep through a short
 * job are therefore never waited for.
 *
 * A loop that finds the pool busy, be it nested or of another session, runs on
 * its own thread: no queue, no deadlock. */
#define _GNU_SOURCE
#include "objects.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#define GATE_SHUT 0x80000000u
#define SPIN_NS 100000u /* longer than the gap between two launches */
#define SPINS_PER_CLOCK 32
#define CHUNKS_PER_THREAD 4

struct tvm_pool {
  tvm_allocator allocator;
  size_t size_bytes; /* of this object */
  int32_t num_workers;
  bool spin;

  /* The job; written while the gate is shut and empty. */
  tvm_parallel_body body;
  void *arg;
  int64_t count;
  int64_t chunk;

  _Alignas(64) atomic_llong next;
  _Alignas(64) atomic_uint gate;
  _Alignas(64) atomic_uint epoch; /* grows with every job */
  _Alignas(64) atomic_bool is_busy;
  atomic_bool is_stopping;
  atomic_int num_parked;
  atomic_bool is_caller_parked;
  pthread_mutex_t mutex;
  pthread_cond_t work;
  pthread_cond_t done;
  pthread_t workers[];
};

static size_t pool_bytes(int32_t num_workers) {
  return sizeof(tvm_pool) + (size_t)num_workers * sizeof(pthread_t);
}

static void relax_cpu(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Watch `value` until it differs from (or, with `until_equal`, becomes)
 * `mark`, for at most SPIN_NS. Returns whether that came. */
static bool spin_on(const tvm_pool *pool, atomic_uint *value, unsigned mark,
                    bool until_equal) {
  uint64_t end = pool->spin ? now_ns() + SPIN_NS : 0;
  do {
    for (int i = 0; i < SPINS_PER_CLOCK; i++) {
      unsigned seen = atomic_load_explicit(value, memory_order_acquire);
      if ((seen == mark) == until_equal)
        return true;
      relax_cpu();
    }
  } while (pool->spin && now_ns() < end);
  return false;
}

static void take_chunks(tvm_pool *pool) {
  for (;;) {
    int64_t begin = atomic_fetch_add_explicit(&pool->next, pool->chunk,
                                              memory_order_relaxed);
    if (begin >= pool->count)
      return;
    int64_t left = pool->count - begin;
    int64_t size = left < pool->chunk ? left : pool->chunk;
    pool->body(pool->arg, begin, begin + size);
  }
}

static void join_job(tvm_pool *pool) {
  unsigned gate = atomic_fetch_add(&pool->gate, 1);
  if (!(gate & GATE_SHUT))
    take_chunks(pool);
  gate = atomic_fetch_sub(&pool->gate, 1);
  if (gate == (GATE_SHUT | 1u) && atomic_load(&pool->is_caller_parked)) {
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_signal(&pool->done);
    pthread_mutex_unlock(&pool->mutex);
  }
}

static void park_worker(tvm_pool *pool, unsigned seen) {
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add(&pool->num_parked, 1);
  while (atomic_load(&pool->epoch) == seen)
    pthread_cond_wait(&pool->work, &pool->mutex);
  atomic_fetch_sub(&pool->num_parked, 1);
  pthread_mutex_unlock(&pool->mutex);
}

static void *work(void *arg) {
  tvm_pool *pool = arg;
  unsigned seen = 0;
  for (;;) {
    if (!spin_on(pool, &pool->epoch, seen, false))
      park_worker(pool, seen);
    seen = atomic_load(&pool->epoch);
    if (atomic_load(&pool->is_stopping))
      return NULL;
    join_job(pool);
  }
}

/* A new epoch; wakes who sleeps. */
static void announce(tvm_pool *pool) {
  atomic_fetch_add(&pool->epoch, 1);
  if (atomic_load(&pool->num_parked) == 0)
    return;
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->mutex);
}

static void wait_until_empty(tvm_pool *pool) {
  if (atomic_fetch_or(&pool->gate, GATE_SHUT) == 0)
    return;
  if (spin_on(pool, &pool->gate, GATE_SHUT, true))
    return;
  pthread_mutex_lock(&pool->mutex);
  atomic_store(&pool->is_caller_parked, true);
  while (atomic_load(&pool->gate) != GATE_SHUT)
    pthread_cond_wait(&pool->done, &pool->mutex);
  atomic_store(&pool->is_caller_parked, false);
  pthread_mutex_unlock(&pool->mutex);
}

void tvm_pool_run(tvm_pool *pool, tvm_parallel_body body, void *arg,
                  int64_t count) {
  if (count <= 0)
    return;
  if (count == 1 || atomic_exchange(&pool->is_busy, true)) {
    body(arg, 0, count);
    return;
  }
  int64_t parts = (int64_t)(pool->num_workers + 1) * CHUNKS_PER_THREAD;
  pool->body = body;
  pool->arg = arg;
  pool->count = count;
  pool->chunk = count > parts ? count / parts : 1;
  atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
  atomic_fetch_and(&pool->gate, ~GATE_SHUT);
  announce(pool);
  take_chunks(pool);
  wait_until_empty(pool);
  atomic_store(&pool->is_busy, false);
}

/* Starts the workers with all signals blocked: they are the host's. */
static tvm_status start_workers(tvm_pool *pool, int32_t num_workers) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = 0;
  for (int32_t i = 0; i < num_workers && !error; i++) {
    error = pthread_create(&pool->workers[i], NULL, work, pool);
    if (!error)
      pool->num_workers++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error)
    return tvm_runtime_fail(
        TVM_STATUS_MEMORY, "cannot start thread %d of %d: %s",
        pool->num_workers + 2, num_workers + 1, strerror(error));
  return TVM_OK;
}

tvm_status tvm_pool_create(const tvm_allocator *allocator, int32_t num_threads,
                           bool spin, tvm_pool **out_pool) {
  *out_pool = NULL;
  int32_t num_workers = num_threads - 1;
  size_t bytes = pool_bytes(num_workers);
  tvm_pool *pool =
      allocator->allocate(allocator->user, bytes, _Alignof(tvm_pool));
  if (!pool)
    return tvm_runtime_fail(TVM_STATUS_MEMORY,
                            "cannot allocate %zu bytes for %d threads", bytes,
                            num_threads);
  memset(pool, 0, bytes);
  pool->allocator = *allocator;
  pool->size_bytes = bytes;
  pool->spin = spin;
  atomic_store(&pool->gate, GATE_SHUT);
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->done, NULL);
  tvm_status status = start_workers(pool, num_workers);
  if (status) {
    tvm_pool_destroy(pool);
    return status;
  }
  *out_pool = pool;
  return TVM_OK;
}

void tvm_pool_destroy(tvm_pool *pool) {
  if (!pool)
    return;
  atomic_store(&pool->is_stopping, true);
  announce(pool);
  for (int32_t i = 0; i < pool->num_workers; i++)
    pthread_join(pool->workers[i], NULL);
  pthread_cond_destroy(&pool->work);
  pthread_cond_destroy(&pool->done);
  pthread_mutex_destroy(&pool->mutex);
  tvm_allocator allocator = pool->allocator;
  allocator.release(allocator.user, pool, pool->size_bytes, _Alignof(tvm_pool));
}
