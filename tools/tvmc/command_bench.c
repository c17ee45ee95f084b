/* command_bench.c - tvmc bench: how long a model takes, and where. */
#include "tvmc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option_row rows[] = {
    {"--threads", "N", "run with N threads, all CPUs unless given", false},
    {"--warmup", "N", "runs that do not count, 3 unless given", false},
    {"--runs", "N", "runs that count; otherwise for two seconds, 10 to 1000",
     false},
    {"--profile", NULL, "print time, share and GFLOP/s of each kernel", false},
    {"--json", NULL, "print one JSON object", false},
    INPUT_OPTIONS,
    BUILD_OPTIONS,
    {0}};

enum { MAX_RUNS = 1000000, FREE_RUNS = 1000, LEAST_RUNS = 10 };

typedef struct figures {
  int64_t runs;
  double median, minimum, mean;
  double low, high; /* quartiles */
} figures;

typedef struct profile {
  int64_t runs;
  uint64_t *ns; /* a launch */
} profile;

/* Numbers from -1 to 1; integers from 0 to 3, which most index inputs take. */
static void fill_random(tensor *t, uint64_t *state) {
  for (size_t i = 0; i < t->count; i++) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    double unit = (double)(*state >> 11) * 0x1p-53;
    int64_t whole = t->dtype.code == kDLBool ? (int64_t)(*state >> 40 & 1)
                                             : (int64_t)(*state >> 40 & 3);
    tensor_set(t, i, is_float_type(t->dtype) ? 2 * unit - 1 : (double)whole);
  }
}

static bool fill_inputs(const program *p, const bool *set, failure *f) {
  uint64_t state = 88172645463325252u;
  for (int32_t i = 0; i < tvm_module_num_inputs(p->module); i++) {
    DLTensor view;
    if (set[i])
      continue;
    if (tvm_session_get_input_view(p->session, i, &view))
      return fail_runtime(f, NULL);
    tensor t = tensor_from_view(&view, NULL);
    fill_random(&t, &state);
  }
  return true;
}

/* Indices of a small table: zero is in any. */
static bool zero_integers(const program *p, const bool *set) {
  bool any = false;
  for (int32_t i = 0; i < tvm_module_num_inputs(p->module); i++) {
    DLTensor view;
    if (set[i] || tvm_session_get_input_view(p->session, i, &view))
      continue;
    tensor t = tensor_from_view(&view, NULL);
    if (is_float_type(t.dtype))
      continue;
    memset(t.data, 0, t.bytes);
    any = true;
  }
  return any;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static bool warm_up(const program *p, const bool *set, int64_t count,
                    failure *f) {
  for (int64_t i = 0; i < count; i++) {
    tvm_status status = tvm_session_run(p->session);
    if (status == TVM_STATUS_DATA && i == 0 && zero_integers(p, set))
      status = tvm_session_run(p->session);
    if (status)
      return fail_runtime(f, NULL);
  }
  return true;
}

static bool measure(const program *p, int64_t runs, figures *out, failure *f) {
  int64_t most = runs ? runs : FREE_RUNS, count = 0;
  double *times = calloc((size_t)most, sizeof *times), sum = 0;
  double began = now_seconds();
  bool ok = true;
  while (ok && count < most &&
         (runs || count < LEAST_RUNS || now_seconds() - began < 2)) {
    double start = now_seconds();
    if (tvm_session_run(p->session))
      ok = fail_runtime(f, NULL);
    sum += times[count++] = now_seconds() - start;
  }
  if (ok) {
    qsort(times, (size_t)count, sizeof *times, by_size);
    *out = (figures){count,
                     (times[(count - 1) / 2] + times[count / 2]) / 2,
                     times[0],
                     sum / (double)count,
                     times[count / 4],
                     times[(3 * count) / 4]};
  }
  free(times);
  return ok;
}

static void on_launch(void *user, int32_t index, const char *name,
                      uint64_t ns) {
  (void)name;
  ((profile *)user)->ns[index] += ns;
}

/* Apart from the measured runs: the hook costs time. */
static bool take_profile(const program *p, profile *out, failure *f) {
  int32_t launches = tvm_module_model(p->module)->num_launches;
  out->ns = calloc((size_t)launches + 1, sizeof *out->ns);
  double began = now_seconds();
  tvm_session_set_profiler(p->session, on_launch, out);
  tvm_status status = TVM_OK;
  while (!status && out->runs < 200 &&
         (out->runs < 5 || now_seconds() - began < 1)) {
    status = tvm_session_run(p->session);
    out->runs++;
  }
  if (status)
    fail_runtime(f, NULL);
  tvm_session_set_profiler(p->session, NULL, NULL);
  return !status;
}

static void print_profile(const tvm_model *m, const profile *taken, json *j) {
  uint64_t sum = 0;
  for (int32_t i = 0; i < m->num_launches; i++)
    sum += taken->ns[i];
  if (j)
    json_open(j, "kernels", '[');
  else
    printf("\n%-44s %12s %7s %10s\n", "kernel", "time", "share", "GFLOP/s");
  for (int32_t i = 0; i < m->num_launches; i++) {
    double seconds = (double)taken->ns[i] * 1e-9 / (double)taken->runs;
    double share = sum ? (double)taken->ns[i] / (double)sum : 0;
    double rate =
        seconds > 0 ? (double)m->launches[i].flops * 1e-9 / seconds : 0;
    char text[32];
    if (!j) {
      print_name(stdout, m->launches[i].name, 44);
      printf(" %12s %6.1f%% %10.2f\n",
             print_seconds(text, sizeof text, seconds), 100 * share, rate);
      continue;
    }
    json_open(j, NULL, '{');
    json_string(j, "name", m->launches[i].name);
    json_number(j, "ms", seconds * 1e3);
    json_number(j, "share", share);
    json_number(j, "gflops", rate);
    json_close(j, '}');
  }
  if (j)
    json_close(j, ']');
}

static void print_figures(const program *p, const figures *n,
                          const profile *taken, bool as_json) {
  char a[32], b[32], c[32], d[32];
  int threads = tvm_env_num_threads(p->env);
  const tvm_model *m = tvm_module_model(p->module);
  if (!as_json) {
    printf("median %s, minimum %s, half of the runs within %s to %s "
           "(%lld runs, %d thread%s)\n",
           print_seconds(a, sizeof a, n->median),
           print_seconds(b, sizeof b, n->minimum),
           print_seconds(c, sizeof c, n->low),
           print_seconds(d, sizeof d, n->high), (long long)n->runs, threads,
           threads == 1 ? "" : "s");
    if (taken)
      print_profile(m, taken, NULL);
    return;
  }
  json j = {.out = stdout};
  json_open(&j, NULL, '{');
  json_number(&j, "median_ms", n->median * 1e3);
  json_number(&j, "minimum_ms", n->minimum * 1e3);
  json_number(&j, "mean_ms", n->mean * 1e3);
  json_number(&j, "spread_ms", (n->high - n->low) * 1e3);
  json_integer(&j, "runs", n->runs);
  json_integer(&j, "threads", threads);
  if (taken)
    print_profile(m, taken, &j);
  json_close(&j, '}');
}

static bool bench(const program *p, input_files *in, const arguments *args,
                  failure *f) {
  int64_t warmup = 3, runs = 0;
  profile taken = {0};
  figures numbers;
  bool as_profile = has_option(args, "--profile");
  bool *set = calloc((size_t)tvm_module_num_inputs(p->module) + 1, 1);
  bool ok = get_integer(args, "--warmup", 1, MAX_RUNS, &warmup, f) &&
            get_integer(args, "--runs", 1, MAX_RUNS, &runs, f) &&
            input_files_set(in, p, set, f) && fill_inputs(p, set, f) &&
            warm_up(p, set, warmup, f) && measure(p, runs, &numbers, f) &&
            (!as_profile || take_profile(p, &taken, f));
  if (ok)
    print_figures(p, &numbers, as_profile ? &taken : NULL,
                  has_option(args, "--json"));
  free(taken.ns);
  free(set);
  return ok;
}

static int run(const arguments *args) {
  failure f;
  input_files in = {0};
  program p = {0};
  int64_t threads = 0;
  bool ok =
      expect_operands(args, 1, 1, "one model", &f) &&
      get_integer(args, "--threads", 1, 1024, &threads, &f) &&
      input_files_init(&in, args, &f) &&
      program_load(&p, args->operands[0], &in, args, (int32_t)threads, &f) &&
      bench(&p, &in, args, &f);
  program_finish(&p);
  input_files_finish(&in);
  return ok ? 0 : report(&f);
}

const command command_bench = {
    .name = "bench",
    .synopsis = "MODEL.so|MODEL.onnx [OPTION...]",
    .summary = "Measure a model after a warm-up, on random inputs unless some "
               "are given. The\nspread is that between the quartiles. Kernels "
               "are timed in further runs.",
    .example = "  tvmc bench resnet50.so --threads 1 --profile",
    .rows = rows,
    .run = run};
