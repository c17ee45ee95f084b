// RUN: tvm-opt %s --tvm-schedule-kernels=schedule=%S/Inputs/rows.mlir \
// RUN:   | FileCheck %s
// RUN: not tvm-opt %s --tvm-schedule-kernels=schedule=%S/absent.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ABSENT
// RUN: not tvm-opt %s --tvm-schedule-kernels=schedule=%S/Inputs/nothing.mlir \
// RUN:   2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not tvm-opt %s --tvm-schedule-kernels=schedule=%S 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FOLDER
// RUN: echo 'module { frob' > %t.mlir
// RUN: not tvm-opt %s --tvm-schedule-kernels=schedule=%t.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DAMAGED
// RUN: not tvm-opt %s --tvm-schedule-kernels=target=z80 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TARGET

// ABSENT: cannot read the schedule '{{.*}}absent.mlir'
// FOLDER: cannot read the schedule
// DAMAGED: {{[^ ]*}}.tmp.mlir:1:10: error: custom op 'frob' is unknown
// NOTHING: the schedule has no transform.named_sequence
// TARGET: unknown target 'z80', expected host, {{.*}}x86-64

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @negate
// CHECK: scf.forall (%{{.*}}) in (4)
func.func @negate(%x: tensor<16x8xf32>, %out: tensor<16x8xf32>)
    -> tensor<16x8xf32> {
  %empty = tensor.empty() : tensor<16x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<16x8xf32>) outs(%empty : tensor<16x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}
