/* roots.c - placements in bytes. */
#include "llvm/roots.h"

int64_t tvm_llvm_value_bytes(MlirValue v) {
  MlirType type = mlirValueGetType(v);
  return tvm_num_elements(type) *
         tvm_element_bytes(mlirShapedTypeGetElementType(type));
}

MlirValue tvm_llvm_root_of(MlirValue v) {
  tvm_graph_placement p;
  return tvm_graph_place(v, &p) ? p.root : v;
}

int64_t tvm_llvm_offset_in_root(MlirValue v) {
  tvm_graph_placement p;
  return tvm_graph_place(v, &p)
             ? p.offset * tvm_element_bytes(tvm_element_type(v))
             : 0;
}

MlirValue tvm_llvm_output_root(MlirValue returned) {
  MlirValue none = {0};
  tvm_graph_placement p;
  if (!tvm_graph_place(returned, &p) || p.offset ||
      !tvm_graph_is_dense(&p, mlirValueGetType(returned)) ||
      tvm_llvm_value_bytes(p.root) != tvm_llvm_value_bytes(returned))
    return none;
  MlirOperation def = tvm_defining_op(p.root);
  bool written =
      def.ptr && (tvm_op_is(def, "te.launch") || tvm_graph_has_parts(def));
  return written ? p.root : none;
}
