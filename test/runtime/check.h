/* check.h - checks that say where and go on; the exit code counts them. */
#ifndef TVM_TEST_CHECK_H
#define TVM_TEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "tvm/runtime.h"

static int num_failures;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      num_failures++;                                                          \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);  \
    }                                                                          \
  } while (0)

/* The call succeeds. */
#define CHECK_OK(call)                                                         \
  do {                                                                         \
    if ((call) != TVM_OK) {                                                    \
      num_failures++;                                                          \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,            \
              tvm_last_error());                                               \
    }                                                                          \
  } while (0)

/* The call fails with this status and a message that holds `text`. */
#define CHECK_FAILS(call, status, text)                                        \
  do {                                                                         \
    tvm_status got_status = (call);                                            \
    if (got_status != (status) || !strstr(tvm_last_error(), text)) {           \
      num_failures++;                                                          \
      fprintf(stderr, "%s:%d: %s: status %d, message: %s\n", __FILE__,         \
              __LINE__, #call, got_status, tvm_last_error());                  \
    }                                                                          \
  } while (0)

static inline int report(const char *name) {
  printf("%s: %s\n", name, num_failures ? "FAILED" : "passed");
  return num_failures != 0;
}

static inline DLTensor make_tensor(void *data, int ndim, int64_t *shape,
                                   int code, int bits) {
  return (DLTensor){.data = data,
                    .device = {kDLCPU, 0},
                    .ndim = ndim,
                    .dtype = {(uint8_t)code, (uint8_t)bits, 1},
                    .shape = shape};
}

/* The input of the fixture with `seed`, and what must come of it. */
static inline void fill_input(float *x, int seed) {
  for (int i = 0; i < FIXTURE_ELEMS; i++)
    x[i] = (float)((i * 7 + seed * 13) % 101);
}

static inline int count_wrong(const float *x, const float *y, const float *z,
                              int64_t index) {
  static const float weight[FIXTURE_COLS] = {0.5f, -1.0f, 2.0f};
  int wrong = 0;
  for (int i = 0; i < FIXTURE_ROWS; i++)
    for (int j = 0; j < FIXTURE_COLS; j++)
      wrong += y[i * FIXTURE_COLS + j] !=
               3.0f * x[(FIXTURE_ROWS - 1 - i) * FIXTURE_COLS + j] + weight[j];
  for (int j = 0; j < FIXTURE_COLS; j++)
    wrong += z[j] != y[index * FIXTURE_COLS + j];
  return wrong;
}

static inline tvm_env *make_env(int num_threads) {
  tvm_env_options options = {.size_bytes = sizeof options,
                             .num_threads = num_threads};
  tvm_env *env = NULL;
  CHECK_OK(tvm_env_create(&options, &env));
  return env;
}

#endif
