/* simplify_graph.c - rewrite the graph by the rules of simplify_graph.pdll.
 *
 * What the rules preserve and why they end stands with them. */
#include "passes/passes_internal.h"
#include "passes/simplify.h"

extern const char tvm_simplify_graph_pdl[];
extern const size_t tvm_simplify_graph_pdl_size;

#define CONSTRAINT(name, function) {#name, function, NULL},
#define REWRITE(name, function) {#name, NULL, function},
static const tvm_pattern_function FUNCTIONS[] = {
#include "passes/simplify_functions.def"
};

MlirLogicalResult tvm_pass_simplify_graph(MlirOperation func) {
  return tvm_apply_patterns(
      func,
      mlirStringRefCreate(tvm_simplify_graph_pdl, tvm_simplify_graph_pdl_size),
      sizeof FUNCTIONS / sizeof *FUNCTIONS, FUNCTIONS);
}
