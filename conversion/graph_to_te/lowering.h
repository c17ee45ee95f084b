/* lowering.h - what the lowerings of this room share.
 *
 * A lowering turns one graph operator into linalg on tensors at the end of a
 * kernel body. Kernel tensors are signless; whether an integer is unsigned
 * is read from the types of the graph operator. */
#ifndef TVM_CONVERSION_LOWERING_H
#define TVM_CONVERSION_LOWERING_H

#include "graph/graph.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

enum {
  TVM_LOWER_MAX_RANK = 12, /* of any tensor */
  TVM_LOWER_MAX_LOOPS = 32,
};

/* One operator on its way down. */
typedef struct tvm_lowering {
  tvm_builder b;    /* end of the kernel body */
  MlirOperation op; /* the graph operator */
  /* Its operands in the kernel, one each. Null where `immediates` has the
   * scalar that all elements are equal to. */
  const MlirValue *operands;
  const MlirAttribute *immediates;
  /* Where to write the results; null: a new tensor. */
  MlirValue destinations[TVM_GRAPH_MAX_RESULTS];
  MlirValue results[TVM_GRAPH_MAX_RESULTS]; /* set by the lowering */
} tvm_lowering;

/* The lowerings, one a row of operators.def: a forgotten one does not link. */
#define OPERATOR(name, op_class, check)                                        \
  MlirLogicalResult tvm_lower_##name(tvm_lowering *l);
#include "graph/operators.def"

/* ---- build.c ---- */

/* The type with signless integers; of a tensor or of an element. */
MlirType tvm_signless(MlirType type);
bool tvm_is_unsigned(MlirType element); /* i1 counts as unsigned */
bool tvm_is_float(MlirType element);
bool tvm_is_half(MlirType element); /* f16 or bf16 */
/* What sums and arithmetic run in: f32 for the half types. */
MlirType tvm_compute_type(MlirType element);

MlirValue tvm_index_constant(tvm_builder *b, int64_t v);
MlirValue tvm_int_constant(tvm_builder *b, MlirType type, int64_t v);
MlirValue tvm_float_constant(tvm_builder *b, MlirType type, double v);
/* Of either kind. */
MlirValue tvm_number(tvm_builder *b, MlirType type, double v);
MlirValue tvm_unary(tvm_builder *b, const char *name, MlirValue x);
MlirValue tvm_binary(tvm_builder *b, const char *name, MlirValue x,
                     MlirValue y);
/* With #arith.fastmath<flags>. */
MlirValue tvm_fast_binary(tvm_builder *b, const char *name, const char *flags,
                          MlirValue x, MlirValue y);
MlirValue tvm_convert(tvm_builder *b, const char *name, MlirType to,
                      MlirValue x);
MlirValue tvm_select(tvm_builder *b, MlirValue condition, MlirValue x,
                     MlirValue y);
/* Predicates by their names in the arith dialect, "slt", "oeq". */
MlirValue tvm_compare_int(tvm_builder *b, const char *predicate, MlirValue x,
                          MlirValue y);
MlirValue tvm_compare_float(tvm_builder *b, const char *predicate, MlirValue x,
                            MlirValue y);
/* tensor.extract and tensor.insert; the rank is that of the tensor. */
MlirValue tvm_extract(tvm_builder *b, MlirValue tensor, const MlirValue *at);
MlirValue tvm_insert(tvm_builder *b, MlirValue x, MlirValue tensor,
                     const MlirValue *at);
/* `linear` as coordinates of a row-major shape. */
void tvm_delinearize(tvm_builder *b, MlirValue linear, intptr_t rank,
                     const int64_t *shape, MlirValue *out);

/* ---- nest.c ---- */

MlirAffineExpr tvm_dim_expr(MlirContext c, intptr_t loop);
MlirAffineExpr tvm_const_expr(MlirContext c, int64_t v);
/* loop * scale + offset */
MlirAffineExpr tvm_linear_expr(MlirContext c, intptr_t loop, int64_t scale,
                               int64_t offset);
MlirAffineMap tvm_map(MlirContext c, intptr_t n_loops, intptr_t n,
                      MlirAffineExpr *exprs);
MlirAffineMap tvm_identity_map(MlirContext c, intptr_t n_loops);

/* A linalg.generic under construction; `b` stands in its body. */
typedef struct tvm_generic {
  tvm_builder b;
  MlirOperation op;
  MlirBlock body;
} tvm_generic;

/* Bit i of `reductions` makes loop i a reduction. */
tvm_generic tvm_begin_generic(tvm_builder *b, intptr_t n_ins,
                              const MlirValue *ins, intptr_t n_outs,
                              const MlirValue *outs, const MlirAffineMap *maps,
                              intptr_t n_loops, uint32_t reductions);
MlirValue tvm_generic_argument(const tvm_generic *g, intptr_t i);
MlirValue tvm_loop_index(tvm_generic *g, intptr_t loop);
/* Yield; returns the first result. */
MlirValue tvm_end_generic(tvm_generic *g, intptr_t n, const MlirValue *yields);

/* An scf.for over [0, extent) under construction. */
typedef struct tvm_for {
  tvm_builder b;
  MlirOperation op;
  MlirBlock body;
} tvm_for;

tvm_for tvm_begin_for(tvm_builder *b, int64_t extent, intptr_t n,
                      const MlirValue *carried);
MlirValue tvm_for_index(const tvm_for *f);
MlirValue tvm_for_carried(const tvm_for *f, intptr_t i);
void tvm_end_for(tvm_for *f, intptr_t n, const MlirValue *yields);

/* ---- tensors.c ---- */

MlirValue tvm_empty(tvm_builder *b, MlirType tensor);
MlirValue tvm_empty_shape(tvm_builder *b, intptr_t rank, const int64_t *shape,
                          MlirType element);
MlirValue tvm_fill(tvm_builder *b, MlirValue scalar, MlirValue into);
void tvm_shape_of(MlirType tensor, int64_t *out); /* rank entries */
int64_t tvm_type_rank(MlirType tensor);
int64_t tvm_type_dim(MlirType tensor, intptr_t i);

/* The signless type of result `i`. */
MlirType tvm_result_type(const tvm_lowering *l, intptr_t i);
/* Where result `i` is written. */
MlirValue tvm_destination(tvm_lowering *l, intptr_t i);
/* The element type of graph operand `i`, with its sign. */
MlirType tvm_operand_element(const tvm_lowering *l, intptr_t i);

/* The same elements under another static shape. */
MlirValue tvm_reshape(tvm_builder *b, MlirValue tensor, MlirType to);
/* into[i] = source[i * steps + offsets] as one generic; null offsets and steps
 * mean 0 and 1. Written so that no canonicalization folds it: the result is
 * `into`. */
MlirValue tvm_copy(tvm_builder *b, MlirValue source, const int64_t *offsets,
                   const int64_t *steps, MlirValue into);
/* `into` with source[offsets ...] written at `at`, `sizes` elements. */
MlirValue tvm_copy_into(tvm_builder *b, MlirValue source,
                        const int64_t *offsets, MlirValue into,
                        const int64_t *at, const int64_t *sizes,
                        const int64_t *steps);
/* A new tensor: x surrounded by `scalar`, negative amounts crop. `into` may be
 * null. */
MlirValue tvm_pad(tvm_builder *b, MlirValue x, MlirValue scalar,
                  const int64_t *low, const int64_t *high, MlirValue into);

/* ---- scalar.c ---- */

/* From storage to what arithmetic runs in, and back. */
MlirValue tvm_widen(tvm_builder *b, MlirValue x);
MlirValue tvm_narrow(tvm_builder *b, MlirValue x, MlirType element);
/* Conversion between graph element types (with signs). */
MlirValue tvm_scalar_convert(tvm_builder *b, MlirValue x, MlirType from,
                             MlirType to);
/* An immediate, or the only element of a rank-0 operand. */
MlirValue tvm_scalar_operand(tvm_lowering *l, intptr_t i);

/* The element computation of an elementwise operator. */
typedef struct tvm_scalar {
  tvm_builder *b;
  MlirType type; /* of the arguments; f32 for f16 and bf16 */
  bool is_float, is_unsigned, is_bool;
} tvm_scalar;
typedef MlirValue (*tvm_scalar_builder)(tvm_scalar *s, const MlirValue *args);

/* ---- combine.c ---- */

typedef enum tvm_combiner {
  TVM_COMBINE_SUM,
  TVM_COMBINE_PROD,
  TVM_COMBINE_MAX,
  TVM_COMBINE_MIN,
} tvm_combiner;

/* `element` is a graph type: its sign decides. Both values are of its compute
 * type. */
MlirValue tvm_combine(tvm_builder *b, tvm_combiner kind, MlirType element,
                      MlirValue x, MlirValue y);
MlirValue tvm_combiner_identity(tvm_builder *b, tvm_combiner kind,
                                MlirType element);
/* Is x strictly above y? NaN is above everything. */
MlirValue tvm_is_above(tvm_builder *b, MlirType element, MlirValue x,
                       MlirValue y);

/* Accumulators: a tensor of the compute type filled with `scalar`. It is the
 * destination of result 0, seen as `shape`, unless the types differ. */
MlirValue tvm_begin_accumulate(tvm_lowering *l, MlirValue scalar, intptr_t rank,
                               const int64_t *shape);
/* Make the accumulated tensor result 0. */
void tvm_end_accumulate(tvm_lowering *l, MlirValue accumulated);

#endif
