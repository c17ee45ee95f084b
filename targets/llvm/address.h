/* address.h - which elements of a buffer a load or store touches, as a linear
 * function of loop variables. */
#ifndef TVM_TARGETS_LLVM_ADDRESS_H
#define TVM_TARGETS_LLVM_ADDRESS_H

#include "base/base.h"

enum { TVM_MAX_TERMS = 16, TVM_MAX_VECTOR_RANK = 8 };

/* constant + sum(factor * variable), in elements; a variable stands once. */
typedef struct tvm_linear_form {
  int64_t constant;
  intptr_t n;
  MlirValue variables[TVM_MAX_TERMS];
  int64_t factors[TVM_MAX_TERMS];
} tvm_linear_form;

/* The first element behind the buffer's pointer, and how the others follow. */
typedef struct tvm_address {
  MlirValue buffer; /* behind all views */
  tvm_linear_form first;
  intptr_t rank; /* of the vector; 0 for a scalar */
  int64_t sizes[TVM_MAX_VECTOR_RANK], strides[TVM_MAX_VECTOR_RANK];
} tvm_address;

/* Whether `op` is a view of its operand 0, which shares the memory. */
bool tvm_is_memref_view(MlirOperation op);

/* A load or vector read of operand 0; a store or vector write to operand 1. */
bool tvm_is_memory_read(MlirOperation op);
bool tvm_is_memory_write(MlirOperation op);

/* The address of such an operation. False when it is masked, may reach out of
 * bounds, or has no constant strides. */
bool tvm_address_of(MlirOperation access, tvm_address *out);

bool tvm_address_equal(const tvm_address *a, const tvm_address *b);

#endif
