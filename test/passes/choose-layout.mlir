// RUN: tvm-opt --pass-pipeline='builtin.module(func.func(tvm-choose-layout,canonicalize,cse))' %s | FileCheck %s

// A convolution and the elementwise chain behind it run with channels last;
// the layout of results stays. Padding becomes an operation of its own.
// CHECK-LABEL: func.func @conv_chain
// CHECK: graph.transpose(%arg0) {permutation = array<i64: 0, 2, 3, 1>}
// CHECK: graph.pad
// CHECK: graph.conv
// CHECK-SAME: layout = "NXC"
// CHECK-SAME: pads = array<i64: 0, 0, 0, 0>
// CHECK: graph.relu
// CHECK-SAME: tensor<1x8x8x16xf32>
// CHECK: graph.transpose
// CHECK-SAME: -> tensor<1x16x8x8xf32>
func.func @conv_chain(%x: tensor<1x4x8x8xf32>) -> tensor<1x16x8x8xf32> {
  %w = arith.constant dense<0.5> : tensor<16x4x3x3xf32>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x4x8x8xf32>, tensor<16x4x3x3xf32>) -> tensor<1x16x8x8xf32>
  %1 = graph.relu(%0) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  return %1 : tensor<1x16x8x8xf32>
}

// Weights that only the run knows would have to be transposed at each run.
// CHECK-LABEL: func.func @unknown_weight
// CHECK: graph.conv
// CHECK-SAME: layout = "NCX"
func.func @unknown_weight(%x: tensor<1x4x8x8xf32>, %w: tensor<16x4x3x3xf32>) -> tensor<1x16x6x6xf32> {
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x4x8x8xf32>, tensor<16x4x3x3xf32>) -> tensor<1x16x6x6xf32>
  return %0 : tensor<1x16x6x6xf32>
}

// Nothing asks for another layout.
// CHECK-LABEL: func.func @elementwise
// CHECK-NEXT: graph.relu
// CHECK-NEXT: return
func.func @elementwise(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = graph.relu(%x) : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// -----

// The model's own transpose to channels first cancels in front of a pool.
// CHECK-LABEL: func.func @to_channels_first
// CHECK: %[[E:.*]] = graph.exp(%arg0)
// CHECK: graph.pool(%[[E]])
func.func @to_channels_first(%x: tensor<1x4x4x3xf32>) -> tensor<1x3x2x2xf32> {
  %0 = graph.transpose(%x) {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x4x4x3xf32>) -> tensor<1x3x4x4xf32>
  %1 = graph.exp(%0) : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  %2 = graph.pool(%1) {kind = "max", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, layout = "NCX"} : (tensor<1x3x4x4xf32>) -> tensor<1x3x2x2xf32>
  return %2 : tensor<1x3x2x2xf32>
}

// -----

// A transpose of tokens and features says nothing about channels.
// CHECK-LABEL: func.func @tokens
// CHECK: %[[T:.*]] = graph.transpose(%arg0)
// CHECK: %[[E:.*]] = graph.exp(%[[T]])
// CHECK: graph.matmul(%[[E]], %arg1)
func.func @tokens(%x: tensor<1x8x4xf32>, %w: tensor<8x8xf32>) -> tensor<1x4x8xf32> {
  %0 = graph.transpose(%x) {permutation = array<i64: 0, 2, 1>} : (tensor<1x8x4xf32>) -> tensor<1x4x8xf32>
  %1 = graph.exp(%0) : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %2 = graph.matmul(%1, %w) : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  return %2 : tensor<1x4x8xf32>
}

// -----

// What lies outside of a maximum is lower than all else, and zero for a sum.
// CHECK-LABEL: func.func @padded_pools
// CHECK-DAG: %[[LOW:.*]] = arith.constant dense<0xFF800000> : tensor<f32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK: %[[P:.*]] = graph.pad(%{{.*}}, %[[LOW]]) {high = array<i64: 0, 1, 1, 0>, low = array<i64: 0, 1, 0, 0>
// CHECK: graph.pool(%[[P]]){{.*}}kind = "max"{{.*}}pads = array<i64: 0, 0, 0, 0>
// CHECK: %[[Q:.*]] = graph.pad(%{{.*}}, %[[ZERO]])
// CHECK: graph.pool(%[[Q]]){{.*}}kind = "sum"
func.func @padded_pools(%x: tensor<1x3x4x4xf32>) -> (tensor<1x3x3x2xf32>, tensor<1x3x3x2xf32>) {
  %0 = graph.pool(%x) {kind = "max", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 1, 1>, layout = "NCX"} : (tensor<1x3x4x4xf32>) -> tensor<1x3x3x2xf32>
  %1 = graph.pool(%x) {kind = "sum", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 1, 1>, layout = "NCX"} : (tensor<1x3x4x4xf32>) -> tensor<1x3x3x2xf32>
  return %0, %1 : tensor<1x3x3x2xf32>, tensor<1x3x3x2xf32>
}

// -----

// CHECK-LABEL: func.func @padded_bytes
// CHECK-DAG: arith.constant dense<-128> : tensor<i8>
// CHECK-DAG: arith.constant dense<0> : tensor<ui8>
func.func @padded_bytes(%x: tensor<1x1x2x2xi8>, %y: tensor<1x1x2x2xui8>) -> (tensor<1x1x3x3xi8>, tensor<1x1x3x3xui8>) {
  %0 = graph.pool(%x) {kind = "max", kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, layout = "NCX"} : (tensor<1x1x2x2xi8>) -> tensor<1x1x3x3xi8>
  %1 = graph.pool(%y) {kind = "max", kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, layout = "NCX"} : (tensor<1x1x2x2xui8>) -> tensor<1x1x3x3xui8>
  return %0, %1 : tensor<1x1x3x3xi8>, tensor<1x1x3x3xui8>
}
