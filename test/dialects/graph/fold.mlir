// RUN: tvm-opt --canonicalize --cse %s | FileCheck %s

// CHECK-LABEL: @nothing
// CHECK-SAME: (%[[X:[^:]+]]: tensor<2x3xf32>
func.func @nothing(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = graph.reshape(%x) {shape = array<i64: 2, 3>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = graph.broadcast(%0) {shape = array<i64: 2, 3>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = graph.cast(%1) {to = f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = graph.transpose(%2) {permutation = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = graph.slice(%3) {starts = array<i64: 0, 0>, sizes = array<i64: 2, 3>, steps = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = graph.pad(%4, %v) {low = array<i64: 0, 0>, high = array<i64: 0, 0>, mode = "edge"} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %6 = graph.concat(%5) {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %6 : tensor<2x3xf32>
}

// The types are equal and still it is not the identity.
// CHECK-LABEL: @square_transpose
func.func @square_transpose(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // CHECK: graph.transpose
  %0 = graph.transpose(%x) {permutation = array<i64: 1, 0>} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// CHECK-LABEL: @reversal
func.func @reversal(%x: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: graph.slice
  %0 = graph.slice(%x) {starts = array<i64: 2>, sizes = array<i64: 3>, steps = array<i64: -1>} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @shift
func.func @shift(%x: tensor<3xf32>, %v: tensor<f32>) -> tensor<3xf32> {
  // CHECK: graph.pad
  %0 = graph.pad(%x, %v) {low = array<i64: 1>, high = array<i64: -1>, mode = "constant"} : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @there_and_back
// CHECK-SAME: (%[[X:[^:]+]]: tensor<2x3x4xf32>
func.func @there_and_back(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = graph.transpose(%x) {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = graph.transpose(%0) {permutation = array<i64: 2, 0, 1>} : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @twice_forward
func.func @twice_forward(%x: tensor<3x3x3xf32>) -> tensor<3x3x3xf32> {
  // CHECK-COUNT-2: graph.transpose
  %0 = graph.transpose(%x) {permutation = array<i64: 1, 2, 0>} : (tensor<3x3x3xf32>) -> tensor<3x3x3xf32>
  %1 = graph.transpose(%0) {permutation = array<i64: 1, 2, 0>} : (tensor<3x3x3xf32>) -> tensor<3x3x3xf32>
  return %1 : tensor<3x3x3xf32>
}

// Pure operators are shared and dropped; an assertion stays.
// CHECK-LABEL: @effects
func.func @effects(%x: tensor<4xf32>, %c: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[E:.*]] = graph.exp
  // CHECK-NEXT: graph.assert
  // CHECK-NEXT: return %[[E]], %[[E]]
  %0 = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.log(%x) : (tensor<4xf32>) -> tensor<4xf32>
  graph.assert(%c) {message = "m"} : (tensor<i1>) -> ()
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A constant of a fused body stays in it.
// CHECK-LABEL: @fused_constant
func.func @fused_constant(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: graph.fused
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: arith.constant
  %0 = graph.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = arith.constant dense<2.0> : tensor<4xf32>
    %2 = graph.mul(%a, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield(%2) : (tensor<4xf32>) -> ()
  }
  return %0 : tensor<4xf32>
}
