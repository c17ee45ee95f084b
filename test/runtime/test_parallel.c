/* test_parallel.c - many sessions of one module at once, over one pool. Built
 * with the thread sanitizer. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define NUM_CALLERS 4
#define NUM_ROUNDS 150

typedef struct caller {
  tvm_module *module;
  int seed;
  int wrong;
} caller;

static void *run_session(void *arg) {
  caller *c = arg;
  tvm_session *session = NULL;
  DLTensor x, index, y, z;
  c->wrong += tvm_session_create(c->module, NULL, &session) != TVM_OK;
  c->wrong += tvm_session_get_input_view(session, 0, &x) != TVM_OK;
  c->wrong += tvm_session_get_input_view(session, 1, &index) != TVM_OK;
  c->wrong += tvm_session_get_output_view(session, 0, &y) != TVM_OK;
  c->wrong += tvm_session_get_output_view(session, 1, &z) != TVM_OK;
  for (int round = 0; round < NUM_ROUNDS; round++) {
    int64_t row = (round + c->seed) % FIXTURE_ROWS;
    fill_input(x.data, c->seed + round);
    *(int64_t *)index.data = row;
    c->wrong += tvm_session_run(session) != TVM_OK;
    c->wrong += count_wrong(x.data, y.data, z.data, row);
    /* An error of one thread is not seen by another. */
    *(int64_t *)index.data = -1;
    c->wrong += tvm_session_run(session) != TVM_STATUS_DATA;
    c->wrong += strcmp(tvm_last_error(), "'index' expects 0 to 63") != 0;
    /* Now and then the workers fall asleep. */
    if (round % 50 == 0)
      nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
  tvm_session_release(session);
  return NULL;
}

static void test_sessions(int num_threads) {
  tvm_env *env = make_env(num_threads);
  tvm_module *module = NULL;
  CHECK_OK(tvm_module_link(env, &fixture_model, &module));
  pthread_t threads[NUM_CALLERS];
  caller callers[NUM_CALLERS];
  for (int i = 0; i < NUM_CALLERS; i++) {
    callers[i] = (caller){module, i * 17, 0};
    CHECK(pthread_create(&threads[i], NULL, run_session, &callers[i]) == 0);
  }
  for (int i = 0; i < NUM_CALLERS; i++) {
    pthread_join(threads[i], NULL);
    CHECK(callers[i].wrong == 0);
  }
  tvm_module_release(module);
  tvm_env_release(env);
}

typedef struct meeting {
  tvm_session *session;
  atomic_int refused;
} meeting;

static void intrude(void *user, int32_t index, const char *name, uint64_t ns) {
  (void)index, (void)name, (void)ns;
  meeting *m = user;
  m->refused += tvm_session_run(m->session) == TVM_STATUS_INVALID;
}

/* A second run of a running session is refused, not mixed up. */
static void test_second_run(void) {
  tvm_env *env = make_env(2);
  tvm_module *module = NULL;
  meeting m = {0};
  DLTensor view;
  CHECK_OK(tvm_module_link(env, &fixture_model, &module));
  CHECK_OK(tvm_session_create(module, NULL, &m.session));
  CHECK_OK(tvm_session_get_input_view(m.session, 0, &view));
  memset(view.data, 0, FIXTURE_ELEMS * sizeof(float));
  CHECK_OK(tvm_session_get_input_view(m.session, 1, &view));
  *(int64_t *)view.data = 0;
  CHECK_OK(tvm_session_set_profiler(m.session, intrude, &m));
  CHECK_OK(tvm_session_run(m.session));
  CHECK(m.refused == 3);
  tvm_session_release(m.session);
  tvm_module_release(module);
  tvm_env_release(env);
}

/* Environments come and go while their workers are just waking. */
static void test_short_lives(void) {
  for (int i = 0; i < 100; i++)
    tvm_env_release(make_env(1 + i % 4));
}

int main(void) {
  test_sessions(1);
  test_sessions(3);
  test_second_run();
  test_short_lives();
  return report("parallel");
}
