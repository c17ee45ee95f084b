// RUN: tvm-opt --split-input-file --verify-diagnostics %s

func.func @matmul(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{'graph.matmul' expects operand #1 of rank 2 at least, got rank 1}}
  %0 = graph.matmul(%a, %b)
      : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @matmul(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) {
  // expected-error @+1 {{'graph.matmul' expects equal inner dimensions, got 3 and 4}}
  %0 = graph.matmul(%a, %b)
      : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @matmul(%a: tensor<5x2x3xf32>, %b: tensor<4x3x2xf32>) {
  // expected-error @+1 {{'graph.matmul' expects shapes that broadcast, got 5 against 4 in dimension 0 of the result}}
  %0 = graph.matmul(%a, %b)
      : (tensor<5x2x3xf32>, tensor<4x3x2xf32>) -> tensor<5x2x2xf32>
  return
}

// -----

func.func @matmul(%a: tensor<2x3xf32>, %b: tensor<3x2xf64>) {
  // expected-error @+1 {{'graph.matmul' expects operands #0 and #1 of one element type, got f32 and f64}}
  %0 = graph.matmul(%a, %b)
      : (tensor<2x3xf32>, tensor<3x2xf64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{'graph.conv' expects operand #0 of rank 3 at least, got rank 2}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, layout = "NCX"}
      : (tensor<1x4xf32>, tensor<8x4xf32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects rank 4 weight, got rank 3}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, layout = "NCX"}
      : (tensor<1x4x9x9xf32>, tensor<8x4x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects attribute 'layout' to be one of NCX, NXC, got 'NHWC'}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, layout = "NHWC"}
      : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects attribute 'layout' to be one of NCX, NXC}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, layout = 1 : i64}
      : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects attribute 'strides' of 2 elements, got 1}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, layout = "NCX"}
      : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects attribute 'pads' of 4 elements, got 2}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, layout = "NCX"}
      : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects 'strides' of 1 at least, got 0}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 0, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, layout = "NCX"}
      : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects 'dilations' of 1 at least, got 0}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 0>,
      groups = 1 : i64, layout = "NCX"}
      : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects 'pads' of 0 at least, got -1}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, -1, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, layout = "NCX"}
      : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x0x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects 'kernel' of 1 at least, got 0}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, layout = "NCX"}
      : (tensor<1x4x9x9xf32>, tensor<8x4x0x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects 'groups' to divide the 4 channels, got 0}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 0 : i64, layout = "NCX"}
      : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects 'groups' to divide the 4 channels, got 3}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 3 : i64, layout = "NCX"}
      : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<9x2x3x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects 'groups' to divide the 9 output channels, got 2}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 2 : i64, layout = "NCX"}
      : (tensor<1x4x9x9xf32>, tensor<9x2x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects a weight of 2 channels a group, got 4}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 2 : i64, layout = "NCX"}
      : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x10x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects the padded input to hold the dilated kernel, got 9 against 10 in spatial dimension 0}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, layout = "NCX"}
      : (tensor<1x4x9x9xf32>, tensor<8x4x10x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects a dilated kernel below 2^48 elements}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 4611686018427387904>,
      groups = 1 : i64, layout = "NCX"}
      : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects a padded input below 2^48 elements}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 4611686018427387904, 0, 4611686018427387904, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, layout = "NCX"}
      : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x4x9x9xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{'graph.conv' expects result type 'tensor<1x8x7x7xf32>', got 'tensor<1x8x9x9xf32>'}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, layout = "NCX"}
      : (tensor<1x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x9x9xf32>
  return
}

// -----

func.func @conv(%a: tensor<1x9x9x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error @+1 {{'graph.conv' expects result type 'tensor<1x7x7x8xf32>', got 'tensor<1x8x7x7xf32>'}}
  %0 = graph.conv(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, layout = "NXC"}
      : (tensor<1x9x9x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @conv_transpose(%a: tensor<1x4x9x9xf32>, %b: tensor<5x8x3x3xf32>) {
  // expected-error @+1 {{'graph.conv_transpose' expects a weight of 4 channels, got 5}}
  %0 = graph.conv_transpose(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, output_pads = array<i64: 0, 0>}
      : (tensor<1x4x9x9xf32>, tensor<5x8x3x3xf32>) -> tensor<1x8x11x11xf32>
  return
}

// -----

func.func @conv_transpose(%a: tensor<1x4x9x9xf32>, %b: tensor<4x8x3x3xf32>) {
  // expected-error @+1 {{'graph.conv_transpose' expects 'groups' to divide the 4 channels, got 3}}
  %0 = graph.conv_transpose(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 3 : i64, output_pads = array<i64: 0, 0>}
      : (tensor<1x4x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x8x11x11xf32>
  return
}

// -----

func.func @conv_transpose(%a: tensor<1x4x9x9xf32>, %b: tensor<4x8x3x3xf32>) {
  // expected-error @+1 {{'graph.conv_transpose' expects 'output_pads' of 0 at least, got -1}}
  %0 = graph.conv_transpose(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, output_pads = array<i64: -1, 0>}
      : (tensor<1x4x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x8x11x11xf32>
  return
}

// -----

func.func @conv_transpose(%a: tensor<1x4x0x9xf32>, %b: tensor<4x8x3x3xf32>) {
  // expected-error @+1 {{'graph.conv_transpose' expects an element at least in spatial dimension 0}}
  %0 = graph.conv_transpose(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, output_pads = array<i64: 0, 0>}
      : (tensor<1x4x0x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x8x11x11xf32>
  return
}

// -----

func.func @conv_transpose(%a: tensor<1x4x9x9xf32>, %b: tensor<4x8x3x3xf32>) {
  // expected-error @+1 {{'graph.conv_transpose' expects a result below 2^48 elements}}
  %0 = graph.conv_transpose(%a, %b) {strides = array<i64: 4611686018427387904, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, output_pads = array<i64: 0, 0>}
      : (tensor<1x4x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x8x11x11xf32>
  return
}

// -----

func.func @conv_transpose(%a: tensor<1x4x9x9xf32>, %b: tensor<4x8x3x3xf32>) {
  // expected-error @+1 {{'graph.conv_transpose' expects 'pads' that leave an element of 11, got 6 and 5}}
  %0 = graph.conv_transpose(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 6, 0, 5, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, output_pads = array<i64: 0, 0>}
      : (tensor<1x4x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x8x11x11xf32>
  return
}

// -----

func.func @conv_transpose(%a: tensor<1x4x9x9xf32>, %b: tensor<4x8x3x3xf32>) {
  // expected-error @+1 {{'graph.conv_transpose' expects result type 'tensor<1x8x11x11xf32>', got 'tensor<1x8x7x7xf32>'}}
  %0 = graph.conv_transpose(%a, %b) {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      groups = 1 : i64, output_pads = array<i64: 0, 0>}
      : (tensor<1x4x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @pool(%a: tensor<1x4x9x9xf32>) {
  // expected-error @+1 {{'graph.pool' expects attribute 'kind' to be one of max, sum, got 'average'}}
  %0 = graph.pool(%a) {kind = "average", kernel = array<i64: 3, 3>,
      strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, layout = "NCX"}
      : (tensor<1x4x9x9xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @pool(%a: tensor<1x4x9x9xf32>) {
  // expected-error @+1 {{'graph.pool' expects 'kernel' of 1 at least, got 0}}
  %0 = graph.pool(%a) {kind = "max", kernel = array<i64: 3, 0>,
      strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, layout = "NCX"}
      : (tensor<1x4x9x9xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @pool(%a: tensor<1x4x9x9xf32>) {
  // expected-error @+1 {{'graph.pool' expects attribute 'kernel' of 2 elements, got 1}}
  %0 = graph.pool(%a) {kind = "max", kernel = array<i64: 3>,
      strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, layout = "NCX"}
      : (tensor<1x4x9x9xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @pool(%a: tensor<1x4x9x9xf32>) {
  // expected-error @+1 {{'graph.pool' expects result type 'tensor<1x4x7x7xf32>', got 'tensor<1x4x9x9xf32>'}}
  %0 = graph.pool(%a) {kind = "max", kernel = array<i64: 3, 3>,
      strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, layout = "NCX"}
      : (tensor<1x4x9x9xf32>) -> tensor<1x4x9x9xf32>
  return
}
