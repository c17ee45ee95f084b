/* error.c - the text of the last failure, one per thread. */
#include "objects.h"

#include <stdarg.h>
#include <stdio.h>

#ifndef TVM_VERSION
#define TVM_VERSION "0.1.0"
#endif

/* The one mutable variable of the library: it holds text and no state. */
static _Thread_local char last_error[1024];

tvm_status tvm_runtime_fail(tvm_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(last_error, sizeof last_error, format, args);
  va_end(args);
  return status;
}

const char *tvm_last_error(void) { return last_error; }

const char *tvm_runtime_version(void) { return TVM_VERSION; }
