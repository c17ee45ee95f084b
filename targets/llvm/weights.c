/* weights.c - gather constants into one file that the assembler includes, so
 * that no weight passes through text or an IR constant. */
#include "llvm/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

struct tvm_llvm_weight {
  MlirAttribute elements;
  int64_t offset;
};

bool tvm_llvm_weights_add(tvm_llvm_weights *w, MlirAttribute elements,
                          int64_t *out_offset) {
  for (size_t i = 0; i < w->count; ++i)
    if (mlirAttributeEqual(w->items[i].elements, elements)) {
      *out_offset = w->items[i].offset;
      return true;
    }
  MlirType type = mlirAttributeGetType(elements);
  if (!mlirAttributeIsAElements(elements))
    return false;
  if (w->count == w->capacity) {
    w->capacity = w->capacity ? 2 * w->capacity : 64;
    w->items = realloc(w->items, w->capacity * sizeof *w->items);
  }
  *out_offset = (int64_t)w->bytes;
  w->items[w->count++] = (struct tvm_llvm_weight){elements, *out_offset};
  uint64_t bytes =
      (uint64_t)tvm_num_elements(type) *
      (uint64_t)tvm_element_bytes(mlirShapedTypeGetElementType(type));
  w->bytes += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return true;
}

static bool write_one(FILE *f, MlirAttribute elements) {
  static const char zeros[ALIGNMENT];
  size_t bytes;
  void *data = tvm_copy_elements(elements, &bytes);
  if (!data)
    return false;
  size_t tail = (ALIGNMENT - bytes % ALIGNMENT) % ALIGNMENT;
  bool ok =
      fwrite(data, 1, bytes, f) == bytes && fwrite(zeros, 1, tail, f) == tail;
  free(data);
  return ok;
}

bool tvm_llvm_weights_write(const tvm_llvm_weights *w, const char *path) {
  FILE *f = fopen(path, "wb");
  if (!f)
    return false;
  bool ok = true;
  for (size_t i = 0; ok && i < w->count; ++i)
    ok = write_one(f, w->items[i].elements);
  return fclose(f) == 0 && ok;
}

LLVMValueRef tvm_llvm_weights_declare(LLVMModuleRef module) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMValueRef symbol = LLVMAddGlobal(module, LLVMInt8TypeInContext(context),
                                      "tvm_model_weights");
  LLVMSetVisibility(symbol, LLVMHiddenVisibility);
  return symbol;
}

void tvm_llvm_weights_include(const tvm_llvm_weights *w, LLVMModuleRef module,
                              const char *path) {
  size_t size = strlen(path) + 512;
  char *text = malloc(size);
  int n = snprintf(text, size,
                   ".section .rodata.weights,\"a\"\n"
                   ".p2align 12\n"
                   ".globl tvm_model_weights\n"
                   ".hidden tvm_model_weights\n"
                   ".type tvm_model_weights,@object\n"
                   "tvm_model_weights:\n");
  if (w->bytes)
    n += snprintf(text + n, size - (size_t)n, ".incbin \"%s\"\n", path);
  n += snprintf(text + n, size - (size_t)n,
                ".byte 0\n.size tvm_model_weights, .-tvm_model_weights\n"
                ".section .note.GNU-stack,\"\",@progbits\n.text\n");
  LLVMSetModuleInlineAsm2(module, text, (size_t)n);
  free(text);
}

bool tvm_llvm_weights_define(const tvm_llvm_weights *w, LLVMModuleRef module) {
  char *data = calloc(w->bytes + 1, 1);
  bool ok = true;
  for (size_t i = 0; ok && i < w->count; ++i) {
    size_t bytes;
    void *item = tvm_copy_elements(w->items[i].elements, &bytes);
    ok = item != NULL;
    if (ok)
      memcpy(data + w->items[i].offset, item, bytes);
    free(item);
  }
  LLVMValueRef value = LLVMConstStringInContext2(LLVMGetModuleContext(module),
                                                 data, w->bytes + 1, 1);
  LLVMValueRef symbol =
      LLVMAddGlobal(module, LLVMTypeOf(value), "tvm_model_weights_data");
  LLVMSetInitializer(symbol, value);
  LLVMSetGlobalConstant(symbol, 1);
  LLVMSetAlignment(symbol, 4096);
  LLVMSetLinkage(symbol, LLVMInternalLinkage);
  LLVMValueRef declared = LLVMGetNamedGlobal(module, "tvm_model_weights");
  LLVMReplaceAllUsesWith(declared, symbol);
  LLVMDeleteGlobal(declared);
  free(data);
  return ok;
}

void tvm_llvm_weights_finish(tvm_llvm_weights *w) {
  free(w->items);
  *w = (tvm_llvm_weights){0};
}
