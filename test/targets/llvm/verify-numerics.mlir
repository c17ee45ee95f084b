// RUN: tvm-opt %s --tvm-verify-numerics="passes=canonicalize;func.func(tvm-choose-layout,cse);func.func(tvm-fuse-operators);tvm-convert-graph-to-te" | FileCheck %s
// RUN: not tvm-opt %s --tvm-verify-numerics="passes=canonicalize;transform-preload-library{transform-library-paths=%S/Inputs/wrong-rule.mlir},transform-interpreter;cse" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRONG

// The first pass that changes the numbers is named; the module stays.

// CHECK-LABEL: func.func @main
// CHECK: graph.mul
// WRONG: error: numbers differ after 'transform-preload-library{{.*}},transform-interpreter': output 'y'[{{[0-3]}}]: expected {{[-0-9.]+}}, got {{[-0-9.]+}} (4 of 4 differ)
func.func @main(%x: tensor<4xf32> {tvm.name = "x"})
    -> (tensor<4xf32> {tvm.name = "y"}) {
  %two = arith.constant dense<2.0> : tensor<4xf32>
  %y = graph.mul(%x, %two) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %z = graph.neg(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
