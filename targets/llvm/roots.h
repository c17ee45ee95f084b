/* roots.h - the buffers that the tensors of @main stand in. */
#ifndef TVM_TARGETS_LLVM_ROOTS_H
#define TVM_TARGETS_LLVM_ROOTS_H

#include "graph/placement.h"

int64_t tvm_llvm_value_bytes(MlirValue v);

/* The tensor whose buffer holds `v`: itself, or what it is placed in. */
MlirValue tvm_llvm_root_of(MlirValue v);

/* Bytes from the begin of that buffer to the first element of `v`. */
int64_t tvm_llvm_offset_in_root(MlirValue v);

/* The root that can be computed in the caller's buffer of a returned value: all
 * of it is `returned`, and launches write it. Null when there is none. */
MlirValue tvm_llvm_output_root(MlirValue returned);

#endif
