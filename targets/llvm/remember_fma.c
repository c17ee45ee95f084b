/* remember_fma.c - keep a measurement in $XDG_CACHE_HOME/tvm, by default
 * ~/.cache/tvm.
 *
 * A file holds one line, `tvm 1 KEY BYTES PORTS`, and is named for the hash KEY
 * of what the processor says of itself. A file that is anything else is
 * measured again and replaced; a folder that cannot be written costs a
 * measurement each time. */
#include "llvm/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, FORM = 1 };

static uint64_t hash(const char *text) { /* FNV-1a */
  uint64_t h = UINT64_C(14695981039346656037);
  for (; *text; ++text)
    h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
  return h;
}

/* Both variables count only as absolute paths. */
static bool find_folder(char *out, size_t size) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int n = cache && *cache == '/' ? snprintf(out, size, "%s", cache)
          : home && *home == '/' ? snprintf(out, size, "%s/.cache", home)
                                 : -1;
  return n >= 0 && (size_t)n < size;
}

static bool find_file(uint64_t key, bool create, char *out) {
  char folder[PATH_BYTES - 64];
  if (!find_folder(folder, sizeof folder))
    return false;
  if (create) {
    mkdir(folder, 0700);
    snprintf(out, PATH_BYTES, "%s/tvm", folder);
    mkdir(out, 0700);
  }
  snprintf(out, PATH_BYTES, "%s/tvm/fma-%016" PRIx64, folder, key);
  return true;
}

static bool load(uint64_t key, int32_t widest_bytes, tvm_fma_rate *out) {
  char path[PATH_BYTES], line[128] = {0};
  if (!find_file(key, false, path))
    return false;
  FILE *f = fopen(path, "rb");
  if (!f)
    return false;
  size_t n = fread(line, 1, sizeof line - 1, f);
  fclose(f);
  int form, end = 0;
  uint64_t stored;
  int32_t bytes, ports;
  if (sscanf(line, "tvm %d %16" SCNx64 " %4d %4d\n%n", &form, &stored, &bytes,
             &ports, &end) != 4 ||
      (size_t)end != n || form != FORM || stored != key || ports < 1 ||
      ports > 16 || (bytes != widest_bytes && bytes * 2 != widest_bytes) ||
      (bytes != widest_bytes && bytes != 32))
    return false;
  *out = (tvm_fma_rate){bytes, ports};
  return true;
}

static void save(uint64_t key, const tvm_fma_rate *rate) {
  char path[PATH_BYTES], temporary[PATH_BYTES + 32];
  if (!find_file(key, true, path))
    return;
  snprintf(temporary, sizeof temporary, "%s.tmp%ld", path, (long)getpid());
  FILE *f = fopen(temporary, "wb");
  if (!f)
    return;
  bool ok = fprintf(f, "tvm %d %016" PRIx64 " %d %d\n", FORM, key,
                    rate->vector_bytes, rate->ports) > 0;
  ok = fclose(f) == 0 && ok;
  if (!ok || rename(temporary, path))
    unlink(temporary);
}

bool tvm_llvm_remember_fma(const char *key, int32_t widest_bytes,
                           tvm_fma_rate *out_rate) {
  uint64_t h = hash(key);
  if (load(h, widest_bytes, out_rate))
    return true;
  if (!tvm_llvm_measure_fma(widest_bytes, out_rate))
    return false;
  save(h, out_rate);
  return true;
}
