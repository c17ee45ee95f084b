/* address.c - addresses of loads and stores through any chain of views. */
#include "llvm/address.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"

bool tvm_is_memref_view(MlirOperation op) {
  return tvm_op_is(op, "memref.subview") || tvm_op_is(op, "memref.cast") ||
         tvm_op_is(op, "memref.expand_shape") ||
         tvm_op_is(op, "memref.collapse_shape") ||
         tvm_op_is(op, "memref.reinterpret_cast");
}

bool tvm_is_memory_read(MlirOperation op) {
  return tvm_op_is(op, "memref.load") || tvm_op_is(op, "vector.load") ||
         tvm_op_is(op, "vector.transfer_read");
}

bool tvm_is_memory_write(MlirOperation op) {
  return tvm_op_is(op, "memref.store") || tvm_op_is(op, "vector.store") ||
         tvm_op_is(op, "vector.transfer_write");
}

static bool add_term(tvm_linear_form *f, MlirValue variable, int64_t factor) {
  intptr_t i = 0;
  while (i < f->n && !mlirValueEqual(f->variables[i], variable))
    ++i;
  if (i == TVM_MAX_TERMS)
    return false;
  if (i == f->n) {
    f->variables[f->n] = variable;
    f->factors[f->n++] = 0;
  }
  return !__builtin_add_overflow(f->factors[i], factor, &f->factors[i]);
}

static bool add_constant(tvm_linear_form *f, int64_t value, int64_t factor) {
  int64_t product;
  return !__builtin_mul_overflow(value, factor, &product) &&
         !__builtin_add_overflow(f->constant, product, &f->constant);
}

static bool add_value(tvm_linear_form *f, MlirValue v, int64_t factor,
                      int depth);

/* factor * expr, whose dimensions and symbols are the operands of `apply`. */
static bool add_expr(tvm_linear_form *f, MlirAffineExpr expr,
                     MlirOperation apply, intptr_t n_dims, int64_t factor,
                     int depth) {
  if (mlirAffineExprIsAConstant(expr))
    return add_constant(f, mlirAffineConstantExprGetValue(expr), factor);
  if (mlirAffineExprIsADim(expr))
    return add_value(f, tvm_operand(apply, mlirAffineDimExprGetPosition(expr)),
                     factor, depth + 1);
  if (mlirAffineExprIsASymbol(expr))
    return add_value(
        f, tvm_operand(apply, n_dims + mlirAffineSymbolExprGetPosition(expr)),
        factor, depth + 1);
  if (!mlirAffineExprIsAAdd(expr) && !mlirAffineExprIsAMul(expr))
    return false;
  MlirAffineExpr l = mlirAffineBinaryOpExprGetLHS(expr);
  MlirAffineExpr r = mlirAffineBinaryOpExprGetRHS(expr);
  if (mlirAffineExprIsAAdd(expr))
    return add_expr(f, l, apply, n_dims, factor, depth) &&
           add_expr(f, r, apply, n_dims, factor, depth);
  int64_t scaled;
  return mlirAffineExprIsAConstant(r) &&
         !__builtin_mul_overflow(factor, mlirAffineConstantExprGetValue(r),
                                 &scaled) &&
         add_expr(f, l, apply, n_dims, scaled, depth);
}

/* What is no sum of others is a variable of its own. */
static bool add_value(tvm_linear_form *f, MlirValue v, int64_t factor,
                      int depth) {
  MlirOperation op = tvm_defining_op(v);
  if (op.ptr && tvm_op_is(op, "arith.constant"))
    return add_constant(
        f, mlirIntegerAttrGetValueInt(tvm_get_attr(op, "value")), factor);
  if (op.ptr && tvm_op_is(op, "affine.apply") && depth < 16) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(tvm_get_attr(op, "map"));
    tvm_linear_form before = *f;
    if (add_expr(f, mlirAffineMapGetResult(map, 0), op,
                 mlirAffineMapGetNumDims(map), factor, depth))
      return true;
    *f = before;
  }
  return add_term(f, v, factor);
}

static bool get_strides(MlirValue memref, int64_t *strides) {
  int64_t offset;
  MlirType type = mlirValueGetType(memref);
  if (mlirShapedTypeGetRank(type) > TVM_MAX_TERMS ||
      mlirLogicalResultIsFailure(
          mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return false;
  int64_t dynamic = mlirShapedTypeGetDynamicStrideOrOffset();
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    if (strides[i] == dynamic)
      return false;
  return true;
}

/* Entry i of static numbers, the dynamic ones among them being operands that
 * begin at *operand, times a factor. */
static bool add_mixed(tvm_linear_form *f, MlirOperation op, const char *name,
                      intptr_t i, intptr_t *operand, int64_t factor) {
  int64_t value = tvm_get_i64s(op, name, i);
  if (value != mlirShapedTypeGetDynamicStrideOrOffset())
    return add_constant(f, value, factor);
  return add_value(f, tvm_operand(op, (*operand)++), factor, 0);
}

/* The offset of a memref in the buffer that stands behind it. */
static bool add_offset(MlirValue memref, MlirValue *out_buffer,
                       tvm_linear_form *f) {
  int64_t strides[TVM_MAX_TERMS];
  intptr_t operand = 1;
  MlirOperation op = tvm_defining_op(memref);
  if (!op.ptr || !tvm_is_memref_view(op)) {
    int64_t offset = 0;
    *out_buffer = memref;
    return mlirLogicalResultIsSuccess(mlirMemRefTypeGetStridesAndOffset(
               mlirValueGetType(memref), strides, &offset)) &&
           offset == 0;
  }
  MlirValue source = tvm_operand(op, 0);
  if (!add_offset(source, out_buffer, f))
    return false;
  if (tvm_op_is(op, "memref.reinterpret_cast")) {
    *f = (tvm_linear_form){0}; /* counts from the buffer's begin */
    return add_mixed(f, op, "static_offsets", 0, &operand, 1);
  }
  if (!tvm_op_is(op, "memref.subview"))
    return true;
  bool ok = get_strides(source, strides);
  for (intptr_t i = 0; ok && i < tvm_get_i64s_size(op, "static_offsets"); ++i)
    ok = add_mixed(f, op, "static_offsets", i, &operand, strides[i]);
  return ok;
}

/* Vector dimension d steps through memref dimension result_of(d). */
static bool describe_vector(MlirOperation access, MlirType vector,
                            const int64_t *strides, intptr_t memref_rank,
                            tvm_address *out) {
  out->rank = mlirTypeIsAVector(vector) ? mlirShapedTypeGetRank(vector) : 0;
  if (out->rank > TVM_MAX_VECTOR_RANK || out->rank > memref_rank)
    return false;
  MlirAttribute attr = tvm_get_attr(access, "permutation_map");
  for (intptr_t d = 0; d < out->rank; ++d) {
    intptr_t at = memref_rank - out->rank + d;
    if (attr.ptr) {
      MlirAffineExpr e =
          mlirAffineMapGetResult(mlirAffineMapAttrGetValue(attr), d);
      if (!mlirAffineExprIsADim(e))
        return false; /* a broadcast */
      at = mlirAffineDimExprGetPosition(e);
    }
    out->sizes[d] = mlirShapedTypeGetDimSize(vector, d);
    out->strides[d] = strides[at];
  }
  return true;
}

static bool is_in_bounds(MlirOperation op) {
  MlirAttribute list = tvm_get_attr(op, "in_bounds");
  if (!list.ptr)
    return true; /* loads and stores are by definition */
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(list); ++i)
    if (!mlirBoolAttrGetValue(mlirArrayAttrGetElement(list, i)))
      return false;
  return true;
}

bool tvm_address_of(MlirOperation access, tvm_address *out) {
  bool write = tvm_is_memory_write(access);
  MlirValue memref = tvm_operand(access, write);
  MlirType type = mlirValueGetType(memref);
  int64_t strides[TVM_MAX_TERMS];
  *out = (tvm_address){.rank = 0};
  if (!mlirTypeIsAMemRef(type) || !is_in_bounds(access) ||
      !get_strides(memref, strides) ||
      !add_offset(memref, &out->buffer, &out->first))
    return false;
  intptr_t rank = mlirShapedTypeGetRank(type);
  bool padded = tvm_op_is(access, "vector.transfer_read");
  if (mlirOperationGetNumOperands(access) != 1 + write + rank + padded)
    return false; /* masked */
  for (intptr_t i = 0; i < rank; ++i)
    if (!add_value(&out->first, tvm_operand(access, 1 + write + i), strides[i],
                   0))
      return false;
  MlirType value =
      mlirValueGetType(write ? tvm_operand(access, 0) : tvm_result(access, 0));
  return describe_vector(access, value, strides, rank, out);
}

static int64_t factor_of(const tvm_linear_form *f, MlirValue variable) {
  for (intptr_t i = 0; i < f->n; ++i)
    if (mlirValueEqual(f->variables[i], variable))
      return f->factors[i];
  return 0;
}

static bool covers(const tvm_linear_form *a, const tvm_linear_form *b) {
  for (intptr_t i = 0; i < b->n; ++i)
    if (factor_of(a, b->variables[i]) != b->factors[i])
      return false;
  return true;
}

bool tvm_address_equal(const tvm_address *a, const tvm_address *b) {
  if (a->rank != b->rank || a->first.constant != b->first.constant ||
      !covers(&a->first, &b->first) || !covers(&b->first, &a->first))
    return false;
  for (intptr_t d = 0; d < a->rank; ++d)
    if (a->sizes[d] != b->sizes[d] || a->strides[d] != b->strides[d])
      return false;
  return true;
}
