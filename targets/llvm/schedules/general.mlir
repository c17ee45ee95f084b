// general.mlir - any kernel with one result: its last operation is cut into
// pieces that run in parallel, and what it reads is computed piece by piece.
// LLVM vectorizes the inner loops.
//
// Consumes: the operation marked tvm.root.
// Requires: tile sizes that divide the loops; the compiler puts them in the
// place of [1], at the operation marked tvm.tiles.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(
      %module: !transform.any_op {transform.readonly}) {
    %root = transform.structured.match attributes {tvm.root} in %module
        : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.fuse %root tile_sizes [1]
        {apply_cleanup, use_forall, tvm.tiles}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %func = transform.structured.match ops{["func.func"]} in %module
        : (!transform.any_op) -> !transform.any_op
    transform.apply_cse to %func : !transform.any_op
    transform.yield
  }
}
