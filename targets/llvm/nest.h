/* nest.h - a core operation with its epilogue, as one nest of loops. */
#ifndef TVM_TARGETS_LLVM_NEST_H
#define TVM_TARGETS_LLVM_NEST_H

#include "llvm/access.h"

/* Strides of the destination stand behind those of the inputs. */
enum { TVM_NEST_DESTINATION = TVM_MAX_OPERANDS };

typedef struct {
  int64_t extent;
  int64_t out; /* place in the result, in elements; 0 for a reduction */
  int64_t strides[TVM_MAX_OPERANDS + 1];
} tvm_nest_loop;

typedef struct {
  tvm_nest_loop items[2 * TVM_MAX_LOOPS];
  intptr_t count;
} tvm_nest_loops;

typedef struct {
  MlirOperation core, epilogue; /* epilogue may be null */
  MlirOperation ret;
  MlirValue destination;
  int64_t destination_offset;
  MlirValue fill_value;
  tvm_access operands[TVM_MAX_OPERANDS]; /* inputs of core, then of epilogue */
  bool is_core_result[TVM_MAX_OPERANDS];
  bool is_unused[TVM_MAX_OPERANDS];
  intptr_t n_core, n_operands;
  tvm_nest_loops parallel, reduction;
} tvm_nest;

/* The core and the epilogue of a kernel; false when it holds anything else. */
bool tvm_nest_find(MlirOperation func, tvm_nest *n);

/* The loops of both, parallel ones by their place in the result. False when an
 * access is not linear, or the result not written once, row by row. */
bool tvm_nest_read(tvm_nest *n);

#endif
