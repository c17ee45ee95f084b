// RUN: tvm-opt --split-input-file --verify-diagnostics %s

func.func @compute(%c: f32, %d: f64) {
  // expected-error @+1 {{'te.compute' expects 1 regions, got 0}}
  %0 = te.compute() {reduce = array<i64: 3>, combiner = "add"} : () -> tensor<4xf32>
  return
}

// -----

func.func @compute(%c: f32, %d: f64) {
  // expected-error @+1 {{'te.compute' expects region 0 to have one block}}
  %0 = te.compute() {reduce = array<i64: 3>, combiner = "add"} : () -> tensor<4xf32> {
  }
  return
}

// -----

func.func @compute(%c: f32, %d: f64) {
  // expected-error @+1 {{'te.compute' expects one result, a tensor of static shape}}
  %0 = te.compute() {reduce = array<i64: 3>, combiner = "add"} : () -> tensor<?xf32> {
  ^bb0(%i: index, %k: index):
    te.yield(%c) : (f32) -> ()
  }
  return
}

// -----

func.func @compute(%c: f32, %d: f64) {
  // expected-error @+1 {{'te.compute' expects one result, a tensor of static shape}}
  %0 = te.compute() {reduce = array<i64: 3>, combiner = "add"} : () -> f32 {
  ^bb0(%i: index, %k: index):
    te.yield(%c) : (f32) -> ()
  }
  return
}

// -----

func.func @compute(%c: f32, %d: f64) {
  // expected-error @+1 {{'te.compute' expects attribute 'reduce' to be an array<i64>}}
  %0 = te.compute() {combiner = "add"} : () -> tensor<4xf32> {
  ^bb0(%i: index, %k: index):
    te.yield(%c) : (f32) -> ()
  }
  return
}

// -----

func.func @compute(%c: f32, %d: f64) {
  // expected-error @+1 {{'te.compute' expects attribute 'reduce' to be an array<i64>}}
  %0 = te.compute() {reduce = array<i32: 3>, combiner = "add"} : () -> tensor<4xf32> {
  ^bb0(%i: index, %k: index):
    te.yield(%c) : (f32) -> ()
  }
  return
}

// -----

func.func @compute(%c: f32, %d: f64) {
  // expected-error @+1 {{'te.compute' expects 32 indices at most, got 33}}
  %0 = te.compute() {reduce = array<i64: 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1>, combiner = "add"} : () -> tensor<4xf32> {
  ^bb0(%i: index, %k: index):
    te.yield(%c) : (f32) -> ()
  }
  return
}

// -----

func.func @compute(%c: f32, %d: f64) {
  // expected-error @+1 {{'te.compute' expects extents of 0 at least in 'reduce'}}
  %0 = te.compute() {reduce = array<i64: -1>, combiner = "add"} : () -> tensor<4xf32> {
  ^bb0(%i: index, %k: index):
    te.yield(%c) : (f32) -> ()
  }
  return
}

// -----

func.func @compute(%c: f32, %d: f64) {
  // expected-error @+1 {{'te.compute' expects attribute 'combiner' to be one of add, mul, max, min}}
  %0 = te.compute() {reduce = array<i64: 3>, combiner = "sub"} : () -> tensor<4xf32> {
  ^bb0(%i: index, %k: index):
    te.yield(%c) : (f32) -> ()
  }
  return
}

// -----

func.func @compute(%c: f32, %d: f64) {
  // expected-error @+1 {{'te.compute' expects 2 indices, got 1}}
  %0 = te.compute() {reduce = array<i64: 3>, combiner = "add"} : () -> tensor<4xf32> {
  ^bb0(%i: index):
    te.yield(%c) : (f32) -> ()
  }
  return
}

// -----

func.func @compute(%c: f32, %d: f64) {
  // expected-error @+1 {{'te.compute' expects block argument 1 to be an index}}
  %0 = te.compute() {reduce = array<i64: 3>, combiner = "add"} : () -> tensor<4xf32> {
  ^bb0(%i: index, %k: i64):
    te.yield(%c) : (f32) -> ()
  }
  return
}

// -----

func.func @compute(%c: f32, %d: f64) {
  // expected-error @+1 {{'te.compute' expects a body that ends in 'te.yield' of one element}}
  %0 = te.compute() {reduce = array<i64: 3>, combiner = "add"} : () -> tensor<4xf32> {
  ^bb0(%i: index, %k: index):
    te.yield(%c, %c) : (f32, f32) -> ()
  }
  return
}

// -----

func.func @compute(%c: f32, %d: f64) {
  // expected-error @+1 {{'te.compute' expects a body that ends in 'te.yield' of one element}}
  %0 = te.compute() {reduce = array<i64: 3>, combiner = "add"} : () -> tensor<4xf32> {
  ^bb0(%i: index, %k: index):
    %1 = arith.constant 0 : index
  }
  return
}

// -----

func.func @compute(%c: f32, %d: f64) {
  // expected-error @+1 {{'te.compute' expects the yielded element to have the element type of the result}}
  %0 = te.compute() {reduce = array<i64: 3>, combiner = "add"} : () -> tensor<4xf32> {
  ^bb0(%i: index, %k: index):
    te.yield(%d) : (f64) -> ()
  }
  return
}

// -----

func.func @yield(%c: f32) {
  // expected-error @+1 {{'te.yield' expects to end the body of a 'te.compute'}}
  te.yield(%c) : (f32) -> ()
}

// -----

// expected-error @+1 {{'te.intrinsic' expects 2 regions, got 1}}
te.intrinsic() {sym_name = "i"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

// -----

// expected-error @+1 {{'te.intrinsic' expects region 1 to have one block}}
te.intrinsic() {sym_name = "i"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
} {
}

// -----

// expected-error @+1 {{'te.intrinsic' expects attribute 'sym_name' to be a string}}
te.intrinsic() {} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
} {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

// -----

// expected-error @+1 {{'te.intrinsic' expects both regions to have equal arguments}}
te.intrinsic() {sym_name = "i"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
} {
^bb0(%x: tensor<5xf32>, %out: tensor<4xf32>):
  te.return(%out) : (tensor<4xf32>) -> ()
}

// -----

// expected-error @+1 {{'te.intrinsic' expects a body that ends in 'te.return'}}
te.intrinsic() {sym_name = "i"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
} {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  %0 = arith.constant 0 : index
}
