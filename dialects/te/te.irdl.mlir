// The te dialect: kernels, the units of scheduling, and tensor expressions.
//
// Signatures only; what IRDL cannot say stands in the verifiers.
// docs/dialects/te.md is the manual.
irdl.dialect @te {
  // One fused group. The block arguments are the inputs, then one destination
  // for each result; the body is linalg on tensors and ends in te.return.
  irdl.operation @kernel attributes {traits = ["IsolatedFromAbove", "CVerifierOnly"]} {
    %name = irdl.any
    %class = irdl.any
    %body = irdl.region with size 1
    irdl.attributes {"sym_name" = %name, "op_class" = %class}
    irdl.regions(body: %body)
  }
  // The values of the destinations.
  irdl.operation @return attributes {traits = ["Pure", "IsTerminator", "CVerifierOnly"]} {
    %x = irdl.any
    irdl.operands(values: variadic %x)
  }
  // Run `kernel` on the operands, its inputs; the results are new tensors.
  irdl.operation @launch attributes {traits = ["Pure", "CVerifierOnly"]} {
    %kernel = irdl.any
    %x = irdl.any
    %y = irdl.any
    irdl.operands(inputs: variadic %x)
    irdl.results(outputs: variadic %y)
    irdl.attributes {"kernel" = %kernel}
  }
  // A tensor expression. The block arguments are one index for each dimension
  // of the result, then one for each extent in `reduce`; the yielded element
  // is combined over the latter by `combiner`: "add", "mul", "max" or "min".
  irdl.operation @compute attributes {traits = ["Pure", "CVerifierOnly"]} {
    %reduce = irdl.any
    %combiner = irdl.any
    %y = irdl.any
    %body = irdl.region with size 1
    irdl.results(output: %y)
    irdl.attributes {"reduce" = %reduce, "combiner" = %combiner}
    irdl.regions(body: %body)
  }
  irdl.operation @yield attributes {traits = ["Pure", "IsTerminator", "CVerifierOnly"]} {
    %x = irdl.any
    irdl.operands(value: %x)
  }
  // A hardware intrinsic: what it computes, as a kernel body, and the
  // operations that stand for it. Both regions have the same arguments and
  // end in te.return of the same types.
  irdl.operation @intrinsic attributes {traits = ["IsolatedFromAbove", "CVerifierOnly"]} {
    %name = irdl.any
    %behaviour = irdl.region with size 1
    %lowering = irdl.region with size 1
    irdl.attributes {"sym_name" = %name}
    irdl.regions(behaviour: %behaviour, lowering: %lowering)
  }
}
