// RUN: tvm-opt --split-input-file --verify-diagnostics %s

func.func @exp(%a: tensor<?x3xf32>) {
  // expected-error @+1 {{'graph.exp' expects operand #0 to be a static tensor of rank 32 at most, got tensor<?x3xf32>}}
  %0 = graph.exp(%a)
      : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @concat(%a: tensor<*xf32>) {
  // expected-error @+1 {{'graph.concat' expects operand #0 to be a static tensor of rank 32 at most, got tensor<*xf32>}}
  %0 = graph.concat(%a) {axis = 0 : i64}
      : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @exp(%a: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  // expected-error @+1 {{'graph.exp' expects operand #0 to be a static tensor of rank 32 at most}}
  %0 = graph.exp(%a)
      : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  return
}

// -----

func.func @exp(%a: tensor<2x3xi32>) {
  // expected-error @+1 {{'graph.exp' expects operand #0 to have a float element, got tensor<2x3xi32>}}
  %0 = graph.exp(%a)
      : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @neg(%a: tensor<2xi1>) {
  // expected-error @+1 {{'graph.neg' expects operand #0 to have an integer or float element, got tensor<2xi1>}}
  %0 = graph.neg(%a)
      : (tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @not(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.not' expects operand #0 to have an integer or i1 element, got tensor<2x3xf32>}}
  %0 = graph.not(%a)
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @shift_left(%a: tensor<2xi1>, %b: tensor<2xi1>) {
  // expected-error @+1 {{'graph.shift_left' expects operand #0 to have an integer element, got tensor<2xi1>}}
  %0 = graph.shift_left(%a, %b)
      : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @select(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.select' expects operand #0 to have an i1 element, got tensor<2x3xf32>}}
  %0 = graph.select(%a, %b, %c)
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cast(%a: tensor<2xi7>) {
  // expected-error @+1 {{'graph.cast' expects operand #0 to have an i1, i8 to i64, ui8 to ui64, f16, bf16, f32 or f64 element, got tensor<2xi7>}}
  %0 = graph.cast(%a) {to = f32}
      : (tensor<2xi7>) -> tensor<2xf32>
  return
}

// -----

func.func @reshape(%a: tensor<2xsi8>) {
  // expected-error @+1 {{'graph.reshape' expects operand #0 to have an i1, i8 to i64, ui8 to ui64, f16, bf16, f32 or f64 element, got tensor<2xsi8>}}
  %0 = graph.reshape(%a) {shape = array<i64: 2>}
      : (tensor<2xsi8>) -> tensor<2xsi8>
  return
}

// -----

func.func @exp(%a: tensor<4194304x4194304x4194304xf32>) {
  // expected-error @+1 {{'graph.exp' expects operand #0 to have 2^48 elements at most, got tensor<4194304x4194304x4194304xf32>}}
  %0 = graph.exp(%a)
      : (tensor<4194304x4194304x4194304xf32>) -> tensor<4194304x4194304x4194304xf32>
  return
}

// -----

// An empty dimension is no excuse.
func.func @exp(%a: tensor<0x4194304x4194304x4194304xf32>) {
  // expected-error @+1 {{'graph.exp' expects operand #0 to have 2^48 elements at most}}
  %0 = graph.exp(%a)
      : (tensor<0x4194304x4194304x4194304xf32>) -> tensor<0x4194304x4194304x4194304xf32>
  return
}

// -----

func.func @add(%a: tensor<2x3xf32>, %b: tensor<2x3xf16>) {
  // expected-error @+1 {{'graph.add' expects operands #0 and #1 of one element type, got f32 and f16}}
  %0 = graph.add(%a, %b)
      : (tensor<2x3xf32>, tensor<2x3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @add(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{'graph.add' expects shapes that broadcast, got 3 against 2 in dimension 1 of the result}}
  %0 = graph.add(%a, %b)
      : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @select(%a: tensor<5xi1>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.select' expects shapes that broadcast, got 3 against 5 in dimension 1 of the result}}
  %0 = graph.select(%a, %b, %c)
      : (tensor<5xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @less(%a: tensor<2xi1>, %b: tensor<2xi1>) {
  // expected-error @+1 {{'graph.less' expects operand #0 to have an integer or float element, got tensor<2xi1>}}
  %0 = graph.less(%a, %b)
      : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @add(%a: tensor<16777216x1xf32>, %b: tensor<1x33554432xf32>) {
  // expected-error @+1 {{'graph.add' expects a result of 2^48 elements at most}}
  %0 = graph.add(%a, %b)
      : (tensor<16777216x1xf32>, tensor<1x33554432xf32>) -> tensor<16777216x33554432xf32>
  return
}

// -----

func.func @exp(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.exp' expects result type 'tensor<2x3xf32>', got 'tensor<3x2xf32>'}}
  %0 = graph.exp(%a)
      : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @equal(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.equal' expects result type 'tensor<2x3xi1>', got 'tensor<2x3xf32>'}}
  %0 = graph.equal(%a, %b)
      : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @is_nan(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.is_nan' expects result type 'tensor<2x3xi1>', got 'tensor<2x3xf32>'}}
  %0 = graph.is_nan(%a)
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @concat(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.concat' expects 1 results, got 0}}
  graph.concat(%a) {axis = 0 : i64}
      : (tensor<2x3xf32>) -> ()
  return
}
