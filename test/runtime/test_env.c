/* test_env.c - environments: options, threads, memory, the host's own loop. */
#define _GNU_SOURCE
#include "check.h"

#include <sched.h>
#include <stdatomic.h>

#include "../../runtime/objects.h"

/* Memory that is counted and must be given back as it was taken. */
typedef struct counted {
  atomic_long bytes;
  atomic_int calls;
  int fail_at; /* call that returns nothing; 0: none */
} counted;

static void *allocate(void *user, size_t bytes, size_t align) {
  counted *c = user;
  int call = atomic_fetch_add(&c->calls, 1) + 1;
  if (call == c->fail_at)
    return NULL;
  void *memory = NULL;
  if (posix_memalign(&memory, align < 8 ? 8 : align, bytes))
    return NULL;
  atomic_fetch_add(&c->bytes, (long)bytes);
  return memory;
}

static void release(void *user, void *memory, size_t bytes, size_t align) {
  (void)align;
  atomic_fetch_sub(&((counted *)user)->bytes, (long)bytes);
  free(memory);
}

static void test_options(void) {
  tvm_env *env = (tvm_env *)1;
  tvm_env_options options = {.size_bytes = 3};
  CHECK_FAILS(tvm_env_create(&options, &env), TVM_STATUS_ABI, "size_bytes");
  CHECK(env == NULL);
  options.size_bytes = sizeof options;
  options.num_threads = -1;
  CHECK_FAILS(tvm_env_create(&options, &env), TVM_STATUS_INVALID,
              "num_threads expects 0 to 1024, got -1");
  options.num_threads = 1;
  tvm_allocator none = {NULL, allocate, NULL};
  options.allocator = &none;
  CHECK_FAILS(tvm_env_create(&options, &env), TVM_STATUS_INVALID,
              "allocate and release");
  CHECK_OK(tvm_env_create(NULL, &env));
  CHECK(tvm_env_num_threads(env) >= 1);
  tvm_env_release(env);
  tvm_env_release(NULL);
  CHECK(strlen(tvm_runtime_version()) > 0);
}

/* Threads are counted by what the process may use, not by the machine. */
static void test_affinity(void) {
  cpu_set_t all, one;
  CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &all))
      CPU_SET(i, &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
  tvm_env *env = make_env(0);
  CHECK(tvm_env_num_threads(env) == 1);
  tvm_env_release(env);
  sched_setaffinity(0, sizeof all, &all);
}

typedef struct marks {
  tvm_env *env;
  atomic_int *seen;
  int nested;
} marks;

static void mark(void *arg, int64_t begin, int64_t end) {
  marks *m = arg;
  for (int64_t i = begin; i < end; i++)
    atomic_fetch_add(&m->seen[i], 1);
  marks inner = {m->env, m->seen + 4096, 0};
  if (m->nested)
    tvm_env_parallel_for(m->env, mark, &inner, 3);
}

static void test_coverage(int num_threads) {
  static const int64_t counts[] = {0, 1, 2, 3, 7, 64, 1000, 4096};
  tvm_env *env = make_env(num_threads);
  atomic_int *seen = calloc(5000, sizeof *seen);
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (int round = 0; round < 50; round++) {
      memset(seen, 0, 5000 * sizeof *seen);
      marks m = {env, seen, round % 2};
      tvm_env_parallel_for(env, mark, &m, counts[c]);
      int wrong = 0;
      for (int64_t i = 0; i < 4096; i++)
        wrong += seen[i] != (i < counts[c]);
      CHECK(wrong == 0);
      CHECK(seen[4096] == seen[4098] &&
            (counts[c] == 0 || !m.nested || seen[4096] > 0));
    }
  free(seen);
  tvm_env_release(env);
}

static void run_backwards(void *user, tvm_parallel_body body, void *arg,
                          int64_t count) {
  ++*(int *)user;
  for (int64_t i = count; i > 0; i--)
    body(arg, i - 1, i);
}

static void run_fixture(tvm_env *env) {
  tvm_module *module = NULL;
  tvm_session *session = NULL;
  CHECK_OK(tvm_module_link(env, &fixture_model, &module));
  CHECK_OK(tvm_session_create(module, NULL, &session));
  DLTensor x, index, y, z;
  CHECK_OK(tvm_session_get_input_view(session, 0, &x));
  CHECK_OK(tvm_session_get_input_view(session, 1, &index));
  fill_input(x.data, 5);
  *(int64_t *)index.data = 63;
  CHECK_OK(tvm_session_run(session));
  CHECK_OK(tvm_session_get_output_view(session, 0, &y));
  CHECK_OK(tvm_session_get_output_view(session, 1, &z));
  CHECK(count_wrong(x.data, y.data, z.data, 63) == 0);
  /* Denormal numbers are numbers, on every thread. */
  for (int i = 0; i < FIXTURE_ELEMS; i++)
    ((float *)x.data)[i] = 1e-40f;
  CHECK_OK(tvm_session_run(session));
  for (int i = 0; i < FIXTURE_ROWS; i++)
    CHECK(((float *)y.data)[i * FIXTURE_COLS + 3] == 3.0f * 1e-40f);
  tvm_session_release(session);
  tvm_module_release(module);
}

static void test_host_loop(void) {
  int calls = 0;
  tvm_env_options options = {.size_bytes = sizeof options,
                             .num_threads = 4,
                             .parallel_for = run_backwards,
                             .parallel_user = &calls};
  tvm_env *env = NULL;
  CHECK_OK(tvm_env_create(&options, &env));
  run_fixture(env);
  CHECK(calls == 4); /* two launches of more than one iteration, twice */
  tvm_env_release(env);
}

static void test_allocator(void) {
  counted memory = {0};
  tvm_allocator allocator = {&memory, allocate, release};
  tvm_env_options options = {
      .size_bytes = sizeof options, .num_threads = 3, .allocator = &allocator};
  tvm_env *env = NULL;
  CHECK_OK(tvm_env_create(&options, &env));
  run_fixture(env);
  tvm_env_release(env);
  CHECK(memory.calls == 5); /* environment, pool, module, session, arena */
  CHECK(memory.bytes == 0);
}

/* Each allocation in turn fails; all before it is given back. */
static void test_no_memory(void) {
  for (int fail_at = 1; fail_at <= 5; fail_at++) {
    counted memory = {.fail_at = fail_at};
    tvm_allocator allocator = {&memory, allocate, release};
    tvm_env_options options = {.size_bytes = sizeof options,
                               .num_threads = 2,
                               .allocator = &allocator};
    tvm_env *env = NULL;
    tvm_module *module = NULL;
    tvm_session *session = NULL;
    tvm_status status = tvm_env_create(&options, &env);
    if (!status)
      status = tvm_module_link(env, &fixture_model, &module);
    if (!status)
      status = tvm_session_create(module, NULL, &session);
    CHECK(status == TVM_STATUS_MEMORY && session == NULL);
    CHECK(strstr(tvm_last_error(), "cannot allocate") != NULL);
    tvm_module_release(module);
    tvm_env_release(env);
    CHECK(memory.bytes == 0);
  }
}

int main(void) {
  test_options();
  test_affinity();
  test_coverage(1);
  test_coverage(2);
  test_coverage(5);
  for (int threads = 1; threads <= 4; threads++) {
    tvm_env *env = make_env(threads);
    run_fixture(env);
    tvm_env_release(env);
  }
  test_host_loop();
  test_allocator();
  test_no_memory();
  return report("env");
}
