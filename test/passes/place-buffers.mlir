// RUN: tvm-opt --pass-pipeline='builtin.module(func.func(tvm-place-buffers))' %s | FileCheck %s

// The parts of a concatenation are written in place; what else reads one reads
// it there.
// CHECK-LABEL: func.func @concat
// CHECK: graph.concat{{.*}}placement = "parts"
func.func @concat(%x: tensor<2x3xf32>) -> (tensor<2x6xf32>, tensor<2x3xf32>) {
  %a = graph.exp(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = graph.neg(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = graph.concat(%a, %b) {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %z = graph.abs(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y, %z : tensor<2x6xf32>, tensor<2x3xf32>
}

// An input, and a value that is returned, are copied into their place.
// CHECK-LABEL: func.func @copied_parts
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK: %[[A:.*]] = graph.exp
// CHECK: %[[B:.*]] = graph.neg
// CHECK: %[[CX:.*]] = graph.slice(%[[X]]){{.*}}steps = array<i64: 1, 1>} :
// CHECK: %[[CA:.*]] = graph.slice(%[[A]]){{.*}}steps = array<i64: 1, 1>} :
// CHECK: graph.concat(%[[CX]], %[[CA]], %[[B]]){{.*}}placement = "parts"
func.func @copied_parts(%x: tensor<2x3xf32>) -> (tensor<6x3xf32>, tensor<2x3xf32>) {
  %a = graph.exp(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = graph.neg(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = graph.concat(%x, %a, %b) {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<6x3xf32>
  return %y, %a : tensor<6x3xf32>, tensor<2x3xf32>
}

// The nearest miss: nothing could be written in place.
// CHECK-LABEL: func.func @concat_of_inputs
// CHECK-NOT: graph.slice
// CHECK: graph.concat
// CHECK-NOT: placement
func.func @concat_of_inputs(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %y = graph.concat(%x, %z) {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// One tensor stands in one place: the second concatenation copies.
// CHECK-LABEL: func.func @two_wholes
// CHECK: %[[A:.*]] = graph.exp
// CHECK: graph.concat(%[[A]], %{{.*}}){{.*}}placement = "parts"
// CHECK: %[[C:.*]] = graph.slice(%[[A]])
// CHECK: graph.concat(%{{.*}}, %[[C]]){{.*}}placement = "parts"
func.func @two_wholes(%x: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = graph.neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %c = graph.abs(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y = graph.concat(%a, %b) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %z = graph.concat(%c, %a) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @pad
// CHECK: graph.pad{{.*}}placement = "parts"
func.func @pad(%x: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %v = arith.constant dense<1.0> : tensor<f32>
  %a = graph.exp(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %p = graph.pad(%a, %v) {low = array<i64: 1, 0>, high = array<i64: 1, 0>, mode = "constant"} : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %y = graph.neg(%p) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// Other modes, crops, values that are computed, inputs: a kernel each.
// CHECK-LABEL: func.func @pads_that_stay
// CHECK-NOT: placement
// CHECK: return
func.func @pads_that_stay(%x: tensor<4xf32>, %w: tensor<f32>) -> (tensor<6xf32>, tensor<4xf32>, tensor<6xf32>, tensor<6xf32>) {
  %v = arith.constant dense<0.0> : tensor<f32>
  %a = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = graph.neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %c = graph.abs(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %p = graph.pad(%a, %v) {low = array<i64: 1>, high = array<i64: 1>, mode = "edge"} : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
  %q = graph.pad(%b, %v) {low = array<i64: 1>, high = array<i64: -1>, mode = "constant"} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %r = graph.pad(%c, %w) {low = array<i64: 1>, high = array<i64: 1>, mode = "constant"} : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
  %s = graph.pad(%x, %v) {low = array<i64: 1>, high = array<i64: 1>, mode = "constant"} : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
  return %p, %q, %r, %s : tensor<6xf32>, tensor<4xf32>, tensor<6xf32>, tensor<6xf32>
}

// A part that a reshape joins has no strides there.
// CHECK-LABEL: func.func @joined_part
// CHECK-NOT: placement
// CHECK: return
func.func @joined_part(%x: tensor<2x3xf32>) -> (tensor<4x5xf32>, tensor<6xf32>) {
  %v = arith.constant dense<0.0> : tensor<f32>
  %a = graph.exp(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %p = graph.pad(%a, %v) {low = array<i64: 1, 1>, high = array<i64: 1, 1>, mode = "constant"} : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x5xf32>
  %r = graph.reshape(%a) {shape = array<i64: 6>} : (tensor<2x3xf32>) -> tensor<6xf32>
  %y = graph.neg(%p) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %z = graph.abs(%r) : (tensor<6xf32>) -> tensor<6xf32>
  return %y, %z : tensor<4x5xf32>, tensor<6xf32>
}

// Slices are read where they are, also through a reshape that splits.
// CHECK-LABEL: func.func @slice
// CHECK: graph.slice{{.*}}placement = "view"
func.func @slice(%x: tensor<4x6xf32>) -> tensor<4x2x2xf32> {
  %s = graph.slice(%x) {starts = array<i64: 0, 1>, sizes = array<i64: 4, 4>, steps = array<i64: 1, 1>} : (tensor<4x6xf32>) -> tensor<4x4xf32>
  %r = graph.reshape(%s) {shape = array<i64: 4, 2, 2>} : (tensor<4x4xf32>) -> tensor<4x2x2xf32>
  %y = graph.neg(%r) : (tensor<4x2x2xf32>) -> tensor<4x2x2xf32>
  return %y : tensor<4x2x2xf32>
}

// Backwards, with steps in the last dimension, joined, or returned: a copy.
// CHECK-LABEL: func.func @slices_that_stay
// CHECK-NOT: placement
// CHECK: return
func.func @slices_that_stay(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x3xf32>, tensor<16xf32>, tensor<4x4xf32>) {
  %s = graph.slice(%x) {starts = array<i64: 3, 0>, sizes = array<i64: 4, 6>, steps = array<i64: -1, 1>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = graph.slice(%x) {starts = array<i64: 0, 0>, sizes = array<i64: 4, 3>, steps = array<i64: 1, 2>} : (tensor<4x6xf32>) -> tensor<4x3xf32>
  %u = graph.slice(%x) {starts = array<i64: 0, 1>, sizes = array<i64: 4, 4>, steps = array<i64: 1, 1>} : (tensor<4x6xf32>) -> tensor<4x4xf32>
  %r = graph.reshape(%u) {shape = array<i64: 16>} : (tensor<4x4xf32>) -> tensor<16xf32>
  %v = graph.slice(%x) {starts = array<i64: 0, 2>, sizes = array<i64: 4, 4>, steps = array<i64: 1, 1>} : (tensor<4x6xf32>) -> tensor<4x4xf32>
  %a = graph.neg(%s) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %b = graph.neg(%t) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %c = graph.neg(%r) : (tensor<16xf32>) -> tensor<16xf32>
  return %a, %b, %c, %v : tensor<4x6xf32>, tensor<4x3xf32>, tensor<16xf32>, tensor<4x4xf32>
}

// Matrix products read and write permuted rows; other kernels do not.
// CHECK-LABEL: func.func @transpose
// CHECK: graph.transpose{{.*}}placement = "view"
// CHECK: graph.transpose{{.*}}placement = "parts"
// CHECK: graph.transpose(%{{.*}}) {permutation = array<i64: 1, 0, 2>} :
func.func @transpose(%x: tensor<4x2x8xf32>, %w: tensor<2x8x6xf32>) -> (tensor<4x2x6xf32>, tensor<2x4x8xf32>) {
  %t = graph.transpose(%x) {permutation = array<i64: 1, 0, 2>} : (tensor<4x2x8xf32>) -> tensor<2x4x8xf32>
  %p = graph.matmul(%t, %w) : (tensor<2x4x8xf32>, tensor<2x8x6xf32>) -> tensor<2x4x6xf32>
  %y = graph.transpose(%p) {permutation = array<i64: 1, 0, 2>} : (tensor<2x4x6xf32>) -> tensor<4x2x6xf32>
  %u = graph.transpose(%x) {permutation = array<i64: 1, 0, 2>} : (tensor<4x2x8xf32>) -> tensor<2x4x8xf32>
  %z = graph.neg(%u) : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %y, %z : tensor<4x2x6xf32>, tensor<2x4x8xf32>
}

// A part that a pad can take without a copy goes there, also when it stands
// first in a concatenation that needs one.
// CHECK-LABEL: func.func @pad_before_copies
// CHECK: graph.concat{{.*}}axis = 1 : i64} :
// CHECK: graph.pad{{.*}}placement = "parts"
func.func @pad_before_copies(%x: tensor<2x3xf32>) -> (tensor<2x6xf32>, tensor<4x3xf32>) {
  %v = arith.constant dense<0.0> : tensor<f32>
  %a = graph.exp(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = graph.concat(%a, %x) {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %p = graph.pad(%a, %v) {low = array<i64: 1, 0>, high = array<i64: 1, 0>, mode = "constant"} : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %z = graph.neg(%p) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y, %z : tensor<2x6xf32>, tensor<4x3xf32>
}
