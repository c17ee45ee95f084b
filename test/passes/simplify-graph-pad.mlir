// RUN: tvm-opt --pass-pipeline='builtin.module(func.func(tvm-simplify-graph))' --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @conv
// CHECK: graph.conv(%arg0, %{{.*}}) {{.*}}pads = array<i64: 1, 2, 0, 2>
// CHECK-NEXT: return
func.func @conv(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x3x6xf32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %w = arith.constant dense<0.5> : tensor<3x2x3x3xf32>
  %0 = graph.pad(%x, %zero) {low = array<i64: 0, 0, 0, 1>, high = array<i64: 0, 0, 0, 2>, mode = "constant"} : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x7xf32>
  %1 = graph.conv(%0, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x7xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x3x6xf32>
  return %1 : tensor<1x3x3x6xf32>
}

// -----

// Another value.
// CHECK-LABEL: func.func @conv_pad_of_one
// CHECK: graph.pad
// CHECK: graph.conv
func.func @conv_pad_of_one(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %v = arith.constant dense<1.0> : tensor<f32>
  %w = arith.constant dense<0.5> : tensor<3x2x3x3xf32>
  %0 = graph.pad(%x, %v) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant"} : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x6x6xf32>
  %1 = graph.conv(%0, %w) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x6x6xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  return %1 : tensor<1x3x4x4xf32>
}

// -----

// Its sums differ in the sign of zero.
// CHECK-LABEL: func.func @conv_pad_of_minus_zero
// CHECK: graph.pad
// CHECK: graph.conv
func.func @conv_pad_of_minus_zero(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %v = arith.constant dense<-0.0> : tensor<f32>
  %w = arith.constant dense<0.5> : tensor<3x2x3x3xf32>
  %0 = graph.pad(%x, %v) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant"} : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x6x6xf32>
  %1 = graph.conv(%0, %w) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x6x6xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  return %1 : tensor<1x3x4x4xf32>
}

// -----

// Another mode.
// CHECK-LABEL: func.func @conv_edge
// CHECK: graph.pad
// CHECK: graph.conv
func.func @conv_edge(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %v = arith.constant dense<0.0> : tensor<f32>
  %w = arith.constant dense<0.5> : tensor<3x2x3x3xf32>
  %0 = graph.pad(%x, %v) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "edge"} : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x6x6xf32>
  %1 = graph.conv(%0, %w) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x6x6xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  return %1 : tensor<1x3x4x4xf32>
}

// -----

// Cropping is no padding.
// CHECK-LABEL: func.func @conv_crop
// CHECK: graph.pad
// CHECK: graph.conv
func.func @conv_crop(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x2x4xf32> {
  %v = arith.constant dense<0.0> : tensor<f32>
  %w = arith.constant dense<0.5> : tensor<3x2x3x3xf32>
  %0 = graph.pad(%x, %v) {low = array<i64: 0, 0, -1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant"} : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x6xf32>
  %1 = graph.conv(%0, %w) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x4x6xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x4xf32>
  return %1 : tensor<1x3x2x4xf32>
}

// -----

// Channels have no pads.
// CHECK-LABEL: func.func @conv_channels
// CHECK: graph.pad
// CHECK: graph.conv
func.func @conv_channels(%x: tensor<1x1x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %v = arith.constant dense<0.0> : tensor<f32>
  %w = arith.constant dense<0.5> : tensor<3x2x3x3xf32>
  %0 = graph.pad(%x, %v) {low = array<i64: 0, 1, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant"} : (tensor<1x1x4x4xf32>, tensor<f32>) -> tensor<1x2x6x6xf32>
  %1 = graph.conv(%0, %w) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x2x6x6xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  return %1 : tensor<1x3x4x4xf32>
}

// -----

// The schedules want the pad by itself there.
// CHECK-LABEL: func.func @conv_channels_last
// CHECK: graph.pad
// CHECK: graph.conv
func.func @conv_channels_last(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x3xf32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %w = arith.constant dense<0.5> : tensor<3x3x2x3xf32>
  %0 = graph.pad(%x, %zero) {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>, mode = "constant"} : (tensor<1x4x4x2xf32>, tensor<f32>) -> tensor<1x6x6x2xf32>
  %1 = graph.conv(%0, %w) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NXC"} : (tensor<1x6x6x2xf32>, tensor<3x3x2x3xf32>) -> tensor<1x4x4x3xf32>
  return %1 : tensor<1x4x4x3xf32>
}

// -----

// CHECK-LABEL: func.func @pool
// CHECK: graph.pool(%arg0) {{.*}}kind = "sum"{{.*}}pads = array<i64: 1, 1, 1, 1>
// CHECK: graph.pool(%arg0) {{.*}}kind = "max"{{.*}}pads = array<i64: 1, 1, 1, 1>
func.func @pool(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %least = arith.constant dense<0xFF800000> : tensor<f32>
  %0 = graph.pad(%x, %zero) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant"} : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x6x6xf32>
  %1 = graph.pool(%0) {kind = "sum", kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, layout = "NCX"} : (tensor<1x2x6x6xf32>) -> tensor<1x2x4x4xf32>
  %2 = graph.pad(%x, %least) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant"} : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x6x6xf32>
  %3 = graph.pool(%2) {kind = "max", kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, layout = "NCX"} : (tensor<1x2x6x6xf32>) -> tensor<1x2x4x4xf32>
  return %1, %3 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// -----

// The largest of negative numbers and zero is zero; the lowest number is more
// than minus infinity.
// CHECK-LABEL: func.func @pool_other_values
// CHECK-COUNT-2: graph.pad
func.func @pool_other_values(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %0 = graph.pad(%x, %zero) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant"} : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x6x6xf32>
  %1 = graph.pool(%0) {kind = "max", kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, layout = "NCX"} : (tensor<1x2x6x6xf32>) -> tensor<1x2x4x4xf32>
  %2 = graph.pad(%x, %lowest) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant"} : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x6x6xf32>
  %3 = graph.pool(%2) {kind = "max", kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, layout = "NCX"} : (tensor<1x2x6x6xf32>) -> tensor<1x2x4x4xf32>
  return %1, %3 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @pool_integers
// CHECK-NOT: graph.pad
// CHECK: graph.pool
func.func @pool_integers(%x: tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xi8> {
  %least = arith.constant dense<-128> : tensor<i8>
  %0 = graph.pad(%x, %least) {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant"} : (tensor<1x2x4x4xi8>, tensor<i8>) -> tensor<1x2x6x6xi8>
  %1 = graph.pool(%0) {kind = "max", kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, layout = "NCX"} : (tensor<1x2x6x6xi8>) -> tensor<1x2x4x4xi8>
  return %1 : tensor<1x2x4x4xi8>
}

