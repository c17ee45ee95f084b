/* module.c - open a compiled model and answer questions about it.
 *
 * The loader is given the descriptor of the very file that was checked, by the
 * name /proc/self/fd/N: nobody can swap the file in between, and a model that
 * was written anew under the same path is not taken for the one already open.
 * The descriptor stays open so that its name stays unique. */
#define _GNU_SOURCE
#include "objects.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static tvm_status fail_file(const char *verb, const char *path) {
  return tvm_runtime_fail(TVM_STATUS_FILE, "cannot %s '%s': %s", verb, path,
                          strerror(errno));
}

static tvm_status check_file(int file, const char *path) {
  struct stat info;
  if (fstat(file, &info))
    return fail_file("examine", path);
  if (!S_ISREG(info.st_mode))
    return tvm_runtime_fail(TVM_STATUS_FILE, "'%s' expects a file, got a %s",
                            path,
                            S_ISDIR(info.st_mode) ? "directory" : "device");
  if (info.st_size == 0)
    return tvm_elf_check("", 0, path);
  size_t size = (size_t)info.st_size;
  void *image = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (image == MAP_FAILED)
    return fail_file("map", path);
  tvm_status status = tvm_elf_check(image, size, path);
  munmap(image, size);
  return status;
}

/* Bounds are what the model's tables need; see tvm_module_arena_bytes. */
static void plan_arena(tvm_module *module) {
  const tvm_model *m = module->model;
  module->arena_align =
      m->arena_align > TVM_IO_ALIGN ? m->arena_align : TVM_IO_ALIGN;
  uint64_t end = tvm_align_up(m->arena_bytes, TVM_IO_ALIGN);
  module->io_offset = end;
  for (int32_t i = 0; i < m->num_inputs; i++)
    end += tvm_align_up(m->inputs[i].bytes, TVM_IO_ALIGN);
  for (int32_t i = 0; i < m->num_outputs; i++)
    end += tvm_align_up(m->outputs[i].bytes, TVM_IO_ALIGN);
  module->arena_bytes = end;
}

/* Takes `library` and `file`, also on failure. */
static tvm_status create_module(tvm_env *env, const tvm_model *model,
                                void *library, int file,
                                tvm_module **out_module) {
  tvm_module *module =
      tvm_env_allocate(env, sizeof *module, _Alignof(tvm_module));
  if (!module) {
    if (library)
      dlclose(library);
    if (file >= 0)
      close(file);
    return tvm_runtime_fail(TVM_STATUS_MEMORY,
                            "cannot allocate %zu bytes for a module",
                            sizeof *module);
  }
  memset(module, 0, sizeof *module);
  atomic_init(&module->references, 1);
  tvm_env_retain(env);
  module->env = env;
  module->model = model;
  module->library = library;
  module->file = file;
  plan_arena(module);
  *out_module = module;
  return TVM_OK;
}

static void *load_library(int file, const char *path) {
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  if (access(name, R_OK) == 0)
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
  /* Without /proc by path; a bare name would be searched for elsewhere. */
  char local[4096];
  if (!strchr(path, '/')) {
    snprintf(local, sizeof local, "./%s", path);
    path = local;
  }
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* The loader's own text without the name that we gave it. */
static const char *loader_text(void) {
  const char *text = dlerror();
  if (!text)
    return "unknown reason";
  if (strncmp(text, "/proc/self/fd/", 14))
    return text;
  const char *colon = strstr(text, ": ");
  return colon ? colon + 2 : text;
}

/* Takes `file`, also on failure. */
static tvm_status open_file(tvm_env *env, int file, const char *path,
                            tvm_module **out_module) {
  tvm_status status = check_file(file, path);
  void *library = NULL;
  if (status)
    goto fail;
  library = load_library(file, path);
  if (!library) {
    status = tvm_runtime_fail(TVM_STATUS_FILE, "cannot load '%s': %s", path,
                              loader_text());
    goto fail;
  }
  const tvm_model *model = dlsym(library, TVM_MODEL_SYMBOL);
  if (!model) {
    status = tvm_runtime_fail(
        TVM_STATUS_FILE, "'%s' is no compiled model: it exports no symbol '%s'",
        path, TVM_MODEL_SYMBOL);
    goto fail;
  }
  status = tvm_model_check(model, true, path);
  const char *level = dlsym(library, TVM_LEVEL_SYMBOL);
  if (!status && level)
    status = tvm_model_check_level(level, path);
  if (status)
    goto fail;
  return create_module(env, model, library, file, out_module);
fail:
  if (library)
    dlclose(library);
  close(file);
  return status;
}

tvm_status tvm_module_open(tvm_env *env, const char *path,
                           tvm_module **out_module) {
  *out_module = NULL;
  /* A named pipe must not make us wait for its writer. */
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return fail_file("open", path);
  return open_file(env, file, path, out_module);
}

static tvm_status write_all(int file, const char *data, size_t size_bytes) {
  while (size_bytes > 0) {
    ssize_t written = write(file, data, size_bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return fail_file("write", "model in memory");
    data += written;
    size_bytes -= (size_t)written;
  }
  return TVM_OK;
}

tvm_status tvm_module_open_memory(tvm_env *env, const void *data,
                                  size_t size_bytes, tvm_module **out_module) {
  *out_module = NULL;
  int file = memfd_create("tvm_model", MFD_CLOEXEC);
  if (file < 0)
    return fail_file("create", "model in memory");
  tvm_status status = write_all(file, data, size_bytes);
  if (status) {
    close(file);
    return status;
  }
  return open_file(env, file, "model in memory", out_module);
}

tvm_status tvm_module_link(tvm_env *env, const tvm_model *model,
                           tvm_module **out_module) {
  *out_module = NULL;
  if (!model)
    return tvm_runtime_fail(TVM_STATUS_INVALID,
                            "tvm_module_link expects a model, got null");
  tvm_status status = tvm_model_check(model, false, "linked model");
  if (status)
    return status;
  return create_module(env, model, NULL, -1, out_module);
}

void tvm_module_retain(tvm_module *module) {
  atomic_fetch_add(&module->references, 1);
}

void tvm_module_release(tvm_module *module) {
  if (!module || atomic_fetch_sub(&module->references, 1) != 1)
    return;
  if (module->library)
    dlclose(module->library);
  if (module->file >= 0)
    close(module->file);
  tvm_env *env = module->env;
  tvm_env_free(env, module, sizeof *module, _Alignof(tvm_module));
  tvm_env_release(env);
}

const tvm_model *tvm_module_model(const tvm_module *module) {
  return module->model;
}

int32_t tvm_module_num_inputs(const tvm_module *module) {
  return module->model->num_inputs;
}

int32_t tvm_module_num_outputs(const tvm_module *module) {
  return module->model->num_outputs;
}

static tvm_status get_info(const char *kind, const tvm_model_tensor *rows,
                           int32_t count, int32_t index,
                           tvm_tensor_info *out_info) {
  if (index < 0 || index >= count)
    return tvm_runtime_fail(TVM_STATUS_INVALID,
                            "the model has %d %ss, got index %d", count, kind,
                            index);
  const tvm_model_tensor *row = &rows[index];
  *out_info = (tvm_tensor_info){
      .name = row->name,
      .dtype = {row->type.code, row->type.bits, row->type.lanes},
      .ndim = row->rank,
      .shape = row->shape,
      .bytes = row->bytes};
  return TVM_OK;
}

tvm_status tvm_module_input_info(const tvm_module *module, int32_t index,
                                 tvm_tensor_info *out_info) {
  const tvm_model *m = module->model;
  return get_info("input", m->inputs, m->num_inputs, index, out_info);
}

tvm_status tvm_module_output_info(const tvm_module *module, int32_t index,
                                  tvm_tensor_info *out_info) {
  const tvm_model *m = module->model;
  return get_info("output", m->outputs, m->num_outputs, index, out_info);
}

static tvm_status find(const char *kind, const tvm_model_tensor *rows,
                       int32_t count, const char *name, int32_t *out_index) {
  *out_index = -1;
  for (int32_t i = 0; i < count; i++)
    if (!strcmp(rows[i].name, name)) {
      *out_index = i;
      return TVM_OK;
    }
  return tvm_runtime_fail(TVM_STATUS_NOT_FOUND, "the model has no %s '%s'",
                          kind, name);
}

tvm_status tvm_module_find_input(const tvm_module *module, const char *name,
                                 int32_t *out_index) {
  const tvm_model *m = module->model;
  return find("input", m->inputs, m->num_inputs, name, out_index);
}

tvm_status tvm_module_find_output(const tvm_module *module, const char *name,
                                  int32_t *out_index) {
  const tvm_model *m = module->model;
  return find("output", m->outputs, m->num_outputs, name, out_index);
}

uint64_t tvm_module_arena_bytes(const tvm_module *module, uint32_t flags) {
  return flags & TVM_SESSION_EXTERNAL_IO ? module->model->arena_bytes
                                         : module->arena_bytes;
}

uint64_t tvm_module_arena_align(const tvm_module *module) {
  return module->arena_align;
}
