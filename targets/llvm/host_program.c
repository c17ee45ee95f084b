/* host_program.c - the code of @main: launches in order, checks, copies.
 *
 * The function has the type tvm_main_fn of tvm/model.h. Each value of @main
 * stands at an offset in its root (roots.h), and each root at a place: an entry
 * of `io`, an offset in the arena, or an offset in the weights. */
#include "llvm/host_program.h"

#include "base/value_set.h"
#include "llvm/model_tables.h"
#include "llvm/roots.h"
#include "llvm/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { PLACE_IO, PLACE_ARENA, PLACE_WEIGHTS } place_kind;

typedef struct {
  place_kind kind;
  int64_t offset; /* bytes, or the index in io */
} place;

typedef struct {
  MlirOperation module;
  MlirSymbolTable kernels;
  MlirBlock body;
  LLVMContextRef context;
  LLVMModuleRef llvm;
  LLVMBuilderRef builder;
  LLVMTypeRef ptr, i8, i32, i64, kernel_type, launch_type;
  LLVMValueRef function, host, io, arena, weights, launch, user, buffers;
  place *places;
  size_t count, capacity;
  tvm_value_map place_of; /* root -> 1 + index in places */
  tvm_llvm_weights weight_data;
  tvm_llvm_model_tables tables;
} host_program;

void tvm_llvm_kernel_symbol(MlirStringRef name, char *out, size_t size) {
  snprintf(out, size, "tvm_kernel_%.*s", (int)name.length, name.data);
}

static void put_place(host_program *h, MlirValue root, place_kind kind,
                      int64_t offset) {
  if (h->count == h->capacity) {
    h->capacity = h->capacity ? 2 * h->capacity : 64;
    h->places = realloc(h->places, h->capacity * sizeof *h->places);
  }
  h->places[h->count++] = (place){kind, offset};
  tvm_value_map_put_pointer(&h->place_of, root, (void *)(uintptr_t)h->count);
}

static const place *get_place(const host_program *h, MlirValue v) {
  size_t i = (size_t)(uintptr_t)tvm_value_map_get_pointer(&h->place_of,
                                                          tvm_llvm_root_of(v));
  return i ? &h->places[i - 1] : NULL;
}

static LLVMValueRef const_i64(const host_program *h, int64_t v) {
  return LLVMConstInt(h->i64, (unsigned long long)v, 1);
}

static LLVMValueRef offset_pointer(host_program *h, LLVMValueRef base,
                                   int64_t bytes) {
  LLVMValueRef index = const_i64(h, bytes);
  return LLVMBuildGEP2(h->builder, h->i8, base, &index, 1, "");
}

/* `v` moved by some bytes. */
static LLVMValueRef pointer_at(host_program *h, MlirValue v, int64_t bytes) {
  const place *p = get_place(h, v);
  bytes += tvm_llvm_offset_in_root(v);
  if (p->kind == PLACE_ARENA)
    return offset_pointer(h, h->arena, p->offset + bytes);
  if (p->kind == PLACE_WEIGHTS)
    return offset_pointer(h, h->weights, p->offset + bytes);
  LLVMValueRef index = const_i64(h, p->offset);
  LLVMValueRef slot = LLVMBuildGEP2(h->builder, h->ptr, h->io, &index, 1, "");
  LLVMValueRef base = LLVMBuildLoad2(h->builder, h->ptr, slot, "");
  return bytes ? offset_pointer(h, base, bytes) : base;
}

static LLVMValueRef pointer_to(host_program *h, MlirValue v) {
  return pointer_at(h, v, 0);
}

/* Inputs, then results: those made by a launch are written in place, the rest
 * (inputs, constants, repeated results) are copied at the end. */
static void place_io(host_program *h) {
  intptr_t n_inputs = mlirBlockGetNumArguments(h->body);
  for (intptr_t i = 0; i < n_inputs; ++i)
    put_place(h, mlirBlockGetArgument(h->body, i), PLACE_IO, i);
  MlirOperation ret = mlirBlockGetTerminator(h->body);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(ret); ++i) {
    MlirValue root = tvm_llvm_output_root(mlirOperationGetOperand(ret, i));
    if (root.ptr && !get_place(h, root))
      put_place(h, root, PLACE_IO, n_inputs + i);
  }
}

static void store_buffer(host_program *h, intptr_t slot, LLVMValueRef pointer) {
  LLVMValueRef index = const_i64(h, slot);
  LLVMBuildStore(h->builder, pointer,
                 LLVMBuildGEP2(h->builder, h->ptr, h->buffers, &index, 1, ""));
}

static LLVMValueRef kernel_function(host_program *h, MlirStringRef name) {
  char symbol[256];
  tvm_llvm_kernel_symbol(name, symbol, sizeof symbol);
  LLVMValueRef f = LLVMGetNamedFunction(h->llvm, symbol);
  if (!f) {
    f = LLVMAddFunction(h->llvm, symbol, h->kernel_type);
    LLVMSetVisibility(f, LLVMHiddenVisibility);
  }
  return f;
}

static void place_results(host_program *h, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue v = tvm_result(op, i);
    if (!get_place(h, v))
      put_place(h, tvm_llvm_root_of(v), PLACE_ARENA,
                tvm_get_i64s(op, "tvm.offsets", i) -
                    tvm_llvm_offset_in_root(v));
  }
}

/* A kernel that also fills a border gets the pointer to where that begins. */
static int64_t bytes_before(MlirOperation kernel, intptr_t argument,
                            MlirValue v) {
  MlirAttribute layouts = tvm_get_attr(kernel, "layouts");
  if (!layouts.ptr)
    return 0;
  MlirAttribute layout = mlirArrayAttrGetElement(layouts, argument);
  return mlirAttributeIsAStridedLayout(layout)
             ? mlirStridedLayoutAttrGetOffset(layout) *
                   tvm_element_bytes(tvm_element_type(v))
             : 0;
}

static void emit_launch(host_program *h, MlirOperation op) {
  MlirStringRef name =
      mlirFlatSymbolRefAttrGetValue(tvm_get_attr(op, "kernel"));
  MlirOperation kernel = mlirSymbolTableLookup(h->kernels, name);
  intptr_t slot = 0, n = mlirOperationGetNumOperands(op);
  int64_t bytes = 0;
  place_results(h, op);
  for (; slot < n + mlirOperationGetNumResults(op); ++slot) {
    MlirValue v = slot < n ? tvm_operand(op, slot) : tvm_result(op, slot - n);
    store_buffer(h, slot, pointer_at(h, v, -bytes_before(kernel, slot, v)));
    bytes += tvm_llvm_value_bytes(v);
  }
  if (tvm_get_attr(op, "tvm.workspace_offset").ptr)
    store_buffer(
        h, slot++,
        offset_pointer(h, h->arena, tvm_get_i64(op, "tvm.workspace_offset")));
  int64_t grid = tvm_get_i64(kernel, "tvm.grid");
  LLVMValueRef args[] = {
      h->user,
      LLVMConstInt(h->i32, (unsigned long long)h->tables.num_launches, 0),
      kernel_function(h, name), h->buffers, const_i64(h, grid)};
  LLVMBuildCall2(h->builder, h->launch_type, h->launch, args, 5, "");
  tvm_llvm_tables_add_launch(&h->tables, name, grid,
                             tvm_get_i64(kernel, "tvm.flops"), bytes);
}

/* Any zero byte of the condition ends the program with the message. */
static void emit_assert(host_program *h, MlirOperation op) {
  MlirValue condition = tvm_operand(op, 0);
  int64_t n = tvm_llvm_value_bytes(condition);
  LLVMTypeRef memchr_args[] = {h->ptr, h->i32, h->i64};
  LLVMTypeRef type = LLVMFunctionType(h->ptr, memchr_args, 3, 0);
  LLVMValueRef memchr_fn = LLVMGetNamedFunction(h->llvm, "memchr");
  if (!memchr_fn)
    memchr_fn = LLVMAddFunction(h->llvm, "memchr", type);
  LLVMValueRef args[] = {pointer_to(h, condition), LLVMConstInt(h->i32, 0, 0),
                         const_i64(h, n)};
  LLVMValueRef found = LLVMBuildCall2(h->builder, type, memchr_fn, args, 3, "");
  LLVMValueRef failed = LLVMBuildIsNotNull(h->builder, found, "");
  LLVMBasicBlockRef fail =
      LLVMAppendBasicBlockInContext(h->context, h->function, "");
  LLVMBasicBlockRef next =
      LLVMAppendBasicBlockInContext(h->context, h->function, "");
  LLVMBuildCondBr(h->builder, failed, fail, next);
  LLVMPositionBuilderAtEnd(h->builder, fail);
  int32_t code =
      tvm_llvm_tables_add_message(&h->tables, tvm_get_str(op, "message"));
  LLVMBuildRet(h->builder,
               LLVMConstInt(h->i32, (unsigned long long)code + 1, 0));
  LLVMPositionBuilderAtEnd(h->builder, next);
}

/* Results that no launch wrote into their own buffer. */
static void emit_return(host_program *h, MlirOperation op) {
  intptr_t n_inputs = mlirBlockGetNumArguments(h->body);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue v = mlirOperationGetOperand(op, i);
    const place *p = get_place(h, v);
    MlirValue root = tvm_llvm_output_root(v);
    if (root.ptr && p->kind == PLACE_IO && p->offset == n_inputs + i)
      continue;
    LLVMValueRef source = pointer_to(h, v);
    LLVMValueRef index = const_i64(h, n_inputs + i);
    LLVMValueRef slot = LLVMBuildGEP2(h->builder, h->ptr, h->io, &index, 1, "");
    LLVMBuildMemCpy(h->builder, LLVMBuildLoad2(h->builder, h->ptr, slot, ""), 1,
                    source, 1, const_i64(h, tvm_llvm_value_bytes(v)));
  }
  LLVMBuildRet(h->builder, LLVMConstInt(h->i32, 0, 0));
}

static MlirLogicalResult place_constant(host_program *h, MlirOperation op) {
  int64_t offset;
  MlirAttribute value = mlirOperationGetAttributeByName(
      op, mlirStringRefCreateFromCString("value"));
  if (!tvm_llvm_weights_add(&h->weight_data, value, &offset)) {
    tvm_emit_error(mlirOperationGetLocation(op),
                   "constant has no contents that could be stored");
    return mlirLogicalResultFailure();
  }
  put_place(h, tvm_result(op, 0), PLACE_WEIGHTS, offset);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult emit_op(host_program *h, MlirOperation op) {
  if (tvm_op_is(op, "arith.constant"))
    return place_constant(h, op);
  if (tvm_op_is(op, "te.launch")) {
    emit_launch(h, op);
  } else if (tvm_op_is(op, "graph.assert")) {
    emit_assert(h, op);
  } else if (tvm_op_is(op, "func.return")) {
    emit_return(h, op);
  } else if (!tvm_graph_is_view(op) && !tvm_graph_has_parts(op)) {
    tvm_emit_error(mlirOperationGetLocation(op),
                   "'%s' has no place in the host program",
                   mlirIdentifierStr(mlirOperationGetName(op)).data);
    return mlirLogicalResultFailure();
  }
  return mlirLogicalResultSuccess();
}

static intptr_t most_buffers(MlirBlock body) {
  intptr_t most = 1;
  MlirOperation op = mlirBlockGetFirstOperation(body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    intptr_t n =
        mlirOperationGetNumOperands(op) + mlirOperationGetNumResults(op) + 1;
    most = n > most ? n : most;
  }
  return most;
}

static LLVMValueRef load_host_field(host_program *h, int64_t bytes) {
  return LLVMBuildLoad2(h->builder, h->ptr, offset_pointer(h, h->host, bytes),
                        "");
}

static void begin_function(host_program *h) {
  LLVMTypeRef params[] = {h->ptr, h->ptr, h->ptr};
  LLVMTypeRef type = LLVMFunctionType(h->i32, params, 3, 0);
  h->function = LLVMAddFunction(h->llvm, "tvm_model_main", type);
  LLVMSetVisibility(h->function, LLVMHiddenVisibility);
  h->host = LLVMGetParam(h->function, 0);
  h->io = LLVMGetParam(h->function, 1);
  h->arena = LLVMGetParam(h->function, 2);
  LLVMPositionBuilderAtEnd(h->builder, LLVMAppendBasicBlockInContext(
                                           h->context, h->function, "entry"));
  h->user = load_host_field(h, 0);
  h->launch = load_host_field(h, 8);
  h->buffers = LLVMBuildArrayAlloca(
      h->builder, h->ptr, const_i64(h, most_buffers(h->body)), "buffers");
}

static void create_types(host_program *h) {
  h->ptr = LLVMPointerTypeInContext(h->context, 0);
  h->i8 = LLVMInt8TypeInContext(h->context);
  h->i32 = LLVMInt32TypeInContext(h->context);
  h->i64 = LLVMInt64TypeInContext(h->context);
  LLVMTypeRef none = LLVMVoidTypeInContext(h->context);
  LLVMTypeRef kernel[] = {h->ptr, h->i64, h->i64};
  LLVMTypeRef launch[] = {h->ptr, h->i32, h->ptr, h->ptr, h->i64};
  h->kernel_type = LLVMFunctionType(none, kernel, 3, 0);
  h->launch_type = LLVMFunctionType(none, launch, 5, 0);
}

static MlirLogicalResult emit_body(host_program *h) {
  MlirOperation op = mlirBlockGetFirstOperation(h->body);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op))
    if (mlirLogicalResultIsFailure(emit_op(h, op)))
      return mlirLogicalResultFailure();
  return mlirLogicalResultSuccess();
}

static bool define_weights(host_program *h, const char *path,
                           bool self_contained) {
  if (self_contained)
    return tvm_llvm_weights_define(&h->weight_data, h->llvm);
  if (!tvm_llvm_weights_write(&h->weight_data, path))
    return false;
  tvm_llvm_weights_include(&h->weight_data, h->llvm, path);
  return true;
}

LLVMModuleRef tvm_llvm_build_host_program(MlirOperation module,
                                          LLVMContextRef context,
                                          const char *target_name,
                                          const char *weights_path,
                                          bool self_contained) {
  host_program h = {.module = module, .context = context};
  h.kernels = mlirSymbolTableCreate(module);
  MlirOperation func = tvm_find_function(module, "main");
  h.body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  h.llvm = LLVMModuleCreateWithNameInContext("host", context);
  h.builder = LLVMCreateBuilderInContext(context);
  create_types(&h);
  h.weights = tvm_llvm_weights_declare(h.llvm);
  begin_function(&h);
  place_io(&h);
  MlirLogicalResult ok = emit_body(&h);
  if (mlirLogicalResultIsSuccess(ok) &&
      !define_weights(&h, weights_path, self_contained))
    ok = tvm_emit_error(mlirOperationGetLocation(func),
                        "cannot write the weights to '%s'", weights_path);
  if (mlirLogicalResultIsSuccess(ok)) {
    tvm_llvm_tables_emit(&h.tables, h.llvm, module, func, h.function,
                         target_name, h.weight_data.bytes);
  }
  tvm_llvm_weights_finish(&h.weight_data);
  tvm_llvm_tables_finish(&h.tables);
  tvm_value_map_finish(&h.place_of);
  free(h.places);
  mlirSymbolTableDestroy(h.kernels);
  LLVMDisposeBuilder(h.builder);
  if (mlirLogicalResultIsSuccess(ok))
    return h.llvm;
  LLVMDisposeModule(h.llvm);
  return NULL;
}
