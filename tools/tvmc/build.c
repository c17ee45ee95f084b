/* build.c - run the compiler with the options of the command line. */
#include "tvmc.h"

#include <stdlib.h>
#include <string.h>

static void on_diagnostic(void *user, tvm_severity severity, const char *text) {
  static const char *const names[] = {"error", "warning", "note"};
  build *b = user;
  if (severity == TVM_ERROR && !*b->first.text)
    fail(&b->first, "%s", text);
  if (severity == TVM_ERROR && !b->verbose)
    return;
  progress_clear(b->progress);
  fprintf(stderr, "tvmc: %s: ", names[severity]);
  print_sentence(stderr, text);
}

static void on_progress(void *user, const char *stage, int64_t done,
                        int64_t total) {
  progress_report(((build *)user)->progress, stage, done, total);
}

bool build_has_shape(const build *b, const char *input) {
  for (size_t i = 0; i < b->num_shapes; i++)
    if (strcmp(b->shapes[i].input, input) == 0)
      return true;
  return false;
}

bool build_has_value(const build *b, const char *input) {
  for (size_t i = 0; i < b->num_values; i++)
    if (strcmp(b->values[i].input, input) == 0)
      return true;
  return false;
}

bool build_add_shape(build *b, const char *input, int32_t rank,
                     const int64_t *shape, failure *f) {
  if (build_has_shape(b, input))
    return fail(f, "the shape of input '%s' is given twice", input);
  int64_t *copy = calloc((size_t)rank + 1, sizeof *copy);
  for (int32_t i = 0; i < rank; i++)
    copy[i] = shape[i];
  b->shapes = realloc(b->shapes, (b->num_shapes + 1) * sizeof *b->shapes);
  b->shapes[b->num_shapes++] = (tvm_shape_binding){strdup(input), rank, copy};
  return true;
}

bool build_add_value(build *b, const char *input, const char *path,
                     failure *f) {
  if (build_has_value(b, input))
    return fail(f, "the value of input '%s' is given twice", input);
  b->values = realloc(b->values, (b->num_values + 1) * sizeof *b->values);
  b->values[b->num_values++] = (tvm_value_binding){strdup(input), strdup(path)};
  return true;
}

/* "1,3,224,224"; nothing is the shape of a scalar. */
static bool parse_shape(build *b, const char *name, const char *text,
                        failure *f) {
  int64_t shape[TENSOR_MAX_RANK], elements = 1;
  int32_t rank = 0;
  for (const char *at = text; *text; at++) {
    char digits[32];
    size_t length = strcspn(at, ",");
    if (rank == TENSOR_MAX_RANK)
      return fail(f, "'--shape' expects at most %d dimensions for input '%s'",
                  TENSOR_MAX_RANK, name);
    snprintf(digits, sizeof digits, "%.*s",
             (int)(length < sizeof digits ? length : sizeof digits), at);
    if (!parse_integer(digits, 0, INT64_MAX, &shape[rank++]))
      return fail(f,
                  "'--shape' expects dimensions of zero or more for input "
                  "'%s', got '%s'",
                  name, digits);
    at += length;
    if (!*at)
      break;
  }
  for (int32_t i = 0; i < rank; i++)
    if (__builtin_mul_overflow(elements, shape[i], &elements))
      return fail(f, "'--shape': the dimensions of input '%s' overflow", name);
  return build_add_shape(b, name, rank, shape, f);
}

static bool read_bindings(build *b, const arguments *args, failure *f) {
  const char *text;
  for (size_t at = 0; (text = next_option(args, "--shape", &at));) {
    char *name;
    const char *shape = split_assignment(text, &name);
    bool ok = shape
                  ? parse_shape(b, name, shape, f)
                  : fail(f, "'--shape' expects NAME=D0,D1,.., got '%s'", text);
    free(name);
    if (!ok)
      return false;
  }
  for (size_t at = 0; (text = next_option(args, "--freeze", &at));) {
    char *name;
    const char *path = split_assignment(text, &name);
    bool ok = path ? build_add_value(b, name, path, f)
                   : fail(f, "'--freeze' expects NAME=FILE.pb, got '%s'", text);
    free(name);
    if (!ok)
      return false;
  }
  return true;
}

/* "a,b" */
static void read_passes(build *b, const arguments *args) {
  const char *text;
  for (size_t at = 0; (text = next_option(args, "--disable-pass", &at));)
    for (;;) {
      size_t length = strcspn(text, ",");
      b->passes = realloc(b->passes, (b->num_passes + 1) * sizeof *b->passes);
      b->passes[b->num_passes++] = strndup(text, length);
      if (!text[length])
        break;
      text += length + 1;
    }
}

bool build_init(build *b, const arguments *args, failure *f) {
  *b = (build){.verbose = has_option(args, "--verbose")};
  int64_t jobs = 0, seconds = 0;
  b->options =
      (tvm_compile_options){.size_bytes = sizeof b->options,
                            .target = get_option(args, "--target"),
                            .schedule_path = get_option(args, "--schedule"),
                            .progress = on_progress,
                            .diagnostic = on_diagnostic};
  if (!get_integer(args, "--jobs", 1, 1024, &jobs, f) ||
      !get_integer(args, "--kernel-seconds", 1, 86400, &seconds, f) ||
      !read_bindings(b, args, f))
    return false;
  read_passes(b, args);
  b->options.num_threads = (int)jobs;
  b->options.kernel_seconds = (int)seconds;
  return true;
}

void build_finish(build *b) {
  for (size_t i = 0; i < b->num_shapes; i++) {
    free((char *)b->shapes[i].input);
    free((int64_t *)b->shapes[i].shape);
  }
  for (size_t i = 0; i < b->num_values; i++) {
    free((char *)b->values[i].input);
    free((char *)b->values[i].tensor_proto_path);
  }
  for (size_t i = 0; i < b->num_passes; i++)
    free(b->passes[i]);
  free(b->passes);
  free(b->shapes);
  free(b->values);
  *b = (build){0};
}

static void prepare(build *b) {
  b->options.user = b;
  b->options.num_shapes = b->num_shapes;
  b->options.shapes = b->shapes;
  b->options.num_values = b->num_values;
  b->options.values = b->values;
  b->options.num_disabled_passes = b->num_passes;
  b->options.disabled_passes = (const char *const *)b->passes;
  b->first.text[0] = 0;
}

bool build_compile(build *b, const char *model, const char *output,
                   failure *f) {
  prepare(b);
  bool ok = tvm_compile_file(model, output, &b->options) == 0;
  if (!ok)
    fail(f, "%s", *b->first.text ? b->first.text : "the compiler failed");
  return ok;
}

char **build_find_shape_inputs(build *b, const char *model) {
  char **names;
  prepare(b);
  if (tvm_find_shape_inputs(model, &b->options, &names) == 0 && *names)
    return names;
  free_names(names);
  return NULL;
}

void free_names(char **names) {
  for (char **name = names; name && *name; name++)
    free(*name);
  free(names);
}
