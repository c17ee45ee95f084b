// RUN: tvm-opt --pass-pipeline='builtin.module(func.func(tvm-simplify-graph))' --split-input-file %s | FileCheck %s

// Batch norm goes into the weight and the bias.
// CHECK-LABEL: func.func @batch_norm
// CHECK: %[[W:.*]] = graph.mul(%{{.*}}, %{{.*}}) : (tensor<4x2x3x3xf32>, tensor<4x1x1x1xf32>)
// CHECK: %[[Y:.*]] = graph.conv(%arg0, %[[W]])
// CHECK: %[[B:.*]] = graph.add(%{{.*}}, %{{.*}}) : (tensor<4x1x1xf32>, tensor<4x1x1xf32>)
// CHECK-NEXT: %[[Z:.*]] = graph.add(%[[Y]], %[[B]])
// CHECK-NEXT: return %[[Z]]
func.func @batch_norm(%x: tensor<1x2x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %w = arith.constant dense<0.5> : tensor<4x2x3x3xf32>
  %b = arith.constant dense<[[[0.1]], [[0.2]], [[0.3]], [[0.4]]]> : tensor<4x1x1xf32>
  %s = arith.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]> : tensor<4x1x1xf32>
  %c = arith.constant dense<[[[5.0]], [[6.0]], [[7.0]], [[8.0]]]> : tensor<4x1x1xf32>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x8x8xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x8x8xf32>
  %1 = graph.add(%0, %b) : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = graph.mul(%1, %s) : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %3 = graph.add(%2, %c) : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
  return %3 : tensor<1x4x8x8xf32>
}

// -----

// One number, as a divisor.
// CHECK-LABEL: func.func @divisor
// CHECK: %[[W:.*]] = graph.div(%{{.*}}, %{{.*}}) : (tensor<3x2x3x3xf32>, tensor<f32>)
// CHECK: %[[Y:.*]] = graph.conv(%arg0, %[[W]])
// CHECK-NEXT: return %[[Y]]
func.func @divisor(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %w = arith.constant dense<0.5> : tensor<3x2x3x3xf32>
  %s = arith.constant dense<3.0> : tensor<f32>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  %1 = graph.div(%0, %s) : (tensor<1x3x4x4xf32>, tensor<f32>) -> tensor<1x3x4x4xf32>
  return %1 : tensor<1x3x4x4xf32>
}

// -----

// A weight of zero would become NaN.
// CHECK-LABEL: func.func @infinite
// CHECK: graph.conv
// CHECK: graph.mul
func.func @infinite(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %w = arith.constant dense<10.0> : tensor<3x2x3x3xf32>
  %s = arith.constant dense<0x7F800000> : tensor<f32>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  %1 = graph.mul(%0, %s) : (tensor<1x3x4x4xf32>, tensor<f32>) -> tensor<1x3x4x4xf32>
  return %1 : tensor<1x3x4x4xf32>
}

// -----

// NaN is left to the program.
// CHECK-LABEL: func.func @nan
// CHECK: graph.conv
// CHECK: graph.mul
func.func @nan(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %w = arith.constant dense<10.0> : tensor<3x2x3x3xf32>
  %s = arith.constant dense<0x7FC00000> : tensor<f32>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  %1 = graph.mul(%0, %s) : (tensor<1x3x4x4xf32>, tensor<f32>) -> tensor<1x3x4x4xf32>
  return %1 : tensor<1x3x4x4xf32>
}

// -----

// The weight would overflow, the result perhaps not.
// CHECK-LABEL: func.func @overflow
// CHECK: graph.conv
// CHECK: graph.mul
func.func @overflow(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %w = arith.constant dense<10.0> : tensor<3x2x3x3xf32>
  %s = arith.constant dense<1.0e38> : tensor<f32>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  %1 = graph.mul(%0, %s) : (tensor<1x3x4x4xf32>, tensor<f32>) -> tensor<1x3x4x4xf32>
  return %1 : tensor<1x3x4x4xf32>
}

// -----

// The scale varies along a spatial dimension.
// CHECK-LABEL: func.func @per_column
// CHECK: graph.conv
// CHECK: graph.mul
func.func @per_column(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %w = arith.constant dense<0.5> : tensor<3x2x3x3xf32>
  %s = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  %1 = graph.mul(%0, %s) : (tensor<1x3x4x4xf32>, tensor<4xf32>) -> tensor<1x3x4x4xf32>
  return %1 : tensor<1x3x4x4xf32>
}

// -----

// The convolution is needed as it is.
// CHECK-LABEL: func.func @two_users
// CHECK: graph.conv
// CHECK: graph.mul
func.func @two_users(%x: tensor<1x2x4x4xf32>) -> (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) {
  %w = arith.constant dense<0.5> : tensor<3x2x3x3xf32>
  %s = arith.constant dense<[[[1.0]], [[2.0]], [[3.0]]]> : tensor<3x1x1xf32>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  %1 = graph.mul(%0, %s) : (tensor<1x3x4x4xf32>, tensor<3x1x1xf32>) -> tensor<1x3x4x4xf32>
  return %0, %1 : tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>
}

// -----

// What is added is no constant.
// CHECK-LABEL: func.func @residual
// CHECK: graph.conv
// CHECK: graph.add
// CHECK: graph.mul
func.func @residual(%x: tensor<1x2x4x4xf32>, %r: tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %w = arith.constant dense<0.5> : tensor<3x2x3x3xf32>
  %s = arith.constant dense<[[[1.0]], [[2.0]], [[3.0]]]> : tensor<3x1x1xf32>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  %1 = graph.add(%0, %r) : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  %2 = graph.mul(%1, %s) : (tensor<1x3x4x4xf32>, tensor<3x1x1xf32>) -> tensor<1x3x4x4xf32>
  return %2 : tensor<1x3x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @weight_as_argument
// CHECK: graph.conv
// CHECK: graph.mul
func.func @weight_as_argument(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32> {
  %s = arith.constant dense<[[[1.0]], [[2.0]], [[3.0]]]> : tensor<3x1x1xf32>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  %1 = graph.mul(%0, %s) : (tensor<1x3x4x4xf32>, tensor<3x1x1xf32>) -> tensor<1x3x4x4xf32>
  return %1 : tensor<1x3x4x4xf32>
}

// -----

// Half precision and integers round, or wrap, where it would show.
// CHECK-LABEL: func.func @half
// CHECK: graph.conv
// CHECK: graph.mul
func.func @half(%x: tensor<1x2x4x4xf16>) -> tensor<1x3x4x4xf16> {
  %w = arith.constant dense<0.5> : tensor<3x2x3x3xf16>
  %s = arith.constant dense<3.0> : tensor<f16>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf16>, tensor<3x2x3x3xf16>) -> tensor<1x3x4x4xf16>
  %1 = graph.mul(%0, %s) : (tensor<1x3x4x4xf16>, tensor<f16>) -> tensor<1x3x4x4xf16>
  return %1 : tensor<1x3x4x4xf16>
}

// -----

// CHECK-LABEL: func.func @integers
// CHECK: graph.conv
// CHECK: graph.mul
func.func @integers(%x: tensor<1x2x4x4xi32>) -> tensor<1x3x4x4xi32> {
  %w = arith.constant dense<2> : tensor<3x2x3x3xi32>
  %s = arith.constant dense<3> : tensor<i32>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xi32>, tensor<3x2x3x3xi32>) -> tensor<1x3x4x4xi32>
  %1 = graph.mul(%0, %s) : (tensor<1x3x4x4xi32>, tensor<i32>) -> tensor<1x3x4x4xi32>
  return %1 : tensor<1x3x4x4xi32>
}

// -----

// CHECK-LABEL: func.func @channels_last
// CHECK: graph.mul(%{{.*}}, %{{.*}}) : (tensor<3x3x2x3xf32>, tensor<3xf32>)
// CHECK: %[[Y:.*]] = graph.conv
// CHECK-NEXT: return %[[Y]]
func.func @channels_last(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x3xf32> {
  %w = arith.constant dense<0.5> : tensor<3x3x2x3xf32>
  %s = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NXC"} : (tensor<1x4x4x2xf32>, tensor<3x3x2x3xf32>) -> tensor<1x4x4x3xf32>
  %1 = graph.mul(%0, %s) : (tensor<1x4x4x3xf32>, tensor<3xf32>) -> tensor<1x4x4x3xf32>
  return %1 : tensor<1x4x4x3xf32>
}

// -----

// CHECK-LABEL: func.func @conv_transpose
// CHECK: %[[W:.*]] = graph.mul(%{{.*}}, %{{.*}}) : (tensor<2x3x2x2xf32>, tensor<3x1x1xf32>)
// CHECK: %[[Y:.*]] = graph.conv_transpose(%arg0, %[[W]])
// CHECK-NEXT: return %[[Y]]
func.func @conv_transpose(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %w = arith.constant dense<0.5> : tensor<2x3x2x2xf32>
  %s = arith.constant dense<[[[1.0]], [[2.0]], [[3.0]]]> : tensor<3x1x1xf32>
  %0 = graph.conv_transpose(%x, %w) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, output_pads = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<2x3x2x2xf32>) -> tensor<1x3x8x8xf32>
  %1 = graph.mul(%0, %s) : (tensor<1x3x8x8xf32>, tensor<3x1x1xf32>) -> tensor<1x3x8x8xf32>
  return %1 : tensor<1x3x8x8xf32>
}

// -----

// Groups share the weight's output dimension.
// CHECK-LABEL: func.func @conv_transpose_groups
// CHECK: graph.conv_transpose
// CHECK: graph.mul
func.func @conv_transpose_groups(%x: tensor<1x2x4x4xf32>) -> tensor<1x6x8x8xf32> {
  %w = arith.constant dense<0.5> : tensor<2x3x2x2xf32>
  %s = arith.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]], [[5.0]], [[6.0]]]> : tensor<6x1x1xf32>
  %0 = graph.conv_transpose(%x, %w) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, output_pads = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x2x4x4xf32>, tensor<2x3x2x2xf32>) -> tensor<1x6x8x8xf32>
  %1 = graph.mul(%0, %s) : (tensor<1x6x8x8xf32>, tensor<6x1x1xf32>) -> tensor<1x6x8x8xf32>
  return %1 : tensor<1x6x8x8xf32>
}

// -----

// CHECK-LABEL: func.func @matmul
// CHECK: %[[W:.*]] = graph.mul(%{{.*}}, %{{.*}}) : (tensor<4x3xf32>, tensor<3xf32>)
// CHECK: %[[Y:.*]] = graph.matmul(%arg0, %[[W]])
// CHECK: graph.add(%[[Y]], %{{.*}})
// CHECK-NEXT: return
func.func @matmul(%x: tensor<5x2x4xf32>) -> tensor<5x2x3xf32> {
  %w = arith.constant dense<0.5> : tensor<4x3xf32>
  %b = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %s = arith.constant dense<[4.0, 5.0, 6.0]> : tensor<3xf32>
  %0 = graph.matmul(%x, %w) : (tensor<5x2x4xf32>, tensor<4x3xf32>) -> tensor<5x2x3xf32>
  %1 = graph.add(%b, %0) : (tensor<3xf32>, tensor<5x2x3xf32>) -> tensor<5x2x3xf32>
  %2 = graph.mul(%s, %1) : (tensor<3xf32>, tensor<5x2x3xf32>) -> tensor<5x2x3xf32>
  return %2 : tensor<5x2x3xf32>
}

// -----

// CHECK-LABEL: func.func @matmul_left
// CHECK: %[[W:.*]] = graph.mul(%{{.*}}, %{{.*}}) : (tensor<2x4xf32>, tensor<2x1xf32>)
// CHECK: %[[Y:.*]] = graph.matmul(%[[W]], %arg0)
// CHECK-NEXT: return %[[Y]]
func.func @matmul_left(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %w = arith.constant dense<0.5> : tensor<2x4xf32>
  %s = arith.constant dense<[[4.0], [5.0]]> : tensor<2x1xf32>
  %0 = graph.matmul(%w, %x) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %1 = graph.mul(%0, %s) : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// -----

// The scale of attention goes into the projection.
// CHECK-LABEL: func.func @attention
// CHECK: %[[W:.*]] = graph.div(%{{.*}}, %{{.*}}) : (tensor<4x6xf32>, tensor<f32>)
// CHECK: %[[Y:.*]] = graph.matmul(%arg0, %[[W]])
// CHECK: %[[B:.*]] = graph.div(%{{.*}}, %{{.*}}) : (tensor<6xf32>, tensor<f32>)
// CHECK: graph.add(%[[Y]], %[[B]])
// CHECK: %[[Z:.*]] = graph.matmul
// CHECK-NEXT: return %[[Z]]
func.func @attention(%x: tensor<5x4xf32>, %k: tensor<2x3x5xf32>) -> tensor<2x5x5xf32> {
  %w = arith.constant dense<0.5> : tensor<4x6xf32>
  %b = arith.constant dense<1.0> : tensor<6xf32>
  %s = arith.constant dense<1.4> : tensor<f32>
  %0 = graph.matmul(%x, %w) : (tensor<5x4xf32>, tensor<4x6xf32>) -> tensor<5x6xf32>
  %1 = graph.add(%0, %b) : (tensor<5x6xf32>, tensor<6xf32>) -> tensor<5x6xf32>
  %2 = graph.reshape(%1) {shape = array<i64: 5, 2, 3>} : (tensor<5x6xf32>) -> tensor<5x2x3xf32>
  %3 = graph.transpose(%2) {permutation = array<i64: 1, 0, 2>} : (tensor<5x2x3xf32>) -> tensor<2x5x3xf32>
  %4 = graph.matmul(%3, %k) : (tensor<2x5x3xf32>, tensor<2x3x5xf32>) -> tensor<2x5x5xf32>
  %5 = graph.div(%4, %s) : (tensor<2x5x5xf32>, tensor<f32>) -> tensor<2x5x5xf32>
  return %5 : tensor<2x5x5xf32>
}

// -----

// The projection has another user.
// CHECK-LABEL: func.func @attention_shared
// CHECK: graph.matmul
// CHECK: graph.matmul
// CHECK: graph.div
func.func @attention_shared(%x: tensor<5x4xf32>, %k: tensor<2x3x5xf32>) -> (tensor<2x5x5xf32>, tensor<5x2x3xf32>) {
  %w = arith.constant dense<0.5> : tensor<4x6xf32>
  %b = arith.constant dense<1.0> : tensor<6xf32>
  %s = arith.constant dense<1.4> : tensor<f32>
  %0 = graph.matmul(%x, %w) : (tensor<5x4xf32>, tensor<4x6xf32>) -> tensor<5x6xf32>
  %1 = graph.add(%0, %b) : (tensor<5x6xf32>, tensor<6xf32>) -> tensor<5x6xf32>
  %2 = graph.reshape(%1) {shape = array<i64: 5, 2, 3>} : (tensor<5x6xf32>) -> tensor<5x2x3xf32>
  %3 = graph.transpose(%2) {permutation = array<i64: 1, 0, 2>} : (tensor<5x2x3xf32>) -> tensor<2x5x3xf32>
  %4 = graph.matmul(%3, %k) : (tensor<2x5x3xf32>, tensor<2x3x5xf32>) -> tensor<2x5x5xf32>
  %5 = graph.div(%4, %s) : (tensor<2x5x5xf32>, tensor<f32>) -> tensor<2x5x5xf32>
  return %5, %2 : tensor<2x5x5xf32>, tensor<5x2x3xf32>
}

// -----

// CHECK-LABEL: func.func @factor_before_conv
// CHECK: %[[W:.*]] = graph.mul(%{{.*}}, %{{.*}}) : (tensor<3x2x3x3xf32>, tensor<2x1x1xf32>)
// CHECK: graph.conv(%arg0, %[[W]])
// CHECK-NEXT: return
func.func @factor_before_conv(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %w = arith.constant dense<0.5> : tensor<3x2x3x3xf32>
  %s = arith.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %p = graph.mul(%x, %s) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %0 = graph.conv(%p, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @factor_and_pad_before_conv
// CHECK: %[[W:.*]] = graph.mul
// CHECK: graph.conv(%arg0, %[[W]]) {{.*}}pads = array<i64: 1, 1, 1, 1>
// CHECK-NEXT: return
func.func @factor_and_pad_before_conv(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %w = arith.constant dense<0.5> : tensor<3x2x3x3xf32>
  %s = arith.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %p = graph.mul(%x, %s) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %q = graph.pad(%p, %zero) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant"} : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x6x6xf32>
  %0 = graph.conv(%q, %w) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x6x6xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// -----

// The border would miss it.
// CHECK-LABEL: func.func @addend_before_conv
// CHECK: graph.add
// CHECK: graph.conv
func.func @addend_before_conv(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %w = arith.constant dense<0.5> : tensor<3x2x3x3xf32>
  %s = arith.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %p = graph.add(%x, %s) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %0 = graph.conv(%p, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @factor_before_depthwise
// CHECK: graph.mul(%{{.*}}, %{{.*}}) : (tensor<4x1x3x3xf32>, tensor<4x1x1x1xf32>)
// CHECK: graph.conv(%arg0
// CHECK-NEXT: return
func.func @factor_before_depthwise(%x: tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32> {
  %w = arith.constant dense<0.5> : tensor<4x1x3x3xf32>
  %s = arith.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]> : tensor<4x1x1xf32>
  %p = graph.mul(%x, %s) : (tensor<1x4x4x4xf32>, tensor<4x1x1xf32>) -> tensor<1x4x4x4xf32>
  %0 = graph.conv(%p, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 4 : i64, layout = "NCX"} : (tensor<1x4x4x4xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// -----

// Groups share the weight's input dimension.
// CHECK-LABEL: func.func @factor_before_groups
// CHECK: graph.mul(%arg0
// CHECK: graph.conv
func.func @factor_before_groups(%x: tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32> {
  %w = arith.constant dense<0.5> : tensor<4x2x3x3xf32>
  %s = arith.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]> : tensor<4x1x1xf32>
  %p = graph.mul(%x, %s) : (tensor<1x4x4x4xf32>, tensor<4x1x1xf32>) -> tensor<1x4x4x4xf32>
  %0 = graph.conv(%p, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64, layout = "NCX"} : (tensor<1x4x4x4xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @factor_before_matmul
// CHECK: graph.mul(%{{.*}}, %{{.*}}) : (tensor<4x3xf32>, tensor<4x1xf32>)
// CHECK: %[[Y:.*]] = graph.matmul(%arg0
// CHECK-NEXT: return %[[Y]]
func.func @factor_before_matmul(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %w = arith.constant dense<0.5> : tensor<4x3xf32>
  %s = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %p = graph.mul(%x, %s) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %0 = graph.matmul(%p, %w) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @factor_before_matmul_right
// CHECK: graph.mul(%{{.*}}, %{{.*}}) : (tensor<2x4xf32>, tensor<4xf32>)
// CHECK: graph.matmul(%{{.*}}, %arg0)
// CHECK-NEXT: return
func.func @factor_before_matmul_right(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %w = arith.constant dense<0.5> : tensor<2x4xf32>
  %s = arith.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
  %p = graph.mul(%x, %s) : (tensor<4x3xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
  %0 = graph.matmul(%w, %p) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Rows are not what is summed over.
// CHECK-LABEL: func.func @factor_of_rows
// CHECK: graph.mul(%arg0
// CHECK: graph.matmul
func.func @factor_of_rows(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %w = arith.constant dense<0.5> : tensor<4x3xf32>
  %s = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %p = graph.mul(%x, %s) : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %0 = graph.matmul(%p, %w) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// This rounds to integers.
// CHECK-LABEL: func.func @large_addend
// CHECK-COUNT-2: graph.add
func.func @large_addend(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %w = arith.constant dense<0.5> : tensor<4x3xf32>
  %s = arith.constant dense<12582912.0> : tensor<f32>
  %n = arith.constant dense<-12582912.0> : tensor<f32>
  %0 = graph.matmul(%x, %w) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %1 = graph.add(%0, %s) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %2 = graph.add(%1, %n) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// -----

// The mean's divisor, over the flattening.
// CHECK-LABEL: func.func @factor_before_reshape
// CHECK: %[[W:.*]] = graph.div(%{{.*}}, %{{.*}}) : (tensor<4x3xf32>, tensor<f32>)
// CHECK: %[[R:.*]] = graph.reshape(%arg0)
// CHECK: %[[Y:.*]] = graph.matmul(%[[R]], %[[W]])
// CHECK-NEXT: return %[[Y]]
func.func @factor_before_reshape(%x: tensor<2x4x1x1xf32>) -> tensor<2x3xf32> {
  %w = arith.constant dense<0.5> : tensor<4x3xf32>
  %s = arith.constant dense<49.0> : tensor<f32>
  %0 = graph.div(%x, %s) : (tensor<2x4x1x1xf32>, tensor<f32>) -> tensor<2x4x1x1xf32>
  %1 = graph.reshape(%0) {shape = array<i64: 2, 4>} : (tensor<2x4x1x1xf32>) -> tensor<2x4xf32>
  %2 = graph.matmul(%1, %w) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// -----

// The dimension of the factors goes in the reshape.
// CHECK-LABEL: func.func @factors_before_reshape
// CHECK: graph.mul(%arg0
// CHECK: graph.matmul
func.func @factors_before_reshape(%x: tensor<2x2x2xf32>) -> tensor<2x3xf32> {
  %w = arith.constant dense<0.5> : tensor<4x3xf32>
  %s = arith.constant dense<[3.0, 5.0]> : tensor<2xf32>
  %0 = graph.mul(%x, %s) : (tensor<2x2x2xf32>, tensor<2xf32>) -> tensor<2x2x2xf32>
  %1 = graph.reshape(%0) {shape = array<i64: 2, 4>} : (tensor<2x2x2xf32>) -> tensor<2x4xf32>
  %2 = graph.matmul(%1, %w) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// -----

// Both sides of a sum can be scaled.
// CHECK-LABEL: func.func @sum_of_two
// CHECK-COUNT-2: graph.mul(%{{.*}}, %{{.*}}) : (tensor<3x2x1x1xf32>, tensor<3x1x1x1xf32>)
// CHECK: %[[S:.*]] = graph.sub
// CHECK-NEXT: return %[[S]]
func.func @sum_of_two(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %v = arith.constant dense<0.5> : tensor<3x2x1x1xf32>
  %w = arith.constant dense<0.25> : tensor<3x2x1x1xf32>
  %s = arith.constant dense<[[[1.0]], [[2.0]], [[3.0]]]> : tensor<3x1x1xf32>
  %0 = graph.conv(%x, %v) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %1 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %2 = graph.sub(%0, %1) : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  %3 = graph.mul(%2, %s) : (tensor<1x3x4x4xf32>, tensor<3x1x1xf32>) -> tensor<1x3x4x4xf32>
  return %3 : tensor<1x3x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @mean_behind
// CHECK: graph.div(%{{.*}}, %{{.*}}) : (tensor<3x2x1x1xf32>, tensor<f32>)
// CHECK: graph.pad
// CHECK: graph.pool
// CHECK: %[[S:.*]] = graph.reduce_sum
// CHECK-NEXT: return %[[S]]
func.func @mean_behind(%x: tensor<1x2x4x4xf32>) -> tensor<1x3xf32> {
  %w = arith.constant dense<0.25> : tensor<3x2x1x1xf32>
  %s = arith.constant dense<49.0> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %1 = graph.pad(%0, %zero) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant"} : (tensor<1x3x4x4xf32>, tensor<f32>) -> tensor<1x3x6x6xf32>
  %3 = graph.pool(%1) {kind = "sum", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, layout = "NXC"} : (tensor<1x3x6x6xf32>) -> tensor<1x1x3x6xf32>
  %4 = graph.reshape(%3) {shape = array<i64: 1, 3, 6>} : (tensor<1x1x3x6xf32>) -> tensor<1x3x6xf32>
  %5 = graph.reduce_sum(%4) {axes = array<i64: 2>, keepdims = false} : (tensor<1x3x6xf32>) -> tensor<1x3xf32>
  %6 = graph.div(%5, %s) : (tensor<1x3xf32>, tensor<f32>) -> tensor<1x3xf32>
  return %6 : tensor<1x3xf32>
}

// -----

// The largest of scaled numbers is another for a negative scale; the pad's
// value would have to be scaled.
// CHECK-LABEL: func.func @max_and_pad_behind
// CHECK: graph.pool
// CHECK: graph.pad
// CHECK: graph.mul
func.func @max_and_pad_behind(%x: tensor<1x2x4x4xf32>) -> (tensor<1x3x2x2xf32>, tensor<1x3x4x5xf32>) {
  %v = arith.constant dense<0.5> : tensor<3x2x1x1xf32>
  %w = arith.constant dense<0.25> : tensor<3x2x1x1xf32>
  %s = arith.constant dense<-3.0> : tensor<f32>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %1 = graph.pool(%0) {kind = "max", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, layout = "NCX"} : (tensor<1x3x4x4xf32>) -> tensor<1x3x2x2xf32>
  %2 = graph.mul(%1, %s) : (tensor<1x3x2x2xf32>, tensor<f32>) -> tensor<1x3x2x2xf32>
  %3 = graph.conv(%x, %v) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %4 = graph.pad(%3, %s) {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 0, 1>, mode = "constant"} : (tensor<1x3x4x4xf32>, tensor<f32>) -> tensor<1x3x4x5xf32>
  %5 = graph.mul(%4, %s) : (tensor<1x3x4x5xf32>, tensor<f32>) -> tensor<1x3x4x5xf32>
  return %2, %5 : tensor<1x3x2x2xf32>, tensor<1x3x4x5xf32>
}

// -----

// A small number beside the bias.
// CHECK-LABEL: func.func @small_addend
// CHECK: %[[B:.*]] = graph.add(%{{.*}}, %{{.*}}) : (tensor<3xf32>, tensor<f32>)
// CHECK: %[[S:.*]] = graph.add(%{{.*}}, %[[B]])
// CHECK-NEXT: return %[[S]]
func.func @small_addend(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %w = arith.constant dense<0.5> : tensor<4x3xf32>
  %b = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %c = arith.constant dense<7.0> : tensor<f32>
  %0 = graph.matmul(%x, %w) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %1 = graph.add(%0, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = graph.add(%1, %c) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @factors
// CHECK: %[[A:.*]] = graph.div(%[[C5:.*]], %[[C3:.*]]) : (tensor<f32>, tensor<f32>)
// CHECK: graph.mul(%arg0, %[[A]])
// CHECK: %[[B:.*]] = graph.mul(%[[C3]], %[[C5]]) : (tensor<f32>, tensor<f32>)
// CHECK: graph.div(%arg0, %[[B]])
func.func @factors(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = arith.constant dense<3.0> : tensor<f32>
  %b = arith.constant dense<5.0> : tensor<f32>
  %0 = graph.div(%x, %a) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = graph.mul(%0, %b) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = graph.div(%x, %a) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = graph.div(%2, %b) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %1, %3 : tensor<2xf32>, tensor<2xf32>
}

// -----

// The product of the factors is infinite, where small numbers are not.
// CHECK-LABEL: func.func @large_factors
// CHECK-COUNT-2: graph.mul(%{{.*}}, %{{.*}}) : (tensor<2xf32>, tensor<f32>)
func.func @large_factors(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = arith.constant dense<1.0e30> : tensor<f32>
  %0 = graph.mul(%x, %a) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = graph.mul(%0, %a) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// A rectifier passes positive factors, and turns at negative ones.
// CHECK-LABEL: func.func @rectifier
// CHECK: graph.mul(%{{.*}}, %{{.*}}) : (tensor<4x3xf32>, tensor<3xf32>)
// CHECK: %[[R:.*]] = graph.relu
// CHECK: graph.relu
// CHECK: %[[S:.*]] = graph.mul
// CHECK: return %[[R]], %[[S]]
func.func @rectifier(%x: tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %v = arith.constant dense<0.25> : tensor<4x3xf32>
  %w = arith.constant dense<0.5> : tensor<4x3xf32>
  %s = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %t = arith.constant dense<[1.0, -2.0, 3.0]> : tensor<3xf32>
  %0 = graph.matmul(%x, %v) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %1 = graph.relu(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = graph.mul(%1, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %3 = graph.matmul(%x, %w) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %4 = graph.relu(%3) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = graph.mul(%4, %t) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %2, %5 : tensor<2x3xf32>, tensor<2x3xf32>
}
