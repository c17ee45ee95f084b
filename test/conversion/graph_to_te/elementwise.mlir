// RUN: tvm-opt --tvm-convert-graph-to-te %s | FileCheck %s

func.func @f(%h: tensor<4xf16>, %x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf16>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>) {
  // Half types are computed in f32.
  // CHECK: sym_name = "exp_0"
  // CHECK: arith.extf
  // CHECK-NEXT: math.exp {{.*}} : f32
  // CHECK-NEXT: arith.truncf
  %0 = graph.exp(%h) : (tensor<4xf16>) -> tensor<4xf16>
  // No value is undefined in LLVM.
  // CHECK: sym_name = "cast_0"
  // CHECK: %[[SAFE:.+]] = arith.select
  // CHECK: arith.fptosi %[[SAFE]]
  // CHECK: arith.select
  %1 = graph.cast(%x) {to = i32} : (tensor<4xf32>) -> tensor<4xi32>
  // CHECK: sym_name = "div_0"
  // CHECK: %[[DIVISOR:.+]] = arith.select
  // CHECK: arith.divsi %{{.+}}, %[[DIVISOR]]
  %2 = graph.div(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: sym_name = "relu_0"
  // CHECK: arith.maximumf
  %3 = graph.relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf16>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>
}
