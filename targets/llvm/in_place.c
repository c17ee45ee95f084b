/* in_place.c - results that take the place of an operand.
 *
 * An operand that nobody reads after the launch can give its buffer to a result
 * of the same type when the kernel reads each element before it writes the same
 * one. The proof, on the loops that are left after scheduling:
 *
 * - the writes to the result are as many as it has elements, all in range, and
 *   a kernel writes every element: so it writes each exactly once;
 * - each read of the operand stands before a write with the same address, in
 *   the same iteration: that is the only write of what was read.
 *
 * Other iterations, whatever thread they run on, touch other elements. The
 * loops then name the result's buffer alone, so that nothing aliases. */
#include "llvm/in_place.h"

#include "llvm/address.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

enum { MAX_ACCESSES = 512 };

typedef struct {
  MlirOperation ops[MAX_ACCESSES];
  tvm_address addresses[MAX_ACCESSES];
  size_t count;
} access_list;

/* All accesses to a buffer and its views; false when one is not of the kind
 * that `write` says, or cannot be understood. */
static bool collect(MlirValue memory, bool write, access_list *out) {
  MlirOpOperand use = mlirValueGetFirstUse(memory);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    unsigned at = mlirOpOperandGetOperandNumber(use);
    if (tvm_is_memref_view(op) && at == 0) {
      if (!collect(tvm_result(op, 0), write, out))
        return false;
      continue;
    }
    bool known = write ? tvm_is_memory_write(op) : tvm_is_memory_read(op);
    if (!known || at != (unsigned)write || out->count == MAX_ACCESSES ||
        !tvm_address_of(op, &out->addresses[out->count]))
      return false;
    out->ops[out->count++] = op;
  }
  return true;
}

/* Whether `op`, or what it is nested in, stands before `write` in its block. */
static bool stands_before(MlirOperation op, MlirOperation write) {
  MlirBlock block = mlirOperationGetBlock(write);
  while (op.ptr && !mlirBlockEqual(mlirOperationGetBlock(op), block)) {
    op = mlirOperationGetParentOperation(op);
    if (!op.ptr || mlirBlockIsNull(mlirOperationGetBlock(op)))
      return false;
  }
  return op.ptr && mlirOperationIsBeforeInBlock(op, write);
}

static bool get_index(MlirValue v, int64_t *out) {
  MlirOperation op = tvm_defining_op(v);
  if (!op.ptr || !tvm_op_is(op, "arith.constant"))
    return false;
  *out = mlirIntegerAttrGetValueInt(tvm_get_attr(op, "value"));
  return true;
}

static int64_t count_trips(int64_t lower, int64_t upper, int64_t step) {
  return step <= 0 || upper <= lower ? 0 : (upper - lower + step - 1) / step;
}

/* How often the body of a loop runs; -1: not known. */
static int64_t loop_trips(MlirOperation loop) {
  int64_t lower, upper, step, trips = 1;
  if (tvm_op_is(loop, "scf.for"))
    return get_index(tvm_operand(loop, 0), &lower) &&
                   get_index(tvm_operand(loop, 1), &upper) &&
                   get_index(tvm_operand(loop, 2), &step)
               ? count_trips(lower, upper, step)
               : -1;
  if (!tvm_op_is(loop, "scf.forall") || mlirOperationGetNumOperands(loop))
    return -1;
  MlirAttribute lowers = tvm_get_attr(loop, "staticLowerBound");
  MlirAttribute uppers = tvm_get_attr(loop, "staticUpperBound");
  MlirAttribute steps = tvm_get_attr(loop, "staticStep");
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(uppers); ++i)
    trips *= count_trips(mlirDenseI64ArrayGetElement(lowers, i),
                         mlirDenseI64ArrayGetElement(uppers, i),
                         mlirDenseI64ArrayGetElement(steps, i));
  return trips;
}

/* Elements that a write writes in all; -1: not known. */
static int64_t elements_written(MlirOperation write, MlirOperation func) {
  MlirType type = mlirValueGetType(tvm_operand(write, 0));
  int64_t n = mlirTypeIsAVector(type) ? tvm_num_elements(type) : 1;
  MlirOperation op = mlirOperationGetParentOperation(write);
  for (; op.ptr && !mlirOperationEqual(op, func);
       op = mlirOperationGetParentOperation(op)) {
    int64_t trips = loop_trips(op);
    if (trips < 0 || __builtin_mul_overflow(n, trips, &n))
      return -1;
  }
  return n;
}

static bool writes_each_once(const access_list *writes, MlirValue y,
                             MlirOperation func) {
  int64_t total = 0;
  for (size_t i = 0; i < writes->count; ++i) {
    int64_t n = elements_written(writes->ops[i], func);
    if (n < 0)
      return false;
    total += n;
  }
  return total == tvm_num_elements(mlirValueGetType(y));
}

static bool reads_before_it_writes(const access_list *reads,
                                   const access_list *writes) {
  for (size_t i = 0; i < reads->count; ++i) {
    bool found = false;
    for (size_t k = 0; k < writes->count && !found; ++k)
      found = tvm_address_equal(&reads->addresses[i], &writes->addresses[k]) &&
              stands_before(reads->ops[i], writes->ops[k]);
    if (!found)
      return false;
  }
  return true;
}

static bool can_replace(MlirOperation func, MlirValue x, MlirValue y) {
  if (!mlirTypeEqual(mlirValueGetType(x), mlirValueGetType(y)))
    return false;
  access_list *reads = calloc(2, sizeof *reads), *writes = reads + 1;
  bool ok = collect(x, false, reads) && reads->count &&
            collect(y, true, writes) && writes_each_once(writes, y, func) &&
            reads_before_it_writes(reads, writes);
  free(reads);
  return ok;
}

void tvm_llvm_write_in_place(MlirOperation func, const tvm_in_place *which,
                             int64_t *out_operands) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  intptr_t n_inputs = mlirBlockGetNumArguments(entry) - which->n_results;
  for (intptr_t r = 0; r < which->n_results; ++r) {
    MlirValue y = mlirBlockGetArgument(entry, n_inputs + r);
    bool own = r < 64 && which->own_results >> r & 1;
    out_operands[r] = -1;
    for (intptr_t i = 0; own && i < n_inputs && i < 64; ++i) {
      MlirValue x = mlirBlockGetArgument(entry, i);
      if (!(which->dying_operands >> i & 1) || !can_replace(func, x, y))
        continue;
      mlirValueReplaceAllUsesOfWith(x, y);
      out_operands[r] = i;
      break;
    }
  }
}

/* For tests: the last argument is the only result, all others die. */
static MlirLogicalResult run(MlirOperation func, tvm_seam_pass pass,
                             void *user) {
  (void)pass, (void)user;
  tvm_in_place all = {1, ~(uint64_t)0, 1};
  int64_t operand;
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  if (!mlirBlockIsNull(entry) && mlirBlockGetNumArguments(entry) > 0)
    tvm_llvm_write_in_place(func, &all, &operand);
  return mlirLogicalResultSuccess();
}

void tvm_llvm_register_in_place(void) {
  static const tvm_seam_pass_desc pass = {
      .argument = "tvm-write-in-place",
      .description = "Let the last argument take the place of another one that "
                     "is read before it is written",
      .op_name = "func.func",
      .run = run};
  tvm_seam_register_pass(&pass);
}
