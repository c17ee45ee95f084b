// RUN: tvm-opt --split-input-file --verify-diagnostics %s

func.func @fused(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.fused' expects one region, got 0}}
  %0 = graph.fused(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @fused(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.fused' expects a region of one block}}
  %0 = graph.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  }
  return
}

// -----

func.func @fused(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.fused' expects a region of one block}}
  %0 = graph.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.yield(%a) : (tensor<4xf32>) -> ()
  ^bb1:
    graph.yield() : () -> ()
  }
  return
}

// -----

func.func @fused(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.fused' expects 1 block arguments, got 0}}
  %0 = graph.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = arith.constant dense<0.0> : tensor<4xf32>
    graph.yield(%1) : (tensor<4xf32>) -> ()
  }
  return
}

// -----

func.func @fused(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.fused' expects block argument 0 to have the type of its operand}}
  %0 = graph.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<3xf32>):
    %1 = arith.constant dense<0.0> : tensor<4xf32>
    graph.yield(%1) : (tensor<4xf32>) -> ()
  }
  return
}

// -----

func.func @fused(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.fused' expects a body that ends in 'graph.yield'}}
  %0 = graph.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.exp(%a) : (tensor<4xf32>) -> tensor<4xf32>
  }
  return
}

// -----

func.func @fused(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.fused' expects 1 yielded values, got 0}}
  %0 = graph.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.yield() : () -> ()
  }
  return
}

// -----

func.func @fused(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.fused' expects yielded value 0 to have the type of its result}}
  %0 = graph.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.is_nan(%a) : (tensor<4xf32>) -> tensor<4xi1>
    graph.yield(%1) : (tensor<4xi1>) -> ()
  }
  return
}

// -----

func.func @fused(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.fused' expects a body that uses its block arguments alone}}
  %0 = graph.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.add(%a, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield(%1) : (tensor<4xf32>) -> ()
  }
  return
}

// -----

func.func @yield(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.yield' expects to end the body of a 'graph.fused'}}
  graph.yield(%x) : (tensor<4xf32>) -> ()
}

// -----

func.func @yield(%x: tensor<4xf32>) {
  %0 = graph.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @+1 {{'graph.yield' expects to end the body of a 'graph.fused'}}
    graph.yield(%a) : (tensor<4xf32>) -> ()
    graph.yield(%a) : (tensor<4xf32>) -> ()
  }
  return
}
