// RUN: tvm-opt --split-input-file --verify-diagnostics %s

te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

func.func @main(%x: tensor<4xf32>) {
  // expected-error @+1 {{'te.launch' expects attribute 'kernel' to name a 'te.kernel' of the module}}
  %0 = te.launch(%x) {kernel = @missing} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

func.func @main(%x: tensor<4xf32>) {
  // expected-error @+1 {{'te.launch' expects attribute 'kernel' to name a 'te.kernel' of the module}}
  %0 = te.launch(%x) {kernel = "k"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

func.func @main(%x: tensor<4xf32>) {
  // expected-error @+1 {{'te.launch' expects attribute 'kernel' to name a 'te.kernel' of the module}}
  %0 = te.launch(%x) {kernel = @main} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

func.func @main(%x: tensor<4xf32>) {
  // expected-error @+1 {{'te.launch' expects attribute 'kernel' to name a 'te.kernel' of the module}}
  %0 = te.launch(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{'te.launch' expects a kernel with a body}}
%0 = te.launch() {kernel = @k} : () -> tensor<4xf32>
te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> ()

// -----

te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

func.func @main(%x: tensor<4xf32>) {
  // expected-error @+1 {{'te.launch' expects 2 operands and results, as its kernel, got 3}}
  %0 = te.launch(%x, %x) {kernel = @k}
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

func.func @main(%x: tensor<5xf32>) {
  // expected-error @+1 {{'te.launch' expects operand 0 to have the type of its kernel}}
  %0 = te.launch(%x) {kernel = @k} : (tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

func.func @main(%x: f32) {
  // expected-error @+1 {{'te.launch' expects operand 0 to have the type of its kernel}}
  %0 = te.launch(%x) {kernel = @k} : (f32) -> tensor<4xf32>
  return
}

// -----

te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

func.func @main(%x: tensor<4xi32>) {
  // expected-error @+1 {{'te.launch' expects operand 0 to have the type of its kernel}}
  %0 = te.launch(%x) {kernel = @k} : (tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

te.kernel() {sym_name = "k", op_class = "elementwise"} : () -> () {
^bb0(%x: tensor<4xf32>, %out: tensor<4xf32>):
  te.return(%x) : (tensor<4xf32>) -> ()
}

func.func @main(%x: tensor<4xf32>) {
  // expected-error @+1 {{'te.launch' expects result 0 to have the type of its kernel}}
  %0 = te.launch(%x) {kernel = @k} : (tensor<4xf32>) -> tensor<4x1xf32>
  return
}
