/* fill_borders.c - a kernel also writes what surrounds its result.
 *
 * A result that stands inside of a padded tensor has a border of equal
 * elements. The first of the ranges that a launch is divided into writes it;
 * the others write inside of it alone. */
#include "llvm/llvm.h"

#include "mlir-c/BuiltinAttributes.h"

enum { MAX_RANK = 16 };

typedef struct {
  intptr_t rank;
  int64_t shape[MAX_RANK], strides[MAX_RANK], low[MAX_RANK], sizes[MAX_RANK];
} border;

static MlirAttribute field(MlirAttribute dictionary, const char *name) {
  return mlirDictionaryAttrGetElementByName(
      dictionary, mlirStringRefCreateFromCString(name));
}

static void read_field(MlirAttribute dictionary, const char *name,
                       int64_t *out) {
  MlirAttribute a = field(dictionary, name);
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(a); ++i)
    out[i] = mlirDenseI64ArrayGetElement(a, i);
}

static bool read_border(MlirAttribute a, border *out) {
  if (!mlirAttributeIsADictionary(a))
    return false;
  out->rank = mlirDenseArrayGetNumElements(field(a, "shape"));
  if (out->rank > MAX_RANK)
    return false;
  read_field(a, "shape", out->shape);
  read_field(a, "strides", out->strides);
  read_field(a, "low", out->low);
  read_field(a, "sizes", out->sizes);
  return true;
}

static MlirValue index_constant(tvm_builder *b, int64_t value) {
  MlirType type = mlirIndexTypeGet(b->context);
  MlirNamedAttribute attr =
      tvm_attr(b->context, "value", mlirIntegerAttrGet(type, value));
  return tvm_build_value(b, "arith.constant", type, 0, NULL, 1, &attr);
}

/* The padded tensor, from the pointer to its first element. */
static MlirValue build_padded(tvm_builder *b, MlirValue destination,
                              const border *p) {
  int64_t zero = 0;
  int32_t segments[] = {1, 0, 0, 0};
  MlirNamedAttribute attrs[] = {
      tvm_attr(b->context, "operandSegmentSizes",
               mlirDenseI32ArrayGet(b->context, 4, segments)),
      tvm_attr_i64s(b->context, "static_offsets", 1, &zero),
      tvm_attr_i64s(b->context, "static_sizes", p->rank, p->shape),
      tvm_attr_i64s(b->context, "static_strides", p->rank, p->strides)};
  MlirType element =
      mlirShapedTypeGetElementType(mlirValueGetType(destination));
  MlirAttribute layout =
      mlirStridedLayoutAttrGet(b->context, 0, p->rank, p->strides);
  MlirType type = mlirMemRefTypeGet(element, p->rank, p->shape, layout,
                                    mlirAttributeGetNull());
  return tvm_build_value(b, "memref.reinterpret_cast", type, 1, &destination, 4,
                         attrs);
}

static tvm_builder begin_loop(tvm_builder *b, int64_t from, int64_t to,
                              MlirValue *out_index) {
  MlirType index = mlirIndexTypeGet(b->context);
  MlirBlock body = mlirBlockCreate(1, &index, &b->location);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  MlirValue bounds[] = {index_constant(b, from), index_constant(b, to),
                        index_constant(b, 1)};
  tvm_build_op(b, "scf.for", 0, NULL, 3, bounds, 0, NULL, 1, &region);
  *out_index = mlirBlockGetArgument(body, 0);
  return tvm_builder_at_end(body, b->location);
}

static void end_block(tvm_builder *b) {
  tvm_build_op(b, "scf.yield", 0, NULL, 0, NULL, 0, NULL, 0, NULL);
}

/* Store `value` at all of [from, to). */
static void fill_box(tvm_builder *b, MlirValue padded, MlirValue value,
                     intptr_t rank, const int64_t *from, const int64_t *to) {
  MlirValue operands[MAX_RANK + 2] = {value, padded};
  tvm_builder levels[MAX_RANK + 1] = {*b};
  for (intptr_t d = 0; d < rank; ++d)
    if (from[d] >= to[d])
      return;
  for (intptr_t d = 0; d < rank; ++d)
    levels[d + 1] = begin_loop(&levels[d], from[d], to[d], &operands[2 + d]);
  tvm_build_op(&levels[rank], "memref.store", 0, NULL, 2 + rank, operands, 0,
               NULL, 0, NULL);
  for (intptr_t d = rank; d > 0; --d)
    end_block(&levels[d]);
}

/* Along each dimension what lies before and behind the inside, within the
 * inside of the dimensions before it. */
static void fill_border(tvm_builder *b, MlirValue padded, MlirValue value,
                        const border *p) {
  int64_t from[MAX_RANK], to[MAX_RANK];
  for (intptr_t d = 0; d < p->rank; ++d) {
    for (intptr_t i = 0; i < p->rank; ++i) {
      from[i] = i < d ? p->low[i] : 0;
      to[i] = i < d ? p->low[i] + p->sizes[i] : p->shape[i];
    }
    to[d] = p->low[d];
    fill_box(b, padded, value, p->rank, from, to);
    from[d] = p->low[d] + p->sizes[d];
    to[d] = p->shape[d];
    fill_box(b, padded, value, p->rank, from, to);
  }
}

static tvm_builder begin_if_first(tvm_builder *b, MlirValue begin) {
  MlirNamedAttribute predicate =
      tvm_attr(b->context, "predicate",
               mlirIntegerAttrGet(mlirIntegerTypeGet(b->context, 64), 0));
  MlirValue operands[] = {begin, index_constant(b, 0)};
  MlirValue is_first =
      tvm_build_value(b, "arith.cmpi", mlirIntegerTypeGet(b->context, 1), 2,
                      operands, 1, &predicate);
  MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(regions[0], body);
  tvm_build_op(b, "scf.if", 0, NULL, 1, &is_first, 0, NULL, 2, regions);
  return tvm_builder_at_end(body, b->location);
}

void tvm_llvm_fill_borders(MlirOperation func, intptr_t first_destination,
                           MlirAttribute borders) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  if (!borders.ptr)
    return;
  intptr_t n = mlirArrayAttrGetNumElements(borders);
  intptr_t n_args = mlirBlockGetNumArguments(entry);
  MlirValue begin = mlirBlockGetArgument(entry, n_args - 2);
  tvm_builder b = tvm_builder_before(mlirBlockGetFirstOperation(entry));
  for (intptr_t i = 0; i < n; ++i) {
    MlirAttribute a = mlirArrayAttrGetElement(borders, i);
    border p;
    if (!read_border(a, &p))
      continue;
    MlirNamedAttribute scalar = tvm_attr(b.context, "value", field(a, "value"));
    tvm_builder inner = begin_if_first(&b, begin);
    MlirValue value = tvm_build_value(&inner, "arith.constant",
                                      mlirAttributeGetType(scalar.attribute), 0,
                                      NULL, 1, &scalar);
    MlirValue destination = mlirBlockGetArgument(entry, first_destination + i);
    fill_border(&inner, build_padded(&inner, destination, &p), value, &p);
    end_block(&inner);
  }
}
