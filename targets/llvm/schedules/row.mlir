// row.mlir - softmax, norms and other kernels whose stages pass over the same
// rows: its last operation is cut into pieces that run in parallel, each piece
// row by row, and what a row needs is computed just before. A row stays in the
// first cache, often in registers, and LLVM vectorizes the loops along it.
//
// Consumes: the operation marked tvm.root.
// Requires: tile sizes that divide the loops; the compiler puts them in the
// place of [1], those of the pieces at the operation marked tvm.tiles, those of
// a row at the one marked tvm.rows.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(
      %module: !transform.any_op {transform.readonly}) {
    %root = transform.structured.match attributes {tvm.root} in %module
        : (!transform.any_op) -> !transform.any_op
    %piece, %pieces = transform.structured.fuse %root tile_sizes [1]
        {apply_cleanup, use_forall, tvm.tiles}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %func = transform.structured.match ops{["func.func"]} in %module
        : (!transform.any_op) -> !transform.any_op
    // a value with two readers was fused twice
    transform.apply_cse to %func : !transform.any_op
    transform.apply_dce to %func : !transform.any_op
    %row, %rows = transform.structured.fuse %piece tile_sizes [1]
        {apply_cleanup, use_forall, tvm.rows}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.apply_cse to %func : !transform.any_op
    transform.yield
  }
}
