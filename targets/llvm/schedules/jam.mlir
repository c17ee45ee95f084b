// jam.mlir - after the tail: the reductions of neighbouring panels as one loop.
//
// Consumes: a function on buffers with a loop over panels around the loop of
// the reduction, and no other.
// Requires: the compiler puts the number of panels in the place of `factor`,
// at the operation marked tvm.panels.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(
      %module: !transform.any_op {transform.readonly}) {
    %loops = transform.structured.match ops{["scf.for"]} in %module
        : (!transform.any_op) -> !transform.any_op
    %reduction, %panels = transform.split_handle %loops
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.loop.unroll_and_jam %panels {factor = 1, tvm.panels}
        : !transform.any_op
    %func = transform.structured.match ops{["func.func"]} in %module
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %func : !transform.any_op
    transform.yield
  }
}
