/* importer.h - the state of one import, for the files that carry it out.
 *
 * Operator importers see import.h alone. */
#ifndef TVM_TARGETS_ONNX_IMPORTER_H
#define TVM_TARGETS_ONNX_IMPORTER_H

#include "emit.h"
#include "import.h"
#include "onnx.h"
#include "onnx.pb-c.h"

enum {
  TVM_ONNX_MIN_OPSET = 7,
  TVM_ONNX_MAX_OPSET = 22,
  TVM_ONNX_MAX_NESTING = 64,   /* graphs and functions in one another */
  TVM_ONNX_MAX_NODES = 1 << 20 /* after functions are inlined */
};

/* ---- table.c: a hash table by name or by address ---- */

typedef struct tvm_onnx_slot {
  const char *name; /* borrowed; null: keyed by address */
  const void *address;
  void *value; /* not null */
} tvm_onnx_slot;

typedef struct tvm_onnx_table {
  tvm_onnx_slot *slots;
  size_t capacity, count;
} tvm_onnx_table;

void *tvm_onnx_table_get(const tvm_onnx_table *t, const char *name);
/* Adds or replaces. `name` must outlive the table. */
void tvm_onnx_table_put(tvm_onnx_table *t, const char *name, void *value);
void *tvm_onnx_table_get_at(const tvm_onnx_table *t, const void *address);
void tvm_onnx_table_put_at(tvm_onnx_table *t, const void *address, void *value);
void tvm_onnx_table_finish(tvm_onnx_table *t);

/* ---- the import ---- */

typedef struct tvm_onnx_model {
  MlirContext context;
  const tvm_onnx_options *options;
  const char *file_name; /* last part of the path, for messages */
  char *folder;          /* real path; null when it cannot be found */
  MlirLocation location;
  Onnx__ModelProto *proto;
  MlirBlock block;        /* the body of @main */
  tvm_onnx_table tensors; /* TensorProto -> MlirValue.ptr */
  tvm_onnx_table facts;   /* MlirValue.ptr -> evaluate.c's knowledge */
  const char **arguments; /* names of the block's arguments */
  intptr_t num_arguments;
  int64_t num_nodes;
  int32_t nesting;
  bool failed; /* an error was emitted; more would only repeat it */
} tvm_onnx_model;

/* Names in sight of a node. */
typedef struct tvm_onnx_scope {
  struct tvm_onnx_scope *outer; /* of a subgraph; null for functions */
  tvm_onnx_table values;        /* name -> MlirValue.ptr */
  tvm_onnx_table initializers;  /* name -> TensorProto, until first used */
  tvm_onnx_table sparse;        /* name -> SparseTensorProto */
  tvm_onnx_table later;         /* names of what nodes of the graph define */
  const Onnx__FunctionProto *function;
  tvm_onnx_node *caller; /* of the function, for its attributes */
} tvm_onnx_scope;

struct tvm_onnx_node {
  tvm_onnx_model *model;
  tvm_onnx_scope *scope;
  const Onnx__NodeProto *proto;
  tvm_builder builder;
  int64_t opset;
  MlirValue *operands, *results;
  bool *read;    /* an attribute each */
  char **copies; /* null-terminated strings that getters gave out */
  size_t num_copies;
  bool failed; /* an error was emitted */
};

/* Emit at the model's location. Always returns failure. */
MlirLogicalResult tvm_onnx_model_fail(tvm_onnx_model *m, const char *format,
                                      ...)
    __attribute__((format(printf, 2, 3)));

/* ---- model.c ---- */

/* Read and unpack the file. Fails: emits, returns null. */
Onnx__ModelProto *tvm_onnx_load_model(tvm_onnx_model *m, const char *path);
/* The same for a TensorProto file. */
Onnx__TensorProto *tvm_onnx_load_tensor(tvm_onnx_model *m, const char *path);
/* The version of `domain`, 0 when it is not imported. */
int64_t tvm_onnx_find_opset(size_t n, Onnx__OperatorSetIdProto **imports,
                            const char *domain);
bool tvm_onnx_is_default_domain(const char *domain);
Onnx__FunctionProto *tvm_onnx_find_function(const tvm_onnx_model *m,
                                            const char *domain,
                                            const char *name);

/* ---- tensor.c ---- */

/* The element type of a TensorProto code, or null. */
MlirType tvm_onnx_type_of_code(MlirContext context, int64_t code);
/* "float16" for messages; never null. */
const char *tvm_onnx_name_of_code(int64_t code);
/* Whether the dims are non-negative and the bytes countable. */
bool tvm_onnx_count_bytes(size_t rank, const int64_t *dims, int64_t unit,
                          int64_t *out_bytes);
/* A constant op before the end of b. The contents are taken out of `tensor`
 * where possible. `what` names the tensor in messages. */
MlirValue tvm_onnx_build_tensor(tvm_onnx_model *m, tvm_builder *b,
                                Onnx__TensorProto *tensor, const char *what);
/* The same for a tensor of the model, which is built once: bodies of functions
 * are imported once a call, and the bytes are gone then. */
MlirValue tvm_onnx_share_tensor(tvm_onnx_model *m, tvm_builder *b,
                                Onnx__TensorProto *tensor, const char *what);

/* ---- external.c ---- */

/* Map the bytes of an external tensor. `release` is called by the owner of the
 * bytes with (release_data, bytes, size, 1). */
typedef struct tvm_onnx_bytes {
  void *data;
  size_t size;
  void (*release)(void *, const void *, size_t, size_t);
  void *release_data;
} tvm_onnx_bytes;

bool tvm_onnx_map_external(tvm_onnx_model *m, MlirLocation location,
                           const Onnx__TensorProto *tensor, const char *what,
                           size_t expected_bytes, tvm_onnx_bytes *out);

/* ---- inputs.c ---- */

/* Make block arguments and constants of the graph's inputs. */
MlirLogicalResult tvm_onnx_import_inputs(tvm_onnx_model *m,
                                         tvm_onnx_scope *scope,
                                         const Onnx__GraphProto *graph);
/* Compare a value with its declaration, where that is static. */
MlirLogicalResult tvm_onnx_check_output(tvm_onnx_model *m,
                                        const Onnx__ValueInfoProto *info,
                                        MlirValue value);
/* "1x3x224x224", "a scalar". */
void tvm_onnx_print_shape(char *buffer, size_t size, MlirType type);

/* ---- graph.c ---- */

void tvm_onnx_scope_finish(tvm_onnx_scope *scope);
/* The value of `name`, built now when it is an initializer. Null without a
 * message when there is none (found is false), else after one. */
MlirValue tvm_onnx_find_value(tvm_onnx_model *m, tvm_onnx_scope *scope,
                              tvm_builder *b, const char *name, bool *found);
MlirLogicalResult tvm_onnx_define(tvm_onnx_model *m, tvm_onnx_scope *scope,
                                  const char *name, MlirValue value);
/* Initializers and nodes of a graph into the scope. */
MlirLogicalResult tvm_onnx_import_graph(tvm_onnx_model *m,
                                        tvm_onnx_scope *scope,
                                        const Onnx__GraphProto *graph);
MlirLogicalResult tvm_onnx_import_nodes(tvm_onnx_model *m,
                                        tvm_onnx_scope *scope, size_t n,
                                        Onnx__NodeProto *const *nodes);
/* A branch of If, in place of the node. */
MlirLogicalResult tvm_onnx_inline_graph(tvm_onnx_node *node,
                                        const Onnx__GraphProto *graph);
MlirLogicalResult tvm_onnx_inline_function(tvm_onnx_node *node,
                                           const Onnx__FunctionProto *f);

/* ---- node.c ---- */

MlirLogicalResult tvm_onnx_import_node(tvm_onnx_model *m, tvm_onnx_scope *scope,
                                       const Onnx__NodeProto *proto);

/* ---- attributes.c ---- */

typedef Onnx__AttributeProto__AttributeType tvm_onnx_attr_type;

/* The attribute of that type, marked as read; null when absent or after an
 * error. References to attributes of a function are followed. */
const Onnx__AttributeProto *tvm_onnx_get_attr(tvm_onnx_node *node,
                                              const char *name,
                                              tvm_onnx_attr_type type);
/* Fails for the first attribute that was not read. */
MlirLogicalResult tvm_onnx_check_attrs_read(tvm_onnx_node *node);

/* ---- evaluate.c ---- */

/* A tensor of which every element is known. Floats as double. */
typedef union tvm_onnx_cell {
  int64_t i;
  double d;
} tvm_onnx_cell;

/* The elements, owned by the model; null when the value is not constant. */
const tvm_onnx_cell *tvm_onnx_evaluate(tvm_onnx_model *m, MlirValue value);
/* The graph input that keeps the value from being constant; null when there
 * is none. */
const char *tvm_onnx_find_blamed_input(tvm_onnx_model *m, MlirValue value);
void tvm_onnx_evaluate_finish(tvm_onnx_model *m);

/* ---- fold.c: what evaluate.c computes ---- */

typedef struct tvm_onnx_tensor_view {
  MlirType element;
  tvm_emit_shape shape;
  int64_t count;
  const tvm_onnx_cell *cells;
} tvm_onnx_tensor_view;

typedef bool (*tvm_onnx_fold)(MlirOperation op, intptr_t n,
                              const tvm_onnx_tensor_view *in,
                              const tvm_onnx_tensor_view *out,
                              tvm_onnx_cell *cells);

/* Null when ops of that name are not evaluated. */
tvm_onnx_fold tvm_onnx_find_fold(MlirStringRef name);

/* ---- resolve.c ---- */

typedef struct tvm_onnx_row {
  const char *op_type;
  int64_t since;
  tvm_onnx_importer import;
} tvm_onnx_row;

const tvm_onnx_row *tvm_onnx_find_row(const char *op_type);

#endif
