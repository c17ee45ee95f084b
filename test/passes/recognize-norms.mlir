// RUN: tvm-opt --pass-pipeline='builtin.module(func.func(tvm-recognize-norms,canonicalize))' %s | FileCheck %s

// CHECK-LABEL: func.func @layer_norm
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK: %[[Y:.*]] = graph.normalize(%[[X]]) {axis = 1 : i64, center = true, epsilon = 1.000000e+00 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @layer_norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = arith.constant dense<8.0> : tensor<f32>
  %e = arith.constant dense<1.0> : tensor<f32>
  %0 = graph.reduce_sum(%x) {axes = array<i64: 1>, keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %1 = graph.div(%0, %n) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %2 = graph.sub(%x, %1) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %3 = graph.mul(%2, %2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = graph.reduce_sum(%3) {axes = array<i64: 1>, keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %5 = graph.div(%4, %n) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %6 = graph.add(%5, %e) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %7 = graph.sqrt(%6) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %8 = graph.div(%2, %7) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}

// A power, means by a product, a reciprocal root, two axes.
// CHECK-LABEL: func.func @other_forms
// CHECK: %[[Y:.*]] = graph.normalize({{.*}}) {axis = 1 : i64, center = true, epsilon = 2.000000e+00 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @other_forms(%x: tensor<4x2x4xf32>) -> tensor<4x2x4xf32> {
  %n = arith.constant dense<0.125> : tensor<f32>
  %e = arith.constant dense<2.0> : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %0 = graph.reduce_sum(%x) {axes = array<i64: 1, 2>, keepdims = true} : (tensor<4x2x4xf32>) -> tensor<4x1x1xf32>
  %1 = graph.mul(%n, %0) : (tensor<f32>, tensor<4x1x1xf32>) -> tensor<4x1x1xf32>
  %2 = graph.sub(%x, %1) : (tensor<4x2x4xf32>, tensor<4x1x1xf32>) -> tensor<4x2x4xf32>
  %3 = graph.pow(%2, %e) : (tensor<4x2x4xf32>, tensor<f32>) -> tensor<4x2x4xf32>
  %4 = graph.reduce_sum(%3) {axes = array<i64: 1, 2>, keepdims = true} : (tensor<4x2x4xf32>) -> tensor<4x1x1xf32>
  %5 = graph.mul(%4, %n) : (tensor<4x1x1xf32>, tensor<f32>) -> tensor<4x1x1xf32>
  %6 = graph.add(%e, %5) : (tensor<f32>, tensor<4x1x1xf32>) -> tensor<4x1x1xf32>
  %7 = graph.sqrt(%6) : (tensor<4x1x1xf32>) -> tensor<4x1x1xf32>
  %8 = graph.div(%one, %7) : (tensor<f32>, tensor<4x1x1xf32>) -> tensor<4x1x1xf32>
  %9 = graph.mul(%8, %2) : (tensor<4x1x1xf32>, tensor<4x2x4xf32>) -> tensor<4x2x4xf32>
  return %9 : tensor<4x2x4xf32>
}

// CHECK-LABEL: func.func @rms_norm
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK: %[[Y:.*]] = graph.normalize(%[[X]]) {axis = 1 : i64, center = false, epsilon = 1.000000e+00 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @rms_norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = arith.constant dense<8.0> : tensor<f32>
  %e = arith.constant dense<1.0> : tensor<f32>
  %3 = graph.mul(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = graph.reduce_sum(%3) {axes = array<i64: 1>, keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %5 = graph.div(%4, %n) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %6 = graph.add(%5, %e) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %7 = graph.sqrt(%6) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %8 = graph.div(%x, %7) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}

// The nearest misses: a count that is not the row's, leading axes, a deviation
// that is read elsewhere.
// CHECK-LABEL: func.func @other_count
// CHECK-NOT: graph.normalize
// CHECK: return
func.func @other_count(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = arith.constant dense<7.0> : tensor<f32>
  %e = arith.constant dense<1.0> : tensor<f32>
  %3 = graph.mul(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = graph.reduce_sum(%3) {axes = array<i64: 1>, keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %5 = graph.div(%4, %n) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %6 = graph.add(%5, %e) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %7 = graph.sqrt(%6) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %8 = graph.div(%x, %7) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}
// CHECK-LABEL: func.func @leading_axis
// CHECK-NOT: graph.normalize
// CHECK: return
func.func @leading_axis(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %n = arith.constant dense<8.0> : tensor<f32>
  %e = arith.constant dense<1.0> : tensor<f32>
  %3 = graph.mul(%x, %x) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %4 = graph.reduce_sum(%3) {axes = array<i64: 0>, keepdims = true} : (tensor<8x4xf32>) -> tensor<1x4xf32>
  %5 = graph.div(%4, %n) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %6 = graph.add(%5, %e) : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %7 = graph.sqrt(%6) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %8 = graph.div(%x, %7) : (tensor<8x4xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
  return %8 : tensor<8x4xf32>
}
// CHECK-LABEL: func.func @deviation_read
// CHECK-NOT: graph.normalize
// CHECK: return
func.func @deviation_read(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>) {
  %n = arith.constant dense<8.0> : tensor<f32>
  %e = arith.constant dense<1.0> : tensor<f32>
  %3 = graph.mul(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = graph.reduce_sum(%3) {axes = array<i64: 1>, keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %5 = graph.div(%4, %n) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %6 = graph.add(%5, %e) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %7 = graph.sqrt(%6) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %8 = graph.div(%x, %7) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %8, %7 : tensor<4x8xf32>, tensor<4x1xf32>
}
