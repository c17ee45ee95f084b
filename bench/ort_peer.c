/* ort_peer.c - time ONNX Runtime on a model, for bench/compare.
 *
 *   ort_peer MODEL.onnx THREADS RUNS [NAME=D0,D1,..]...
 *
 * Prints one JSON object: version, median_ms, minimum_ms, runs, and the inputs
 * with the shapes that were used. The library is loaded by the path in ORT_LIB.
 * Its table of functions only ever grows, so the positions below hold for every
 * version since the first; inputs are random as those of `tvmc bench`. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum position {
  GET_ERROR_MESSAGE = 2,
  CREATE_ENV = 3,
  CREATE_SESSION = 7,
  RUN = 9,
  CREATE_SESSION_OPTIONS = 10,
  SET_INTRA_THREADS = 24,
  SET_INTER_THREADS = 25,
  INPUT_COUNT = 30,
  OUTPUT_COUNT = 31,
  INPUT_TYPE = 33,
  INPUT_NAME = 36,
  OUTPUT_NAME = 37,
  CREATE_TENSOR_WITH_DATA = 49,
  CAST_TENSOR_INFO = 55,
  GET_ELEMENT_TYPE = 60,
  GET_RANK = 61,
  GET_DIMENSIONS = 62,
  CREATE_CPU_MEMORY_INFO = 69,
  GET_DEFAULT_ALLOCATOR = 78,
  RELEASE_VALUE = 96,
};

enum { API_VERSION = 14, MAX_TENSORS = 64, MAX_RANK = 16, WARMUP = 3 };

typedef struct ort_base {
  void *const *(*get_api)(uint32_t version);
  const char *(*get_version)(void);
} ort_base;

typedef struct peer {
  void *const *api;
  const char *version;
  void *session, *allocator, *memory;
  size_t num_inputs, num_outputs;
  char *input_names[MAX_TENSORS], *output_names[MAX_TENSORS];
  void *inputs[MAX_TENSORS], *outputs[MAX_TENSORS];
  size_t rank[MAX_TENSORS];
  int64_t shape[MAX_TENSORS][MAX_RANK];
} peer;

/* Element bytes by the number of ONNX's TensorProto.DataType. */
static const uint8_t element_bytes[] = {0, 4, 1, 1, 2, 2, 4, 8, 0,
                                        1, 2, 8, 4, 8, 0, 0, 2};

#define CALL(p, at, ...) ((void *(*)(__VA_ARGS__))(p)->api[at])

static int complain(const char *what, const char *why) {
  fprintf(stderr, "ort_peer: error: %s: %s\n", what, why);
  return 0;
}

/* Whether a call went well. */
static int check(const peer *p, void *status, const char *what) {
  if (!status)
    return 1;
  return complain(what,
                  ((const char *(*)(void *))p->api[GET_ERROR_MESSAGE])(status));
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int load(peer *p) {
  const char *path = getenv("ORT_LIB");
  void *library =
      dlopen(path ? path : "libonnxruntime.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return complain("cannot load ONNX Runtime", dlerror());
  ort_base *(*get_base)(void) =
      (ort_base * (*)(void)) dlsym(library, "OrtGetApiBase");
  if (!get_base)
    return complain("cannot load ONNX Runtime", "no symbol OrtGetApiBase");
  ort_base *base = get_base();
  p->api = base->get_api(API_VERSION);
  p->version = base->get_version();
  return p->api ? 1 : complain("ONNX Runtime", "it is too old");
}

static int open_model(peer *p, const char *model, int threads) {
  void *env, *options;
  return check(p,
               CALL(p, CREATE_ENV, int, const char *, void **)(3, "peer", &env),
               "environment") &&
         check(p, CALL(p, CREATE_SESSION_OPTIONS, void **)(&options),
               "options") &&
         check(p, CALL(p, SET_INTRA_THREADS, void *, int)(options, threads),
               "threads") &&
         check(p, CALL(p, SET_INTER_THREADS, void *, int)(options, 1),
               "threads") &&
         check(p,
               CALL(p, CREATE_SESSION, void *, const char *, void *,
                    void **)(env, model, options, &p->session),
               model) &&
         check(p,
               CALL(p, CREATE_CPU_MEMORY_INFO, int, int, void **)(0, 0,
                                                                  &p->memory),
               "memory") &&
         check(p, CALL(p, GET_DEFAULT_ALLOCATOR, void **)(&p->allocator),
               "allocator") &&
         check(
             p,
             CALL(p, INPUT_COUNT, void *, size_t *)(p->session, &p->num_inputs),
             "inputs") &&
         check(p,
               CALL(p, OUTPUT_COUNT, void *, size_t *)(p->session,
                                                       &p->num_outputs),
               "outputs");
}

/* Dimensions that the model leaves open are one unless they are given. */
static void choose_shape(peer *p, size_t i, char **given) {
  const char *name = p->input_names[i];
  size_t length = strlen(name);
  for (size_t k = 0; k < p->rank[i]; k++)
    if (p->shape[i][k] < 0)
      p->shape[i][k] = 1;
  for (; *given; given++) {
    const char *sign = strrchr(*given, '=');
    if (!sign || (size_t)(sign - *given) != length ||
        strncmp(*given, name, length))
      continue;
    p->rank[i] = 0;
    for (char *at = (char *)sign + 1; *at && p->rank[i] < MAX_RANK;
         at += *at == ',')
      p->shape[i][p->rank[i]++] = strtoll(at, &at, 10);
    return;
  }
}

static void fill(void *data, int type, size_t count, uint64_t *state) {
  size_t width = element_bytes[type];
  memset(data, 0, count * width);
  for (size_t i = 0; i < count; i++) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    double unit = 2 * (double)(*state >> 11) * 0x1p-53 - 1;
    float single = (float)unit;
    _Float16 half = (_Float16)unit;
    uint8_t whole = *state >> 40 & (type == 9 ? 1 : 3);
    const void *from = type == 1    ? (void *)&single
                       : type == 11 ? (void *)&unit
                       : type == 10 ? (void *)&half
                                    : (void *)&whole;
    int is_float = type == 1 || type == 10 || type == 11;
    memcpy((char *)data + i * width, from, is_float ? width : 1);
  }
}

static int create_input(peer *p, size_t i, char **given, uint64_t *state) {
  void *info, *tensor_info = NULL;
  int type;
  if (!check(p,
             CALL(p, INPUT_NAME, void *, size_t, void *,
                  char **)(p->session, i, p->allocator, &p->input_names[i]),
             "input") ||
      !check(p,
             CALL(p, INPUT_TYPE, void *, size_t, void **)(p->session, i, &info),
             "input") ||
      !check(p, CALL(p, CAST_TENSOR_INFO, void *, void **)(info, &tensor_info),
             "input"))
    return 0;
  const char *name = p->input_names[i];
  if (!tensor_info)
    return complain(name, "is no tensor");
  if (!check(p, CALL(p, GET_ELEMENT_TYPE, void *, int *)(tensor_info, &type),
             name) ||
      !check(p, CALL(p, GET_RANK, void *, size_t *)(tensor_info, &p->rank[i]),
             name))
    return 0;
  if (p->rank[i] > MAX_RANK || type < 0 ||
      (size_t)type >= sizeof element_bytes || !element_bytes[type])
    return complain(name, "has a type that is not supported");
  if (!check(p,
             CALL(p, GET_DIMENSIONS, void *, int64_t *,
                  size_t)(tensor_info, p->shape[i], p->rank[i]),
             name))
    return 0;
  choose_shape(p, i, given);
  size_t count = 1;
  for (size_t k = 0; k < p->rank[i]; k++)
    count *= (size_t)p->shape[i][k];
  void *data = malloc(count * element_bytes[type] + 1);
  if (!data)
    return complain(name, "no memory");
  fill(data, type, count, state);
  return check(p,
               CALL(p, CREATE_TENSOR_WITH_DATA, void *, void *, size_t,
                    const int64_t *, size_t, int,
                    void **)(p->memory, data, count * element_bytes[type],
                             p->shape[i], p->rank[i], type, &p->inputs[i]),
               name);
}

static int prepare(peer *p, char **given) {
  uint64_t state = 88172645463325252u;
  if (p->num_inputs > MAX_TENSORS || p->num_outputs > MAX_TENSORS)
    return complain("the model", "has too many inputs or outputs");
  for (size_t i = 0; i < p->num_inputs; i++)
    if (!create_input(p, i, given, &state))
      return 0;
  for (size_t i = 0; i < p->num_outputs; i++)
    if (!check(p,
               CALL(p, OUTPUT_NAME, void *, size_t, void *,
                    char **)(p->session, i, p->allocator, &p->output_names[i]),
               "output"))
      return 0;
  return 1;
}

static int run_once(peer *p, double *out_ms) {
  double began = now_ms();
  void *status = CALL(p, RUN, void *, void *, char *const *, void *const *,
                      size_t, char *const *, size_t, void **)(
      p->session, NULL, p->input_names, p->inputs, p->num_inputs,
      p->output_names, p->num_outputs, p->outputs);
  *out_ms = now_ms() - began;
  for (size_t i = 0; i < p->num_outputs; i++)
    if (p->outputs[i]) {
      ((void (*)(void *))p->api[RELEASE_VALUE])(p->outputs[i]);
      p->outputs[i] = NULL;
    }
  return check(p, status, "run");
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void print_name(const char *name) {
  putchar('"');
  for (; *name; name++)
    if (*name == '"' || *name == '\\')
      printf("\\%c", *name);
    else if ((unsigned char)*name < 0x20)
      printf("\\u%04x", (unsigned char)*name);
    else
      putchar(*name);
  putchar('"');
}

static void print_results(const peer *p, const double *times, int runs) {
  printf("{\"version\": \"%s\", \"median_ms\": %.6g, \"minimum_ms\": %.6g, "
         "\"runs\": %d, \"inputs\": [",
         p->version, (times[(runs - 1) / 2] + times[runs / 2]) / 2, times[0],
         runs);
  for (size_t i = 0; i < p->num_inputs; i++) {
    printf("%s{\"name\": ", i ? ", " : "");
    print_name(p->input_names[i]);
    printf(", \"shape\": [");
    for (size_t k = 0; k < p->rank[i]; k++)
      printf("%s%" PRId64, k ? ", " : "", p->shape[i][k]);
    printf("]}");
  }
  printf("]}\n");
}

static int measure(peer *p, int runs) {
  double *times = calloc((size_t)runs, sizeof *times), ignored;
  int ok = times != NULL;
  for (int i = 0; ok && i < WARMUP; i++)
    ok = run_once(p, &ignored);
  for (int i = 0; ok && i < runs; i++)
    ok = run_once(p, &times[i]);
  if (ok) {
    qsort(times, (size_t)runs, sizeof *times, by_size);
    print_results(p, times, runs);
  }
  free(times);
  return ok;
}

int main(int argc, char **argv) {
  static peer p;
  int threads = argc > 3 ? atoi(argv[2]) : 0;
  int runs = argc > 3 ? atoi(argv[3]) : 0;
  if (threads < 1 || runs < 1) {
    fprintf(stderr, "usage: ort_peer MODEL.onnx THREADS RUNS "
                    "[NAME=D0,D1,..]...\n");
    return 2;
  }
  return !(load(&p) && open_model(&p, argv[1], threads) &&
           prepare(&p, argv + 4) && measure(&p, runs));
}
