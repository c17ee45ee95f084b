/* schedule_internal.h - the parts of the scheduler. */
#ifndef TVM_TARGETS_LLVM_SCHEDULE_INTERNAL_H
#define TVM_TARGETS_LLVM_SCHEDULE_INTERNAL_H

#include "base/base.h"
#include "llvm/target.h"

enum { TVM_MAX_TILES = 16 };

/* ---- root.c ---- */

/* Say which arguments may be written: the destinations, which come last. */
void tvm_schedule_mark_destinations(MlirOperation func);
/* The same, and make the results write to the destinations. */
void tvm_schedule_bind_destinations(MlirOperation func);

/* How many iterations of each loop make one piece; 0: it is not cut. */
typedef struct tvm_schedule_tiles {
  intptr_t rank;
  int64_t pieces[TVM_MAX_TILES]; /* that run in parallel */
  int64_t rows[TVM_MAX_TILES];   /* of a piece, where `has_rows` */
  bool has_rows; /* other reductions pass over the innermost loops first */
} tvm_schedule_tiles;

/* Find the operation that computes all results, give it the attribute
 * tvm.root and choose its tiles. False when there is no such operation, or
 * nothing to gain. */
bool tvm_schedule_choose_tiles(MlirOperation func, tvm_schedule_tiles *out);

/* ---- buffers.c ---- */

/* From tensors to buffers and loops. Fails: emits. */
MlirLogicalResult tvm_schedule_bufferize(MlirModule module);

/* Let sums be reordered and products be contracted in reductions. */
void tvm_schedule_relax_reductions(MlirOperation func);

/* ---- merge_results.c ---- */

/* Make elementwise generics of which one returns what the other reads one. */
void tvm_schedule_merge_results(MlirOperation func);

/* ---- expand_math.c ---- */

/* Arithmetic for exp, tanh and erf of f32, so that loops can be vectorized. */
void tvm_schedule_expand_math(MlirOperation func);

/* ---- library.c ---- */

/* A schedule of the library by its file's name, without a knob chosen; null
 * when there is none. */
MlirModule tvm_schedule_parse(MlirContext context, const char *name);
/* Choose the value of a knob. */
void tvm_schedule_set_knob(MlirModule schedule, const char *name,
                           int64_t value);
/* Choose a region of a transform.tune.alternatives. */
void tvm_schedule_select(MlirModule schedule, const char *name, int64_t region);
/* Replace the sizes of the transform operation marked with `mark`. */
void tvm_schedule_set_tiles(MlirModule schedule, const char *mark,
                            intptr_t rank, const int64_t *tiles);
/* Replace the factor of the transform operation marked with `mark`. */
void tvm_schedule_set_factor(MlirModule schedule, const char *mark,
                             int64_t factor);
/* Apply @__transform_main, or else the first sequence, to the payload.
 * Fails: emits. */
MlirLogicalResult tvm_schedule_apply(MlirModule schedule, MlirModule payload);

/* Apply a schedule of the library that has no knobs. */
MlirLogicalResult tvm_schedule_apply_named(const char *name,
                                           MlirModule payload);

/* ---- schedule.c ---- */

/* Leave what a schedule gets: "prepared" for a general one, "canonical" for
 * those of contractions and windows. */
MlirLogicalResult tvm_schedule_stop_at(MlirModule module, const char *stage);

/* The only func.func of a kernel's module. */
MlirOperation tvm_schedule_func(MlirModule module);

#endif
