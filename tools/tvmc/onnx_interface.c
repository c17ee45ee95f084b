/* onnx_interface.c - inputs and outputs of an ONNX file, without its weights.
 *
 * Reads the few fields of the wire format that it needs, in place: a model may
 * be hundreds of megabytes, and its nesting is no business of ours. */
#include "tvmc.h"

#include <stdlib.h>
#include <string.h>

typedef struct span {
  const uint8_t *at, *end;
} span;

typedef struct field {
  uint64_t number, value; /* value: of a varint */
  int wire;
  span body; /* of a length-delimited field */
} field;

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

static bool read_varint(span *s, uint64_t *out) {
  *out = 0;
  for (unsigned shift = 0; shift < 64 && s->at < s->end; shift += 7) {
    uint8_t byte = *s->at++;
    *out |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

/* False at the end and on damage; *ok tells which. */
static bool next_field(span *s, field *out, bool *ok) {
  uint64_t tag, length;
  *out = (field){0};
  if (s->at == s->end)
    return false;
  *ok = read_varint(s, &tag);
  out->number = tag >> 3;
  out->wire = (int)(tag & 7);
  if (*ok && out->wire == WIRE_VARINT)
    return *ok = read_varint(s, &out->value);
  if (*ok && out->wire == WIRE_BYTES)
    *ok = read_varint(s, &length);
  else
    length = out->wire == WIRE_FIXED64 ? 8 : 4;
  if (!*ok || length > (uint64_t)(s->end - s->at) ||
      (out->wire != WIRE_BYTES && out->wire != WIRE_FIXED64 &&
       out->wire != WIRE_FIXED32))
    return *ok = false;
  out->body = (span){s->at, s->at + length};
  s->at += length;
  return true;
}

/* TypeProto.Tensor: elem_type = 1, shape = 2 { dim = 1 { dim_value = 1 } } */
static bool read_tensor_type(span s, onnx_value *input) {
  field f, d, v;
  bool ok = true, has_shape = false, open = false;
  while (next_field(&s, &f, &ok)) {
    if (f.number == 1 && f.wire == WIRE_VARINT)
      input->onnx_type = (int32_t)f.value;
    if (f.number != 2 || f.wire != WIRE_BYTES)
      continue;
    has_shape = true;
    for (span shape = f.body; next_field(&shape, &d, &ok);) {
      bool known = false;
      if (d.number != 1 || d.wire != WIRE_BYTES)
        continue;
      for (span dim = d.body; next_field(&dim, &v, &ok);)
        known = known || (v.number == 1 && v.wire == WIRE_VARINT);
      open = open || !known;
    }
  }
  input->is_tensor = true;
  input->is_static = has_shape && !open;
  return ok;
}

/* ValueInfoProto: name = 1, type = 2 { tensor_type = 1, denotation = 6; the
 * rest are other kinds }. A type may be missing. */
static bool read_value(span s, onnx_value *out) {
  onnx_value input = {0};
  field f, t;
  bool ok = true;
  while (next_field(&s, &f, &ok)) {
    if (f.wire != WIRE_BYTES)
      continue;
    if (f.number == 1) {
      free(input.name);
      input.name =
          strndup((const char *)f.body.at, (size_t)(f.body.end - f.body.at));
    }
    for (span type = f.body; f.number == 2 && next_field(&type, &t, &ok);) {
      if (t.number == 1 && t.wire == WIRE_BYTES)
        ok = read_tensor_type(t.body, &input) && ok;
      input.is_strange |= t.number != 1 && t.number != 6;
    }
  }
  if (!input.name)
    input.name = strdup("");
  *out = input;
  return ok;
}

static bool read_input(span s, onnx_interface *model) {
  model->inputs =
      realloc(model->inputs, (model->num_inputs + 1) * sizeof *model->inputs);
  return read_value(s, &model->inputs[model->num_inputs++]);
}

/* Only an output that is no tensor is of interest. */
static bool read_output(span s, onnx_interface *model) {
  onnx_value output;
  bool ok = read_value(s, &output);
  if (ok && output.is_strange && !model->strange_output)
    model->strange_output = output.name;
  else
    free(output.name);
  return ok;
}

/* TensorProto.name = 8; SparseTensorProto.values = 1. */
static void remove_initialized(span s, onnx_interface *model, bool sparse) {
  field f;
  bool ok = true;
  while (next_field(&s, &f, &ok)) {
    if (sparse && f.number == 1 && f.wire == WIRE_BYTES)
      remove_initialized(f.body, model, false);
    if (sparse || f.number != 8 || f.wire != WIRE_BYTES)
      continue;
    size_t length = (size_t)(f.body.end - f.body.at);
    for (size_t i = 0; i < model->num_inputs; i++) {
      onnx_value *input = &model->inputs[i];
      if (strlen(input->name) != length ||
          memcmp(input->name, f.body.at, length))
        continue;
      free(input->name);
      memmove(input, input + 1,
              (model->num_inputs - i - 1) * sizeof *model->inputs);
      model->num_inputs--;
      model->num_initialized++;
      break;
    }
  }
}

/* GraphProto: initializer = 5, input = 11, output = 12,
 * sparse_initializer = 15. */
static bool read_graph(span graph, onnx_interface *model) {
  field f;
  bool ok = true;
  for (span s = graph; next_field(&s, &f, &ok);) {
    if (f.number == 11 && f.wire == WIRE_BYTES)
      ok = read_input(f.body, model) && ok;
    if (f.number == 12 && f.wire == WIRE_BYTES)
      ok = read_output(f.body, model) && ok;
  }
  for (span s = graph; ok && next_field(&s, &f, &ok);)
    if ((f.number == 5 || f.number == 15) && f.wire == WIRE_BYTES)
      remove_initialized(f.body, model, f.number == 15);
  return ok;
}

bool onnx_interface_read(onnx_interface *out, const char *path) {
  *out = (onnx_interface){0};
  failure ignored;
  file_bytes file;
  field f;
  if (!file_map(&file, path, &ignored))
    return false;
  bool ok = true, found = false;
  for (span s = {file.data, file.data + file.size};
       ok && next_field(&s, &f, &ok);)
    if (f.number == 7 && f.wire == WIRE_BYTES && !found) {
      found = true;
      ok = read_graph(f.body, out);
    }
  file_unmap(&file);
  if (!ok || !found)
    onnx_interface_finish(out);
  return ok && found;
}

void onnx_interface_finish(onnx_interface *model) {
  for (size_t i = 0; i < model->num_inputs; i++)
    free(model->inputs[i].name);
  free(model->inputs);
  free(model->strange_output);
  *model = (onnx_interface){0};
}
