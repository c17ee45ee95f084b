// RUN: tvm-opt --tvm-convert-graph-to-te --split-input-file --verify-diagnostics %s


func.func @f(%x: tensor<1x1x1x1x1x1x1x1x1x1x2xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x2xf32> {
  // expected-error @below {{'graph.neg' supports rank 10 at most, got rank 11}}
  %0 = graph.neg(%x) : (tensor<1x1x1x1x1x1x1x1x1x1x2xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x2xf32>
  return %0 : tensor<1x1x1x1x1x1x1x1x1x1x2xf32>
}
