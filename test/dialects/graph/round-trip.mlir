// RUN: tvm-opt %s | tvm-opt | FileCheck %s
// RUN: tvm-opt --mlir-print-op-generic %s | tvm-opt | FileCheck %s

// CHECK-LABEL: @elementwise
func.func @elementwise(%x: tensor<2x3xf32>, %b: tensor<3xf32>)
    -> tensor<2x3xf16> {
  // CHECK: %[[ADD:.*]] = graph.add(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = graph.add(%x, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: %[[LESS:.*]] = graph.less(%[[ADD]], %{{.*}}) : {{.*}} -> tensor<2x3xi1>
  %1 = graph.less(%0, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: %[[SELECT:.*]] = graph.select(%[[LESS]], %[[ADD]], %{{.*}})
  %2 = graph.select(%1, %0, %b) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.cast(%[[SELECT]]) {to = f16}
  %3 = graph.cast(%2) {to = f16} : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return %3 : tensor<2x3xf16>
}

// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<1x8x9x9xf32>, %w: tensor<4x4x3x3xf32>)
    -> tensor<1x4x5x5xf32> {
  // CHECK: graph.conv(%{{.*}}, %{{.*}}) {dilations = array<i64: 1, 1>, groups = 2 : i64, layout = "NCX", pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
  %0 = graph.conv(%x, %w) {strides = array<i64: 2, 2>,
      pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>,
      groups = 2 : i64, layout = "NCX"}
      : (tensor<1x8x9x9xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x5x5xf32>
  return %0 : tensor<1x4x5x5xf32>
}

// CHECK-LABEL: @two_results
func.func @two_results(%x: tensor<4x9xf32>)
    -> (tensor<4x2xf32>, tensor<4x2xi64>) {
  // CHECK: %[[TOP:.*]]:2 = graph.top_k(%{{.*}}) {axis = 1 : i64, k = 2 : i64, largest = true} : (tensor<4x9xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>)
  %v, %i = graph.top_k(%x) {axis = 1 : i64, k = 2 : i64, largest = true}
      : (tensor<4x9xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>)
  // CHECK: return %[[TOP]]#0, %[[TOP]]#1
  return %v, %i : tensor<4x2xf32>, tensor<4x2xi64>
}

// CHECK-LABEL: @no_result
func.func @no_result(%c: tensor<3xi1>) {
  // CHECK: graph.assert(%{{.*}}) {message = "index out of range"} : (tensor<3xi1>) -> ()
  graph.assert(%c) {message = "index out of range"} : (tensor<3xi1>) -> ()
  return
}

// CHECK-LABEL: @group
func.func @group(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: graph.fused(%{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>):
  // CHECK-NEXT: %[[C:.*]] = graph.mul(%[[A]], %[[B]])
  // CHECK-NEXT: %[[D:.*]] = graph.relu(%[[C]])
  // CHECK-NEXT: graph.yield(%[[D]]) : (tensor<4xf32>) -> ()
  %0 = graph.fused(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %1 = graph.mul(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = graph.relu(%1) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield(%2) : (tensor<4xf32>) -> ()
  }
  return %0 : tensor<4xf32>
}
