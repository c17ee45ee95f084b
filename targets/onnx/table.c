/* table.c - a hash table by name or by address, open addressing. */
#include "importer.h"

#include <stdlib.h>
#include <string.h>

static size_t get_hash(const char *name, const void *address) {
  uint64_t h = 0xcbf29ce484222325u;
  if (!name)
    return (size_t)(((uint64_t)(uintptr_t)address ^ h) * 0x9e3779b97f4a7c15u >>
                    20);
  for (; *name; ++name)
    h = (h ^ (unsigned char)*name) * 0x100000001b3u;
  return (size_t)(h ^ h >> 29);
}

static bool is_key(const tvm_onnx_slot *s, const char *name,
                   const void *address) {
  if (name)
    return s->name && strcmp(s->name, name) == 0;
  return !s->name && s->address == address;
}

static tvm_onnx_slot *find_slot(const tvm_onnx_table *t, const char *name,
                                const void *address) {
  size_t i = get_hash(name, address) & (t->capacity - 1);
  while (t->slots[i].value && !is_key(&t->slots[i], name, address))
    i = (i + 1) & (t->capacity - 1);
  return &t->slots[i];
}

static void grow(tvm_onnx_table *t) {
  tvm_onnx_table old = *t;
  t->capacity = old.capacity ? 2 * old.capacity : 64;
  t->slots = calloc(t->capacity, sizeof *t->slots);
  for (size_t i = 0; i < old.capacity; ++i)
    if (old.slots[i].value)
      *find_slot(t, old.slots[i].name, old.slots[i].address) = old.slots[i];
  free(old.slots);
}

static void *get(const tvm_onnx_table *t, const char *name,
                 const void *address) {
  return t->capacity ? find_slot(t, name, address)->value : NULL;
}

static void put(tvm_onnx_table *t, const char *name, const void *address,
                void *value) {
  if (2 * (t->count + 1) > t->capacity)
    grow(t);
  tvm_onnx_slot *slot = find_slot(t, name, address);
  t->count += slot->value == NULL;
  *slot = (tvm_onnx_slot){name, address, value};
}

void *tvm_onnx_table_get(const tvm_onnx_table *t, const char *name) {
  return get(t, name, NULL);
}

void tvm_onnx_table_put(tvm_onnx_table *t, const char *name, void *value) {
  put(t, name, NULL, value);
}

void *tvm_onnx_table_get_at(const tvm_onnx_table *t, const void *address) {
  return get(t, NULL, address);
}

void tvm_onnx_table_put_at(tvm_onnx_table *t, const void *address,
                           void *value) {
  put(t, NULL, address, value);
}

void tvm_onnx_table_finish(tvm_onnx_table *t) {
  free(t->slots);
  *t = (tvm_onnx_table){0};
}
