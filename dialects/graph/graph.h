/* graph.h - the operators of whole models, on ranked static tensors. */
#ifndef TVM_DIALECTS_GRAPH_H
#define TVM_DIALECTS_GRAPH_H

#include "base/base.h"
#include "graph_accessors.h" /* generated from graph.irdl.mlir */

/* Fusion classes of the paper, section 3; ELEMENTWISE is an injective operator
 * whose output index is its input index. */
typedef enum tvm_graph_class {
  TVM_GRAPH_ELEMENTWISE,
  TVM_GRAPH_INJECTIVE,
  TVM_GRAPH_REDUCTION,
  TVM_GRAPH_COMPLEX,
  TVM_GRAPH_OPAQUE,
} tvm_graph_class;

/* What an inference function sees: an operation that need not exist yet. */
typedef struct tvm_graph_signature {
  const char *name; /* "graph.conv" */
  MlirContext context;
  MlirLocation location;
  intptr_t n_operands;
  const MlirValue *operands;
  intptr_t n_attrs;
  const MlirNamedAttribute *attrs;
} tvm_graph_signature;

enum { TVM_GRAPH_MAX_RESULTS = 2 };

typedef struct tvm_graph_operator {
  const char *name; /* with the dialect prefix */
  tvm_graph_class op_class;
  /* Write the result types. Fails: emits at the location, returns failure.
   * Null for fused and yield. */
  MlirLogicalResult (*infer)(const tvm_graph_signature *s, intptr_t *n_results,
                             MlirType results[TVM_GRAPH_MAX_RESULTS]);
} tvm_graph_operator;

/* The row of `name` ("graph.conv"), or null. */
const tvm_graph_operator *tvm_graph_find_operator(MlirStringRef name);

/* Create graph.<name>, its result types inferred. `name` has no prefix. Returns
 * the first result; a null value after an error was emitted at b->location.
 * Every required attribute must be present. */
MlirValue tvm_graph_build(tvm_builder *b, const char *name, intptr_t n_operands,
                          const MlirValue *operands, intptr_t n_attrs,
                          const MlirNamedAttribute *attrs);

/* Register the dialect; every context made from `registry` loads it on use. */
void tvm_graph_register_dialect(MlirDialectRegistry registry);

#endif
