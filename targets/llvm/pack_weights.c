/* pack_weights.c - reorder the constants that a schedule wants in panels.
 *
 * A kernel reads a few columns of all rows at a time. In the order of the
 * model these lie a row apart: every few rows another page. */
#include "llvm/pack_weights.h"

#include "llvm/kernel_facts.h"

#include <stdlib.h>
#include <string.h>

static const char done[] = "tvm.packed";

typedef struct {
  MlirOperation *launches;
  size_t count, capacity;
} search;

/* The first operation of @main, or null. */
static MlirOperation first_operation(MlirOperation module) {
  MlirOperation func = tvm_find_function(module, "main");
  if (!func.ptr)
    return func;
  return mlirBlockGetFirstOperation(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0)));
}

static search find_launches(MlirOperation module, MlirOperation kernel) {
  search s = {0};
  MlirAttribute name = mlirFlatSymbolRefAttrGet(
      mlirOperationGetContext(module), tvm_get_str(kernel, "sym_name"));
  MlirOperation op = first_operation(module);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (!tvm_op_is(op, "te.launch") ||
        !mlirAttributeEqual(tvm_get_attr(op, "kernel"), name))
      continue;
    if (s.count == s.capacity) {
      s.capacity = s.capacity ? 2 * s.capacity : 16;
      s.launches = realloc(s.launches, s.capacity * sizeof *s.launches);
    }
    s.launches[s.count++] = op;
  }
  return s;
}

static bool is_constant(MlirValue value) {
  MlirOperation op = tvm_defining_op(value);
  return op.ptr && tvm_op_is(op, "arith.constant");
}

static uint64_t constant_operands(MlirOperation launch) {
  intptr_t n = mlirOperationGetNumOperands(launch);
  uint64_t constants = 0;
  for (intptr_t k = 0; k < n && k < 64; ++k)
    if (is_constant(tvm_operand(launch, k)))
      constants |= (uint64_t)1 << k;
  return constants;
}

void tvm_llvm_mark_constant_operands(MlirOperation module) {
  MlirSymbolTable kernels = mlirSymbolTableCreate(module);
  MlirOperation op = first_operation(module);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (!tvm_op_is(op, "te.launch"))
      continue;
    MlirOperation kernel = mlirSymbolTableLookup(
        kernels, mlirFlatSymbolRefAttrGetValue(tvm_get_attr(op, "kernel")));
    tvm_kernel_restrict_fact(kernel, TVM_CONSTANT_OPERANDS,
                             constant_operands(op));
  }
  mlirSymbolTableDestroy(kernels);
}

static void release(void *user, const void *data, size_t size, size_t align) {
  (void)user, (void)size, (void)align;
  free((void *)(uintptr_t)data);
}

static void *pack(const char *data, const tvm_llvm_packing *p,
                  size_t element_bytes) {
  size_t row = (size_t)p->columns * element_bytes;
  size_t piece = (size_t)p->width * element_bytes;
  size_t rows = (size_t)p->rows;
  char *packed = aligned_alloc(64, (rows * row + 63) / 64 * 64);
  char *to = packed;
  for (size_t panel = 0; panel < row / piece; ++panel)
    for (size_t r = 0; r < rows; ++r, to += piece)
      memcpy(to, data + r * row + panel * piece, piece);
  return packed;
}

/* The packed constant, in front of the launch; null when the contents cannot
 * be read. */
static MlirValue build_packed(MlirOperation launch, const tvm_llvm_packing *p) {
  MlirValue value = tvm_operand(launch, p->operand);
  size_t bytes;
  void *data =
      tvm_copy_elements(tvm_get_attr(tvm_defining_op(value), "value"), &bytes);
  if (!data)
    return (MlirValue){0};
  size_t element_bytes = (size_t)tvm_element_bytes(tvm_element_type(value));
  void *packed = pack(data, p, element_bytes);
  free(data);
  tvm_builder b = tvm_builder_before(launch);
  return tvm_build_resource(&b, mlirValueGetType(value), "packed", packed,
                            bytes, release, NULL);
}

MlirLogicalResult tvm_llvm_pack_operand(MlirOperation module,
                                        MlirOperation kernel,
                                        const tvm_llvm_packing *packing) {
  search s = find_launches(module, kernel);
  MlirLogicalResult ok = mlirLogicalResultSuccess();
  for (size_t i = 0; i < s.count; ++i) {
    MlirValue old = tvm_operand(s.launches[i], packing->operand);
    MlirOperation constant = tvm_defining_op(old);
    if (tvm_get_attr(constant, done).ptr)
      continue; /* replaced together with that of an earlier launch */
    MlirValue packed = build_packed(s.launches[i], packing);
    if (!packed.ptr) {
      ok = tvm_emit_op_error(s.launches[i], "has a constant of unknown form");
      break;
    }
    mlirOperationSetDiscardableAttributeByName(
        tvm_defining_op(packed), mlirStringRefCreateFromCString(done),
        mlirUnitAttrGet(mlirOperationGetContext(module)));
    for (size_t k = i; k < s.count; ++k)
      if (mlirValueEqual(tvm_operand(s.launches[k], packing->operand), old))
        mlirOperationSetOperand(s.launches[k], packing->operand, packed);
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(old)))
      mlirOperationDestroy(constant);
  }
  free(s.launches);
  return ok;
}
