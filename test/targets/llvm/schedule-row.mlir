// RUN: tvm-opt %s --tvm-lower-graph --tvm-schedule-kernels | FileCheck %s

// A norm goes row by row: what a row needs is computed once, in buffers of one
// row, and the result is written in place.
// CHECK-LABEL: func.func @add_normalize_mul_0
// CHECK: scf.forall {{.*}} to (256) step (16)
// CHECK: scf.forall {{.*}} in (16)
// CHECK: memref.alloc() {{.*}} : memref<1x256xf32>
// CHECK-NOT: memref<16x256xf32>
// CHECK-NOT: memref.copy
// CHECK: return
func.func @norm(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>, %s: tensor<256xf32>) -> tensor<256x256xf32> {
  %0 = graph.add(%x, %y) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = graph.normalize(%0) {axis = 1 : i64, center = true, epsilon = 1.0 : f64} : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %2 = graph.mul(%1, %s) : (tensor<256x256xf32>, tensor<256xf32>) -> tensor<256x256xf32>
  return %2 : tensor<256x256xf32>
}

// The nearest miss: along the innermost loop the rows stand side by side.
// CHECK-LABEL: func.func @softmax_0
// CHECK: scf.forall
// CHECK-NOT: scf.forall
// CHECK: return
func.func @columns(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = graph.softmax(%x) {axis = 0 : i64} : (tensor<256x256xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}
