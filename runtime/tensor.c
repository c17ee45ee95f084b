/* tensor.c - DLTensors against the model's tables: do they match, and copies
 * that follow strides. */
#include "objects.h"

#include <stdio.h>
#include <string.h>

static const char *type_name(DLDataType type, char *text, size_t size_bytes) {
  static const char *const prefixes[] = {"i",  "u",       "f",   "handle",
                                         "bf", "complex", "bool"};
  if (type.code < sizeof prefixes / sizeof *prefixes && type.lanes == 1) {
    if (type.code == kDLBool && type.bits == 8)
      return "bool";
    snprintf(text, size_bytes, "%s%d", prefixes[type.code], type.bits);
  } else {
    snprintf(text, size_bytes, "type %d/%d/%d", type.code, type.bits,
             type.lanes);
  }
  return text;
}

static const char *shape_text(const int64_t *shape, int32_t rank, char *text) {
  int used = snprintf(text, TVM_TEXT_BYTES, "[");
  for (int32_t i = 0; i < rank && used < TVM_TEXT_BYTES - 24; i++)
    used += snprintf(text + used, TVM_TEXT_BYTES - (size_t)used, "%s%lld",
                     i ? "," : "", (long long)shape[i]);
  snprintf(text + used, TVM_TEXT_BYTES - (size_t)used, "]");
  return text;
}

static tvm_status fail_shape(tvm_tensor_ref expected, const DLTensor *tensor) {
  char want[TVM_TEXT_BYTES], got[TVM_TEXT_BYTES];
  return tvm_runtime_fail(
      TVM_STATUS_SHAPE, "%s '%s' expects shape %s, got %s", expected.kind,
      expected.row->name,
      shape_text(expected.row->shape, expected.row->rank, want),
      shape_text(tensor->shape, tensor->ndim, got));
}

static tvm_status check_shape(tvm_tensor_ref expected, const DLTensor *tensor) {
  const tvm_model_tensor *row = expected.row;
  if (tensor->ndim < 0 || tensor->ndim > TVM_MAX_RANK ||
      (tensor->ndim > 0 && !tensor->shape))
    return tvm_runtime_fail(TVM_STATUS_SHAPE,
                            "%s '%s' expects rank %d, got a tensor of rank %d "
                            "without a valid shape",
                            expected.kind, row->name, row->rank, tensor->ndim);
  if (tensor->ndim != row->rank)
    return fail_shape(expected, tensor);
  for (int32_t i = 0; i < row->rank; i++)
    if (tensor->shape[i] != row->shape[i])
      return fail_shape(expected, tensor);
  return TVM_OK;
}

tvm_status tvm_tensor_check(tvm_tensor_ref expected, const DLTensor *tensor) {
  const tvm_model_tensor *row = expected.row;
  if (!tensor)
    return tvm_runtime_fail(TVM_STATUS_INVALID,
                            "%s '%s' expects a tensor, got null", expected.kind,
                            row->name);
  if (tensor->device.device_type != kDLCPU)
    return tvm_runtime_fail(
        TVM_STATUS_DEVICE, "%s '%s' expects CPU memory, got device type %d",
        expected.kind, row->name, (int)tensor->device.device_type);
  DLDataType want = {row->type.code, row->type.bits, row->type.lanes};
  DLDataType got = tensor->dtype;
  char want_text[32], got_text[32];
  if (got.code != want.code || got.bits != want.bits || got.lanes != want.lanes)
    return tvm_runtime_fail(TVM_STATUS_TYPE, "%s '%s' expects type %s, got %s",
                            expected.kind, row->name,
                            type_name(want, want_text, sizeof want_text),
                            type_name(got, got_text, sizeof got_text));
  tvm_status status = check_shape(expected, tensor);
  if (status)
    return status;
  if (!tensor->data && row->bytes > 0)
    return tvm_runtime_fail(
        TVM_STATUS_INVALID, "%s '%s' expects %llu bytes of data, got null",
        expected.kind, row->name, (unsigned long long)row->bytes);
  return TVM_OK;
}

/* Without a stride that matters, from the innermost out; -1 if dense. */
static int32_t find_wrong_stride(const DLTensor *tensor, int64_t *out_want) {
  if (!tensor->strides)
    return -1;
  int64_t want = 1;
  for (int32_t i = tensor->ndim - 1; i >= 0; i--) {
    *out_want = want;
    if (tensor->shape[i] != 1 && tensor->strides[i] != want)
      return i;
    want *= tensor->shape[i];
  }
  return -1;
}

tvm_status tvm_tensor_check_dense(tvm_tensor_ref expected,
                                  const DLTensor *tensor) {
  tvm_status status = tvm_tensor_check(expected, tensor);
  const tvm_model_tensor *row = expected.row;
  if (status || row->bytes == 0)
    return status;
  int64_t want = 0;
  int32_t wrong = find_wrong_stride(tensor, &want);
  if (wrong >= 0)
    return tvm_runtime_fail(
        TVM_STATUS_SHAPE,
        "%s '%s' expects row-major data, got stride %lld in place of %lld in "
        "dimension %d",
        expected.kind, row->name, (long long)tensor->strides[wrong],
        (long long)want, wrong);
  unsigned align = row->type.bits / 8u;
  if ((uintptr_t)tvm_tensor_data(tensor) % align)
    return tvm_runtime_fail(
        TVM_STATUS_INVALID,
        "%s '%s' expects data aligned to %u bytes, got address %p",
        expected.kind, row->name, align, tvm_tensor_data(tensor));
  return TVM_OK;
}

void *tvm_tensor_data(const DLTensor *tensor) {
  /* An empty tensor may have no data, and null takes no offset. */
  if (!tensor->data)
    return NULL;
  return (char *)tensor->data + tensor->byte_offset;
}

static uint64_t count_elems(const DLTensor *tensor) {
  uint64_t count = 1;
  for (int32_t i = 0; i < tensor->ndim; i++)
    count *= (uint64_t)tensor->shape[i];
  return count;
}

/* Walk the elements in row-major order. Strides may be negative or zero. */
static void copy_strided(char *dense, const DLTensor *strided, bool gather) {
  int64_t index[TVM_MAX_RANK] = {0};
  size_t elem_bytes = strided->dtype.bits / 8u;
  char *at = tvm_tensor_data(strided);
  for (uint64_t left = count_elems(strided); left > 0; left--) {
    if (gather)
      memcpy(dense, at, elem_bytes);
    else
      memcpy(at, dense, elem_bytes);
    dense += elem_bytes;
    for (int32_t d = strided->ndim - 1; left > 1 && d >= 0; d--) {
      int64_t step = strided->strides[d] * (int64_t)elem_bytes;
      at += step;
      if (++index[d] < strided->shape[d])
        break;
      at -= step * strided->shape[d];
      index[d] = 0;
    }
  }
}

static bool is_dense(const DLTensor *tensor) {
  int64_t want;
  return find_wrong_stride(tensor, &want) < 0;
}

static size_t dense_bytes(const DLTensor *tensor) {
  return count_elems(tensor) * (tensor->dtype.bits / 8u);
}

/* memmove: the caller's tensor may be a view of this very buffer. */
void tvm_tensor_gather(void *dense, const DLTensor *strided) {
  size_t bytes = dense_bytes(strided);
  if (bytes > 0 && is_dense(strided))
    memmove(dense, tvm_tensor_data(strided), bytes);
  else if (bytes > 0)
    copy_strided(dense, strided, true);
}

void tvm_tensor_scatter(const DLTensor *strided, const void *dense) {
  size_t bytes = dense_bytes(strided);
  if (bytes > 0 && is_dense(strided))
    memmove(tvm_tensor_data(strided), dense, bytes);
  else if (bytes > 0)
    copy_strided((char *)dense, strided, false);
}
