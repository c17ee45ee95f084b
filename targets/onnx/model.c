/* model.c - read a model file and what stands beside its graph. */
#include "importer.h"
#include "nesting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Graph, node, attribute: three messages for each graph in another. */
enum { MAX_MESSAGE_NESTING = 3 * TVM_ONNX_MAX_NESTING + 16 };

MlirLogicalResult tvm_onnx_model_fail(tvm_onnx_model *m, const char *format,
                                      ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return tvm_emit_error(m->location, "%s", text);
}

typedef struct {
  uint8_t *data;
  size_t size;
} mapped_file;

/* Fails: emits. An empty file is one, protobuf would take it for a message. */
static bool map_file(tvm_onnx_model *m, const char *path, mapped_file *out) {
  struct stat s;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &s) != 0) {
    tvm_onnx_model_fail(m, "cannot open '%s': %s", path, strerror(errno));
    if (fd >= 0)
      close(fd);
    return false;
  }
  void *data = MAP_FAILED;
  if (!S_ISREG(s.st_mode))
    tvm_onnx_model_fail(m, "'%s' is not a regular file", path);
  else if (s.st_size == 0)
    tvm_onnx_model_fail(m, "'%s' is empty", path);
  else if ((data = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd,
                        0)) == MAP_FAILED)
    tvm_onnx_model_fail(m, "cannot read '%s': %s", path, strerror(errno));
  close(fd);
  if (data == MAP_FAILED)
    return false;
  *out = (mapped_file){data, (size_t)s.st_size};
  return true;
}

/* Fails: emits. */
static ProtobufCMessage *unpack_file(tvm_onnx_model *m, const char *path,
                                     const ProtobufCMessageDescriptor *type,
                                     const char *what) {
  mapped_file file;
  if (!map_file(m, path, &file))
    return NULL;
  ProtobufCMessage *message = NULL;
  if (!tvm_onnx_check_nesting(type, file.data, file.size, MAX_MESSAGE_NESTING))
    tvm_onnx_model_fail(m, "'%s' nests graphs more than %d deep", path,
                        TVM_ONNX_MAX_NESTING);
  else if (!(message =
                 protobuf_c_message_unpack(type, NULL, file.size, file.data)))
    tvm_onnx_model_fail(m, "'%s' is not an ONNX %s, or it is truncated", path,
                        what);
  munmap(file.data, file.size);
  return message;
}

static bool check_model(tvm_onnx_model *m, const Onnx__ModelProto *model) {
  MlirLogicalResult ok = mlirLogicalResultSuccess();
  if (!model->graph)
    ok = tvm_onnx_model_fail(m, "the model has no graph");
  else if (model->has_ir_version && model->ir_version < 1)
    ok = tvm_onnx_model_fail(m,
                             "the model has IR version %lld, expected 1 or "
                             "more",
                             (long long)model->ir_version);
  else if (!model->has_ir_version)
    ok = tvm_onnx_model_fail(m, "the model has no IR version");
  return mlirLogicalResultIsSuccess(ok);
}

Onnx__ModelProto *tvm_onnx_load_model(tvm_onnx_model *m, const char *path) {
  Onnx__ModelProto *model = (Onnx__ModelProto *)unpack_file(
      m, path, &onnx__model_proto__descriptor, "model");
  if (model && !check_model(m, model)) {
    onnx__model_proto__free_unpacked(model, NULL);
    return NULL;
  }
  return model;
}

Onnx__TensorProto *tvm_onnx_load_tensor(tvm_onnx_model *m, const char *path) {
  return (Onnx__TensorProto *)unpack_file(
      m, path, &onnx__tensor_proto__descriptor, "tensor");
}

bool tvm_onnx_is_default_domain(const char *domain) {
  return !domain || !*domain || strcmp(domain, "ai.onnx") == 0;
}

static bool is_same_domain(const char *a, const char *b) {
  if (tvm_onnx_is_default_domain(a) || tvm_onnx_is_default_domain(b))
    return tvm_onnx_is_default_domain(a) && tvm_onnx_is_default_domain(b);
  return strcmp(a, b) == 0;
}

int64_t tvm_onnx_find_opset(size_t n, Onnx__OperatorSetIdProto **imports,
                            const char *domain) {
  for (size_t i = 0; i < n; ++i)
    if (is_same_domain(imports[i]->domain, domain))
      return imports[i]->version;
  return 0;
}

Onnx__FunctionProto *tvm_onnx_find_function(const tvm_onnx_model *m,
                                            const char *domain,
                                            const char *name) {
  for (size_t i = 0; i < m->proto->n_functions; ++i) {
    Onnx__FunctionProto *f = m->proto->functions[i];
    if (f->name && strcmp(f->name, name) == 0 &&
        is_same_domain(f->domain, domain))
      return f;
  }
  return NULL;
}
