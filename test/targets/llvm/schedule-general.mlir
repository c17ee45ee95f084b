// RUN: tvm-opt %s --tvm-schedule-kernels | FileCheck %s

// Softmax: everything is computed piece by piece in one parallel loop, and
// the result is written in place.

#row = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func.func @softmax
// CHECK-SAME: %{{.*}}: memref<256x512xf32>, %[[OUT:.*]]: memref<256x512xf32>
// CHECK: scf.forall (%{{.*}}) = (0) to (256)
// CHECK: arith.bitcast
// CHECK: memref.store {{.*}}
// CHECK-NOT: memref.copy
// CHECK: return %[[OUT]]
func.func @softmax(%x: tensor<256x512xf32>, %out: tensor<256x512xf32>)
    -> tensor<256x512xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<256xf32>
  %all = tensor.empty() : tensor<256x512xf32>
  %f0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<256xf32>)
      -> tensor<256xf32>
  %max = linalg.generic {indexing_maps = [#row, #one],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<256x512xf32>) outs(%f0 : tensor<256xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<256xf32>
  %exp = linalg.generic {indexing_maps = [#row, #one, #row],
                         iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<256x512xf32>, tensor<256xf32>)
      outs(%all : tensor<256x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<256x512xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%rows : tensor<256xf32>)
      -> tensor<256xf32>
  %sum = linalg.generic {indexing_maps = [#row, #one],
                         iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<256x512xf32>) outs(%f1 : tensor<256xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<256xf32>
  %div = linalg.generic {indexing_maps = [#row, #one, #row],
                         iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<256x512xf32>, tensor<256xf32>)
      outs(%all : tensor<256x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<256x512xf32>
  return %div : tensor<256x512xf32>
}
