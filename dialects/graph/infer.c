/* infer.c - readers of operands and attributes that check what they read. */
#include "graph/infer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tvm_graph_fail(const tvm_graph_signature *s, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  tvm_emit_error(s->location, "'%s' %s", s->name, text);
  return false;
}

typedef struct text_sink {
  char *text;
  size_t used;
} text_sink;

static void append_text(MlirStringRef part, void *user) {
  text_sink *sink = user;
  size_t room = TVM_GRAPH_TEXT_SIZE - 1 - sink->used;
  size_t n = part.length < room ? part.length : room;
  memcpy(sink->text + sink->used, part.data, n);
  sink->used += n;
  sink->text[sink->used] = '\0';
}

void tvm_graph_print_type(MlirType type, char text[TVM_GRAPH_TEXT_SIZE]) {
  text_sink sink = {text, 0};
  text[0] = '\0';
  mlirTypePrint(type, append_text, &sink);
}

/* ---- operands ---- */

bool tvm_graph_expect_operands(const tvm_graph_signature *s, intptr_t n) {
  if (s->n_operands == n)
    return true;
  return tvm_graph_fail(s, "expects %td operands, got %td", n, s->n_operands);
}

static int kind_of_integer(MlirType element) {
  unsigned width = mlirIntegerTypeGetWidth(element);
  bool bits8 = width == 8 || width == 16 || width == 32 || width == 64;
  if (mlirIntegerTypeIsSignless(element) && width == 1)
    return TVM_GRAPH_BOOL;
  return bits8 && !mlirIntegerTypeIsSigned(element) ? TVM_GRAPH_INTEGER : 0;
}

static int kind_of(MlirType element) {
  if (mlirTypeIsAInteger(element))
    return kind_of_integer(element);
  bool is_float = mlirTypeIsAF16(element) || mlirTypeIsABF16(element) ||
                  mlirTypeIsAF32(element) || mlirTypeIsAF64(element);
  return is_float ? TVM_GRAPH_FLOAT : 0;
}

bool tvm_graph_has_element_kind(MlirType element, int kinds) {
  return (kind_of(element) & kinds) != 0;
}

static const char *name_of_kinds(int kinds) {
  switch (kinds) {
  case TVM_GRAPH_BOOL:
    return "an i1";
  case TVM_GRAPH_INTEGER:
    return "an integer";
  case TVM_GRAPH_FLOAT:
    return "a float";
  case TVM_GRAPH_NUMBER:
    return "an integer or float";
  case TVM_GRAPH_BOOL | TVM_GRAPH_INTEGER:
    return "an integer or i1";
  default:
    return "an i1, i8 to i64, ui8 to ui64, f16, bf16, f32 or f64";
  }
}

/* Product of the extents; -1 past the limit. A zero extent does not excuse
 * the others: shapes are combined, and the zero may go. */
static int64_t count_checked(const tvm_graph_shape *shape) {
  int64_t n = 1;
  bool empty = false;
  for (intptr_t i = 0; i < shape->rank; ++i) {
    int64_t extent = shape->dims[i];
    empty |= extent == 0;
    if (extent &&
        (__builtin_mul_overflow(n, extent, &n) || n > TVM_GRAPH_MAX_ELEMENTS))
      return -1;
  }
  return empty ? 0 : n;
}

int64_t tvm_graph_count(const tvm_graph_shape *shape) {
  return count_checked(shape);
}

static bool is_static_tensor(MlirType type) {
  return mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type) &&
         mlirShapedTypeGetRank(type) <= TVM_GRAPH_MAX_RANK &&
         mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type));
}

bool tvm_graph_read_operand(const tvm_graph_signature *s, intptr_t i, int kinds,
                            tvm_graph_shape *out) {
  char text[TVM_GRAPH_TEXT_SIZE];
  MlirType type = mlirValueGetType(s->operands[i]);
  tvm_graph_print_type(type, text);
  if (!is_static_tensor(type))
    return tvm_graph_fail(
        s,
        "expects operand #%td to be a static tensor of rank %d at most, "
        "got %s",
        i, TVM_GRAPH_MAX_RANK, text);
  out->element = mlirShapedTypeGetElementType(type);
  out->rank = (intptr_t)mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < out->rank; ++d)
    out->dims[d] = mlirShapedTypeGetDimSize(type, d);
  if (!tvm_graph_has_element_kind(out->element, kinds))
    return tvm_graph_fail(s, "expects operand #%td to have %s element, got %s",
                          i, name_of_kinds(kinds), text);
  if (count_checked(out) < 0)
    return tvm_graph_fail(
        s, "expects operand #%td to have 2^48 elements at most, got %s", i,
        text);
  return true;
}

bool tvm_graph_expect_same_element(const tvm_graph_signature *s, intptr_t i,
                                   intptr_t j) {
  char a[TVM_GRAPH_TEXT_SIZE], b[TVM_GRAPH_TEXT_SIZE];
  MlirType x = mlirShapedTypeGetElementType(mlirValueGetType(s->operands[i]));
  MlirType y = mlirShapedTypeGetElementType(mlirValueGetType(s->operands[j]));
  if (mlirTypeEqual(x, y))
    return true;
  tvm_graph_print_type(x, a);
  tvm_graph_print_type(y, b);
  return tvm_graph_fail(
      s, "expects operands #%td and #%td of one element type, got %s and %s", i,
      j, a, b);
}

/* Shift the dimensions so that the rank grows to `rank` with leading ones. */
static void extend_rank(tvm_graph_shape *shape, intptr_t rank) {
  intptr_t by = rank - shape->rank;
  if (by <= 0)
    return;
  memmove(shape->dims + by, shape->dims,
          (size_t)shape->rank * sizeof *shape->dims);
  for (intptr_t i = 0; i < by; ++i)
    shape->dims[i] = 1;
  shape->rank = rank;
}

bool tvm_graph_broadcast(const tvm_graph_signature *s, intptr_t skip,
                         const tvm_graph_shape *other, tvm_graph_shape *shape) {
  extend_rank(shape, other->rank);
  intptr_t offset = shape->rank - other->rank;
  for (intptr_t i = 0; i < other->rank - skip; ++i) {
    int64_t from = other->dims[i], *to = &shape->dims[offset + i];
    if (from != *to && from != 1 && *to != 1)
      return tvm_graph_fail(
          s,
          "expects shapes that broadcast, got %lld against %lld in "
          "dimension %td of the result",
          (long long)*to, (long long)from, offset + i);
    if (*to == 1)
      *to = from;
  }
  return true;
}

/* ---- attributes ---- */

MlirAttribute tvm_graph_read_attr(const tvm_graph_signature *s,
                                  const char *name) {
  MlirStringRef key = mlirStringRefCreateFromCString(name);
  for (intptr_t i = 0; i < s->n_attrs; ++i)
    if (mlirStringRefEqual(mlirIdentifierStr(s->attrs[i].name), key))
      return s->attrs[i].attribute;
  tvm_graph_fail(s, "expects attribute '%s'", name);
  return mlirAttributeGetNull();
}

bool tvm_graph_read_i64(const tvm_graph_signature *s, const char *name,
                        int64_t *out) {
  MlirAttribute a = tvm_graph_read_attr(s, name);
  if (mlirAttributeIsNull(a))
    return false;
  if (!mlirAttributeIsAInteger(a) ||
      !mlirTypeEqual(mlirAttributeGetType(a), tvm_graph_int64(s)))
    return tvm_graph_fail(s, "expects attribute '%s' to be an i64", name);
  *out = mlirIntegerAttrGetValueInt(a);
  return true;
}

bool tvm_graph_read_f64(const tvm_graph_signature *s, const char *name,
                        double *out) {
  MlirAttribute a = tvm_graph_read_attr(s, name);
  if (mlirAttributeIsNull(a))
    return false;
  if (!mlirAttributeIsAFloat(a) || !mlirTypeIsAF64(mlirAttributeGetType(a)))
    return tvm_graph_fail(s, "expects attribute '%s' to be an f64", name);
  *out = mlirFloatAttrGetValueDouble(a);
  return true;
}

bool tvm_graph_read_bool(const tvm_graph_signature *s, const char *name,
                         bool *out) {
  MlirAttribute a = tvm_graph_read_attr(s, name);
  if (mlirAttributeIsNull(a))
    return false;
  if (!mlirAttributeIsABool(a))
    return tvm_graph_fail(s, "expects attribute '%s' to be true or false",
                          name);
  *out = mlirBoolAttrGetValue(a);
  return true;
}

static void join_choices(const char *const *choices,
                         char text[TVM_GRAPH_TEXT_SIZE]) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; choices[i]; ++i)
    used += (size_t)snprintf(text + used, TVM_GRAPH_TEXT_SIZE - used, "%s%s",
                             i ? ", " : "", choices[i]);
}

bool tvm_graph_read_choice(const tvm_graph_signature *s, const char *name,
                           const char *const *choices, int *out) {
  char text[TVM_GRAPH_TEXT_SIZE];
  MlirAttribute a = tvm_graph_read_attr(s, name);
  if (mlirAttributeIsNull(a))
    return false;
  join_choices(choices, text);
  if (!mlirAttributeIsAString(a))
    return tvm_graph_fail(s, "expects attribute '%s' to be one of %s", name,
                          text);
  MlirStringRef value = mlirStringAttrGetValue(a);
  for (int i = 0; choices[i]; ++i)
    if (mlirStringRefEqual(value, mlirStringRefCreateFromCString(choices[i]))) {
      *out = i;
      return true;
    }
  return tvm_graph_fail(s, "expects attribute '%s' to be one of %s, got '%.*s'",
                        name, text, (int)value.length, value.data);
}

static bool read_array(const tvm_graph_signature *s, const char *name,
                       MlirAttribute *out) {
  *out = tvm_graph_read_attr(s, name);
  if (mlirAttributeIsNull(*out))
    return false;
  return mlirAttributeIsADenseI64Array(*out) ||
         tvm_graph_fail(s, "expects attribute '%s' to be an array<i64>", name);
}

bool tvm_graph_read_list(const tvm_graph_signature *s, const char *name,
                         intptr_t *n, int64_t *out) {
  MlirAttribute a;
  if (!read_array(s, name, &a))
    return false;
  *n = mlirDenseArrayGetNumElements(a);
  if (*n > TVM_GRAPH_MAX_RANK)
    return tvm_graph_fail(
        s, "expects attribute '%s' of %d elements at most, got %td", name,
        TVM_GRAPH_MAX_RANK, *n);
  for (intptr_t i = 0; i < *n; ++i)
    out[i] = mlirDenseI64ArrayGetElement(a, i);
  return true;
}

bool tvm_graph_read_i64s(const tvm_graph_signature *s, const char *name,
                         intptr_t n, int64_t *out) {
  MlirAttribute a;
  if (!read_array(s, name, &a))
    return false;
  intptr_t size = mlirDenseArrayGetNumElements(a);
  if (size != n)
    return tvm_graph_fail(s, "expects attribute '%s' of %td elements, got %td",
                          name, n, size);
  for (intptr_t i = 0; i < n; ++i)
    out[i] = mlirDenseI64ArrayGetElement(a, i);
  return true;
}

bool tvm_graph_read_axis(const tvm_graph_signature *s, const char *name,
                         intptr_t rank, intptr_t *out) {
  int64_t axis;
  if (!tvm_graph_read_i64(s, name, &axis))
    return false;
  if (axis < 0 || axis >= rank)
    return tvm_graph_fail(s, "expects '%s' in [0, %td), got %lld", name, rank,
                          (long long)axis);
  *out = (intptr_t)axis;
  return true;
}

/* ---- results ---- */

MlirType tvm_graph_int64(const tvm_graph_signature *s) {
  return mlirIntegerTypeGet(s->context, 64);
}

MlirType tvm_graph_bool(const tvm_graph_signature *s) {
  return mlirIntegerTypeGet(s->context, 1);
}

MlirLogicalResult tvm_graph_add_result(const tvm_graph_signature *s,
                                       const tvm_graph_shape *shape,
                                       intptr_t *n_results, MlirType *results) {
  if (count_checked(shape) < 0) {
    tvm_graph_fail(s, "expects a result of 2^48 elements at most");
    return mlirLogicalResultFailure();
  }
  results[(*n_results)++] =
      tvm_tensor_type(shape->rank, shape->dims, shape->element);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tvm_graph_set_result(const tvm_graph_signature *s,
                                       const tvm_graph_shape *shape,
                                       intptr_t *n_results, MlirType *results) {
  *n_results = 0;
  return tvm_graph_add_result(s, shape, n_results, results);
}
