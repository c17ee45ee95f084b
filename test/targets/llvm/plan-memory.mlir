// RUN: tvm-opt --split-input-file --tvm-plan-memory=target=x86-64 %s | FileCheck %s

// In a chain two buffers take turns. The last result is the caller's.
// CHECK: module attributes {tvm.arena_bytes = 8192 : i64, tvm.max_live_bytes = 8192 : i64}
// CHECK-LABEL: func.func @main
// CHECK: te.launch{{.*}}tvm.offsets = array<i64: [[A:[0-9]+]]>
// CHECK: te.launch{{.*}}tvm.offsets = array<i64: [[B:[0-9]+]]>
// CHECK: te.launch{{.*}}tvm.offsets = array<i64: [[A]]>
// CHECK: te.launch{{.*}}tvm.offsets = array<i64: -1>
"te.kernel"() ({
^bb0(%x: tensor<1024xf32>, %y: tensor<1024xf32>):
  "te.return"(%y) : (tensor<1024xf32>) -> ()
}) {sym_name = "k", op_class = "elementwise"} : () -> ()
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %a = "te.launch"(%x) {kernel = @k} : (tensor<1024xf32>) -> tensor<1024xf32>
  %b = "te.launch"(%a) {kernel = @k} : (tensor<1024xf32>) -> tensor<1024xf32>
  %c = "te.launch"(%b) {kernel = @k} : (tensor<1024xf32>) -> tensor<1024xf32>
  %d = "te.launch"(%c) {kernel = @k} : (tensor<1024xf32>) -> tensor<1024xf32>
  return %d : tensor<1024xf32>
}

// -----

// A reshape is another name: what it names lives on. The workspace lives with
// its launch alone, and sizes are rounded up to cache lines.
// CHECK: module attributes {tvm.arena_bytes = 256 : i64, tvm.max_live_bytes = 256 : i64}
// CHECK-LABEL: func.func @main
// CHECK: te.launch{{.*}}tvm.offsets = array<i64: [[A:[0-9]+]]>, tvm.workspace_offset
// CHECK-NOT: array<i64: [[A]]>
// CHECK: return
"te.kernel"() ({
^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
  "te.return"(%y) : (tensor<4xf32>) -> ()
}) {sym_name = "k", op_class = "elementwise", tvm.workspace_bytes = 65 : i64} : () -> ()
"te.kernel"() ({
^bb0(%x: tensor<2x2xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>):
  "te.return"(%z) : (tensor<4xf32>) -> ()
}) {sym_name = "l", op_class = "elementwise"} : () -> ()
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = "te.launch"(%x) {kernel = @k} : (tensor<4xf32>) -> tensor<4xf32>
  %r = "graph.reshape"(%a) {shape = array<i64: 2, 2>} : (tensor<4xf32>) -> tensor<2x2xf32>
  %b = "te.launch"(%x) {kernel = @k} : (tensor<4xf32>) -> tensor<4xf32>
  %c = "te.launch"(%r, %b) {kernel = @l} : (tensor<2x2xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = "te.launch"(%c) {kernel = @k} : (tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

// The kernel writes its result over its second operand: one buffer, although
// the first one lives on. The result that leaves cannot.
// CHECK: module attributes {tvm.arena_bytes = 8192 : i64, tvm.max_live_bytes = 8192 : i64}
// CHECK-LABEL: func.func @main
// CHECK: te.launch{{.*}}tvm.offsets = array<i64: [[A:[0-9]+]]>
// CHECK: te.launch{{.*}}tvm.offsets = array<i64: [[B:[0-9]+]]>
// CHECK: te.launch{{.*}}tvm.offsets = array<i64: [[B]]>
// CHECK: te.launch{{.*}}tvm.offsets = array<i64: [[B]]>
"te.kernel"() ({
^bb0(%x: tensor<1024xf32>, %y: tensor<1024xf32>):
  "te.return"(%y) : (tensor<1024xf32>) -> ()
}) {sym_name = "k", op_class = "elementwise"} : () -> ()
"te.kernel"() ({
^bb0(%x: tensor<1024xf32>, %y: tensor<1024xf32>, %z: tensor<1024xf32>):
  "te.return"(%z) : (tensor<1024xf32>) -> ()
}) {sym_name = "add", op_class = "elementwise", tvm.in_place = array<i64: 1>} : () -> ()
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %a = "te.launch"(%x) {kernel = @k} : (tensor<1024xf32>) -> tensor<1024xf32>
  %b = "te.launch"(%x) {kernel = @k} : (tensor<1024xf32>) -> tensor<1024xf32>
  %c = "te.launch"(%a, %b) {kernel = @add} : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
  %d = "te.launch"(%a, %c) {kernel = @add} : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
  %e = "te.launch"(%d) {kernel = @k} : (tensor<1024xf32>) -> tensor<1024xf32>
  return %e : tensor<1024xf32>
}
