/* test_compiled.c - what a model from the compiler does with memory: opening it
 * touches no weight, running it allocates nothing.
 *
 * usage: runtime-compiled MODEL.so */
#define _GNU_SOURCE
#include "check.h"
#include "count_allocations.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, AROUND = 16 };

/* The weights in the address space of this process. */
typedef struct region {
  uintptr_t begin;
  size_t bytes;
} region;

static const Elf64_Sym *find_symbol(const char *image, const char *name) {
  const Elf64_Ehdr *header = (const void *)image;
  const Elf64_Shdr *sections = (const void *)(image + header->e_shoff);
  for (int i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type != SHT_SYMTAB)
      continue;
    const Elf64_Sym *symbols = (const void *)(image + sections[i].sh_offset);
    const char *names = image + sections[sections[i].sh_link].sh_offset;
    for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++)
      if (!strcmp(names + symbols[k].st_name, name))
        return &symbols[k];
  }
  return NULL;
}

/* Where the weights lie in the file, relative to where it is loaded. */
static region find_weights(const char *path) {
  region weights = {0, 0};
  struct stat info;
  int file = open(path, O_RDONLY);
  if (file < 0 || fstat(file, &info))
    return weights;
  char *image =
      mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (image == MAP_FAILED)
    return weights;
  const Elf64_Sym *symbol = find_symbol(image, "tvm_model_weights");
  if (symbol)
    weights = (region){symbol->st_value, symbol->st_size};
  munmap(image, (size_t)info.st_size);
  return weights;
}

/* How many pages of the region this process has mapped. A fault maps what is
 * cached around it as well: the outermost pages say nothing. */
static int64_t count_touched(region r) {
  size_t first = r.begin / PAGE + AROUND, end = (r.begin + r.bytes) / PAGE;
  int64_t touched = 0;
  int file = open("/proc/self/pagemap", O_RDONLY);
  CHECK(file >= 0);
  for (size_t page = first; page + AROUND < end; page++) {
    uint64_t entry = 0;
    CHECK(pread(file, &entry, 8, (off_t)(8 * page)) == 8);
    touched += (entry >> 63) & 1;
  }
  close(file);
  return touched;
}

static void set_inputs(tvm_session *session, const tvm_model *model) {
  for (int32_t i = 0; i < model->num_inputs; i++) {
    DLTensor view;
    CHECK_OK(tvm_session_get_input_view(session, i, &view));
    memset(view.data, 0, model->inputs[i].bytes);
  }
}

static void run_many(tvm_session *session) {
  int rounds = 3;
  num_allocations = 0;
  is_counting = true;
  for (int round = 0; round < rounds; round++)
    CHECK_OK(tvm_session_run(session));
  is_counting = false;
  CHECK(num_allocations == 0);
}

static void check_model(const char *path, region weights, int threads) {
  tvm_env *env = make_env(threads);
  tvm_module *module = NULL;
  tvm_session *session = NULL;
  CHECK_OK(tvm_module_open(env, path, &module));
  if (!module)
    return;
  const tvm_model *model = tvm_module_model(module);
  Dl_info info;
  CHECK(dladdr(model, &info));
  weights.begin += (uintptr_t)info.dli_fbase;
  CHECK(weights.bytes > model->weights_bytes);
  CHECK(count_touched(weights) == 0);
  CHECK_OK(tvm_session_create(module, NULL, &session));
  set_inputs(session, model);
  CHECK(count_touched(weights) == 0);
  run_many(session);
  CHECK(count_touched(weights) > 0);
  tvm_session_release(session);
  tvm_module_release(module);
  tvm_env_release(env);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: runtime-compiled MODEL.so\n");
    return 2;
  }
  free(malloc(1));
  is_counting = true;
  free(malloc(1));
  CHECK(num_allocations == 1); /* the counter counts */
  is_counting = false;
  region weights = find_weights(argv[1]);
  CHECK(weights.bytes >= 4 * AROUND * PAGE); /* enough to tell */
  for (int threads = 1; threads <= 2; threads++)
    check_model(argv[1], weights, threads);
  return report("compiled");
}
