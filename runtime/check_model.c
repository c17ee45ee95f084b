/* check_model.c - the tables of a compiled model are as model.h says.
 *
 * In a library that was opened from a file every table must also lie inside
 * the library, so that damage in its data is found here and not in a crash. */
#define _GNU_SOURCE
#include "objects.h"

#include <link.h>
#include <string.h>

#define MAX_TENSORS 65536
#define MAX_LAUNCHES (1 << 24)
#define MAX_BYTES (UINT64_C(1) << 46)
#define MAX_ARENA_ALIGN (UINT64_C(1) << 21)
#define MAX_RANGES 32

typedef struct memory_range {
  uintptr_t begin;
  uintptr_t end;
  uint32_t flags;
} memory_range;

typedef struct model_view {
  const char *name;
  const tvm_model *model;
  bool in_library;
  int num_ranges;
  memory_range ranges[MAX_RANGES];
} model_view;

/* Of dl_iterate_phdr: keeps the segments of the library that holds the model
 * and stops. */
static int collect_ranges(struct dl_phdr_info *info, size_t size, void *user) {
  (void)size;
  model_view *view = user;
  uintptr_t model = (uintptr_t)view->model;
  bool is_ours = false;
  view->num_ranges = 0;
  for (int i = 0; i < info->dlpi_phnum && view->num_ranges < MAX_RANGES; i++) {
    const ElfW(Phdr) *s = &info->dlpi_phdr[i];
    if (s->p_type != PT_LOAD)
      continue;
    uintptr_t begin = info->dlpi_addr + s->p_vaddr;
    memory_range range = {begin, begin + s->p_memsz, s->p_flags};
    view->ranges[view->num_ranges++] = range;
    is_ours |= model >= range.begin && model < range.end;
  }
  return is_ours;
}

static const memory_range *find_range(const model_view *view, const void *data,
                                      uint64_t bytes, uint32_t flags) {
  uintptr_t at = (uintptr_t)data;
  for (int i = 0; i < view->num_ranges; i++) {
    const memory_range *r = &view->ranges[i];
    if ((r->flags & flags) == flags && at >= r->begin && at <= r->end &&
        bytes <= r->end - at)
      return r;
  }
  return NULL;
}

static bool is_readable(const model_view *view, const void *data,
                        uint64_t bytes, size_t align) {
  if (bytes == 0)
    return true;
  if (!data || (uintptr_t)data % align)
    return false;
  return !view->in_library || find_range(view, data, bytes, PF_R);
}

static bool is_text(const model_view *view, const char *text) {
  if (!text)
    return false;
  if (!view->in_library)
    return true;
  const memory_range *r = find_range(view, text, 1, PF_R);
  return r && memchr(text, 0, r->end - (uintptr_t)text);
}

static tvm_status fail_damaged(const model_view *view, const char *what) {
  return tvm_runtime_fail(TVM_STATUS_FILE, "'%s' is damaged: %s", view->name,
                          what);
}

static bool is_known_type(tvm_model_type type) {
  bool is_word =
      type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64;
  if (type.lanes != 1 || !is_word)
    return false;
  switch (type.code) {
  case kDLInt:
  case kDLUInt:
    return true;
  case kDLFloat:
    return type.bits != 8;
  case kDLBfloat:
    return type.bits == 16;
  case kDLBool:
    return type.bits == 8;
  default:
    return false;
  }
}

/* Does the row's byte size follow from its shape, without overflow? */
static bool is_sized(const tvm_model_tensor *row) {
  uint64_t bytes = row->type.bits / 8;
  bool is_empty = false;
  for (int32_t i = 0; i < row->rank; i++) {
    int64_t dim = row->shape[i];
    if (dim < 0)
      return false;
    is_empty |= dim == 0;
    if (dim > 0 && (uint64_t)dim > MAX_BYTES / bytes)
      return false;
    bytes *= dim > 0 ? (uint64_t)dim : 1;
  }
  return row->bytes == (is_empty ? 0 : bytes);
}

static tvm_status check_tensors(const model_view *view, const char *kind,
                                const tvm_model_tensor *rows, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    const tvm_model_tensor *row = &rows[i];
    if (!is_text(view, row->name))
      return tvm_runtime_fail(TVM_STATUS_FILE,
                              "'%s' is damaged: %s %d has no name", view->name,
                              kind, i);
    if (row->rank < 0 || row->rank > TVM_MAX_RANK ||
        !is_readable(view, row->shape, (uint64_t)row->rank * sizeof(int64_t),
                     _Alignof(int64_t)))
      return tvm_runtime_fail(TVM_STATUS_FILE,
                              "'%s' is damaged: %s '%s' has no valid shape",
                              view->name, kind, row->name);
    if (!is_known_type(row->type))
      return tvm_runtime_fail(
          TVM_STATUS_FILE,
          "'%s' is damaged: %s '%s' has the unknown type %d/%d/%d", view->name,
          kind, row->name, row->type.code, row->type.bits, row->type.lanes);
    if (!is_sized(row))
      return tvm_runtime_fail(
          TVM_STATUS_FILE,
          "'%s' is damaged: the size of %s '%s' does not follow from its shape",
          view->name, kind, row->name);
  }
  return TVM_OK;
}

static tvm_status check_texts(const model_view *view) {
  const tvm_model *m = view->model;
  if (!is_text(view, m->producer) || !is_text(view, m->target))
    return fail_damaged(view, "it does not name its producer and target");
  for (int32_t i = 0; i < m->num_messages; i++)
    if (!is_text(view, m->messages[i]))
      return fail_damaged(view, "a message is missing");
  for (int32_t i = 0; i < m->num_launches; i++)
    if (!is_text(view, m->launches[i].name) || m->launches[i].grid < 0)
      return fail_damaged(view, "its launch table is not valid");
  return TVM_OK;
}

static bool has_table(const model_view *view, const void *table, int32_t count,
                      int32_t limit, size_t row_bytes) {
  return count >= 0 && count <= limit &&
         is_readable(view, table, (uint64_t)count * row_bytes, sizeof(void *));
}

static tvm_status check_header(const model_view *view) {
  const tvm_model *m = view->model;
  if (!is_readable(view, m, sizeof *m, _Alignof(tvm_model)))
    return fail_damaged(view, "its table lies outside the library");
  if (m->magic != TVM_MODEL_MAGIC)
    return tvm_runtime_fail(TVM_STATUS_FILE,
                            "'%s' is no compiled model: expected magic "
                            "0x%08x, got 0x%08x",
                            view->name, TVM_MODEL_MAGIC, m->magic);
  if (m->abi != TVM_MODEL_ABI)
    return tvm_runtime_fail(TVM_STATUS_ABI,
                            "'%s' has model version %u, this runtime reads "
                            "version %u",
                            view->name, m->abi, TVM_MODEL_ABI);
  if (!has_table(view, m->inputs, m->num_inputs, MAX_TENSORS,
                 sizeof *m->inputs) ||
      !has_table(view, m->outputs, m->num_outputs, MAX_TENSORS,
                 sizeof *m->outputs) ||
      !has_table(view, m->launches, m->num_launches, MAX_LAUNCHES,
                 sizeof *m->launches) ||
      !has_table(view, m->messages, m->num_messages, MAX_LAUNCHES,
                 sizeof *m->messages))
    return fail_damaged(view, "one of its tables is misplaced");
  if (m->arena_align == 0 || m->arena_align > MAX_ARENA_ALIGN ||
      (m->arena_align & (m->arena_align - 1)) || m->arena_bytes > MAX_BYTES)
    return fail_damaged(view, "its arena has an impossible size");
  if (!m->run || (view->in_library &&
                  !find_range(view, (const void *)(uintptr_t)m->run, 1, PF_X)))
    return fail_damaged(view, "it has no code");
  return TVM_OK;
}

/* The widest level that this processor and its system support. */
static int find_own_level(void) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt"))
    return 1;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi2"))
    return 2;
  return __builtin_cpu_supports("avx512f") &&
                 __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl")
             ? 4
             : 3;
#else
  return 0;
#endif
}

tvm_status tvm_model_check_level(const char *level, const char *name) {
  static const char *const needs[] = {"SSE4.2", "AVX2 and FMA", "AVX-512"};
  model_view view = {
      .name = name, .model = (const void *)level, .in_library = true};
  if (!dl_iterate_phdr(collect_ranges, &view) || !is_text(&view, level) ||
      strncmp(level, "x86-64-v", 8) || level[8] < '2' || level[8] > '4' ||
      level[9])
    return fail_damaged(&view, "it needs an unknown level of processor");
  if (level[8] - '0' <= find_own_level())
    return TVM_OK;
  return tvm_runtime_fail(TVM_STATUS_FILE,
                          "'%s' is compiled for %s, this processor has no %s",
                          name, level, needs[level[8] - '2']);
}

tvm_status tvm_model_check(const tvm_model *model, bool in_library,
                           const char *name) {
  model_view view = {.name = name, .model = model, .in_library = in_library};
  if (in_library && !dl_iterate_phdr(collect_ranges, &view))
    return fail_damaged(&view, "its table lies outside the library");
  tvm_status status = check_header(&view);
  if (!status)
    status = check_texts(&view);
  if (!status)
    status = check_tensors(&view, "input", model->inputs, model->num_inputs);
  if (!status)
    status = check_tensors(&view, "output", model->outputs, model->num_outputs);
  return status;
}
