/* tvm_seam.h - entry points that MLIR's C API lacks. Nothing here knows an
 * operation of ours. */
#ifndef TVM_SEAM_H
#define TVM_SEAM_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- passes (pass.cpp) ---- */

typedef struct tvm_seam_pass {
  void *ptr;
} tvm_seam_pass;

typedef struct tvm_seam_option {
  const char *name, *description, *initial;
} tvm_seam_option;

/* Must outlive the process: static const. */
typedef struct tvm_seam_pass_desc {
  const char *argument, *description;
  const char *op_name; /* "func.func"; null: any operation */
  intptr_t n_options;
  const tvm_seam_option *options;
  intptr_t n_dialects; /* namespaces the pass creates operations of */
  const char *const *dialects;
  MlirLogicalResult (*run)(MlirOperation op, tvm_seam_pass pass, void *user);
  void *user;
} tvm_seam_pass_desc;

void tvm_seam_register_pass(const tvm_seam_pass_desc *desc);
/* The value of option `index` of a running pass. */
MlirStringRef tvm_seam_pass_option(tvm_seam_pass pass, intptr_t index);
/* A named pipeline that stands for `pipeline` (textual, anchored on module). */
void tvm_seam_register_pipeline(const char *argument, const char *description,
                                const char *pipeline);

/* ---- diagnostics (pass.cpp) ---- */

void tvm_seam_emit_warning(MlirLocation location, const char *text);

/* ---- IRDL dialects (dialect.cpp) ---- */

typedef void (*tvm_seam_fold_push)(void *sink, MlirAttribute attr,
                                   MlirValue value);
typedef struct tvm_seam_op_hooks {
  MlirLogicalResult (*verify)(MlirOperation op);
  /* Push one attribute or value for each result; failure: no fold. */
  MlirLogicalResult (*fold)(MlirOperation op, intptr_t n,
                            MlirAttribute *operands, tvm_seam_fold_push push,
                            void *sink);
} tvm_seam_op_hooks;
/* Null when the operation has none. */
typedef const tvm_seam_op_hooks *(*tvm_seam_hooks_lookup)(MlirStringRef op);

/* Every context made from `registry` loads the IRDL dialect `name` from
 * `source` (text or bytecode, borrowed for ever) when it first needs it.
 * Traits stand in the IRDL: attributes {traits = ["Pure", "IsTerminator",
 * "IsolatedFromAbove", "NoTerminator", "Commutative", "ConstantLike",
 * "RecursiveMemoryEffects", "Symbol", "CVerifierOnly"]}. */
void tvm_seam_register_irdl(MlirDialectRegistry registry, const char *name,
                            MlirStringRef source, tvm_seam_hooks_lookup lookup);
void tvm_seam_register_all_extensions(MlirDialectRegistry registry);
/* The bytes of a dense_resource attribute; false when it is none. */
bool tvm_seam_resource_data(MlirAttribute attr, const void **out_data,
                            size_t *out_bytes);

/* ---- tools (tools.cpp) ---- */

int tvm_seam_opt_main(int argc, char **argv, const char *name,
                      MlirDialectRegistry registry);
typedef MlirLogicalResult (*tvm_seam_export)(MlirOperation op,
                                             MlirStringCallback write,
                                             void *sink);
/* `path` is the input file's name, or "-". */
typedef MlirOperation (*tvm_seam_import)(MlirContext context, const char *path);
void tvm_seam_register_export(const char *argument, const char *description,
                              tvm_seam_export run,
                              void (*dialects)(MlirDialectRegistry));
void tvm_seam_register_import(const char *argument, const char *description,
                              tvm_seam_import run,
                              void (*dialects)(MlirDialectRegistry));
int tvm_seam_translate_main(int argc, char **argv, const char *name);

#ifdef __cplusplus
}
#endif
#endif
