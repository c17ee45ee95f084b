/* value_set.h - hash tables keyed by SSA values. Zero-initialise to create. */
#ifndef TVM_DIALECTS_BASE_VALUE_SET_H
#define TVM_DIALECTS_BASE_VALUE_SET_H

#include "mlir-c/IR.h"

typedef struct tvm_value_map {
  const void **keys;
  void const **values;
  size_t capacity, count;
} tvm_value_map;

/* Adds or replaces. */
void tvm_value_map_put(tvm_value_map *m, MlirValue key, MlirValue value);
/* A null value when absent. */
MlirValue tvm_value_map_get(const tvm_value_map *m, MlirValue key);
/* The same table with addresses of the caller's as values; null when absent. */
void tvm_value_map_put_pointer(tvm_value_map *m, MlirValue key, void *pointer);
void *tvm_value_map_get_pointer(const tvm_value_map *m, MlirValue key);
void tvm_value_map_finish(tvm_value_map *m);

typedef tvm_value_map tvm_value_set;
void tvm_value_set_add(tvm_value_set *s, MlirValue key);
bool tvm_value_set_has(const tvm_value_set *s, MlirValue key);
void tvm_value_set_finish(tvm_value_set *s);

/* The func.func named `name` in the body of `module`, or null. */
MlirOperation tvm_find_function(MlirOperation module, const char *name);

#endif
