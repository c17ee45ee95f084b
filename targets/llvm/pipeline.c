/* pipeline.c - graph-level passes in the order that this target wants, less
 * those that the user leaves out. */
#include "llvm/pipeline.h"

#include "llvm/in_place.h"
#include "llvm/verify_numerics.h"

#include <stdio.h>
#include <string.h>

typedef enum { PREPARE, LOWER, KERNEL } pass_stage;
typedef enum { MODULE, FUNC } pass_anchor;
typedef enum { OPTIONAL, REQUIRED } pass_need;

typedef struct {
  pass_stage stage;
  pass_anchor anchor;
  const char *name;
  pass_need need;
  const char *worth; /* what is lost without it */
} graph_pass;

static const graph_pass passes[] = {
#define GRAPH_PASS(stage, anchor, name, need, worth)                           \
  {stage, anchor, name, need, worth},
#include "llvm/graph_passes.def"
};
enum { NUM_PASSES = sizeof passes / sizeof *passes, PIPELINE_BYTES = 4096 };

static const graph_pass *find_pass(const char *name) {
  for (size_t i = 0; i < NUM_PASSES; ++i)
    if (!strcmp(passes[i].name, name))
      return &passes[i];
  return NULL;
}

bool tvm_llvm_has_pass(const tvm_llvm_options *options, const char *name) {
  const graph_pass *pass = find_pass(name);
  for (size_t i = 0; i < options->num_disabled_passes; ++i)
    if (!strcmp(options->disabled_passes[i], name) ||
        (!strcmp(options->disabled_passes[i], "all") && pass->need == OPTIONAL))
      return false;
  return true;
}

static void append(char *text, const char *piece) {
  size_t used = strlen(text);
  snprintf(text + used, PIPELINE_BYTES - used, "%s", piece);
}

/* "builtin.module(func.func(a,b),c)" */
static void write_pipeline(pass_stage stage, const tvm_llvm_options *options,
                           char *out) {
  bool in_func = false, first = true;
  strcpy(out, "builtin.module(");
  for (size_t i = 0; i < NUM_PASSES; ++i) {
    const graph_pass *pass = &passes[i];
    if (pass->stage != stage || !tvm_llvm_has_pass(options, pass->name))
      continue;
    bool wants_func = pass->anchor == FUNC;
    if (in_func && !wants_func)
      append(out, ")");
    append(out, first ? "" : ",");
    if (wants_func && !in_func)
      append(out, "func.func(");
    append(out, pass->name);
    in_func = wants_func;
    first = false;
  }
  append(out, in_func ? "))" : ")");
}

void tvm_llvm_register_pipelines(void) {
  static const tvm_llvm_options all = {0};
  char text[PIPELINE_BYTES];
  write_pipeline(PREPARE, &all, text);
  tvm_seam_register_pipeline("tvm-prepare-graph",
                             "Simplify, choose layouts, split off constants",
                             text);
  write_pipeline(LOWER, &all, text);
  tvm_seam_register_pipeline("tvm-lower-graph",
                             "Fuse graph operators, lower them to te kernels",
                             text);
  tvm_llvm_register_schedule_pass();
  tvm_llvm_register_verify_pass();
  tvm_llvm_register_plan_memory();
  tvm_llvm_register_in_place();
}

/* One by one, each followed by a look at the numbers. */
static MlirLogicalResult run_verified(pass_stage stage, MlirModule module,
                                      const tvm_llvm_options *options) {
  for (size_t i = 0; i < NUM_PASSES; ++i) {
    const graph_pass *pass = &passes[i];
    char text[256];
    if (pass->stage != stage || !tvm_llvm_has_pass(options, pass->name))
      continue;
    snprintf(text, sizeof text, "builtin.module(%s%s%s)",
             pass->anchor == FUNC ? "func.func(" : "", pass->name,
             pass->anchor == FUNC ? ")" : "");
    if (mlirLogicalResultIsFailure(tvm_run_pipeline(module, text)) ||
        mlirLogicalResultIsFailure(
            tvm_llvm_verify_stage(options->numerics, module, pass->name)))
      return mlirLogicalResultFailure();
  }
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult run_stage(pass_stage stage, MlirModule module,
                                   const tvm_llvm_options *options) {
  char text[PIPELINE_BYTES];
  if (options->numerics)
    return run_verified(stage, module, options);
  write_pipeline(stage, options, text);
  return tvm_run_pipeline(module, text);
}

MlirLogicalResult tvm_llvm_prepare_graph(MlirModule module,
                                         const tvm_llvm_options *options) {
  return run_stage(PREPARE, module, options);
}

MlirLogicalResult tvm_llvm_lower_graph(MlirModule module,
                                       const tvm_llvm_options *options) {
  return run_stage(LOWER, module, options);
}

/* Names that can be disabled, each once: "a, b, c". */
static void list_optional(char *out) {
  *out = 0;
  for (size_t i = 0; i < NUM_PASSES; ++i) {
    if (passes[i].need == REQUIRED || find_pass(passes[i].name) != &passes[i])
      continue;
    append(out, *out ? ", " : "");
    append(out, passes[i].name);
  }
}

bool tvm_llvm_check_passes(size_t count, const char *const *names, char *text,
                           size_t size) {
  char known[PIPELINE_BYTES];
  for (size_t i = 0; i < count; ++i) {
    const graph_pass *pass = find_pass(names[i]);
    if (pass && pass->need == REQUIRED) {
      snprintf(text, size, "pass '%s' cannot be disabled: without it %s",
               names[i], pass->worth);
      return false;
    }
    if (!pass && strcmp(names[i], "all")) {
      list_optional(known);
      snprintf(text, size, "unknown pass '%s', expected all or one of %s",
               names[i], known);
      return false;
    }
  }
  return true;
}
