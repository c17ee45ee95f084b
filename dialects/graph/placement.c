/* placement.c - resolve the attribute `placement` to offsets and strides. */
#include "graph/placement.h"

#include <string.h>

static bool placement_is(MlirOperation op, const char *kind) {
  if (!op.ptr || !tvm_op_in_dialect(op, "graph"))
    return false;
  MlirAttribute a = tvm_get_attr(op, "placement");
  return a.ptr && mlirAttributeIsAString(a) &&
         mlirStringRefEqual(mlirStringAttrGetValue(a),
                            mlirStringRefCreateFromCString(kind));
}

bool tvm_graph_has_parts(MlirOperation op) { return placement_is(op, "parts"); }

bool tvm_graph_is_view(MlirOperation op) {
  return op.ptr && !tvm_graph_has_parts(op) &&
         (tvm_op_is(op, "graph.reshape") || placement_is(op, "view"));
}

static int64_t type_dim(MlirType type, intptr_t i) {
  return mlirShapedTypeGetDimSize(type, i);
}

static bool place_dense(MlirValue v, tvm_graph_placement *out) {
  MlirType type = mlirValueGetType(v);
  *out = (tvm_graph_placement){.root = v, .rank = mlirShapedTypeGetRank(type)};
  if (out->rank > TVM_GRAPH_MAX_PLACED_RANK)
    return false;
  int64_t stride = 1;
  for (intptr_t i = out->rank; i-- > 0; stride *= type_dim(type, i))
    out->strides[i] = stride;
  return true;
}

bool tvm_graph_is_dense(const tvm_graph_placement *p, MlirType tensor) {
  int64_t stride = 1;
  for (intptr_t i = p->rank; i-- > 0; stride *= type_dim(tensor, i))
    if (type_dim(tensor, i) != 1 && p->strides[i] != stride)
      return false;
  return true;
}

/* Both shapes are cut into the shortest runs of dimensions with equal
 * products; a run keeps its strides when it is contiguous in the old shape. */
bool tvm_graph_reshape_strides(const tvm_graph_placement *from,
                               MlirType from_type, MlirType to,
                               tvm_graph_placement *out) {
  tvm_graph_placement p = {.root = from->root,
                           .offset = from->offset,
                           .rank = mlirShapedTypeGetRank(to)};
  if (p.rank > TVM_GRAPH_MAX_PLACED_RANK)
    return false;
  intptr_t i = 0, k = 0;
  while (i < from->rank || k < p.rank) {
    intptr_t i0 = i, k0 = k;
    int64_t a = i < from->rank ? type_dim(from_type, i++) : 1;
    int64_t b = k < p.rank ? type_dim(to, k++) : 1;
    while (a != b) {
      if (a < b ? i == from->rank : k == p.rank)
        return false;
      if (a < b)
        a *= type_dim(from_type, i++);
      else
        b *= type_dim(to, k++);
    }
    int64_t stride = 1, reached = 0; /* of the innermost that is no unit */
    for (intptr_t d = i; d-- > i0;) {
      if (type_dim(from_type, d) == 1)
        continue;
      if (reached && from->strides[d] != reached)
        return false;
      if (!reached)
        stride = from->strides[d];
      reached = from->strides[d] * type_dim(from_type, d);
    }
    for (intptr_t d = k; d-- > k0; stride *= type_dim(to, d))
      p.strides[d] = stride;
  }
  *out = p;
  return true;
}

static bool place_view(MlirOperation op, tvm_graph_placement *out) {
  MlirValue x = tvm_operand(op, 0);
  tvm_graph_placement p;
  if (!tvm_graph_place(x, &p))
    return false;
  if (tvm_op_is(op, "graph.reshape"))
    return tvm_graph_reshape_strides(&p, mlirValueGetType(x),
                                     mlirValueGetType(tvm_result(op, 0)), out);
  *out = p;
  if (tvm_op_is(op, "graph.transpose")) {
    for (intptr_t d = 0; d < p.rank; ++d)
      out->strides[d] = p.strides[tvm_get_i64s(op, "permutation", d)];
    return true;
  }
  for (intptr_t d = 0; d < p.rank; ++d) {
    out->offset += p.strides[d] * tvm_get_i64s(op, "starts", d);
    out->strides[d] *= tvm_get_i64s(op, "steps", d);
  }
  return true;
}

/* The user that `tensor` is a part of, or null. Only what a kernel makes, or
 * what has parts itself, is a part. */
static MlirOperation find_whole(MlirValue tensor) {
  MlirOperation def = tvm_defining_op(tensor);
  if (!def.ptr || tvm_op_is(def, "arith.constant"))
    return (MlirOperation){0};
  MlirOpOperand use = mlirValueGetFirstUse(tensor);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tvm_graph_has_parts(user) && (mlirOpOperandGetOperandNumber(use) == 0 ||
                                      tvm_op_is(user, "graph.concat")))
      return user;
  }
  return (MlirOperation){0};
}

static int64_t start_in_concat(MlirOperation concat, MlirValue part) {
  int64_t axis = tvm_get_i64(concat, "axis"), start = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(concat); ++i) {
    MlirValue v = tvm_operand(concat, i);
    if (mlirValueEqual(v, part))
      break;
    start += tvm_dim(v, axis);
  }
  return start;
}

static bool place_part(MlirOperation whole, MlirValue part,
                       tvm_graph_placement *out) {
  tvm_graph_placement p;
  if (!tvm_graph_place(tvm_result(whole, 0), &p))
    return false;
  if (tvm_op_is(whole, "graph.reshape"))
    return tvm_graph_reshape_strides(&p, mlirValueGetType(tvm_result(whole, 0)),
                                     mlirValueGetType(part), out);
  *out = p;
  if (tvm_op_is(whole, "graph.concat"))
    out->offset +=
        p.strides[tvm_get_i64(whole, "axis")] * start_in_concat(whole, part);
  for (intptr_t d = 0; d < p.rank; ++d)
    if (tvm_op_is(whole, "graph.pad"))
      out->offset += p.strides[d] * tvm_get_i64s(whole, "low", d);
    else if (tvm_op_is(whole, "graph.transpose"))
      out->strides[tvm_get_i64s(whole, "permutation", d)] = p.strides[d];
  return true;
}

bool tvm_graph_place(MlirValue tensor, tvm_graph_placement *out) {
  MlirOperation def = tvm_defining_op(tensor);
  if (tvm_graph_is_view(def))
    return place_view(def, out);
  MlirOperation whole = find_whole(tensor);
  return whole.ptr ? place_part(whole, tensor, out) : place_dense(tensor, out);
}

MlirOperation tvm_graph_border(MlirValue tensor) {
  MlirOperation whole = find_whole(tensor);
  while (whole.ptr && !tvm_op_is(whole, "graph.pad")) {
    if (!mlirValueEqual(tvm_operand(whole, 0), tensor))
      return (MlirOperation){0};
    tensor = tvm_result(whole, 0);
    whole = find_whole(tensor);
  }
  return whole;
}
