/* external.c - tensors whose bytes lie in files beside the model.
 *
 * A model comes from strangers: its files may name nothing outside of its own
 * folder, by whatever way. */
#include "importer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  MlirLocation location;
  const char *what;
  const char *path; /* as written */
  int64_t offset;
  int64_t length; /* -1: to the end */
} reference;

__attribute__((format(printf, 2, 3))) static bool
fail(const reference *r, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  tvm_emit_error(r->location, "%s %s", r->what, text);
  return false;
}

static bool parse_number(const reference *r, const char *key, const char *text,
                         int64_t *out) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (errno || *end || end == text || value < 0)
    return fail(r, "has the external data %s '%s', expected a number of bytes",
                key, text);
  *out = value;
  return true;
}

static bool parse(reference *r, const Onnx__TensorProto *tensor) {
  for (size_t i = 0; i < tensor->n_external_data; ++i) {
    const Onnx__StringStringEntryProto *e = tensor->external_data[i];
    if (!e->key || !e->value)
      continue;
    if (strcmp(e->key, "location") == 0)
      r->path = e->value;
    else if (strcmp(e->key, "offset") == 0 &&
             !parse_number(r, "offset", e->value, &r->offset))
      return false;
    else if (strcmp(e->key, "length") == 0 &&
             !parse_number(r, "length", e->value, &r->length))
      return false;
  }
  return (r->path && *r->path) || fail(r, "has external data but no location");
}

static bool has_parent_step(const char *path) {
  for (const char *at = path; at; at = strchr(at, '/')) {
    at += *at == '/';
    if (at[0] == '.' && at[1] == '.' && (at[2] == '/' || !at[2]))
      return true;
  }
  return false;
}

/* The real path of the file, which the caller frees; null after an error. */
static char *find_file(const tvm_onnx_model *m, const reference *r) {
  if (r->path[0] == '/' || has_parent_step(r->path) || !m->folder) {
    fail(r,
         "has the external data file '%s', which is not inside of the "
         "model's folder",
         r->path);
    return NULL;
  }
  size_t size = strlen(m->folder) + strlen(r->path) + 2;
  char *joined = malloc(size);
  snprintf(joined, size, "%s/%s", m->folder, r->path);
  char *real = realpath(joined, NULL);
  free(joined);
  if (!real) {
    fail(r, "needs the external data file '%s': %s", r->path, strerror(errno));
    return NULL;
  }
  size_t n = strlen(m->folder);
  n -= m->folder[n - 1] == '/';
  if (strncmp(real, m->folder, n) == 0 && real[n] == '/')
    return real;
  fail(r,
       "has the external data file '%s', which leads out of the model's "
       "folder",
       r->path);
  free(real);
  return NULL;
}

static bool check_range(const reference *r, int64_t file_bytes,
                        size_t expected) {
  if (r->offset > file_bytes)
    return fail(r, "starts at byte %lld of '%s', which has %lld",
                (long long)r->offset, r->path, (long long)file_bytes);
  int64_t left = file_bytes - r->offset;
  int64_t length = r->length < 0 ? (int64_t)expected : r->length;
  if ((size_t)length != expected)
    return fail(r, "holds %lld bytes, its type and shape need %zu",
                (long long)length, expected);
  if (length > left)
    return fail(r,
                "needs %lld bytes of '%s' from byte %lld on, the file has "
                "%lld",
                (long long)length, r->path, (long long)r->offset,
                (long long)left);
  return true;
}

/* A mapping starts at a page, the tensor anywhere in it. */
typedef struct {
  void *base;
  size_t size;
} mapping;

static void release(void *user, const void *data, size_t bytes, size_t align) {
  (void)data, (void)bytes, (void)align;
  mapping *map = user;
  munmap(map->base, map->size);
  free(map);
}

static void release_copy(void *user, const void *data, size_t bytes,
                         size_t align) {
  (void)user, (void)bytes, (void)align;
  free((void *)(uintptr_t)data);
}

static bool copy_if_misaligned(tvm_onnx_bytes *bytes) {
  if ((uintptr_t)bytes->data % 16 == 0)
    return true;
  void *copy = malloc(bytes->size);
  if (copy)
    memcpy(copy, bytes->data, bytes->size);
  release(bytes->release_data, bytes->data, bytes->size, 1);
  *bytes = (tvm_onnx_bytes){copy, bytes->size, release_copy, NULL};
  return copy != NULL;
}

static bool map_range(const reference *r, int fd, size_t size,
                      tvm_onnx_bytes *out) {
  int64_t page = sysconf(_SC_PAGESIZE);
  int64_t start = r->offset / page * page;
  mapping map = {.size = size + (size_t)(r->offset - start)};
  map.base =
      mmap(NULL, map.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, start);
  if (map.base == MAP_FAILED)
    return fail(r, "cannot map '%s': %s", r->path, strerror(errno));
  mapping *kept = malloc(sizeof *kept);
  *kept = map;
  *out = (tvm_onnx_bytes){(char *)map.base + (r->offset - start), size, release,
                          kept};
  return copy_if_misaligned(out) || fail(r, "does not fit in memory");
}

bool tvm_onnx_map_external(tvm_onnx_model *m, MlirLocation location,
                           const Onnx__TensorProto *tensor, const char *what,
                           size_t expected_bytes, tvm_onnx_bytes *out) {
  reference r = {.location = location, .what = what, .length = -1};
  if (!parse(&r, tensor))
    return false;
  char *path = find_file(m, &r);
  if (!path)
    return false;
  struct stat s;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  bool ok = fd >= 0 && fstat(fd, &s) == 0;
  if (!ok)
    fail(&r, "cannot open '%s': %s", r.path, strerror(errno));
  else if (!S_ISREG(s.st_mode))
    ok = fail(&r, "has the external data '%s', which is not a regular file",
              r.path);
  ok = ok && check_range(&r, s.st_size, expected_bytes);
  if (ok && expected_bytes)
    ok = map_range(&r, fd, expected_bytes, out);
  if (fd >= 0)
    close(fd);
  free(path);
  return ok;
}
