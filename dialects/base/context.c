/* context.c - contexts and diagnostics. */
#include "base/base.h"
#include "base/text.h"

#include "mlir-c/Diagnostics.h"
#include "mlir-c/RegisterEverything.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tvm_register_upstream(MlirDialectRegistry registry) {
  mlirRegisterAllDialects(registry);
  tvm_seam_register_all_extensions(registry);
}

MlirContext tvm_context_create(intptr_t n,
                               void (*const *dialects)(MlirDialectRegistry)) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  tvm_register_upstream(registry);
  for (intptr_t i = 0; i < n; ++i)
    dialects[i](registry);
  MlirContext context =
      mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirDialectRegistryDestroy(registry);
  mlirRegisterAllLLVMTranslations(context);
  mlirContextLoadAllAvailableDialects(context);
  return context;
}

static char *format_text(const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  char *text = malloc((size_t)(n > 0 ? n : 0) + 1);
  text[0] = 0;
  if (n > 0)
    vsnprintf(text, (size_t)n + 1, format, again);
  va_end(again);
  return text;
}

MlirLogicalResult tvm_emit_error(MlirLocation location, const char *format,
                                 ...) {
  va_list args;
  va_start(args, format);
  char *text = format_text(format, args);
  va_end(args);
  char *clean = tvm_text_escape(text);
  mlirEmitError(location, clean);
  free(clean);
  free(text);
  return mlirLogicalResultFailure();
}

void tvm_emit_warning(MlirLocation location, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = format_text(format, args);
  va_end(args);
  char *clean = tvm_text_escape(text);
  tvm_seam_emit_warning(location, clean);
  free(clean);
  free(text);
}

MlirLogicalResult tvm_emit_op_error(MlirOperation op, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = format_text(format, args);
  va_end(args);
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  tvm_emit_error(mlirOperationGetLocation(op), "'%.*s' %s", (int)name.length,
                 name.data, text);
  free(text);
  return mlirLogicalResultFailure();
}
