// RUN: tvm-opt %s | FileCheck %s

// Every operator, with the result that inference gives it.

// CHECK-LABEL: @unary
func.func @unary(%x: tensor<2x3xf32>, %i: tensor<2x3xi32>, %b: tensor<2x3xi1>) {
  // CHECK: graph.neg(
  %neg = graph.neg(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.abs(
  %abs = graph.abs(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.sign(
  %sign = graph.sign(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.exp(
  %exp = graph.exp(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.log(
  %log = graph.log(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.sqrt(
  %sqrt = graph.sqrt(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.floor(
  %floor = graph.floor(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.ceil(
  %ceil = graph.ceil(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.round(
  %round = graph.round(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.sin(
  %sin = graph.sin(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.cos(
  %cos = graph.cos(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.tan(
  %tan = graph.tan(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.asin(
  %asin = graph.asin(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.acos(
  %acos = graph.acos(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.atan(
  %atan = graph.atan(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.sinh(
  %sinh = graph.sinh(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.cosh(
  %cosh = graph.cosh(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.asinh(
  %asinh = graph.asinh(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.acosh(
  %acosh = graph.acosh(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.atanh(
  %atanh = graph.atanh(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.tanh(
  %tanh = graph.tanh(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.sigmoid(
  %sigmoid = graph.sigmoid(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.erf(
  %erf = graph.erf(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.erfc(
  %erfc = graph.erfc(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.expm1(
  %expm1 = graph.expm1(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.log1p(
  %log1p = graph.log1p(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.relu(
  %relu = graph.relu(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.is_nan(
  %is_nan = graph.is_nan(%x) : (tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: graph.is_inf(
  %is_inf = graph.is_inf(%x) : (tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: graph.not(
  %noti = graph.not(%i) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  // CHECK: graph.not(
  %notb = graph.not(%b) : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @binary
func.func @binary(%x: tensor<2x3xf32>, %r: tensor<1xf32>, %i: tensor<2x3xi32>, %b: tensor<2x3xi1>, %z: tensor<i1>) {
  // CHECK: graph.add(
  %add = graph.add(%x, %r) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  // CHECK: graph.sub(
  %sub = graph.sub(%x, %r) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  // CHECK: graph.mul(
  %mul = graph.mul(%x, %r) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  // CHECK: graph.div(
  %div = graph.div(%x, %r) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  // CHECK: graph.rem(
  %rem = graph.rem(%x, %r) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  // CHECK: graph.mod(
  %mod = graph.mod(%x, %r) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  // CHECK: graph.pow(
  %pow = graph.pow(%x, %r) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  // CHECK: graph.max(
  %max = graph.max(%x, %r) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  // CHECK: graph.min(
  %min = graph.min(%x, %r) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  // CHECK: graph.and(
  %and = graph.and(%b, %z) : (tensor<2x3xi1>, tensor<i1>) -> tensor<2x3xi1>
  // CHECK: graph.or(
  %or = graph.or(%b, %z) : (tensor<2x3xi1>, tensor<i1>) -> tensor<2x3xi1>
  // CHECK: graph.xor(
  %xor = graph.xor(%b, %z) : (tensor<2x3xi1>, tensor<i1>) -> tensor<2x3xi1>
  // CHECK: graph.shift_left(
  %shift_left = graph.shift_left(%i, %i) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  // CHECK: graph.shift_right(
  %shift_right = graph.shift_right(%i, %i) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  // CHECK: graph.equal(
  %equal = graph.equal(%x, %r) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xi1>
  // CHECK: graph.less(
  %less = graph.less(%x, %r) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xi1>
  // CHECK: graph.less_equal(
  %less_equal = graph.less_equal(%x, %r) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xi1>
  // CHECK: graph.cast(
  %cast = graph.cast(%i) {to = ui8} : (tensor<2x3xi32>) -> tensor<2x3xui8>
  // CHECK: graph.select(
  %select = graph.select(%z, %x, %r) : (tensor<i1>, tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: @reduction
func.func @reduction(%x: tensor<2x3x4xf32>, %e: tensor<0x4xf32>,
    %h: tensor<1x4x3x2xf32>, %m: tensor<3x1x4xf32>) {
  // CHECK: graph.reduce_sum(
  %reduce_sum = graph.reduce_sum(%x) {axes = array<i64: 0, 2>, keepdims = true}
      : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: graph.reduce_prod(
  %reduce_prod = graph.reduce_prod(%x) {axes = array<i64: 0, 2>, keepdims = false}
      : (tensor<2x3x4xf32>) -> tensor<3xf32>
  // CHECK: graph.reduce_max(
  %reduce_max = graph.reduce_max(%x) {axes = array<i64: 0, 2>, keepdims = true}
      : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: graph.reduce_min(
  %reduce_min = graph.reduce_min(%x) {axes = array<i64: 0, 2>, keepdims = false}
      : (tensor<2x3x4xf32>) -> tensor<3xf32>
  // CHECK: graph.reduce_max(
  %none = graph.reduce_max(%e) {axes = array<i64: 0>, keepdims = false}
      : (tensor<0x4xf32>) -> tensor<4xf32>
  // CHECK: graph.arg_max(
  %arg_max = graph.arg_max(%x) {axis = 1 : i64, keepdims = true, select_last = true}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xi64>
  // CHECK: graph.arg_min(
  %arg_min = graph.arg_min(%x) {axis = 1 : i64, keepdims = false, select_last = true}
      : (tensor<2x3x4xf32>) -> tensor<2x4xi64>
  // CHECK: graph.cum_sum(
  %cum_sum = graph.cum_sum(%x) {axis = 0 : i64, exclusive = true, reverse = false}
      : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: graph.softmax(
  %softmax = graph.softmax(%x) {axis = 2 : i64}
      : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: graph.attention(
  %attention = graph.attention(%h, %h, %h, %m) {scale = 0.5 : f64}
      : (tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<3x1x4xf32>) -> tensor<1x4x3x2xf32>
  // CHECK: graph.normalize(
  %normalize = graph.normalize(%x) {axis = 1 : i64, epsilon = 1.0e-5 : f64, center = true}
      : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// CHECK-LABEL: @contraction
func.func @contraction(%a: tensor<5x1x2x3xf32>, %b: tensor<4x3x7xf32>,
    %x: tensor<1x4x9x8xf32>, %w: tensor<6x2x3x3xf32>,
    %xl: tensor<1x9x8x4xf32>, %wl: tensor<3x3x2x6xf32>,
    %wt: tensor<4x5x3x3xf32>) {
  // CHECK: graph.matmul(
  %matmul = graph.matmul(%a, %b)
      : (tensor<5x1x2x3xf32>, tensor<4x3x7xf32>) -> tensor<5x4x2x7xf32>
  // CHECK: graph.conv(
  %conv = graph.conv(%x, %w) {strides = array<i64: 2, 1>,
      pads = array<i64: 1, 0, 0, 2>, dilations = array<i64: 1, 2>,
      groups = 2 : i64, layout = "NCX"}
      : (tensor<1x4x9x8xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x4x6xf32>
  // CHECK: graph.conv(
  %last = graph.conv(%xl, %wl) {strides = array<i64: 2, 1>,
      pads = array<i64: 1, 0, 0, 2>, dilations = array<i64: 1, 2>,
      groups = 2 : i64, layout = "NXC"}
      : (tensor<1x9x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<1x4x6x6xf32>
  // CHECK: graph.conv_transpose(
  %conv_transpose = graph.conv_transpose(%x, %wt) {strides = array<i64: 2, 1>,
      pads = array<i64: 1, 0, 0, 2>, dilations = array<i64: 1, 2>,
      groups = 2 : i64, output_pads = array<i64: 1, 0>}
      : (tensor<1x4x9x8xf32>, tensor<4x5x3x3xf32>) -> tensor<1x10x19x10xf32>
  // CHECK: graph.pool(
  %pool = graph.pool(%x) {kind = "max", kernel = array<i64: 3, 3>,
      strides = array<i64: 2, 1>,
      pads = array<i64: 1, 0, 0, 2>, dilations = array<i64: 1, 2>, layout = "NCX"}
      : (tensor<1x4x9x8xf32>) -> tensor<1x4x4x6xf32>
  return
}

// CHECK-LABEL: @shape
func.func @shape(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // CHECK: graph.transpose(
  %transpose = graph.transpose(%x) {permutation = array<i64: 1, 0>}
      : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK: graph.reshape(
  %reshape = graph.reshape(%x) {shape = array<i64: 3, 1, 2>}
      : (tensor<2x3xf32>) -> tensor<3x1x2xf32>
  // CHECK: graph.broadcast(
  %broadcast = graph.broadcast(%x) {shape = array<i64: 4, 2, 3>}
      : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  // CHECK: graph.concat(
  %concat = graph.concat(%x, %x) {axis = 1 : i64}
      : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  // CHECK: graph.slice(
  %slice = graph.slice(%x) {starts = array<i64: 1, 2>,
      sizes = array<i64: 1, 2>, steps = array<i64: 1, -2>}
      : (tensor<2x3xf32>) -> tensor<1x2xf32>
  // CHECK: graph.pad(
  %pad = graph.pad(%x, %v) {low = array<i64: -1, 1>,
      high = array<i64: 0, 3>, mode = "constant"}
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x7xf32>
  // CHECK: graph.pad(
  %wrap = graph.pad(%x, %v) {low = array<i64: 0, 1>,
      high = array<i64: 5, 3>, mode = "wrap"}
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<7x7xf32>
  return
}

// CHECK-LABEL: @gather
func.func @gather(%x: tensor<2x3xf32>, %i: tensor<4x1xi64>, %t: tensor<2x2xi32>,
    %u: tensor<4x3xf32>, %e: tensor<2x2xf32>, %c: tensor<i1>) {
  // CHECK: graph.gather(
  %gather = graph.gather(%x, %i) {axis = 1 : i64}
      : (tensor<2x3xf32>, tensor<4x1xi64>) -> tensor<2x4x1xf32>
  // CHECK: graph.gather_elements(
  %gather_elements = graph.gather_elements(%x, %t) {axis = 0 : i64}
      : (tensor<2x3xf32>, tensor<2x2xi32>) -> tensor<2x2xf32>
  // CHECK: graph.gather_nd(
  %gather_nd = graph.gather_nd(%x, %i) {batch_dims = 0 : i64}
      : (tensor<2x3xf32>, tensor<4x1xi64>) -> tensor<4x3xf32>
  // CHECK: graph.scatter_elements(
  %scatter_elements = graph.scatter_elements(%x, %t, %e)
      {axis = 0 : i64, reduction = "add"}
      : (tensor<2x3xf32>, tensor<2x2xi32>, tensor<2x2xf32>) -> tensor<2x3xf32>
  // CHECK: graph.scatter_nd(
  %scatter_nd = graph.scatter_nd(%x, %i, %u) {reduction = "none"}
      : (tensor<2x3xf32>, tensor<4x1xi64>, tensor<4x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.top_k(
  %top_k:2 = graph.top_k(%x) {axis = 0 : i64, k = 1 : i64, largest = false}
      : (tensor<2x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xi64>)
  // CHECK: graph.assert(
  graph.assert(%c) {message = "m"} : (tensor<i1>) -> ()
  return
}
