/* compiler.h - embed the compiler: ONNX file in, native library out. */
#ifndef TVM_COMPILER_H
#define TVM_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fixes the shape of one model input. Borrowed for the call. */
typedef struct tvm_shape_binding {
  const char *input;
  int32_t rank;
  const int64_t *shape; /* elements, all >= 0 */
} tvm_shape_binding;

/* Fixes the value of one model input, which then is no input of the library.
 * For inputs that decide shapes (the `shape` of Reshape, for example). */
typedef struct tvm_value_binding {
  const char *input;
  const char *tensor_proto_path; /* an ONNX TensorProto file */
} tvm_value_binding;

typedef enum tvm_emit {
  TVM_EMIT_SHARED, /* shared library that exports tvm_model */
  TVM_EMIT_OBJECT, /* one relocatable object with the same symbol */
  TVM_EMIT_MLIR,   /* the imported model in the graph dialect */
  TVM_EMIT_GRAPH,  /* the fused graph as DOT text, for graphviz */
} tvm_emit;

typedef enum tvm_severity { TVM_ERROR, TVM_WARNING, TVM_NOTE } tvm_severity;

typedef struct tvm_compile_options {
  size_t size_bytes;  /* sizeof this struct, for versioning */
  const char *target; /* "host", "x86-64-v3", ... null: host */
  tvm_emit emit;
  size_t num_shapes;
  const tvm_shape_binding *shapes;
  size_t num_values;
  const tvm_value_binding *values;
  const char *schedule_path; /* user schedule in place of the library's */
  int num_threads;           /* kernels compiled at a time; 0: all cores */
  bool keep_temporaries;
  /* Called with each stage, from the calling thread; may be null. */
  void (*progress)(void *user, const char *stage, int64_t done, int64_t total);
  /* Called with each message, one sentence, no newline; null: stderr. */
  void (*diagnostic)(void *user, tvm_severity severity, const char *text);
  void *user;
  /* Optimizations to leave out, or "all" of them; an unknown name is an error
   * that lists what there is. */
  size_t num_disabled_passes;
  const char *const *disabled_passes;
  /* Processor time for one kernel, 0: a minute. What takes longer, or more than
   * a few GiB of memory, is given up for a simpler schedule with a warning. */
  int kernel_seconds;
  /* Compare the numbers after each pass, and of each kernel, on random inputs
   * with those of plain loops; the first that differ are an error. */
  bool verify_numerics;
} tvm_compile_options;

/* Compile the ONNX file at `model_path` into `output_path`, which is written
 * whole or not at all. Returns 0, or 1 after at least one TVM_ERROR message.
 * Thread-safe. */
int tvm_compile_file(const char *model_path, const char *output_path,
                     const tvm_compile_options *options);

/* The names of the inputs whose values decide shapes and are not bound, as far
 * as the import gets; call again with those bound until there are none. Writes
 * a malloc'ed, null-ended array of malloc'ed strings. Reports no messages.
 * Returns 1 when the model cannot be imported for another reason. */
int tvm_find_shape_inputs(const char *model_path,
                          const tvm_compile_options *options,
                          char ***out_names);

/* What the compiler knows of a target, null: the host, as lines `key = value`
 * of a target description. Writes malloc'ed text: the description, or the
 * sentence that says why there is none, after which 1 is returned. */
int tvm_describe_target(const char *name, char **out_text);

const char *tvm_compiler_version(void);

#ifdef __cplusplus
}
#endif
#endif
