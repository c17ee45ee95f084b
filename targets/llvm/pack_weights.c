/* pack_weights.c - reorder the constants that a schedule wants in panels.
 *
 * A kernel reads a few columns of all rows at a time. In the order of the
 * model these lie a row apart: every few rows another page. */
#include "llvm/pack_weights.h"

#include <stdlib.h>
#include <string.h>

static const char done[] = "tvm.packed";

typedef struct {
  MlirStringRef kernel;
  uint64_t constants;
  const tvm_llvm_packing *packing;
  MlirOperation *launches;
  size_t count, capacity;
} search;

static bool launches_kernel(MlirOperation op, MlirStringRef name) {
  if (!tvm_op_is(op, "te.launch"))
    return false;
  MlirAttribute kernel = tvm_get_attr(op, "kernel");
  return mlirAttributeIsAFlatSymbolRef(kernel) &&
         mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(kernel), name);
}

static MlirWalkResult collect(MlirOperation op, void *user) {
  search *s = user;
  if (!launches_kernel(op, s->kernel))
    return MlirWalkResultAdvance;
  if (s->count == s->capacity) {
    s->capacity = s->capacity ? 2 * s->capacity : 16;
    s->launches = realloc(s->launches, s->capacity * sizeof *s->launches);
  }
  s->launches[s->count++] = op;
  return MlirWalkResultAdvance;
}

static search find_launches(MlirOperation module, MlirOperation kernel) {
  search s = {.kernel = tvm_get_str(kernel, "sym_name")};
  mlirOperationWalk(module, collect, &s, MlirWalkPreOrder);
  return s;
}

static bool is_constant(MlirValue value) {
  MlirOperation op = tvm_defining_op(value);
  return op.ptr && tvm_op_is(op, "arith.constant");
}

uint64_t tvm_llvm_constant_operands(MlirOperation module,
                                    MlirOperation kernel) {
  search s = find_launches(module, kernel);
  uint64_t constants = s.count ? ~(uint64_t)0 : 0;
  for (size_t i = 0; i < s.count; ++i) {
    intptr_t n = mlirOperationGetNumOperands(s.launches[i]);
    for (intptr_t k = 0; k < 64; ++k)
      if (k >= n || !is_constant(tvm_operand(s.launches[i], k)))
        constants &= ~((uint64_t)1 << k);
  }
  free(s.launches);
  return constants;
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
