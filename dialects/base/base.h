/* base.h - handles, contexts, diagnostics and passes, for every dialect. */
#ifndef TVM_DIALECTS_BASE_H
#define TVM_DIALECTS_BASE_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Support.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/builder.h"
#include "base/value_set.h"
#include "tvm_seam.h"

/* ---- context.c ---- */

/* A context with every upstream dialect and extension plus the dialects that
 * `dialects` register. All are loaded. */
MlirContext tvm_context_create(intptr_t n,
                               void (*const *dialects)(MlirDialectRegistry));
/* Fill a registry with the upstream dialects, extensions and translations. */
void tvm_register_upstream(MlirDialectRegistry registry);

/* Emit an error at `location`. Always returns failure. */
MlirLogicalResult tvm_emit_error(MlirLocation location, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* `'graph.conv' <message>` at the operation. Always returns failure. */
MlirLogicalResult tvm_emit_op_error(MlirOperation op, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same as a warning. */
void tvm_emit_warning(MlirLocation location, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- region.c ---- */

/* Whether all that the operations of `block` use, those nested in them
 * included, is defined in it. IRDL operations have the trait
 * IsolatedFromAbove, but MLIR does not run its check for them. */
bool tvm_block_is_isolated(MlirBlock block);

/* ---- pass.c ---- */

/* Add a textual pipeline, "canonicalize,cse", anchored as `manager` is.
 * Fails: emits nothing but returns failure; the text is our own. */
MlirLogicalResult tvm_parse_pipeline(MlirOpPassManager manager,
                                     const char *pipeline);
/* Run "builtin.module(...)" over the module. Fails: emits. */
MlirLogicalResult tvm_run_pipeline(MlirModule module, const char *pipeline);

#endif
