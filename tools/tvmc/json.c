/* json.c - a writer of JSON that cannot write anything else. */
#include "tvmc.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_text(FILE *out, const char *text) {
  fputc('"', out);
  for (const char *s = text; *s;) {
    unsigned char c = (unsigned char)*s;
    int n = tvm_text_length(s);
    if (c == '"' || c == '\\')
      fprintf(out, "\\%c", c);
    else if (c < 0x20 || c == 0x7f)
      fprintf(out, "\\u%04x", c);
    else if (n)
      fwrite(s, 1, (size_t)n, out);
    else
      fputs("\\ufffd", out);
    s += n ? n : 1;
  }
  fputc('"', out);
}

static void begin(json *j, const char *key) {
  if (j->comma)
    fputc(',', j->out);
  if (j->depth)
    fprintf(j->out, "\n%*s", 2 * j->depth, "");
  if (key) {
    write_text(j->out, key);
    fputs(": ", j->out);
  }
  j->comma = true;
}

void json_open(json *j, const char *key, char bracket) {
  begin(j, key);
  fputc(bracket, j->out);
  j->depth++;
  j->comma = false;
}

void json_close(json *j, char bracket) {
  j->depth--;
  if (j->comma)
    fprintf(j->out, "\n%*s", 2 * j->depth, "");
  fputc(bracket, j->out);
  j->comma = true;
  if (!j->depth)
    fputc('\n', j->out);
}

void json_string(json *j, const char *key, const char *text) {
  begin(j, key);
  write_text(j->out, text);
}

void json_integer(json *j, const char *key, int64_t value) {
  begin(j, key);
  fprintf(j->out, "%" PRId64, value);
}

void json_unsigned(json *j, const char *key, uint64_t value) {
  begin(j, key);
  fprintf(j->out, "%" PRIu64, value);
}

void json_number(json *j, const char *key, double value) {
  begin(j, key);
  if (isfinite(value))
    fprintf(j->out, "%.9g", value);
  else
    fputs("null", j->out);
}

void json_tensor(json *j, const tvm_tensor_info *info) {
  const element_type *type = find_element_type(info->dtype);
  json_open(j, NULL, '{');
  json_string(j, "name", info->name);
  json_string(j, "type", type ? type->name : "?");
  json_open(j, "shape", '[');
  for (int32_t i = 0; i < info->ndim; i++)
    json_integer(j, NULL, info->shape[i]);
  json_close(j, ']');
  json_unsigned(j, "bytes", info->bytes);
  json_close(j, '}');
}
