/* attributes.c - what a node's importer reads of its attributes.
 *
 * A wrong type is reported where it is met and makes the node fail when its
 * importer returns, so that getters can be used without a check each. */
#include "importer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const TYPE_NAMES[] = {
    "no type", "a float",         "an integer",     "a string", "a tensor",
    "a graph", "floats",          "integers",       "strings",  "tensors",
    "graphs",  "a sparse tensor", "sparse tensors", "a type",   "types"};

static const char *name_of_type(int type) {
  size_t n = sizeof TYPE_NAMES / sizeof *TYPE_NAMES;
  return type < 0 || (size_t)type >= n ? "an unknown type" : TYPE_NAMES[type];
}

static intptr_t find_index(const tvm_onnx_node *node, const char *name) {
  const Onnx__NodeProto *p = node->proto;
  for (size_t i = 0; i < p->n_attribute; ++i)
    if (p->attribute[i]->name && strcmp(p->attribute[i]->name, name) == 0)
      return (intptr_t)i;
  return -1;
}

/* Follows "the attribute that the caller of the function gave". Null when that
 * one gave none. */
static const Onnx__AttributeProto *follow(const tvm_onnx_node *node,
                                          const Onnx__AttributeProto *a) {
  while (a && a->ref_attr_name && *a->ref_attr_name) {
    tvm_onnx_node *caller = node->scope->caller;
    for (tvm_onnx_scope *s = node->scope; !caller && s->outer; s = s->outer)
      caller = s->outer->caller;
    if (!caller)
      return NULL;
    intptr_t i = find_index(caller, a->ref_attr_name);
    if (i < 0)
      return NULL;
    caller->read[i] = true;
    a = caller->proto->attribute[i];
    node = caller;
  }
  return a;
}

static const Onnx__AttributeProto *find(const tvm_onnx_node *node,
                                        const char *name) {
  intptr_t i = find_index(node, name);
  if (i < 0)
    return NULL;
  node->read[i] = true;
  return follow(node, node->proto->attribute[i]);
}

/* Files of the first IR versions leave the type out. */
static int guess_type(const Onnx__AttributeProto *a) {
  if (a->has_type && a->type)
    return a->type;
  if (a->has_f)
    return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
  if (a->has_i)
    return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
  if (a->has_s)
    return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
  if (a->t)
    return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
  if (a->g)
    return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH;
  if (a->n_floats)
    return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS;
  if (a->n_ints)
    return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
  if (a->n_strings)
    return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS;
  return ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED;
}

/* An empty list may come without a type. */
static bool is_list(tvm_onnx_attr_type type) {
  return type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS ||
         type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS ||
         type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS;
}

const Onnx__AttributeProto *tvm_onnx_get_attr(tvm_onnx_node *node,
                                              const char *name,
                                              tvm_onnx_attr_type type) {
  const Onnx__AttributeProto *a = find(node, name);
  if (!a)
    return NULL;
  int found = guess_type(a);
  if (found == (int)type || (!found && is_list(type)))
    return a;
  tvm_onnx_fail(node, "attribute '%s' is %s, expected %s", name,
                name_of_type(found), name_of_type((int)type));
  return NULL;
}

MlirLogicalResult tvm_onnx_check_attrs_read(tvm_onnx_node *node) {
  for (size_t i = 0; i < node->proto->n_attribute; ++i) {
    const char *name = node->proto->attribute[i]->name;
    if (!node->read[i])
      return tvm_onnx_fail(node, "attribute '%s' is not known",
                           name ? name : "");
  }
  return mlirLogicalResultSuccess();
}

bool tvm_onnx_has_attr(const tvm_onnx_node *node, const char *name) {
  intptr_t i = find_index(node, name);
  return i >= 0 && follow(node, node->proto->attribute[i]) != NULL;
}

void tvm_onnx_ignore_attr(tvm_onnx_node *node, const char *name) {
  find(node, name);
}

int64_t tvm_onnx_get_int(tvm_onnx_node *node, const char *name,
                         int64_t fallback) {
  const Onnx__AttributeProto *a =
      tvm_onnx_get_attr(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);
  return a ? a->i : fallback;
}

double tvm_onnx_get_float(tvm_onnx_node *node, const char *name,
                          double fallback) {
  const Onnx__AttributeProto *a = tvm_onnx_get_attr(
      node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);
  return a ? (double)a->f : fallback;
}

static const char *copy_string(tvm_onnx_node *node,
                               const ProtobufCBinaryData *s) {
  char *copy = malloc(s->len + 1);
  if (s->len)
    memcpy(copy, s->data, s->len);
  copy[s->len] = 0;
  node->copies =
      realloc(node->copies, (node->num_copies + 1) * sizeof *node->copies);
  node->copies[node->num_copies++] = copy;
  return copy;
}

const char *tvm_onnx_get_string(tvm_onnx_node *node, const char *name,
                                const char *fallback) {
  const Onnx__AttributeProto *a = tvm_onnx_get_attr(
      node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);
  return a ? copy_string(node, &a->s) : fallback;
}

const int64_t *tvm_onnx_get_ints(tvm_onnx_node *node, const char *name,
                                 size_t *out_count) {
  static const int64_t none = 0;
  const Onnx__AttributeProto *a = tvm_onnx_get_attr(
      node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);
  *out_count = a ? a->n_ints : 0;
  return a ? a->n_ints ? a->ints : &none : NULL;
}

const float *tvm_onnx_get_floats(tvm_onnx_node *node, const char *name,
                                 size_t *out_count) {
  static const float none = 0;
  const Onnx__AttributeProto *a = tvm_onnx_get_attr(
      node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS);
  *out_count = a ? a->n_floats : 0;
  return a ? a->n_floats ? a->floats : &none : NULL;
}

size_t tvm_onnx_get_strings_size(tvm_onnx_node *node, const char *name) {
  const Onnx__AttributeProto *a = tvm_onnx_get_attr(
      node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS);
  return a ? a->n_strings : 0;
}

const char *tvm_onnx_get_strings(tvm_onnx_node *node, const char *name,
                                 size_t i) {
  const Onnx__AttributeProto *a = tvm_onnx_get_attr(
      node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS);
  return a ? copy_string(node, &a->strings[i]) : "";
}

bool tvm_onnx_get_choice(tvm_onnx_node *node, const char *name,
                         int32_t fallback, int32_t n, const char *const *names,
                         int32_t *out) {
  const char *text = tvm_onnx_get_string(node, name, NULL);
  *out = fallback;
  if (!text)
    return !node->failed;
  char list[512] = "";
  size_t length = 0;
  for (int32_t i = 0; i < n; ++i) {
    if (strcmp(text, names[i]) == 0) {
      *out = i;
      return true;
    }
    if (length < sizeof list)
      length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                 i ? ", " : "", names[i]);
  }
  tvm_onnx_fail(node, "attribute '%s' = '%s' is not one of %s", name, text,
                list);
  return false;
}

bool tvm_onnx_check_axis(tvm_onnx_node *node, const char *name, int64_t rank,
                         int64_t *axis) {
  if (*axis >= -rank && *axis < rank) {
    *axis += *axis < 0 ? rank : 0;
    return true;
  }
  tvm_onnx_fail(node, "'%s' = %lld is not in [%lld, %lld)", name,
                (long long)*axis, (long long)-rank, (long long)rank);
  return false;
}

bool tvm_onnx_get_axis(tvm_onnx_node *node, const char *name, int64_t fallback,
                       int64_t rank, int64_t *out) {
  *out = tvm_onnx_get_int(node, name, fallback);
  return !node->failed && tvm_onnx_check_axis(node, name, rank, out);
}

MlirType tvm_onnx_element_type(tvm_onnx_node *node, int64_t data_type) {
  MlirType type = tvm_onnx_type_of_code(node->builder.context, data_type);
  if (mlirTypeIsNull(type))
    tvm_onnx_unsupported(node, "element type %s (%lld)",
                         tvm_onnx_name_of_code(data_type),
                         (long long)data_type);
  return type;
}
