/* options.c - the command line against the table of a command. */
#include "tvmc.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *next_option(const arguments *args, const char *name,
                        size_t *position) {
  while (*position < args->num_options) {
    const option_value *o = &args->options[(*position)++];
    if (strcmp(o->row->name, name) == 0)
      return o->text ? o->text : "";
  }
  return NULL;
}

const char *get_option(const arguments *args, const char *name) {
  size_t at = 0;
  return next_option(args, name, &at);
}

bool has_option(const arguments *args, const char *name) {
  return get_option(args, name) != NULL;
}

static const option_row *find_row(const command *c, const char *name,
                                  size_t length) {
  for (const option_row *row = c->rows; row->name; row++)
    if (strlen(row->name) == length && strncmp(row->name, name, length) == 0)
      return row;
  return NULL;
}

/* Reads argv[*i] and, for `--name value`, the word after it. */
static bool parse_option(arguments *args, const command *c, int argc,
                         char **argv, int *i, failure *f) {
  const char *word = argv[*i];
  size_t length = strlen(word);
  const option_row *row = find_row(c, word, length);
  const char *text = NULL;
  if (!row && strncmp(word, "--", 2) == 0 && strchr(word, '=')) {
    length = (size_t)(strchr(word, '=') - word);
    row = find_row(c, word, length);
    text = word + length + 1;
  }
  if (!row)
    return fail(f, "'%s' has no option '%s', see 'tvmc %s --help'", c->name,
                word, c->name);
  if (!row->argument && text)
    return fail(f, "'%s' takes no argument, got '%s'", row->name, text);
  if (row->argument && !text && *i + 1 == argc)
    return fail(f, "'%s' expects an argument %s", row->name, row->argument);
  if (row->argument && !row->repeats && has_option(args, row->name))
    return fail(f, "'%s' is given twice", row->name);
  if (row->argument && !text)
    text = argv[++*i];
  args->options[args->num_options++] = (option_value){row, text};
  return true;
}

bool arguments_init(arguments *args, const command *c, int argc, char **argv,
                    failure *f) {
  *args = (arguments){0};
  args->options = calloc((size_t)argc + 1, sizeof *args->options);
  args->operands = calloc((size_t)argc + 1, sizeof *args->operands);
  bool ended = false;
  for (int i = 0; i < argc; i++) {
    if (!ended && strcmp(argv[i], "--") == 0)
      ended = true;
    else if (ended || argv[i][0] != '-' || argv[i][1] == 0)
      args->operands[args->num_operands++] = argv[i];
    else if (!parse_option(args, c, argc, argv, &i, f))
      return false;
  }
  return true;
}

void arguments_finish(arguments *args) {
  free(args->options);
  free(args->operands);
  *args = (arguments){0};
}

bool parse_integer(const char *text, int64_t low, int64_t high,
                   int64_t *value) {
  const char *digits = text + (*text == '-');
  if (*digits < '0' || *digits > '9')
    return false;
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (errno || *end || number < low || number > high)
    return false;
  *value = number;
  return true;
}

bool get_integer(const arguments *args, const char *name, int64_t low,
                 int64_t high, int64_t *value, failure *f) {
  const char *text = get_option(args, name);
  if (!text || parse_integer(text, low, high, value))
    return true;
  return fail(f, "'%s' expects an integer from %lld to %lld, got '%s'", name,
              (long long)low, (long long)high, text);
}

/* Reads one finite number; *end is where it stops. */
static bool parse_number(const char *text, const char **end, double *value) {
  char *stop;
  *value = strtod(text, &stop);
  *end = stop;
  return stop != text && isfinite(*value);
}

bool get_tolerance(const arguments *args, const char *name, double *value,
                   failure *f) {
  const char *text = get_option(args, name), *end;
  double number;
  if (!text)
    return true;
  if (!parse_number(text, &end, &number) || *end || number < 0)
    return fail(f, "'%s' expects a number, zero or more, got '%s'", name, text);
  *value = number;
  return true;
}

bool get_numbers(const arguments *args, const char *name, size_t capacity,
                 double *values, size_t *count, failure *f) {
  const char *text = get_option(args, name);
  if (!text)
    return true;
  size_t n = 0;
  for (const char *at = text;; at++) {
    if (n == capacity || !parse_number(at, &at, &values[n++]) ||
        (*at && *at != ','))
      return fail(f, "'%s' expects one to %zu numbers, got '%s'", name,
                  capacity, text);
    if (!*at)
      break;
  }
  *count = n;
  return true;
}

const char *split_assignment(const char *text, char **out_name) {
  const char *sign = strrchr(text, '=');
  *out_name = NULL;
  if (!sign)
    return NULL;
  *out_name = strndup(text, (size_t)(sign - text));
  return sign + 1;
}

bool expect_operands(const arguments *args, size_t low, size_t high,
                     const char *what, failure *f) {
  if (args->num_operands >= low && args->num_operands <= high)
    return true;
  if (args->num_operands > high)
    return fail(f, "expects %s, got also '%s'", what, args->operands[high]);
  return fail(f, "expects %s, got nothing", what);
}
