// RUN: tvm-opt %s --tvm-schedule-kernels=stop=prepared | FileCheck %s

#id = affine_map<(i) -> (i)>
#first = affine_map<(i) -> (0)>

// What is returned and read once more by the next operation: one loop.
// CHECK-LABEL: func.func @two_results
// CHECK: %[[R:.*]]:2 = linalg.generic
// CHECK: math.exp
// CHECK: arith.negf
// CHECK: linalg.yield
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]#1, %[[R]]#0
func.func @two_results(%x: tensor<8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%b : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = math.exp %i : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%e : tensor<8xf32>) outs(%a : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.negf %i : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  return %n, %e : tensor<8xf32>, tensor<8xf32>
}

// Read at another index: two loops, for all of the first result must be there.
// CHECK-LABEL: func.func @other_index
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: return
func.func @other_index(%x: tensor<8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%b : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = math.exp %i : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#first, #id], iterator_types = ["parallel"]}
      ins(%e : tensor<8xf32>) outs(%a : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.negf %i : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  return %n, %e : tensor<8xf32>, tensor<8xf32>
}
