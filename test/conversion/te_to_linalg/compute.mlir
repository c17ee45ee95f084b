// RUN: tvm-opt --tvm-convert-te-to-linalg %s | FileCheck %s

// CHECK-LABEL: @matmul
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) -> tensor<4x5xf32> {
  // CHECK: %[[ZERO:.+]] = linalg.fill
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
  // CHECK-SAME: outs(%[[ZERO]] :
  // CHECK: %[[P:.+]] = arith.mulf
  // CHECK: %[[S:.+]] = arith.addf %{{.+}}, %[[P]]
  // CHECK: linalg.yield %[[S]]
  %r = te.compute() {reduce = array<i64: 8>, combiner = "add"} : () -> tensor<4x5xf32> {
  ^bb0(%i: index, %j: index, %k: index):
    %x = tensor.extract %a[%i, %k] : tensor<4x8xf32>
    %y = tensor.extract %b[%k, %j] : tensor<8x5xf32>
    %p = arith.mulf %x, %y : f32
    te.yield(%p) : (f32) -> ()
  }
  return %r : tensor<4x5xf32>
}

// CHECK-LABEL: @maximum
func.func @maximum(%a: tensor<4x8xi32>) -> tensor<4xi32> {
  // CHECK: arith.constant -2147483648 : i32
  // CHECK: arith.maxsi
  %r = te.compute() {reduce = array<i64: 8>, combiner = "max"} : () -> tensor<4xi32> {
  ^bb0(%i: index, %k: index):
    %x = tensor.extract %a[%i, %k] : tensor<4x8xi32>
    te.yield(%x) : (i32) -> ()
  }
  return %r : tensor<4xi32>
}

// CHECK-LABEL: @transpose
func.func @transpose(%a: tensor<4x8xi32>) -> tensor<8x4xi32> {
  // CHECK-NOT: linalg.fill
  // CHECK: iterator_types = ["parallel", "parallel"]
  // CHECK: %[[I:.+]] = linalg.index 0
  // CHECK: %[[J:.+]] = linalg.index 1
  // CHECK: tensor.extract %{{.+}}[%[[J]], %[[I]]]
  %r = te.compute() {reduce = array<i64>, combiner = "add"} : () -> tensor<8x4xi32> {
  ^bb0(%i: index, %j: index):
    %x = tensor.extract %a[%j, %i] : tensor<4x8xi32>
    te.yield(%x) : (i32) -> ()
  }
  return %r : tensor<8x4xi32>
}
