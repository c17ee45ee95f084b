/* text.h - names from a file on their way to a person. */
#ifndef TVM_DIALECTS_BASE_TEXT_H
#define TVM_DIALECTS_BASE_TEXT_H

/* Bytes of the UTF-8 character at `s`; 0 when there is none. */
int tvm_text_length(const char *s);
/* A copy in which control characters, and bytes that are no UTF-8, are \xNN:
 * a terminal takes them for orders. Owns: the caller frees. */
char *tvm_text_escape(const char *text);

#endif
