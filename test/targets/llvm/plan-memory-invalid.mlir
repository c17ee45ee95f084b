// RUN: tvm-opt --split-input-file --verify-diagnostics --tvm-plan-memory %s

// expected-error @+1 {{the module has no function 'main'}}
module {
}

// -----

"te.kernel"() ({
^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
  "te.return"(%y) : (tensor<4xf32>) -> ()
}) {sym_name = "k", op_class = "elementwise"} : () -> ()
"te.kernel"() ({
^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
  "te.return"(%y) : (tensor<4xf32>) -> ()
}) {sym_name = "over", op_class = "elementwise", tvm.in_place = array<i64: 0>} : () -> ()
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = "te.launch"(%x) {kernel = @k} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'te.launch' cannot write result 0 over operand 0}}
  %b = "te.launch"(%a) {kernel = @over} : (tensor<4xf32>) -> tensor<4xf32>
  %c = "te.launch"(%a) {kernel = @k} : (tensor<4xf32>) -> tensor<4xf32>
  %d = "te.launch"(%b) {kernel = @k} : (tensor<4xf32>) -> tensor<4xf32>
  return %c, %d : tensor<4xf32>, tensor<4xf32>
}
