// contraction_peeled.mlir - contraction.mlir for extents that no good block
// divides: what remains at the right and lower edge is peeled off, and gets
// blocks of its own size.
//
// Consumes: the operations marked tvm.contract and tvm.root, which may be one.
// Requires: ht divides h, wt divides w, ct divides ni; mr does not exceed wt,
// nr does not exceed ct.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(
      %module: !transform.any_op {transform.readonly}) {
    %ht = transform.tune.knob<"ht">
        options = [1, 2, 4, 7, 8, 14] -> !transform.param<i64>
    %wt = transform.tune.knob<"wt">
        options = [7, 14, 28, 56, 112] -> !transform.param<i64>
    %ct = transform.tune.knob<"ct">
        options = [16, 32, 64, 128] -> !transform.param<i64>
    %mr = transform.tune.knob<"mr">
        options = [1, 2, 4, 6, 7, 8, 14] -> !transform.param<i64>
    %nr = transform.tune.knob<"nr">
        options = [16, 32, 64] -> !transform.param<i64>
    %root = transform.structured.match attributes {tvm.root} in %module
        : (!transform.any_op) -> !transform.any_op
    %panel, %forall = transform.structured.fuse %root
        tile_sizes [1, %ht, %wt, 1, %ct] {apply_cleanup, use_forall}
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>,
           !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    %func = transform.structured.match ops{["func.func"]} in %module
        : (!transform.any_op) -> !transform.any_op
    transform.apply_dce to %func : !transform.any_op
    %block, %rows, %columns, %lanes = transform.structured.fuse %panel
        tile_sizes [0, 1, %mr, 0, %nr] {apply_cleanup}
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op, !transform.op<"scf.for">,
            !transform.op<"scf.for">)
    transform.apply_dce to %func : !transform.any_op
    // which extents leave a remainder: w and ni, w, ni
    transform.tune.alternatives<"edges"> {
      %m0, %e0 = transform.loop.peel %lanes
          : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
      %m1, %e1 = transform.loop.peel %columns
          : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
    }, {
      %m0, %e0 = transform.loop.peel %columns
          : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
    }, {
      %m0, %e0 = transform.loop.peel %lanes
          : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
    }
    transform.apply_patterns to %func {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    %core = transform.structured.match attributes {tvm.contract} in %module
        : (!transform.any_op) -> !transform.any_op
    %core2, %reductions:2 = transform.structured.tile_using_for %core
        tile_sizes [0, 0, 0, 0, 0, 1, 1]
        : (!transform.any_op)
        -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
