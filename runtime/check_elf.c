/* check_elf.c - what the system's loader takes on trust.
 *
 * dlopen maps what the headers say and reads what the dynamic section points
 * at; a truncated or damaged file ends in a signal there. So all of it must lie
 * inside the file, and inside a segment, before the loader sees it. The pages
 * of the weights are not touched. */
#define _GNU_SOURCE
#include "objects.h"

#include <elf.h>
#include <string.h>

#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define HOST_MACHINE EM_AARCH64
#else
#error "add the ELF machine of this processor"
#endif

#define MAX_SEGMENTS 64
#define MAX_ALIGN (UINT64_C(1) << 30)

/* The file and its headers. */
typedef struct elf_view {
  const char *name;
  const unsigned char *image;
  uint64_t size;
  Elf64_Ehdr header;
  Elf64_Phdr segments[MAX_SEGMENTS];
  const Elf64_Dyn *dynamic;
  uint64_t num_dynamic;
} elf_view;

static bool fits(uint64_t begin, uint64_t length, uint64_t end) {
  return begin <= end && length <= end - begin;
}

static tvm_status fail_damaged(const elf_view *elf, const char *what) {
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
    return "riscv";
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
    return fail_damaged(elf, "the file ends inside its header");
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
    return fail_damaged(elf, "its section table has an impossible form");
  uint64_t bytes = (uint64_t)header->e_shnum * sizeof(Elf64_Shdr);
  if (!fits(header->e_shoff, bytes, elf->size))
    return fail_damaged(elf, "the file ends before its section table");
  for (unsigned i = 0; i < header->e_shnum; i++) {
    Elf64_Shdr section;
    memcpy(&section, elf->image + header->e_shoff + i * sizeof section,
           sizeof section);
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
        !fits(section.sh_offset, section.sh_size, elf->size))
      return fail_damaged(elf, "the file ends inside a section");
  }
  return TVM_OK;
}

static tvm_status check_segment(const elf_view *elf, const Elf64_Phdr *s) {
  if (!fits(s->p_offset, s->p_filesz, elf->size))
    return fail_damaged(elf, "the file ends inside a segment");
  if (s->p_type != PT_LOAD)
    return TVM_OK;
  uint64_t align = s->p_align;
  if (align > MAX_ALIGN || (align & (align - 1)))
    return fail_damaged(elf, "a segment has an impossible alignment");
  if (align > 1 && (s->p_vaddr ^ s->p_offset) & (align - 1))
    return fail_damaged(elf, "a segment is not aligned as it says");
  if (s->p_filesz > s->p_memsz || !fits(s->p_vaddr, s->p_memsz, 1ull << 46))
    return fail_damaged(elf, "a segment has an impossible size");
  return TVM_OK;
}

static tvm_status check_segments(elf_view *elf) {
  const Elf64_Ehdr *header = &elf->header;
  if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0 ||
      header->e_phnum > MAX_SEGMENTS)
    return fail_damaged(elf, "its segment table has an impossible form");
  uint64_t bytes = (uint64_t)header->e_phnum * sizeof(Elf64_Phdr);
  if (!fits(header->e_phoff, bytes, elf->size))
    return fail_damaged(elf, "the file ends before its segment table");
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
      return fail_damaged(elf, "its segments overlap");
    end = s->p_vaddr + s->p_memsz;
  }
  return TVM_OK;
}

/* The segment that holds [address, address + bytes) from the file with all the
 * permissions of `flags`; null if none does. */
static const Elf64_Phdr *find_segment(const elf_view *elf, uint64_t address,
                                      uint64_t bytes, uint32_t flags) {
  for (unsigned i = 0; i < elf->header.e_phnum; i++) {
    const Elf64_Phdr *s = &elf->segments[i];
    if (s->p_type == PT_LOAD && (s->p_flags & flags) == flags &&
        address >= s->p_vaddr && fits(address - s->p_vaddr, bytes, s->p_filesz))
      return s;
  }
  return NULL;
}

static bool lies_inside(const elf_view *elf, uint64_t address, uint64_t bytes) {
  return find_segment(elf, address, bytes, PF_R) != NULL;
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
    if (is_view && bytes > 0 && !lies_inside(elf, s->p_vaddr, bytes))
      return fail_damaged(elf, "a segment lies outside what is loaded");
    if (s->p_type == PT_GNU_RELRO &&
        !find_segment(elf, s->p_vaddr, bytes, PF_R | PF_W))
      return fail_damaged(elf, "a segment lies outside what is loaded");
  }
  return TVM_OK;
}

static tvm_status find_dynamic(elf_view *elf) {
  for (unsigned i = 0; i < elf->header.e_phnum; i++) {
    const Elf64_Phdr *s = &elf->segments[i];
    if (s->p_type != PT_DYNAMIC)
      continue;
    const Elf64_Phdr *load =
        find_segment(elf, s->p_vaddr, s->p_filesz, PF_R | PF_W);
    if (!load || load->p_offset + (s->p_vaddr - load->p_vaddr) != s->p_offset ||
        s->p_offset % _Alignof(Elf64_Dyn))
      return fail_damaged(elf, "its dynamic section is misplaced");
    elf->dynamic = (const Elf64_Dyn *)(elf->image + s->p_offset);
    elf->num_dynamic = s->p_filesz / sizeof(Elf64_Dyn);
  }
  for (uint64_t i = 0; i < elf->num_dynamic; i++)
    if (elf->dynamic[i].d_tag == DT_NULL) {
      elf->num_dynamic = i;
      return TVM_OK;
    }
  return fail_damaged(elf, "it has no dynamic section");
}

/* The last value of `tag`, as the loader takes it; `absent` if none. */
static uint64_t dynamic_value(const elf_view *elf, int64_t tag,
                              uint64_t absent) {
  for (uint64_t i = 0; i < elf->num_dynamic; i++)
    if (elf->dynamic[i].d_tag == tag)
      absent = elf->dynamic[i].d_un.d_val;
  return absent;
}

/* Tables of the dynamic section: where they are, how long, of what. */
typedef struct dynamic_table {
  int64_t address_tag;
  int64_t bytes_tag; /* 0: unknown */
  uint64_t entry_bytes;
} dynamic_table;

static const dynamic_table tables[] = {
    {DT_STRTAB, DT_STRSZ, 1},
    {DT_SYMTAB, 0, sizeof(Elf64_Sym)},
    {DT_HASH, 0, 8},
    {DT_GNU_HASH, 0, 16},
    {DT_RELA, DT_RELASZ, sizeof(Elf64_Rela)},
    {DT_JMPREL, DT_PLTRELSZ, sizeof(Elf64_Rela)},
    {DT_RELR, DT_RELRSZ, 8},
    {DT_PLTGOT, 0, 8},
    {DT_INIT, 0, 1},
    {DT_FINI, 0, 1},
    {DT_INIT_ARRAY, DT_INIT_ARRAYSZ, 8},
    {DT_FINI_ARRAY, DT_FINI_ARRAYSZ, 8},
    {DT_VERNEED, 0, sizeof(Elf64_Verneed)},
    {DT_VERDEF, 0, sizeof(Elf64_Verdef)},
    {DT_VERSYM, 0, 2},
};

static tvm_status check_table(const elf_view *elf, const dynamic_table *table) {
  uint64_t address = dynamic_value(elf, table->address_tag, UINT64_MAX);
  uint64_t bytes = table->entry_bytes;
  if (table->bytes_tag)
    bytes = dynamic_value(elf, table->bytes_tag, 0);
  if (address == UINT64_MAX && (bytes == 0 || !table->bytes_tag))
    return TVM_OK;
  if (bytes % table->entry_bytes || !lies_inside(elf, address, bytes))
    return fail_damaged(elf, "a table of its dynamic section is misplaced");
  return TVM_OK;
}

/* Entries that the loader cannot do without, and sizes that it asserts. */
static tvm_status check_forms(const elf_view *elf) {
  if (dynamic_value(elf, DT_STRTAB, 0) == 0 ||
      dynamic_value(elf, DT_SYMTAB, 0) == 0 ||
      (dynamic_value(elf, DT_GNU_HASH, 0) == 0 &&
       dynamic_value(elf, DT_HASH, 0) == 0))
    return fail_damaged(elf, "its symbol table is missing");
  if (dynamic_value(elf, DT_SYMENT, sizeof(Elf64_Sym)) != sizeof(Elf64_Sym) ||
      dynamic_value(elf, DT_RELAENT, sizeof(Elf64_Rela)) !=
          sizeof(Elf64_Rela) ||
      dynamic_value(elf, DT_RELRENT, 8) != 8 ||
      dynamic_value(elf, DT_PLTREL, DT_RELA) != DT_RELA ||
      dynamic_value(elf, DT_RELACOUNT, 0) >
          dynamic_value(elf, DT_RELASZ, 0) / sizeof(Elf64_Rela))
    return fail_damaged(elf, "its dynamic section has an impossible form");
  return TVM_OK;
}

static tvm_status check_names(const elf_view *elf) {
  static const int64_t tags[] = {DT_NEEDED, DT_SONAME, DT_RUNPATH, DT_RPATH};
  uint64_t end = dynamic_value(elf, DT_STRSZ, 0);
  for (uint64_t i = 0; i < elf->num_dynamic; i++)
    for (size_t t = 0; t < sizeof tags / sizeof *tags; t++)
      if (elf->dynamic[i].d_tag == tags[t] && elf->dynamic[i].d_un.d_val >= end)
        return fail_damaged(elf, "a name lies outside its string table");
  return TVM_OK;
}

static tvm_status check_relocations(const elf_view *elf, int64_t address_tag,
                                    int64_t bytes_tag) {
  uint64_t address = dynamic_value(elf, address_tag, 0);
  uint64_t bytes = dynamic_value(elf, bytes_tag, 0);
  const Elf64_Phdr *s = find_segment(elf, address, bytes, PF_R);
  if (!bytes || !s)
    return TVM_OK;
  const unsigned char *at = elf->image + s->p_offset + (address - s->p_vaddr);
  for (uint64_t i = 0; i < bytes; i += sizeof(Elf64_Rela)) {
    Elf64_Rela entry;
    memcpy(&entry, at + i, sizeof entry);
    if (!find_segment(elf, entry.r_offset, sizeof(uint64_t), PF_W))
      return fail_damaged(elf, "a relocation lies outside its data");
  }
  return TVM_OK;
}

static tvm_status check_dynamic(elf_view *elf) {
  tvm_status status = find_dynamic(elf);
  for (size_t i = 0; !status && i < sizeof tables / sizeof *tables; i++)
    status = check_table(elf, &tables[i]);
  if (!status)
    status = check_forms(elf);
  if (!status)
    status = check_names(elf);
  if (!status)
    status = check_relocations(elf, DT_RELA, DT_RELASZ);
  if (!status)
    status = check_relocations(elf, DT_JMPREL, DT_PLTRELSZ);
  return status;
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
    status = check_dynamic(&elf);
  return status;
}
