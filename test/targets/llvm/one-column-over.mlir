// RUN: tvm-opt %s --split-input-file --tvm-schedule-kernels=target=x86-64-v4 \
// RUN:   | FileCheck %s

// 17 columns leave one over: no block of 16 with a peeled column, on whose
// vectors of one element upstream's patterns go on for ever.

// CHECK-LABEL: func.func @seventeen
// CHECK-NOT: linalg.
// CHECK-NOT: vector<{{.*}}x1xf32>
func.func @seventeen(%x: tensor<3x4xf32>, %w: tensor<4x17xf32>,
                     %out: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %zero = arith.constant 0.0 : f32
  %fill = linalg.fill ins(%zero : f32) outs(%out : tensor<3x17xf32>)
      -> tensor<3x17xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x4xf32>, tensor<4x17xf32>)
      outs(%fill : tensor<3x17xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x17xf32>
  return %y : tensor<3x17xf32>
}

// -----

// CHECK-LABEL: func.func @eighteen
// CHECK: vector<{{.*}}16xf32>
func.func @eighteen(%x: tensor<3x4xf32>, %w: tensor<4x18xf32>,
                     %out: tensor<3x18xf32>) -> tensor<3x18xf32> {
  %zero = arith.constant 0.0 : f32
  %fill = linalg.fill ins(%zero : f32) outs(%out : tensor<3x18xf32>)
      -> tensor<3x18xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x4xf32>, tensor<4x18xf32>)
      outs(%fill : tensor<3x18xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x18xf32>
  return %y : tensor<3x18xf32>
}
