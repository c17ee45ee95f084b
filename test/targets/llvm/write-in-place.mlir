// RUN: tvm-opt --tvm-write-in-place %s | FileCheck %s

// Through views, by vectors, two blocks a turn: the same elements.
// CHECK-LABEL: @views
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<8x32xf32>, %[[Y:[a-z0-9]+]]: memref<8x32xf32>
// CHECK: memref.reinterpret_cast %[[Y]]
// CHECK-NOT: %[[X]]
func.func @views(%x: memref<8x32xf32>, %y: memref<8x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %flat = memref.reinterpret_cast %x to offset: [0], sizes: [256], strides: [1] : memref<8x32xf32> to memref<256xf32, strided<[1]>>
  scf.forall (%i) = (0) to (8) step (2) {
    %rows = memref.subview %y[%i, 0] [2, 32] [1, 1] : memref<8x32xf32> to memref<2x32xf32, strided<[32, 1], offset: ?>>
    %p = affine.apply affine_map<(d0) -> (d0 * 32)>(%i)
    %q = affine.apply affine_map<(d0) -> (d0 * 32 + 32)>(%i)
    %a = vector.load %flat[%p] : memref<256xf32, strided<[1]>>, vector<32xf32>
    %b = vector.load %flat[%q] : memref<256xf32, strided<[1]>>, vector<32xf32>
    vector.store %a, %rows[%c0, %c0] : memref<2x32xf32, strided<[32, 1], offset: ?>>, vector<32xf32>
    vector.store %b, %rows[%c1, %c0] : memref<2x32xf32, strided<[32, 1], offset: ?>>, vector<32xf32>
  }
  return
}

// What remains after the last whole block is peeled.
// CHECK-LABEL: @peeled
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<11xf32>, %[[Y:[a-z0-9]+]]: memref<11xf32>
// CHECK: vector.load %[[Y]]
// CHECK: memref.load %[[Y]]
func.func @peeled(%x: memref<11xf32>, %y: memref<11xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c11 = arith.constant 11 : index
  scf.for %i = %c0 to %c8 step %c4 {
    %a = vector.load %x[%i] : memref<11xf32>, vector<4xf32>
    vector.store %a, %y[%i] : memref<11xf32>, vector<4xf32>
  }
  scf.for %i = %c8 to %c11 step %c1 {
    %a = memref.load %x[%i] : memref<11xf32>
    memref.store %a, %y[%i] : memref<11xf32>
  }
  return
}

// A neighbour is read.
// CHECK-LABEL: @neighbour
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<8xf32>
// CHECK: memref.load %[[X]]
func.func @neighbour(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %c7 step %c1 {
    %j = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    %a = memref.load %x[%j] : memref<8xf32>
    memref.store %a, %y[%i] : memref<8xf32>
  }
  %a = memref.load %x[%c0] : memref<8xf32>
  memref.store %a, %y[%c7] : memref<8xf32>
  return
}

// It is written before it is read.
// CHECK-LABEL: @late
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<8xf32>
// CHECK: memref.load %[[X]]
func.func @late(%x: memref<8xf32>, %z: memref<8xi32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %one, %y[%i] : memref<8xf32>
    %a = memref.load %x[%i] : memref<8xf32>
    %b = arith.fptosi %a : f32 to i32
    memref.store %b, %z[%i] : memref<8xi32>
  }
  return
}

// A second pass writes it again, and would read what the first one wrote.
// CHECK-LABEL: @twice
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<8xf32>
// CHECK: memref.load %[[X]]
// CHECK: memref.load %[[X]]
func.func @twice(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    %b = math.exp %a : f32
    memref.store %b, %y[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    memref.store %a, %y[%i] : memref<8xf32>
  }
  return
}

// Every turn of the outer loop reads all of it.
// CHECK-LABEL: @row
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<4xf32>
// CHECK: memref.load %[[X]]
func.func @row(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    %sum = scf.for %j = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f32 {
      %a = memref.load %x[%j] : memref<4xf32>
      %t = arith.addf %s, %a : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%i] : memref<4xf32>
  }
  return
}

// Whether it is written is not known, nor how often.
// CHECK-LABEL: @branch
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<8xf32>
// CHECK: memref.load %[[X]]
func.func @branch(%x: memref<8xf32>, %c: i1, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.if %c {
      %a = memref.load %x[%i] : memref<8xf32>
      memref.store %a, %y[%i] : memref<8xf32>
    }
  }
  return
}

// Another type, another layout.
// CHECK-LABEL: @type
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<8xi32>
// CHECK: memref.load %[[X]]
func.func @type(%x: memref<8xi32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xi32>
    %b = arith.sitofp %a : i32 to f32
    memref.store %b, %y[%i] : memref<8xf32>
  }
  return
}

// A transposition reads elsewhere than it writes.
// CHECK-LABEL: @transposed
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<4x4xf32>
// CHECK: vector.transfer_read %[[X]]
func.func @transposed(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %zero {permutation_map = affine_map<(d0, d1) -> (d1, d0)>, in_bounds = [true, true]} : memref<4x4xf32>, vector<4x4xf32>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<4x4xf32>
  return
}

// CHECK-LABEL: @transfer
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<4x4xf32>, %[[Y:[a-z0-9]+]]: memref<4x4xf32>
// CHECK: vector.transfer_read %[[Y]]
func.func @transfer(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : memref<4x4xf32>, vector<4x4xf32>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<4x4xf32>
  return
}
