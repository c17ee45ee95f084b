/* attention.c - find the parts of an attention kernel, choose its knobs.
 *
 * What it looks for is what graph_to_te/attention.c builds: a transposed key,
 * two products and a quotient; between the products stands a softmax. */
#include "llvm/attention.h"

#include "llvm/access.h"

#include <string.h>

enum {
  LOOPS = 5,           /* batch, head, row, column, reduction */
  SQUARE = 16,         /* the side of a transpose in registers */
  MIN_PIECES = 4,      /* heads to share between threads */
  MIN_PIECE_ROWS = 32, /* below, the keys' transpose costs too much */
};

typedef struct {
  MlirOperation key, products[2], root;
  intptr_t n_products;
} parts;

static bool is_product(MlirOperation op) {
  return tvm_op_is(op, "linalg.generic") && tvm_linalg_num_loops(op) == LOOPS &&
         tvm_linalg_num_inputs(op) == 2 &&
         tvm_linalg_is_reduction(op, LOOPS - 1);
}

static bool find_parts(MlirBlock entry, parts *p) {
  MlirOperation op = mlirBlockGetFirstOperation(entry);
  for (; op.ptr; op = mlirOperationGetNextInBlock(op))
    if (tvm_op_is(op, "linalg.transpose")) {
      if (p->key.ptr)
        return false;
      p->key = op;
    } else if (is_product(op)) {
      if (p->n_products == 2)
        return false;
      p->products[p->n_products++] = op;
    }
  MlirOperation ret = mlirBlockGetTerminator(entry);
  if (p->n_products != 2 || !p->key.ptr ||
      mlirOperationGetNumOperands(ret) != 1)
    return false;
  p->root = tvm_defining_op(tvm_operand(ret, 0));
  return tvm_op_is(p->root, "linalg.generic") &&
         tvm_linalg_num_loops(p->root) == LOOPS - 1;
}

static bool read_shape(const parts *p, tvm_attention_shape *shape) {
  int64_t scores[TVM_MAX_LOOPS], context[TVM_MAX_LOOPS];
  if (!tvm_access_extents(p->products[0], scores) ||
      !tvm_access_extents(p->products[1], context))
    return false;
  *shape = (tvm_attention_shape){.pieces = scores[0] * scores[1],
                                 .rows = scores[2],
                                 .columns = scores[3],
                                 .channels = scores[4],
                                 .values = context[3]};
  return mlirValueEqual(tvm_operand(p->products[0], 1),
                        tvm_result(p->key, 0)) &&
         mlirValueEqual(tvm_operand(p->root, 0),
                        tvm_result(p->products[1], 0)) &&
         mlirTypeIsAF32(tvm_element_type(tvm_result(p->root, 0))) &&
         mlirTypeIsAF32(tvm_element_type(tvm_operand(p->products[0], 0)));
}

static void mark(MlirOperation op, const char *name) {
  mlirOperationSetDiscardableAttributeByName(
      op, mlirStringRefCreateFromCString(name),
      mlirUnitAttrGet(mlirOperationGetContext(op)));
}

bool tvm_llvm_mark_attention(MlirOperation func, tvm_attention_shape *shape) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  parts p = {0};
  if (!find_parts(entry, &p) || !read_shape(&p, shape))
    return false;
  MlirOperation weights = tvm_defining_op(tvm_operand(p.products[1], 0));
  intptr_t n_args = mlirBlockGetNumArguments(entry);
  MlirValue destination = mlirBlockGetArgument(entry, n_args - 1);
  if (!tvm_op_is(weights, "linalg.generic") ||
      !mlirTypeEqual(mlirValueGetType(destination),
                     mlirValueGetType(tvm_result(p.root, 0))))
    return false;
  mlirOperationSetOperand(p.root, tvm_linalg_num_inputs(p.root), destination);
  mark(p.products[0], "tvm.scores");
  mark(weights, "tvm.weights");
  mark(p.products[1], "tvm.context");
  mark(p.root, "tvm.root");
  return true;
}

static int64_t choose_width(int64_t n, int64_t lanes, int64_t most) {
  for (int64_t width = most; width >= lanes; width /= 2)
    if (n % width == 0)
      return width;
  for (int64_t width = most; width >= lanes; width /= 2)
    if (width <= n)
      return width;
  return 0;
}

static int64_t choose_height(int64_t n, int64_t most) {
  for (int64_t height = most; height >= 4 && 2 * height > most; --height)
    if (n % height == 0)
      return height;
  /* a rest of one row loses its loop, and with it its vectors */
  for (int64_t height = most; height >= 2; --height)
    if (height <= n && n % height != 1)
      return height;
  return 0;
}

/* As many rows as leave pieces for all threads. */
static int64_t choose_piece(const tvm_attention_shape *s) {
  int64_t rows = s->rows;
  for (int64_t cuts = 1; cuts * s->pieces < MIN_PIECES; ++cuts)
    if (s->rows % (cuts + 1) == 0 && s->rows / (cuts + 1) >= MIN_PIECE_ROWS)
      rows = s->rows / (cuts + 1);
  return rows;
}

MlirModule tvm_llvm_attention_schedule(MlirContext context,
                                       const tvm_attention_shape *s,
                                       const tvm_llvm_target *target) {
  MlirModule none = {0};
  int64_t lanes = target->vector_bytes / (int64_t)sizeof(float);
  int64_t ht = choose_piece(s);
  /* few registers: rather rows, which read the keys together, than columns */
  int64_t wide = (target->vector_registers < 32 ? 2 : 4) * lanes;
  int64_t nr = choose_width(s->columns, lanes, wide);
  int64_t vr = choose_width(s->values, lanes, wide);
  if (!nr || !vr || s->values % vr)
    return none;
  int64_t vectors = (nr > vr ? nr : vr) / lanes;
  int64_t most = target->vector_registers * 3 / 4 / vectors;
  int64_t mr = choose_height(ht, most < 8 ? most : 8);
  if (!mr)
    return none;
  MlirModule head = tvm_schedule_parse(context, "attention");
  tvm_schedule_set_knob(head, "ht", ht);
  tvm_schedule_set_knob(head, "mr", mr);
  tvm_schedule_set_knob(head, "nr", nr);
  tvm_schedule_set_knob(head, "vr", vr);
  tvm_schedule_select(head, "rows", ht % mr != 0);
  tvm_schedule_select(head, "columns", s->columns % nr != 0);
  tvm_schedule_set_knob(head, "kt", s->columns / SQUARE * SQUARE);
  bool plain = lanes < SQUARE || s->channels % SQUARE;
  tvm_schedule_select(head, "squares", plain ? 2 : s->columns % SQUARE != 0);
  return head;
}
