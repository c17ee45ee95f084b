// RUN: tvm-translate --emit-asm %s | FileCheck %s

// Weights that the second cache cannot keep are asked for ahead of time; those
// that it keeps are not.

// CHECK-LABEL: tvm_kernel_conv_0:
// CHECK: prefetcht0
// CHECK: vfmadd

// CHECK-LABEL: tvm_kernel_conv_1:
// CHECK-NOT: prefetch
// CHECK: vfmadd
// CHECK-NOT: prefetch
// CHECK-LABEL: .size tvm_kernel_conv_1

module attributes {tvm.target = "x86-64-v3"} {
func.func @main(%x: tensor<1x256x8x8xf32> {tvm.name = "x"}) -> (tensor<1x64x8x8xf32> {tvm.name = "y"}) {
  %w = arith.constant dense<0.5> : tensor<512x256x3x3xf32>
  %0 = graph.conv(%x, %w) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x256x8x8xf32>, tensor<512x256x3x3xf32>) -> tensor<1x512x8x8xf32>
  %v = arith.constant dense<0.25> : tensor<64x512x1x1xf32>
  %1 = graph.conv(%0, %v) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCX"} : (tensor<1x512x8x8xf32>, tensor<64x512x1x1xf32>) -> tensor<1x64x8x8xf32>
  return %1 : tensor<1x64x8x8xf32>
}
}
