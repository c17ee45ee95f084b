// RUN: tvm-opt --pass-pipeline='builtin.module(func.func(tvm-simplify-graph))' --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @neutral
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg1, %arg1, %arg2
func.func @neutral(%x: tensor<2xf32>, %i: tensor<2xi8>, %f: tensor<2xi1>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi8>, tensor<2xi8>, tensor<2xi1>) {
  %minus_zero = arith.constant dense<-0.0> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %izero = arith.constant dense<0> : tensor<i8>
  %ones = arith.constant dense<-1> : tensor<i8>
  %true = arith.constant dense<true> : tensor<i1>
  %0 = graph.add(%minus_zero, %x) : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.sub(%x, %zero) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = graph.mul(%x, %one) : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  %3 = graph.div(%x, %one) : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  %4 = graph.add(%i, %izero) : (tensor<2xi8>, tensor<i8>) -> tensor<2xi8>
  %5 = graph.and(%i, %ones) : (tensor<2xi8>, tensor<i8>) -> tensor<2xi8>
  %6 = graph.and(%f, %true) : (tensor<2xi1>, tensor<i1>) -> tensor<2xi1>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi8>, tensor<2xi8>, tensor<2xi1>
}

// -----

// -0.0 + 0.0 is 0.0, -0.0 - -0.0 is 0.0; a constant of another shape widens.
// CHECK-LABEL: func.func @almost_neutral
// CHECK: graph.add
// CHECK: graph.sub
// CHECK: graph.mul
// CHECK: graph.sub
func.func @almost_neutral(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>) {
  %minus_zero = arith.constant dense<-0.0> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %one = arith.constant dense<1.0> : tensor<3x1xf32>
  %0 = graph.add(%x, %zero) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.sub(%x, %minus_zero) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = graph.mul(%x, %one) : (tensor<2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %3 = graph.sub(%zero, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @constant_right
// CHECK: %[[C:.*]] = arith.constant
// CHECK: graph.max(%arg0, %[[C]])
// CHECK: graph.sub(%[[C]], %arg0)
func.func @constant_right(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c = arith.constant dense<3.0> : tensor<f32>
  %0 = graph.max(%c, %x) : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.sub(%c, %x) : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// A third is not exact, the reciprocal of 2^-149 is infinite, integers divide.
// CHECK-LABEL: func.func @divide
// CHECK-DAG: %[[R:.*]] = arith.constant dense<-1.250000e-01> : tensor<f32>
// CHECK: graph.mul(%arg0, %[[R]])
// CHECK: graph.div
// CHECK: graph.div
// CHECK: graph.div
func.func @divide(%x: tensor<2xf32>, %i: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) {
  %eight = arith.constant dense<-8.0> : tensor<f32>
  %three = arith.constant dense<3.0> : tensor<f32>
  %tiny = arith.constant dense<0x00000001> : tensor<f32>
  %int = arith.constant dense<8> : tensor<i32>
  %0 = graph.div(%x, %eight) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = graph.div(%x, %three) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = graph.div(%x, %tiny) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = graph.div(%i, %int) : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @twice
// CHECK-NEXT: %[[A:.*]] = graph.abs(%arg0)
// CHECK-NEXT: %[[R:.*]] = graph.relu(%arg0)
// CHECK-NEXT: %[[N:.*]] = graph.neg(%[[R]])
// CHECK-NEXT: return %arg0, %arg1, %[[A]], %[[A]], %[[R]], %[[N]]
func.func @twice(%x: tensor<2xf32>, %f: tensor<2xi1>) -> (tensor<2xf32>, tensor<2xi1>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = graph.neg(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.neg(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = graph.not(%f) : (tensor<2xi1>) -> tensor<2xi1>
  %3 = graph.not(%2) : (tensor<2xi1>) -> tensor<2xi1>
  %4 = graph.abs(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %5 = graph.abs(%4) : (tensor<2xf32>) -> tensor<2xf32>
  %6 = graph.relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %7 = graph.relu(%6) : (tensor<2xf32>) -> tensor<2xf32>
  %8 = graph.neg(%7) : (tensor<2xf32>) -> tensor<2xf32>
  return %1, %3, %4, %5, %7, %8 : tensor<2xf32>, tensor<2xi1>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// The side that is narrower than the result stays.
// CHECK-LABEL: func.func @select
// CHECK: %[[S:.*]] = graph.select
// CHECK: return %arg1, %arg2, %[[S]]
func.func @select(%c: tensor<1xf32>, %a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %true = arith.constant dense<true> : tensor<i1>
  %false = arith.constant dense<false> : tensor<2xi1>
  %0 = graph.select(%true, %a, %b) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.select(%false, %a, %b) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = graph.select(%true, %c, %b) : (tensor<i1>, tensor<1xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// f16 in f32 in f64, i8 in i64 in f32. i32 in f32 loses digits, i8 in f32 is
// cast to ui8 by the rules of floats.
// CHECK-LABEL: func.func @casts
// CHECK-NEXT: %[[A:.*]] = graph.cast(%arg0) {to = f64}
// CHECK-NEXT: %[[B:.*]] = graph.cast(%arg1) {to = f32}
// CHECK-NEXT: graph.cast(%arg2) {to = f32}
// CHECK-NEXT: graph.cast(%{{.*}}) {to = f64}
// CHECK-NEXT: %[[C:.*]] = graph.cast(%[[B]]) {to = ui8}
func.func @casts(%h: tensor<2xf16>, %i: tensor<2xi8>, %j: tensor<2xi32>) -> (tensor<2xf64>, tensor<2xf32>, tensor<2xf64>, tensor<2xui8>) {
  %0 = graph.cast(%h) {to = f32} : (tensor<2xf16>) -> tensor<2xf32>
  %1 = graph.cast(%0) {to = f64} : (tensor<2xf32>) -> tensor<2xf64>
  %2 = graph.cast(%i) {to = i64} : (tensor<2xi8>) -> tensor<2xi64>
  %3 = graph.cast(%2) {to = f32} : (tensor<2xi64>) -> tensor<2xf32>
  %4 = graph.cast(%j) {to = f32} : (tensor<2xi32>) -> tensor<2xf32>
  %5 = graph.cast(%4) {to = f64} : (tensor<2xf32>) -> tensor<2xf64>
  %6 = graph.cast(%3) {to = ui8} : (tensor<2xf32>) -> tensor<2xui8>
  return %1, %3, %5, %6 : tensor<2xf64>, tensor<2xf32>, tensor<2xf64>, tensor<2xui8>
}

// -----

// CHECK-LABEL: func.func @chains
// CHECK-NEXT: %[[T:.*]] = graph.transpose(%arg0) {permutation = array<i64: 1, 2, 0>}
// CHECK-NEXT: %[[R:.*]] = graph.reshape(%arg0) {shape = array<i64: 24>}
// CHECK-NEXT: %[[S:.*]] = graph.slice(%arg0) {sizes = array<i64: 1, 2, 2>, starts = array<i64: 1, 2, 1>, steps = array<i64: 1, -2, 2>}
// CHECK-NEXT: return %[[T]], %[[R]], %[[S]]
func.func @chains(%x: tensor<2x3x4xf32>) -> (tensor<3x4x2xf32>, tensor<24xf32>, tensor<1x2x2xf32>) {
  %0 = graph.transpose(%x) {permutation = array<i64: 2, 1, 0>} : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %1 = graph.transpose(%0) {permutation = array<i64: 1, 0, 2>} : (tensor<4x3x2xf32>) -> tensor<3x4x2xf32>
  %2 = graph.reshape(%x) {shape = array<i64: 6, 4>} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %3 = graph.reshape(%2) {shape = array<i64: 24>} : (tensor<6x4xf32>) -> tensor<24xf32>
  %4 = graph.slice(%x) {starts = array<i64: 1, 2, 1>, sizes = array<i64: 1, 3, 3>, steps = array<i64: 7, -1, 1>} : (tensor<2x3x4xf32>) -> tensor<1x3x3xf32>
  %5 = graph.slice(%4) {starts = array<i64: 0, 0, 0>, sizes = array<i64: 1, 2, 2>, steps = array<i64: 1, 2, 2>} : (tensor<1x3x3xf32>) -> tensor<1x2x2xf32>
  return %1, %3, %5 : tensor<3x4x2xf32>, tensor<24xf32>, tensor<1x2x2xf32>
}

// -----

// CHECK-LABEL: func.func @unit_transpose
// CHECK-NEXT: graph.reshape(%arg0) {shape = array<i64: 2, 1, 1, 3>}
// CHECK-NEXT: graph.transpose(%arg0) {permutation = array<i64: 3, 1, 2, 0>}
func.func @unit_transpose(%x: tensor<2x3x1x1xf32>) -> (tensor<2x1x1x3xf32>, tensor<1x3x1x2xf32>) {
  %0 = graph.transpose(%x) {permutation = array<i64: 0, 3, 2, 1>} : (tensor<2x3x1x1xf32>) -> tensor<2x1x1x3xf32>
  %1 = graph.transpose(%x) {permutation = array<i64: 3, 1, 2, 0>} : (tensor<2x3x1x1xf32>) -> tensor<1x3x1x2xf32>
  return %0, %1 : tensor<2x1x1x3xf32>, tensor<1x3x1x2xf32>
}

// -----

// CHECK-LABEL: func.func @transpose_around_elementwise
// CHECK: %[[C:.*]] = graph.transpose(%{{.*}}) {permutation = array<i64: 0, 2, 1>} : (tensor<1x3x2xf32>) -> tensor<1x2x3xf32>
// CHECK: %[[A:.*]] = graph.add(%arg0, %[[C]])
// CHECK: %[[E:.*]] = graph.exp(%[[A]])
// CHECK-NEXT: return %[[E]]
func.func @transpose_around_elementwise(%x: tensor<4x2x3xf32>) -> tensor<4x2x3xf32> {
  %c = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %0 = graph.transpose(%x) {permutation = array<i64: 0, 2, 1>} : (tensor<4x2x3xf32>) -> tensor<4x3x2xf32>
  %1 = graph.add(%0, %c) : (tensor<4x3x2xf32>, tensor<3x2xf32>) -> tensor<4x3x2xf32>
  %2 = graph.exp(%1) : (tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
  %3 = graph.transpose(%2) {permutation = array<i64: 0, 2, 1>} : (tensor<4x3x2xf32>) -> tensor<4x2x3xf32>
  return %3 : tensor<4x2x3xf32>
}

// -----

// The other operand is no constant; what stands between has another user.
// CHECK-LABEL: func.func @transposes_that_stay
// CHECK-COUNT-3: graph.transpose
func.func @transposes_that_stay(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x3xf32>) {
  %0 = graph.transpose(%x) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.add(%0, %y) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %2 = graph.transpose(%1) {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %3 = graph.exp(%0) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = graph.transpose(%3) {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %2, %3, %4 : tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x3xf32>
}

// -----

// The second is what gives the result its shape.
// CHECK-LABEL: func.func @broadcasts
// CHECK-NEXT: %[[B:.*]] = graph.broadcast
// CHECK-NEXT: graph.add(%arg0, %arg1) : (tensor<2x3xf32>, tensor<3xf32>)
// CHECK-NEXT: graph.add(%arg1, %[[B]])
func.func @broadcasts(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = graph.broadcast(%y) {shape = array<i64: 2, 3>} : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = graph.add(%x, %0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = graph.add(%y, %0) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// Pixels with channels last are rows of tokens.
// CHECK-LABEL: func.func @tokens
// CHECK-NEXT: %[[R:.*]] = graph.reshape(%arg0) {shape = array<i64: 2, 12, 5>}
// CHECK-NEXT: return %[[R]]
func.func @tokens(%x: tensor<2x3x4x5xf32>) -> tensor<2x12x5xf32> {
  %0 = graph.transpose(%x) {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x3x4x5xf32>) -> tensor<2x5x3x4xf32>
  %1 = graph.reshape(%0) {shape = array<i64: 2, 5, 12>} : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
  %2 = graph.transpose(%1) {permutation = array<i64: 0, 2, 1>} : (tensor<2x5x12xf32>) -> tensor<2x12x5xf32>
  return %2 : tensor<2x12x5xf32>
}

// -----

// The reshape joins what was apart; the pixels come back in another order.
// CHECK-LABEL: func.func @not_tokens
// CHECK-COUNT-4: graph.transpose
func.func @not_tokens(%x: tensor<2x3x4x5xf32>) -> (tensor<2x6x10xf32>, tensor<2x12x5xf32>) {
  %0 = graph.transpose(%x) {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x3x4x5xf32>) -> tensor<2x5x3x4xf32>
  %1 = graph.reshape(%0) {shape = array<i64: 2, 10, 6>} : (tensor<2x5x3x4xf32>) -> tensor<2x10x6xf32>
  %2 = graph.transpose(%1) {permutation = array<i64: 0, 2, 1>} : (tensor<2x10x6xf32>) -> tensor<2x6x10xf32>
  %3 = graph.transpose(%x) {permutation = array<i64: 0, 3, 2, 1>} : (tensor<2x3x4x5xf32>) -> tensor<2x5x4x3xf32>
  %4 = graph.reshape(%3) {shape = array<i64: 2, 5, 12>} : (tensor<2x5x4x3xf32>) -> tensor<2x5x12xf32>
  %5 = graph.transpose(%4) {permutation = array<i64: 0, 2, 1>} : (tensor<2x5x12xf32>) -> tensor<2x12x5xf32>
  return %2, %5 : tensor<2x6x10xf32>, tensor<2x12x5xf32>
}
