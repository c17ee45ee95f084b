// RUN: tvm-opt --tvm-schedule-kernels %s | FileCheck %s

// Truth values take a byte each in memory, a bit in a vector: a product whose
// epilogue reads them is left to the general schedule.
// CHECK-LABEL: func.func @k
// CHECK-NOT: vector.
// CHECK: return
#x = affine_map<(i, j, k) -> (i, k)>
#y = affine_map<(i, j, k) -> (k, j)>
#z = affine_map<(i, j, k) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>
func.func @k(%x: tensor<32x64xf32>, %y: tensor<64x32xf32>, %m: tensor<32xi1>, %out: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = linalg.generic {indexing_maps = [#x, #y, #z], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<32x64xf32>, tensor<64x32xf32>) outs(%f : tensor<32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b fastmath<contract> : f32
    %2 = arith.addf %c, %1 fastmath<contract> : f32
    linalg.yield %2 : f32
  } -> tensor<32x32xf32>
  %3 = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m, %0 : tensor<32xi1>, tensor<32x32xf32>) outs(%out : tensor<32x32xf32>) {
  ^bb0(%a: i1, %b: f32, %c: f32):
    %1 = arith.select %a, %b, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<32x32xf32>
  return %3 : tensor<32x32xf32>
}
