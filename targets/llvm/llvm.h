/* llvm.h - compile te-level modules for CPUs through LLVM. */
#ifndef TVM_TARGETS_LLVM_H
#define TVM_TARGETS_LLVM_H

#include "base/base.h"
#include "llvm/target.h"

typedef enum tvm_llvm_form {
  TVM_LLVM_SHARED,   /* shared library */
  TVM_LLVM_OBJECT,   /* one relocatable object */
  TVM_LLVM_ASSEMBLY, /* text, self-contained, weights included */
  TVM_LLVM_IR,       /* optimized LLVM IR, likewise */
  TVM_LLVM_GRAPH,    /* DOT text of the fused graph; no code */
} tvm_llvm_form;

/* Passes that changed the program and kernels, whose numbers are right. */
typedef struct tvm_llvm_verified {
  int64_t passes, kernels;
} tvm_llvm_verified;

typedef struct tvm_llvm_options {
  const tvm_llvm_target *target;
  const char *schedule_path; /* user schedule, or null */
  const char *work_folder;   /* existing folder for object files */
  tvm_llvm_form form;
  int num_threads;    /* kernels compiled at a time; 0: one for each core */
  int kernel_seconds; /* processor time for one kernel; 0: the default */
  struct tvm_llvm_workers *workers; /* null: compile in this process */
  size_t num_disabled_passes;
  const char *const *disabled_passes; /* of graph_passes.def, or "all" */
  tvm_llvm_verified *verify; /* verify numbers, count what did; or null */
  struct tvm_llvm_kernel_cache *cache; /* of objects in work_folder, or null */
  struct tvm_llvm_numerics *numerics;  /* check each pass against; or null */
  void (*progress)(void *user, const char *stage, int64_t done, int64_t total);
  void *user;
} tvm_llvm_options;

/* Whether `names` can be left out. When not, writes a sentence into `text`. */
bool tvm_llvm_check_passes(size_t count, const char *const *names, char *text,
                           size_t size);

/* Turn the te.kernel body into a func.func of a module of its own: arguments
 * are the inputs, then one destination tensor for each result. */
MlirModule tvm_llvm_clone_kernel(MlirOperation kernel);

/* From a scheduled and bufferized kernel to the LLVM dialect:
 *   @name(buffers..., [workspace], begin, end)
 * on bare pointers. Sets tvm.grid and tvm.workspace_bytes on `kernel`. */
MlirLogicalResult tvm_llvm_lower_kernel(MlirModule module,
                                        MlirOperation kernel);

/* Rewrite the only top-level scf.forall of a bufferized function into a loop
 * over [begin, end) of its linearized iterations, two index arguments that are
 * appended to the function. Returns the number of iterations; 1 when the
 * function has no such loop (it then ignores the new arguments). */
int64_t tvm_llvm_distribute_forall(MlirOperation func);

/* Let the first range of a distributed function also write the borders of its
 * results: the attribute `borders` of te.kernel, may be null. The results are
 * the arguments from `first_destination` on; the last two are the range. */
void tvm_llvm_fill_borders(MlirOperation func, intptr_t first_destination,
                           MlirAttribute borders);

/* Replace static allocations by offsets into one workspace argument, appended
 * to the function when needed; small ones go to the stack. Fails: emits when
 * an allocation has a dynamic shape. */
MlirLogicalResult tvm_llvm_plan_workspace(MlirOperation func,
                                          int64_t *out_bytes);

/* Find out which operands of each te.kernel die at every launch, and which of
 * its results lie in the arena: TVM_DYING_OPERANDS, TVM_OWN_RESULTS. */
void tvm_llvm_mark_lifetimes(MlirOperation module);

/* Give each te.launch of @main the place of its results and workspace:
 * tvm.offsets (array<i64>, -1 for a result that is a model output),
 * tvm.workspace_offset; and the module tvm.arena_bytes, tvm.max_live_bytes.
 * Results share the buffers of operands as TVM_IN_PLACE of their kernels says.
 * Fails: emits when such an operand does not die or has another size. */
MlirLogicalResult tvm_llvm_plan_memory(MlirOperation module,
                                       const tvm_llvm_target *target);
/* Register the same as `tvm-plan-memory`. */
void tvm_llvm_register_plan_memory(void);

/* All of it: kernels, host program, link. `module` holds te.kernel ops and
 * @main. Writes `output_path`. Fails: emits. */
MlirLogicalResult tvm_llvm_compile(MlirModule module, const char *output_path,
                                   const tvm_llvm_options *options);

/* Compile and run @constants of `module` for the host and replace its call in
 * @main by the values. Does nothing when there is no @constants. */
MlirLogicalResult tvm_llvm_fold_constants(MlirModule module,
                                          const tvm_llvm_options *options);

#endif
