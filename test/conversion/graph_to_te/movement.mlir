// RUN: tvm-opt --tvm-convert-graph-to-te %s | FileCheck %s

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3xi64>, %u: tensor<3x5xf32>) -> (tensor<4x5xf32>, tensor<3x5xf32>, tensor<4x5xf32>, tensor<4x10xf32>) {
  // Negative steps are addresses.
  // CHECK: sym_name = "slice_0"
  // CHECK: arith.constant -1 : index
  // CHECK: tensor.extract
  %0 = graph.slice(%x) {starts = array<i64: 3, 0>, sizes = array<i64: 4, 5>, steps = array<i64: -1, 1>} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  // Indices are clamped.
  // CHECK: sym_name = "gather_0"
  // CHECK: arith.maxsi
  // CHECK: %[[AT:.+]] = arith.minsi
  // CHECK: tensor.extract %{{.+}}[%[[AT]],
  %1 = graph.gather(%x, %i) {axis = 0} : (tensor<4x5xf32>, tensor<3xi64>) -> tensor<3x5xf32>
  // Updates out of range write back what was there.
  // CHECK: sym_name = "scatter_nd_0"
  // CHECK: scf.for
  // CHECK: %[[OLD:.+]] = tensor.extract
  // CHECK: arith.select %{{.+}}, %{{.+}}, %[[OLD]]
  // CHECK: tensor.insert
  %r = graph.reshape(%i) {shape = array<i64: 3, 1>} : (tensor<3xi64>) -> tensor<3x1xi64>
  %2 = graph.scatter_nd(%x, %r, %u) {reduction = "none"} : (tensor<4x5xf32>, tensor<3x1xi64>, tensor<3x5xf32>) -> tensor<4x5xf32>
  // CHECK: sym_name = "concat_0"
  // CHECK: tensor.insert_slice
  // CHECK: tensor.insert_slice
  %3 = graph.concat(%x, %x) {axis = 1} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x10xf32>
  return %0, %1, %2, %3 : tensor<4x5xf32>, tensor<3x5xf32>, tensor<4x5xf32>, tensor<4x10xf32>
}
