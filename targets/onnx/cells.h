/* cells.h - element types as the evaluation at import sees them. */
#ifndef TVM_TARGETS_ONNX_CELLS_H
#define TVM_TARGETS_ONNX_CELLS_H

#include "importer.h"

/* Cells of the raw row-major bytes. False for a type that has none. */
bool tvm_onnx_decode_cells(MlirType element, int64_t count, const void *bytes,
                           tvm_onnx_cell *cells);
/* What is left of the cell when an element of that type holds it. */
tvm_onnx_cell tvm_onnx_round_cell(MlirType element, tvm_onnx_cell cell);
bool tvm_onnx_is_ui64(MlirType element);

#endif
