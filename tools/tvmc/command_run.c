/* command_run.c - tvmc run: inputs from files, results on the terminal. */
#include "tvmc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option_row rows[] = {
    INPUT_OPTIONS,
    {"--output", "[NAME=]FILE", "write an output: .npy or .pb", true},
    {"--top", "K", "print the K largest elements of each output", false},
    {"--labels", "FILE", "names for --top, a line an index", false},
    {"--softmax", NULL, "turn scores into probabilities for --top", false},
    {"--threads", "N", "run with N threads, all CPUs unless given", false},
    {"--json", NULL, "print the results as JSON", false},
    BUILD_OPTIONS,
    {0}};

typedef struct labels {
  size_t count;
  char **lines;
} labels;

static bool labels_read(labels *out, const char *path, failure *f) {
  *out = (labels){0};
  file_bytes file;
  if (!path)
    return true;
  if (!file_map(&file, path, f))
    return false;
  const char *at = (const char *)file.data, *end = at + file.size;
  while (file.size && at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((stop ? stop : end) - at);
    size_t kept = length && at[length - 1] == '\r' ? length - 1 : length;
    out->lines = realloc(out->lines, (out->count + 1) * sizeof *out->lines);
    out->lines[out->count++] = strndup(at, kept);
    at += length + 1;
  }
  file_unmap(&file);
  return true;
}

static void labels_finish(labels *l) {
  for (size_t i = 0; i < l->count; i++)
    free(l->lines[i]);
  free(l->lines);
}

static bool list_missing(const program *p, const bool *set, failure *f) {
  char text[900] = "", type[TENSOR_TEXT_BYTES];
  size_t length = 0;
  bool missing = false;
  for (int32_t i = 0; i < tvm_module_num_inputs(p->module); i++) {
    tvm_tensor_info info;
    tvm_module_input_info(p->module, i, &info);
    missing = missing || !set[i];
    if (length < sizeof text)
      length += (size_t)snprintf(
          text + length, sizeof text - length, "%s'%s' %s%s", i ? ", " : "",
          info.name, print_type(type, info.dtype, info.ndim, info.shape),
          set[i] ? "" : " (missing)");
  }
  return !missing || fail(f, "the model expects the inputs %s", text);
}

/* Runs once, then again for half a second at most; the median of these. */
static bool measure(const program *p, double *out_seconds, failure *f) {
  double times[9], began = now_seconds();
  size_t count = 0;
  for (int i = 0; i <= 9 && (i < 2 || now_seconds() - began < 0.5); i++) {
    double start = now_seconds();
    if (tvm_session_run(p->session))
      return fail_runtime(f, NULL);
    double time = now_seconds() - start;
    if (i == 1)
      count = 0; /* the first run loads the weights */
    size_t at = count++;
    for (; at > 0 && times[at - 1] > time; at--)
      times[at] = times[at - 1];
    times[at] = time;
  }
  *out_seconds = times[count / 2];
  return true;
}

typedef struct score {
  size_t index;
  double value;
} score;

static int by_value(const void *a, const void *b) {
  const score *x = a, *y = b;
  bool nan_x = isnan(x->value), nan_y = isnan(y->value);
  if (nan_x != nan_y)
    return nan_x - nan_y;
  if (x->value != y->value && !nan_x)
    return x->value < y->value ? 1 : -1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* All elements, the largest first; null when there is no memory. */
static score *sort_scores(const tensor *t, bool softmax) {
  score *scores = malloc((t->count + 1) * sizeof *scores);
  if (!scores)
    return NULL;
  double high = -INFINITY, sum = 0;
  for (size_t i = 0; i < t->count; i++) {
    scores[i] = (score){i, tensor_get(t, i)};
    high = fmax(high, scores[i].value);
  }
  for (size_t i = 0; softmax && i < t->count; i++) {
    scores[i].value = exp(scores[i].value - high);
    sum += scores[i].value;
  }
  for (size_t i = 0; softmax && i < t->count; i++)
    scores[i].value /= sum;
  qsort(scores, t->count, sizeof *scores, by_value);
  return scores;
}

static void print_top(const tensor *t, int64_t top, const labels *names,
                      bool softmax, json *j) {
  score *scores = sort_scores(t, softmax);
  if (j)
    json_open(j, "top", '[');
  for (size_t i = 0; scores && i < t->count && i < (size_t)top; i++) {
    size_t index = scores[i].index;
    const char *name = index < names->count ? names->lines[index] : NULL;
    if (j) {
      json_open(j, NULL, '{');
      json_unsigned(j, "index", index);
      if (name)
        json_string(j, "label", name);
      json_number(j, "score", scores[i].value);
      json_close(j, '}');
    } else if (name) {
      printf("  ");
      print_name(stdout, name, 32);
      printf(" %.6g\n", scores[i].value);
    } else {
      printf("  %-32zu %.6g\n", index, scores[i].value);
    }
  }
  if (j)
    json_close(j, ']');
  free(scores);
}

typedef struct summary {
  double low, high, mean;
  size_t finite;
} summary;

static summary summarize(const tensor *t) {
  summary s = {INFINITY, -INFINITY, 0, 0};
  for (size_t i = 0; i < t->count; i++) {
    double value = tensor_get(t, i);
    if (!isfinite(value))
      continue;
    s.low = fmin(s.low, value);
    s.high = fmax(s.high, value);
    s.mean += value;
    s.finite++;
  }
  s.mean /= s.finite ? (double)s.finite : 1;
  return s;
}

static void print_values(const tensor *t) {
  char text[64];
  if (t->count <= 12) {
    printf(" ");
    for (size_t i = 0; i < t->count; i++)
      printf(" %s", print_element(text, sizeof text, t, i));
    printf("\n");
    return;
  }
  summary s = summarize(t);
  printf("  min %.6g, max %.6g, mean %.6g", s.low, s.high, s.mean);
  if (s.finite < t->count)
    printf(", %zu not finite", t->count - s.finite);
  printf("\n");
}

static void print_json_output(json *j, const tensor *t,
                              const tvm_tensor_info *info) {
  json_string(j, "name", info->name);
  json_string(j, "type", find_element_type(info->dtype)->name);
  json_open(j, "shape", '[');
  for (int32_t i = 0; i < info->ndim; i++)
    json_integer(j, NULL, info->shape[i]);
  json_close(j, ']');
  summary s = summarize(t);
  json_number(j, "min", s.low);
  json_number(j, "max", s.high);
  json_number(j, "mean", s.mean);
  json_unsigned(j, "not_finite", t->count - s.finite);
}

static bool print_outputs(const program *p, const arguments *args,
                          const labels *names, double seconds, failure *f) {
  int64_t top = 0;
  json j = {.out = stdout}, *out = has_option(args, "--json") ? &j : NULL;
  char text[TENSOR_TEXT_BYTES];
  if (!get_integer(args, "--top", 1, INT32_MAX, &top, f))
    return false;
  if (out) {
    json_open(out, NULL, '{');
    json_open(out, "outputs", '[');
  }
  for (int32_t i = 0; i < tvm_module_num_outputs(p->module); i++) {
    tvm_tensor_info info;
    DLTensor view;
    tvm_module_output_info(p->module, i, &info);
    if (tvm_session_get_output_view(p->session, i, &view))
      return fail_runtime(f, NULL);
    tensor t = tensor_from_view(&view, info.name);
    if (out) {
      json_open(out, NULL, '{');
      print_json_output(out, &t, &info);
    } else {
      print_name(stdout, info.name, 0);
      printf("  %s\n", print_type(text, info.dtype, info.ndim, info.shape));
    }
    if (top)
      print_top(&t, top, names, has_option(args, "--softmax"), out);
    else if (!out)
      print_values(&t);
    if (out)
      json_close(out, '}');
  }
  if (out) {
    json_close(out, ']');
    json_number(out, "latency_ms", seconds * 1e3);
    json_close(out, '}');
  } else {
    printf("latency %s\n", print_seconds(text, sizeof text, seconds));
  }
  return true;
}

/* `check`: only what can be known before the run. */
static bool write_output(const program *p, const char *text, bool check,
                         failure *f) {
  char *name;
  const char *path = split_assignment(text, &name);
  int32_t index = 0, count = tvm_module_num_outputs(p->module);
  DLTensor view;
  tvm_tensor_info info;
  bool ok = true;
  if (!path)
    path = text;
  if (!name && count != 1)
    ok = fail(f,
              "'--output' expects NAME=FILE as the model has %d outputs, "
              "got '%s'",
              count, text);
  else if (name && tvm_module_find_output(p->module, name, &index))
    ok = fail_runtime(f, NULL);
  else if (!has_extension(path, ".npy") && !has_extension(path, ".pb"))
    ok = fail(f, "'%s' expects the extension .npy or .pb", path);
  else if (check)
    ok = file_check_writable(path, f);
  else if (tvm_session_get_output_view(p->session, index, &view))
    ok = fail_runtime(f, NULL);
  if (ok && !check) {
    tvm_module_output_info(p->module, index, &info);
    tensor t = tensor_from_view(&view, info.name);
    ok = tensor_write(&t, path, f);
  }
  free(name);
  return ok;
}

static bool write_outputs(const program *p, const arguments *args, bool check,
                          failure *f) {
  const char *text;
  for (size_t at = 0; (text = next_option(args, "--output", &at));)
    if (!write_output(p, text, check, f))
      return false;
  return true;
}

static bool run_program(const program *p, input_files *in,
                        const arguments *args, const labels *names,
                        failure *f) {
  bool *set = calloc((size_t)tvm_module_num_inputs(p->module) + 1, 1);
  double seconds;
  bool ok = write_outputs(p, args, true, f) && input_files_set(in, p, set, f) &&
            list_missing(p, set, f) && measure(p, &seconds, f) &&
            write_outputs(p, args, false, f) &&
            print_outputs(p, args, names, seconds, f);
  free(set);
  return ok;
}

static int run(const arguments *args) {
  failure f;
  input_files in = {0};
  labels names = {0};
  program p = {0};
  int64_t threads = 0, top = 0;
  bool ok =
      expect_operands(args, 1, 1, "one model", &f) &&
      get_integer(args, "--threads", 1, 1024, &threads, &f) &&
      get_integer(args, "--top", 1, INT32_MAX, &top, &f) &&
      labels_read(&names, get_option(args, "--labels"), &f) &&
      input_files_init(&in, args, &f) &&
      program_load(&p, args->operands[0], &in, args, (int32_t)threads, &f) &&
      run_program(&p, &in, args, &names, &f);
  program_finish(&p);
  input_files_finish(&in);
  labels_finish(&names);
  return ok ? 0 : report(&f);
}

const command command_run = {
    .name = "run",
    .synopsis = "MODEL.so|MODEL.onnx --input [NAME=]FILE... [OPTION...]",
    .summary =
        "Run a model on inputs from files and print what comes out: the "
        "values when\nthere are few, else their range and mean. The latency is "
        "the median of up to nine\nruns after the first. A picture is resized "
        "to the input, [1,C,H,W] or [1,H,W,C]\nwith one or three channels; "
        "pixels become (pixel * scale - mean) / std, those of a\nu8 input stay "
        "0 to 255. Names are split from files at the last '='.",
    .example = "  tvmc run resnet50.so --input x=cat.png --top 5 \\\n"
               "    --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225",
    .rows = rows,
    .run = run};
