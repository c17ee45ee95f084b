/* sweep_math.c - the worst error of a compiled function of f32 against the C
 * library in double precision.
 *
 * usage: sweep-math MODEL.so FUNCTION STRIDE LIMIT
 *
 * The model has one input and one output of some number of f32. It is run on
 * every STRIDE-th of the 2^32 bit patterns, 1 for all. Fails beyond LIMIT units
 * in the last place, or where NaN, an infinity or the sign of a zero is
 * another. */
#include "tvm/runtime.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static double elu(double x) { return x < 0 ? expm1(x) : x; }

static double softplus(double x) {
  return (x < 0 ? 0 : x) + log1p(exp(-fabs(x)));
}

static double mish(double x) { return x * tanh(softplus(x)); }

static double gelu(double x) { return 0.5 * x * erfc(-x * sqrt(0.5)); }

typedef struct {
  const char *name;
  double (*compute)(double);
} function;

static const function functions[] = {
    {"exp", exp},           {"log", log},         {"tanh", tanh},
    {"erf", erf},           {"sigmoid", sigmoid}, {"elu", elu},
    {"softplus", softplus}, {"mish", mish},       {"gelu", gelu}};

static const function *find(const char *name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!strcmp(functions[i].name, name))
      return &functions[i];
  return NULL;
}

/* Of the f32 next to y, the distance of neighbours; the least of normal ones is
 * that of denormals, too. */
static double unit_at(double y) {
  int exponent;
  frexp(y, &exponent);
  return ldexp(1, (exponent < FLT_MIN_EXP ? FLT_MIN_EXP : exponent) -
                      FLT_MANT_DIG);
}

static double error_of(float got, double expected) {
  float rounded = (float)expected;
  if (isnan(expected) || isnan(got))
    return isnan(expected) && isnan(got) ? 0 : INFINITY;
  if (isinf(got) || isinf(rounded)) {
    if (got == rounded)
      return 0;
    /* overflow may begin one unit early or late */
    double bound = ldexp(1, FLT_MAX_EXP);
    double a = isinf(got) ? copysign(bound, got) : got;
    double b = fabs(expected) > bound ? copysign(bound, expected) : expected;
    return isinf(expected) ? INFINITY : fabs(a - b) / ldexp(1, 104);
  }
  if (rounded == 0 && got == 0 && expected == 0)
    return signbit(got) == signbit(rounded) ? 0 : INFINITY;
  return fabs((double)got - expected) / unit_at(expected);
}

static void check(tvm_status status) {
  if (status) {
    fprintf(stderr, "sweep-math: %s\n", tvm_last_error());
    exit(2);
  }
}

int main(int argc, char **argv) {
  const function *f = argc == 5 ? find(argv[2]) : NULL;
  if (!f)
    return 2;
  uint64_t stride = strtoull(argv[3], NULL, 10);
  double limit = strtod(argv[4], NULL), worst = 0;
  float worst_x = 0, worst_y = 0;
  tvm_env *env;
  tvm_module *module;
  tvm_session *session;
  DLTensor in, out;
  check(tvm_env_create(NULL, &env));
  check(tvm_module_open(env, argv[1], &module));
  check(tvm_session_create(module, NULL, &session));
  uint64_t n = tvm_module_model(module)->inputs[0].bytes / sizeof(float);
  uint64_t tried = 0;
  for (uint64_t bits = 0; bits < UINT64_C(1) << 32;) {
    check(tvm_session_get_input_view(session, 0, &in));
    for (uint64_t i = 0; i < n; i++, bits += stride)
      ((uint32_t *)in.data)[i] = (uint32_t)bits;
    check(tvm_session_run(session));
    check(tvm_session_get_output_view(session, 0, &out));
    for (uint64_t i = 0; i < n; i++) {
      float x = ((const float *)in.data)[i], y = ((const float *)out.data)[i];
      double error = error_of(y, f->compute(x));
      if (error > worst) {
        worst = error;
        worst_x = x;
        worst_y = y;
      }
    }
    tried += n;
  }
  printf("%s: %llu tried, worst %.2f ULP, %a to %a\n", f->name,
         (unsigned long long)tried, worst, worst_x, worst_y);
  return !(worst <= limit);
}
