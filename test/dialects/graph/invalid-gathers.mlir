// RUN: tvm-opt --split-input-file --verify-diagnostics %s

func.func @gather(%a: tensor<2x3xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{'graph.gather' expects operand #1 to have an integer element, got tensor<4xf32>}}
  %0 = graph.gather(%a, %b) {axis = 0 : i64}
      : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather(%a: tensor<2x3xf32>, %b: tensor<4xi16>) {
  // expected-error @+1 {{'graph.gather' expects indices of type i32 or i64}}
  %0 = graph.gather(%a, %b) {axis = 0 : i64}
      : (tensor<2x3xf32>, tensor<4xi16>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather(%a: tensor<2x3xf32>, %b: tensor<4xui32>) {
  // expected-error @+1 {{'graph.gather' expects indices of type i32 or i64}}
  %0 = graph.gather(%a, %b) {axis = 0 : i64}
      : (tensor<2x3xf32>, tensor<4xui32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather(%a: tensor<0x3xf32>, %b: tensor<4xi64>) {
  // expected-error @+1 {{'graph.gather' expects elements in each dimension that it indexes}}
  %0 = graph.gather(%a, %b) {axis = 0 : i64}
      : (tensor<0x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather(%a: tensor<f32>, %b: tensor<4xi64>) {
  // expected-error @+1 {{'graph.gather' expects 'axis' in [0, 0), got 0}}
  %0 = graph.gather(%a, %b) {axis = 0 : i64}
      : (tensor<f32>, tensor<4xi64>) -> tensor<4xi64>
  return
}

// -----

func.func @gather(%a: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>, %b: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xi64>) {
  // expected-error @+1 {{'graph.gather' expects a result of rank 32 at most, got rank 39}}
  %0 = graph.gather(%a, %b) {axis = 0 : i64}
      : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>, tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xi64>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  return
}

// -----

func.func @gather_elements(%a: tensor<2x3xf32>, %b: tensor<4xi64>) {
  // expected-error @+1 {{'graph.gather_elements' expects indices of rank 2, got rank 1}}
  %0 = graph.gather_elements(%a, %b) {axis = 0 : i64}
      : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @gather_elements(%a: tensor<2x3xf32>, %b: tensor<2x4xi64>) {
  // expected-error @+1 {{'graph.gather_elements' expects at most 3 indices in dimension 1, got 4}}
  %0 = graph.gather_elements(%a, %b) {axis = 0 : i64}
      : (tensor<2x3xf32>, tensor<2x4xi64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gather_elements(%a: tensor<0x3xf32>, %b: tensor<1x3xi64>) {
  // expected-error @+1 {{'graph.gather_elements' expects elements in each dimension that it indexes}}
  %0 = graph.gather_elements(%a, %b) {axis = 0 : i64}
      : (tensor<0x3xf32>, tensor<1x3xi64>) -> tensor<1x3xf32>
  return
}

// -----

func.func @gather_nd(%a: tensor<2x3xf32>, %b: tensor<5x1xi64>) {
  // expected-error @+1 {{'graph.gather_nd' expects ranks above 'batch_dims', got data of rank 2, indices of rank 2}}
  %0 = graph.gather_nd(%a, %b) {batch_dims = 2 : i64}
      : (tensor<2x3xf32>, tensor<5x1xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @gather_nd(%a: tensor<2x3xf32>, %b: tensor<5x1xi64>) {
  // expected-error @+1 {{'graph.gather_nd' expects ranks above 'batch_dims', got data of rank 2, indices of rank 2}}
  %0 = graph.gather_nd(%a, %b) {batch_dims = -1 : i64}
      : (tensor<2x3xf32>, tensor<5x1xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @gather_nd(%a: tensor<2x3xf32>, %b: tensor<5x3xi64>) {
  // expected-error @+1 {{'graph.gather_nd' expects tuples of 2 at most, got 3}}
  %0 = graph.gather_nd(%a, %b) {batch_dims = 0 : i64}
      : (tensor<2x3xf32>, tensor<5x3xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @gather_nd(%a: tensor<2x3xf32>, %b: tensor<5x1xi64>) {
  // expected-error @+1 {{'graph.gather_nd' expects extent 2 in dimension 0 of the indices, got 5}}
  %0 = graph.gather_nd(%a, %b) {batch_dims = 1 : i64}
      : (tensor<2x3xf32>, tensor<5x1xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @gather_nd(%a: tensor<2x0xf32>, %b: tensor<5x2xi64>) {
  // expected-error @+1 {{'graph.gather_nd' expects elements in each dimension that it indexes}}
  %0 = graph.gather_nd(%a, %b) {batch_dims = 0 : i64}
      : (tensor<2x0xf32>, tensor<5x2xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @gather_nd(%a: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>, %b: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xi64>) {
  // expected-error @+1 {{'graph.gather_nd' expects a result of rank 32 at most, got rank 39}}
  %0 = graph.gather_nd(%a, %b) {batch_dims = 0 : i64}
      : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>, tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xi64>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  return
}

// -----

func.func @scatter_elements(%a: tensor<2x3xf32>, %b: tensor<2x3xi64>, %c: tensor<2x2xf32>) {
  // expected-error @+1 {{'graph.scatter_elements' expects updates of the shape that the indices give}}
  %0 = graph.scatter_elements(%a, %b, %c) {axis = 1 : i64, reduction = "none"}
      : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_elements(%a: tensor<2x3xf32>, %b: tensor<2x3xi64>, %c: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.scatter_elements' expects attribute 'reduction' to be one of none, add, mul, max, min, got 'sub'}}
  %0 = graph.scatter_elements(%a, %b, %c) {axis = 1 : i64, reduction = "sub"}
      : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_elements(%a: tensor<3xi1>, %b: tensor<3xi64>, %c: tensor<3xi1>) {
  // expected-error @+1 {{'graph.scatter_elements' expects numbers for reduction 'add'}}
  %0 = graph.scatter_elements(%a, %b, %c) {axis = 0 : i64, reduction = "add"}
      : (tensor<3xi1>, tensor<3xi64>, tensor<3xi1>) -> tensor<3xi1>
  return
}

// -----

func.func @scatter_elements(%a: tensor<2x3xf32>, %b: tensor<3x3xi64>, %c: tensor<3x3xf32>) {
  // expected-error @+1 {{'graph.scatter_elements' expects at most 2 indices in dimension 0, got 3}}
  %0 = graph.scatter_elements(%a, %b, %c) {axis = 1 : i64, reduction = "none"}
      : (tensor<2x3xf32>, tensor<3x3xi64>, tensor<3x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_nd(%a: tensor<2x3xf32>, %b: tensor<5x1xi64>, %c: tensor<5x2xf32>) {
  // expected-error @+1 {{'graph.scatter_nd' expects updates of the shape that the indices give}}
  %0 = graph.scatter_nd(%a, %b, %c) {reduction = "none"}
      : (tensor<2x3xf32>, tensor<5x1xi64>, tensor<5x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_nd(%a: tensor<2x3xf32>, %b: tensor<5x3xi64>, %c: tensor<5xf32>) {
  // expected-error @+1 {{'graph.scatter_nd' expects tuples of 2 at most, got 3}}
  %0 = graph.scatter_nd(%a, %b, %c) {reduction = "none"}
      : (tensor<2x3xf32>, tensor<5x3xi64>, tensor<5xf32>) -> tensor<2x3xf32>
  return
}
