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

static void name_kernel(tvm_kernel_table *t, MlirOperation kernel,
                        const char *stem) {
  int number = 0;
  for (size_t i = 0; i < t->count; ++i)
    number += !strcmp(t->entries[i].stem, stem);
  char name[160];
  snprintf(name, sizeof name, "%s_%d", stem, number);
  mlirOperationSetDiscardableAttributeByName(
      kernel, mlirStringRefCreateFromCString("sym_name"),
      mlirStringAttrGet(mlirOperationGetContext(kernel),
                        mlirStringRefCreateFromCString(name)));
}

MlirOperation tvm_kernel_table_add(tvm_kernel_table *t, MlirOperation kernel,
                                   const char *stem) {
  char *printed = print_kernel(kernel);
  uint64_t hash = hash_text(printed);
  for (size_t i = 0; i < t->count; ++i) {
    if (t->entries[i].hash != hash || strcmp(t->entries[i].text, printed))
      continue;
    mlirOperationDestroy(kernel);
    free(printed);
    return t->entries[i].kernel;
  }
  name_kernel(t, kernel, stem);
  if (t->count == t->capacity) {
    t->capacity = t->capacity ? 2 * t->capacity : 64;
    t->entries = realloc(t->entries, t->capacity * sizeof *t->entries);
  }
  t->entries[t->count++] =
      (tvm_kernel_entry){kernel, hash, printed, strdup(stem)};
  return kernel;
}

void tvm_kernel_table_finish(tvm_kernel_table *t) {
  for (size_t i = 0; i < t->count; ++i) {
    free(t->entries[i].text);
    free(t->entries[i].stem);
  }
  free(t->entries);
  *t = (tvm_kernel_table){0};
}
