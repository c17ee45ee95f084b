// RUN: tvm-opt --split-input-file --verify-diagnostics %s

func.func @rank(%q: tensor<2x3x4xf32>, %k: tensor<1x2x3x4xf32>) {
  // expected-error @+1 {{'graph.attention' expects operand #0 of rank 4, got rank 3}}
  %0 = graph.attention(%q, %k, %k) {scale = 1.0 : f64} : (tensor<2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return
}

// -----

func.func @batches(%q: tensor<2x2x3x4xf32>, %k: tensor<1x2x3x4xf32>) {
  // expected-error @+1 {{'graph.attention' expects equal batches, got 2 and 1}}
  %0 = graph.attention(%q, %k, %k) {scale = 1.0 : f64} : (tensor<2x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<2x2x3x4xf32>
  return
}

// -----

func.func @heads(%q: tensor<1x2x6x4xf32>, %k: tensor<1x2x3x4xf32>) {
  // expected-error @+1 {{'graph.attention' expects equal heads, got 6 and 3}}
  %0 = graph.attention(%q, %k, %k) {scale = 1.0 : f64} : (tensor<1x2x6x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x6x4xf32>
  return
}

// -----

func.func @channels(%q: tensor<1x2x3x5xf32>, %k: tensor<1x2x3x4xf32>) {
  // expected-error @+1 {{'graph.attention' expects equal channels, got 5 and 4}}
  %0 = graph.attention(%q, %k, %k) {scale = 1.0 : f64} : (tensor<1x2x3x5xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return
}

// -----

func.func @positions(%q: tensor<1x2x3x4xf32>, %v: tensor<1x9x3x4xf32>) {
  // expected-error @+1 {{'graph.attention' expects equal key positions, got 2 and 9}}
  %0 = graph.attention(%q, %q, %v) {scale = 1.0 : f64} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x9x3x4xf32>) -> tensor<1x2x3x4xf32>
  return
}

// -----

func.func @mask(%q: tensor<1x2x3x4xf32>, %m: tensor<5x1x1x2xf32>) {
  // expected-error @+1 {{'graph.attention' expects a mask that broadcasts to the scores}}
  %0 = graph.attention(%q, %q, %q, %m) {scale = 1.0 : f64} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<5x1x1x2xf32>) -> tensor<1x2x3x4xf32>
  return
}
