/* combine.c - the binary operations of reductions and their accumulators. */
#include "graph_to_te/lowering.h"

#include <math.h>

static bool is_bool(MlirType element) {
  return !tvm_is_float(element) && mlirIntegerTypeGetWidth(element) == 1;
}

MlirValue tvm_combine(tvm_builder *b, tvm_combiner kind, MlirType element,
                      MlirValue x, MlirValue y) {
  static const char *const names[][4] = {
      [TVM_COMBINE_SUM] = {"arith.addf", "arith.addi", "arith.addi",
                           "arith.ori"},
      [TVM_COMBINE_PROD] = {"arith.mulf", "arith.muli", "arith.muli",
                            "arith.andi"},
      [TVM_COMBINE_MAX] = {"arith.maximumf", "arith.maxsi", "arith.maxui",
                           "arith.ori"},
      [TVM_COMBINE_MIN] = {"arith.minimumf", "arith.minsi", "arith.minui",
                           "arith.andi"},
  };
  if (tvm_is_float(element) && kind <= TVM_COMBINE_PROD)
    return tvm_fast_binary(b, names[kind][0], "reassoc,contract", x, y);
  int column = tvm_is_float(element)      ? 0
               : is_bool(element)         ? 3
               : tvm_is_unsigned(element) ? 2
                                          : 1;
  return tvm_binary(b, names[kind][column], x, y);
}

static int64_t least(MlirType element) {
  unsigned width = mlirIntegerTypeGetWidth(element);
  if (tvm_is_unsigned(element))
    return 0;
  return width == 64 ? INT64_MIN : -(1ll << (width - 1));
}

static int64_t greatest(MlirType element) {
  return tvm_is_unsigned(element) ? -1 : ~least(element);
}

MlirValue tvm_combiner_identity(tvm_builder *b, tvm_combiner kind,
                                MlirType element) {
  MlirType type = tvm_compute_type(element);
  if (kind <= TVM_COMBINE_PROD)
    return tvm_number(b, type, kind == TVM_COMBINE_PROD);
  bool max = kind == TVM_COMBINE_MAX;
  if (tvm_is_float(element))
    return tvm_float_constant(b, type, max ? -INFINITY : INFINITY);
  return tvm_int_constant(b, type, max ? least(element) : greatest(element));
}

MlirValue tvm_is_above(tvm_builder *b, MlirType element, MlirValue x,
                       MlirValue y) {
  if (!tvm_is_float(element))
    return tvm_compare_int(b, tvm_is_unsigned(element) ? "ugt" : "sgt", x, y);
  MlirValue more = tvm_compare_float(b, "ogt", x, y);
  MlirValue nan = tvm_binary(b, "arith.andi", tvm_compare_float(b, "uno", x, x),
                             tvm_compare_float(b, "ord", y, y));
  return tvm_binary(b, "arith.ori", more, nan);
}

MlirValue tvm_begin_accumulate(tvm_lowering *l, MlirValue scalar, intptr_t rank,
                               const int64_t *shape) {
  MlirType element = mlirValueGetType(scalar);
  MlirType type = tvm_tensor_type(rank, shape, element);
  bool direct = l->destinations[0].ptr &&
                mlirTypeEqual(tvm_element_type(l->destinations[0]), element);
  MlirValue into = direct ? tvm_reshape(&l->b, l->destinations[0], type)
                          : tvm_empty(&l->b, type);
  return tvm_fill(&l->b, scalar, into);
}

void tvm_end_accumulate(tvm_lowering *l, MlirValue accumulated) {
  MlirType type = tvm_result_type(l, 0);
  MlirType element = mlirShapedTypeGetElementType(type);
  intptr_t rank = tvm_type_rank(type);
  int64_t shape[TVM_LOWER_MAX_RANK];
  tvm_shape_of(type, shape);
  MlirType wide = tvm_tensor_type(rank, shape, tvm_element_type(accumulated));
  MlirValue x = tvm_reshape(&l->b, accumulated, wide);
  l->results[0] = x;
  if (mlirTypeEqual(wide, type))
    return;
  MlirAffineMap maps[] = {tvm_identity_map(l->b.context, rank),
                          tvm_identity_map(l->b.context, rank)};
  MlirValue out = tvm_destination(l, 0);
  tvm_generic g = tvm_begin_generic(&l->b, 1, &x, 1, &out, maps, rank, 0);
  MlirValue y = tvm_narrow(&g.b, tvm_generic_argument(&g, 0), element);
  l->results[0] = tvm_end_generic(&g, 1, &y);
}
