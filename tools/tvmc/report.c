/* report.c - sentences about failures, and figures a person can read. */
#include "tvmc.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool fail(failure *f, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(f->text, sizeof f->text, format, args);
  va_end(args);
  return false;
}

bool fail_runtime(failure *f, const char *where) {
  if (where)
    return fail(f, "%s: %s", where, tvm_last_error());
  return fail(f, "%s", tvm_last_error());
}

void print_name(FILE *out, const char *text, int width) {
  char *clean = tvm_text_escape(text);
  fprintf(out, "%-*s", width, clean);
  free(clean);
}

void print_sentence(FILE *out, const char *text) {
  print_name(out, text, 0);
  fputc('\n', out);
}

int report(const failure *f) {
  fflush(stdout);
  fputs("tvmc: error: ", stderr);
  print_sentence(stderr, f->text);
  return 1;
}

double now_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

char *print_bytes(char *buffer, size_t size, uint64_t bytes) {
  static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
  double value = (double)bytes;
  size_t unit = 0;
  for (; value >= 1000 && unit < 4; unit++)
    value /= 1000;
  snprintf(buffer, size, "%.*f %s", unit == 0 ? 0 : 2, value, units[unit]);
  return buffer;
}

char *print_seconds(char *buffer, size_t size, double seconds) {
  if (seconds < 1e-3)
    snprintf(buffer, size, "%.2f us", seconds * 1e6);
  else if (seconds < 1)
    snprintf(buffer, size, "%.3f ms", seconds * 1e3);
  else
    snprintf(buffer, size, "%.2f s", seconds);
  return buffer;
}
