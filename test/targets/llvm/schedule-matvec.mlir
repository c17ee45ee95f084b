// RUN: tvm-opt %s --tvm-prepare-graph --tvm-lower-graph --tvm-schedule-kernels=target=x86-64-v3 --split-input-file | FileCheck %s

// One row: five panels of eight columns share the loop of the reduction.

// CHECK-LABEL: func.func @matmul_add_0
// CHECK-SAME: "matvec
// CHECK-SAME: jam=5
// CHECK: scf.forall
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-5: vector.fma
// CHECK-NOT: scf.for
// CHECK-COUNT-5: vector.store
// CHECK-NOT: linalg
func.func @main(%x: tensor<1x65xf32> {tvm.name = "x"}) -> (tensor<1x2600xf32> {tvm.name = "y"}) {
  %w = arith.constant dense<0.5> : tensor<65x2600xf32>
  %b = arith.constant dense<0.25> : tensor<2600xf32>
  %0 = graph.matmul(%x, %w) : (tensor<1x65xf32>, tensor<65x2600xf32>) -> tensor<1x2600xf32>
  %1 = graph.add(%0, %b) : (tensor<1x2600xf32>, tensor<2600xf32>) -> tensor<1x2600xf32>
  return %1 : tensor<1x2600xf32>
}

// -----

// Two rows have accumulators of their own.

// CHECK-LABEL: func.func @matmul_0
// CHECK-SAME: "contraction
func.func @main(%x: tensor<2x65xf32> {tvm.name = "x"}) -> (tensor<2x2600xf32> {tvm.name = "y"}) {
  %w = arith.constant dense<0.5> : tensor<65x2600xf32>
  %0 = graph.matmul(%x, %w) : (tensor<2x65xf32>, tensor<65x2600xf32>) -> tensor<2x2600xf32>
  return %0 : tensor<2x2600xf32>
}

// -----

// Few panels are left to the threads.

// CHECK-LABEL: func.func @matmul_0
// CHECK-SAME: "contraction
func.func @main(%x: tensor<1x65xf32> {tvm.name = "x"}) -> (tensor<1x80xf32> {tvm.name = "y"}) {
  %w = arith.constant dense<0.5> : tensor<65x80xf32>
  %0 = graph.matmul(%x, %w) : (tensor<1x65xf32>, tensor<65x80xf32>) -> tensor<1x80xf32>
  return %0 : tensor<1x80xf32>
}
