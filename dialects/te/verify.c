/* verify.c - what IRDL cannot say about the te operations. */
#include "te/verify.h"

#include "te/te.h"

enum { MAX_LOOPS = 32 }; /* of a tensor expression */

static bool is_static_tensor(MlirType type) {
  return mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type);
}

static MlirLogicalResult expect_string(MlirOperation op, const char *name) {
  MlirAttribute a = tvm_get_attr(op, name);
  if (!mlirAttributeIsNull(a) && mlirAttributeIsAString(a))
    return mlirLogicalResultSuccess();
  return tvm_emit_op_error(op, "expects attribute '%s' to be a string", name);
}

/* Region `i` as its only block; null after an error. */
static MlirBlock expect_block(MlirOperation op, intptr_t i, intptr_t n) {
  if (mlirOperationGetNumRegions(op) != n) {
    tvm_emit_op_error(op, "expects %td regions, got %td", n,
                      mlirOperationGetNumRegions(op));
    return (MlirBlock){NULL};
  }
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
  if (block.ptr && !mlirBlockGetNextInRegion(block).ptr)
    return block;
  tvm_emit_op_error(op, "expects region %td to have one block", i);
  return (MlirBlock){NULL};
}

static MlirType argument_type(MlirBlock block, intptr_t i) {
  return mlirValueGetType(mlirBlockGetArgument(block, i));
}

/* The last arguments are destinations of the returned values. */
static MlirLogicalResult verify_body(MlirOperation op, MlirBlock block) {
  if (!tvm_block_is_isolated(block))
    return tvm_emit_op_error(
        op, "expects a body that uses its block arguments alone");
  MlirOperation ret = mlirBlockGetTerminator(block);
  if (!tvm_op_is(ret, "te.return"))
    return tvm_emit_op_error(op, "expects a body that ends in 'te.return'");
  intptr_t n = mlirOperationGetNumOperands(ret),
           n_args = mlirBlockGetNumArguments(block);
  if (n > n_args)
    return tvm_emit_op_error(
        op, "expects a destination for each of %td results, got %td arguments",
        n, n_args);
  for (intptr_t i = 0; i < n; ++i)
    if (!mlirTypeEqual(argument_type(block, n_args - n + i),
                       mlirValueGetType(tvm_operand(ret, i))))
      return tvm_emit_op_error(
          op, "expects result %td to have the type of its destination", i);
  return mlirLogicalResultSuccess();
}

/* Optional `layouts`: one an argument, unit or strided<...> of its rank. */
static MlirLogicalResult verify_layouts(MlirOperation op, MlirBlock block) {
  MlirAttribute layouts = tvm_get_attr(op, "layouts");
  intptr_t n = mlirBlockGetNumArguments(block);
  if (!layouts.ptr)
    return mlirLogicalResultSuccess();
  if (!mlirAttributeIsAArray(layouts) ||
      mlirArrayAttrGetNumElements(layouts) != n)
    return tvm_emit_op_error(
        op, "expects attribute 'layouts' to be an array of %td elements", n);
  for (intptr_t i = 0; i < n; ++i) {
    MlirAttribute a = mlirArrayAttrGetElement(layouts, i);
    if (!mlirAttributeIsAUnit(a) &&
        (!mlirAttributeIsAStridedLayout(a) ||
         mlirStridedLayoutAttrGetNumStrides(a) !=
             mlirShapedTypeGetRank(argument_type(block, i))))
      return tvm_emit_op_error(
          op, "expects layout %td to be unit or a strided layout of its rank",
          i);
  }
  return mlirLogicalResultSuccess();
}

/* The padded tensor may have another rank than the result inside of it, which
 * can be a reshape. */
static bool is_border(MlirAttribute a) {
  static const char *const arrays[] = {"low", "shape", "sizes", "strides"};
  int64_t rank = -1;
  if (!mlirAttributeIsADictionary(a))
    return false;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    MlirAttribute field = mlirDictionaryAttrGetElementByName(
        a, mlirStringRefCreateFromCString(arrays[i]));
    if (!field.ptr || !mlirAttributeIsADenseI64Array(field))
      return false;
    if (rank < 0)
      rank = mlirDenseArrayGetNumElements(field);
    if (mlirDenseArrayGetNumElements(field) != rank)
      return false;
  }
  MlirAttribute value = mlirDictionaryAttrGetElementByName(
      a, mlirStringRefCreateFromCString("value"));
  return value.ptr &&
         (mlirAttributeIsAFloat(value) || mlirAttributeIsAInteger(value));
}

/* Optional `borders`: one a result, unit or what surrounds it. */
static MlirLogicalResult verify_borders(MlirOperation op, MlirBlock block) {
  MlirAttribute borders = tvm_get_attr(op, "borders");
  intptr_t n = mlirOperationGetNumOperands(mlirBlockGetTerminator(block));
  if (!borders.ptr)
    return mlirLogicalResultSuccess();
  if (!mlirAttributeIsAArray(borders) ||
      mlirArrayAttrGetNumElements(borders) != n)
    return tvm_emit_op_error(
        op, "expects attribute 'borders' to be an array of %td elements", n);
  for (intptr_t i = 0; i < n; ++i) {
    MlirAttribute a = mlirArrayAttrGetElement(borders, i);
    if (!mlirAttributeIsAUnit(a) && !is_border(a))
      return tvm_emit_op_error(
          op,
          "expects border %td to be unit or a dictionary of low, shape, "
          "sizes, strides and value",
          i);
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_te_verify_kernel(MlirOperation op) {
  MlirBlock block = expect_block(op, 0, 1);
  if (!block.ptr || mlirLogicalResultIsFailure(expect_string(op, "sym_name")) ||
      mlirLogicalResultIsFailure(expect_string(op, "op_class")))
    return mlirLogicalResultFailure();
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    if (!is_static_tensor(argument_type(block, i)))
      return tvm_emit_op_error(
          op, "expects argument %td to be a tensor of static shape", i);
  if (mlirLogicalResultIsFailure(verify_body(op, block)) ||
      mlirLogicalResultIsFailure(verify_layouts(op, block)))
    return mlirLogicalResultFailure();
  return verify_borders(op, block);
}

MlirLogicalResult tvm_te_verify_return(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  bool fits =
      tvm_op_is(parent, "te.kernel") || tvm_op_is(parent, "te.intrinsic");
  if (fits && !mlirOperationGetNextInBlock(op).ptr)
    return mlirLogicalResultSuccess();
  return tvm_emit_op_error(
      op, "expects to end the body of a 'te.kernel' or a 'te.intrinsic'");
}

/* Equal but for the sign of integers, which kernels do not have. */
static bool agrees(MlirType outside, MlirType inside) {
  if (!is_static_tensor(outside) || !is_static_tensor(inside) ||
      mlirShapedTypeGetRank(outside) != mlirShapedTypeGetRank(inside))
    return false;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(outside); ++i)
    if (mlirShapedTypeGetDimSize(outside, i) !=
        mlirShapedTypeGetDimSize(inside, i))
      return false;
  MlirType x = mlirShapedTypeGetElementType(outside),
           y = mlirShapedTypeGetElementType(inside);
  if (mlirTypeIsAInteger(x) && mlirTypeIsAInteger(y))
    return mlirIntegerTypeGetWidth(x) == mlirIntegerTypeGetWidth(y);
  return mlirTypeEqual(x, y);
}

MlirLogicalResult tvm_te_verify_launch(MlirOperation op) {
  MlirOperation kernel = tvm_te_find_kernel(op);
  if (!kernel.ptr)
    return tvm_emit_op_error(
        op, "expects attribute 'kernel' to name a 'te.kernel' of the module");
  MlirBlock block = {NULL};
  if (mlirOperationGetNumRegions(kernel) == 1)
    block = mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel, 0));
  intptr_t n_ins = mlirOperationGetNumOperands(op),
           n_outs = mlirOperationGetNumResults(op);
  if (!block.ptr)
    return tvm_emit_op_error(op, "expects a kernel with a body");
  if (mlirBlockGetNumArguments(block) != n_ins + n_outs)
    return tvm_emit_op_error(
        op, "expects %td operands and results, as its kernel, got %td",
        mlirBlockGetNumArguments(block), n_ins + n_outs);
  for (intptr_t i = 0; i < n_ins; ++i)
    if (!agrees(mlirValueGetType(tvm_operand(op, i)), argument_type(block, i)))
      return tvm_emit_op_error(
          op, "expects operand %td to have the type of its kernel", i);
  for (intptr_t i = 0; i < n_outs; ++i)
    if (!agrees(mlirValueGetType(tvm_result(op, i)),
                argument_type(block, n_ins + i)))
      return tvm_emit_op_error(
          op, "expects result %td to have the type of its kernel", i);
  return mlirLogicalResultSuccess();
}

static bool is_combiner(MlirAttribute a) {
  static const char *const NAMES[] = {"add", "mul", "max", "min"};
  if (mlirAttributeIsNull(a) || !mlirAttributeIsAString(a))
    return false;
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i)
    if (mlirStringRefEqual(mlirStringAttrGetValue(a),
                           mlirStringRefCreateFromCString(NAMES[i])))
      return true;
  return false;
}

static MlirLogicalResult verify_indices(MlirOperation op, MlirBlock block,
                                        intptr_t n) {
  if (mlirBlockGetNumArguments(block) != n)
    return tvm_emit_op_error(op, "expects %td indices, got %td", n,
                             mlirBlockGetNumArguments(block));
  for (intptr_t i = 0; i < n; ++i)
    if (!mlirTypeIsAIndex(argument_type(block, i)))
      return tvm_emit_op_error(op, "expects block argument %td to be an index",
                               i);
  MlirOperation yield = mlirBlockGetTerminator(block);
  if (!tvm_op_is(yield, "te.yield") || mlirOperationGetNumOperands(yield) != 1)
    return tvm_emit_op_error(op,
                             "expects a body that ends in 'te.yield' of one "
                             "element");
  if (mlirTypeEqual(mlirValueGetType(tvm_operand(yield, 0)),
                    tvm_element_type(tvm_result(op, 0))))
    return mlirLogicalResultSuccess();
  return tvm_emit_op_error(op,
                           "expects the yielded element to have the element "
                           "type of the result");
}

MlirLogicalResult tvm_te_verify_compute(MlirOperation op) {
  MlirBlock block = expect_block(op, 0, 1);
  if (!block.ptr)
    return mlirLogicalResultFailure();
  if (mlirOperationGetNumResults(op) != 1 ||
      !is_static_tensor(mlirValueGetType(tvm_result(op, 0))))
    return tvm_emit_op_error(op,
                             "expects one result, a tensor of static shape");
  MlirAttribute reduce = tvm_get_attr(op, "reduce");
  if (mlirAttributeIsNull(reduce) || !mlirAttributeIsADenseI64Array(reduce))
    return tvm_emit_op_error(op,
                             "expects attribute 'reduce' to be an array<i64>");
  intptr_t n = mlirDenseArrayGetNumElements(reduce),
           n_loops = n + (intptr_t)tvm_rank(tvm_result(op, 0));
  if (n_loops > MAX_LOOPS)
    return tvm_emit_op_error(op, "expects %d indices at most, got %td",
                             MAX_LOOPS, n_loops);
  for (intptr_t i = 0; i < n; ++i)
    if (mlirDenseI64ArrayGetElement(reduce, i) < 0)
      return tvm_emit_op_error(op, "expects extents of 0 at least in 'reduce'");
  if (!is_combiner(tvm_get_attr(op, "combiner")))
    return tvm_emit_op_error(
        op, "expects attribute 'combiner' to be one of add, mul, max, min");
  return verify_indices(op, block, n_loops);
}

MlirLogicalResult tvm_te_verify_yield(MlirOperation op) {
  if (tvm_op_is(mlirOperationGetParentOperation(op), "te.compute") &&
      !mlirOperationGetNextInBlock(op).ptr)
    return mlirLogicalResultSuccess();
  return tvm_emit_op_error(op, "expects to end the body of a 'te.compute'");
}

MlirLogicalResult tvm_te_verify_intrinsic(MlirOperation op) {
  MlirBlock behaviour = expect_block(op, 0, 2);
  MlirBlock lowering =
      behaviour.ptr ? expect_block(op, 1, 2) : (MlirBlock){NULL};
  if (!lowering.ptr ||
      mlirLogicalResultIsFailure(expect_string(op, "sym_name")))
    return mlirLogicalResultFailure();
  intptr_t n = mlirBlockGetNumArguments(behaviour);
  bool same = n == mlirBlockGetNumArguments(lowering);
  for (intptr_t i = 0; same && i < n; ++i)
    same =
        mlirTypeEqual(argument_type(behaviour, i), argument_type(lowering, i));
  if (!same)
    return tvm_emit_op_error(op,
                             "expects both regions to have equal arguments");
  if (mlirLogicalResultIsFailure(verify_body(op, behaviour)))
    return mlirLogicalResultFailure();
  return verify_body(op, lowering);
}
