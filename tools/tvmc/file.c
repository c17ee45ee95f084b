/* file.c - files read by mapping them and written whole or not at all. */
#include "tvmc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_map(file_bytes *out, const char *path, failure *f) {
  *out = (file_bytes){0};
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info;
  if (file < 0)
    return fail(f, "cannot open '%s': %s", path, strerror(errno));
  bool ok = fstat(file, &info) == 0;
  if (!ok) {
    fail(f, "cannot examine '%s': %s", path, strerror(errno));
  } else if (!S_ISREG(info.st_mode)) {
    ok = fail(f, "'%s' is no regular file", path);
  } else if (info.st_size) {
    out->size = (size_t)info.st_size;
    void *data = mmap(NULL, out->size, PROT_READ, MAP_PRIVATE, file, 0);
    ok = data != MAP_FAILED;
    out->data = ok ? data : NULL;
    if (!ok)
      fail(f, "cannot map '%s': %s", path, strerror(errno));
  }
  close(file);
  return ok;
}

void file_unmap(file_bytes *file) {
  if (file->data)
    munmap(file->data, file->size);
  *file = (file_bytes){0};
}

static bool write_all(int file, const void *data, size_t size) {
  for (const char *at = data; size;) {
    ssize_t n = write(file, at, size);
    if (n < 0 && errno != EINTR)
      return false;
    if (n > 0) {
      at += n;
      size -= (size_t)n;
    }
  }
  return true;
}

bool file_write(const char *path, const void *head, size_t head_bytes,
                const void *body, size_t body_bytes, failure *f) {
  size_t size = strlen(path) + 32;
  char *temporary = malloc(size);
  snprintf(temporary, size, "%s.tmp%ld", path, (long)getpid());
  int file = open(temporary,
                  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  bool ok = file >= 0 && write_all(file, head, head_bytes) &&
            write_all(file, body, body_bytes);
  int reason = errno;
  if (file >= 0 && close(file) && ok) {
    ok = false;
    reason = errno;
  }
  if (ok && rename(temporary, path)) {
    ok = false;
    reason = errno;
  }
  if (!ok) {
    fail(f, "cannot write '%s': %s", path, strerror(reason));
    if (file >= 0)
      unlink(temporary);
  }
  free(temporary);
  return ok;
}

bool file_check_writable(const char *path, failure *f) {
  struct stat info;
  const char *slash = strrchr(path, '/');
  char *folder =
      slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  int reason = 0;
  bool exists = stat(path, &info) == 0;
  if (!*path)
    reason = ENOENT;
  else if (exists && S_ISDIR(info.st_mode))
    reason = EISDIR;
  else if (exists && !S_ISREG(info.st_mode))
    reason = EINVAL; /* rename would put a file in the place of a device */
  else if (stat(folder, &info))
    reason = errno;
  else if (access(folder, W_OK))
    reason = errno;
  free(folder);
  if (reason == EINVAL)
    return fail(f, "cannot write '%s': it is no regular file", path);
  return !reason || fail(f, "cannot write '%s': %s", path, strerror(reason));
}

bool has_extension(const char *path, const char *extension) {
  size_t length = strlen(path), tail = strlen(extension);
  return length > tail && strcmp(path + length - tail, extension) == 0;
}
