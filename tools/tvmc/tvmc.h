/* tvmc.h - what the files of the command-line tool share. */
#ifndef TVM_TOOLS_TVMC_H
#define TVM_TOOLS_TVMC_H

#include "tvm/compiler.h"
#include "tvm/runtime.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- report.c ---- */

/* The sentence about a failure, on its way to the one who prints it. */
typedef struct failure {
  char text[1024];
} failure;

/* Write the sentence; always returns false. */
bool fail(failure *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Take over the runtime's sentence, with `where` before it unless null. */
bool fail_runtime(failure *f, const char *where);
/* Print text, with spaces behind it up to `width`. Names in a model may hold
 * what a terminal takes for orders: such bytes are shown as \xNN. */
void print_name(FILE *out, const char *text, int width);
/* The same and the end of the line. */
void print_sentence(FILE *out, const char *text);
/* Print `tvmc: error: <text>`; returns the exit code 1. */
int report(const failure *f);

double now_seconds(void);
/* "4.10 MB"; returns `buffer`. */
char *print_bytes(char *buffer, size_t size, uint64_t bytes);
/* "1.25 ms"; returns `buffer`. */
char *print_seconds(char *buffer, size_t size, double seconds);

/* ---- options.c ---- */

typedef struct option_row {
  const char *name;     /* "--threads" */
  const char *argument; /* "N"; null: a flag */
  const char *help;
  bool repeats; /* otherwise an argument is given once at most */
} option_row;

typedef struct option_value {
  const option_row *row;
  const char *text; /* null for a flag */
} option_value;

typedef struct arguments {
  size_t num_options;
  option_value *options;
  size_t num_operands;
  const char **operands;
} arguments;

typedef struct command {
  const char *name;
  const char *synopsis; /* after "tvmc NAME " */
  const char *summary;  /* a sentence or more; lines of 80 columns */
  const char *example;
  const option_row *rows; /* ended by a null name */
  int (*run)(const arguments *args);
} command;

/* Fails: an option that is not in the table, an argument that is missing. */
bool arguments_init(arguments *args, const command *c, int argc, char **argv,
                    failure *f);
void arguments_finish(arguments *args);
bool has_option(const arguments *args, const char *name);
/* The value; null when absent. */
const char *get_option(const arguments *args, const char *name);
/* Values one by one: start with *position 0; null at the end. */
const char *next_option(const arguments *args, const char *name,
                        size_t *position);
/* Leaves *value alone when the option is absent. */
bool get_integer(const arguments *args, const char *name, int64_t low,
                 int64_t high, int64_t *value, failure *f);
bool get_tolerance(const arguments *args, const char *name, double *value,
                   failure *f);
/* "a,b,c": one to `capacity` numbers. Leaves *count alone when absent. */
bool get_numbers(const arguments *args, const char *name, size_t capacity,
                 double *values, size_t *count, failure *f);
/* A decimal integer and nothing after it. */
bool parse_integer(const char *text, int64_t low, int64_t high, int64_t *value);
/* Split NAME=VALUE at the last '='. Returns the value and a malloc'ed name;
 * null, and no name, when there is no '='. */
const char *split_assignment(const char *text, char **out_name);
bool expect_operands(const arguments *args, size_t low, size_t high,
                     const char *what, failure *f);

/* ---- progress.c ---- */

typedef struct progress progress;

/* One line, rewritten, on a terminal; elsewhere a line when nothing was said
 * for two seconds. Both go to stderr. */
progress *progress_create(void);
/* Matches tvm_compile_options.progress. */
void progress_report(void *user, const char *stage, int64_t done,
                     int64_t total);
/* Take the line away so that something else can be printed. */
void progress_clear(progress *p);
void progress_destroy(progress *p);

/* ---- tensor.c ---- */

enum { TENSOR_MAX_RANK = 64, TENSOR_TEXT_BYTES = 512 };

typedef struct tensor {
  char *name; /* may be null */
  DLDataType dtype;
  int32_t rank;
  int64_t *shape;
  size_t count; /* elements */
  size_t bytes;
  void *data; /* dense, row-major */
} tensor;

typedef struct element_type {
  const char *name; /* "f32" */
  uint8_t code, bits;
  char npy_kind;     /* of the type string in a .npy header */
  int32_t onnx_type; /* TensorProto.DataType */
} element_type;

/* Null when none matches. */
const element_type *find_element_type(DLDataType dtype);
const element_type *find_onnx_type(int32_t onnx_type);
const element_type *find_npy_type(char kind, uint64_t bytes);
bool is_float_type(DLDataType dtype);

/* Owns: the caller finishes `out`, which is empty after a failure. */
bool tensor_init(tensor *out, DLDataType dtype, int64_t rank,
                 const int64_t *shape, failure *f);
void tensor_finish(tensor *t);
DLTensor tensor_view(const tensor *t);
/* Borrows the view's memory; `out` is not to be finished. */
tensor tensor_from_view(const DLTensor *view, const char *name);
double tensor_get(const tensor *t, size_t index);
void tensor_set(tensor *t, size_t index, double value);
/* One element in full precision; returns `buffer`. */
char *print_element(char *buffer, size_t size, const tensor *t, size_t index);
/* "f32[1,3,224,224]"; returns `buffer` of TENSOR_TEXT_BYTES. */
char *print_type(char *buffer, DLDataType dtype, int32_t rank,
                 const int64_t *shape);
/* "[1,3]" for the element at `index`; returns `buffer` of TENSOR_TEXT_BYTES. */
char *print_position(char *buffer, const tensor *t, size_t index);
bool same_type(const tensor *t, DLDataType dtype, int32_t rank,
               const int64_t *shape);

/* ---- file.c ---- */

typedef struct file_bytes {
  uint8_t *data; /* mapped; null when size is 0 */
  size_t size;
} file_bytes;

bool file_map(file_bytes *out, const char *path, failure *f);
void file_unmap(file_bytes *file);
/* Write whole or not at all: a temporary file, then rename. */
bool file_write(const char *path, const void *head, size_t head_bytes,
                const void *body, size_t body_bytes, failure *f);
/* Fails early when `path` could not be written later. */
bool file_check_writable(const char *path, failure *f);
bool has_extension(const char *path, const char *extension);

/* ---- tensor_npy.c, tensor_pb.c, tensor_png.c ---- */

bool tensor_parse_npy(tensor *out, const uint8_t *data, size_t size,
                      const char *path, failure *f);
bool tensor_write_npy(const tensor *t, const char *path, failure *f);
bool tensor_parse_pb(tensor *out, const uint8_t *data, size_t size,
                     const char *path, failure *f);
bool tensor_write_pb(const tensor *t, const char *path, failure *f);

/* How pixels become numbers: (pixel * scale - mean) / deviation. */
typedef struct image_options {
  bool given; /* any of them */
  double scale;
  double mean[3], deviation[3];
} image_options;

bool get_image_options(const arguments *args, image_options *out, failure *f);
/* Read a picture as the model's input: resized, channels where the shape has
 * them. */
bool tensor_read_png(tensor *out, const char *path, const char *input,
                     DLDataType dtype, int32_t rank, const int64_t *shape,
                     const image_options *options, failure *f);

/* By extension: .npy or .pb. */
bool tensor_read(tensor *out, const char *path, failure *f);
bool tensor_write(const tensor *t, const char *path, failure *f);

/* ---- json.c ---- */

typedef struct json {
  FILE *out;
  int depth;
  bool comma;
} json;

/* `key` is null inside an array and at the top. */
void json_open(json *j, const char *key, char bracket);
void json_close(json *j, char bracket);
void json_string(json *j, const char *key, const char *text);
void json_integer(json *j, const char *key, int64_t value);
void json_unsigned(json *j, const char *key, uint64_t value);
/* null when not finite. */
void json_number(json *j, const char *key, double value);
/* {"name", "type", "shape", "bytes"}. */
void json_tensor(json *j, const tvm_tensor_info *info);

/* ---- compare.c ---- */

typedef struct tolerance {
  double relative;
  double absolute;
  bool of_range; /* relative to the span of the expected values */
} tolerance;

/* Whether `got` is `expected`; says the worst place when not. */
bool compare_tensors(const tensor *expected, const tensor *got,
                     const tolerance *tolerance, failure *f);

/* ---- onnx_interface.c ---- */

typedef struct onnx_value {
  char *name;
  bool is_tensor;
  bool is_strange; /* a sequence, map or optional */
  bool is_static;  /* every dimension is a number */
  int32_t onnx_type;
} onnx_value;

/* The inputs of a model that have no initializer, in order. */
typedef struct onnx_interface {
  size_t num_inputs;
  onnx_value *inputs;
  size_t num_initialized; /* inputs left out */
  char *strange_output;   /* the first, or null */
} onnx_interface;

/* Returns false when the file is no model; the compiler then says why. */
bool onnx_interface_read(onnx_interface *out, const char *path);
void onnx_interface_finish(onnx_interface *model);

/* ---- build.c ---- */

/* Options of the compiler from the command line, and what they point to. */
typedef struct build {
  tvm_compile_options options;
  size_t num_shapes, num_values;
  tvm_shape_binding *shapes; /* owned, with names and dimensions */
  tvm_value_binding *values; /* owned, with names and paths */
  size_t num_passes;
  char **passes; /* owned: names to disable */
  progress *progress;
  bool verbose;
  failure first; /* the compiler's first error */
} build;

#define PASS_OPTION                                                            \
  {"--disable-pass", "NAME[,..]",                                              \
   "leave an optimization out, or 'all'; may be repeated", true}

#define BUILD_OPTIONS                                                          \
  {"--target", "T", "compile for T, 'host' unless given", false},              \
      {"--shape", "NAME=D0,D1,..",                                             \
       "fix the shape of an input; may be "                                    \
       "repeated",                                                             \
       true},                                                                  \
      {"--freeze", "NAME=FILE.pb",                                             \
       "fix the value of an input; may be "                                    \
       "repeated",                                                             \
       true},                                                                  \
      {"--schedule", "FILE", "use this Transform schedule", false},            \
      PASS_OPTION,                                                             \
      {"--jobs", "N", "compile N kernels at a time, one a core unless given",  \
       false},                                                                 \
      {"--kernel-seconds", "N", "processor time for one kernel, 60 s", false}, \
  {                                                                            \
    "--verbose", NULL, "print every message of the compiler", false            \
  }

bool build_init(build *b, const arguments *args, failure *f);
void build_finish(build *b);
bool build_add_shape(build *b, const char *input, int32_t rank,
                     const int64_t *shape, failure *f);
bool build_add_value(build *b, const char *input, const char *path, failure *f);
bool build_has_shape(const build *b, const char *input);
bool build_has_value(const build *b, const char *input);
/* Compile `model` into `output`. */
bool build_compile(build *b, const char *model, const char *output, failure *f);
/* The inputs that decide shapes, null-ended; see tvm_find_shape_inputs. Null
 * when there is none or the model has another fault. */
char **build_find_shape_inputs(build *b, const char *model);
void free_names(char **names);

/* ---- program.c ---- */

typedef struct program {
  tvm_env *env;
  tvm_module *module;
  tvm_session *session;
} program;

bool program_open(program *p, const char *library, int32_t threads, failure *f);
/* Compile into a file that is gone when this returns. */
bool program_compile(program *p, build *b, const char *model, int32_t threads,
                     failure *f);
void program_finish(program *p);
bool is_onnx_file(const char *path);

/* ---- inputs.c ---- */

#define INPUT_OPTIONS                                                          \
  {"--input", "[NAME=]FILE",                                                   \
   "an input: .npy, .pb (TensorProto) or .png; "                               \
   "without names in the model's order",                                       \
   true},                                                                      \
      {"--mean", "M[,M,M]", "for .png: subtract, a number a channel", false},  \
      {"--std", "S[,S,S]", "for .png: divide by, a number a channel", false},  \
  {                                                                            \
    "--scale", "S", "for .png: multiply pixels first, 1/255 unless given",     \
        false                                                                  \
  }

typedef struct input_file {
  char *name; /* null: by position */
  const char *path;
  bool is_png;
  tensor tensor; /* read, unless a picture */
} input_file;

typedef struct input_files {
  size_t count;
  input_file *files;
  image_options image;
} input_files;

bool input_files_init(input_files *in, const arguments *args, failure *f);
void input_files_finish(input_files *in);
/* Before an .onnx is compiled: names for files that have none, the shapes of
 * inputs with open dimensions. */
bool input_files_bind(input_files *in, const char *model, build *b, failure *f);
/* Freeze the inputs that `names` lists; false when one has no file. */
bool input_files_freeze(input_files *in, char *const *names, build *b,
                        failure *f);
/* Open a .so, or compile an .onnx with the inputs at hand. */
bool program_load(program *p, const char *path, input_files *in,
                  const arguments *args, int32_t threads, failure *f);
/* Set inputs of the session. `set` has an entry an input. */
bool input_files_set(input_files *in, const program *p, bool *set, failure *f);

/* ---- verify_case.c ---- */

typedef struct verify_options {
  const arguments *args;
  tolerance tolerance;
} verify_options;

/* Compile the model of a folder and run all its data sets. */
bool verify_folder(const char *folder, const verify_options *options,
                   failure *f);

/* ---- draw.c ---- */

/* Draw the fused graph of an .onnx model: DOT text, or a picture by graphviz
 * where the name ends in .svg, .png or .pdf. */
bool draw_graph(const arguments *args, const char *model, const char *output,
                failure *f);

/* ---- command_*.c ---- */

extern const command command_compile;
extern const command command_run;
extern const command command_inspect;
extern const command command_bench;
extern const command command_verify;

#endif
