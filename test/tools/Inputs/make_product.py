"""Write FILE, a product of two matrices of 256 x 256."""
import sys

import onnx
from onnx import TensorProto, helper

tensors = [
    helper.make_tensor_value_info(name, TensorProto.FLOAT, [256, 256])
    for name in ("a", "b", "y")
]
node = helper.make_node("MatMul", ["a", "b"], ["y"], name="product")
graph = helper.make_graph([node], "product", tensors[:2], tensors[2:])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
model.ir_version = 8
onnx.save(model, sys.argv[1])
