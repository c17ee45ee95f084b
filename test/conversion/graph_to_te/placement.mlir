// RUN: tvm-opt %s --tvm-convert-graph-to-te | FileCheck %s

// A result inside of a padded tensor: its strides, its place behind the begin
// of the padded one, and the border around it. Who reads it has its strides.

// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = te.launch(%{{.*}}) {kernel = @exp_0}
// CHECK: %[[P:.*]] = graph.pad(%[[A]]
// CHECK: te.launch(%[[P]], %[[A]])
func.func @main(%x: tensor<2x3xf32>) -> (tensor<4x5xf32>, tensor<2x3xf32>) {
  %v = arith.constant dense<1.0> : tensor<f32>
  %a = graph.exp(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %p = graph.pad(%a, %v) {low = array<i64: 1, 1>, high = array<i64: 1, 1>, mode = "constant", placement = "parts"} : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x5xf32>
  %y:2 = graph.fused(%p, %a) : (tensor<4x5xf32>, tensor<2x3xf32>) -> (tensor<4x5xf32>, tensor<2x3xf32>) {
  ^bb0(%i: tensor<4x5xf32>, %j: tensor<2x3xf32>):
    %0 = graph.neg(%i) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %1 = graph.abs(%j) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    graph.yield(%0, %1) : (tensor<4x5xf32>, tensor<2x3xf32>) -> ()
  }
  return %y#0, %y#1 : tensor<4x5xf32>, tensor<2x3xf32>
}

// CHECK: te.kernel() {borders = [{low = array<i64: 1, 1>, shape = array<i64: 4, 5>, sizes = array<i64: 2, 3>, strides = array<i64: 5, 1>, value = 1.000000e+00 : f32}]
// CHECK-SAME: layouts = [unit, strided<[5, 1], offset: 6>]
// CHECK-SAME: sym_name = "exp_0"
// CHECK: te.kernel() {layouts = [unit, strided<[5, 1]>, unit, unit]
