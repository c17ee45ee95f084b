/* target.h - what a CPU can do, as schedules and code emission see it. */
#ifndef TVM_TARGETS_LLVM_TARGET_H
#define TVM_TARGETS_LLVM_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Plain data: it travels to other processes as it is. */
typedef struct tvm_llvm_target {
  char name[256];      /* as the user gave it */
  char triple[64];     /* LLVM triple */
  char cpu[64];        /* LLVM processor: decides the tuning */
  char features[4096]; /* LLVM feature string: decides the instructions */
  char abi[16];        /* of calls, where the triple leaves a choice */
  char level[16];      /* what the runtime asks of x86: "x86-64-v2" to v4 */
  int32_t vector_bytes;
  int32_t vector_registers;
  int32_t fma_ports; /* vector FMAs that can start in one cycle */
  bool has_fma;
  int64_t l1_bytes, l2_bytes; /* data caches of one core */
  int64_t line_bytes;         /* of a cache line; aligns buffers */
} tvm_llvm_target;

enum { TVM_TARGET_MESSAGE_BYTES = 512 };

/* ---- target.c ---- */

/* Describe the target called `name`: a description of
 * targets/llvm/descriptions, a file of that form (a name that ends in
 * ".target"), or "host", which null is as well. Returns false with a sentence
 * in `message`. */
bool tvm_llvm_target_resolve(const char *name, tvm_llvm_target *out_target,
                             char message[TVM_TARGET_MESSAGE_BYTES]);

/* The machine that the compiler runs on. Never fails. */
void tvm_llvm_target_get_host(tvm_llvm_target *out_target);

/* Whether code for the target is of the host's kind of processor. */
bool tvm_llvm_target_is_native(const tvm_llvm_target *target);

/* Whether the host can run code for the target. */
bool tvm_llvm_target_runs_here(const tvm_llvm_target *target);

/* ---- describe_target.c ---- */

/* Set what the description called `name`, and those it inherits from, say.
 * Returns false with a sentence in `message`. */
bool tvm_llvm_target_describe(const char *name, tvm_llvm_target *target,
                              char message[TVM_TARGET_MESSAGE_BYTES]);

/* Write all that is known of the target in the form of a description. */
void tvm_llvm_target_print(const tvm_llvm_target *target, char *text,
                           size_t size);

/* Write the names of all descriptions, separated by commas. */
void tvm_llvm_target_list(char *text, size_t size);

/* ---- measure_fma.c ---- */

/* How a processor multiplies and adds fastest. */
typedef struct tvm_fma_rate {
  int32_t vector_bytes; /* of the vectors that compute most in a second */
  int32_t ports;        /* FMAs of them in one cycle */
} tvm_fma_rate;

/* Time FMAs of vectors of `widest_bytes` on this processor, and of half of it
 * where 64; a few milliseconds long. Returns false where it cannot. */
bool tvm_llvm_measure_fma(int32_t widest_bytes, tvm_fma_rate *out_rate);

/* ---- remember_fma.c ---- */

/* The same, measured once for each processor and kept in a file of the user's
 * cache folder. `key` is all that the processor says of itself. */
bool tvm_llvm_remember_fma(const char *key, int32_t widest_bytes,
                           tvm_fma_rate *out_rate);

#endif
