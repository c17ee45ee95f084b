/* model_tables.c - what the runtime and `inspect` read of a model. The layout
 * of every struct here is the one of tvm/model.h. */
#include "llvm/model_tables.h"

#include "tvm/model.h"

#include <stdlib.h>
#include <string.h>

struct tvm_llvm_launch {
  char *name;
  int64_t grid, flops, bytes;
};

typedef struct {
  LLVMModuleRef module;
  LLVMContextRef context;
  LLVMTypeRef ptr, i8, i16, i32, i64, tensor, launch;
} table_types;

static char *copy_string(MlirStringRef s) {
  char *copy = malloc(s.length + 1);
  memcpy(copy, s.data, s.length);
  copy[s.length] = 0;
  return copy;
}

void tvm_llvm_tables_add_launch(tvm_llvm_model_tables *t, MlirStringRef name,
                                int64_t grid, int64_t flops, int64_t bytes) {
  if (t->num_launches == t->launch_capacity) {
    t->launch_capacity = t->launch_capacity ? 2 * t->launch_capacity : 64;
    t->launches =
        realloc(t->launches, (size_t)t->launch_capacity * sizeof *t->launches);
  }
  t->launches[t->num_launches++] =
      (struct tvm_llvm_launch){copy_string(name), grid, flops, bytes};
}

int32_t tvm_llvm_tables_add_message(tvm_llvm_model_tables *t,
                                    MlirStringRef message) {
  if (t->num_messages == t->message_capacity) {
    t->message_capacity = t->message_capacity ? 2 * t->message_capacity : 8;
    t->messages =
        realloc(t->messages, (size_t)t->message_capacity * sizeof *t->messages);
  }
  t->messages[t->num_messages] = copy_string(message);
  return t->num_messages++;
}

void tvm_llvm_tables_finish(tvm_llvm_model_tables *t) {
  for (int32_t i = 0; i < t->num_launches; ++i)
    free(t->launches[i].name);
  for (int32_t i = 0; i < t->num_messages; ++i)
    free(t->messages[i]);
  free(t->launches);
  free(t->messages);
  *t = (tvm_llvm_model_tables){0};
}

static void create_types(table_types *y, LLVMModuleRef module) {
  y->module = module;
  y->context = LLVMGetModuleContext(module);
  y->ptr = LLVMPointerTypeInContext(y->context, 0);
  y->i8 = LLVMInt8TypeInContext(y->context);
  y->i16 = LLVMInt16TypeInContext(y->context);
  y->i32 = LLVMInt32TypeInContext(y->context);
  y->i64 = LLVMInt64TypeInContext(y->context);
  LLVMTypeRef element[] = {y->i8, y->i8, y->i16};
  LLVMTypeRef tensor[] = {y->ptr,
                          LLVMStructTypeInContext(y->context, element, 3, 0),
                          y->i32, y->ptr, y->i64};
  LLVMTypeRef launch[] = {y->ptr, y->i64, y->i64, y->i64};
  y->tensor = LLVMStructTypeInContext(y->context, tensor, 5, 0);
  y->launch = LLVMStructTypeInContext(y->context, launch, 4, 0);
}

static LLVMValueRef constant_global(const table_types *y, LLVMValueRef value) {
  LLVMValueRef g = LLVMAddGlobal(y->module, LLVMTypeOf(value), "");
  LLVMSetInitializer(g, value);
  LLVMSetGlobalConstant(g, 1);
  LLVMSetLinkage(g, LLVMPrivateLinkage);
  return g;
}

static LLVMValueRef string_global(const table_types *y, const char *text,
                                  size_t length) {
  return constant_global(
      y, LLVMConstStringInContext2(y->context, text, length, 0));
}

static LLVMValueRef number(LLVMTypeRef type, int64_t v) {
  return LLVMConstInt(type, (unsigned long long)v, 1);
}

static LLVMValueRef array_global(const table_types *y, LLVMTypeRef type,
                                 LLVMValueRef *values, size_t n) {
  return constant_global(y, LLVMConstArray2(type, values, n));
}

/* DLPack's code for an element type. */
static int64_t type_code(MlirType t) {
  if (mlirTypeIsAInteger(t)) {
    if (mlirIntegerTypeGetWidth(t) == 1)
      return 6;
    return mlirIntegerTypeIsUnsigned(t) ? 1 : 0;
  }
  return mlirTypeIsABF16(t) ? 4 : 2;
}

static LLVMValueRef tensor_entry(const table_types *y, MlirType type,
                                 MlirStringRef name) {
  MlirType element = mlirShapedTypeGetElementType(type);
  intptr_t rank = mlirShapedTypeGetRank(type);
  LLVMValueRef *shape = malloc((size_t)(rank + 1) * sizeof *shape);
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = number(y->i64, mlirShapedTypeGetDimSize(type, i));
  shape[rank] = number(y->i64, 0);
  int64_t bytes = tvm_element_bytes(element);
  LLVMValueRef code[] = {number(y->i8, type_code(element)),
                         number(y->i8, 8 * bytes), number(y->i16, 1)};
  LLVMValueRef fields[] = {string_global(y, name.data, name.length),
                           LLVMConstStructInContext(y->context, code, 3, 0),
                           number(y->i32, rank),
                           array_global(y, y->i64, shape, (size_t)rank + 1),
                           number(y->i64, bytes * tvm_num_elements(type))};
  free(shape);
  return LLVMConstStructInContext(y->context, fields, 5, 0);
}

/* tvm.name of argument or result i, from arg_attrs or res_attrs. */
static MlirStringRef io_name(MlirOperation func, const char *list, intptr_t i) {
  MlirAttribute all = mlirOperationGetAttributeByName(
      func, mlirStringRefCreateFromCString(list));
  if (!all.ptr || !mlirAttributeIsAArray(all) ||
      i >= mlirArrayAttrGetNumElements(all))
    return mlirStringRefCreateFromCString("");
  MlirAttribute name = mlirDictionaryAttrGetElementByName(
      mlirArrayAttrGetElement(all, i),
      mlirStringRefCreateFromCString("tvm.name"));
  if (!name.ptr || !mlirAttributeIsAString(name))
    return mlirStringRefCreateFromCString("");
  return mlirStringAttrGetValue(name);
}

static LLVMValueRef io_table(const table_types *y, MlirOperation func,
                             bool outputs, intptr_t *out_count) {
  MlirType type = mlirTypeAttrGetValue(mlirOperationGetAttributeByName(
      func, mlirStringRefCreateFromCString("function_type")));
  intptr_t n = outputs ? mlirFunctionTypeGetNumResults(type)
                       : mlirFunctionTypeGetNumInputs(type);
  LLVMValueRef *entries = malloc((size_t)(n + 1) * sizeof *entries);
  for (intptr_t i = 0; i < n; ++i)
    entries[i] =
        tensor_entry(y,
                     outputs ? mlirFunctionTypeGetResult(type, i)
                             : mlirFunctionTypeGetInput(type, i),
                     io_name(func, outputs ? "res_attrs" : "arg_attrs", i));
  LLVMValueRef table = array_global(y, y->tensor, entries, (size_t)n);
  free(entries);
  *out_count = n;
  return table;
}

static LLVMValueRef launch_table(const table_types *y,
                                 const tvm_llvm_model_tables *t) {
  size_t n = (size_t)t->num_launches;
  LLVMValueRef *entries = malloc((n + 1) * sizeof *entries);
  for (size_t i = 0; i < n; ++i) {
    const struct tvm_llvm_launch *l = &t->launches[i];
    LLVMValueRef fields[] = {string_global(y, l->name, strlen(l->name)),
                             number(y->i64, l->grid), number(y->i64, l->flops),
                             number(y->i64, l->bytes)};
    entries[i] = LLVMConstStructInContext(y->context, fields, 4, 0);
  }
  LLVMValueRef table = array_global(y, y->launch, entries, n);
  free(entries);
  return table;
}

static LLVMValueRef message_table(const table_types *y,
                                  const tvm_llvm_model_tables *t) {
  size_t n = (size_t)t->num_messages;
  LLVMValueRef *entries = malloc((n + 1) * sizeof *entries);
  for (size_t i = 0; i < n; ++i)
    entries[i] = string_global(y, t->messages[i], strlen(t->messages[i]));
  LLVMValueRef table = array_global(y, y->ptr, entries, n);
  free(entries);
  return table;
}

void tvm_llvm_tables_emit(const tvm_llvm_model_tables *t, LLVMModuleRef llvm,
                          MlirOperation module, MlirOperation func,
                          LLVMValueRef main_function, const char *target_name,
                          uint64_t weights_bytes) {
  static const char producer[] = "tvmc " TVM_VERSION;
  table_types y;
  create_types(&y, llvm);
  intptr_t n_inputs, n_outputs;
  LLVMValueRef inputs = io_table(&y, func, false, &n_inputs);
  LLVMValueRef outputs = io_table(&y, func, true, &n_outputs);
  LLVMValueRef fields[] = {
      number(y.i32, TVM_MODEL_MAGIC),
      number(y.i32, TVM_MODEL_ABI),
      string_global(&y, producer, sizeof producer - 1),
      string_global(&y, target_name, strlen(target_name)),
      number(y.i32, n_inputs),
      number(y.i32, n_outputs),
      number(y.i32, t->num_launches),
      number(y.i32, t->num_messages),
      inputs,
      outputs,
      launch_table(&y, t),
      message_table(&y, t),
      number(y.i64, tvm_get_i64(module, "tvm.arena_bytes")),
      number(y.i64, 64),
      number(y.i64, tvm_get_i64(module, "tvm.max_live_bytes")),
      number(y.i64, (int64_t)weights_bytes),
      main_function};
  LLVMValueRef value = LLVMConstStructInContext(
      y.context, fields, sizeof fields / sizeof *fields, 0);
  LLVMValueRef model = LLVMAddGlobal(llvm, LLVMTypeOf(value), TVM_MODEL_SYMBOL);
  LLVMSetInitializer(model, value);
  LLVMSetGlobalConstant(model, 1);
}

void tvm_llvm_tables_emit_level(LLVMModuleRef llvm, const char *level) {
  LLVMValueRef text = LLVMConstStringInContext2(LLVMGetModuleContext(llvm),
                                                level, strlen(level), 0);
  LLVMValueRef g = LLVMAddGlobal(llvm, LLVMTypeOf(text), TVM_LEVEL_SYMBOL);
  LLVMSetInitializer(g, text);
  LLVMSetGlobalConstant(g, 1);
}
