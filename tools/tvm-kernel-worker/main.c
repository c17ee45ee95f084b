/* main.c - tvm-kernel-worker: the compiler starts it to build kernels, with a
 * socket as its standard input. */
#include "compiler/register.h"
#include "tvm/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--version")) {
    printf("tvm-kernel-worker %s\n", tvm_compiler_version());
    return 0;
  }
  if (argc != 3) {
    fprintf(stderr, "usage: tvm-kernel-worker PARENT SECONDS\n\n"
                    "Started by tvmc, which asks it over its standard input to "
                    "build one\nkernel after another.\n");
    return argc == 2 && !strcmp(argv[1], "--help") ? 0 : 2;
  }
  return tvm_compiler_serve_kernels(STDIN_FILENO, atol(argv[1]), atoi(argv[2]));
}
