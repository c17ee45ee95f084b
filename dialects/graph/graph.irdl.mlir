// The graph dialect: whole-model operators on ranked, static tensors.
//
// Signatures only. What IRDL cannot say (rank, element types, array lengths,
// shape rules) stands in the verifiers; docs/dialects/graph.md is the manual.
irdl.dialect @graph {
  // Elementwise, one operand.
  irdl.operation @neg attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @abs attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @sign attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @exp attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @log attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @sqrt attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @floor attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @ceil attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  // Half to even.
  irdl.operation @round attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @sin attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @cos attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @tan attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @asin attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @acos attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @atan attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @sinh attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @cosh attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @asinh attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @acosh attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @atanh attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @tanh attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @sigmoid attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @erf attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  // 1 - erf(x), exp(x) - 1 and log(1 + x), without what those would cancel.
  irdl.operation @erfc attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @expm1 attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @log1p attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  // max(x, 0); NaN stays.
  irdl.operation @relu attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  // Bitwise complement; logical on i1.
  irdl.operation @not attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  irdl.operation @is_nan attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  // Either sign.
  irdl.operation @is_inf attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(input: %x)
    irdl.results(output: %y)
  }
  // Elementwise, two operands, numpy broadcasting, equal element types.
  irdl.operation @add attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  irdl.operation @sub attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  irdl.operation @mul attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  // Integers truncate toward zero.
  irdl.operation @div attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  // Sign of the dividend (C, fmod).
  irdl.operation @rem attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  // Sign of the divisor (Python).
  irdl.operation @mod attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  irdl.operation @pow attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  // NaN if either is NaN.
  irdl.operation @max attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  // NaN if either is NaN.
  irdl.operation @min attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  irdl.operation @and attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  irdl.operation @or attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  irdl.operation @xor attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  irdl.operation @shift_left attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  // Logical.
  irdl.operation @shift_right attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  irdl.operation @equal attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  irdl.operation @less attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  irdl.operation @less_equal attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  // Convert to the element type of the result: C rules for integers (wrap),
  // truncation toward zero from float, "not equal zero" to i1.
  irdl.operation @cast attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %to = irdl.any
    irdl.operands(input: %x)
    irdl.results(output: %y)
    irdl.attributes {"to" = %to}
  }
  // condition ? lhs : rhs, all three broadcast.
  irdl.operation @select attributes {traits = ["Pure"]} {
    %c = irdl.base "!builtin.tensor"
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(condition: %c, lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  // Reductions over `axes` (sorted, unique, non-negative). Max and min give NaN
  // if any element is NaN; an empty set gives the identity.
  irdl.operation @reduce_sum attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %axes = irdl.base "#builtin.dense_array"
    %keepdims = irdl.any
    irdl.operands(input: %x)
    irdl.results(output: %y)
    irdl.attributes {"axes" = %axes, "keepdims" = %keepdims}
  }
  irdl.operation @reduce_prod attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %axes = irdl.base "#builtin.dense_array"
    %keepdims = irdl.any
    irdl.operands(input: %x)
    irdl.results(output: %y)
    irdl.attributes {"axes" = %axes, "keepdims" = %keepdims}
  }
  irdl.operation @reduce_max attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %axes = irdl.base "#builtin.dense_array"
    %keepdims = irdl.any
    irdl.operands(input: %x)
    irdl.results(output: %y)
    irdl.attributes {"axes" = %axes, "keepdims" = %keepdims}
  }
  irdl.operation @reduce_min attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %axes = irdl.base "#builtin.dense_array"
    %keepdims = irdl.any
    irdl.operands(input: %x)
    irdl.results(output: %y)
    irdl.attributes {"axes" = %axes, "keepdims" = %keepdims}
  }
  // Index (i64) of the extreme along `axis`; a NaN is the extreme.
  irdl.operation @arg_max attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %axis = irdl.any
    %keepdims = irdl.any
    %select_last = irdl.any
    irdl.operands(input: %x)
    irdl.results(output: %y)
    irdl.attributes {"axis" = %axis, "keepdims" = %keepdims, "select_last" = %select_last}
  }
  irdl.operation @arg_min attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %axis = irdl.any
    %keepdims = irdl.any
    %select_last = irdl.any
    irdl.operands(input: %x)
    irdl.results(output: %y)
    irdl.attributes {"axis" = %axis, "keepdims" = %keepdims, "select_last" = %select_last}
  }
  // Running sum along `axis`; `exclusive` leaves the element itself out.
  irdl.operation @cum_sum attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %axis = irdl.any
    %exclusive = irdl.any
    %reverse = irdl.any
    irdl.operands(input: %x)
    irdl.results(output: %y)
    irdl.attributes {"axis" = %axis, "exclusive" = %exclusive, "reverse" = %reverse}
  }
  // Softmax along one axis.
  irdl.operation @softmax attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %axis = irdl.any
    irdl.operands(input: %x)
    irdl.results(output: %y)
    irdl.attributes {"axis" = %axis}
  }
  // softmax(scale * query * key^T + mask) * value for each head. Query, key and
  // value are [batch, position, head, channel]; the mask, if there is one,
  // broadcasts to [batch, head, query position, key position].
  irdl.operation @attention attributes {traits = ["Pure", "CVerifierOnly"]} {
    %q = irdl.base "!builtin.tensor"
    %k = irdl.base "!builtin.tensor"
    %v = irdl.base "!builtin.tensor"
    %m = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %scale = irdl.any
    irdl.operands(query: %q, key: %k, value: %v, mask: optional %m)
    irdl.results(output: %y)
    irdl.attributes {"scale" = %scale}
  }
  // (x - mean) / sqrt(variance + epsilon) over the dimensions from `axis` on;
  // without `center` x / sqrt(mean of squares + epsilon). The first is the core
  // of layer norm, the second that of RMS norm; f16 and bf16 compute in f32.
  irdl.operation @normalize attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %axis = irdl.any
    %epsilon = irdl.any
    %center = irdl.any
    irdl.operands(input: %x)
    irdl.results(output: %y)
    irdl.attributes {"axis" = %axis, "epsilon" = %epsilon, "center" = %center}
  }
  // Batched matrix product, leading dimensions broadcast as in numpy; both
  // operands have rank 2 at least. Integer inputs accumulate in the result type.
  irdl.operation @matmul attributes {traits = ["Pure"]} {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    irdl.operands(lhs: %a, rhs: %b)
    irdl.results(output: %y)
  }
  // Convolution over any number of spatial dimensions. `layout` is "NCX"
  // (input N,C,spatial; weight O,I/groups,spatial) or "NXC" (input N,spatial,C;
  // weight spatial,I/groups,O). `pads`: all lows, then all highs.
  irdl.operation @conv attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %w = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %strides = irdl.base "#builtin.dense_array"
    %pads = irdl.base "#builtin.dense_array"
    %dilations = irdl.base "#builtin.dense_array"
    %groups = irdl.any
    %layout = irdl.any
    irdl.operands(input: %x, weight: %w)
    irdl.results(output: %y)
    irdl.attributes {"strides" = %strides, "pads" = %pads, "dilations" = %dilations, "groups" = %groups, "layout" = %layout}
  }
  // Transposed convolution, layout NCX, weight C,O/groups,spatial. `pads` crop
  // the full result; `output_pads` extend it at the high end.
  irdl.operation @conv_transpose attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %w = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %strides = irdl.base "#builtin.dense_array"
    %pads = irdl.base "#builtin.dense_array"
    %output_pads = irdl.base "#builtin.dense_array"
    %dilations = irdl.base "#builtin.dense_array"
    %groups = irdl.any
    irdl.operands(input: %x, weight: %w)
    irdl.results(output: %y)
    irdl.attributes {"strides" = %strides, "pads" = %pads, "output_pads" = %output_pads, "dilations" = %dilations, "groups" = %groups}
  }
  // Window reduction over the spatial dimensions: `kind` is "max" or "sum";
  // outside of the input counts as the kind's identity. `layout` as in conv.
  irdl.operation @pool attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %kind = irdl.any
    %kernel = irdl.base "#builtin.dense_array"
    %strides = irdl.base "#builtin.dense_array"
    %pads = irdl.base "#builtin.dense_array"
    %dilations = irdl.base "#builtin.dense_array"
    %layout = irdl.any
    irdl.operands(input: %x)
    irdl.results(output: %y)
    irdl.attributes {"kind" = %kind, "kernel" = %kernel, "strides" = %strides, "pads" = %pads, "dilations" = %dilations, "layout" = %layout}
  }
  irdl.operation @transpose attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %permutation = irdl.base "#builtin.dense_array"
    irdl.operands(input: %x)
    irdl.results(output: %y)
    irdl.attributes {"permutation" = %permutation}
  }
  irdl.operation @reshape attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %shape = irdl.base "#builtin.dense_array"
    irdl.operands(input: %x)
    irdl.results(output: %y)
    irdl.attributes {"shape" = %shape}
  }
  // Numpy broadcasting to `shape`.
  irdl.operation @broadcast attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %shape = irdl.base "#builtin.dense_array"
    irdl.operands(input: %x)
    irdl.results(output: %y)
    irdl.attributes {"shape" = %shape}
  }
  irdl.operation @concat attributes {traits = ["Pure", "CVerifierOnly"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %axis = irdl.any
    irdl.operands(inputs: variadic %x)
    irdl.results(output: %y)
    irdl.attributes {"axis" = %axis}
  }
  // output[i] = input[starts + i * steps], `sizes` elements each dimension;
  // steps may be negative, every index lies inside of the input.
  irdl.operation @slice attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %starts = irdl.base "#builtin.dense_array"
    %sizes = irdl.base "#builtin.dense_array"
    %steps = irdl.base "#builtin.dense_array"
    irdl.operands(input: %x)
    irdl.results(output: %y)
    irdl.attributes {"starts" = %starts, "sizes" = %sizes, "steps" = %steps}
  }
  // `mode` is "constant" (with the rank-0 `value`), "edge", "reflect" or
  // "wrap". Pads may be negative (crop) in mode constant.
  irdl.operation @pad attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %v = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %low = irdl.base "#builtin.dense_array"
    %high = irdl.base "#builtin.dense_array"
    %mode = irdl.any
    irdl.operands(input: %x, value: %v)
    irdl.results(output: %y)
    irdl.attributes {"low" = %low, "high" = %high, "mode" = %mode}
  }
  // Slices of `input` along `axis` picked by `indices` (any rank, i32 or i64,
  // negative counts from the end). Out-of-range indices read the nearest valid
  // element; graph.assert reports them.
  irdl.operation @gather attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %i = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %axis = irdl.any
    irdl.operands(input: %x, indices: %i)
    irdl.results(output: %y)
    irdl.attributes {"axis" = %axis}
  }
  // ONNX GatherElements and GatherND with the same index rules as gather.
  irdl.operation @gather_elements attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %i = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %axis = irdl.any
    irdl.operands(input: %x, indices: %i)
    irdl.results(output: %y)
    irdl.attributes {"axis" = %axis}
  }
  irdl.operation @gather_nd attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %i = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %batch_dims = irdl.any
    irdl.operands(input: %x, indices: %i)
    irdl.results(output: %y)
    irdl.attributes {"batch_dims" = %batch_dims}
  }
  // `reduction` is "none", "add", "mul", "max" or "min"; updates apply in
  // row-major order. Out-of-range indices write nothing.
  irdl.operation @scatter_elements attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %i = irdl.base "!builtin.tensor"
    %u = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %axis = irdl.any
    %reduction = irdl.any
    irdl.operands(input: %x, indices: %i, updates: %u)
    irdl.results(output: %y)
    irdl.attributes {"axis" = %axis, "reduction" = %reduction}
  }
  irdl.operation @scatter_nd attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %i = irdl.base "!builtin.tensor"
    %u = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %reduction = irdl.any
    irdl.operands(input: %x, indices: %i, updates: %u)
    irdl.results(output: %y)
    irdl.attributes {"reduction" = %reduction}
  }
  // The k largest (or smallest) along `axis`, sorted; equal values keep the
  // lower index first. Indices are i64.
  irdl.operation @top_k attributes {traits = ["Pure"]} {
    %x = irdl.base "!builtin.tensor"
    %v = irdl.base "!builtin.tensor"
    %i = irdl.base "!builtin.tensor"
    %axis = irdl.any
    %k = irdl.any
    %largest = irdl.any
    irdl.operands(input: %x)
    irdl.results(values: %v, indices: %i)
    irdl.attributes {"axis" = %axis, "k" = %k, "largest" = %largest}
  }
  // The program stops with `message` when any element of the i1 tensor is 0.
  irdl.operation @assert {
    %c = irdl.base "!builtin.tensor"
    %message = irdl.any
    irdl.operands(condition: %c)
    irdl.attributes {"message" = %message}
  }
  // A group of operators that becomes one kernel. The body sees only its block
  // arguments (one an input) and ends in graph.yield.
  irdl.operation @fused attributes {traits = ["Pure", "IsolatedFromAbove", "CVerifierOnly"]} {
    %x = irdl.base "!builtin.tensor"
    %y = irdl.base "!builtin.tensor"
    %r = irdl.region with size 1
    irdl.operands(inputs: variadic %x)
    irdl.results(outputs: variadic %y)
    irdl.regions(body: %r)
  }
  irdl.operation @yield attributes {traits = ["Pure", "IsTerminator", "CVerifierOnly"]} {
    %x = irdl.base "!builtin.tensor"
    irdl.operands(values: variadic %x)
  }
}
