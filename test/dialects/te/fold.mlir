// RUN: tvm-opt --canonicalize --cse %s | FileCheck %s

// Launches are pure: equal ones are one, unused ones go. Kernels stay.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[R:.*]] = te.launch
  // CHECK-NEXT: return %[[R]], %[[R]]
  %0 = te.launch(%x) {kernel = @id} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = te.launch(%x) {kernel = @id} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = te.launch(%y) {kernel = @id} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A constant of a kernel stays in it.
// CHECK: te.kernel
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.constant
te.kernel() {sym_name = "id", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  %0 = arith.constant dense<1.0> : tensor<4xf32>
  %1 = linalg.mul ins(%x, %0 : tensor<4xf32>, tensor<4xf32>)
                  outs(%out : tensor<4xf32>) -> tensor<4xf32>
  te.return(%1) : (tensor<4xf32>) -> ()
}
