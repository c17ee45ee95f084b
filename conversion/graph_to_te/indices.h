/* indices.h - indices that are data. */
#ifndef TVM_CONVERSION_INDICES_H
#define TVM_CONVERSION_INDICES_H

#include "graph_to_te/lowering.h"

/* As `index`, a negative one counted from the end of `dim`. */
MlirValue tvm_index_from_end(tvm_builder *b, MlirValue i, int64_t dim);
/* And moved to the nearest valid element. */
MlirValue tvm_valid_index(tvm_builder *b, MlirValue i, int64_t dim);
/* 0 <= i < dim, for an `index`. */
MlirValue tvm_index_in_range(tvm_builder *b, MlirValue i, int64_t dim);
/* A constant, or the loop extent alone: index + offset */
MlirValue tvm_index_plus(tvm_builder *b, MlirValue i, int64_t offset);

#endif
