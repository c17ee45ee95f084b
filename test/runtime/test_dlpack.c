/* test_dlpack.c - who holds a tensor, and until when. */
#include "check.h"

static int num_deleted;

static void count_deleted(DLManagedTensorVersioned *self) {
  num_deleted++;
  free(self->dl_tensor.data);
  free(self);
}

/* An input of the fixture as another library would hand it over. */
static DLManagedTensorVersioned *make_managed(int seed) {
  static int64_t shape[] = {FIXTURE_ROWS, FIXTURE_COLS};
  DLManagedTensorVersioned *managed = calloc(1, sizeof *managed);
  managed->version.major = DLPACK_MAJOR_VERSION;
  managed->deleter = count_deleted;
  float *data = malloc(FIXTURE_ELEMS * sizeof *data);
  fill_input(data, seed);
  managed->dl_tensor = make_tensor(data, 2, shape, kDLFloat, 32);
  return managed;
}

static tvm_session *make_session(void) {
  tvm_env *env = make_env(2);
  tvm_module *module = NULL;
  tvm_session *session = NULL;
  CHECK_OK(tvm_module_link(env, &fixture_model, &module));
  CHECK_OK(tvm_session_create(module, NULL, &session));
  tvm_module_release(module);
  tvm_env_release(env);
  return session;
}

static void set_index(tvm_session *session, int64_t value) {
  DLTensor index;
  CHECK_OK(tvm_session_get_input_view(session, 1, &index));
  *(int64_t *)index.data = value;
}

static void test_input(void) {
  tvm_session *session = make_session();
  float x[FIXTURE_ELEMS];
  DLTensor y, z;
  set_index(session, 3);
  num_deleted = 0;
  CHECK_OK(tvm_session_bind_input_dlpack(session, 0, make_managed(4)));
  CHECK_OK(tvm_session_run(session));
  CHECK(num_deleted == 0);
  CHECK_OK(tvm_session_get_output_view(session, 0, &y));
  CHECK_OK(tvm_session_get_output_view(session, 1, &z));
  fill_input(x, 4);
  CHECK(count_wrong(x, y.data, z.data, 3) == 0);
  CHECK_OK(tvm_session_bind_input_dlpack(session, 0, make_managed(5)));
  CHECK(num_deleted == 1);
  /* Setting from the very tensor that is bound copies it before it goes. */
  DLManagedTensorVersioned *last = make_managed(6);
  DLTensor tensor = last->dl_tensor;
  CHECK_OK(tvm_session_bind_input_dlpack(session, 0, last));
  CHECK(num_deleted == 2);
  CHECK_OK(tvm_session_set_input_copy(session, 0, &tensor));
  CHECK(num_deleted == 3);
  CHECK_OK(tvm_session_run(session));
  fill_input(x, 6);
  CHECK(count_wrong(x, y.data, z.data, 3) == 0);
  CHECK_OK(tvm_session_bind_input_dlpack(session, 0, make_managed(7)));
  tvm_session_release(session);
  CHECK(num_deleted == 4);
}

/* A refused tensor is released at once and the old binding stays. */
static void test_refused(void) {
  tvm_session *session = make_session();
  num_deleted = 0;
  set_index(session, 0);
  CHECK_OK(tvm_session_bind_input_dlpack(session, 0, make_managed(1)));
  DLManagedTensorVersioned *bad = make_managed(2);
  bad->version.major = DLPACK_MAJOR_VERSION + 1;
  CHECK_FAILS(tvm_session_bind_input_dlpack(session, 0, bad), TVM_STATUS_ABI,
              "expects DLPack version 1, got 2");
  CHECK(num_deleted == 1);
  bad = make_managed(2);
  bad->dl_tensor.dtype.code = kDLInt;
  CHECK_FAILS(tvm_session_bind_input_dlpack(session, 0, bad), TVM_STATUS_TYPE,
              "expects type f32, got i32");
  CHECK(num_deleted == 2);
  CHECK_FAILS(tvm_session_bind_input_dlpack(session, 9, make_managed(2)),
              TVM_STATUS_INVALID, "got index 9");
  CHECK(num_deleted == 3);
  CHECK_FAILS(tvm_session_bind_input_dlpack(session, 0, NULL),
              TVM_STATUS_INVALID, "got null");
  CHECK_OK(tvm_session_run(session));
  tvm_session_release(session);
  CHECK(num_deleted == 4);
}

/* An exported output outlives every handle. */
static void test_output(void) {
  tvm_session *session = make_session();
  num_deleted = 0;
  set_index(session, 2);
  CHECK_OK(tvm_session_bind_input_dlpack(session, 0, make_managed(8)));
  CHECK_OK(tvm_session_run(session));
  DLManagedTensorVersioned *y = NULL, *count = NULL;
  CHECK_OK(tvm_session_get_output_dlpack(session, 0, &y));
  CHECK_OK(tvm_session_get_output_dlpack(session, 2, &count));
  tvm_session_release(session);
  CHECK(y->version.major == DLPACK_MAJOR_VERSION && y->flags == 0);
  CHECK(y->dl_tensor.ndim == 2 && y->dl_tensor.shape[0] == FIXTURE_ROWS);
  CHECK(y->dl_tensor.strides[0] == FIXTURE_COLS &&
        y->dl_tensor.strides[1] == 1);
  float x[FIXTURE_ELEMS], *data = y->dl_tensor.data;
  fill_input(x, 8);
  CHECK(count_wrong(x, data, data + 2 * FIXTURE_COLS, 2) == 0);
  y->deleter(y);
  CHECK(num_deleted == 0);
  CHECK(*(int32_t *)count->dl_tensor.data == FIXTURE_ROWS);
  count->deleter(count);
  CHECK(num_deleted == 1);
}

int main(void) {
  test_input();
  test_refused();
  test_output();
  return report("dlpack");
}
