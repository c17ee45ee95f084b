/* operators.c - the table of operators. */
#include "graph/infer.h"

#include <string.h>

#define tvm_graph_infer_fused NULL
#define tvm_graph_infer_yield NULL
#define OPERATOR(name, op_class, check)                                        \
  {"graph." #name, TVM_GRAPH_##op_class, tvm_graph_infer_##check},
static const tvm_graph_operator OPERATORS[] = {
#include "graph/operators.def"
};
#undef tvm_graph_infer_fused
#undef tvm_graph_infer_yield

const tvm_graph_operator *tvm_graph_find_operator(MlirStringRef name) {
  for (size_t i = 0; i < sizeof OPERATORS / sizeof *OPERATORS; ++i)
    if (strlen(OPERATORS[i].name) == name.length &&
        memcmp(OPERATORS[i].name, name.data, name.length) == 0)
      return &OPERATORS[i];
  return NULL;
}
