/* check_elf.c - what the system's loader takes on trust: headers and segments.
 *
 * dlopen maps what the headers say and reads what the dynamic section points
 * at; a truncated or damaged file ends in a signal there. So all of it must lie
 * inside the file, and inside a segment, before the loader sees it. The pages
 * of the weights are not touched. */
#define _GNU_SOURCE
#include "elf_view.h"

#include <string.h>

#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define HOST_MACHINE EM_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define HOST_MACHINE EM_RISCV
#else
#error "add the ELF machine of this processor"
#endif

#define MAX_ALIGN (UINT64_C(1) << 30)

tvm_status tvm_elf_fail_damaged(const elf_view *elf, const char *what) {
  return tvm_runtime_fail(TVM_STATUS_FILE, "'%s' is damaged: %s", elf->name,
                          what);
}

static const char *machine_name(unsigned machine) {
  switch (machine) {
  case EM_X86_64:
    return "x86-64";
  case EM_AARCH64:
    return "aarch64";
  case EM_RISCV:
    return "riscv64";
  case EM_386:
    return "x86";
  case EM_ARM:
    return "arm";
  default:
    return "another processor";
  }
}

static tvm_status check_identity(elf_view *elf) {
  if (elf->size == 0)
    return tvm_runtime_fail(
        TVM_STATUS_FILE, "'%s' is empty, expected a compiled model", elf->name);
  if (elf->size < SELFMAG || memcmp(elf->image, ELFMAG, SELFMAG))
    return tvm_runtime_fail(
        TVM_STATUS_FILE,
        "'%s' is no compiled model: it does not begin as a shared library",
        elf->name);
  if (elf->size < sizeof elf->header)
    return tvm_elf_fail_damaged(elf, "the file ends inside its header");
  memcpy(&elf->header, elf->image, sizeof elf->header);
  const Elf64_Ehdr *header = &elf->header;
  if (header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_ident[EI_VERSION] != EV_CURRENT ||
      header->e_version != EV_CURRENT)
    return tvm_runtime_fail(
        TVM_STATUS_FILE,
        "'%s' is no compiled model: expected a 64-bit little-endian library",
        elf->name);
  if (header->e_type != ET_DYN)
    return tvm_runtime_fail(TVM_STATUS_FILE,
                            "'%s' expects a shared library (ELF type %d), got "
                            "type %d",
                            elf->name, ET_DYN, header->e_type);
  if (header->e_machine != HOST_MACHINE)
    return tvm_runtime_fail(
        TVM_STATUS_FILE, "'%s' is compiled for %s, this program runs on %s",
        elf->name, machine_name(header->e_machine), machine_name(HOST_MACHINE));
  return TVM_OK;
}

/* The section headers stand last in the file, so this finds truncation. */
static tvm_status check_sections(const elf_view *elf) {
  const Elf64_Ehdr *header = &elf->header;
  if (header->e_shnum == 0)
    return TVM_OK;
  if (header->e_shentsize != sizeof(Elf64_Shdr) ||
      header->e_shstrndx >= header->e_shnum)
    return tvm_elf_fail_damaged(elf,
                                "its section table has an impossible form");
  uint64_t bytes = (uint64_t)header->e_shnum * sizeof(Elf64_Shdr);
  if (!tvm_elf_fits(header->e_shoff, bytes, elf->size))
    return tvm_elf_fail_damaged(elf, "the file ends before its section table");
  for (unsigned i = 0; i < header->e_shnum; i++) {
    Elf64_Shdr section;
    memcpy(&section, elf->image + header->e_shoff + i * sizeof section,
           sizeof section);
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
        !tvm_elf_fits(section.sh_offset, section.sh_size, elf->size))
      return tvm_elf_fail_damaged(elf, "the file ends inside a section");
  }
  return TVM_OK;
}

static tvm_status check_segment(const elf_view *elf, const Elf64_Phdr *s) {
  if (!tvm_elf_fits(s->p_offset, s->p_filesz, elf->size))
    return tvm_elf_fail_damaged(elf, "the file ends inside a segment");
  if (s->p_type != PT_LOAD)
    return TVM_OK;
  uint64_t align = s->p_align;
  if (align > MAX_ALIGN || (align & (align - 1)))
    return tvm_elf_fail_damaged(elf, "a segment has an impossible alignment");
  if (align > 1 && (s->p_vaddr ^ s->p_offset) & (align - 1))
    return tvm_elf_fail_damaged(elf, "a segment is not aligned as it says");
  if (s->p_filesz > s->p_memsz ||
      !tvm_elf_fits(s->p_vaddr, s->p_memsz, 1ull << 46))
    return tvm_elf_fail_damaged(elf, "a segment has an impossible size");
  return TVM_OK;
}

static tvm_status check_segments(elf_view *elf) {
  const Elf64_Ehdr *header = &elf->header;
  if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0 ||
      header->e_phnum > TVM_MAX_SEGMENTS)
    return tvm_elf_fail_damaged(elf,
                                "its segment table has an impossible form");
  uint64_t bytes = (uint64_t)header->e_phnum * sizeof(Elf64_Phdr);
  if (!tvm_elf_fits(header->e_phoff, bytes, elf->size))
    return tvm_elf_fail_damaged(elf, "the file ends before its segment table");
  memcpy(elf->segments, elf->image + header->e_phoff, bytes);
  uint64_t end = 0; /* the loader expects segments in order */
  for (unsigned i = 0; i < header->e_phnum; i++) {
    const Elf64_Phdr *s = &elf->segments[i];
    tvm_status status = check_segment(elf, s);
    if (status)
      return status;
    if (s->p_type != PT_LOAD)
      continue;
    if (s->p_vaddr < end)
      return tvm_elf_fail_damaged(elf, "its segments overlap");
    end = s->p_vaddr + s->p_memsz;
  }
  return TVM_OK;
}

/* The segment that holds [address, address + bytes) from the file with all the
 * permissions of `flags`; null if none does. */
const Elf64_Phdr *tvm_elf_find_segment(const elf_view *elf, uint64_t address,
                                       uint64_t bytes, uint32_t flags) {
  for (unsigned i = 0; i < elf->header.e_phnum; i++) {
    const Elf64_Phdr *s = &elf->segments[i];
    if (s->p_type == PT_LOAD && (s->p_flags & flags) == flags &&
        address >= s->p_vaddr &&
        tvm_elf_fits(address - s->p_vaddr, bytes, s->p_filesz))
      return s;
  }
  return NULL;
}

/* The loader makes whole pages of this range read-only, up to its size in
 * memory, which linkers round up to the end of the page. */
static bool is_protectable(const elf_view *elf, const Elf64_Phdr *range) {
  const Elf64_Phdr *s =
      tvm_elf_find_segment(elf, range->p_vaddr, range->p_filesz, PF_R | PF_W);
  if (!s)
    return false;
  uint64_t align = s->p_align ? s->p_align : 1;
  uint64_t end = tvm_align_up(s->p_vaddr + s->p_memsz, align);
  return tvm_elf_fits(range->p_vaddr, range->p_memsz, end);
}

/* Whatever else a segment header points at (notes, unwind table, thread-local
 * image, pages to protect) must lie inside what is loaded. */
static tvm_status check_views(const elf_view *elf) {
  for (unsigned i = 0; i < elf->header.e_phnum; i++) {
    const Elf64_Phdr *s = &elf->segments[i];
    bool is_view = s->p_type == PT_DYNAMIC || s->p_type == PT_NOTE ||
                   s->p_type == PT_GNU_EH_FRAME || s->p_type == PT_TLS ||
                   s->p_type == PT_GNU_PROPERTY || s->p_type == PT_GNU_RELRO ||
                   s->p_type == PT_PHDR;
    uint64_t bytes = s->p_filesz;
    if (is_view && bytes > 0 && !tvm_elf_lies_inside(elf, s->p_vaddr, bytes))
      return tvm_elf_fail_damaged(elf, "a segment lies outside what is loaded");
    if (s->p_type == PT_GNU_RELRO && !is_protectable(elf, s))
      return tvm_elf_fail_damaged(elf, "it protects what is not its own");
  }
  return TVM_OK;
}

tvm_status tvm_elf_check(const void *image, uint64_t size_bytes,
                         const char *name) {
  elf_view elf = {.name = name, .image = image, .size = size_bytes};
  tvm_status status = check_identity(&elf);
  if (!status)
    status = check_segments(&elf);
  if (!status)
    status = check_sections(&elf);
  if (!status)
    status = check_views(&elf);
  if (!status)
    status = tvm_elf_check_dynamic(&elf);
  return status;
}
