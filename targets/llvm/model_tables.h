/* model_tables.h - the constant tables of tvm/model.h, as LLVM globals. */
#ifndef TVM_TARGETS_LLVM_MODEL_TABLES_H
#define TVM_TARGETS_LLVM_MODEL_TABLES_H

#include "base/base.h"

#include <llvm-c/Core.h>

typedef struct tvm_llvm_model_tables {
  struct tvm_llvm_launch *launches;
  int32_t num_launches, launch_capacity;
  char **messages;
  int32_t num_messages, message_capacity;
} tvm_llvm_model_tables;

void tvm_llvm_tables_add_launch(tvm_llvm_model_tables *t, MlirStringRef name,
                                int64_t grid, int64_t flops, int64_t bytes);
/* Returns the index of the message. */
int32_t tvm_llvm_tables_add_message(tvm_llvm_model_tables *t,
                                    MlirStringRef message);
/* Define tvm_model. Inputs and outputs come from the type and the tvm.name
 * attributes of `func`, sizes from the attributes of `module`. */
void tvm_llvm_tables_emit(const tvm_llvm_model_tables *t, LLVMModuleRef llvm,
                          MlirOperation module, MlirOperation func,
                          LLVMValueRef main_function, const char *target_name,
                          uint64_t weights_bytes);
void tvm_llvm_tables_finish(tvm_llvm_model_tables *t);

/* Say which level of x86 the code needs, for the runtime to refuse others. */
void tvm_llvm_tables_emit_level(LLVMModuleRef llvm, const char *level);

#endif
