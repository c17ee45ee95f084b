/* target.h - what a CPU can do, as schedules and code emission see it. */
#ifndef TVM_TARGETS_LLVM_TARGET_H
#define TVM_TARGETS_LLVM_TARGET_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tvm_llvm_target {
  char name[64];       /* as the user gave it */
  char triple[64];     /* LLVM triple */
  char cpu[64];        /* LLVM processor: decides the tuning */
  char features[4096]; /* LLVM feature string: decides the instructions */
  int32_t vector_bytes;
  int32_t vector_registers;
  int32_t fma_ports; /* vector FMAs that can start in one cycle */
  bool has_fma;
  int64_t l1_bytes, l2_bytes; /* data caches of one core */
  int64_t line_bytes;         /* of a cache line; aligns buffers */
} tvm_llvm_target;

/* Describe the target called `name`; null is the host. Returns false when the
 * name is unknown. */
bool tvm_llvm_target_resolve(const char *name, tvm_llvm_target *out_target);

/* The names that resolve accepts, separated by commas. */
const char *tvm_llvm_target_names(void);

#endif
