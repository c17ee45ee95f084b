/* value_set.c - open-addressed tables over the addresses of SSA values. */
#include "base/value_set.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Support.h"

#include <stdint.h>
#include <stdlib.h>

static size_t slot(const tvm_value_map *m, const void *key) {
  size_t mask = m->capacity - 1;
  size_t i = (size_t)(((uintptr_t)key >> 3) * 0x9e3779b97f4a7c15u >> 20) & mask;
  while (m->keys[i] && m->keys[i] != key)
    i = (i + 1) & mask;
  return i;
}

static void put(tvm_value_map *m, const void *key, const void *value) {
  size_t i = slot(m, key);
  m->count += !m->keys[i];
  m->keys[i] = key;
  m->values[i] = value;
}

static void grow(tvm_value_map *m) {
  tvm_value_map next = {.capacity = m->capacity ? 2 * m->capacity : 64};
  next.keys = calloc(next.capacity, sizeof *next.keys);
  next.values = calloc(next.capacity, sizeof *next.values);
  for (size_t i = 0; i < m->capacity; ++i)
    if (m->keys[i])
      put(&next, m->keys[i], m->values[i]);
  tvm_value_map_finish(m);
  *m = next;
}

static const void *get(const tvm_value_map *m, const void *key) {
  if (!m->capacity)
    return NULL;
  size_t i = slot(m, key);
  return m->keys[i] ? m->values[i] : NULL;
}

static void insert(tvm_value_map *m, const void *key, const void *value) {
  if (2 * (m->count + 1) > m->capacity)
    grow(m);
  put(m, key, value);
}

void tvm_value_map_put(tvm_value_map *m, MlirValue key, MlirValue value) {
  insert(m, key.ptr, value.ptr);
}

MlirValue tvm_value_map_get(const tvm_value_map *m, MlirValue key) {
  return (MlirValue){get(m, key.ptr)};
}

void tvm_value_map_put_pointer(tvm_value_map *m, MlirValue key, void *pointer) {
  insert(m, key.ptr, pointer);
}

void *tvm_value_map_get_pointer(const tvm_value_map *m, MlirValue key) {
  return (void *)(uintptr_t)get(m, key.ptr);
}

void tvm_value_map_finish(tvm_value_map *m) {
  free(m->keys);
  free(m->values);
  *m = (tvm_value_map){0};
}

void tvm_value_set_add(tvm_value_set *s, MlirValue key) {
  insert(s, key.ptr, key.ptr);
}

bool tvm_value_set_has(const tvm_value_set *s, MlirValue key) {
  return get(s, key.ptr) != NULL;
}

void tvm_value_set_finish(tvm_value_set *s) { tvm_value_map_finish(s); }

MlirOperation tvm_find_function(MlirOperation module, const char *name) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  MlirOperation op = mlirBlockGetFirstOperation(body);
  MlirStringRef func = mlirStringRefCreateFromCString("func.func");
  MlirStringRef sym = mlirStringRefCreateFromCString("sym_name");
  MlirStringRef wanted = mlirStringRefCreateFromCString(name);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (!mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), func))
      continue;
    MlirAttribute a = mlirOperationGetAttributeByName(op, sym);
    if (mlirAttributeIsAString(a) &&
        mlirStringRefEqual(mlirStringAttrGetValue(a), wanted))
      return op;
  }
  return (MlirOperation){0};
}
