// window.mlir - depthwise convolutions, pools and other reductions over
// windows with their epilogue, in the form (b, h, w, c | r, q) of canonical.h.
//
// A block of mr x nr results is held in vector registers while the window is
// passed, goes through the epilogue there and is stored once.
//
// Consumes: the operations marked tvm.contract and tvm.root, which may be one.
// Requires: ht divides h, wt divides w, ct divides c, mr divides wt, nr
// divides ct.
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
        tile_sizes [1, %ht, %wt, %ct] {apply_cleanup, use_forall}
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>,
           !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    %func = transform.structured.match ops{["func.func"]} in %module
        : (!transform.any_op) -> !transform.any_op
    transform.apply_dce to %func : !transform.any_op
    %block, %loops:3 = transform.structured.fuse %panel
        tile_sizes [0, 1, %mr, %nr] {apply_cleanup}
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op, !transform.any_op,
            !transform.any_op)
    transform.apply_dce to %func : !transform.any_op
    %core = transform.structured.match attributes {tvm.contract} in %module
        : (!transform.any_op) -> !transform.any_op
    %core2, %reductions:2 = transform.structured.tile_using_for %core
        tile_sizes [0, 0, 0, 0, 1, 1]
        : (!transform.any_op)
        -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
