/* lower_operator.h - the table of lowerings. */
#ifndef TVM_CONVERSION_LOWER_OPERATOR_H
#define TVM_CONVERSION_LOWER_OPERATOR_H

#include "graph_to_te/lowering.h"

/* Does the lowering of `op` take a scalar in place of operand `i`? */
bool tvm_takes_immediate(MlirOperation op, intptr_t i);
/* Lower l->op by the row of its name. Fails: emits. */
MlirLogicalResult tvm_lower_operator(tvm_lowering *l);

#endif
