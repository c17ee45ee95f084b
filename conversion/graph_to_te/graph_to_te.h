/* graph_to_te.h - outline graph operators into kernels on linalg. */
#ifndef TVM_CONVERSION_GRAPH_TO_TE_H
#define TVM_CONVERSION_GRAPH_TO_TE_H

/* Register `tvm-convert-graph-to-te` on builtin.module.
 *
 * Every graph.fused and every other graph operator of a function becomes a
 * te.launch of a te.kernel whose body is linalg on tensors; graph.reshape and
 * graph.assert stay. Kernels with equal bodies are one. Inside of kernels
 * integers are signless, and scalar constants are immediates. */
void tvm_graph_to_te_register(void);

#endif
