#!/usr/bin/python3
"""Write a model of each function that compiles to vector code.

usage: make_function_models.py OUTPUT_FOLDER
"""
import os
import sys

from onnx import TensorProto, helper, save

for name in ("Exp", "Log", "Tanh", "Erf", "Sigmoid", "Elu", "Softplus", "Mish", "Gelu"):
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [65536]) for n in "xy")
    graph = helper.make_graph([helper.make_node(name, ["x"], ["y"])], "math", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    model.ir_version = 8
    os.makedirs(sys.argv[1], exist_ok=True)
    save(model, os.path.join(sys.argv[1], name.lower() + ".onnx"))
