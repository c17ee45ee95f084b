/* knobs.c - tile sizes from a model of the processor. */
#include "llvm/knobs.h"

#include <string.h>

enum {
  MAX_PANEL_ROWS = 384, /* of results: beyond, the input leaves the cache */
  LATENCY = 4,          /* cycles of one FMA */
  FREE_LOADS = 4,       /* hide behind the FMAs of one step */
};

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

/* Results that one cycle adds one step of the reduction to. Each step of a
 * contraction loads nr weights and mr scalars; of a window, mr x nr inputs. */
static double throughput(const machine *m, bool window, int64_t mr,
                         int64_t nr) {
  int64_t v = vectors(m, nr), fmas = mr * v;
  int64_t loads = window ? fmas + v : mr + v;
  double cycles = (double)fmas / (double)m->ports;
  if (loads > FREE_LOADS)
    cycles += 0.15 * (double)(loads - FREE_LOADS);
  if ((double)loads / 2 > cycles)
    cycles = (double)loads / 2;
  if (cycles < LATENCY)
    cycles = LATENCY;
  if (m->streams && 2.0 * (double)v > cycles)
    cycles = 2.0 * (double)v; /* the second cache gives half a line a cycle */
  return (double)(mr * nr) / cycles;
}

static bool fits(const machine *m, int64_t mr, int64_t nr) {
  int64_t v = vectors(m, nr);
  return mr * v + v + 1 <= m->registers;
}

static bool is_power_of_two(int64_t n) { return (n & (n - 1)) == 0; }

static bool choose_block(const machine *m, bool window, int64_t w, int64_t n,
                         tvm_kernel_knobs *out) {
  double best = 0;
  for (int64_t nr = 1; nr <= 4 * m->lanes && nr <= n; ++nr) {
    if (n % nr || !is_power_of_two(nr))
      continue; /* LLVM takes other vectors apart, element by element */
    for (int64_t mr = 1; mr <= w && fits(m, mr, nr); ++mr) {
      double rate = throughput(m, window, mr, nr);
      if (w % mr == 0 && rate > best) {
        best = rate;
        out->mr = mr;
        out->nr = nr;
      }
    }
  }
  return best > 0;
}

static int64_t depth_bytes(const tvm_kernel_shape *s) {
  return s->extents[TVM_LOOP_R] * s->extents[TVM_LOOP_Q] *
         s->extents[TVM_LOOP_K] * s->element_bytes;
}

/* As many rows as the second cache holds of what they read, half of it left
 * to the weights. */
static int64_t panel_rows(const tvm_kernel_shape *s,
                          const tvm_llvm_target *target) {
  int64_t rows = target->l2_bytes / 2 / depth_bytes(s);
  return rows < 1 ? 1 : rows > MAX_PANEL_ROWS ? MAX_PANEL_ROWS : rows;
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
  if (m.lanes < 2 || !choose_block(&m, window, w, n, out_knobs))
    return false;
  int64_t rows = panel_rows(shape, target);
  int64_t blocks = largest_divisor(w / out_knobs->mr, rows / out_knobs->mr);
  out_knobs->wt = blocks * out_knobs->mr;
  out_knobs->ht =
      out_knobs->wt == w ? largest_divisor(h, rows / out_knobs->wt) : 1;
  out_knobs->ct = out_knobs->nr * largest_divisor(n / out_knobs->nr, 4);
  return true;
}
