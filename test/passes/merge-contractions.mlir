// RUN: tvm-opt --pass-pipeline='builtin.module(func.func(tvm-merge-contractions,canonicalize))' --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @projections
// CHECK: %[[W:.*]] = graph.concat(%{{.*}}, %{{.*}}) {axis = 1 : i64} : (tensor<4x2xf32>, tensor<4x3xf32>)
// CHECK: %[[M:.*]] = graph.matmul(%arg0, %[[W]]) : (tensor<1x5x4xf32>, tensor<4x5xf32>)
// CHECK: %[[B:.*]] = graph.concat(%{{.*}}, %{{.*}}) {axis = 0 : i64}
// CHECK: %[[Y:.*]] = graph.add(%[[M]], %[[B]])
// CHECK: %[[Q:.*]] = graph.slice(%[[Y]]) {sizes = array<i64: 1, 5, 2>, starts = array<i64: 0, 0, 0>
// CHECK: %[[K:.*]] = graph.slice(%[[Y]]) {sizes = array<i64: 1, 5, 3>, starts = array<i64: 0, 0, 2>
// CHECK-NEXT: return %[[Q]], %[[K]]
func.func @projections(%x: tensor<1x5x4xf32>) -> (tensor<1x5x2xf32>, tensor<1x5x3xf32>) {
  %w0 = arith.constant dense<0.5> : tensor<4x2xf32>
  %b0 = arith.constant dense<1.0> : tensor<2xf32>
  %0 = graph.matmul(%x, %w0) : (tensor<1x5x4xf32>, tensor<4x2xf32>) -> tensor<1x5x2xf32>
  %1 = graph.add(%0, %b0) : (tensor<1x5x2xf32>, tensor<2xf32>) -> tensor<1x5x2xf32>
  %v = arith.constant dense<0.25> : tensor<3x4xf32>
  %w1 = graph.transpose(%v) {permutation = array<i64: 1, 0>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %b1 = arith.constant dense<2.0> : tensor<3xf32>
  %2 = graph.matmul(%x, %w1) : (tensor<1x5x4xf32>, tensor<4x3xf32>) -> tensor<1x5x3xf32>
  %3 = graph.add(%2, %b1) : (tensor<1x5x3xf32>, tensor<3xf32>) -> tensor<1x5x3xf32>
  return %1, %3 : tensor<1x5x2xf32>, tensor<1x5x3xf32>
}

// -----

// Without a bias for each, the one there is stays outside.
// CHECK-LABEL: func.func @one_bias
// CHECK: %[[M:.*]] = graph.matmul
// CHECK: %[[Q:.*]] = graph.slice(%[[M]])
// CHECK: %[[K:.*]] = graph.slice(%[[M]])
// CHECK: %[[S:.*]] = graph.add(%[[Q]], %{{.*}})
// CHECK: return %[[S]], %[[K]]
func.func @one_bias(%x: tensor<5x4xf32>) -> (tensor<5x2xf32>, tensor<5x3xf32>) {
  %w0 = arith.constant dense<0.5> : tensor<4x2xf32>
  %b0 = arith.constant dense<1.0> : tensor<2xf32>
  %w1 = arith.constant dense<0.25> : tensor<4x3xf32>
  %0 = graph.matmul(%x, %w0) : (tensor<5x4xf32>, tensor<4x2xf32>) -> tensor<5x2xf32>
  %1 = graph.add(%0, %b0) : (tensor<5x2xf32>, tensor<2xf32>) -> tensor<5x2xf32>
  %2 = graph.matmul(%x, %w1) : (tensor<5x4xf32>, tensor<4x3xf32>) -> tensor<5x3xf32>
  return %1, %2 : tensor<5x2xf32>, tensor<5x3xf32>
}

// -----

// Another left operand; a weight that is no constant; many rows.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-5: graph.matmul
// CHECK-NOT: graph.concat
// CHECK: return
func.func @apart(%x: tensor<5x4xf32>, %y: tensor<5x4xf32>, %w: tensor<4x2xf32>, %z: tensor<1000x4xf32>) -> (tensor<5x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>, tensor<1000x2xf32>, tensor<1000x2xf32>) {
  %w0 = arith.constant dense<0.5> : tensor<4x2xf32>
  %w1 = arith.constant dense<0.25> : tensor<4x2xf32>
  %w2 = arith.constant dense<0.125> : tensor<4x2xf32>
  %w3 = arith.constant dense<0.75> : tensor<4x2xf32>
  %0 = graph.matmul(%x, %w0) : (tensor<5x4xf32>, tensor<4x2xf32>) -> tensor<5x2xf32>
  %1 = graph.matmul(%y, %w1) : (tensor<5x4xf32>, tensor<4x2xf32>) -> tensor<5x2xf32>
  %2 = graph.matmul(%x, %w) : (tensor<5x4xf32>, tensor<4x2xf32>) -> tensor<5x2xf32>
  %3 = graph.matmul(%z, %w2) : (tensor<1000x4xf32>, tensor<4x2xf32>) -> tensor<1000x2xf32>
  %4 = graph.matmul(%z, %w3) : (tensor<1000x4xf32>, tensor<4x2xf32>) -> tensor<1000x2xf32>
  return %0, %1, %2, %3, %4 : tensor<5x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>, tensor<1000x2xf32>, tensor<1000x2xf32>
}
