// RUN: tvm-opt --tvm-convert-graph-to-te %s | FileCheck %s

// The bias is read through its map, the scalar is an immediate, the weight
// stays an argument, and the last operation writes the destination.
// CHECK-DAG: #[[BIAS:.+]] = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: @main
// CHECK-SAME: (%[[X:[^:]+]]: tensor<4x8xf32>, %[[B:[^:]+]]: tensor<3xf32>
func.func @main(%x: tensor<4x8xf32>, %b: tensor<3xf32>) -> tensor<4x3xf32> {
  // CHECK: %[[W:.+]] = arith.constant dense<5.000000e-01>
  %w = arith.constant dense<0.5> : tensor<8x3xf32>
  %six = arith.constant dense<6.0> : tensor<f32>
  // CHECK: te.launch(%[[X]], %[[W]], %[[B]]) {kernel = @matmul_add_min_0}
  %0 = graph.fused(%x, %w, %b, %six) : (tensor<4x8xf32>, tensor<8x3xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4x3xf32> {
  ^bb0(%p: tensor<4x8xf32>, %q: tensor<8x3xf32>, %r: tensor<3xf32>, %s: tensor<f32>):
    %1 = graph.matmul(%p, %q) : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
    %2 = graph.add(%1, %r) : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    %3 = graph.min(%2, %s) : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
    graph.yield(%3) : (tensor<4x3xf32>) -> ()
  }
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: @equal
func.func @equal(%x: tensor<2xf32>, %y: tensor<2xf32>, %u: tensor<2xui8>, %v: tensor<2xi8>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xui8>, tensor<2xi8>) {
  // CHECK-COUNT-2: kernel = @neg_0
  %0 = graph.neg(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.neg(%y) : (tensor<2xf32>) -> tensor<2xf32>
  // Signs are of the operator, not of the kernel's types.
  // CHECK: kernel = @div_0
  // CHECK: kernel = @div_1
  %2 = graph.div(%u, %u) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  %3 = graph.div(%v, %v) : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xui8>, tensor<2xi8>
}

// CHECK-LABEL: @empty
func.func @empty(%x: tensor<2x0xf32>) -> (tensor<2xf32>, tensor<2x0xf32>) {
  // CHECK: te.launch() {kernel = @reduce_sum_0}
  // CHECK: arith.constant dense<> : tensor<2x0xf32>
  %0 = graph.reduce_sum(%x) {axes = array<i64: 1>, keepdims = false} : (tensor<2x0xf32>) -> tensor<2xf32>
  %1 = graph.neg(%x) : (tensor<2x0xf32>) -> tensor<2x0xf32>
  return %0, %1 : tensor<2xf32>, tensor<2x0xf32>
}

// CHECK: te.kernel() {op_class = "complex", sym_name = "matmul_add_min_0"}
// CHECK: tensor<3xf32>, %[[DEST:.+]]: tensor<4x3xf32>):
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: arith.mulf {{.*}} fastmath<contract>
// CHECK: linalg.generic {indexing_maps = [#{{.+}}, #[[BIAS]], #{{.+}}]
// CHECK: linalg.generic {{.*}} outs(%[[DEST]] :
// CHECK: %[[SIX:.+]] = arith.constant 6.0
// CHECK: arith.minimumf %{{.+}}, %[[SIX]]
// CHECK: te.return
// CHECK: sym_name = "neg_0"
// CHECK: sym_name = "div_0"
// CHECK: arith.divui {{.*}} : i8
// CHECK: sym_name = "div_1"
// CHECK: arith.divsi {{.*}} : i8
// CHECK: sym_name = "reduce_sum_0"
// CHECK: linalg.fill
// CHECK-NEXT: te.return
