// RUN: tvm-opt --tvm-hoist-constants --split-input-file %s | FileCheck %s

// What depends on constants alone moves; the rest stays and calls it.
// CHECK-LABEL: func.func @constants
// CHECK: arith.constant
// CHECK: graph.transpose
// CHECK: return
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = call @constants()
// CHECK: graph.add(%arg0, %[[W]])
func.func @main(%x: tensor<3x2xf32> {tvm.name = "x"}) -> (tensor<3x2xf32> {tvm.name = "y"}) {
  %w = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = graph.transpose(%w) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.add(%x, %0) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// -----

// A constant by itself is no work.
// CHECK-NOT: @constants
// CHECK-LABEL: func.func @main
// CHECK-NOT: @constants
// CHECK: return
func.func @main(%x: tensor<2xf32> {tvm.name = "x"}) -> (tensor<2xf32> {tvm.name = "y"}) {
  %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = graph.add(%x, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// A value read on both sides: what moved goes on reading it directly.
// CHECK-LABEL: func.func @constants
// CHECK: %[[T:.*]] = graph.transpose
// CHECK: %[[N:.*]] = graph.neg(%[[T]])
// CHECK: return %[[T]], %[[N]]
// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]]:2 = call @constants()
// CHECK: graph.add(%arg0, %[[C]]#0)
// CHECK: graph.add(%{{.*}}, %[[C]]#1)
func.func @main(%x: tensor<3x2xf32> {tvm.name = "x"}) -> (tensor<3x2xf32> {tvm.name = "y"}) {
  %w = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = graph.transpose(%w) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.neg(%0) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %2 = graph.add(%x, %0) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = graph.add(%2, %1) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %3 : tensor<3x2xf32>
}
