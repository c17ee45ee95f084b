// matvec.mlir - contractions with one row of results, in the form
// (b, h, w, no, ni | r, q, k) of canonical.h.
//
// A row has one accumulator a vector: too few to hide the latency of a
// multiply-add. Several panels of nr columns are therefore one piece, and
// jam.mlir, after the tail, runs their reductions as one loop.
//
// Consumes: the operations marked tvm.contract and tvm.root, which may be one.
// Requires: h and w are 1; pt divides no, ct divides ni, nr divides ct; pt or
// ct / nr is 1.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(
      %module: !transform.any_op {transform.readonly}) {
    %pt = transform.tune.knob<"pt">
        options = [1, 2, 4, 5, 8] -> !transform.param<i64>
    %ct = transform.tune.knob<"ct">
        options = [8, 16, 32, 40, 64] -> !transform.param<i64>
    %nr = transform.tune.knob<"nr">
        options = [8, 16, 32, 64] -> !transform.param<i64>
    %root = transform.structured.match attributes {tvm.root} in %module
        : (!transform.any_op) -> !transform.any_op
    %piece, %forall = transform.structured.fuse %root
        tile_sizes [1, 1, 1, %pt, %ct] {apply_cleanup, use_forall}
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    %func = transform.structured.match ops{["func.func"]} in %module
        : (!transform.any_op) -> !transform.any_op
    transform.apply_dce to %func : !transform.any_op
    %block, %loops:2 = transform.structured.fuse %piece
        tile_sizes [0, 0, 0, 1, %nr] {apply_cleanup}
        : (!transform.any_op, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.apply_dce to %func : !transform.any_op
    %core = transform.structured.match attributes {tvm.contract} in %module
        : (!transform.any_op) -> !transform.any_op
    %core2, %reductions:2 = transform.structured.tile_using_for %core
        tile_sizes [0, 0, 0, 0, 0, 1, 1]
        : (!transform.any_op)
        -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
