#!/usr/bin/python3
"""Write models of functions that kernels may have to call the C library for.

usage: make_math_models.py OUTPUT_FOLDER

`functions` computes each in f32; `halves` works in f16. In the ONNX test
layout, with the outputs of numpy in double precision.
"""
import os
import sys

import numpy as np
from onnx import helper, mapping, numpy_helper, save

X = np.linspace(0.01, 0.99, 77, dtype=np.float32)
FUNCTIONS = {
    "Acos": np.arccos, "Asin": np.arcsin, "Atan": np.arctan, "Sinh": np.sinh,
    "Cosh": np.cosh, "Tan": np.tan, "Asinh": np.arcsinh, "Exp": np.exp,
    "Log": np.log, "Tanh": np.tanh, "Sin": np.sin, "Cos": np.cos,
    "Atanh": np.arctanh, "Floor": np.floor, "Ceil": np.ceil, "Round": np.rint,
    "Sqrt": np.sqrt, "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}


def write(folder, nodes, x, outputs):
    kind = mapping.NP_TYPE_TO_TENSOR_TYPE[x.dtype]
    graph = helper.make_graph(
        nodes, "math", [helper.make_tensor_value_info("x", kind, x.shape)],
        [helper.make_tensor_value_info("y%d" % i, kind, x.shape)
         for i in range(len(outputs))])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    save(model, os.path.join(folder, "model.onnx"))
    for name, array in [("input_0", x)] + [
            ("output_%d" % i, y) for i, y in enumerate(outputs)]:
        with open(os.path.join(data, name + ".pb"), "wb") as f:
            f.write(numpy_helper.from_array(array.astype(x.dtype)).SerializeToString())


def main():
    wide = X.astype(np.float64)
    write(os.path.join(sys.argv[1], "functions"),
          [helper.make_node(name, ["x"], ["y%d" % i])
           for i, name in enumerate(FUNCTIONS)],
          X, [f(wide) for f in FUNCTIONS.values()])
    half = X.astype(np.float16)
    write(os.path.join(sys.argv[1], "halves"),
          [helper.make_node("Add", ["x", "x"], ["y0"])], half, [half + half])


if __name__ == "__main__":
    main()
