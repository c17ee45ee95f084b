// RUN: tvm-opt %s --tvm-prepare-graph --tvm-lower-graph --tvm-schedule-kernels --split-input-file | FileCheck %s

// Windows of half precision keep an f32 sum, which the tail cannot vectorize:
// they get the general schedule at once, not after a failure.

// CHECK-LABEL: func.func @pool_0
// CHECK-SAME: tvm.schedule = "general"
func.func @main(%x: tensor<1x64x32x32xf16> {tvm.name = "x"}) -> (tensor<1x64x16x16xf16> {tvm.name = "y"}) {
  %0 = graph.pool(%x) {kind = "max", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, layout = "NCX"} : (tensor<1x64x32x32xf16>) -> tensor<1x64x16x16xf16>
  return %0 : tensor<1x64x16x16xf16>
}

// -----

// CHECK-LABEL: func.func @pool_0
// CHECK-SAME: tvm.schedule = "window
func.func @main(%x: tensor<1x16x8x8xf32> {tvm.name = "x"}) -> (tensor<1x16x4x4xf32> {tvm.name = "y"}) {
  %0 = graph.pool(%x) {kind = "max", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, layout = "NCX"} : (tensor<1x16x8x8xf32>) -> tensor<1x16x4x4xf32>
  return %0 : tensor<1x16x4x4xf32>
}
