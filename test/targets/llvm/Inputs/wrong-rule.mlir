// A rule that is wrong: every constant becomes 3.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(
      %module: !transform.any_op {transform.readonly}) {
    %constants = transform.structured.match ops{["arith.constant"]} in %module
        : (!transform.any_op) -> !transform.any_op
    %three = transform.param.constant dense<3.0> : tensor<4xf32>
        -> !transform.any_param
    transform.annotate %constants "value" = %three
        : !transform.any_op, !transform.any_param
    transform.yield
  }
}
