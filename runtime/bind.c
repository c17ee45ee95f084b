/* bind.c - tensors in and out of a session. */
#include "objects.h"

#include <string.h>

/* A slot that a call names, with its row of the model's table. */
typedef struct slot_ref {
  int32_t slot;
  tvm_tensor_ref tensor;
} slot_ref;

static tvm_status check_idle(tvm_session *session) {
  if (atomic_load(&session->is_running))
    return tvm_runtime_fail(TVM_STATUS_INVALID,
                            "the session is running in another thread");
  return TVM_OK;
}

static tvm_status find_input(tvm_session *session, int32_t index,
                             slot_ref *out) {
  const tvm_model *m = session->module->model;
  if (index < 0 || index >= m->num_inputs)
    return tvm_runtime_fail(TVM_STATUS_INVALID,
                            "the model has %d inputs, got index %d",
                            m->num_inputs, index);
  *out = (slot_ref){index, {"input", &m->inputs[index]}};
  return check_idle(session);
}

static tvm_status find_output(tvm_session *session, int32_t index,
                              slot_ref *out) {
  const tvm_model *m = session->module->model;
  if (index < 0 || index >= m->num_outputs)
    return tvm_runtime_fail(TVM_STATUS_INVALID,
                            "the model has %d outputs, got index %d",
                            m->num_outputs, index);
  *out = (slot_ref){m->num_inputs + index, {"output", &m->outputs[index]}};
  return check_idle(session);
}

static bool overlaps(const void *a, uint64_t a_bytes, const void *b,
                     uint64_t b_bytes) {
  if (!a || !b || !a_bytes || !b_bytes)
    return false;
  uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
  return x < y ? y - x < a_bytes : x - y < b_bytes;
}

/* Kernels write outputs while they still read inputs, so nothing may share
 * memory with an output, nor with the intermediate tensors. Two inputs may
 * share theirs. */
static tvm_status check_overlap(const tvm_session *session, slot_ref ref,
                                const void *data) {
  const tvm_model *m = session->module->model;
  uint64_t bytes = ref.tensor.row->bytes;
  bool is_input = ref.slot < m->num_inputs;
  if (overlaps(data, bytes, session->arena, m->arena_bytes))
    return tvm_runtime_fail(TVM_STATUS_INVALID,
                            "%s '%s' overlaps the arena of the session",
                            ref.tensor.kind, ref.tensor.row->name);
  for (int32_t i = is_input ? m->num_inputs : 0;
       i < m->num_inputs + m->num_outputs; i++) {
    const tvm_model_tensor *row =
        i < m->num_inputs ? &m->inputs[i] : &m->outputs[i - m->num_inputs];
    if (i != ref.slot && overlaps(data, bytes, session->io[i], row->bytes))
      return tvm_runtime_fail(
          TVM_STATUS_INVALID, "%s '%s' overlaps %s '%s' of the session",
          ref.tensor.kind, ref.tensor.row->name,
          i < m->num_inputs ? "input" : "output", row->name);
  }
  return TVM_OK;
}

void tvm_slot_unbind(tvm_session *session, int32_t index) {
  tvm_slot *slot = &session->slots[index];
  DLManagedTensorVersioned *managed = slot->managed;
  if (!slot->is_bound)
    return;
  slot->managed = NULL;
  slot->is_bound = false;
  slot->is_ready = false;
  session->io[index] = slot->own;
  if (managed && managed->deleter)
    managed->deleter(managed);
}

static tvm_status bind(tvm_session *session, slot_ref ref,
                       const DLTensor *tensor,
                       DLManagedTensorVersioned *managed) {
  tvm_status status = tvm_tensor_check_dense(ref.tensor, tensor);
  if (!status)
    status = check_overlap(session, ref, tvm_tensor_data(tensor));
  if (status)
    return status;
  tvm_slot_unbind(session, ref.slot);
  tvm_slot *slot = &session->slots[ref.slot];
  slot->managed = managed;
  slot->is_bound = true;
  slot->is_ready = true;
  session->io[ref.slot] = tvm_tensor_data(tensor);
  return TVM_OK;
}

/* An input can only be set where the session has room for it. */
static tvm_status check_own(tvm_session *session, slot_ref ref) {
  tvm_slot *slot = &session->slots[ref.slot];
  if (!slot->own)
    return tvm_runtime_fail(TVM_STATUS_INVALID,
                            "input '%s' has no buffer in a session with "
                            "external tensors, bind it",
                            ref.tensor.row->name);
  return TVM_OK;
}

tvm_status tvm_session_set_input_copy(tvm_session *session, int32_t index,
                                      const DLTensor *tensor) {
  slot_ref ref;
  tvm_status status = find_input(session, index, &ref);
  if (!status)
    status = tvm_tensor_check(ref.tensor, tensor);
  if (!status)
    status = check_own(session, ref);
  if (status)
    return status;
  /* Copied first: the tensor may be a view of what is bound now. */
  tvm_tensor_gather(session->slots[ref.slot].own, tensor);
  tvm_slot_unbind(session, ref.slot);
  session->slots[ref.slot].is_ready = true;
  return TVM_OK;
}

static void fill_view(const tvm_session *session, slot_ref ref, DLTensor *out) {
  const tvm_model_tensor *row = ref.tensor.row;
  *out = (DLTensor){
      .data = session->io[ref.slot],
      .device = {kDLCPU, 0},
      .ndim = row->rank,
      .dtype = {row->type.code, row->type.bits, row->type.lanes},
      .shape = (int64_t *)row->shape,
  };
}

tvm_status tvm_session_get_input_view(tvm_session *session, int32_t index,
                                      DLTensor *out) {
  slot_ref ref;
  tvm_status status = find_input(session, index, &ref);
  if (!status)
    status = check_own(session, ref);
  if (status)
    return status;
  tvm_slot_unbind(session, ref.slot);
  session->slots[ref.slot].is_ready = true;
  fill_view(session, ref, out);
  return TVM_OK;
}

tvm_status tvm_session_bind_input(tvm_session *session, int32_t index,
                                  const DLTensor *tensor) {
  slot_ref ref;
  tvm_status status = find_input(session, index, &ref);
  return status ? status : bind(session, ref, tensor, NULL);
}

tvm_status tvm_session_bind_output(tvm_session *session, int32_t index,
                                   const DLTensor *tensor) {
  slot_ref ref;
  tvm_status status = find_output(session, index, &ref);
  if (!status)
    status = bind(session, ref, tensor, NULL);
  if (!status)
    session->has_result = false;
  return status;
}

static tvm_status bind_managed(tvm_session *session, int32_t index,
                               DLManagedTensorVersioned *managed) {
  slot_ref ref;
  tvm_status status = find_input(session, index, &ref);
  if (status)
    return status;
  if (managed->version.major != DLPACK_MAJOR_VERSION)
    return tvm_runtime_fail(
        TVM_STATUS_ABI, "input '%s' expects DLPack version %d, got %u",
        ref.tensor.row->name, DLPACK_MAJOR_VERSION, managed->version.major);
  return bind(session, ref, &managed->dl_tensor, managed);
}

tvm_status
tvm_session_bind_input_dlpack(tvm_session *session, int32_t index,
                              DLManagedTensorVersioned *owned_tensor) {
  if (!owned_tensor)
    return tvm_runtime_fail(TVM_STATUS_INVALID,
                            "input %d expects a tensor, got null", index);
  tvm_status status = bind_managed(session, index, owned_tensor);
  if (status && owned_tensor->deleter)
    owned_tensor->deleter(owned_tensor);
  return status;
}

tvm_status tvm_session_unbind_input(tvm_session *session, int32_t index) {
  slot_ref ref;
  tvm_status status = find_input(session, index, &ref);
  if (!status)
    tvm_slot_unbind(session, ref.slot);
  return status;
}

tvm_status tvm_session_unbind_output(tvm_session *session, int32_t index) {
  slot_ref ref;
  tvm_status status = find_output(session, index, &ref);
  if (status)
    return status;
  if (session->slots[ref.slot].is_bound)
    session->has_result = false;
  tvm_slot_unbind(session, ref.slot);
  return TVM_OK;
}

tvm_status tvm_session_get_output_view(tvm_session *session, int32_t index,
                                       DLTensor *out) {
  slot_ref ref;
  tvm_status status = find_output(session, index, &ref);
  if (!status)
    fill_view(session, ref, out);
  return status;
}

static tvm_status check_result(const tvm_session *session, slot_ref ref) {
  if (session->has_result)
    return TVM_OK;
  return tvm_runtime_fail(TVM_STATUS_INVALID,
                          "output '%s' holds no result: no run has succeeded",
                          ref.tensor.row->name);
}

tvm_status tvm_session_get_output_copy(tvm_session *session, int32_t index,
                                       const DLTensor *tensor) {
  slot_ref ref;
  tvm_status status = find_output(session, index, &ref);
  if (!status)
    status = check_result(session, ref);
  if (!status)
    status = tvm_tensor_check(ref.tensor, tensor);
  if (!status)
    tvm_tensor_scatter(tensor, session->io[ref.slot]);
  return status;
}

/* An exported tensor: its right to the session, and a shape that outlives any
 * table. */
typedef struct exported_tensor {
  DLManagedTensorVersioned managed;
  tvm_session *session;
  size_t size_bytes;
  int64_t dims[]; /* shape, then strides */
} exported_tensor;

static void delete_export(DLManagedTensorVersioned *self) {
  exported_tensor *exported = self->manager_ctx;
  tvm_session *session = exported->session;
  tvm_env_free(session->module->env, exported, exported->size_bytes,
               _Alignof(exported_tensor));
  tvm_session_release(session);
}

static void fill_dims(exported_tensor *exported, const tvm_model_tensor *row) {
  int64_t *shape = exported->dims, *strides = shape + row->rank;
  int64_t stride = 1;
  for (int32_t i = row->rank - 1; i >= 0; i--) {
    shape[i] = row->shape[i];
    strides[i] = stride;
    stride *= shape[i];
  }
  exported->managed.dl_tensor.shape = shape;
  exported->managed.dl_tensor.strides = strides;
}

tvm_status
tvm_session_get_output_dlpack(tvm_session *session, int32_t index,
                              DLManagedTensorVersioned **out_tensor) {
  *out_tensor = NULL;
  slot_ref ref;
  tvm_status status = find_output(session, index, &ref);
  if (status)
    return status;
  const tvm_model_tensor *row = ref.tensor.row;
  if (session->slots[ref.slot].is_bound || !session->slots[ref.slot].own)
    return tvm_runtime_fail(TVM_STATUS_INVALID,
                            "output '%s' lies in the caller's own memory",
                            row->name);
  size_t bytes =
      sizeof(exported_tensor) + 2 * (size_t)row->rank * sizeof(int64_t);
  exported_tensor *exported =
      tvm_env_allocate(session->module->env, bytes, _Alignof(exported_tensor));
  if (!exported)
    return tvm_runtime_fail(TVM_STATUS_MEMORY,
                            "cannot allocate %zu bytes for a tensor", bytes);
  memset(exported, 0, bytes);
  exported->session = session;
  exported->size_bytes = bytes;
  exported->managed.version =
      (DLPackVersion){DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  exported->managed.manager_ctx = exported;
  exported->managed.deleter = delete_export;
  fill_view(session, ref, &exported->managed.dl_tensor);
  fill_dims(exported, row);
  atomic_fetch_add(&session->references, 1);
  *out_tensor = &exported->managed;
  return TVM_OK;
}
