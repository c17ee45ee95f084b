// RUN: tvm-opt %s --tvm-split-conv-transpose --canonicalize | FileCheck %s

// Four taps, stride 2: two taps for each of the two phases, one convolution.

// CHECK-LABEL: func.func @even
// CHECK: %[[T:.*]] = graph.reshape(%{{.*}}) {{{.*}}1, 2, 3, 2, 2, 2, 2>}
// CHECK: %[[S:.*]] = graph.slice(%[[T]])
// CHECK-SAME: starts = array<i64: 0, 0, 0, 1, 0, 1, 0>
// CHECK-SAME: steps = array<i64: 1, 1, 1, -1, 1, -1, 1>
// CHECK: %[[P:.*]] = graph.transpose(%[[S]]) {permutation = array<i64: 0, 4, 6, 2, 1, 3, 5>}
// CHECK: %[[W:.*]] = graph.reshape(%[[P]]) {shape = array<i64: 12, 2, 2, 2>}
// CHECK: %[[C:.*]] = graph.conv(%arg0, %[[W]])
// CHECK-SAME: pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>
// CHECK: graph.slice({{.*}}starts = array<i64: 0, 1, 1, 0>
// CHECK-NOT: graph.conv_transpose
func.func @even(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %w = arith.constant dense<2.0> : tensor<2x3x4x4xf32>
  %0 = graph.conv_transpose(%x, %w) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, output_pads = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<2x3x4x4xf32>) -> tensor<1x3x8x8xf32>
  return %0 : tensor<1x3x8x8xf32>
}

// Three taps, stride 2: the first phase has two taps, the second one.

// CHECK-LABEL: func.func @uneven
// CHECK: graph.conv({{.*}} (tensor<1x2x4xf32>, tensor<3x2x2xf32>)
// CHECK: graph.conv({{.*}} (tensor<1x2x4xf32>, tensor<3x2x1xf32>)
// CHECK: graph.concat({{.*}} {axis = 2 : i64}
// CHECK-NOT: graph.conv_transpose
func.func @uneven(%x: tensor<1x2x4xf32>) -> tensor<1x3x9xf32> {
  %w = arith.constant dense<2.0> : tensor<2x3x3xf32>
  %0 = graph.conv_transpose(%x, %w) {strides = array<i64: 2>, pads = array<i64: 0, 0>, output_pads = array<i64: 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x2x4xf32>, tensor<2x3x3xf32>) -> tensor<1x3x9xf32>
  return %0 : tensor<1x3x9xf32>
}

// One element has no neighbours: each tap is a phase.

// CHECK-LABEL: func.func @one_element
// CHECK: graph.conv({{.*}} (tensor<1x2x1x1xf32>, tensor<48x2x1x1xf32>) -> tensor<1x48x1x1xf32>
// CHECK-NOT: graph.slice
// CHECK-NOT: graph.conv_transpose
func.func @one_element(%x: tensor<1x2x1x1xf32>) -> tensor<1x3x4x4xf32> {
  %w = arith.constant dense<2.0> : tensor<2x3x4x4xf32>
  %0 = graph.conv_transpose(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, output_pads = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x1x1xf32>, tensor<2x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// CHECK-LABEL: func.func @dilated
// CHECK: graph.conv_transpose
func.func @dilated(%x: tensor<1x2x4xf32>) -> tensor<1x3x11xf32> {
  %w = arith.constant dense<2.0> : tensor<2x3x3xf32>
  %0 = graph.conv_transpose(%x, %w) {strides = array<i64: 2>, pads = array<i64: 0, 0>, output_pads = array<i64: 0>, dilations = array<i64: 2>, groups = 1 : i64} : (tensor<1x2x4xf32>, tensor<2x3x3xf32>) -> tensor<1x3x11xf32>
  return %0 : tensor<1x3x11xf32>
}

// A stride above the kernel leaves phases without a tap.

// CHECK-LABEL: func.func @gaps
// CHECK: graph.conv_transpose
func.func @gaps(%x: tensor<1x2x4xf32>) -> tensor<1x3x11xf32> {
  %w = arith.constant dense<2.0> : tensor<2x3x2xf32>
  %0 = graph.conv_transpose(%x, %w) {strides = array<i64: 3>, pads = array<i64: 0, 0>, output_pads = array<i64: 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x2x4xf32>, tensor<2x3x2xf32>) -> tensor<1x3x11xf32>
  return %0 : tensor<1x3x11xf32>
}

// CHECK-LABEL: func.func @computed_weight
// CHECK: graph.conv_transpose
func.func @computed_weight(%x: tensor<1x2x4xf32>, %w: tensor<2x3x4xf32>) -> tensor<1x3x10xf32> {
  %0 = graph.conv_transpose(%x, %w) {strides = array<i64: 2>, pads = array<i64: 0, 0>, output_pads = array<i64: 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x2x4xf32>, tensor<2x3x4xf32>) -> tensor<1x3x10xf32>
  return %0 : tensor<1x3x10xf32>
}

// Pads that take the last input away altogether.

// CHECK-LABEL: func.func @cropped_input
// CHECK: graph.conv_transpose
func.func @cropped_input(%x: tensor<1x2x4xf32>) -> tensor<1x3x3xf32> {
  %w = arith.constant dense<2.0> : tensor<2x3x4xf32>
  %0 = graph.conv_transpose(%x, %w) {strides = array<i64: 2>, pads = array<i64: 1, 6>, output_pads = array<i64: 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x2x4xf32>, tensor<2x3x4xf32>) -> tensor<1x3x3xf32>
  return %0 : tensor<1x3x3xf32>
}
