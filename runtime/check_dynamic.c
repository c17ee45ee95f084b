/* check_dynamic.c - what the loader takes on trust: the dynamic section, the
 * symbols and the relocations. The contents of version tables are believed; a
 * compiled model has none. */
#define _GNU_SOURCE
#include "elf_view.h"

#include <string.h>

#if defined(__x86_64__)
#define HOST_RELATIVE R_X86_64_RELATIVE
#elif defined(__aarch64__)
#define HOST_RELATIVE R_AARCH64_RELATIVE
#elif defined(__riscv)
#define HOST_RELATIVE R_RISCV_RELATIVE
#endif

#define MAX_SYMBOLS 1000000

static tvm_status find_dynamic(elf_view *elf) {
  for (unsigned i = 0; i < elf->header.e_phnum; i++) {
    const Elf64_Phdr *s = &elf->segments[i];
    if (s->p_type != PT_DYNAMIC)
      continue;
    const Elf64_Phdr *load =
        tvm_elf_find_segment(elf, s->p_vaddr, s->p_filesz, PF_R | PF_W);
    if (!load || load->p_offset + (s->p_vaddr - load->p_vaddr) != s->p_offset ||
        s->p_offset % _Alignof(Elf64_Dyn))
      return tvm_elf_fail_damaged(elf, "its dynamic section is misplaced");
    elf->dynamic = (const Elf64_Dyn *)(elf->image + s->p_offset);
    elf->num_dynamic = s->p_filesz / sizeof(Elf64_Dyn);
  }
  for (uint64_t i = 0; i < elf->num_dynamic; i++)
    if (elf->dynamic[i].d_tag == DT_NULL) {
      elf->num_dynamic = i;
      return TVM_OK;
    }
  return tvm_elf_fail_damaged(elf, "it has no dynamic section");
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
  uint32_t flags; /* of its segment */
} dynamic_table;

static const dynamic_table tables[] = {
    {DT_STRTAB, DT_STRSZ, 1, PF_R},
    {DT_SYMTAB, 0, sizeof(Elf64_Sym), PF_R},
    {DT_HASH, 0, 8, PF_R},
    {DT_GNU_HASH, 0, 16, PF_R},
    {DT_RELA, DT_RELASZ, sizeof(Elf64_Rela), PF_R},
    {DT_JMPREL, DT_PLTRELSZ, sizeof(Elf64_Rela), PF_R},
    {DT_RELR, DT_RELRSZ, 8, PF_R},
    {DT_PLTGOT, 0, 8, PF_R | PF_W},
    {DT_INIT, 0, 1, PF_R | PF_X},
    {DT_FINI, 0, 1, PF_R | PF_X},
    {DT_INIT_ARRAY, DT_INIT_ARRAYSZ, 8, PF_R | PF_W},
    {DT_FINI_ARRAY, DT_FINI_ARRAYSZ, 8, PF_R | PF_W},
    {DT_VERNEED, 0, sizeof(Elf64_Verneed), PF_R},
    {DT_VERDEF, 0, sizeof(Elf64_Verdef), PF_R},
    {DT_VERSYM, 0, 2, PF_R},
};

static tvm_status check_table(const elf_view *elf, const dynamic_table *table) {
  uint64_t address = dynamic_value(elf, table->address_tag, UINT64_MAX);
  uint64_t bytes = table->entry_bytes;
  if (table->bytes_tag)
    bytes = dynamic_value(elf, table->bytes_tag, 0);
  if (address == UINT64_MAX && (bytes == 0 || !table->bytes_tag))
    return TVM_OK;
  if (bytes % table->entry_bytes ||
      !tvm_elf_find_segment(elf, address, bytes, table->flags))
    return tvm_elf_fail_damaged(elf,
                                "a table of its dynamic section is misplaced");
  return TVM_OK;
}

/* An entry of another kind would be believed as it stands. */
static tvm_status check_tags(const elf_view *elf) {
  static const int64_t known[] = {
      DT_NEEDED,     DT_SONAME, DT_RPATH,        DT_RUNPATH,    DT_STRTAB,
      DT_STRSZ,      DT_SYMTAB, DT_SYMENT,       DT_HASH,       DT_GNU_HASH,
      DT_RELA,       DT_RELASZ, DT_RELAENT,      DT_RELACOUNT,  DT_JMPREL,
      DT_PLTRELSZ,   DT_PLTREL, DT_PLTGOT,       DT_RELR,       DT_RELRSZ,
      DT_RELRENT,    DT_INIT,   DT_FINI,         DT_INIT_ARRAY, DT_INIT_ARRAYSZ,
      DT_FINI_ARRAY, DT_FLAGS,  DT_FINI_ARRAYSZ, DT_FLAGS_1,    DT_VERNEED,
      DT_VERDEF,     DT_VERSYM, DT_VERNEEDNUM,   DT_VERDEFNUM,  DT_SYMBOLIC,
      DT_BIND_NOW,   DT_DEBUG,
  };
  for (uint64_t i = 0; i < elf->num_dynamic; i++) {
    size_t t = 0, count = sizeof known / sizeof *known;
    while (t < count && elf->dynamic[i].d_tag != known[t])
      t++;
    if (t == count)
      return tvm_elf_fail_damaged(elf,
                                  "its dynamic section has an unknown entry");
  }
  return TVM_OK;
}

/* Entries that the loader cannot do without, and sizes that it asserts. */
static tvm_status check_forms(const elf_view *elf) {
  if (dynamic_value(elf, DT_STRTAB, 0) == 0 ||
      dynamic_value(elf, DT_SYMTAB, 0) == 0 ||
      dynamic_value(elf, DT_GNU_HASH, 0) == 0)
    return tvm_elf_fail_damaged(elf, "its symbol table is missing");
  bool is_sound = dynamic_value(elf, DT_SYMENT, 0) == sizeof(Elf64_Sym);
  if (dynamic_value(elf, DT_RELA, 0))
    is_sound &= dynamic_value(elf, DT_RELAENT, 0) == sizeof(Elf64_Rela);
  if (dynamic_value(elf, DT_JMPREL, 0))
    is_sound &= dynamic_value(elf, DT_PLTREL, 0) == DT_RELA;
  if (dynamic_value(elf, DT_RELR, 0))
    is_sound &= dynamic_value(elf, DT_RELRENT, 0) == 8;
  is_sound &= dynamic_value(elf, DT_RELACOUNT, 0) <=
              dynamic_value(elf, DT_RELASZ, 0) / sizeof(Elf64_Rela);
  if (!is_sound)
    return tvm_elf_fail_damaged(elf,
                                "its dynamic section has an impossible form");
  return TVM_OK;
}

/* What the file holds for `address`, which lies in a segment. */
static const unsigned char *file_data(const elf_view *elf, uint64_t address,
                                      uint64_t bytes) {
  const Elf64_Phdr *s = tvm_elf_find_segment(elf, address, bytes, PF_R);
  return s ? elf->image + s->p_offset + (address - s->p_vaddr) : NULL;
}

static tvm_status check_names(const elf_view *elf) {
  static const int64_t tags[] = {DT_NEEDED, DT_SONAME, DT_RUNPATH, DT_RPATH};
  uint64_t end = dynamic_value(elf, DT_STRSZ, 0);
  const unsigned char *names =
      file_data(elf, dynamic_value(elf, DT_STRTAB, 0), end);
  if (!names || end == 0 || names[end - 1] != 0)
    return tvm_elf_fail_damaged(elf, "its string table does not end");
  for (uint64_t i = 0; i < elf->num_dynamic; i++)
    for (size_t t = 0; t < sizeof tags / sizeof *tags; t++)
      if (elf->dynamic[i].d_tag == tags[t] && elf->dynamic[i].d_un.d_val >= end)
        return tvm_elf_fail_damaged(elf,
                                    "a name lies outside its string table");
  return TVM_OK;
}

static bool is_symbol(const elf_view *elf, uint64_t index) {
  uint64_t table = dynamic_value(elf, DT_SYMTAB, 0);
  const unsigned char *at =
      file_data(elf, table + index * sizeof(Elf64_Sym), sizeof(Elf64_Sym));
  Elf64_Sym symbol;
  if (!at)
    return false;
  memcpy(&symbol, at, sizeof symbol);
  return symbol.st_name < dynamic_value(elf, DT_STRSZ, 0);
}

/* The loader looks our symbol up by this table: a Bloom filter, buckets, and
 * for each bucket a chain of symbols whose last has the lowest bit set. */
static tvm_status check_hash(const elf_view *elf) {
  uint64_t address = dynamic_value(elf, DT_GNU_HASH, 0);
  const unsigned char *at = file_data(elf, address, 4 * sizeof(uint32_t));
  uint32_t header[4]; /* buckets, first symbol, filter words, shift */
  memcpy(header, at, sizeof header);
  uint64_t num_buckets = header[0], first = header[1], num_words = header[2];
  uint64_t buckets = address + sizeof header + num_words * 8;
  uint64_t chains = buckets + num_buckets * 4;
  const unsigned char *bucket = file_data(elf, buckets, num_buckets * 4);
  if (num_words == 0 || (num_words & (num_words - 1)) || header[3] > 63 ||
      !bucket || !tvm_elf_lies_inside(elf, address, chains - address))
    return tvm_elf_fail_damaged(elf, "its hash table has an impossible form");
  uint64_t steps = 0;
  for (uint64_t b = 0; b < num_buckets; b++) {
    uint32_t index, hash = 0;
    memcpy(&index, bucket + b * 4, sizeof index);
    for (; index != 0 && !(hash & 1); index++) {
      const unsigned char *chain =
          index < first ? NULL
                        : file_data(elf, chains + (index - first) * 4, 4);
      if (!chain || !is_symbol(elf, index) || ++steps > MAX_SYMBOLS)
        return tvm_elf_fail_damaged(elf, "its hash table names no symbol");
      memcpy(&hash, chain, sizeof hash);
    }
  }
  return TVM_OK;
}

static tvm_status check_relocations(const elf_view *elf, int64_t address_tag,
                                    int64_t bytes_tag, uint64_t num_relative) {
  uint64_t bytes = dynamic_value(elf, bytes_tag, 0);
  const unsigned char *at =
      file_data(elf, dynamic_value(elf, address_tag, 0), bytes);
  for (uint64_t i = 0; at && i < bytes / sizeof(Elf64_Rela); i++) {
    Elf64_Rela entry;
    memcpy(&entry, at + i * sizeof entry, sizeof entry);
    if (!tvm_elf_find_segment(elf, entry.r_offset, sizeof(uint64_t), PF_W))
      return tvm_elf_fail_damaged(elf, "a relocation lies outside its data");
    if (!is_symbol(elf, ELF64_R_SYM(entry.r_info)) ||
        (i < num_relative && ELF64_R_TYPE(entry.r_info) != HOST_RELATIVE))
      return tvm_elf_fail_damaged(
          elf, "a relocation is of another kind than it says");
  }
  return TVM_OK;
}

tvm_status tvm_elf_check_dynamic(elf_view *elf) {
  tvm_status status = find_dynamic(elf);
  if (!status)
    status = check_tags(elf);
  for (size_t i = 0; !status && i < sizeof tables / sizeof *tables; i++)
    status = check_table(elf, &tables[i]);
  if (!status)
    status = check_forms(elf);
  if (!status)
    status = check_names(elf);
  if (!status)
    status = check_hash(elf);
  if (!status)
    status = check_relocations(elf, DT_RELA, DT_RELASZ,
                               dynamic_value(elf, DT_RELACOUNT, 0));
  if (!status)
    status = check_relocations(elf, DT_JMPREL, DT_PLTRELSZ, 0);
  return status;
}
