// RUN: tvm-opt --tvm-schedule-kernels %s | FileCheck %s

// A convolution of one channel reads overlapping windows along the loop that
// would be vectorized. It is left to the general schedule; once, the vector
// patterns did not end on it.
// CHECK-LABEL: func.func @k
// CHECK-NOT: vector.
// CHECK: return
#map8 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3, d4)>
func.func @k(%arg0: tensor<1x14x1xf32>, %arg1: tensor<7x1x1xf32>, %arg2: tensor<1x8x1xf32>) -> tensor<1x8x1xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = linalg.fill ins(%cst_0 : f32) outs(%arg2 : tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
    %1 = linalg.generic {indexing_maps = [#map11, #map8, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%arg0, %arg1 : tensor<1x14x1xf32>, tensor<7x1x1xf32>) outs(%0 : tensor<1x8x1xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %2 = arith.mulf %in, %in_1 fastmath<contract> : f32
      %3 = arith.addf %out, %2 fastmath<contract> : f32
      linalg.yield %3 : f32
    } -> tensor<1x8x1xf32>
  return %1 : tensor<1x8x1xf32>
}
