/* target.c - targets by name, and the host asked what it is. */
#include "llvm/target.h"

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#define HOST_ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define HOST_ARCHITECTURE "aarch64"
#elif defined(__riscv) && __riscv_xlen == 64
#define HOST_ARCHITECTURE "riscv64"
#else
#error "add the description of this processor"
#endif

/* Whether `+feature` is an element of the comma separated list. */
static bool has_feature(const char *features, const char *feature) {
  size_t n = strlen(feature);
  for (const char *p = features; p; p = strchr(p, ','), p = p ? p + 1 : p)
    if (p[0] == '+' && !strncmp(p + 1, feature, n) &&
        (p[n + 1] == ',' || p[n + 1] == '\0'))
      return true;
  return false;
}

/* The best description whose instructions the processor has. */
static const char *find_level(const char *features) {
  if (strcmp(HOST_ARCHITECTURE, "x86_64"))
    return HOST_ARCHITECTURE;
  if (has_feature(features, "avx512f") && has_feature(features, "avx512vl") &&
      has_feature(features, "avx512dq"))
    return "x86-64-v4";
  if (has_feature(features, "avx2") && has_feature(features, "fma"))
    return "x86-64-v3";
  return has_feature(features, "sse4.2") ? "x86-64-v2" : "x86-64";
}

/* The C library asks cpuid; where it knows nothing the description stands. */
static void ask_cache(int name, int64_t *bytes) {
  long answer = sysconf(name);
  if (answer > 0)
    *bytes = answer;
}

/* All that tells processors apart: the same model may have one FMA unit of
 * 512 bits or two, then the marketing name differs. */
static void write_key(const char *cpu, const char *features, char *out,
                      size_t size) {
  unsigned words[13] = {0};
#if defined(__x86_64__)
  if (__get_cpuid_max(0x80000000u, NULL) >= 0x80000004u)
    for (unsigned i = 0; i < 3; ++i)
      __get_cpuid(0x80000002u + i, &words[4 * i], &words[4 * i + 1],
                  &words[4 * i + 2], &words[4 * i + 3]);
  unsigned signature = 0, b, c, d;
  __get_cpuid(1, &signature, &b, &c, &d);
  snprintf(out, size, "%.48s %x %s %s", (const char *)words, signature, cpu,
           features);
#else
  snprintf(out, size, "%s %s", cpu, features);
  (void)words;
#endif
}

/* A virtual machine may report a processor without all that it has: the name
 * chooses the tuning alone, and only where it contradicts no feature. */
static const char *choose_cpu(const char *cpu, const char *features) {
  bool contradicts =
      has_feature(features, "amx-tile") && strcmp(cpu, "graniterapids") != 0;
  return contradicts ? "sapphirerapids" : cpu;
}

static void describe_host(const char *cpu, const char *features,
                          tvm_llvm_target *out) {
  char message[TVM_TARGET_MESSAGE_BYTES], key[8192];
  tvm_fma_rate rate;
  tvm_llvm_target_describe(find_level(features), out, message);
  write_key(cpu, features, key, sizeof key);
  if (out->has_fma && tvm_llvm_remember_fma(key, out->vector_bytes, &rate)) {
    if (rate.vector_bytes < out->vector_bytes)
      tvm_llvm_target_describe("x86-64-v4-narrow", out, message);
    out->fma_ports = rate.ports;
  }
  char *tuning = strdup(out->features);
  snprintf(out->features, sizeof out->features, "%s%s%s", features,
           *features && *tuning ? "," : "", tuning);
  free(tuning);
  snprintf(out->cpu, sizeof out->cpu, "%s", choose_cpu(cpu, features));
  ask_cache(_SC_LEVEL1_DCACHE_SIZE, &out->l1_bytes);
  ask_cache(_SC_LEVEL2_CACHE_SIZE, &out->l2_bytes);
}

void tvm_llvm_target_get_host(tvm_llvm_target *out_target) {
  char *features = LLVMGetHostCPUFeatures();
  char *cpu = LLVMGetHostCPUName();
  char *triple = LLVMGetDefaultTargetTriple();
  describe_host(cpu, features, out_target);
  snprintf(out_target->triple, sizeof out_target->triple, "%s", triple);
  snprintf(out_target->name, sizeof out_target->name, "host");
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
}

bool tvm_llvm_target_is_native(const tvm_llvm_target *target) {
  size_t n = strlen(HOST_ARCHITECTURE);
  return !strncmp(target->triple, HOST_ARCHITECTURE, n) &&
         target->triple[n] == '-';
}

bool tvm_llvm_target_runs_here(const tvm_llvm_target *target) {
  char *features = LLVMGetHostCPUFeatures();
  tvm_llvm_target own;
  char message[TVM_TARGET_MESSAGE_BYTES];
  tvm_llvm_target_describe(find_level(features), &own, message);
  LLVMDisposeMessage(features);
  return tvm_llvm_target_is_native(target) &&
         strcmp(target->level, own.level) <= 0;
}

bool tvm_llvm_target_resolve(const char *name, tvm_llvm_target *out_target,
                             char message[TVM_TARGET_MESSAGE_BYTES]) {
  if (name && *name && strcmp(name, "host"))
    return tvm_llvm_target_describe(name, out_target, message);
  tvm_llvm_target_get_host(out_target);
  return true;
}
