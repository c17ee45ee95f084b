// attention.mlir - attention over heads: scores, softmax and the weighed sum
// of values, in the form (b, h, i, j | d) that graph.attention lowers to.
//
// One head and ht rows of queries are a piece, which transposes its keys first.
// Then mr rows at a time: their scores against all keys in blocks of mr x nr
// registers, their weights row by row, and the values that they weigh in blocks
// of mr x vr registers. Scores never leave the first caches.
//
// Consumes: the operations marked tvm.scores, tvm.weights, tvm.context, tvm.root
// and the only linalg.transpose.
// Requires: ht divides the rows, vr the channels of values; mr leaves no rest of
// one row, and one key that nr leaves is a plain loop; kt is the number of keys
// in whole squares. The transpose stands in front of the loop over rows: a
// buffer of its own keeps it from being fused any further.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(
      %module: !transform.any_op {transform.consumed}) {
    %ht = transform.tune.knob<"ht">
        options = [32, 64, 128] -> !transform.param<i64>
    %kt = transform.tune.knob<"kt">
        options = [16, 128, 192] -> !transform.param<i64>
    %mr = transform.tune.knob<"mr">
        options = [4, 6, 8] -> !transform.param<i64>
    %nr = transform.tune.knob<"nr">
        options = [16, 32, 64] -> !transform.param<i64>
    %vr = transform.tune.knob<"vr">
        options = [16, 32, 64] -> !transform.param<i64>
    %root = transform.structured.match attributes {tvm.root} in %module
        : (!transform.any_op) -> !transform.any_op
    %piece, %pieces = transform.structured.fuse %root
        tile_sizes [1, 1, %ht, 0] {apply_cleanup, use_forall}
        : (!transform.any_op, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    %func = transform.structured.match ops{["func.func"]} in %module
        : (!transform.any_op) -> !transform.any_op
    transform.apply_cse to %func : !transform.any_op
    transform.apply_dce to %func : !transform.any_op

    %key = transform.structured.match ops{["linalg.transpose"]} in %module
        : (!transform.any_op) -> !transform.any_op
    %buffer, %in_buffers = transform.structured.bufferize_to_allocation %key
        : !transform.any_op
    %source = transform.structured.match ops{["bufferization.to_buffer"]}
        in %func : (!transform.any_op) -> !transform.any_op
    transform.annotate %source "read_only" : !transform.any_op
    // in squares of 16; a last square may be missing keys
    transform.tune.alternatives<"squares"> {
      %whole = transform.structured.match ops{["linalg.transpose"]} in %module
          : (!transform.any_op) -> !transform.any_op
      %square, %sides:2 = transform.structured.tile_using_for %whole
          tile_sizes [0, 0, 16, 16]
          : (!transform.any_op)
          -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.structured.vectorize %square : !transform.any_op
    }, {
      %whole = transform.structured.match ops{["linalg.transpose"]} in %module
          : (!transform.any_op) -> !transform.any_op
      %parts = transform.structured.split %whole after %kt {dimension = 3}
          : !transform.any_op, !transform.param<i64>
      %main, %rest = transform.split_handle %parts
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %square, %sides:2 = transform.structured.tile_using_for %main
          tile_sizes [0, 0, 16, 16]
          : (!transform.any_op)
          -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.structured.vectorize %square : !transform.any_op
    }, {
      %whole = transform.structured.match ops{["linalg.transpose"]} in %module
          : (!transform.any_op) -> !transform.any_op
    }

    %block, %blocks = transform.structured.fuse %piece
        tile_sizes [0, 0, %mr, 0] {apply_cleanup}
        : (!transform.any_op, !transform.param<i64>)
        -> (!transform.any_op, !transform.op<"scf.for">)
    transform.apply_cse to %func : !transform.any_op
    transform.apply_dce to %func : !transform.any_op
    transform.tune.alternatives<"rows"> {
      %same = transform.structured.match ops{["func.func"]} in %module
          : (!transform.any_op) -> !transform.any_op
    }, {
      %main, %edge = transform.loop.peel %blocks
          : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
    }
    transform.apply_patterns to %func {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !transform.any_op

    %scores = transform.structured.match attributes {tvm.scores} in %module
        : (!transform.any_op) -> !transform.any_op
    %score_blocks, %columns = transform.structured.fuse %scores
        tile_sizes [0, 0, 0, %nr] {apply_cleanup}
        : (!transform.any_op, !transform.param<i64>)
        -> (!transform.any_op, !transform.op<"scf.for">)
    transform.apply_dce to %func : !transform.any_op
    transform.tune.alternatives<"columns"> {
      %same = transform.structured.match ops{["func.func"]} in %module
          : (!transform.any_op) -> !transform.any_op
    }, {
      %main, %edge = transform.loop.peel %columns
          : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
    }
    %weights = transform.structured.match attributes {tvm.weights} in %module
        : (!transform.any_op) -> !transform.any_op
    %weight_row, %weight_rows = transform.structured.fuse %weights
        tile_sizes [0, 0, 1, 0] {apply_cleanup}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.apply_cse to %func : !transform.any_op
    transform.apply_dce to %func : !transform.any_op
    %context = transform.structured.match attributes {tvm.context} in %module
        : (!transform.any_op) -> !transform.any_op
    %context_blocks, %values = transform.structured.fuse %context
        tile_sizes [0, 0, 0, %vr] {apply_cleanup}
        : (!transform.any_op, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    transform.apply_dce to %func : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !transform.any_op

    %fills = transform.structured.match ops{["linalg.fill"]} in %module
        : (!transform.any_op) -> !transform.any_op
    %generic_fills = transform.structured.generalize %fills
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
      transform.apply_patterns.tensor.fold_tensor_empty
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    %products = transform.structured.match ops{["linalg.generic"]}
        attributes {iterator_types = [#linalg.iterator_type<parallel>,
                                      #linalg.iterator_type<parallel>,
                                      #linalg.iterator_type<reduction>]}
        in %module : (!transform.any_op) -> !transform.any_op
    %starts = transform.get_producer_of_operand %products[2]
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %starts : !transform.any_op {
    ^bb0(%start: !transform.any_op):
      transform.structured.vectorize %start : !transform.any_op
    }
    %steps, %k = transform.structured.tile_using_for %products
        tile_sizes [0, 0, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.foreach %steps : !transform.any_op {
    ^bb0(%step: !transform.any_op):
      transform.structured.vectorize %step : !transform.any_op
    }
    transform.apply_patterns to %func {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
    } : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.tensor.drop_redundant_insert_slice_rank_expansion
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
    } : !transform.any_op
    transform.apply_cse to %func : !transform.any_op
    // of these loops alone: what starts a row would leave the parallel loop
    transform.apply_licm to %k : !transform.any_op
    transform.loop.hoist_loop_invariant_subsets %k : !transform.any_op
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %func : !transform.any_op

    %buffers = transform.bufferization.one_shot_bufferize
        layout{IdentityLayoutMap} %module {bufferize_function_boundaries = true}
        : (!transform.any_op) -> !transform.any_op
    %lowered = transform.structured.match ops{["func.func"]} in %buffers
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %lowered {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %lowered : !transform.any_op
    transform.apply_patterns to %lowered {
      transform.apply_patterns.vector.lower_contraction
          lowering_strategy = "outerproduct"
      transform.apply_patterns.vector.lower_outerproduct
    } : !transform.any_op
    transform.apply_patterns to %lowered {
      transform.apply_patterns.vector.lower_transpose
          lowering_strategy = "shuffle_16x16"
    } : !transform.any_op
    transform.apply_patterns to %lowered {
      transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1
      transform.apply_patterns.vector.transfer_to_scf
          max_transfer_rank = 1 full_unroll = true
      transform.apply_patterns.vector.lower_shape_cast
      transform.apply_patterns.vector.lower_broadcast
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}
