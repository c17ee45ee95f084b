/* main.c - tvm-opt: every upstream pass and dialect, and ours. */
#include "compiler/register.h"

int main(int argc, char **argv) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  tvm_register_upstream(registry);
  tvm_compiler_register_dialects(registry);
  tvm_compiler_register_passes();
  return tvm_seam_opt_main(argc, argv, "TVM optimizer driver\n", registry);
}
