/* verify_numerics.h - numbers before and after each pass and each schedule.
 *
 * Source: design, decision 10. */
#ifndef TVM_TARGETS_LLVM_VERIFY_NUMERICS_H
#define TVM_TARGETS_LLVM_VERIFY_NUMERICS_H

#include "llvm/llvm.h"

/* The numbers of a program as it was imported: its results on random inputs,
 * computed by plain loops. */
typedef struct tvm_llvm_numerics tvm_llvm_numerics;

/* Compile `module`, of graph level, and run it. `options` is copied, what it
 * points to must stay. Null after an error, which is emitted. */
tvm_llvm_numerics *tvm_llvm_numerics_create(MlirModule module,
                                            const tvm_llvm_options *options);
void tvm_llvm_numerics_destroy(tvm_llvm_numerics *numerics);

/* Do the same with `module` as `stage` left it, and compare. Fails: emits the
 * stage and the worst element. */
MlirLogicalResult tvm_llvm_verify_stage(tvm_llvm_numerics *numerics,
                                        MlirModule module, const char *stage);

/* Compile every kernel of `module`, of te level, with plain loops and as
 * `options` says, and compare on random inputs. Fails: emits the kernel and
 * the worst element. */
MlirLogicalResult tvm_llvm_verify_kernels(tvm_llvm_numerics *numerics,
                                          MlirModule module,
                                          const tvm_llvm_options *options);

/* What was verified so far. */
tvm_llvm_verified tvm_llvm_numerics_count(const tvm_llvm_numerics *numerics);

/* --tvm-verify-numerics (verify_pass.c). */
void tvm_llvm_register_verify_pass(void);

#endif
