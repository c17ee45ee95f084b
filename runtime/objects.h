/* objects.h - the objects behind the handles of tvm/runtime.h, and what the
 * files of this folder offer one another. Nothing here is exported. */
#ifndef TVM_RUNTIME_OBJECTS_H
#define TVM_RUNTIME_OBJECTS_H

#include <stdatomic.h>

#include "tvm/runtime.h"

#define TVM_MAX_RANK 64
#define TVM_IO_ALIGN 64u
#define TVM_TEXT_BYTES 512 /* room for a shape in a message */

/* error.c */
__attribute__((format(printf, 2, 3))) tvm_status
tvm_runtime_fail(tvm_status status, const char *format, ...);

/* pool.c: threads that run ranges. Never null after a successful create. */
typedef struct tvm_pool tvm_pool;
tvm_status tvm_pool_create(const tvm_allocator *allocator, int32_t num_threads,
                           bool spin, tvm_pool **out_pool);
void tvm_pool_destroy(tvm_pool *pool);
void tvm_pool_run(tvm_pool *pool, tvm_parallel_body body, void *arg,
                  int64_t count);

/* env.c */
struct tvm_env {
  atomic_int references;
  int32_t num_threads;
  tvm_allocator allocator;
  tvm_parallel_for parallel_for;
  void *parallel_user;
  tvm_pool *pool; /* null: one thread, or parallel_for is the host's */
};

void tvm_env_retain(tvm_env *env);
void *tvm_env_allocate(tvm_env *env, size_t bytes, size_t align);
void tvm_env_free(tvm_env *env, void *memory, size_t bytes, size_t align);
void tvm_env_parallel_for(tvm_env *env, tvm_parallel_body body, void *arg,
                          int64_t count);

/* check_elf.c: is the file a shared library that the loader can map without
 * running past its end? `name` is for the message. */
tvm_status tvm_elf_check(const void *image, uint64_t size_bytes,
                         const char *name);

/* check_model.c: are the tables sane, and, where the library is known, do they
 * lie inside it? */
tvm_status tvm_model_check(const tvm_model *model, bool in_library,
                           const char *name);
/* Has this processor what the code needs? */
tvm_status tvm_model_check_level(const char *level, const char *name);

/* module.c */
struct tvm_module {
  atomic_int references;
  tvm_env *env;
  const tvm_model *model;
  void *library; /* of dlopen; null: linked into the program */
  int file;      /* keeps the name that the loader knows unique; or -1 */
  uint64_t arena_align;
  uint64_t io_offset;   /* of the first own input in the arena */
  uint64_t arena_bytes; /* with own inputs and outputs */
};

void tvm_module_retain(tvm_module *module);

/* Where buffer `bytes` long starts when everything before ends at `end`. */
static inline uint64_t tvm_align_up(uint64_t end, uint64_t align) {
  return (end + align - 1) & ~(align - 1);
}

/* session.c */
typedef struct tvm_slot {
  void *own; /* null with external tensors */
  DLManagedTensorVersioned *managed;
  bool is_bound;
  bool is_ready; /* inputs: set or bound */
} tvm_slot;

struct tvm_session {
  atomic_int references;
  atomic_bool is_running;
  bool has_result;
  tvm_module *module;
  void *arena;
  bool owns_arena;
  uint64_t arena_bytes; /* where owned */
  size_t size_bytes;    /* of this object */
  tvm_slot *slots;      /* inputs, then outputs */
  void **io;            /* in the same order */
  tvm_profile_fn profile;
  void *profile_user;
};

/* bind.c: ends a binding; the slot falls back to its own buffer. */
void tvm_slot_unbind(tvm_session *session, int32_t slot);

/* tensor.c: does a tensor match a row of the model's table? */
typedef struct tvm_tensor_ref {
  const char *kind; /* "input" or "output" */
  const tvm_model_tensor *row;
} tvm_tensor_ref;

tvm_status tvm_tensor_check(tvm_tensor_ref expected, const DLTensor *tensor);
tvm_status tvm_tensor_check_dense(tvm_tensor_ref expected,
                                  const DLTensor *tensor);
void *tvm_tensor_data(const DLTensor *tensor);
void tvm_tensor_gather(void *dense, const DLTensor *strided);
void tvm_tensor_scatter(const DLTensor *strided, const void *dense);

#endif
