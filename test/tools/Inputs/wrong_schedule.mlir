// A schedule that is wrong: the zero of relu becomes 9.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(
      %module: !transform.any_op {transform.readonly}) {
    %zeros = transform.structured.match ops{["arith.constant"]}
        attributes {value = 0.0 : f32} in %module
        : (!transform.any_op) -> !transform.any_op
    %nine = transform.param.constant 9.0 : f32 -> !transform.any_param
    transform.annotate %zeros "value" = %nine
        : !transform.any_op, !transform.any_param
    transform.yield
  }
}
