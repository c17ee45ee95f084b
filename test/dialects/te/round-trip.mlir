// RUN: tvm-opt %s | tvm-opt | FileCheck %s
// RUN: tvm-opt --mlir-print-op-generic %s | tvm-opt | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: te.launch(%{{.*}}) {kernel = @twice} : (tensor<4xui8>) -> tensor<4xui8>
func.func @main(%x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = te.launch(%x) {kernel = @twice} : (tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// Kernels have no sign: ui8 outside is i8 inside.
// CHECK: te.kernel() {op_class = "elementwise", sym_name = "twice"} : () -> () {
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<4xi8>, %[[OUT:.*]]: tensor<4xi8>):
// CHECK: te.return(%{{.*}}) : (tensor<4xi8>) -> ()
te.kernel() {sym_name = "twice", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xi8>, %out: tensor<4xi8>):
  %0 = linalg.add ins(%x, %x : tensor<4xi8>, tensor<4xi8>)
                  outs(%out : tensor<4xi8>) -> tensor<4xi8>
  te.return(%0) : (tensor<4xi8>) -> ()
}

// CHECK-LABEL: func.func @product
func.func @product(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>)
    -> tensor<2x4xf32> {
  // CHECK: te.compute() {combiner = "add", reduce = array<i64: 3>} : () -> tensor<2x4xf32> {
  // CHECK-NEXT: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index, %[[K:.*]]: index):
  // CHECK: te.yield(%{{.*}}) : (f32) -> ()
  %0 = te.compute() {reduce = array<i64: 3>, combiner = "add"}
      : () -> tensor<2x4xf32> {
  ^bb0(%i: index, %j: index, %k: index):
    %a = tensor.extract %x[%i, %k] : tensor<2x3xf32>
    %b = tensor.extract %y[%k, %j] : tensor<3x4xf32>
    %c = arith.mulf %a, %b : f32
    te.yield(%c) : (f32) -> ()
  }
  return %0 : tensor<2x4xf32>
}

// CHECK: te.intrinsic() {sym_name = "dot4"} : () -> () {
// CHECK: } {
// CHECK: vector.reduction
te.intrinsic() {sym_name = "dot4"} : () -> () {
^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>, %out: tensor<f32>):
  %0 = te.compute() {reduce = array<i64: 4>, combiner = "add"}
      : () -> tensor<f32> {
  ^bb0(%k: index):
    %a = tensor.extract %x[%k] : tensor<4xf32>
    %b = tensor.extract %y[%k] : tensor<4xf32>
    %c = arith.mulf %a, %b : f32
    te.yield(%c) : (f32) -> ()
  }
  te.return(%0) : (tensor<f32>) -> ()
} {
^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>, %out: tensor<f32>):
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %a = vector.transfer_read %x[%c0], %zero {in_bounds = [true]}
      : tensor<4xf32>, vector<4xf32>
  %b = vector.transfer_read %y[%c0], %zero {in_bounds = [true]}
      : tensor<4xf32>, vector<4xf32>
  %c = arith.mulf %a, %b : vector<4xf32>
  %d = vector.reduction <add>, %c : vector<4xf32> into f32
  %e = tensor.insert %d into %out[] : tensor<f32>
  te.return(%e) : (tensor<f32>) -> ()
}
