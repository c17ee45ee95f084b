// RUN: tvm-opt --pass-pipeline='builtin.module(func.func(tvm-recognize-attention,canonicalize))' %s | FileCheck %s

// The scale is a quotient of the scores, the mask a sum.
// CHECK-LABEL: func.func @masked
// CHECK-SAME: (%[[Q:.*]]: tensor<2x8x4x32xf32>, %[[K:.*]]: tensor<2x24x4x32xf32>, %[[V:.*]]: tensor<2x24x4x16xf32>, %[[M:.*]]: tensor<2x1x1x24xf32>)
// CHECK: %[[Y:.*]] = graph.attention(%[[Q]], %[[K]], %[[V]], %[[M]]) {scale = 2.500000e-01 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @masked(%q: tensor<2x8x4x32xf32>, %k: tensor<2x24x4x32xf32>, %v: tensor<2x24x4x16xf32>, %m: tensor<2x1x1x24xf32>) -> tensor<2x8x4x16xf32> {
  %root = arith.constant dense<4.0> : tensor<f32>
  %0 = graph.transpose(%q) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x8x4x32xf32>) -> tensor<2x4x8x32xf32>
  %1 = graph.transpose(%k) {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x24x4x32xf32>) -> tensor<2x4x32x24xf32>
  %2 = graph.transpose(%v) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x24x4x16xf32>) -> tensor<2x4x24x16xf32>
  %3 = graph.matmul(%0, %1) : (tensor<2x4x8x32xf32>, tensor<2x4x32x24xf32>) -> tensor<2x4x8x24xf32>
  %4 = graph.div(%3, %root) : (tensor<2x4x8x24xf32>, tensor<f32>) -> tensor<2x4x8x24xf32>
  %5 = graph.add(%m, %4) : (tensor<2x1x1x24xf32>, tensor<2x4x8x24xf32>) -> tensor<2x4x8x24xf32>
  %6 = graph.softmax(%5) {axis = 3 : i64} : (tensor<2x4x8x24xf32>) -> tensor<2x4x8x24xf32>
  %7 = graph.matmul(%6, %2) : (tensor<2x4x8x24xf32>, tensor<2x4x24x16xf32>) -> tensor<2x4x8x16xf32>
  %8 = graph.transpose(%7) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x4x8x16xf32>) -> tensor<2x8x4x16xf32>
  return %8 : tensor<2x8x4x16xf32>
}

// No batch, no mask; the query and the key are scaled.
// CHECK-LABEL: func.func @no_batch
// CHECK: graph.attention({{.*}}) {scale = 2.500000e-01 : f64} : (tensor<1x8x4x32xf32>, tensor<1x24x4x32xf32>, tensor<1x24x4x16xf32>)
// CHECK-NOT: graph.softmax
func.func @no_batch(%q: tensor<8x4x32xf32>, %k: tensor<24x4x32xf32>, %v: tensor<24x4x16xf32>) -> tensor<8x4x16xf32> {
  %half = arith.constant dense<0.5> : tensor<f32>
  %0 = graph.transpose(%q) {permutation = array<i64: 1, 0, 2>} : (tensor<8x4x32xf32>) -> tensor<4x8x32xf32>
  %1 = graph.transpose(%k) {permutation = array<i64: 1, 2, 0>} : (tensor<24x4x32xf32>) -> tensor<4x32x24xf32>
  %2 = graph.transpose(%v) {permutation = array<i64: 1, 0, 2>} : (tensor<24x4x16xf32>) -> tensor<4x24x16xf32>
  %3 = graph.mul(%half, %0) : (tensor<f32>, tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
  %4 = graph.mul(%1, %half) : (tensor<4x32x24xf32>, tensor<f32>) -> tensor<4x32x24xf32>
  %5 = graph.matmul(%3, %4) : (tensor<4x8x32xf32>, tensor<4x32x24xf32>) -> tensor<4x8x24xf32>
  %6 = graph.softmax(%5) {axis = 2 : i64} : (tensor<4x8x24xf32>) -> tensor<4x8x24xf32>
  %7 = graph.matmul(%6, %2) : (tensor<4x8x24xf32>, tensor<4x24x16xf32>) -> tensor<4x8x16xf32>
  %8 = graph.transpose(%7) {permutation = array<i64: 1, 0, 2>} : (tensor<4x8x16xf32>) -> tensor<8x4x16xf32>
  return %8 : tensor<8x4x16xf32>
}

// The nearest misses: weights that are read elsewhere, a softmax over the rows,
// too few keys, a mask that selects.
// CHECK-LABEL: func.func @weights_read
// CHECK-NOT: graph.attention
// CHECK: return
func.func @weights_read(%q: tensor<8x4x32xf32>, %k: tensor<24x4x32xf32>, %v: tensor<24x4x16xf32>) -> (tensor<4x8x16xf32>, tensor<4x8x24xf32>) {
  %0 = graph.transpose(%q) {permutation = array<i64: 1, 0, 2>} : (tensor<8x4x32xf32>) -> tensor<4x8x32xf32>
  %1 = graph.transpose(%k) {permutation = array<i64: 1, 2, 0>} : (tensor<24x4x32xf32>) -> tensor<4x32x24xf32>
  %2 = graph.transpose(%v) {permutation = array<i64: 1, 0, 2>} : (tensor<24x4x16xf32>) -> tensor<4x24x16xf32>
  %5 = graph.matmul(%0, %1) : (tensor<4x8x32xf32>, tensor<4x32x24xf32>) -> tensor<4x8x24xf32>
  %6 = graph.softmax(%5) {axis = 2 : i64} : (tensor<4x8x24xf32>) -> tensor<4x8x24xf32>
  %7 = graph.matmul(%6, %2) : (tensor<4x8x24xf32>, tensor<4x24x16xf32>) -> tensor<4x8x16xf32>
  return %7, %6 : tensor<4x8x16xf32>, tensor<4x8x24xf32>
}
// CHECK-LABEL: func.func @over_rows
// CHECK-NOT: graph.attention
// CHECK: return
func.func @over_rows(%q: tensor<8x4x32xf32>, %k: tensor<24x4x32xf32>, %v: tensor<24x4x16xf32>) -> tensor<4x8x16xf32> {
  %0 = graph.transpose(%q) {permutation = array<i64: 1, 0, 2>} : (tensor<8x4x32xf32>) -> tensor<4x8x32xf32>
  %1 = graph.transpose(%k) {permutation = array<i64: 1, 2, 0>} : (tensor<24x4x32xf32>) -> tensor<4x32x24xf32>
  %2 = graph.transpose(%v) {permutation = array<i64: 1, 0, 2>} : (tensor<24x4x16xf32>) -> tensor<4x24x16xf32>
  %5 = graph.matmul(%0, %1) : (tensor<4x8x32xf32>, tensor<4x32x24xf32>) -> tensor<4x8x24xf32>
  %6 = graph.softmax(%5) {axis = 1 : i64} : (tensor<4x8x24xf32>) -> tensor<4x8x24xf32>
  %7 = graph.matmul(%6, %2) : (tensor<4x8x24xf32>, tensor<4x24x16xf32>) -> tensor<4x8x16xf32>
  return %7 : tensor<4x8x16xf32>
}
// CHECK-LABEL: func.func @few_keys
// CHECK-NOT: graph.attention
// CHECK: return
func.func @few_keys(%q: tensor<8x4x32xf32>, %k: tensor<15x4x32xf32>, %v: tensor<15x4x16xf32>) -> tensor<4x8x16xf32> {
  %0 = graph.transpose(%q) {permutation = array<i64: 1, 0, 2>} : (tensor<8x4x32xf32>) -> tensor<4x8x32xf32>
  %1 = graph.transpose(%k) {permutation = array<i64: 1, 2, 0>} : (tensor<15x4x32xf32>) -> tensor<4x32x15xf32>
  %2 = graph.transpose(%v) {permutation = array<i64: 1, 0, 2>} : (tensor<15x4x16xf32>) -> tensor<4x15x16xf32>
  %5 = graph.matmul(%0, %1) : (tensor<4x8x32xf32>, tensor<4x32x15xf32>) -> tensor<4x8x15xf32>
  %6 = graph.softmax(%5) {axis = 2 : i64} : (tensor<4x8x15xf32>) -> tensor<4x8x15xf32>
  %7 = graph.matmul(%6, %2) : (tensor<4x8x15xf32>, tensor<4x15x16xf32>) -> tensor<4x8x16xf32>
  return %7 : tensor<4x8x16xf32>
}
// CHECK-LABEL: func.func @selected
// CHECK-NOT: graph.attention
// CHECK: return
func.func @selected(%q: tensor<8x4x32xf32>, %k: tensor<24x4x32xf32>, %v: tensor<24x4x16xf32>, %m: tensor<24xi1>) -> tensor<4x8x16xf32> {
  %low = arith.constant dense<-1.0e9> : tensor<f32>
  %0 = graph.transpose(%q) {permutation = array<i64: 1, 0, 2>} : (tensor<8x4x32xf32>) -> tensor<4x8x32xf32>
  %1 = graph.transpose(%k) {permutation = array<i64: 1, 2, 0>} : (tensor<24x4x32xf32>) -> tensor<4x32x24xf32>
  %2 = graph.transpose(%v) {permutation = array<i64: 1, 0, 2>} : (tensor<24x4x16xf32>) -> tensor<4x24x16xf32>
  %5 = graph.matmul(%0, %1) : (tensor<4x8x32xf32>, tensor<4x32x24xf32>) -> tensor<4x8x24xf32>
  %s = graph.select(%m, %5, %low) : (tensor<24xi1>, tensor<4x8x24xf32>, tensor<f32>) -> tensor<4x8x24xf32>
  %6 = graph.softmax(%s) {axis = 2 : i64} : (tensor<4x8x24xf32>) -> tensor<4x8x24xf32>
  %7 = graph.matmul(%6, %2) : (tensor<4x8x24xf32>, tensor<4x24x16xf32>) -> tensor<4x8x16xf32>
  return %7 : tensor<4x8x16xf32>
}
