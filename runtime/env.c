/* env.c - the environment: threads and memory policy. */
#define _GNU_SOURCE
#include "objects.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_THREADS 1024
#define HUGE_PAGE ((size_t)2 << 20)

/* Arenas of some megabytes miss the TLB less on huge pages; a system that has
 * none to give, or does not want to, ignores the advice. */
static void *allocate_default(void *user, size_t bytes, size_t align) {
  (void)user;
  void *memory = NULL;
  bool large = bytes >= HUGE_PAGE;
  if (large && align < HUGE_PAGE)
    align = HUGE_PAGE;
  if (align < sizeof(void *))
    align = sizeof(void *);
  if (posix_memalign(&memory, align, bytes))
    return NULL;
  if (large)
    madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

static void release_default(void *user, void *memory, size_t bytes,
                            size_t align) {
  (void)user, (void)bytes, (void)align;
  free(memory);
}

/* The CPUs that this process may use, not those of the machine: a container
 * or taskset narrows them. */
static int32_t count_cpus(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 && online <= MAX_THREADS ? (int32_t)online : 1;
}

static tvm_status check_options(const tvm_env_options *options) {
  if (options->size_bytes != sizeof *options)
    return tvm_runtime_fail(TVM_STATUS_ABI,
                            "tvm_env_options expects size_bytes %zu, got %zu",
                            sizeof *options, options->size_bytes);
  if (options->num_threads < 0 || options->num_threads > MAX_THREADS)
    return tvm_runtime_fail(TVM_STATUS_INVALID,
                            "num_threads expects 0 to %d, got %d", MAX_THREADS,
                            options->num_threads);
  const tvm_allocator *allocator = options->allocator;
  if (allocator && (!allocator->allocate || !allocator->release))
    return tvm_runtime_fail(
        TVM_STATUS_INVALID,
        "the allocator expects both allocate and release, got null");
  return TVM_OK;
}

static tvm_status start_pool(tvm_env *env, int32_t num_cpus) {
  if (env->parallel_for || env->num_threads == 1)
    return TVM_OK;
  /* Spinning with fewer CPUs than threads takes time from those who work. */
  return tvm_pool_create(&env->allocator, env->num_threads,
                         env->num_threads <= num_cpus, &env->pool);
}

tvm_status tvm_env_create(const tvm_env_options *options, tvm_env **out_env) {
  *out_env = NULL;
  tvm_env_options defaults = {.size_bytes = sizeof defaults};
  if (!options)
    options = &defaults;
  tvm_status status = check_options(options);
  if (status)
    return status;
  tvm_allocator allocator = {NULL, allocate_default, release_default};
  if (options->allocator)
    allocator = *options->allocator;
  tvm_env *env =
      allocator.allocate(allocator.user, sizeof *env, _Alignof(tvm_env));
  if (!env)
    return tvm_runtime_fail(TVM_STATUS_MEMORY,
                            "cannot allocate %zu bytes for the environment",
                            sizeof *env);
  memset(env, 0, sizeof *env);
  int32_t num_cpus = count_cpus();
  atomic_init(&env->references, 1);
  env->allocator = allocator;
  env->num_threads = options->num_threads ? options->num_threads : num_cpus;
  env->parallel_for = options->parallel_for;
  env->parallel_user = options->parallel_user;
  status = start_pool(env, num_cpus);
  if (status) {
    tvm_env_release(env);
    return status;
  }
  *out_env = env;
  return TVM_OK;
}

void tvm_env_retain(tvm_env *env) { atomic_fetch_add(&env->references, 1); }

void tvm_env_release(tvm_env *env) {
  if (!env || atomic_fetch_sub(&env->references, 1) != 1)
    return;
  tvm_pool_destroy(env->pool);
  tvm_allocator allocator = env->allocator;
  allocator.release(allocator.user, env, sizeof *env, _Alignof(tvm_env));
}

int32_t tvm_env_num_threads(const tvm_env *env) { return env->num_threads; }

void *tvm_env_allocate(tvm_env *env, size_t bytes, size_t align) {
  return env->allocator.allocate(env->allocator.user, bytes, align);
}

void tvm_env_free(tvm_env *env, void *memory, size_t bytes, size_t align) {
  if (memory)
    env->allocator.release(env->allocator.user, memory, bytes, align);
}

void tvm_env_parallel_for(tvm_env *env, tvm_parallel_body body, void *arg,
                          int64_t count) {
  if (count <= 0)
    return;
  if (env->parallel_for && count > 1)
    env->parallel_for(env->parallel_user, body, arg, count);
  else if (env->pool)
    tvm_pool_run(env->pool, body, arg, count);
  else
    body(arg, 0, count);
}
