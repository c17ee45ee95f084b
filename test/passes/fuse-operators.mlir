// RUN: tvm-opt --pass-pipeline='builtin.module(func.func(tvm-fuse-operators))' %s | FileCheck %s

// A complex operator takes the elementwise chain that follows it.
// CHECK-LABEL: func.func @epilogue
// CHECK: graph.fused
// CHECK: graph.matmul
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.relu
// CHECK-NEXT: graph.yield
func.func @epilogue(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = graph.matmul(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = graph.add(%0, %b) : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = graph.relu(%1) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// Elementwise operators join the reduction that reads them.
// CHECK-LABEL: func.func @reduction
// CHECK: graph.fused
// CHECK: graph.mul
// CHECK-NEXT: graph.reduce_sum
func.func @reduction(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = graph.mul(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = graph.reduce_sum(%0) {axes = array<i64: 1>, keepdims = false} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A norm takes what precedes and what follows it.
// CHECK-LABEL: func.func @norm
// CHECK: graph.fused
// CHECK: graph.add
// CHECK-NEXT: graph.normalize
// CHECK-NEXT: graph.mul
// CHECK-NEXT: graph.yield
func.func @norm(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = graph.add(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = graph.normalize(%0) {axis = 1 : i64, center = true, epsilon = 1.0 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = graph.mul(%1, %s) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// An addition stays with the product that makes its operand.
// CHECK-LABEL: func.func @residual
// CHECK: graph.fused
// CHECK: graph.matmul
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.yield
// CHECK: graph.softmax
func.func @residual(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.matmul(%x, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.add(%0, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = graph.softmax(%1) {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// A mask is read as bytes, which the schedules of products cannot do.
// CHECK-LABEL: func.func @mask
// CHECK: graph.matmul
// CHECK-NEXT: graph.fused
// CHECK: graph.select
// CHECK-NEXT: graph.softmax
func.func @mask(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %m: tensor<8xi1>, %l: tensor<f32>) -> tensor<4x8xf32> {
  %0 = graph.matmul(%x, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.select(%m, %0, %l) : (tensor<8xi1>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %2 = graph.softmax(%1) {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// The nearest misses: a value that is used twice, and two complex operators.
// CHECK-LABEL: func.func @two_users
// CHECK-NOT: graph.fused
// CHECK: return
func.func @two_users(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = graph.exp(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.matmul(%0, %0) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}
// CHECK-LABEL: func.func @two_complex
// CHECK-NOT: graph.fused
// CHECK: return
func.func @two_complex(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.matmul(%x, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.matmul(%0, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// All users of a value in one group: it joins them, here with its product.
// CHECK-LABEL: func.func @silu
// CHECK: graph.fused
// CHECK: graph.matmul
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.sigmoid
// CHECK-NEXT: graph.mul
// CHECK-NEXT: graph.yield
func.func @silu(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = graph.matmul(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = graph.add(%0, %b) : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = graph.sigmoid(%1) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %3 = graph.mul(%1, %2) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %3 : tensor<4x16xf32>
}

// The nearest miss: one of the users stands in another group.
// CHECK-LABEL: func.func @silu_and_more
// CHECK: %[[S:.*]] = graph.fused
// CHECK: graph.matmul
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.yield
// CHECK: graph.fused(%[[S]])
// CHECK: graph.sigmoid
// CHECK-NEXT: graph.mul
// CHECK: graph.softmax(%[[S]])
func.func @silu_and_more(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = graph.matmul(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = graph.add(%0, %b) : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = graph.sigmoid(%1) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %3 = graph.mul(%1, %2) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %4 = graph.softmax(%1) {axis = 1 : i64} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %3, %4 : tensor<4x16xf32>, tensor<4x16xf32>
}

// A mean is one kernel; of two products that are added each keeps its bias.
// CHECK-LABEL: func.func @mean
// CHECK: graph.fused
// CHECK: graph.reduce_sum
// CHECK-NEXT: graph.div
func.func @mean(%x: tensor<4x8xf32>, %n: tensor<f32>) -> tensor<4xf32> {
  %0 = graph.reduce_sum(%x) {axes = array<i64: 1>, keepdims = false} : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = graph.div(%0, %n) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// CHECK-LABEL: func.func @two_branches
// CHECK: graph.fused
// CHECK: graph.matmul
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.yield
// CHECK: graph.fused
// CHECK: graph.matmul
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.yield
func.func @two_branches(%x: tensor<4x4xf32>, %b2: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> {
  %0 = graph.matmul(%x, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.add(%0, %b) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %2 = graph.matmul(%b2, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = graph.add(%2, %b) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %4 = graph.add(%1, %3) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}

// A member that is read behind the root, too, is one more result.
// CHECK-LABEL: func.func @cell
// CHECK: %[[F:.*]]:2 = graph.fused
// CHECK: %[[C:.*]] = graph.mul
// CHECK-NEXT: graph.tanh(%[[C]])
// CHECK-NEXT: %[[H:.*]] = graph.mul
// CHECK-NEXT: graph.yield(%[[H]], %[[C]])
// CHECK: graph.matmul(%[[F]]#0, %[[F]]#1)
func.func @cell(%f: tensor<4x4xf32>, %c: tensor<4x4xf32>, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.mul(%f, %c) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.tanh(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = graph.mul(%o, %1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = graph.matmul(%2, %0) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// The nearest misses: a reader before the root; the result of a product, which
// would lose its place in registers; a group that has a reduction.
// CHECK-LABEL: func.func @read_too_early
// CHECK-NOT: graph.fused
// CHECK: return
func.func @read_too_early(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.exp(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.matmul(%0, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = graph.matmul(%1, %0) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
// CHECK-LABEL: func.func @product_read_twice
// CHECK: graph.fused
// CHECK: graph.matmul
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.yield
// CHECK: graph.relu
// CHECK: graph.matmul
func.func @product_read_twice(%x: tensor<4x4xf32>, %b: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = graph.matmul(%x, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.add(%0, %b) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %2 = graph.relu(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = graph.matmul(%1, %x) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}
// CHECK-LABEL: func.func @reduced_and_returned
// CHECK: graph.exp
// CHECK-NEXT: graph.reduce_sum
// CHECK-NEXT: return
func.func @reduced_and_returned(%x: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
  %0 = graph.exp(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.reduce_sum(%0) {axes = array<i64: 1>, keepdims = false} : (tensor<4x4xf32>) -> tensor<4xf32>
  return %1, %0 : tensor<4xf32>, tensor<4x4xf32>
}
