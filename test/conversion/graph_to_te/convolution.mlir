// RUN: tvm-opt --tvm-convert-graph-to-te %s | FileCheck %s

// CHECK-DAG: #[[IN:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1 * 2 + d5, d2 * 2 + d6, d3, d7)>
// CHECK-DAG: #[[W:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d5, d6, d7, d3, d4)>

func.func @f(%x: tensor<1x7x7x4xf32>, %w: tensor<3x3x2x8xf32>) -> tensor<1x3x3x8xf32> {
  // Groups are a loop: channels are split by reshapes.
  // CHECK: sym_name = "conv_0"
  // CHECK: tensor.expand_shape %{{.+}} : tensor<1x3x3x8xf32> into tensor<1x3x3x2x4xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[IN]], #[[W]], #{{.+}}]
  // CHECK: tensor.collapse_shape
  %0 = graph.conv(%x, %w) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2, layout = "NXC"} : (tensor<1x7x7x4xf32>, tensor<3x3x2x8xf32>) -> tensor<1x3x3x8xf32>
  return %0 : tensor<1x3x3x8xf32>
}
