/* test_allocations.c - after a session is made, nothing allocates. */
#define _GNU_SOURCE
#include "check.h"
#include "count_allocations.h"

static void ignore(void *user, int32_t index, const char *name, uint64_t ns) {
  (void)index, (void)name;
  *(uint64_t *)user += ns;
}

static void run_many(tvm_session *session, float *x, float *y, float *z) {
  int64_t x_shape[] = {FIXTURE_ROWS, FIXTURE_COLS}, z_shape[] = {FIXTURE_COLS};
  int64_t index = 5, index_shape[] = {1};
  uint64_t total_ns = 0;
  DLTensor tensors[] = {make_tensor(x, 2, x_shape, kDLFloat, 32),
                        make_tensor(&index, 1, index_shape, kDLInt, 64),
                        make_tensor(y, 2, x_shape, kDLFloat, 32),
                        make_tensor(z, 1, z_shape, kDLFloat, 32)};
  CHECK_OK(tvm_session_set_profiler(session, ignore, &total_ns));
  for (int round = 0; round < 200; round++) {
    fill_input(x, round);
    CHECK_OK(tvm_session_bind_input(session, 0, &tensors[0]));
    CHECK_OK(tvm_session_set_input_copy(session, 1, &tensors[1]));
    CHECK_OK(tvm_session_run(session));
    CHECK_OK(tvm_session_get_output_copy(session, 0, &tensors[2]));
    CHECK_OK(tvm_session_get_output_copy(session, 1, &tensors[3]));
    CHECK(count_wrong(x, y, z, 5) == 0);
    CHECK(tvm_session_bind_input(session, 1, &tensors[0]) == TVM_STATUS_TYPE);
  }
}

int main(void) {
  static float x[FIXTURE_ELEMS], y[FIXTURE_ELEMS], z[FIXTURE_COLS];
  free(malloc(1));
  is_counting = true;
  free(malloc(1));
  CHECK(num_allocations == 1); /* the counter counts */
  for (int threads = 1; threads <= 4; threads++) {
    is_counting = false;
    tvm_env *env = make_env(threads);
    tvm_module *module = NULL;
    tvm_session *session = NULL;
    CHECK_OK(tvm_module_link(env, &fixture_model, &module));
    CHECK_OK(tvm_session_create(module, NULL, &session));
    num_allocations = 0;
    is_counting = true;
    run_many(session, x, y, z);
    is_counting = false;
    CHECK(num_allocations == 0);
    tvm_session_release(session);
    tvm_module_release(module);
    tvm_env_release(env);
  }
  return report("allocations");
}
