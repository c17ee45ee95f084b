// RUN: tvm-opt %s --tvm-schedule-kernels=target=x86-64-v3 | FileCheck %s

// A strided depthwise convolution: vectors run along the channels.

#x = affine_map<(n, h, w, c, r, q) -> (n, h * 2 + r, w * 2 + q, c)>
#w = affine_map<(n, h, w, c, r, q) -> (r, q, c)>
#y = affine_map<(n, h, w, c, r, q) -> (n, h, w, c)>

// CHECK-LABEL: func.func @depthwise
// CHECK-NOT: linalg.
// CHECK-NOT: memref.alloc
// CHECK: scf.for {{.*}} -> (vector<{{[0-9]+x8}}xf32>)
// CHECK: vector.store
func.func @depthwise(%x: tensor<1x9x9x8xf32>, %w: tensor<3x3x8xf32>,
                     %out: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x4x4x8xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x4x4x8xf32>)
      -> tensor<1x4x4x8xf32>
  %sum = linalg.generic {
      indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "parallel", "parallel",
                        "reduction", "reduction"]}
      ins(%x, %w : tensor<1x9x9x8xf32>, tensor<3x3x8xf32>)
      outs(%fill : tensor<1x4x4x8xf32>) {
  ^bb0(%a: f32, %c: f32, %acc: f32):
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x4x4x8xf32>
  return %sum : tensor<1x4x4x8xf32>
}
