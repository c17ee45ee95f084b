/* resolve.c - the importer of an operator, from imports.def. */
#include "importer.h"

#include <stdlib.h>
#include <string.h>

#define IMPORT(op_type, since, function)                                       \
  MlirLogicalResult function(tvm_onnx_node *node);
#include "imports.def"

static const tvm_onnx_row ROWS[] = {
#define IMPORT(op_type, since, function) {#op_type, since, function},
#include "imports.def"
};

/* The table is short and nodes are few: no order is relied on. */
const tvm_onnx_row *tvm_onnx_find_row(const char *op_type) {
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; ++i)
    if (strcmp(ROWS[i].op_type, op_type) == 0)
      return &ROWS[i];
  return NULL;
}
