// RUN: tvm-opt %s --tvm-schedule-kernels=target=x86-64-v4 | FileCheck %s
// RUN: tvm-opt %s --tvm-schedule-kernels="target=x86-64-v4 stop=canonical" \
// RUN:   | FileCheck %s --check-prefix=CANON

// A 3x3 convolution with bias and relu: the results of a block are carried
// through the reduction as a vector, and stored once.

#x = affine_map<(n, h, w, o, r, q, i) -> (n, h + r, w + q, i)>
#w = affine_map<(n, h, w, o, r, q, i) -> (r, q, i, o)>
#y = affine_map<(n, h, w, o, r, q, i) -> (n, h, w, o)>
#id = affine_map<(n, h, w, o) -> (n, h, w, o)>
#bias = affine_map<(n, h, w, o) -> (o)>

// (kw, ic) is contiguous in both inputs: one loop of 3 * 32.
// CANON-LABEL: func.func @conv
// CANON: linalg.generic
// CANON-SAME: tensor<8x14x1x3x96xf32>, tensor<3x96x128xf32>
// CANON-SAME: tvm.contract
// CANON: linalg.generic
// CANON-SAME: tvm.root

// CHECK-LABEL: func.func @conv
// CHECK-NOT: linalg.
// CHECK-NOT: memref.alloc
// CHECK: scf.forall (%
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args({{.*}}) -> (vector<[[MR:[0-9]+]]x[[NR:[0-9]+]]xf32>)
// CHECK: scf.for {{.*}} -> (vector<[[MR]]x[[NR]]xf32>)
// CHECK-COUNT-2: vector.fma
// CHECK: arith.maximumf
// CHECK: vector.store
func.func @conv(%x: tensor<1x10x16x32xf32>, %w: tensor<3x3x32x128xf32>,
                %b: tensor<128xf32>, %out: tensor<1x8x14x128xf32>)
    -> tensor<1x8x14x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x8x14x128xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x8x14x128xf32>)
      -> tensor<1x8x14x128xf32>
  %sum = linalg.generic {
      indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "parallel", "parallel",
                        "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x10x16x32xf32>, tensor<3x3x32x128xf32>)
      outs(%fill : tensor<1x8x14x128xf32>) {
  ^bb0(%a: f32, %c: f32, %acc: f32):
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x8x14x128xf32>
  %relu = linalg.generic {
      indexing_maps = [#id, #bias, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum, %b : tensor<1x8x14x128xf32>, tensor<128xf32>)
      outs(%empty : tensor<1x8x14x128xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x8x14x128xf32>
  return %relu : tensor<1x8x14x128xf32>
}
