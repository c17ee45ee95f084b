// RUN: tvm-opt --split-input-file --verify-diagnostics %s

func.func @transpose(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.transpose' expects a permutation of 2 dimensions}}
  %0 = graph.transpose(%a) {permutation = array<i64: 0, 0>}
      : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @transpose(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.transpose' expects a permutation of 2 dimensions}}
  %0 = graph.transpose(%a) {permutation = array<i64: 0, 2>}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.transpose' expects attribute 'permutation' of 2 elements, got 1}}
  %0 = graph.transpose(%a) {permutation = array<i64: 0>}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reshape(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reshape' expects a shape of 6 elements, got 4}}
  %0 = graph.reshape(%a) {shape = array<i64: 4>}
      : (tensor<2x3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reshape(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reshape' expects extents of 0 at least, got -1}}
  %0 = graph.reshape(%a) {shape = array<i64: -1>}
      : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @reshape(%a: tensor<0xf32>) {
  // expected-error @+1 {{'graph.reshape' expects a result of 2^48 elements at most}}
  %0 = graph.reshape(%a) {shape = array<i64: 0, 4611686018427387904, 4>}
      : (tensor<0xf32>) -> tensor<0x4611686018427387904x4xf32>
  return
}

// -----

func.func @broadcast(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.broadcast' expects an operand that broadcasts to 'shape'}}
  %0 = graph.broadcast(%a) {shape = array<i64: 3, 3>}
      : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @broadcast(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.broadcast' expects an operand that broadcasts to 'shape'}}
  %0 = graph.broadcast(%a) {shape = array<i64: 3>}
      : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @concat() {
  // expected-error @+1 {{'graph.concat' expects an operand at least}}
  %0 = graph.concat() {axis = 0 : i64}
      : () -> tensor<3xf32>
  return
}

// -----

func.func @concat(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{'graph.concat' expects operands of rank 2, got rank 1}}
  %0 = graph.concat(%a, %b) {axis = 0 : i64}
      : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @concat(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error @+1 {{'graph.concat' expects extent 3 in dimension 1 of operand 1, got 4}}
  %0 = graph.concat(%a, %b) {axis = 0 : i64}
      : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @concat(%a: tensor<2x3xf32>, %b: tensor<2x3xi8>) {
  // expected-error @+1 {{'graph.concat' expects operands #0 and #1 of one element type, got f32 and i8}}
  %0 = graph.concat(%a, %b) {axis = 0 : i64}
      : (tensor<2x3xf32>, tensor<2x3xi8>) -> tensor<2x3xf32>
  return
}

// -----

func.func @concat(%a: tensor<200000000000000xi8>, %b: tensor<200000000000000xi8>) {
  // expected-error @+1 {{'graph.concat' expects a result of 2^48 elements at most}}
  %0 = graph.concat(%a, %b) {axis = 0 : i64}
      : (tensor<200000000000000xi8>, tensor<200000000000000xi8>) -> tensor<400000000000000xi8>
  return
}

// -----

func.func @slice(%a: tensor<3xf32>) {
  // expected-error @+1 {{'graph.slice' reads outside of dimension 0: start 1, size 3, step 1, extent 3}}
  %0 = graph.slice(%a) {starts = array<i64: 1>, sizes = array<i64: 3>,
      steps = array<i64: 1>}
      : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice(%a: tensor<3xf32>) {
  // expected-error @+1 {{'graph.slice' reads outside of dimension 0: start 1, size 3, step -1, extent 3}}
  %0 = graph.slice(%a) {starts = array<i64: 1>, sizes = array<i64: 3>,
      steps = array<i64: -1>}
      : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice(%a: tensor<3xf32>) {
  // expected-error @+1 {{'graph.slice' reads outside of dimension 0: start -1, size 1, step 1, extent 3}}
  %0 = graph.slice(%a) {starts = array<i64: -1>, sizes = array<i64: 1>,
      steps = array<i64: 1>}
      : (tensor<3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @slice(%a: tensor<3xf32>) {
  // expected-error @+1 {{'graph.slice' reads outside of dimension 0}}
  %0 = graph.slice(%a) {starts = array<i64: 0>, sizes = array<i64: 3>,
      steps = array<i64: 4611686018427387904>}
      : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice(%a: tensor<3xf32>) {
  // expected-error @+1 {{'graph.slice' reads outside of dimension 0: start 4, size 0, step 1, extent 3}}
  %0 = graph.slice(%a) {starts = array<i64: 4>, sizes = array<i64: 0>,
      steps = array<i64: 1>}
      : (tensor<3xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @slice(%a: tensor<3xf32>) {
  // expected-error @+1 {{'graph.slice' reads outside of dimension 0: start 0, size -1, step 1, extent 3}}
  %0 = graph.slice(%a) {starts = array<i64: 0>, sizes = array<i64: -1>,
      steps = array<i64: 1>}
      : (tensor<3xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @slice(%a: tensor<3xf32>) {
  // expected-error @+1 {{'graph.slice' expects 'steps' other than 0}}
  %0 = graph.slice(%a) {starts = array<i64: 0>, sizes = array<i64: 1>,
      steps = array<i64: 0>}
      : (tensor<3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @pad(%a: tensor<3xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{'graph.pad' expects a value of rank 0, got rank 1}}
  %0 = graph.pad(%a, %b) {low = array<i64: 0>, high = array<i64: 0>,
      mode = "constant"}
      : (tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad(%a: tensor<3xf32>, %b: tensor<f64>) {
  // expected-error @+1 {{'graph.pad' expects operands #0 and #1 of one element type, got f32 and f64}}
  %0 = graph.pad(%a, %b) {low = array<i64: 0>, high = array<i64: 0>,
      mode = "constant"}
      : (tensor<3xf32>, tensor<f64>) -> tensor<3xf32>
  return
}

// -----

func.func @pad(%a: tensor<3xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{'graph.pad' expects attribute 'mode' to be one of constant, edge, reflect, wrap, got 'mirror'}}
  %0 = graph.pad(%a, %b) {low = array<i64: 0>, high = array<i64: 0>,
      mode = "mirror"}
      : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad(%a: tensor<3xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{'graph.pad' expects pads of 0 at least unless 'mode' is constant, got -1}}
  %0 = graph.pad(%a, %b) {low = array<i64: -1>, high = array<i64: 1>,
      mode = "edge"}
      : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad(%a: tensor<0xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{'graph.pad' expects an element at least in dimension 0}}
  %0 = graph.pad(%a, %b) {low = array<i64: 1>, high = array<i64: 0>,
      mode = "reflect"}
      : (tensor<0xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @pad(%a: tensor<3xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{'graph.pad' crops more than the 3 elements of dimension 0, by -2, -2}}
  %0 = graph.pad(%a, %b) {low = array<i64: -2>, high = array<i64: -2>,
      mode = "constant"}
      : (tensor<3xf32>, tensor<f32>) -> tensor<0xf32>
  return
}

// -----

func.func @pad(%a: tensor<3xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{'graph.pad' crops more than the 3 elements of dimension 0, by -4, 9}}
  %0 = graph.pad(%a, %b) {low = array<i64: -4>, high = array<i64: 9>,
      mode = "constant"}
      : (tensor<3xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @pad(%a: tensor<3xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{'graph.pad' expects a result of 2^48 elements at most}}
  %0 = graph.pad(%a, %b) {low = array<i64: 9223372036854775807>, high = array<i64: 1>,
      mode = "constant"}
      : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
