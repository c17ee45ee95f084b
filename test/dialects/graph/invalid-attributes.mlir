// RUN: tvm-opt --split-input-file --verify-diagnostics %s

func.func @softmax(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.softmax' expects attribute 'axis' to be an i64}}
  %0 = graph.softmax(%a) {axis = 1 : i32}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @softmax(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.softmax' expects attribute 'axis' to be an i64}}
  %0 = graph.softmax(%a) {axis = "x"}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @softmax(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.softmax' expects 'axis' in [0, 2), got 2}}
  %0 = graph.softmax(%a) {axis = 2 : i64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @softmax(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.softmax' expects 'axis' in [0, 2), got -1}}
  %0 = graph.softmax(%a) {axis = -1 : i64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @concat(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.concat' expects attribute 'axis'}}
  %0 = graph.concat(%a)
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reduce_sum(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reduce_sum' expects attribute 'keepdims' to be true or false}}
  %0 = graph.reduce_sum(%a) {axes = array<i64: 0>, keepdims = 1 : i64}
      : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @reduce_sum(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reduce_sum' expects attribute 'axes' to be an array<i64>}}
  %0 = graph.reduce_sum(%a) {axes = array<i32: 0>, keepdims = true}
      : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @reduce_sum(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reduce_sum' expects attribute 'axes' of 32 elements at most, got 33}}
  %0 = graph.reduce_sum(%a) {axes = array<i64: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32>, keepdims = true}
      : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @reduce_sum(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reduce_sum' expects 'axes' in [0, 2), got 2}}
  %0 = graph.reduce_sum(%a) {axes = array<i64: 2>, keepdims = true}
      : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @reduce_max(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reduce_max' expects 'axes' in rising order, got 0 after 1}}
  %0 = graph.reduce_max(%a) {axes = array<i64: 1, 0>, keepdims = true}
      : (tensor<2x3xf32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @reduce_max(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reduce_max' expects 'axes' in rising order, got 1 after 1}}
  %0 = graph.reduce_max(%a) {axes = array<i64: 1, 1>, keepdims = true}
      : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @reduce_max(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reduce_max' expects result type 'tensor<2xf32>', got 'tensor<2x1xf32>'}}
  %0 = graph.reduce_max(%a) {axes = array<i64: 1>, keepdims = false}
      : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @arg_max(%a: tensor<2x0xf32>) {
  // expected-error @+1 {{'graph.arg_max' expects an element at least along dimension 1}}
  %0 = graph.arg_max(%a) {axis = 1 : i64, keepdims = false, select_last = false}
      : (tensor<2x0xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @arg_min(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.arg_min' expects result type 'tensor<2xi64>', got 'tensor<2xi32>'}}
  %0 = graph.arg_min(%a) {axis = 1 : i64, keepdims = false, select_last = false}
      : (tensor<2x3xf32>) -> tensor<2xi32>
  return
}

// -----

func.func @cum_sum(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.cum_sum' expects attribute 'exclusive' to be true or false}}
  %0 = graph.cum_sum(%a) {axis = 1 : i64, exclusive = 0 : i64, reverse = false}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cast(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.cast' expects attribute 'to' to be an element type}}
  %0 = graph.cast(%a) {to = tensor<2xf32>}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cast(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.cast' expects attribute 'to' to be an element type}}
  %0 = graph.cast(%a) {to = 1 : i64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @assert(%a: tensor<i1>) {
  // expected-error @+1 {{'graph.assert' expects attribute 'message' to be a string}}
  graph.assert(%a) {message = 1 : i64}
      : (tensor<i1>) -> ()
  return
}

// -----

func.func @top_k(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.top_k' expects 'k' in [0, 3], got 4}}
  %0:2 = graph.top_k(%a) {axis = 1 : i64, k = 4 : i64, largest = true}
      : (tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi64>)
  return
}

// -----

func.func @normalize(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.normalize' expects attribute 'epsilon' to be an f64}}
  %0 = graph.normalize(%a) {axis = 1 : i64, epsilon = 1.0e-5 : f32, center = true}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @normalize(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.normalize' expects 'axis' in [0, 2), got 2}}
  %0 = graph.normalize(%a) {axis = 2 : i64, epsilon = 1.0e-5 : f64, center = true}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
