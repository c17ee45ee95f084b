/* kernel_cache.c - objects of kernels that stay the same. */
#include "llvm/kernel_cache.h"

#include "base/value_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *name;
  tvm_llvm_kernel_job job;
} entry;

struct tvm_llvm_kernel_cache {
  entry *entries;
  size_t count;
};

tvm_llvm_kernel_cache *tvm_llvm_kernel_cache_create(void) {
  return calloc(1, sizeof(tvm_llvm_kernel_cache));
}

void tvm_llvm_kernel_cache_destroy(tvm_llvm_kernel_cache *cache) {
  if (!cache)
    return;
  for (size_t i = 0; i < cache->count; ++i)
    free(cache->entries[i].name);
  free(cache->entries);
  free(cache);
}

bool tvm_llvm_kernel_cache_get(const tvm_llvm_kernel_cache *cache,
                               tvm_llvm_kernel_job *job) {
  MlirStringRef name = tvm_get_str(job->kernel, "sym_name");
  for (size_t i = 0; i < cache->count; ++i) {
    const entry *e = &cache->entries[i];
    if (!mlirStringRefEqual(name, mlirStringRefCreateFromCString(e->name)))
      continue;
    job->packing.operand = e->job.packing.operand;
    job->grid = e->job.grid;
    job->workspace_bytes = e->job.workspace_bytes;
    job->flops = e->job.flops;
    return true;
  }
  return false;
}

void tvm_llvm_kernel_cache_put(tvm_llvm_kernel_cache *cache,
                               const tvm_llvm_kernel_job *job) {
  MlirStringRef name = tvm_get_str(job->kernel, "sym_name");
  cache->entries =
      realloc(cache->entries, (cache->count + 1) * sizeof *cache->entries);
  cache->entries[cache->count++] =
      (entry){strndup(name.data, name.length), *job};
}

static void hash_piece(MlirStringRef piece, void *user) {
  uint64_t *h = user;
  for (size_t i = 0; i < piece.length; ++i)
    *h = (*h ^ (unsigned char)piece.data[i]) * 0x100000001b3u; /* FNV-1a */
}

static void set_name(MlirOperation kernel, const char *name) {
  mlirOperationSetDiscardableAttributeByName(
      kernel, mlirStringRefCreateFromCString("sym_name"),
      mlirStringAttrGet(mlirOperationGetContext(kernel),
                        mlirStringRefCreateFromCString(name)));
}

/* Two halves: names of 64 bits could meet by chance. */
static void name_by_content(MlirOperation kernel, char *out, size_t size) {
  uint64_t a = 0xcbf29ce484222325u, b = 88172645463325252u;
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOpPrintingFlagsAssumeVerified(flags);
  set_name(kernel, "");
  mlirOperationPrintWithFlags(kernel, flags, hash_piece, &a);
  mlirOperationPrintWithFlags(kernel, flags, hash_piece, &b);
  mlirOpPrintingFlagsDestroy(flags);
  snprintf(out, size, "k%016llx%016llx", (unsigned long long)a,
           (unsigned long long)b);
}

typedef struct {
  MlirStringRef from;
  char to[40];
} renaming;

static void rename_launches(MlirModule module, const renaming *list,
                            size_t count) {
  MlirContext context = mlirModuleGetContext(module);
  MlirOperation op =
      mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(
          tvm_find_function(mlirModuleGetOperation(module), "main"), 0)));
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (!tvm_op_is(op, "te.launch"))
      continue;
    MlirStringRef name =
        mlirFlatSymbolRefAttrGetValue(tvm_get_attr(op, "kernel"));
    size_t i = 0;
    while (i < count && !mlirStringRefEqual(list[i].from, name))
      ++i;
    if (i < count)
      mlirOperationSetDiscardableAttributeByName(
          op, mlirStringRefCreateFromCString("kernel"),
          mlirFlatSymbolRefAttrGet(context,
                                   mlirStringRefCreateFromCString(list[i].to)));
  }
}

void tvm_llvm_name_kernels_by_content(MlirModule module) {
  renaming *list = NULL;
  size_t count = 0;
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  for (; op.ptr; op = mlirOperationGetNextInBlock(op)) {
    if (!tvm_op_is(op, "te.kernel"))
      continue;
    list = realloc(list, (count + 1) * sizeof *list);
    renaming *r = &list[count++];
    r->from = tvm_get_str(op, "sym_name"); /* lives as long as the context */
    name_by_content(op, r->to, sizeof r->to);
    set_name(op, r->to);
  }
  rename_launches(module, list, count);
  free(list);
}
