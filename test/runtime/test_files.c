/* test_files.c - damaged files give an error or a model, never a signal.
 *
 * usage: test_files FOLDER   (with fixture.so and the broken_*.so)
 *
 * A child works through all cases and notes the current one in shared memory.
 * If it dies, the parent says where, and a new child goes on behind it. */
#define _GNU_SOURCE
#include "check.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRUNCATION_STEP 64
#define CASE_FAILED 3 /* not the exit code of a sanitizer */

typedef struct image {
  unsigned char *data;
  size_t size;
} image;

static image read_image(const char *path) {
  image file = {0};
  FILE *stream = fopen(path, "rb");
  if (!stream) {
    fprintf(stderr, "cannot open '%s'\n", path);
    exit(2);
  }
  fseek(stream, 0, SEEK_END);
  file.size = (size_t)ftell(stream);
  rewind(stream);
  file.data = malloc(file.size);
  if (fread(file.data, 1, file.size, stream) != file.size)
    exit(2);
  fclose(stream);
  return file;
}

static void write_file(const char *path, const void *data, size_t size) {
  FILE *stream = fopen(path, "wb");
  if (!stream || fwrite(data, 1, size, stream) != size || fclose(stream))
    exit(2);
}

static tvm_status open_bytes(tvm_env *env, const void *data, size_t size) {
  tvm_module *module = NULL;
  tvm_status status = tvm_module_open_memory(env, data, size, &module);
  CHECK((status == TVM_OK) == (module != NULL));
  CHECK(status == TVM_OK || strlen(tvm_last_error()) > 20);
  tvm_module_release(module);
  return status;
}

/* Case `c` of `file`: first the truncations, then one flip for each bit of
 * the parts that the checks answer for. Returns false behind the last. */
static bool run_case(tvm_env *env, image file, size_t c) {
  size_t num_truncations = (file.size - 1) / TRUNCATION_STEP + 1;
  if (c < num_truncations) {
    size_t size = c * TRUNCATION_STEP;
    CHECK(open_bytes(env, file.data, size) == TVM_STATUS_FILE);
    return true;
  }
  size_t bit = c - num_truncations;
  Elf64_Ehdr header;
  memcpy(&header, file.data, sizeof header);
  size_t headers = sizeof header + header.e_phnum * sizeof(Elf64_Phdr);
  size_t parts[3][2] = {{0, headers}, {0, 0}, {header.e_shoff, file.size}};
  for (unsigned i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr s;
    memcpy(&s, file.data + header.e_phoff + i * sizeof s, sizeof s);
    if (s.p_type == PT_DYNAMIC) {
      parts[1][0] = s.p_offset;
      parts[1][1] = s.p_offset + s.p_filesz;
    }
  }
  for (int p = 0; p < 3; p++) {
    size_t bits = (parts[p][1] - parts[p][0]) * 8;
    if (bit >= bits) {
      bit -= bits;
      continue;
    }
    unsigned char *byte = file.data + parts[p][0] + bit / 8;
    *byte ^= (unsigned char)(1u << bit % 8);
    open_bytes(env, file.data, file.size);
    *byte ^= (unsigned char)(1u << bit % 8);
    return true;
  }
  return false;
}

static void test_damage(const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/fixture.so", folder);
  image file = read_image(path);
  size_t *current = mmap(NULL, sizeof *current, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int status = -1; status != 0 && num_failures < 20; ++*current) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      tvm_env *env = make_env(1);
      while (run_case(env, file, *current))
        ++*current;
      tvm_env_release(env);
      free(file.data);
      exit(num_failures ? CASE_FAILED : 0);
    }
    waitpid(child, &status, 0);
    if (status == 0)
      break;
    num_failures++;
    fprintf(stderr, "case %zu: the child ended with status 0x%x\n", *current,
            status);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CASE_FAILED)
      break;
  }
  printf("%zu damaged files\n", *current);
  CHECK(*current > 1000);
  munmap(current, sizeof *current);
  free(file.data);
}

static void test_strange_files(tvm_env *env, const char *folder) {
  char path[4096];
  tvm_module *module = NULL;
  CHECK_FAILS(tvm_module_open(env, "/nonexistent/model.so", &module),
              TVM_STATUS_FILE,
              "cannot open '/nonexistent/model.so': No such file");
  CHECK_FAILS(tvm_module_open(env, folder, &module), TVM_STATUS_FILE,
              "expects a file, got a directory");
  CHECK_FAILS(tvm_module_open(env, "/dev/null", &module), TVM_STATUS_FILE,
              "expects a file, got a device");
  snprintf(path, sizeof path, "%s/strange.bin", folder);
  write_file(path, "", 0);
  CHECK_FAILS(tvm_module_open(env, path, &module), TVM_STATUS_FILE,
              "is empty, expected a compiled model");
  write_file(path, "hello, world\n", 13);
  CHECK_FAILS(tvm_module_open(env, path, &module), TVM_STATUS_FILE,
              "it does not begin as a shared library");
  write_file(path, "\177ELF", 4);
  CHECK_FAILS(tvm_module_open(env, path, &module), TVM_STATUS_FILE,
              "the file ends inside its header");
  CHECK(module == NULL);
  remove(path);
  snprintf(path, sizeof path, "%s/fixture.so", folder);
  image file = read_image(path);
  Elf64_Ehdr *header = (Elf64_Ehdr *)file.data;
  header->e_machine = EM_RISCV;
  CHECK_FAILS(tvm_module_open_memory(env, file.data, file.size, &module),
              TVM_STATUS_FILE, "is compiled for riscv64, this program runs on");
  header->e_type = ET_REL;
  CHECK_FAILS(tvm_module_open_memory(env, file.data, file.size, &module),
              TVM_STATUS_FILE, "expects a shared library (ELF type 3)");
  free(file.data);
}

typedef struct broken {
  const char *name;
  tvm_status status;
  const char *text;
} broken;

static const broken broken_models[] = {
    {"symbol", TVM_STATUS_FILE, "it exports no symbol 'tvm_model'"},
    {"magic", TVM_STATUS_FILE, "expected magic 0x4d4d5654, got 0x00000007"},
    {"abi", TVM_STATUS_ABI, "has model version 9, this runtime reads version"},
    {"dim", TVM_STATUS_FILE, "the size of input 'x' does not follow"},
    {"overflow", TVM_STATUS_FILE, "the size of input 'x' does not follow"},
    {"bits", TVM_STATUS_FILE, "input 'x' has the unknown type 2/33/1"},
    {"name", TVM_STATUS_FILE, "input 0 has no name"},
    {"name_outside", TVM_STATUS_FILE, "input 0 has no name"},
    {"rank", TVM_STATUS_FILE, "input 'x' has no valid shape"},
    {"rank_outside", TVM_STATUS_FILE, "input 'x' has no valid shape"},
    {"align", TVM_STATUS_FILE, "its arena has an impossible size"},
    {"outputs", TVM_STATUS_FILE, "one of its tables is misplaced"},
    {"launches", TVM_STATUS_FILE, "one of its tables is misplaced"},
    {"run", TVM_STATUS_FILE, "it has no code"},
    {"message", TVM_STATUS_FILE, "a message is missing"},
};

static void test_broken_models(tvm_env *env, const char *folder) {
  for (size_t i = 0; i < sizeof broken_models / sizeof *broken_models; i++) {
    const broken *b = &broken_models[i];
    char path[4096];
    tvm_module *module = NULL;
    snprintf(path, sizeof path, "%s/broken_%s.so", folder, b->name);
    CHECK_FAILS(tvm_module_open(env, path, &module), b->status, b->text);
    tvm_module_release(module);
  }
}

static void check_runs(tvm_module *module) {
  tvm_session *session = NULL;
  DLTensor x, index, y, z;
  CHECK_OK(tvm_session_create(module, NULL, &session));
  CHECK_OK(tvm_session_get_input_view(session, 0, &x));
  CHECK_OK(tvm_session_get_input_view(session, 1, &index));
  fill_input(x.data, 2);
  *(int64_t *)index.data = 11;
  CHECK_OK(tvm_session_run(session));
  CHECK_OK(tvm_session_get_output_view(session, 0, &y));
  CHECK_OK(tvm_session_get_output_view(session, 1, &z));
  CHECK(count_wrong(x.data, y.data, z.data, 11) == 0);
  tvm_session_release(session);
}

/* Good files: by path, by bare name, from memory, and replaced while open. */
static void test_good_files(tvm_env *env, const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/fixture.so", folder);
  image file = read_image(path);
  tvm_module *first = NULL, *second = NULL, *third = NULL;
  CHECK_OK(tvm_module_open(env, path, &first));
  CHECK(chdir(folder) == 0);
  CHECK_OK(tvm_module_open(env, "fixture.so", &second));
  CHECK_OK(tvm_module_open_memory(env, file.data, file.size, &third));
  check_runs(first);
  check_runs(second);
  check_runs(third);
  CHECK(tvm_module_model(first) != tvm_module_model(third));
  tvm_module_release(second);
  tvm_module_release(third);
  write_file("replaced.so", file.data, file.size);
  CHECK_OK(tvm_module_open(env, "replaced.so", &second));
  write_file("replaced.tmp", file.data, file.size);
  CHECK(rename("replaced.tmp", "replaced.so") == 0);
  CHECK_OK(tvm_module_open(env, "replaced.so", &third));
  CHECK(tvm_module_model(second) != tvm_module_model(third));
  tvm_module_release(first);
  tvm_module_release(second);
  check_runs(third);
  tvm_module_release(third);
  remove("replaced.so");
  free(file.data);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: test_files FOLDER\n");
    return 2;
  }
  test_damage(argv[1]);
  tvm_env *env = make_env(1);
  test_strange_files(env, argv[1]);
  test_broken_models(env, argv[1]);
  test_good_files(env, argv[1]);
  tvm_env_release(env);
  return report("files");
}
