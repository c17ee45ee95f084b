/* register.c - make the passes known by their arguments. */
#include "passes/passes.h"

#include <pthread.h>

static MlirLogicalResult run(MlirOperation op, tvm_seam_pass pass, void *user) {
  (void)pass;
  return ((MlirLogicalResult (*)(MlirOperation))user)(op);
}

static const char *const DIALECTS[] = {"graph", "arith", "func", "pdl",
                                       "pdl_interp"};

#define PASS(argument, op, function, description)                              \
  {argument, description, op, 0, NULL, 5, DIALECTS, run, (void *)function},
static const tvm_seam_pass_desc PASSES[] = {
#include "passes/passes.def"
};

static void register_once(void) {
  for (size_t i = 0; i < sizeof PASSES / sizeof *PASSES; ++i)
    tvm_seam_register_pass(&PASSES[i]);
}

void tvm_passes_register(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_once);
}
