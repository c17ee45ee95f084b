/* kernel_table.c - equal kernels are one kernel.
 *
 * Two kernels are equal when their text is: operations, types, attributes and
 * the order of all of them, but no locations. */
#include "graph_to_te/kernel_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *data;
  size_t size, capacity;
} text;

static void append(MlirStringRef piece, void *user) {
  text *t = user;
  if (t->size + piece.length + 1 > t->capacity) {
    t->capacity = 2 * (t->size + piece.length + 1);
    t->data = realloc(t->data, t->capacity);
  }
  memcpy(t->data + t->size, piece.data, piece.length);
  t->size += piece.length;
  t->data[t->size] = 0;
}

static char *print_kernel(MlirOperation kernel) {
  text t = {0};
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOpPrintingFlagsAssumeVerified(flags);
  mlirOperationPrintWithFlags(kernel, flags, append, &t);
  mlirOpPrintingFlagsDestroy(flags);
  return t.data;
}

static uint64_t hash_text(const char *s) {
  uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
  for (; *s; ++s)
    h = (h ^ (unsigned char)*s) * 0x100000001b3u;
  return h;
}

static tvm_text_entry *find(const tvm_text_table *t, const char *text,
                            uint64_t hash) {
  size_t at = hash & (t->capacity - 1);
  while (t->entries[at].text &&
         (t->entries[at].hash != hash || strcmp(t->entries[at].text, text)))
    at = (at + 1) & (t->capacity - 1);
  return &t->entries[at];
}

static void grow(tvm_text_table *t) {
  tvm_text_table larger = {.count = t->count,
                           .capacity = t->capacity ? 2 * t->capacity : 64};
  larger.entries = calloc(larger.capacity, sizeof *larger.entries);
  for (size_t i = 0; i < t->capacity; ++i)
    if (t->entries[i].text)
      *find(&larger, t->entries[i].text, t->entries[i].hash) = t->entries[i];
  free(t->entries);
  *t = larger;
}

/* The entry of a text; a new one is zero but for the text. */
static tvm_text_entry *enter(tvm_text_table *t, char *owned_text) {
  if (2 * t->count >= t->capacity)
    grow(t);
  uint64_t hash = hash_text(owned_text);
  tvm_text_entry *e = find(t, owned_text, hash);
  if (e->text) {
    free(owned_text);
    return e;
  }
  *e = (tvm_text_entry){.text = owned_text, .hash = hash};
  ++t->count;
  return e;
}

static void finish(tvm_text_table *t) {
  for (size_t i = 0; i < t->capacity; ++i)
    free(t->entries[i].text);
  free(t->entries);
}

static void name_kernel(tvm_kernel_table *t, MlirOperation kernel,
                        const char *stem) {
  char name[160];
  snprintf(name, sizeof name, "%s_%d", stem,
           enter(&t->stems, strdup(stem))->number++);
  mlirOperationSetDiscardableAttributeByName(
      kernel, mlirStringRefCreateFromCString("sym_name"),
      mlirStringAttrGet(mlirOperationGetContext(kernel),
                        mlirStringRefCreateFromCString(name)));
}

MlirOperation tvm_kernel_table_add(tvm_kernel_table *t, MlirOperation kernel,
                                   const char *stem) {
  tvm_text_entry *e = enter(&t->kernels, print_kernel(kernel));
  if (e->kernel.ptr) {
    mlirOperationDestroy(kernel);
    return e->kernel;
  }
  name_kernel(t, kernel, stem);
  return e->kernel = kernel;
}

void tvm_kernel_table_finish(tvm_kernel_table *t) {
  finish(&t->kernels);
  finish(&t->stems);
  *t = (tvm_kernel_table){0};
}
