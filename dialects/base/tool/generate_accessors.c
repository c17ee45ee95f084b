/* generate_accessors.c - print C accessors for the operations of an IRDL file.
 *
 *   generate_accessors graph.irdl.mlir graph_accessors.h
 *
 * For each operation: the name as a constant, operands and results by name
 * (a variadic one: its count and its elements), attributes by name. Reads the
 * subset of IRDL that the dialects here are written in, one clause a line, and
 * refuses what it does not know. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *path;
  FILE *out;
  int line;
  char dialect[64];
  char op[64];
} generator;

static int fail(const generator *g, const char *message, const char *text) {
  fprintf(stderr, "%s:%d: %s: %s\n", g->path, g->line, message, text);
  return 1;
}

static bool starts_with(const char *s, const char *prefix) {
  return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Copy the identifier at `s`; returns what follows it, null when none. */
static const char *read_name(const char *s, char name[64]) {
  size_t n = 0;
  while (isalnum((unsigned char)s[n]) || s[n] == '_')
    ++n;
  if (n == 0 || n >= 64)
    return NULL;
  memcpy(name, s, n);
  name[n] = 0;
  return s + n;
}

static void print_header(const generator *g, const char *type,
                         const char *name) {
  fprintf(g->out, "static inline %s tvm_%s_%s_%s(MlirOperation op", type,
          g->dialect, g->op, name);
}

static void print_value(const generator *g, const char *kind, const char *name,
                        int index, bool variadic) {
  const char *get = *kind == 'o' ? "Operand" : "Result";
  if (variadic) {
    char count[80];
    snprintf(count, sizeof count, "num_%s", name);
    print_header(g, "intptr_t", count);
    fprintf(g->out, ") {\n  return mlirOperationGetNum%ss(op) - %d;\n}\n", get,
            index);
    print_header(g, "MlirValue", name);
    fprintf(g->out,
            ", intptr_t i) {\n  return mlirOperationGet%s(op, %d + i);\n}\n",
            get, index);
    return;
  }
  print_header(g, "MlirValue", name);
  fprintf(g->out, ") {\n  return mlirOperationGet%s(op, %d);\n}\n", get, index);
}

/* "name: %x, name: variadic %y)" */
static int read_values(generator *g, const char *kind, const char *s) {
  for (int index = 0; *s != ')'; ++index) {
    char name[64], ignored[64];
    const char *p = read_name(s, name);
    if (!p || !starts_with(p, ": "))
      return fail(g, "expected 'name: %constraint'", s);
    p += 2;
    bool variadic = starts_with(p, "variadic ");
    p += variadic ? 9 : 0;
    bool optional = starts_with(p, "optional "); /* a variadic one of 0 or 1 */
    p += optional ? 9 : 0;
    variadic |= optional;
    if (*p != '%' || !(p = read_name(p + 1, ignored)))
      return fail(g, "expected a constraint", s);
    print_value(g, kind, name, index, variadic);
    if (variadic && *p != ')')
      return fail(g, "expected the variadic one to be the last", s);
    s = starts_with(p, ", ") ? p + 2 : p;
    if (*s != ')' && s == p)
      return fail(g, "expected ',' or ')'", p);
  }
  return 0;
}

/* "\"name\" = %x, ...}" */
static int read_attributes(generator *g, const char *s) {
  while (*s != '}') {
    char name[64], ignored[64];
    const char *p = *s == '"' ? read_name(s + 1, name) : NULL;
    if (!p || !starts_with(p, "\" = %") || !(p = read_name(p + 5, ignored)))
      return fail(g, "expected '\"name\" = %constraint'", s);
    print_header(g, "MlirAttribute", name);
    fprintf(g->out, ") {\n  return tvm_get_attr(op, \"%s\");\n}\n", name);
    s = starts_with(p, ", ") ? p + 2 : p;
    if (*s != '}' && s == p)
      return fail(g, "expected ',' or '}'", p);
  }
  return 0;
}

/* "name: %r, ...)" */
static int read_regions(generator *g, const char *s) {
  for (int index = 0; *s != ')'; ++index) {
    char name[64], ignored[64];
    const char *p = read_name(s, name);
    if (!p || !starts_with(p, ": %") || !(p = read_name(p + 3, ignored)))
      return fail(g, "expected 'name: %region'", s);
    print_header(g, "MlirRegion", name);
    fprintf(g->out, ") {\n  return mlirOperationGetRegion(op, %d);\n}\n",
            index);
    s = starts_with(p, ", ") ? p + 2 : p;
    if (*s != ')' && s == p)
      return fail(g, "expected ',' or ')'", p);
  }
  return 0;
}

static int read_line(generator *g, const char *s) {
  if (starts_with(s, "irdl.dialect @"))
    return read_name(s + 14, g->dialect) ? 0 : fail(g, "expected a name", s);
  if (starts_with(s, "irdl.operation @")) {
    if (!read_name(s + 16, g->op))
      return fail(g, "expected a name", s);
    fprintf(g->out, "\n#define TVM_%s_%s \"%s.%s\"\n", g->dialect, g->op,
            g->dialect, g->op);
    return 0;
  }
  if (starts_with(s, "irdl.operands("))
    return read_values(g, "operand", s + 14);
  if (starts_with(s, "irdl.results("))
    return read_values(g, "result", s + 13);
  if (starts_with(s, "irdl.attributes {"))
    return read_attributes(g, s + 17);
  if (starts_with(s, "irdl.regions("))
    return read_regions(g, s + 13);
  bool known = *s == 0 || *s == '}' || *s == '%' || starts_with(s, "//");
  return known ? 0 : fail(g, "not understood", s);
}

static int generate(generator *g, FILE *in) {
  char text[1024];
  int status = 0;
  fprintf(g->out, "/* Generated by generate_accessors. */\n#pragma once\n");
  while (!status && fgets(text, sizeof text, in)) {
    ++g->line;
    size_t n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1]))
      text[--n] = 0;
    status = read_line(g, text + strspn(text, " "));
  }
  return status;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: generate_accessors IRDL HEADER\n");
    return 1;
  }
  generator g = {.path = argv[1]};
  FILE *in = fopen(argv[1], "r");
  g.out = in ? fopen(argv[2], "w") : NULL;
  int status = 1;
  if (g.out)
    status = generate(&g, in);
  else
    fprintf(stderr, "%s: %s\n", argv[in ? 2 : 1], strerror(errno));
  if (g.out && fclose(g.out))
    status = 1;
  if (in)
    fclose(in);
  if (status)
    remove(argv[2]);
  return status;
}
