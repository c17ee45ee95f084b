/* fixture.c - a compiled model written by hand, as the compiler would emit it.
 *
 *   t = 3 * x;  y[i] = t[last - i] + weight;  z = y[index];  count = rows
 *
 * y needs all of t, so a launch that returns too early shows. With BREAK_...
 * one row of its tables is wrong. */
#include "fixture.h"

#include <stddef.h>

#ifndef BREAK_MAGIC
#define BREAK_MAGIC TVM_MODEL_MAGIC
#endif
#ifndef BREAK_ABI
#define BREAK_ABI TVM_MODEL_ABI
#endif
#ifndef BREAK_DIM
#define BREAK_DIM FIXTURE_ROWS
#endif
#ifndef BREAK_BITS
#define BREAK_BITS 32
#endif
#ifndef BREAK_NAME
#define BREAK_NAME "x"
#endif
#ifndef BREAK_RANK
#define BREAK_RANK 2
#endif
#ifndef BREAK_ALIGN
#define BREAK_ALIGN 64
#endif
#ifndef BREAK_OUTPUTS
#define BREAK_OUTPUTS outputs
#endif
#ifndef BREAK_LAUNCHES
#define BREAK_LAUNCHES 3
#endif
#ifndef BREAK_RUN
#define BREAK_RUN run
#endif
#ifndef BREAK_MESSAGE
#define BREAK_MESSAGE "'index' expects 0 to 63"
#endif

enum { ROWS = FIXTURE_ROWS, COLS = FIXTURE_COLS };

static const float weight[COLS] = {0.5f, -1.0f, 2.0f};

static void scale(void *const *buffers, int64_t begin, int64_t end) {
  const float *x = buffers[0];
  float *t = buffers[1];
  for (int64_t i = begin * COLS; i < end * COLS; i++)
    t[i] = 3.0f * x[i];
}

static void shift(void *const *buffers, int64_t begin, int64_t end) {
  const float *t = buffers[0];
  float *y = buffers[1];
  for (int64_t i = begin; i < end; i++)
    for (int64_t j = 0; j < COLS; j++)
      y[i * COLS + j] = t[(ROWS - 1 - i) * COLS + j] + weight[j];
}

static void pick(void *const *buffers, int64_t begin, int64_t end) {
  const float *y = buffers[0];
  int64_t row = *(const int64_t *)buffers[1];
  float *z = buffers[2];
  for (int64_t j = begin * COLS; j < end * COLS; j++)
    z[j] = y[row * COLS + j];
}

static int32_t run(const tvm_host *host, void *const *io, void *arena) {
  const int64_t *index = io[1];
  if (*index < 0 || *index >= ROWS)
    return 1;
  void *scale_buffers[] = {io[0], arena};
  host->launch(host->user, 0, scale, scale_buffers, ROWS);
  void *shift_buffers[] = {arena, io[2]};
  host->launch(host->user, 1, shift, shift_buffers, ROWS);
  void *pick_buffers[] = {io[2], io[1], io[3]};
  host->launch(host->user, 2, pick, pick_buffers, 1);
  *(int32_t *)io[4] = ROWS;
  return 0;
}

static const int64_t x_shape[] = {BREAK_DIM, COLS};
static const int64_t index_shape[] = {1};
static const int64_t y_shape[] = {ROWS, COLS};
static const int64_t z_shape[] = {COLS};

static const tvm_model_tensor inputs[] = {
    {BREAK_NAME, {2, BREAK_BITS, 1}, BREAK_RANK, x_shape, ROWS * COLS * 4},
    {"index", {0, 64, 1}, 1, index_shape, 8},
};

static const tvm_model_tensor outputs[] = {
    {"y", {2, 32, 1}, 2, y_shape, ROWS * COLS * 4},
    {"z", {2, 32, 1}, 1, z_shape, COLS * 4},
    {"count", {0, 32, 1}, 0, NULL, 4},
};

static const tvm_model_launch launches[] = {
    {"scale", ROWS, ROWS * COLS, 2 * ROWS * COLS * 4},
    {"shift", ROWS, ROWS * COLS, 2 * ROWS * COLS * 4},
    {"pick", 1, 0, 2 * COLS * 4},
};

static const char *const messages[] = {BREAK_MESSAGE};

const tvm_model fixture_model __attribute__((visibility("default"))) = {
    .magic = BREAK_MAGIC,
    .abi = BREAK_ABI,
    .producer = "fixture",
    .target = "any",
    .num_inputs = 2,
    .num_outputs = 3,
    .num_launches = BREAK_LAUNCHES,
    .num_messages = 1,
    .inputs = inputs,
    .outputs = BREAK_OUTPUTS,
    .launches = launches,
    .messages = messages,
    .arena_bytes = ROWS * COLS * 4,
    .arena_align = BREAK_ALIGN,
    .max_live_bytes = ROWS * COLS * 4,
    .weights_bytes = sizeof weight,
    .run = BREAK_RUN,
};
