/* onnx.h - import ONNX models into the graph dialect. */
#ifndef TVM_TARGETS_ONNX_H
#define TVM_TARGETS_ONNX_H

#include "graph/graph.h"
#include "tvm/compiler.h"

typedef struct tvm_onnx_options {
  size_t num_shapes;
  const tvm_shape_binding *shapes;
  size_t num_values;
  const tvm_value_binding *values;
  /* When not null: called with the name of an input whose value must be known
   * at compile time and is not. The import then fails. */
  void (*shape_input)(void *user, const char *name);
  void *user;
} tvm_onnx_options;

/* Import the model at `path` as
 *   func.func @main(%x : tensor<..> {tvm.name = "x"}, ..)
 *     -> (tensor<..> {tvm.name = "y"}, ..)
 * whose body is graph ops and arith.constant (weights as dense_resource).
 * Fails: emits one error, returns a null module. Owns: the caller destroys the
 * module; the context keeps what the weights need. */
MlirModule tvm_onnx_import(MlirContext context, const char *path,
                           const tvm_onnx_options *options);

#endif
