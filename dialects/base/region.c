/* region.c - what a body may see. */
#include "base/base.h"

typedef struct search {
  MlirBlock body;
  bool found;
} search;

static bool is_within(MlirBlock block, MlirBlock body) {
  while (block.ptr && !mlirBlockEqual(block, body)) {
    MlirOperation parent = mlirBlockGetParentOperation(block);
    block = parent.ptr ? mlirOperationGetBlock(parent) : (MlirBlock){NULL};
  }
  return block.ptr != NULL;
}

static MlirWalkResult find_foreign(MlirOperation op, void *user) {
  search *s = user;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue x = mlirOperationGetOperand(op, i);
    MlirBlock owner = mlirValueIsABlockArgument(x)
                          ? mlirBlockArgumentGetOwner(x)
                          : mlirOperationGetBlock(mlirOpResultGetOwner(x));
    s->found |= !is_within(owner, s->body);
  }
  return s->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tvm_block_is_isolated(MlirBlock block) {
  search s = {block, false};
  MlirOperation op = mlirBlockGetFirstOperation(block);
  for (; op.ptr && !s.found; op = mlirOperationGetNextInBlock(op))
    mlirOperationWalk(op, find_foreign, &s, MlirWalkPreOrder);
  return !s.found;
}
