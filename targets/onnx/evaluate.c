/* evaluate.c - values that are known at import.
 *
 * Shape arithmetic arrives as graph operators like all else; what an importer
 * must know now (a shape, axes, the condition of If) is computed here from the
 * operators that were built. Each value is looked at once; the walk keeps its
 * own stack, because models chain thousands of nodes. */
#include "importer.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ELEMENTS = 1 << 20 };

/* What is known of a value. */
typedef struct tvm_onnx_fact {
  struct tvm_onnx_fact *next; /* all, for the end */
  bool constant;
  tvm_onnx_cell *cells; /* of a constant, once computed */
  MlirValue blamed;     /* block argument, or null */
} fact;

/* The address in the table `facts` under which all facts are chained. */
static const char LIST = 0;

static fact *get_fact(const tvm_onnx_model *m, MlirValue value) {
  return tvm_onnx_table_get_at(&m->facts, value.ptr);
}

static fact *add_fact(tvm_onnx_model *m, MlirValue value) {
  fact *f = calloc(1, sizeof *f);
  f->next = tvm_onnx_table_get_at(&m->facts, &LIST);
  tvm_onnx_table_put_at(&m->facts, &LIST, f);
  tvm_onnx_table_put_at(&m->facts, value.ptr, f);
  return f;
}

void tvm_onnx_evaluate_finish(tvm_onnx_model *m) {
  fact *f = tvm_onnx_table_get_at(&m->facts, &LIST);
  while (f) {
    fact *next = f->next;
    free(f->cells);
    free(f);
    f = next;
  }
  tvm_onnx_table_finish(&m->facts);
}

/* Whether the value may be computed, its operands being constant. */
static tvm_onnx_fold find_fold(MlirValue value) {
  MlirOperation op = tvm_defining_op(value);
  if (mlirOperationIsNull(op) || mlirOperationGetNumResults(op) != 1 ||
      tvm_rank(value) > TVM_EMIT_MAX_RANK ||
      tvm_num_elements(mlirValueGetType(value)) > MAX_ELEMENTS)
    return NULL;
  return tvm_onnx_find_fold(mlirIdentifierStr(mlirOperationGetName(op)));
}

typedef struct {
  MlirValue *items;
  size_t count, capacity;
} stack;

static void push(stack *s, MlirValue value) {
  if (s->count == s->capacity) {
    s->capacity = s->capacity ? 2 * s->capacity : 64;
    s->items = realloc(s->items, s->capacity * sizeof *s->items);
  }
  s->items[s->count++] = value;
}

/* A value whose operands are all known: constant, or who is to blame. */
static void conclude(tvm_onnx_model *m, MlirValue value) {
  fact *f = add_fact(m, value);
  if (mlirValueIsABlockArgument(value)) {
    f->blamed = value;
    return;
  }
  MlirOperation op = tvm_defining_op(value);
  f->constant = find_fold(value) != NULL;
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; ++i) {
    const fact *operand = get_fact(m, tvm_operand(op, i));
    if (operand->constant)
      continue;
    f->constant = false;
    if (mlirValueIsNull(f->blamed))
      f->blamed = operand->blamed;
  }
}

/* Pushes what `value` needs and is not known. */
static bool push_unknown_operands(const tvm_onnx_model *m, stack *s,
                                  MlirValue value) {
  MlirOperation op = tvm_defining_op(value);
  size_t before = s->count;
  intptr_t n = mlirOperationIsNull(op) ? 0 : mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; ++i)
    if (!get_fact(m, tvm_operand(op, i)))
      push(s, tvm_operand(op, i));
  return s->count > before;
}

static const fact *classify(tvm_onnx_model *m, MlirValue value) {
  stack s = {0};
  push(&s, value);
  while (s.count) {
    MlirValue top = s.items[s.count - 1];
    if (get_fact(m, top)) {
      --s.count;
    } else if (!push_unknown_operands(m, &s, top)) {
      conclude(m, top);
      --s.count;
    }
  }
  free(s.items);
  return get_fact(m, value);
}

static tvm_onnx_tensor_view get_view(const tvm_onnx_model *m, MlirValue value) {
  const fact *f = get_fact(m, value);
  return (tvm_onnx_tensor_view){
      tvm_element_type(value), tvm_emit_get_shape(value),
      tvm_num_elements(mlirValueGetType(value)), f ? f->cells : NULL};
}

/* The operands have cells. False: leaves the value not constant. */
static bool compute(tvm_onnx_model *m, MlirValue value) {
  MlirOperation op = tvm_defining_op(value);
  intptr_t n = mlirOperationGetNumOperands(op);
  tvm_onnx_tensor_view *in = malloc(((size_t)n + 1) * sizeof *in);
  bool ok = true;
  for (intptr_t i = 0; i < n; ++i) {
    in[i] = get_view(m, tvm_operand(op, i));
    ok &= in[i].cells != NULL;
  }
  tvm_onnx_tensor_view out = get_view(m, value);
  fact *f = get_fact(m, value);
  tvm_onnx_cell *cells = calloc((size_t)out.count + 1, sizeof *cells);
  if (ok && cells && find_fold(value)(op, n, in, &out, cells)) {
    f->cells = cells;
  } else {
    f->constant = ok = false;
    free(cells);
  }
  free(in);
  return ok;
}

static bool push_operands_without_cells(const tvm_onnx_model *m, stack *s,
                                        MlirValue value) {
  MlirOperation op = tvm_defining_op(value);
  size_t before = s->count;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    const fact *f = get_fact(m, tvm_operand(op, i));
    if (f->constant && !f->cells)
      push(s, tvm_operand(op, i));
  }
  return s->count > before;
}

const tvm_onnx_cell *tvm_onnx_evaluate(tvm_onnx_model *m, MlirValue value) {
  const fact *f = classify(m, value);
  stack s = {0};
  if (f->constant && !f->cells)
    push(&s, value);
  while (s.count) {
    MlirValue top = s.items[s.count - 1];
    const fact *known = get_fact(m, top);
    if (!known->constant || known->cells) {
      --s.count;
    } else if (!push_operands_without_cells(m, &s, top)) {
      compute(m, top);
      --s.count;
    }
  }
  free(s.items);
  return f->constant ? f->cells : NULL;
}

const char *tvm_onnx_find_blamed_input(tvm_onnx_model *m, MlirValue value) {
  const fact *f = classify(m, value);
  if (mlirValueIsNull(f->blamed))
    return NULL;
  return m->arguments[mlirBlockArgumentGetArgNumber(f->blamed)];
}
