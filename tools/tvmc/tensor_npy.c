/* tensor_npy.c - numpy's .npy files, versions 1 to 3.
 *
 * Source: NEP 1. The header is a Python dictionary; only the form that numpy
 * itself writes is accepted, spaces aside. */
#include "tvmc.h"

#include <stdlib.h>
#include <string.h>

typedef struct cursor {
  const uint8_t *at, *end;
} cursor;

typedef struct header {
  char order, kind;
  uint64_t item_bytes;
  bool fortran;
  int64_t rank;
  int64_t shape[TENSOR_MAX_RANK];
} header;

static void skip_spaces(cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t'))
    c->at++;
}

static bool accept(cursor *c, const char *word) {
  skip_spaces(c);
  size_t length = strlen(word);
  if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length))
    return false;
  c->at += length;
  return true;
}

static bool read_unsigned(cursor *c, uint64_t *out) {
  const uint8_t *begin = c->at;
  for (*out = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
    if (__builtin_mul_overflow(*out, (uint64_t)10, out) ||
        __builtin_add_overflow(*out, (uint64_t)(*c->at - '0'), out))
      return false;
  return c->at > begin;
}

static bool read_descr(cursor *c, header *h) {
  skip_spaces(c);
  if (c->end - c->at < 3 || (*c->at != '\'' && *c->at != '"'))
    return false;
  char quote = (char)*c->at++;
  h->order = (char)*c->at++;
  h->kind = (char)*c->at++;
  if (!strchr("<>|=", h->order) || !h->order)
    return false;
  return read_unsigned(c, &h->item_bytes) && c->at < c->end &&
         (char)*c->at++ == quote;
}

static bool read_shape(cursor *c, header *h) {
  if (!accept(c, "("))
    return false;
  for (h->rank = 0; !accept(c, ")"); h->rank++) {
    uint64_t n;
    skip_spaces(c);
    if (h->rank == TENSOR_MAX_RANK || !read_unsigned(c, &n) || n > INT64_MAX)
      return false;
    accept(c, "L"); /* Python 2 */
    h->shape[h->rank] = (int64_t)n;
    if (!accept(c, ",")) {
      h->rank++;
      return h->rank > 1 && accept(c, ")");
    }
  }
  return true;
}

static bool read_header(cursor *c, header *h) {
  unsigned seen = 0;
  if (!accept(c, "{"))
    return false;
  while (!accept(c, "}")) {
    unsigned key;
    bool ok;
    if (accept(c, "'descr'")) {
      key = 1;
      ok = accept(c, ":") && read_descr(c, h);
    } else if (accept(c, "'fortran_order'")) {
      key = 2;
      ok = accept(c, ":");
      h->fortran = ok && accept(c, "True");
      ok = ok && (h->fortran || accept(c, "False"));
    } else if (accept(c, "'shape'")) {
      key = 4;
      ok = accept(c, ":") && read_shape(c, h);
    } else {
      return false;
    }
    if (!ok || seen & key)
      return false;
    seen |= key;
    if (!accept(c, ",")) {
      if (!accept(c, "}"))
        return false;
      break;
    }
  }
  skip_spaces(c);
  return seen == 7 && c->at == c->end;
}

/* Splits the file into its header's text and its data. */
static bool find_header(const uint8_t *data, size_t size, cursor *text,
                        cursor *body, const char *path, failure *f) {
  if (size < 10 || memcmp(data, "\x93NUMPY", 6))
    return fail(f, "'%s' is no .npy file", path);
  size_t field = data[6] == 1 ? 2 : 4;
  if (data[6] < 1 || data[6] > 3 || data[7] != 0)
    return fail(f, "'%s' expects .npy version 1.0 to 3.0, got %d.%d", path,
                data[6], data[7]);
  if (size < 8 + field)
    return fail(f, "'%s' is truncated", path);
  size_t length = 0;
  for (size_t i = field; i-- > 0;)
    length = length << 8 | data[8 + i];
  if (length > size - 8 - field)
    return fail(f, "'%s' is truncated", path);
  *text = (cursor){data + 8 + field, data + 8 + field + length};
  *body = (cursor){text->end, data + size};
  return true;
}

/* Copies elements in big-endian or column-major order to ours. */
static void rearrange(tensor *t, const uint8_t *from, const header *h) {
  size_t item = (size_t)h->item_bytes;
  uint8_t *to = t->data;
  int64_t position[TENSOR_MAX_RANK] = {0};
  for (size_t i = 0; i < t->count; i++) {
    size_t source = i;
    if (h->fortran) {
      source = 0;
      for (int32_t d = t->rank; d-- > 0;)
        source = source * (size_t)t->shape[d] + (size_t)position[d];
      for (int32_t d = t->rank; d-- > 0;) {
        if (++position[d] < t->shape[d])
          break;
        position[d] = 0;
      }
    }
    for (size_t b = 0; b < item; b++)
      to[i * item + b] =
          from[source * item + (h->order == '>' ? item - 1 - b : b)];
  }
}

bool tensor_parse_npy(tensor *out, const uint8_t *data, size_t size,
                      const char *path, failure *f) {
  *out = (tensor){0};
  cursor text, body;
  header h = {0};
  failure inner;
  if (!find_header(data, size, &text, &body, path, f))
    return false;
  if (!read_header(&text, &h))
    return fail(f, "'%s' has a malformed .npy header", path);
  const element_type *type = find_npy_type(h.kind, h.item_bytes);
  if (!type)
    return fail(f, "'%s' has elements of type '%c%llu', which is not supported",
                path, h.kind >= ' ' && h.kind <= '~' ? h.kind : '?',
                (unsigned long long)h.item_bytes);
  /* The header may promise more than memory holds; the file says otherwise. */
  size_t bytes = (size_t)h.item_bytes, have = (size_t)(body.end - body.at);
  bool fits = true;
  for (int64_t i = 0; i < h.rank; i++)
    fits = !__builtin_mul_overflow(bytes, (size_t)h.shape[i], &bytes) && fits;
  if (!fits)
    return fail(f, "'%s': the dimensions overflow", path);
  if (bytes != have)
    return fail(f, "'%s' expects %zu bytes of data, got %zu", path, bytes,
                have);
  if (!tensor_init(out, (DLDataType){type->code, type->bits, 1}, h.rank,
                   h.shape, &inner))
    return fail(f, "'%s': %.900s", path, inner.text);
  if ((h.fortran && h.rank > 1) || h.order == '>')
    rearrange(out, body.at, &h);
  else if (bytes)
    memcpy(out->data, body.at, bytes);
  for (size_t i = 0; type->code == kDLBool && i < out->count; i++)
    ((uint8_t *)out->data)[i] = ((uint8_t *)out->data)[i] != 0;
  return true;
}

bool tensor_write_npy(const tensor *t, const char *path, failure *f) {
  const element_type *type = find_element_type(t->dtype);
  char head[10 + TENSOR_MAX_RANK * 24 + 192];
  char *text = head + 10;
  size_t capacity = sizeof head - 10;
  size_t n = (size_t)snprintf(
      text, capacity, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (",
      type->bits == 8 || type->npy_kind == 'V' ? '|' : '<', type->npy_kind,
      type->bits / 8);
  for (int32_t i = 0; i < t->rank && i < TENSOR_MAX_RANK; i++)
    n += (size_t)snprintf(text + n, capacity - n, "%s%lld", i ? ", " : "",
                          (long long)t->shape[i]);
  n += (size_t)snprintf(text + n, capacity - n, "%s), }",
                        t->rank == 1 ? "," : "");
  while ((10 + n + 1) % 64)
    text[n++] = ' ';
  text[n++] = '\n';
  memcpy(head, "\x93NUMPY\1\0", 8);
  head[8] = (char)(n & 255);
  head[9] = (char)(n >> 8);
  return file_write(path, head, 10 + n, t->data, t->bytes, f);
}
