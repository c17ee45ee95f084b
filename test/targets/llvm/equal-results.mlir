// RUN: tvm-opt %s --tvm-schedule-kernels | FileCheck %s

// Folding leaves one value for two results: each destination is written.

// CHECK-LABEL: func.func @equal
// CHECK-SAME: %[[X:.*]]: memref<4x64xi1>, %[[Y:.*]]: memref<4x64xi1>, %[[Z:.*]]: memref<4x64xi1>
// CHECK-NOT: memref.alloc
// CHECK: memref.store %true, %[[Y]]
// CHECK: memref.store %true, %[[Z]]
// CHECK: return
#map = affine_map<(d0, d1) -> (d0, d1)>
te.kernel() {op_class = "elementwise", sym_name = "equal"} : () -> () {
^bb0(%x: tensor<4x64xi1>, %y: tensor<4x64xi1>, %z: tensor<4x64xi1>):
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x64xi1>) outs(%z : tensor<4x64xi1>) {
  ^bb0(%in: i1, %out: i1):
    %true = arith.constant true
    %2 = arith.ori %in, %true : i1
    linalg.yield %2 : i1
  } -> tensor<4x64xi1>
  %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%0, %0 : tensor<4x64xi1>, tensor<4x64xi1>) outs(%y : tensor<4x64xi1>) {
  ^bb0(%in: i1, %in_0: i1, %out: i1):
    %2 = arith.andi %in, %in_0 : i1
    linalg.yield %2 : i1
  } -> tensor<4x64xi1>
  te.return(%1, %0) : (tensor<4x64xi1>, tensor<4x64xi1>) -> ()
}
