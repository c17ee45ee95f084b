/* knobs.c - tile sizes from a model of the processor. */
#include "llvm/knobs.h"

#include <string.h>

enum {
  LATENCY = 5,           /* cycles of one FMA, one of them to spare */
  MEMORY_LATENCY = 500,  /* cycles */
  FREE_LOADS = 4,        /* hide behind the FMAs of one step */
  MIN_BLOCK = 4,         /* results: fewer are left to plain loops */
  MAX_CHAINS = 8,        /* of multiply-adds that one row keeps going */
  MIN_PIECES = 8,        /* of work for the threads, where the shape has them */
  MAX_WINDOW_BLOCKS = 4, /* beside each other in a piece */
  MAX_EDGE_ROWS = 4096,  /* that are one panel when blocks do not divide them */
};

/* Rows that are left over are code that is read once; columns also keep the
 * weights from being packed, and all of them are one piece. */
static const double ROW_EDGE_COST = 1.03, COLUMN_EDGE_COST = 1.5;

static int64_t largest_divisor(int64_t n, int64_t limit) {
  for (int64_t d = limit < n ? limit : n; d > 1; --d)
    if (n % d == 0)
      return d;
  return 1;
}

typedef struct {
  int64_t lanes, registers, ports;
  bool streams; /* a panel of weights exceeds the first cache */
} machine;

static int64_t vectors(const machine *m, int64_t nr) {
  return (nr + m->lanes - 1) / m->lanes;
}

static bool is_power_of_two(int64_t n) { return (n & (n - 1)) == 0; }

/* Cycles of one step of the reduction for one block. It loads nr weights and
 * mr scalars; of a window, mr x nr inputs. LLVM takes vectors that are no
 * power of two apart, element by element. */
static double block_cycles(const machine *m, bool window, int64_t mr,
                           int64_t nr) {
  int64_t v = is_power_of_two(nr) ? vectors(m, nr) : nr, fmas = mr * v;
  int64_t loads = window ? fmas + v : mr + v;
  double cycles = (double)fmas / (double)m->ports;
  if (loads > FREE_LOADS)
    cycles += 0.2 * (double)(loads - FREE_LOADS);
  if ((double)loads / 2 > cycles)
    cycles = (double)loads / 2;
  if (cycles < LATENCY)
    cycles = LATENCY;
  if (m->streams && 2.0 * (double)v > cycles)
    cycles = 2.0 * (double)v; /* the second cache gives half a line a cycle */
  return cycles;
}

/* The same for all of w x n, with what the blocks leave over. */
static double total_cycles(const machine *m, bool window, int64_t w, int64_t n,
                           int64_t mr, int64_t nr) {
  int64_t rows = w / mr, row_edge = w % mr, columns = n / nr, edge = n % nr;
  double cycles = (double)(rows * columns) * block_cycles(m, window, mr, nr);
  if (row_edge)
    cycles += (double)columns * block_cycles(m, window, row_edge, nr);
  if (edge)
    cycles += (double)rows * block_cycles(m, window, mr, edge);
  if (row_edge && edge)
    cycles += block_cycles(m, window, row_edge, edge);
  return cycles;
}

/* Accumulators, weights, and two inputs on their way. */
static bool fits(const machine *m, int64_t mr, int64_t nr) {
  int64_t v = vectors(m, nr);
  return mr * v + v + 2 <= m->registers;
}

/* The fastest block whose vectors are whole; with `edges`, one that leaves
 * something over must be much faster than those that divide. */
static void choose_block(const machine *m, bool window, int64_t w, int64_t n,
                         bool edges, tvm_kernel_knobs *out) {
  double best = 0;
  for (int64_t nr = 1; nr <= 4 * m->lanes && nr <= n; nr *= 2)
    for (int64_t mr = 1; mr <= w && fits(m, mr, nr); ++mr) {
      bool divides = w % mr == 0 && n % nr == 0;
      if (!divides && (!edges || nr < m->lanes || n % nr == 1))
        continue; /* upstream's patterns loop on vectors of one */
      double cycles = total_cycles(m, window, w, n, mr, nr);
      if (w % mr)
        cycles *= ROW_EDGE_COST;
      if (n % nr)
        cycles *= COLUMN_EDGE_COST;
      if (best == 0 || cycles < best) {
        best = cycles;
        out->mr = mr;
        out->nr = nr;
      }
    }
  out->edges = w % out->mr   ? n % out->nr ? TVM_EDGES_BOTH : TVM_EDGES_W
               : n % out->nr ? TVM_EDGES_N
                             : TVM_EDGES_NONE;
}

static int64_t depth_bytes(const tvm_kernel_shape *s) {
  return s->extents[TVM_LOOP_R] * s->extents[TVM_LOOP_Q] *
         s->extents[TVM_LOOP_K] * s->element_bytes;
}

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

static int64_t magnitude(int64_t n) { return n < 0 ? -n : n; }

/* What ht x wt results read of x: neighbours share what windows overlap. */
static int64_t input_bytes(const tvm_kernel_shape *s, int64_t ht, int64_t wt) {
  int64_t extents[TVM_NUM_LOOPS], span = 1;
  memcpy(extents, s->extents, sizeof extents);
  extents[TVM_LOOP_B] = 1;
  extents[TVM_LOOP_H] = ht;
  extents[TVM_LOOP_W] = wt;
  for (int l = 0; l < TVM_NUM_LOOPS; ++l)
    span += (extents[l] - 1) * magnitude(s->x_strides[l]);
  int64_t apart = ht * wt * depth_bytes(s);
  return span * s->element_bytes < apart ? span * s->element_bytes : apart;
}

/* Bytes from beyond the second cache: the weights pass by once a panel, and the
 * input of a panel once if the cache holds it, else with each block of
 * columns. */
static double panel_traffic(const tvm_kernel_shape *s,
                            const tvm_llvm_target *target, int64_t n,
                            const tvm_kernel_knobs *k, int64_t ht, int64_t wt) {
  double panels = (double)(s->extents[TVM_LOOP_H] / ht) *
                  (double)(s->extents[TVM_LOOP_W] / wt);
  int64_t input = input_bytes(s, ht, wt);
  double readings =
      input <= target->l2_bytes * 3 / 4 ? 1 : (double)ceil_div(n, k->nr);
  return panels *
         ((double)n * (double)depth_bytes(s) + readings * (double)input);
}

/* The panel of blocks that one parallel piece computes: the least traffic
 * among those that leave MIN_PIECES, and of equals the smallest. */
static void choose_panel(const tvm_kernel_shape *s,
                         const tvm_llvm_target *target, int64_t n,
                         tvm_kernel_knobs *k) {
  int64_t h = s->extents[TVM_LOOP_H], w = s->extents[TVM_LOOP_W];
  int64_t columns = s->extents[TVM_LOOP_NO] * s->extents[TVM_LOOP_NI];
  double best = -1;
  int64_t most = 0;
  for (int64_t wt = w % k->mr ? w : k->mr; wt <= w; wt += k->mr)
    for (int64_t ht = 1; w % wt == 0 && ht <= (wt == w ? h : 1); ++ht) {
      if (h % ht)
        continue;
      double traffic = panel_traffic(s, target, n, k, ht, wt);
      int64_t pieces =
          s->extents[TVM_LOOP_B] * (h / ht) * (w / wt) * (columns / k->ct);
      if (pieces > MIN_PIECES)
        pieces = MIN_PIECES;
      if (pieces < most || (pieces == most && best >= 0 && traffic >= best))
        continue;
      most = pieces;
      best = traffic;
      k->ht = ht;
      k->wt = wt;
    }
}

/* Weights that the second cache cannot keep come from far with each run. */
static int64_t choose_distance(const machine *m, const tvm_kernel_shape *s,
                               const tvm_llvm_target *target,
                               const tvm_kernel_knobs *k) {
  bool window = s->kernel_class == TVM_KERNEL_WINDOW;
  if (window || depth_bytes(s) * s->extents[TVM_LOOP_NI] < target->l2_bytes / 2)
    return 0;
  return ceil_div(MEMORY_LATENCY,
                  (int64_t)block_cycles(m, window, k->mr, k->nr));
}

/* One row has one accumulator a vector; several panels hide the latency of
 * their multiply-adds, and read from several places at a time. */
static int64_t choose_jam(const machine *m, const tvm_kernel_shape *s,
                          const tvm_kernel_knobs *k) {
  int64_t rows = s->extents[TVM_LOOP_H] * s->extents[TVM_LOOP_W];
  int64_t panels = s->extents[TVM_LOOP_NI] / k->nr, v = vectors(m, k->nr);
  bool one_loop = s->extents[TVM_LOOP_Q] == 1 && s->extents[TVM_LOOP_R] == 1 &&
                  s->extents[TVM_LOOP_K] > 1;
  if (s->kernel_class == TVM_KERNEL_WINDOW || rows > 1 || !one_loop ||
      s->extents[TVM_LOOP_NO] > 1 || k->edges != TVM_EDGES_NONE ||
      panels < 2 * MIN_PIECES)
    return 1;
  return largest_divisor(panels, MAX_CHAINS / v);
}

bool tvm_llvm_choose_knobs(const tvm_kernel_shape *shape,
                           const tvm_llvm_target *target,
                           tvm_kernel_knobs *out_knobs) {
  machine m = {.lanes = target->vector_bytes / shape->element_bytes,
               .registers = target->vector_registers,
               .ports = target->fma_ports};
  bool window = shape->kernel_class == TVM_KERNEL_WINDOW;
  int64_t h = shape->extents[TVM_LOOP_H], w = shape->extents[TVM_LOOP_W];
  int64_t n = shape->extents[window ? TVM_LOOP_NO : TVM_LOOP_NI];
  m.streams = !window && depth_bytes(shape) * m.lanes > target->l1_bytes / 2;
  memset(out_knobs, 0, sizeof *out_knobs);
  if (m.lanes < 2)
    return false;
  bool edges = !window && h * w > 1 && n > 1 && w <= MAX_EDGE_ROWS;
  choose_block(&m, window, w, n, edges, out_knobs);
  if (out_knobs->nr < 2)
    return false; /* no vectors */
  if (out_knobs->mr * out_knobs->nr < MIN_BLOCK)
    return false; /* a reduction to a scalar would be vectorized whole */
  int64_t nr = out_knobs->nr;
  out_knobs->ct = n % nr   ? n
                  : window ? nr * largest_divisor(n / nr, MAX_WINDOW_BLOCKS)
                           : nr;
  choose_panel(shape, target, n, out_knobs);
  out_knobs->jam = choose_jam(&m, shape, out_knobs);
  out_knobs->rows_ahead = choose_distance(&m, shape, target, out_knobs);
  return true;
}
