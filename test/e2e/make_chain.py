"""Write FILE, an ONNX chain of COUNT operators on one small tensor.

KIND 'same' repeats one operator, 'mixed' goes through many and through shapes,
so that no two neighbours are alike.
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def main(path, kind, count):
    nodes, weights = [], []

    def weight(array):
        weights.append(numpy_helper.from_array(array, "w%d" % len(weights)))
        return "w%d" % (len(weights) - 1)

    def add(op, inputs, index, **attrs):
        nodes.append(helper.make_node(op, inputs, ["v%d" % (index + 1)],
                                      name="n%d" % index, **attrs))

    for i in range(count):
        x = "v%d" % i
        step = 0 if kind == "same" else i % 8
        if step == 0:
            add("Add", [x, weight(np.float32([[i % 7]]))], i)
        elif step == 1:
            add("Tanh", [x], i)
        elif step == 2:
            add("Transpose", [x], i, perm=[1, 0])
        elif step == 3:
            add("Mul", [x, weight(np.full((8, 4), i, np.float32))], i)
        elif step == 4:
            add("Softmax", [x], i, axis=1)
        elif step == 5:
            add("Transpose", [x], i, perm=[1, 0])
        elif step == 6:
            add("Clip", [x, weight(np.float32(-i))], i)
        else:
            add("Sigmoid", [x], i)
    shape = [4, 8]
    if kind == "mixed" and count % 8 in (3, 4, 5):
        shape = [8, 4]
    graph = helper.make_graph(
        nodes, "chain",
        [helper.make_tensor_value_info("v0", TensorProto.FLOAT, [4, 8])],
        [helper.make_tensor_value_info("v%d" % count, TensorProto.FLOAT,
                                       shape)], weights)
    model = helper.make_model(graph,
                              opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, path)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
