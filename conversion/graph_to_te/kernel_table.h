/* kernel_table.h - the kernels of a module, equal ones once. */
#ifndef TVM_CONVERSION_KERNEL_TABLE_H
#define TVM_CONVERSION_KERNEL_TABLE_H

#include "base/base.h"

typedef struct tvm_kernel_entry {
  MlirOperation kernel;
  uint64_t hash;
  char *text; /* printed without a name */
  char *stem; /* name without its number */
} tvm_kernel_entry;

typedef struct tvm_kernel_table {
  tvm_kernel_entry *entries;
  size_t count, capacity;
} tvm_kernel_table;

/* Name a new, still nameless kernel `<stem>_<number>` and return it, or erase
 * it and return the equal one that is there. Owns: `kernel` is taken. */
MlirOperation tvm_kernel_table_add(tvm_kernel_table *t, MlirOperation kernel,
                                   const char *stem);
void tvm_kernel_table_finish(tvm_kernel_table *t);

#endif
