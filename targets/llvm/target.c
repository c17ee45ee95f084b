/* target.c - the table of CPU targets, and the host asked through cpuid. */
#include "llvm/target.h"

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KIB = 1024, LINE_BYTES = 64 };

/* name, LLVM processor, vector bytes, registers, FMA ports, FMA, L1, L2 KiB */
#define TARGETS(X)                                                             \
  X("x86-64", "x86-64", 16, 16, 1, false, 32, 256)                             \
  X("x86-64-v2", "x86-64-v2", 16, 16, 1, false, 32, 256)                       \
  X("x86-64-v3", "x86-64-v3", 32, 16, 2, true, 32, 512)                        \
  X("x86-64-v4", "x86-64-v4", 64, 32, 2, true, 32, 1024)                       \
  X("haswell", "haswell", 32, 16, 2, true, 32, 256)                            \
  X("skylake-avx512", "skylake-avx512", 64, 32, 2, true, 32, 1024)             \
  X("icelake-server", "icelake-server", 64, 32, 2, true, 48, 1280)             \
  X("sapphirerapids", "sapphirerapids", 64, 32, 2, true, 48, 2048)             \
  X("znver3", "znver3", 32, 16, 2, true, 32, 512)                              \
  X("znver4", "znver4", 64, 32, 1, true, 32, 1024)

typedef struct {
  const char *name, *cpu;
  int32_t vector_bytes, vector_registers, fma_ports;
  bool has_fma;
  int64_t l1_kib, l2_kib;
} preset;

static const preset presets[] = {
#define ROW(...) {__VA_ARGS__},
    TARGETS(ROW)
#undef ROW
};
enum { NUM_PRESETS = sizeof presets / sizeof *presets };

const char *tvm_llvm_target_names(void) {
  return "host"
#define ROW(name, ...) ", " name
      TARGETS(ROW)
#undef ROW
          ;
}

/* 512-bit vectors are what the schedules count on: say so to the processors
 * whose tuning prefers 256. */
static const char wide_vectors[] = "-prefer-256-bit";

static void fill(tvm_llvm_target *t, const preset *p) {
  snprintf(t->triple, sizeof t->triple, "x86_64-unknown-linux-gnu");
  snprintf(t->cpu, sizeof t->cpu, "%s", p->cpu);
  snprintf(t->features, sizeof t->features, "%s",
           p->vector_bytes == 64 ? wide_vectors : "");
  t->vector_bytes = p->vector_bytes;
  t->vector_registers = p->vector_registers;
  t->fma_ports = p->fma_ports;
  t->has_fma = p->has_fma;
  t->l1_bytes = p->l1_kib * KIB;
  t->l2_bytes = p->l2_kib * KIB;
  t->line_bytes = LINE_BYTES;
}

static const preset *find_preset(const char *name) {
  for (size_t i = 0; i < NUM_PRESETS; ++i)
    if (!strcmp(presets[i].name, name))
      return &presets[i];
  return NULL;
}

/* Whether `+feature` is an element of the comma separated list. */
static bool has_feature(const char *features, const char *feature) {
  size_t n = strlen(feature);
  for (const char *p = features; p; p = strchr(p, ','), p = p ? p + 1 : p)
    if (p[0] == '+' && !strncmp(p + 1, feature, n) &&
        (p[n + 1] == ',' || p[n + 1] == '\0'))
      return true;
  return false;
}

static void ask_cache(int name, int64_t *bytes) {
  long answer = sysconf(name);
  if (answer > 0)
    *bytes = answer;
}

/* Features come from cpuid, never from the processor's name: a virtual
 * machine may report an older one. The name only chooses the tuning, and only
 * where it does not contradict the features. */
static void fill_host(tvm_llvm_target *t) {
  char *features = LLVMGetHostCPUFeatures();
  char *cpu = LLVMGetHostCPUName();
  bool avx512 = has_feature(features, "avx512f") &&
                has_feature(features, "avx512vl") &&
                has_feature(features, "avx512dq");
  bool avx2 = has_feature(features, "avx2") && has_feature(features, "fma");
  const char *level = avx512 ? "x86-64-v4" : avx2 ? "x86-64-v3" : "x86-64";
  fill(t, find_preset(level));
  bool contradicts =
      has_feature(features, "amx-tile") && strcmp(cpu, "graniterapids") != 0;
  snprintf(t->cpu, sizeof t->cpu, "%s", contradicts ? "sapphirerapids" : cpu);
  if (!strncmp(cpu, "znver4", 6))
    t->fma_ports = 1;
  snprintf(t->features, sizeof t->features, "%s%s%s", features,
           avx512 ? "," : "", avx512 ? wide_vectors : "");
  char *triple = LLVMGetDefaultTargetTriple();
  snprintf(t->triple, sizeof t->triple, "%s", triple);
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  ask_cache(_SC_LEVEL1_DCACHE_SIZE, &t->l1_bytes);
  ask_cache(_SC_LEVEL2_CACHE_SIZE, &t->l2_bytes);
}

bool tvm_llvm_target_resolve(const char *name, tvm_llvm_target *out_target) {
  memset(out_target, 0, sizeof *out_target);
  if (!name || !*name)
    name = "host";
  const preset *p = find_preset(name);
  if (p)
    fill(out_target, p);
  else if (!strcmp(name, "host"))
    fill_host(out_target);
  else
    return false;
  snprintf(out_target->name, sizeof out_target->name, "%s", name);
  return true;
}
