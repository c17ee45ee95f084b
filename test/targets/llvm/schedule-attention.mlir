// RUN: tvm-opt %s --tvm-lower-graph --tvm-schedule-kernels=target=x86-64-v4 | FileCheck %s

// Each head is a piece: its keys are transposed in registers, then scores,
// weights and values go by blocks of rows; no result of full size is left.
// CHECK-LABEL: func.func @attention_0
// CHECK: scf.forall (%{{.*}}) in (4)
// CHECK: memref.alloc() : memref<1x1x64x128xf32>
// CHECK: vector.shuffle
// CHECK-NOT: memref<1x4x128x
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<4x64xf32>)
// CHECK: arith.maximumf
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<4x64xf32>)
// CHECK-NOT: memref.copy
// CHECK: return
func.func @whole(%q: tensor<1x128x4x64xf32>, %k: tensor<1x128x4x64xf32>, %v: tensor<1x128x4x64xf32>, %m: tensor<1x1x1x128xf32>) -> tensor<1x128x4x64xf32> {
  %0 = graph.attention(%q, %k, %v, %m) {scale = 0.125 : f64} : (tensor<1x128x4x64xf32>, tensor<1x128x4x64xf32>, tensor<1x128x4x64xf32>, tensor<1x1x1x128xf32>) -> tensor<1x128x4x64xf32>
  return %0 : tensor<1x128x4x64xf32>
}

// 197 rows are blocks of 6 and one of 5, 197 keys blocks of 64 and one of 5.
// CHECK-LABEL: func.func @attention_1
// CHECK: -> (vector<6x64xf32>)
// CHECK: -> (vector<6x5xf32>)
// CHECK: -> (vector<5x64xf32>)
// CHECK: -> (vector<5x5xf32>)
// CHECK: return
func.func @edges(%q: tensor<1x197x3x64xf32>, %k: tensor<1x197x3x64xf32>, %v: tensor<1x197x3x64xf32>) -> tensor<1x197x3x64xf32> {
  %0 = graph.attention(%q, %k, %v) {scale = 0.125 : f64} : (tensor<1x197x3x64xf32>, tensor<1x197x3x64xf32>, tensor<1x197x3x64xf32>) -> tensor<1x197x3x64xf32>
  return %0 : tensor<1x197x3x64xf32>
}
