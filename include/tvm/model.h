/* model.h - the contract between a compiled model and whoever runs it.
 *
 * A compiled model exports one symbol, `tvm_model`. It is constant data: the
 * tables below, the code of the kernels and the weights as raw bytes. It needs
 * no heap; the caller brings the arena and a way to run a loop in parallel. */
#ifndef TVM_MODEL_H
#define TVM_MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TVM_MODEL_MAGIC 0x4d4d5654u /* "TVMM" in memory order */
#define TVM_MODEL_ABI 1u
#define TVM_MODEL_SYMBOL "tvm_model"

/* Code that needs more than every x86-64 processor has exports this text as
 * well: "x86-64-v2" (SSE4.2), "x86-64-v3" (AVX2, FMA) or "x86-64-v4" (AVX-512).
 */
#define TVM_LEVEL_SYMBOL "tvm_model_level"

/* One kernel. Runs the iterations [begin, end) of its outermost parallel loop.
 * `buffers` holds the inputs, then the outputs, then the workspace if any. */
typedef void (*tvm_kernel_fn)(void *const *buffers, int64_t begin, int64_t end);

/* What the host program calls back. `launch` runs all of [0, grid) of `kernel`,
 * in any order and on any threads, and returns when every iteration is done.
 * `index` is the position in tvm_model.launches. */
typedef struct tvm_host {
  void *user;
  void (*launch)(void *user, int32_t index, tvm_kernel_fn kernel,
                 void *const *buffers, int64_t grid);
} tvm_host;

/* The host program. `io` holds the input buffers, then the output buffers, in
 * the order of the tables, each dense and row-major. `arena` holds arena_bytes
 * at arena_align. Returns 0, or 1 + an index into tvm_model.messages when a
 * check on the data failed (an index out of range, for example). */
typedef int32_t (*tvm_main_fn)(const tvm_host *host, void *const *io,
                               void *arena);

/* Element type with the numbering of DLPack: code 0 signed, 1 unsigned,
 * 2 float, 4 bfloat, 6 bool. */
typedef struct tvm_model_type {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} tvm_model_type;

typedef struct tvm_model_tensor {
  const char *name;
  tvm_model_type type;
  int32_t rank;
  const int64_t *shape;
  uint64_t bytes;
} tvm_model_tensor;

/* One launch of the host program, for inspection and profiles. */
typedef struct tvm_model_launch {
  const char *name; /* kernel symbol */
  int64_t grid;     /* iterations of the parallel loop */
  int64_t flops;    /* multiply and add count as two */
  int64_t bytes;    /* read plus written */
} tvm_model_launch;

typedef struct tvm_model {
  uint32_t magic;
  uint32_t abi;
  const char *producer; /* compiler and version */
  const char *target;   /* triple and CPU */
  int32_t num_inputs;
  int32_t num_outputs;
  int32_t num_launches;
  int32_t num_messages;
  const tvm_model_tensor *inputs;
  const tvm_model_tensor *outputs;
  const tvm_model_launch *launches;
  const char *const *messages;
  uint64_t arena_bytes;
  uint64_t arena_align;
  uint64_t max_live_bytes; /* lower bound of any arena for this program */
  uint64_t weights_bytes;
  tvm_main_fn run;
} tvm_model;

#ifdef __cplusplus
}
#endif
#endif
