/* indices.c - indices that are data: from the end, clamped, checked. */
#include "graph_to_te/indices.h"

MlirValue tvm_index_plus(tvm_builder *b, MlirValue i, int64_t offset) {
  return offset ? tvm_binary(b, "arith.addi", i, tvm_index_constant(b, offset))
                : i;
}

MlirValue tvm_index_from_end(tvm_builder *b, MlirValue i, int64_t dim) {
  i = tvm_convert(b, "arith.index_cast", mlirIndexTypeGet(b->context), i);
  MlirValue negative = tvm_compare_int(b, "slt", i, tvm_index_constant(b, 0));
  return tvm_select(b, negative, tvm_index_plus(b, i, dim), i);
}

MlirValue tvm_valid_index(tvm_builder *b, MlirValue i, int64_t dim) {
  i = tvm_index_from_end(b, i, dim);
  i = tvm_binary(b, "arith.maxsi", i, tvm_index_constant(b, 0));
  return tvm_binary(b, "arith.minsi", i, tvm_index_constant(b, dim - 1));
}

MlirValue tvm_index_in_range(tvm_builder *b, MlirValue i, int64_t dim) {
  return tvm_compare_int(b, "ult", i, tvm_index_constant(b, dim));
}
