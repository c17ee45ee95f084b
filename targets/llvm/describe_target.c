/* describe_target.c - read target descriptions.
 *
 * A description is lines of `key = value`. `inherit` names another one to start
 * from; `features` adds to what is inherited, every other key replaces it. */
#include "llvm/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DESCRIPTION(name, symbol)                                              \
  extern const char symbol[];                                                  \
  extern const size_t symbol##_size;
#include "descriptions.def"
#undef DESCRIPTION

typedef struct {
  const char *name, *text;
  const size_t *size;
} description;

static const description descriptions[] = {
#define DESCRIPTION(name, symbol) {name, symbol, &symbol##_size},
#include "descriptions.def"
#undef DESCRIPTION
};
enum {
  NUM_DESCRIPTIONS = sizeof descriptions / sizeof *descriptions,
  KIB = 1024,
  MAX_FILE_BYTES = 64 * KIB,
  MAX_DEPTH = 16,
};

typedef enum { TEXT, FEATURES, FLAG, INT32, INT64, KIB64, INHERIT } key_kind;

/* name, kind, member, least and most: what the schedules can count on */
#define KEYS(X)                                                                \
  X("inherit", INHERIT, name, 0, 0)                                            \
  X("triple", TEXT, triple, 0, 0)                                              \
  X("cpu", TEXT, cpu, 0, 0)                                                    \
  X("features", FEATURES, features, 0, 0)                                      \
  X("level", TEXT, level, 0, 0)                                                \
  X("abi", TEXT, abi, 0, 0)                                                    \
  X("vector_bytes", INT32, vector_bytes, 4, 256)                               \
  X("vector_registers", INT32, vector_registers, 4, 256)                       \
  X("fma", FLAG, has_fma, 0, 0)                                                \
  X("fma_ports", INT32, fma_ports, 1, 16)                                      \
  X("l1_kib", KIB64, l1_bytes, 1, 1 << 20)                                     \
  X("l2_kib", KIB64, l2_bytes, 1, 1 << 20)                                     \
  X("line_bytes", INT64, line_bytes, 16, 1024)

typedef struct {
  const char *name;
  key_kind kind;
  size_t offset, size;
  int64_t least, most;
} key;

static const key keys[] = {
#define ROW(name, kind, member, least, most)                                   \
  {name,                                                                       \
   kind,                                                                       \
   offsetof(tvm_llvm_target, member),                                          \
   sizeof((tvm_llvm_target *)0)->member,                                       \
   least,                                                                      \
   most},
    KEYS(ROW)
#undef ROW
};
enum { NUM_KEYS = sizeof keys / sizeof *keys };

typedef struct {
  const char *name; /* of the description that is read */
  tvm_llvm_target *target;
  int depth;
  char *message;
} reader;

static bool fail(const reader *r, const char *what, const char *quoted,
                 const char *why) {
  snprintf(r->message, TVM_TARGET_MESSAGE_BYTES, "target '%s': %s '%s' %s",
           r->name, what, quoted, why);
  return false;
}

static bool set_text(const reader *r, const key *k, const char *value) {
  if (strlen(value) >= k->size)
    return fail(r, "key", k->name, "has too long a value");
  strcpy((char *)r->target + k->offset, value);
  return true;
}

static bool add_features(const reader *r, const key *k, const char *value) {
  char *features = (char *)r->target + k->offset;
  if (strlen(features) + strlen(value) + 2 > k->size)
    return fail(r, "key", k->name, "has too long a value");
  if (*features && *value)
    strcat(features, ",");
  strcat(features, value);
  return true;
}

static bool set_flag(const reader *r, const key *k, const char *value) {
  bool *flag = (bool *)((char *)r->target + k->offset);
  *flag = !strcmp(value, "yes");
  return *flag || !strcmp(value, "no") ||
         fail(r, "key", k->name, "expects yes or no");
}

static bool set_number(const reader *r, const key *k, const char *value) {
  char *end, range[96];
  void *member = (char *)r->target + k->offset;
  errno = 0;
  long long n = strtoll(value, &end, 10);
  if (errno || end == value || *end || n < k->least || n > k->most) {
    snprintf(range, sizeof range, "expects an integer from %lld to %lld",
             (long long)k->least, (long long)k->most);
    return fail(r, "key", k->name, range);
  }
  if (k->kind == INT32)
    *(int32_t *)member = (int32_t)n;
  else
    *(int64_t *)member = k->kind == KIB64 ? n * KIB : n;
  return true;
}

static bool read_description(const char *name, reader *r);

static bool inherit(const reader *r, const char *value) {
  reader parent = *r;
  parent.depth++;
  if (parent.depth > MAX_DEPTH)
    return fail(r, "it inherits", value, "in a circle");
  if (!strcmp(value, "host")) {
    tvm_llvm_target_get_host(r->target);
    return true;
  }
  return read_description(value, &parent);
}

static bool set_key(const reader *r, const char *name, const char *value) {
  for (size_t i = 0; i < NUM_KEYS; ++i) {
    const key *k = &keys[i];
    if (strcmp(k->name, name))
      continue;
    switch (k->kind) {
    case INHERIT:
      return inherit(r, value);
    case TEXT:
      return set_text(r, k, value);
    case FEATURES:
      return add_features(r, k, value);
    case FLAG:
      return set_flag(r, k, value);
    default:
      return set_number(r, k, value);
    }
  }
  return fail(r, "there is no key", name, "of targets");
}

/* Without spaces around it; writes into the text. */
static char *trim(char *text) {
  text += strspn(text, " \t\r");
  size_t n = strlen(text);
  while (n && strchr(" \t\r", text[n - 1]))
    text[--n] = 0;
  return text;
}

static bool read_line(const reader *r, char *line) {
  line = trim(line);
  if (!*line || *line == '#')
    return true;
  char *equals = strchr(line, '=');
  if (!equals)
    return fail(r, "line", line, "expects a key, '=' and a value");
  *equals = 0;
  return set_key(r, trim(line), trim(equals + 1));
}

static bool read_text(const reader *r, const char *text, size_t size) {
  char *copy = malloc(size + 1), *next;
  memcpy(copy, text, size);
  copy[size] = 0;
  bool ok = true;
  for (char *line = copy; ok && line; line = next) {
    next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    ok = read_line(r, line);
  }
  free(copy);
  return ok;
}

static bool read_file(const reader *r) {
  char text[MAX_FILE_BYTES];
  FILE *f = fopen(r->name, "rb");
  if (!f)
    return fail(r, "cannot read", r->name, strerror(errno));
  size_t size = fread(text, 1, sizeof text, f);
  bool ok = !ferror(f) && size < sizeof text;
  fclose(f);
  return ok ? read_text(r, text, size)
            : fail(r, "cannot read", r->name, "as a description");
}

static bool is_file(const char *name) {
  size_t n = strlen(name);
  return n > 7 && !strcmp(name + n - 7, ".target");
}

static bool read_description(const char *name, reader *r) {
  r->name = name;
  if (is_file(name))
    return read_file(r);
  for (size_t i = 0; i < NUM_DESCRIPTIONS; ++i)
    if (!strcmp(descriptions[i].name, name))
      return read_text(r, descriptions[i].text, *descriptions[i].size);
  char known[TVM_TARGET_MESSAGE_BYTES / 2];
  tvm_llvm_target_list(known, sizeof known);
  snprintf(r->message, TVM_TARGET_MESSAGE_BYTES,
           "unknown target '%.128s', expected host, a file NAME.target, %s",
           name, known);
  return false;
}

void tvm_llvm_target_list(char *text, size_t size) {
  size_t used = 0;
  *text = 0;
  for (size_t i = 0; i < NUM_DESCRIPTIONS && used < size; ++i)
    used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                             descriptions[i].name);
}

/* What a description may not leave out. */
static bool check_whole(const reader *r) {
  const tvm_llvm_target *t = r->target;
  const char *missing = !*t->triple            ? "triple"
                        : !*t->cpu             ? "cpu"
                        : !t->vector_bytes     ? "vector_bytes"
                        : !t->vector_registers ? "vector_registers"
                        : !t->fma_ports        ? "fma_ports"
                        : !t->l1_bytes         ? "l1_kib"
                        : !t->l2_bytes         ? "l2_kib"
                        : !t->line_bytes       ? "line_bytes"
                                               : NULL;
  if (missing)
    return fail(r, "the key", missing, "is missing");
  if (t->vector_bytes & (t->vector_bytes - 1))
    return fail(r, "key", "vector_bytes", "expects a power of two");
  return !(t->line_bytes & (t->line_bytes - 1)) ||
         fail(r, "key", "line_bytes", "expects a power of two");
}

bool tvm_llvm_target_describe(const char *name, tvm_llvm_target *target,
                              char message[TVM_TARGET_MESSAGE_BYTES]) {
  reader r = {.target = target, .message = message};
  memset(target, 0, sizeof *target);
  if (!read_description(name, &r) || !check_whole(&r))
    return false;
  if (strlen(name) >= sizeof target->name)
    return fail(&r, "the name", name, "is too long");
  strcpy(target->name, name);
  return true;
}

static int print_key(const tvm_llvm_target *target, const key *k, char *text,
                     size_t size) {
  const void *member = (const char *)target + k->offset;
  switch (k->kind) {
  case INHERIT:
    return snprintf(text, size, "# %s\n", (const char *)member);
  case TEXT:
  case FEATURES:
    return *(const char *)member ? snprintf(text, size, "%s = %s\n", k->name,
                                            (const char *)member)
                                 : 0;
  case FLAG:
    return snprintf(text, size, "%s = %s\n", k->name,
                    *(const bool *)member ? "yes" : "no");
  case INT32:
    return snprintf(text, size, "%s = %d\n", k->name, *(const int32_t *)member);
  default:
    return snprintf(
        text, size, "%s = %lld\n", k->name,
        (long long)(*(const int64_t *)member / (k->kind == KIB64 ? KIB : 1)));
  }
}

void tvm_llvm_target_print(const tvm_llvm_target *target, char *text,
                           size_t size) {
  size_t used = 0;
  for (size_t i = 0; i < NUM_KEYS && used < size; ++i)
    used += (size_t)print_key(target, &keys[i], text + used, size - used);
}
