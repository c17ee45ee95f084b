// RUN: tvm-opt --split-input-file --verify-diagnostics --tvm-plan-memory %s

// expected-error @+1 {{the module has no function 'main'}}
module {
}
