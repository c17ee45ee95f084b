/* elf_view.h - a shared library as a file, for the checks before it is loaded.
 */
#ifndef TVM_RUNTIME_ELF_VIEW_H
#define TVM_RUNTIME_ELF_VIEW_H

#include <elf.h>

#include "objects.h"

#define TVM_MAX_SEGMENTS 64

/* The file and its headers. */
typedef struct elf_view {
  const char *name;
  const unsigned char *image;
  uint64_t size;
  Elf64_Ehdr header;
  Elf64_Phdr segments[TVM_MAX_SEGMENTS];
  const Elf64_Dyn *dynamic;
  uint64_t num_dynamic;
} elf_view;

static inline bool tvm_elf_fits(uint64_t begin, uint64_t length, uint64_t end) {
  return begin <= end && length <= end - begin;
}

/* check_elf.c */
tvm_status tvm_elf_fail_damaged(const elf_view *elf, const char *what);
const Elf64_Phdr *tvm_elf_find_segment(const elf_view *elf, uint64_t address,
                                       uint64_t bytes, uint32_t flags);

static inline bool tvm_elf_lies_inside(const elf_view *elf, uint64_t address,
                                       uint64_t bytes) {
  return tvm_elf_find_segment(elf, address, bytes, PF_R) != NULL;
}

/* check_dynamic.c */
tvm_status tvm_elf_check_dynamic(elf_view *elf);

#endif
