/* patterns.c - load compiled PDLL patterns and apply them greedily.
 *
 * The patterns are compiled for each run of a pass: 3 ms, against state that
 * would have to be shared among the clones of a pass. */
#include "passes/patterns.h"

static MlirLogicalResult call_constraint(MlirPatternRewriter rewriter,
                                         MlirPDLResultList results, size_t n,
                                         MlirPDLValue *args, void *user) {
  (void)rewriter, (void)results, (void)n;
  const tvm_pattern_function *f = user;
  return f->constraint(args) ? mlirLogicalResultSuccess()
                             : mlirLogicalResultFailure();
}

static MlirLogicalResult call_rewrite(MlirPatternRewriter rewriter,
                                      MlirPDLResultList results, size_t n,
                                      MlirPDLValue *args, void *user) {
  (void)n;
  const tvm_pattern_function *f = user;
  MlirRewriterBase base = mlirPatternRewriterAsBase(rewriter);
  tvm_builder b =
      tvm_builder_before(mlirRewriterBaseGetOperationAfterInsertion(base));
  b.rewriter = base;
  f->rewrite(&b, args, results);
  return mlirLogicalResultSuccess();
}

static void register_function(MlirPDLPatternModule module,
                              const tvm_pattern_function *f) {
  MlirStringRef name = mlirStringRefCreateFromCString(f->name);
  if (f->constraint)
    mlirPDLPatternModuleRegisterConstraintFunction(module, name,
                                                   call_constraint, (void *)f);
  else
    mlirPDLPatternModuleRegisterRewriteFunction(module, name, call_rewrite,
                                                (void *)f);
}

/* Reaching the limit of iterations is no failure: what is there is right. */
static void apply(MlirOperation op, MlirFrozenRewritePatternSet patterns) {
  MlirGreedyRewriteDriverConfig config = mlirGreedyRewriteDriverConfigCreate();
  mlirGreedyRewriteDriverConfigSetRegionSimplificationLevel(
      config, MLIR_GREEDY_SIMPLIFY_REGION_LEVEL_DISABLED);
  mlirGreedyRewriteDriverConfigSetUseTopDownTraversal(config, true);
  (void)mlirApplyPatternsAndFoldGreedilyWithOp(op, patterns, config);
  mlirGreedyRewriteDriverConfigDestroy(config);
}

MlirLogicalResult tvm_apply_patterns(MlirOperation op, MlirStringRef pdl,
                                     size_t n,
                                     const tvm_pattern_function *functions) {
  MlirContext context = mlirOperationGetContext(op);
  MlirModule source = mlirModuleCreateParse(context, pdl);
  if (mlirModuleIsNull(source))
    return tvm_emit_error(mlirOperationGetLocation(op),
                          "cannot parse the pass's own patterns");
  MlirPDLPatternModule module = mlirPDLPatternModuleFromModule(source);
  for (size_t i = 0; i < n; ++i)
    register_function(module, &functions[i]);
  MlirRewritePatternSet set = mlirRewritePatternSetFromPDLPatternModule(module);
  MlirFrozenRewritePatternSet patterns = mlirFreezeRewritePattern(set);
  apply(op, patterns);
  mlirFrozenRewritePatternSetDestroy(patterns);
  mlirRewritePatternSetDestroy(set);
  mlirPDLPatternModuleDestroy(module);
  return mlirLogicalResultSuccess();
}

void tvm_rewrite_operand(tvm_builder *b, MlirOperation op, intptr_t i,
                         MlirValue value) {
  mlirRewriterBaseStartOpModification(b->rewriter, op);
  mlirOperationSetOperand(op, i, value);
  mlirRewriterBaseFinalizeOpModification(b->rewriter, op);
}

MlirValue tvm_clone_with_operand(tvm_builder *b, MlirOperation op, intptr_t i,
                                 MlirValue value) {
  MlirOperation clone = mlirOperationClone(op);
  mlirOperationSetOperand(clone, i, value);
  mlirRewriterBaseInsert(b->rewriter, clone);
  return tvm_result(clone, 0);
}
