// RUN: tvm-opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{'te.kernel' expects 1 regions, got 0}}
te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> ()

// -----

// expected-error @+1 {{'te.kernel' expects region 0 to have one block}}
te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
}

// -----

// expected-error @+1 {{'te.kernel' expects attribute 'sym_name' to be a string}}
te.kernel() {op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

// -----

// expected-error @+1 {{'te.kernel' expects attribute 'sym_name' to be a string}}
te.kernel() {sym_name = 1 : i64, op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

// -----

// expected-error @+1 {{'te.kernel' expects attribute 'op_class' to be a string}}
te.kernel() {sym_name = "k"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

// -----

// expected-error @+1 {{'te.kernel' expects argument 0 to be a tensor of static shape}}
te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<?xf32>, %out: tensor<4xf32>):
  te.return(%out) : (tensor<4xf32>) -> ()
}

// -----

// expected-error @+1 {{'te.kernel' expects argument 0 to be a tensor of static shape}}
te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: f32, %out: tensor<4xf32>):
  te.return(%out) : (tensor<4xf32>) -> ()
}

// -----

// expected-error @+1 {{'te.kernel' expects a body that ends in 'te.return'}}
te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  %0 = arith.constant 0 : index
}

// -----

// expected-error @+1 {{'te.kernel' expects a destination for each of 3 results, got 2 arguments}}
te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x, %x, %x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
}

// -----

// expected-error @+1 {{'te.kernel' expects result 0 to have the type of its destination}}
te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<5xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

// -----

%0 = arith.constant dense<0.0> : tensor<4xf32>
// expected-error @+1 {{'te.kernel' expects a body that uses its block arguments alone}}
te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%0) : (tensor<4xf32>) -> ()
}

// -----

func.func @return() {
  // expected-error @+1 {{'te.return' expects to end the body of a 'te.kernel' or a 'te.intrinsic'}}
  te.return() : () -> ()
}

// -----

te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  // expected-error @+1 {{'te.return' expects to end the body of a 'te.kernel' or a 'te.intrinsic'}}
  te.return(%x) : (tensor<4xf32>) -> ()
  te.return(%x) : (tensor<4xf32>) -> ()
}

// -----

// expected-note @+1 {{see existing symbol definition here}}
te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

// expected-error @+1 {{redefinition of symbol named 'k'}}
te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

// -----

// expected-error @+1 {{'te.kernel' expects attribute 'layouts' to be an array of 2 elements}}
te.kernel() {sym_name = "k", op_class = "elementwise", layouts = [unit]} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

// -----

// expected-error @+1 {{'te.kernel' expects layout 1 to be unit or a strided layout of its rank}}
te.kernel() {sym_name = "k", op_class = "elementwise", layouts = [unit, strided<[4, 1]>]} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

// -----

// expected-error @+1 {{'te.kernel' expects attribute 'borders' to be an array of 1 elements}}
te.kernel() {sym_name = "k", op_class = "elementwise", borders = unit} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

// -----

// expected-error @+1 {{'te.kernel' expects border 0 to be unit or a dictionary of low, shape, sizes, strides and value}}
te.kernel() {sym_name = "k", op_class = "elementwise", borders = [{low = array<i64: 1>}]} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}
