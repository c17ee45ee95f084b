/* session.c - one arena and its tensors: create, run, release. */
#define _GNU_SOURCE
#include "objects.h"

#include <string.h>
#include <time.h>

static int32_t count_slots(const tvm_model *model) {
  return model->num_inputs + model->num_outputs;
}

static tvm_status check_options(const tvm_module *module,
                                const tvm_session_options *options) {
  if (options->size_bytes != sizeof *options)
    return tvm_runtime_fail(
        TVM_STATUS_ABI, "tvm_session_options expects size_bytes %zu, got %zu",
        sizeof *options, options->size_bytes);
  if (options->flags & ~(uint32_t)TVM_SESSION_EXTERNAL_IO)
    return tvm_runtime_fail(TVM_STATUS_INVALID,
                            "tvm_session_options has unknown flags 0x%x",
                            options->flags);
  if (!options->arena)
    return TVM_OK;
  uint64_t bytes = tvm_module_arena_bytes(module, options->flags);
  if (options->arena_bytes < bytes)
    return tvm_runtime_fail(
        TVM_STATUS_INVALID, "the arena expects %llu bytes, got %llu",
        (unsigned long long)bytes, (unsigned long long)options->arena_bytes);
  if ((uintptr_t)options->arena % module->arena_align)
    return tvm_runtime_fail(
        TVM_STATUS_INVALID,
        "the arena expects an address aligned to %llu bytes, got %p",
        (unsigned long long)module->arena_align, options->arena);
  return TVM_OK;
}

/* Gives each tensor its place behind the model's own part of the arena. When
 * all tensors are empty there is no arena; any address will do for them. */
static void place_buffers(tvm_session *session) {
  const tvm_model *m = session->module->model;
  char *base = session->arena ? session->arena : (char *)session;
  uint64_t at = session->module->io_offset;
  for (int32_t i = 0; i < count_slots(m); i++) {
    const tvm_model_tensor *row =
        i < m->num_inputs ? &m->inputs[i] : &m->outputs[i - m->num_inputs];
    session->slots[i].own = base + at;
    session->io[i] = session->slots[i].own;
    at += tvm_align_up(row->bytes, TVM_IO_ALIGN);
  }
}

static tvm_status obtain_arena(tvm_session *session,
                               const tvm_session_options *options) {
  session->arena = options->arena;
  uint64_t bytes = tvm_module_arena_bytes(session->module, options->flags);
  if (session->arena || bytes == 0)
    return TVM_OK;
  session->arena_bytes = bytes;
  session->arena = tvm_env_allocate(session->module->env, bytes,
                                    session->module->arena_align);
  if (!session->arena)
    return tvm_runtime_fail(TVM_STATUS_MEMORY,
                            "cannot allocate %llu bytes for the arena",
                            (unsigned long long)bytes);
  session->owns_arena = true;
  return TVM_OK;
}

/* The object, its slots and its pointers in one piece. */
static tvm_session *allocate_session(tvm_module *module) {
  size_t count = (size_t)count_slots(module->model);
  size_t bytes =
      sizeof(tvm_session) + count * sizeof(tvm_slot) + count * sizeof(void *);
  tvm_session *session =
      tvm_env_allocate(module->env, bytes, _Alignof(tvm_session));
  if (!session) {
    tvm_runtime_fail(TVM_STATUS_MEMORY,
                     "cannot allocate %zu bytes for a session", bytes);
    return NULL;
  }
  memset(session, 0, bytes);
  atomic_init(&session->references, 1);
  session->size_bytes = bytes;
  session->slots = (tvm_slot *)(session + 1);
  session->io = (void **)(session->slots + count);
  session->module = module;
  tvm_module_retain(module);
  return session;
}

tvm_status tvm_session_create(tvm_module *module,
                              const tvm_session_options *options,
                              tvm_session **out_session) {
  *out_session = NULL;
  tvm_session_options defaults = {.size_bytes = sizeof defaults};
  if (!options)
    options = &defaults;
  tvm_status status = check_options(module, options);
  if (status)
    return status;
  tvm_session *session = allocate_session(module);
  if (!session)
    return TVM_STATUS_MEMORY;
  status = obtain_arena(session, options);
  if (status) {
    tvm_session_release(session);
    return status;
  }
  if (!(options->flags & TVM_SESSION_EXTERNAL_IO))
    place_buffers(session);
  *out_session = session;
  return TVM_OK;
}

void tvm_session_release(tvm_session *session) {
  if (!session || atomic_fetch_sub(&session->references, 1) != 1)
    return;
  tvm_module *module = session->module;
  for (int32_t i = 0; i < count_slots(module->model); i++)
    tvm_slot_unbind(session, i);
  if (session->owns_arena)
    tvm_env_free(module->env, session->arena, session->arena_bytes,
                 module->arena_align);
  tvm_env_free(module->env, session, session->size_bytes,
               _Alignof(tvm_session));
  tvm_module_release(module);
}

/* One launch as a parallel loop. */
typedef struct launch_job {
  tvm_kernel_fn kernel;
  void *const *buffers;
} launch_job;

static void run_range(void *arg, int64_t begin, int64_t end) {
  const launch_job *job = arg;
  job->kernel(job->buffers, begin, end);
}

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void launch(void *user, int32_t index, tvm_kernel_fn kernel,
                   void *const *buffers, int64_t grid) {
  tvm_session *session = user;
  const tvm_model *m = session->module->model;
  launch_job job = {kernel, buffers};
  uint64_t start = session->profile ? now_ns() : 0;
  tvm_env_parallel_for(session->module->env, run_range, &job, grid);
  if (!session->profile)
    return;
  const char *name =
      index >= 0 && index < m->num_launches ? m->launches[index].name : "";
  session->profile(session->profile_user, index, name, now_ns() - start);
}

static tvm_status check_tensors(const tvm_session *session) {
  const tvm_model *m = session->module->model;
  for (int32_t i = 0; i < m->num_inputs; i++)
    if (!session->slots[i].is_ready)
      return tvm_runtime_fail(TVM_STATUS_INVALID,
                              "input '%s' is neither set nor bound",
                              m->inputs[i].name);
  for (int32_t i = 0; i < m->num_outputs; i++) {
    const tvm_slot *slot = &session->slots[m->num_inputs + i];
    if (!slot->own && !slot->is_bound)
      return tvm_runtime_fail(TVM_STATUS_INVALID,
                              "output '%s' is not bound and the session has no "
                              "buffer for it",
                              m->outputs[i].name);
  }
  return TVM_OK;
}

static tvm_status call_model(tvm_session *session) {
  const tvm_model *m = session->module->model;
  tvm_host host = {session, launch};
  int32_t code = m->run(&host, session->io, session->arena);
  if (code == 0)
    return TVM_OK;
  if (code < 1 || code > m->num_messages)
    return tvm_runtime_fail(TVM_STATUS_DATA, "the model failed with code %d",
                            code);
  return tvm_runtime_fail(TVM_STATUS_DATA, "%s", m->messages[code - 1]);
}

tvm_status tvm_session_run(tvm_session *session) {
  if (atomic_exchange(&session->is_running, true))
    return tvm_runtime_fail(TVM_STATUS_INVALID,
                            "the session is running in another thread");
  tvm_status status = check_tensors(session);
  if (!status) {
    status = call_model(session);
    session->has_result = !status;
  }
  atomic_store(&session->is_running, false);
  return status;
}

tvm_status tvm_session_set_profiler(tvm_session *session,
                                    tvm_profile_fn profile, void *user) {
  session->profile = profile;
  session->profile_user = user;
  return TVM_OK;
}
