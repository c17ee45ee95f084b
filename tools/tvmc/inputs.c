/* inputs.c - from `--input` to the inputs of a session. */
#include "tvmc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool add_file(input_files *in, const char *text, failure *f) {
  input_file *file = &in->files[in->count++];
  file->path = split_assignment(text, &file->name);
  if (!file->path)
    file->path = text;
  file->is_png = has_extension(file->path, ".png");
  for (size_t i = 0; file->name && i + 1 < in->count; i++)
    if (in->files[i].name && strcmp(in->files[i].name, file->name) == 0)
      return fail(f, "input '%s' is given twice", file->name);
  return file->is_png || tensor_read(&file->tensor, file->path, f);
}

bool input_files_init(input_files *in, const arguments *args, failure *f) {
  *in = (input_files){0};
  in->files = calloc(args->num_options + 1, sizeof *in->files);
  if (!get_image_options(args, &in->image, f))
    return false;
  const char *text;
  for (size_t at = 0; (text = next_option(args, "--input", &at));)
    if (!add_file(in, text, f))
      return false;
  return true;
}

void input_files_finish(input_files *in) {
  for (size_t i = 0; i < in->count; i++) {
    free(in->files[i].name);
    tensor_finish(&in->files[i].tensor);
  }
  free(in->files);
  *in = (input_files){0};
}

static input_file *find_file(input_files *in, const char *name) {
  for (size_t i = 0; i < in->count; i++)
    if (in->files[i].name && strcmp(in->files[i].name, name) == 0)
      return &in->files[i];
  return NULL;
}

/* A name for each file that has none: the next input without a file. */
static void name_files(input_files *in, size_t count,
                       const char *(*get_name)(const void *, size_t),
                       const void *names) {
  size_t next = 0;
  for (size_t i = 0; i < in->count; i++) {
    if (in->files[i].name)
      continue;
    while (next < count && find_file(in, get_name(names, next)))
      next++;
    if (next < count)
      in->files[i].name = strdup(get_name(names, next));
  }
}

static const char *get_onnx_name(const void *user, size_t index) {
  return ((const onnx_interface *)user)->inputs[index].name;
}

static const char *get_module_name(const void *user, size_t index) {
  return tvm_module_model(user)->inputs[index].name;
}

bool input_files_bind(input_files *in, const char *model, build *b,
                      failure *f) {
  onnx_interface interface;
  if (!onnx_interface_read(&interface, model))
    return true;
  name_files(in, interface.num_inputs, get_onnx_name, &interface);
  bool ok = true;
  for (size_t i = 0; ok && i < interface.num_inputs; i++) {
    const onnx_value *input = &interface.inputs[i];
    const input_file *file = find_file(in, input->name);
    if (file && !file->is_png && input->is_tensor && !input->is_static &&
        !build_has_shape(b, input->name) && !build_has_value(b, input->name))
      ok = build_add_shape(b, input->name, file->tensor.rank,
                           file->tensor.shape, f);
  }
  onnx_interface_finish(&interface);
  return ok;
}

bool input_files_freeze(input_files *in, char *const *names, build *b,
                        failure *f) {
  for (; *names; names++) {
    const input_file *file = find_file(in, *names);
    if (!file || file->is_png)
      return fail(f,
                  "the value of input '%s' decides shapes, so the compiler "
                  "needs it: '--input %s=FILE' or '--freeze %s=FILE.pb'",
                  *names, *names, *names);
    if (has_extension(file->path, ".pb")) {
      if (!build_add_value(b, *names, file->path, f))
        return false;
      continue;
    }
    char path[] = "/tmp/tvmc-input-XXXXXX";
    int descriptor = mkstemp(path);
    if (descriptor < 0)
      return fail(f, "cannot create a file in '/tmp'");
    close(descriptor);
    if (!tensor_write_pb(&file->tensor, path, f) ||
        !build_add_value(b, *names, path, f))
      return false;
  }
  return true;
}

/* An input that decides shapes makes the first attempt fail early. */
static bool compile_with_inputs(program *p, const char *path, input_files *in,
                                build *b, int32_t threads, failure *f) {
  if (!input_files_bind(in, path, b, f))
    return false;
  for (;;) {
    if (program_compile(p, b, path, threads, f))
      return true;
    failure first = *f;
    char **names = build_find_shape_inputs(b, path);
    if (!names) {
      *f = first;
      return false;
    }
    bool ok = input_files_freeze(in, names, b, f);
    free_names(names);
    if (!ok)
      return false;
  }
}

static void remove_written_values(const build *b) {
  static const char prefix[] = "/tmp/tvmc-input-";
  for (size_t i = 0; i < b->num_values; i++)
    if (strncmp(b->values[i].tensor_proto_path, prefix, strlen(prefix)) == 0)
      unlink(b->values[i].tensor_proto_path);
}

bool program_load(program *p, const char *path, input_files *in,
                  const arguments *args, int32_t threads, failure *f) {
  *p = (program){0};
  if (!is_onnx_file(path)) {
    static const char *const names[] = {"--target", "--shape", "--freeze",
                                        "--schedule", "--disable-pass"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      if (has_option(args, names[i]))
        return fail(f, "'%s' is for .onnx models, got '%s'", names[i], path);
    return program_open(p, path, threads, f);
  }
  build b;
  bool ok = build_init(&b, args, f);
  if (ok) {
    b.progress = progress_create();
    ok = compile_with_inputs(p, path, in, &b, threads, f);
    progress_destroy(b.progress);
  }
  remove_written_values(&b);
  build_finish(&b);
  return ok;
}

static bool set_input(const program *p, const input_file *file, int32_t index,
                      const image_options *image, failure *f) {
  tvm_tensor_info info;
  tensor picture = {0};
  char want[TENSOR_TEXT_BYTES], have[TENSOR_TEXT_BYTES];
  tvm_module_input_info(p->module, index, &info);
  if (file->is_png &&
      !tensor_read_png(&picture, file->path, info.name, info.dtype, info.ndim,
                       info.shape, image, f))
    return false;
  const tensor *t = file->is_png ? &picture : &file->tensor;
  bool ok = same_type(t, info.dtype, info.ndim, info.shape);
  if (!ok)
    fail(f, "input '%s' expects %s, got %s from '%s'", info.name,
         print_type(want, info.dtype, info.ndim, info.shape),
         print_type(have, t->dtype, t->rank, t->shape), file->path);
  DLTensor view = tensor_view(t);
  if (ok && tvm_session_set_input_copy(p->session, index, &view))
    ok = fail_runtime(f, NULL);
  tensor_finish(&picture);
  return ok;
}

bool input_files_set(input_files *in, const program *p, bool *set, failure *f) {
  int32_t count = tvm_module_num_inputs(p->module);
  name_files(in, (size_t)count, get_module_name, p->module);
  for (size_t i = 0; i < in->count; i++) {
    const input_file *file = &in->files[i];
    int32_t index;
    if (!file->name)
      return fail(f, "the model has %d inputs, '%s' is one too many", count,
                  file->path);
    if (tvm_module_find_input(p->module, file->name, &index))
      return fail_runtime(f, NULL);
    if (!set_input(p, file, index, &in->image, f))
      return false;
    set[index] = true;
  }
  return true;
}
