/* import.h - what the import of one ONNX operator sees.
 *
 * An importer is a function of this header's type with a row in imports.def.
 * It reads every attribute that the operator has in the opset at hand; what it
 * leaves unread makes the import fail, so nothing is dropped silently. */
#ifndef TVM_TARGETS_ONNX_IMPORT_H
#define TVM_TARGETS_ONNX_IMPORT_H

#include "graph/graph.h"

typedef struct tvm_onnx_node tvm_onnx_node;

/* Builds graph ops and sets every wanted result. Fails: emits one error. */
typedef MlirLogicalResult (*tvm_onnx_importer)(tvm_onnx_node *node);

/* ---- the node ---- */

tvm_builder *tvm_onnx_builder(tvm_onnx_node *node);
const char *tvm_onnx_op_type(const tvm_onnx_node *node);
/* The opset of the node's domain in this model. */
int64_t tvm_onnx_opset(const tvm_onnx_node *node);
/* Emit `model.onnx: node 'n' (Op): <message>`. Always returns failure. */
MlirLogicalResult tvm_onnx_fail(tvm_onnx_node *node, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* As fail, for what is valid ONNX but not done here. */
MlirLogicalResult tvm_onnx_unsupported(tvm_onnx_node *node, const char *format,
                                       ...)
    __attribute__((format(printf, 2, 3)));

/* ---- operands and results ---- */

/* Counts as written; an operand with an empty name is absent. */
intptr_t tvm_onnx_num_operands(const tvm_onnx_node *node);
bool tvm_onnx_has_operand(const tvm_onnx_node *node, intptr_t i);
/* Null when absent. */
MlirValue tvm_onnx_operand(tvm_onnx_node *node, intptr_t i);
/* Fails, with a message, unless low <= num_operands <= high and the first
 * `low` are present. */
MlirLogicalResult tvm_onnx_expect_operands(tvm_onnx_node *node, intptr_t low,
                                           intptr_t high);
intptr_t tvm_onnx_num_results(const tvm_onnx_node *node);
bool tvm_onnx_has_result(const tvm_onnx_node *node, intptr_t i);
/* A null value means that its maker has emitted an error: returns failure.
 * Results that are not wanted are ignored. */
MlirLogicalResult tvm_onnx_set_result(tvm_onnx_node *node, intptr_t i,
                                      MlirValue value);
/* The program stops with the node's name and `message` when an element of the
 * i1 tensor `condition` is false. */
MlirLogicalResult tvm_onnx_assert(tvm_onnx_node *node, MlirValue condition,
                                  const char *message);

/* ---- values known at import ---- */

/* Whether the value can be computed now from constants (initializers, Shape,
 * arithmetic on them). */
bool tvm_onnx_is_constant(tvm_onnx_node *node, intptr_t operand);
/* The integer (or bool) elements of an operand that must be known now: shapes,
 * axes, pads. malloc'ed, the caller frees; never null on success. Fails: emits,
 * and reports the graph input in the way (tvm_onnx_options.shape_input). */
bool tvm_onnx_copy_i64s(tvm_onnx_node *node, intptr_t operand,
                        int64_t *out_count, int64_t **out_values);
/* The same for float operands (scales). */
bool tvm_onnx_copy_doubles(tvm_onnx_node *node, intptr_t operand,
                           int64_t *out_count, double **out_values);
/* A scalar or one-element operand. */
bool tvm_onnx_read_i64(tvm_onnx_node *node, intptr_t operand, int64_t *out);
bool tvm_onnx_read_double(tvm_onnx_node *node, intptr_t operand, double *out);

/* ---- attributes; reading one consumes it ---- */

/* An attribute of another type than asked for is an error that makes the
 * import of the node fail when its importer returns. */
bool tvm_onnx_has_attr(const tvm_onnx_node *node, const char *name);
int64_t tvm_onnx_get_int(tvm_onnx_node *node, const char *name,
                         int64_t fallback);
double tvm_onnx_get_float(tvm_onnx_node *node, const char *name,
                          double fallback);
/* Borrowed, null-terminated. `fallback` may be null. */
const char *tvm_onnx_get_string(tvm_onnx_node *node, const char *name,
                                const char *fallback);
/* Borrowed; null and 0 when absent. */
const int64_t *tvm_onnx_get_ints(tvm_onnx_node *node, const char *name,
                                 size_t *out_count);
const float *tvm_onnx_get_floats(tvm_onnx_node *node, const char *name,
                                 size_t *out_count);
size_t tvm_onnx_get_strings_size(tvm_onnx_node *node, const char *name);
/* Borrowed; `i` below the size. */
const char *tvm_onnx_get_strings(tvm_onnx_node *node, const char *name,
                                 size_t i);
/* Index of the attribute's text in `names`, or `fallback` when absent. False
 * after the error "attribute 'a' = 'x' is not one of ...". */
bool tvm_onnx_get_choice(tvm_onnx_node *node, const char *name,
                         int32_t fallback, int32_t n, const char *const *names,
                         int32_t *out);
/* An integer in [-rank, rank), made non-negative; false after an error. */
bool tvm_onnx_get_axis(tvm_onnx_node *node, const char *name, int64_t fallback,
                       int64_t rank, int64_t *out);
/* Make `axis`, called `name` in the message, non-negative; as above. */
bool tvm_onnx_check_axis(tvm_onnx_node *node, const char *name, int64_t rank,
                         int64_t *axis);
/* Consume an attribute without effect (seed, storage_order of no result). */
void tvm_onnx_ignore_attr(tvm_onnx_node *node, const char *name);
/* The tensor type code of TensorProto as an element type; null, after an
 * error, when there is none. */
MlirType tvm_onnx_element_type(tvm_onnx_node *node, int64_t data_type);

#endif
