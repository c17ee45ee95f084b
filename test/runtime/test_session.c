/* test_session.c - bind, set, run, get: what works and what is refused. */
#include "check.h"

static int64_t x_shape[] = {FIXTURE_ROWS, FIXTURE_COLS};
static int64_t index_shape[] = {1};
static int64_t z_shape[] = {FIXTURE_COLS};

typedef struct world {
  tvm_env *env;
  tvm_module *module;
  tvm_session *session;
  float x[FIXTURE_ELEMS], y[FIXTURE_ELEMS], z[FIXTURE_COLS];
  int64_t index;
} world;

static world *create_world(void) {
  world *w = calloc(1, sizeof *w);
  w->env = make_env(2);
  CHECK_OK(tvm_module_link(w->env, &fixture_model, &w->module));
  CHECK_OK(tvm_session_create(w->module, NULL, &w->session));
  fill_input(w->x, 1);
  w->index = 7;
  return w;
}

static void destroy_world(world *w) {
  /* The order does not matter: each keeps what it needs. */
  tvm_env_release(w->env);
  tvm_module_release(w->module);
  tvm_session_release(w->session);
  free(w);
}

static DLTensor x_tensor(world *w) {
  return make_tensor(w->x, 2, x_shape, kDLFloat, 32);
}

static DLTensor index_tensor(world *w) {
  return make_tensor(&w->index, 1, index_shape, kDLInt, 64);
}

static DLTensor y_tensor(world *w) {
  return make_tensor(w->y, 2, x_shape, kDLFloat, 32);
}

static DLTensor z_tensor(world *w) {
  return make_tensor(w->z, 1, z_shape, kDLFloat, 32);
}

static void set_inputs(world *w) {
  DLTensor x = x_tensor(w), index = index_tensor(w);
  CHECK_OK(tvm_session_set_input_copy(w->session, 0, &x));
  CHECK_OK(tvm_session_set_input_copy(w->session, 1, &index));
}

static void test_info(void) {
  world *w = create_world();
  tvm_tensor_info info;
  int32_t found;
  CHECK(tvm_module_num_inputs(w->module) == 2);
  CHECK(tvm_module_num_outputs(w->module) == 3);
  CHECK_OK(tvm_module_input_info(w->module, 0, &info));
  CHECK(!strcmp(info.name, "x") && info.ndim == 2 && info.shape[1] == 128);
  CHECK(info.dtype.code == kDLFloat && info.bytes == FIXTURE_ELEMS * 4);
  CHECK_FAILS(tvm_module_input_info(w->module, 2, &info), TVM_STATUS_INVALID,
              "the model has 2 inputs, got index 2");
  CHECK_FAILS(tvm_module_output_info(w->module, -1, &info), TVM_STATUS_INVALID,
              "the model has 3 outputs, got index -1");
  CHECK_OK(tvm_module_find_output(w->module, "z", &found));
  CHECK(found == 1);
  CHECK_FAILS(tvm_module_find_input(w->module, "z", &found),
              TVM_STATUS_NOT_FOUND, "the model has no input 'z'");
  CHECK(tvm_module_model(w->module) == &fixture_model);
  CHECK_FAILS(tvm_module_link(w->env, NULL, &(tvm_module *){0}),
              TVM_STATUS_INVALID, "got null");
  destroy_world(w);
}

static void test_copies(void) {
  world *w = create_world();
  CHECK_FAILS(tvm_session_run(w->session), TVM_STATUS_INVALID,
              "input 'x' is neither set nor bound");
  set_inputs(w);
  DLTensor y = y_tensor(w), z = z_tensor(w);
  CHECK_FAILS(tvm_session_get_output_copy(w->session, 0, &y),
              TVM_STATUS_INVALID, "no run has succeeded");
  CHECK_OK(tvm_session_run(w->session));
  CHECK_OK(tvm_session_get_output_copy(w->session, 0, &y));
  CHECK_OK(tvm_session_get_output_copy(w->session, 1, &z));
  CHECK(count_wrong(w->x, w->y, w->z, 7) == 0);
  int32_t rows = 0;
  DLTensor count = make_tensor(&rows, 0, NULL, kDLInt, 32);
  CHECK_OK(tvm_session_get_output_copy(w->session, 2, &count));
  CHECK(rows == FIXTURE_ROWS);
  destroy_world(w);
}

/* Columns first, backwards and every second element. */
static void test_strides(void) {
  world *w = create_world();
  set_inputs(w);
  float *wide = calloc(2 * FIXTURE_ELEMS, sizeof *wide);
  int64_t strides[] = {-2, 2 * FIXTURE_ROWS};
  DLTensor x = make_tensor(wide, 2, x_shape, kDLFloat, 32);
  x.strides = strides;
  x.byte_offset = 2 * (FIXTURE_ROWS - 1) * sizeof(float);
  for (int i = 0; i < FIXTURE_ROWS; i++)
    for (int j = 0; j < FIXTURE_COLS; j++)
      wide[2 * (FIXTURE_ROWS - 1 - i) + 2 * FIXTURE_ROWS * j] =
          w->x[i * FIXTURE_COLS + j];
  CHECK_OK(tvm_session_set_input_copy(w->session, 0, &x));
  CHECK_OK(tvm_session_run(w->session));
  DLTensor y = x;
  y.data = calloc(2 * FIXTURE_ELEMS, sizeof(float));
  CHECK_OK(tvm_session_get_output_copy(w->session, 0, &y));
  DLTensor view;
  CHECK_OK(tvm_session_get_output_view(w->session, 0, &view));
  int wrong = 0;
  for (int i = 0; i < FIXTURE_ROWS; i++)
    for (int j = 0; j < FIXTURE_COLS; j++)
      wrong +=
          ((float *)
               y.data)[2 * (FIXTURE_ROWS - 1 - i) + 2 * FIXTURE_ROWS * j] !=
          ((float *)view.data)[i * FIXTURE_COLS + j];
  CHECK(wrong == 0);
  CHECK_FAILS(tvm_session_bind_input(w->session, 0, &x), TVM_STATUS_SHAPE,
              "input 'x' expects row-major data, got stride 128 in place of 1 "
              "in dimension 1");
  free(y.data);
  free(wide);
  destroy_world(w);
}

static void test_binding(void) {
  world *w = create_world();
  DLTensor x = x_tensor(w), index = index_tensor(w), y = y_tensor(w),
           z = z_tensor(w), view;
  CHECK_OK(tvm_session_bind_input(w->session, 0, &x));
  CHECK_OK(tvm_session_bind_input(w->session, 1, &index));
  CHECK_OK(tvm_session_bind_output(w->session, 0, &y));
  CHECK_OK(tvm_session_bind_output(w->session, 1, &z));
  CHECK_OK(tvm_session_run(w->session));
  CHECK(count_wrong(w->x, w->y, w->z, 7) == 0);
  CHECK_OK(tvm_session_get_output_view(w->session, 0, &view));
  CHECK(view.data == w->y);
  /* The caller's memory is read anew in every run. */
  fill_input(w->x, 9);
  w->index = 0;
  CHECK_OK(tvm_session_run(w->session));
  CHECK(count_wrong(w->x, w->y, w->z, 0) == 0);
  CHECK_OK(tvm_session_unbind_output(w->session, 0));
  CHECK_OK(tvm_session_get_output_view(w->session, 0, &view));
  CHECK(view.data != w->y);
  CHECK_OK(tvm_session_unbind_input(w->session, 0));
  CHECK_FAILS(tvm_session_run(w->session), TVM_STATUS_INVALID,
              "input 'x' is neither set nor bound");
  destroy_world(w);
}

static void test_refusals(void) {
  world *w = create_world();
  DLTensor x = x_tensor(w), bad;
  int64_t flat[] = {FIXTURE_ELEMS}, turned[] = {FIXTURE_COLS, FIXTURE_ROWS};
  bad = x, bad.shape = turned;
  CHECK_FAILS(tvm_session_bind_input(w->session, 0, &bad), TVM_STATUS_SHAPE,
              "input 'x' expects shape [64,128], got [128,64]");
  bad = x, bad.shape = flat, bad.ndim = 1;
  CHECK_FAILS(tvm_session_set_input_copy(w->session, 0, &bad), TVM_STATUS_SHAPE,
              "expects shape [64,128], got [8192]");
  bad = x, bad.ndim = -1;
  CHECK_FAILS(tvm_session_bind_input(w->session, 0, &bad), TVM_STATUS_SHAPE,
              "expects rank 2");
  bad = x, bad.shape = NULL;
  CHECK_FAILS(tvm_session_bind_input(w->session, 0, &bad), TVM_STATUS_SHAPE,
              "without a valid shape");
  bad = x, bad.dtype.bits = 64;
  CHECK_FAILS(tvm_session_bind_input(w->session, 0, &bad), TVM_STATUS_TYPE,
              "input 'x' expects type f32, got f64");
  bad = x, bad.dtype.lanes = 4;
  CHECK_FAILS(tvm_session_bind_input(w->session, 0, &bad), TVM_STATUS_TYPE,
              "expects type f32, got type 2/32/4");
  bad = x, bad.device.device_type = kDLVulkan;
  CHECK_FAILS(tvm_session_bind_input(w->session, 0, &bad), TVM_STATUS_DEVICE,
              "expects CPU memory, got device type 7");
  bad = x, bad.data = NULL;
  CHECK_FAILS(tvm_session_bind_input(w->session, 0, &bad), TVM_STATUS_INVALID,
              "got null");
  bad = x, bad.byte_offset = 2;
  CHECK_FAILS(tvm_session_bind_input(w->session, 0, &bad), TVM_STATUS_INVALID,
              "aligned to 4 bytes");
  CHECK_FAILS(tvm_session_bind_input(w->session, 0, NULL), TVM_STATUS_INVALID,
              "expects a tensor, got null");
  CHECK_FAILS(tvm_session_bind_input(w->session, 2, &x), TVM_STATUS_INVALID,
              "the model has 2 inputs, got index 2");
  CHECK_FAILS(tvm_session_bind_output(w->session, 3, &x), TVM_STATUS_INVALID,
              "the model has 3 outputs, got index 3");
  destroy_world(w);
}

static void test_overlap(void) {
  world *w = create_world();
  DLTensor x = x_tensor(w), view;
  CHECK_OK(tvm_session_bind_input(w->session, 0, &x));
  CHECK_FAILS(tvm_session_bind_output(w->session, 0, &x), TVM_STATUS_INVALID,
              "output 'y' overlaps input 'x' of the session");
  DLTensor z = make_tensor(w->x + FIXTURE_ELEMS - 1, 1, z_shape, kDLFloat, 32);
  CHECK_FAILS(tvm_session_bind_output(w->session, 1, &z), TVM_STATUS_INVALID,
              "output 'z' overlaps input 'x'");
  CHECK_OK(tvm_session_get_output_view(w->session, 0, &view));
  CHECK_FAILS(tvm_session_bind_input(w->session, 0, &view), TVM_STATUS_INVALID,
              "input 'x' overlaps output 'y'");
  /* By copy it is sound: a recurrent state goes round this way. */
  set_inputs(w);
  CHECK_OK(tvm_session_run(w->session));
  CHECK_OK(tvm_session_set_input_copy(w->session, 0, &view));
  CHECK_OK(tvm_session_run(w->session));
  destroy_world(w);
}

static void test_data_error(void) {
  world *w = create_world();
  w->index = 64;
  set_inputs(w);
  CHECK_FAILS(tvm_session_run(w->session), TVM_STATUS_DATA,
              "'index' expects 0 to 63");
  w->index = 63;
  set_inputs(w);
  CHECK_OK(tvm_session_run(w->session));
  destroy_world(w);
}

static void test_arena(void) {
  world *w = create_world();
  uint64_t inner = FIXTURE_ELEMS * 4;
  uint64_t io = 2 * inner + 64 + FIXTURE_COLS * 4 + 64;
  CHECK(tvm_module_arena_bytes(w->module, 0) == inner + io);
  CHECK(tvm_module_arena_bytes(w->module, TVM_SESSION_EXTERNAL_IO) == inner);
  tvm_session_options options = {.size_bytes = sizeof options};
  tvm_session *session = NULL;
  options.arena_bytes = inner + io - 1;
  options.arena = aligned_alloc(64, inner + io);
  CHECK_FAILS(tvm_session_create(w->module, &options, &session),
              TVM_STATUS_INVALID, "the arena expects");
  options.arena_bytes = inner + io;
  options.arena = (char *)options.arena + 8;
  CHECK_FAILS(tvm_session_create(w->module, &options, &session),
              TVM_STATUS_INVALID, "aligned to 64 bytes");
  options.arena = (char *)options.arena - 8;
  CHECK_OK(tvm_session_create(w->module, &options, &session));
  tvm_session_release(w->session);
  w->session = session;
  set_inputs(w);
  CHECK_OK(tvm_session_run(w->session));
  DLTensor y, z;
  CHECK_OK(tvm_session_get_output_view(session, 0, &y));
  CHECK_OK(tvm_session_get_output_view(session, 1, &z));
  CHECK((char *)y.data > (char *)options.arena &&
        (char *)y.data < (char *)options.arena + inner + io);
  CHECK(count_wrong(w->x, y.data, z.data, 7) == 0);
  options.flags = 2;
  CHECK_FAILS(tvm_session_create(w->module, &options, &session),
              TVM_STATUS_INVALID, "unknown flags 0x2");
  options.size_bytes = 0;
  CHECK_FAILS(tvm_session_create(w->module, &options, &session), TVM_STATUS_ABI,
              "size_bytes");
  destroy_world(w);
  free(options.arena);
}

static void test_external(void) {
  world *w = create_world();
  tvm_session_options options = {.size_bytes = sizeof options,
                                 .flags = TVM_SESSION_EXTERNAL_IO};
  tvm_session_release(w->session);
  CHECK_OK(tvm_session_create(w->module, &options, &w->session));
  DLTensor x = x_tensor(w), index = index_tensor(w), y = y_tensor(w),
           z = z_tensor(w);
  CHECK_FAILS(tvm_session_set_input_copy(w->session, 0, &x), TVM_STATUS_INVALID,
              "bind it");
  CHECK_FAILS(tvm_session_get_input_view(w->session, 0, &x), TVM_STATUS_INVALID,
              "bind it");
  CHECK_OK(tvm_session_bind_input(w->session, 0, &x));
  CHECK_OK(tvm_session_bind_input(w->session, 1, &index));
  CHECK_OK(tvm_session_bind_output(w->session, 0, &y));
  CHECK_OK(tvm_session_bind_output(w->session, 1, &z));
  CHECK_FAILS(tvm_session_run(w->session), TVM_STATUS_INVALID,
              "output 'count' is not bound");
  int32_t rows = 0;
  DLTensor count = make_tensor(&rows, 0, NULL, kDLInt, 32);
  CHECK_OK(tvm_session_bind_output(w->session, 2, &count));
  CHECK_OK(tvm_session_run(w->session));
  CHECK(count_wrong(w->x, w->y, w->z, 7) == 0 && rows == FIXTURE_ROWS);
  DLManagedTensorVersioned *exported;
  CHECK_FAILS(tvm_session_get_output_dlpack(w->session, 0, &exported),
              TVM_STATUS_INVALID, "the caller's own memory");
  destroy_world(w);
}

typedef struct profile {
  int32_t next;
  int wrong;
} profile;

static void record(void *user, int32_t index, const char *name, uint64_t ns) {
  profile *p = user;
  p->wrong += index != p->next++ || ns > 10000000000u ||
              strcmp(name, fixture_model.launches[index].name);
}

static void test_profile(void) {
  world *w = create_world();
  profile p = {0};
  set_inputs(w);
  CHECK_OK(tvm_session_set_profiler(w->session, record, &p));
  CHECK_OK(tvm_session_run(w->session));
  CHECK(p.next == 3 && p.wrong == 0);
  CHECK_OK(tvm_session_set_profiler(w->session, NULL, NULL));
  CHECK_OK(tvm_session_run(w->session));
  CHECK(p.next == 3);
  destroy_world(w);
}

int main(void) {
  test_info();
  test_copies();
  test_strides();
  test_binding();
  test_refusals();
  test_overlap();
  test_data_error();
  test_arena();
  test_external();
  test_profile();
  return report("session");
}
