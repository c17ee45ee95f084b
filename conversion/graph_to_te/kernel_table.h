/* kernel_table.h - the kernels of a module, equal ones once. */
#ifndef TVM_CONVERSION_KERNEL_TABLE_H
#define TVM_CONVERSION_KERNEL_TABLE_H

#include "base/base.h"

/* A hash table with texts as keys. */
typedef struct tvm_text_entry {
  char *text;
  uint64_t hash;
  MlirOperation kernel; /* for the text of a kernel */
  int number;           /* for a stem: the next free number */
} tvm_text_entry;

typedef struct tvm_text_table {
  tvm_text_entry *entries;
  size_t count, capacity;
} tvm_text_table;

/* Zero-initialise to create. */
typedef struct tvm_kernel_table {
  tvm_text_table kernels; /* printed without a name */
  tvm_text_table stems;   /* names without their numbers */
} tvm_kernel_table;

/* Name a new, still nameless kernel `<stem>_<number>` and return it, or erase
 * it and return the equal one that is there. Owns: `kernel` is taken. */
MlirOperation tvm_kernel_table_add(tvm_kernel_table *t, MlirOperation kernel,
                                   const char *stem);
void tvm_kernel_table_finish(tvm_kernel_table *t);

#endif
