/* runtime.h - load a compiled model, bind tensors, run it.
 *
 *   tvm_env *env;  tvm_module *module;  tvm_session *session;
 *   tvm_env_create(NULL, &env);
 *   tvm_module_open(env, "model.so", &module);
 *   tvm_session_create(module, NULL, &session);
 *   tvm_session_set_input_copy(session, 0, &image);
 *   tvm_session_run(session);
 *   tvm_session_get_output_view(session, 0, &scores);
 *
 * An environment owns threads and memory policy and is shared. A module is an
 * immutable program and is shared. A session is one arena with its bound
 * tensors: one caller at a time, many sessions at once.
 *
 * Every handle is counted: a module keeps its environment, a session keeps its
 * module, an exported tensor keeps its session. Release in any order. Releasing
 * null does nothing.
 *
 * Every function that returns tvm_status leaves a sentence in tvm_last_error()
 * when it fails, and then has changed nothing. `out_x` is null after a failure.
 * Structures that begin with size_bytes must have it set to their sizeof. */
#ifndef TVM_RUNTIME_H
#define TVM_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tvm/dlpack.h"
#include "tvm/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TVM_API __attribute__((visibility("default")))
#else
#define TVM_API
#endif

typedef struct tvm_env tvm_env;
typedef struct tvm_module tvm_module;
typedef struct tvm_session tvm_session;

typedef enum tvm_status {
  TVM_OK = 0,
  TVM_STATUS_INVALID,     /* a wrong argument or a call out of order */
  TVM_STATUS_MEMORY,      /* the allocator gave nothing */
  TVM_STATUS_TYPE,        /* element type differs */
  TVM_STATUS_SHAPE,       /* shape, strides or byte size differ */
  TVM_STATUS_DEVICE,      /* the tensor lives on another device */
  TVM_STATUS_FILE,        /* the file cannot be read or is no model */
  TVM_STATUS_ABI,         /* a model, but of another version */
  TVM_STATUS_NOT_FOUND,   /* no tensor of that name */
  TVM_STATUS_DATA,        /* the model refused a value in its input */
  TVM_STATUS_UNSUPPORTED, /* valid, but not in this build */
} tvm_status;

/* The sentence about the last failure in this thread; never null. Valid until
 * the next call into the runtime from this thread. */
TVM_API const char *tvm_last_error(void);
TVM_API const char *tvm_runtime_version(void);

/* ---- environment -------------------------------------------------------- */

/* Where memory comes from. Both functions must be thread-safe. `bytes` and
 * `align` of release are those of the allocation; align is a power of two. */
typedef struct tvm_allocator {
  void *user;
  void *(*allocate)(void *user, size_t bytes, size_t align);
  void (*release)(void *user, void *memory, size_t bytes, size_t align);
} tvm_allocator;

/* Runs body(arg, begin, end) over disjoint ranges that cover [0, count), on
 * any threads, and returns when all are done. */
typedef void (*tvm_parallel_body)(void *arg, int64_t begin, int64_t end);
typedef void (*tvm_parallel_for)(void *user, tvm_parallel_body body, void *arg,
                                 int64_t count);

typedef struct tvm_env_options {
  size_t size_bytes;
  int32_t num_threads; /* with the caller's; 0: the CPUs of this process */
  const tvm_allocator *allocator; /* copied; null: the C library's */
  tvm_parallel_for parallel_for;  /* the host's pool; null: our own */
  void *parallel_user;
} tvm_env_options;

/* Create an environment. Starts num_threads - 1 threads unless parallel_for is
 * given. `options` may be null. */
TVM_API tvm_status tvm_env_create(const tvm_env_options *options,
                                  tvm_env **out_env);
TVM_API void tvm_env_release(tvm_env *env);
TVM_API int32_t tvm_env_num_threads(const tvm_env *env);

/* ---- module ------------------------------------------------------------- */

/* Open a compiled model. The file is mapped, not read: weights are loaded when
 * they are first used. The code in it is trusted, its form is not. */
TVM_API tvm_status tvm_module_open(tvm_env *env, const char *path,
                                   tvm_module **out_module);
/* Open a shared library held in memory. `data` may be freed afterwards. */
TVM_API tvm_status tvm_module_open_memory(tvm_env *env, const void *data,
                                          size_t size_bytes,
                                          tvm_module **out_module);
/* Wrap a model that is linked into the program. Borrows `model`. */
TVM_API tvm_status tvm_module_link(tvm_env *env, const tvm_model *model,
                                   tvm_module **out_module);
TVM_API void tvm_module_release(tvm_module *module);

/* The tables of the model: checked, constant, alive as long as the module. */
TVM_API const tvm_model *tvm_module_model(const tvm_module *module);

typedef struct tvm_tensor_info {
  const char *name;
  DLDataType dtype;
  int32_t ndim;
  const int64_t *shape;
  uint64_t bytes;
} tvm_tensor_info;

TVM_API int32_t tvm_module_num_inputs(const tvm_module *module);
TVM_API int32_t tvm_module_num_outputs(const tvm_module *module);
TVM_API tvm_status tvm_module_input_info(const tvm_module *module,
                                         int32_t index,
                                         tvm_tensor_info *out_info);
TVM_API tvm_status tvm_module_output_info(const tvm_module *module,
                                          int32_t index,
                                          tvm_tensor_info *out_info);
TVM_API tvm_status tvm_module_find_input(const tvm_module *module,
                                         const char *name, int32_t *out_index);
TVM_API tvm_status tvm_module_find_output(const tvm_module *module,
                                          const char *name, int32_t *out_index);

/* ---- session ------------------------------------------------------------ */

typedef enum tvm_session_flags {
  /* The arena has no room for inputs and outputs: all must be bound. */
  TVM_SESSION_EXTERNAL_IO = 1,
} tvm_session_flags;

/* Size and alignment of the arena of a session: the model's intermediate
 * tensors, then its inputs and outputs unless `flags` says otherwise. */
TVM_API uint64_t tvm_module_arena_bytes(const tvm_module *module,
                                        uint32_t flags);
TVM_API uint64_t tvm_module_arena_align(const tvm_module *module);

typedef struct tvm_session_options {
  size_t size_bytes;
  uint32_t flags;
  void *arena;          /* outlives the session; null: allocated once */
  uint64_t arena_bytes; /* of `arena` */
} tvm_session_options;

/* Create a session. `options` may be null. After this nothing is allocated by
 * set, bind, run, view or copy. */
TVM_API tvm_status tvm_session_create(tvm_module *module,
                                      const tvm_session_options *options,
                                      tvm_session **out_session);
TVM_API void tvm_session_release(tvm_session *session);

/* Copy a tensor into the session; strides are followed. Ends a binding. */
TVM_API tvm_status tvm_session_set_input_copy(tvm_session *session,
                                              int32_t index,
                                              const DLTensor *tensor);
/* A view of the session's own buffer, to be filled by the caller, which counts
 * as setting the input. Ends a binding. */
TVM_API tvm_status tvm_session_get_input_view(tvm_session *session,
                                              int32_t index, DLTensor *out);

/* Use the caller's memory, without a copy, until it is bound, set or unbound
 * anew. Fails: another type, shape or device, strides that are not row-major,
 * data less aligned than its element, an output that overlaps another tensor
 * of the session. */
TVM_API tvm_status tvm_session_bind_input(tvm_session *session, int32_t index,
                                          const DLTensor *tensor);
TVM_API tvm_status tvm_session_bind_output(tvm_session *session, int32_t index,
                                           const DLTensor *tensor);
/* As bind_input; takes `owned_tensor`, also on failure, and calls its deleter
 * when the binding ends. */
TVM_API tvm_status
tvm_session_bind_input_dlpack(tvm_session *session, int32_t index,
                              DLManagedTensorVersioned *owned_tensor);
TVM_API tvm_status tvm_session_unbind_input(tvm_session *session,
                                            int32_t index);
TVM_API tvm_status tvm_session_unbind_output(tvm_session *session,
                                             int32_t index);

/* Run the model. Fails: an input that was never set or bound, a value that the
 * model refuses, a run of the same session in another thread. */
TVM_API tvm_status tvm_session_run(tvm_session *session);

/* The result where it lies; its shape is valid as long as the module, its data
 * until the next run. */
TVM_API tvm_status tvm_session_get_output_view(tvm_session *session,
                                               int32_t index, DLTensor *out);
/* Copy the result into the caller's tensor; strides are followed. */
TVM_API tvm_status tvm_session_get_output_copy(tvm_session *session,
                                               int32_t index,
                                               const DLTensor *tensor);
/* Export the result without a copy. The tensor keeps the session alive; the
 * next run writes into it. Fails: the output is bound to the caller's own
 * memory. */
TVM_API tvm_status tvm_session_get_output_dlpack(
    tvm_session *session, int32_t index, DLManagedTensorVersioned **out_tensor);

/* Called after each launch, in order, from the thread that runs. `index` is a
 * position in tvm_model.launches. */
typedef void (*tvm_profile_fn)(void *user, int32_t index, const char *name,
                               uint64_t ns);
/* Set or, with null, remove the profiler. */
TVM_API tvm_status tvm_session_set_profiler(tvm_session *session,
                                            tvm_profile_fn profile, void *user);

#ifdef __cplusplus
}
#endif
#endif
