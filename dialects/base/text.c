/* text.c - names from a file on their way to a person. */
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 0: continues another character, or begins none. */
static int read_length(unsigned char lead) {
  if (lead < 0x80)
    return 1;
  return lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
}

int tvm_text_length(const char *text) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *s = (const unsigned char *)text;
  int n = read_length(*s);
  if (n < 2)
    return n;
  uint32_t code = *s & (0x7fu >> n);
  for (int i = 1; i < n; ++i) {
    if ((s[i] & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (s[i] & 0x3fu);
  }
  bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[n] || code > 0x10ffff || surrogate ? 0 : n;
}

/* C0, DEL, and C1, which is 0xc2 0x80 to 0xc2 0x9f. */
static bool is_control(const char *s) {
  unsigned char c = (unsigned char)s[0], next = (unsigned char)s[1];
  return c < ' ' || c == 0x7f || (c == 0xc2 && next < 0xa0);
}

char *tvm_text_escape(const char *text) {
  char *copy = malloc(4 * strlen(text) + 1), *at = copy;
  for (const char *s = text; *s;) {
    int n = tvm_text_length(s);
    if (n && !is_control(s)) {
      memcpy(at, s, (size_t)n);
      at += n;
      s += n;
      continue;
    }
    for (int i = 0; i < (n ? n : 1); ++i)
      at += sprintf(at, "\\x%02x", (unsigned char)*s++);
  }
  *at = 0;
  return copy;
}
