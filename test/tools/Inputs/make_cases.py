"""Write folders in the ONNX test layout, good and bad.

usage: make_cases.py FOLDER
"""

import os
import struct
import sys

from make_models import (INT64, data, make_models, model, node, number, relu,
                         tensor, value_info)

X = [-1.0, 0.5, 2.0, -0.25, 4.0, -8.0]
Y = [0.0, 0.5, 2.0, 0.0, 4.0, 0.0]


def floats(name, values, dims):
    return tensor(name, dims, struct.pack(f"<{len(values)}f", *values))


def integers(name, values):
    raw = struct.pack(f"<{len(values)}q", *values)
    return tensor(name, [len(values)], raw, INT64)


def wide_model():
    """64-bit integers, as they are."""
    return model([node("Identity", ["x"], ["y"])],
                 [value_info("x", [2], INT64)], [value_info("y", [2], INT64)])


def sequence_model():
    kind = data(4, data(1, data(1, number(1, 1))))
    return model([relu("x", "y")], [data(1, "x") + data(2, kind)],
                 [value_info("y", [2, 3])])


def untyped_model():
    return model([relu("x", "y")], [value_info("x", [2, 3])], [data(1, "y")])


def make_cases():
    """name -> (model, data sets of (inputs, outputs))."""
    models = make_models()
    good = models["good"]
    x, y = floats("x", X, [2, 3]), floats("y", Y, [2, 3])
    nan = floats("y", [0.0, 0.5, float("nan"), 0.0, 4.0, 0.0], [2, 3])
    near = floats("y", [0.0, 0.5, 2.001, 0.0, 4.0, 0.0], [2, 3])
    reshape = models["reshape"]
    six, three = integers("shape", [6, 1]), integers("shape", [3, 2])
    return {
        "good": (good, [([x], [y]), ([x], [y])]),
        "untyped": (untyped_model(), [([x], [y])]),
        "nameless": (good, [([floats("", X, [2, 3])], [y])]),
        "near": (good, [([x], [near])]),
        "frozen": (reshape, [
            ([x, six], [floats("y", X, [6, 1])]),
            ([x, three], [floats("y", X, [3, 2])]),
        ]),
        "open": (models["open"], [
            ([x], [y]),
            ([floats("x", X[:3], [1, 3])], [floats("y", Y[:3], [1, 3])]),
        ]),
        "value": (good, [([x], [floats("y", [0.0, 0.5, 2.5, 0.0, 4.0, 0.0],
                                       [2, 3])])]),
        "nan": (good, [([x], [nan])]),
        "shape": (good, [([x], [floats("y", Y, [3, 2])])]),
        "type": (good, [([x], [integers("y", [0] * 6)])]),
        "second": (good, [([x], [y]), ([x], [x])]),
        "input": (good, [([floats("x", X, [3, 2])], [y])]),
        "outputs": (good, [([x], [y, y])]),
        "wide": (wide_model(), [([integers("x", [7, 2**62])],
                                 [integers("y", [7, -2**62 + 3])])]),
        "sequence": (sequence_model(), [([x], [y])]),
        "garbage": (good, [([b"\x0a\xff\xff\xff\xff\x7f"], [y])]),
        "text": (models["text"], [([x], [y])]),
        "no_data": (good, []),
    }


def write(path, content):
    with open(path, "wb") as out:
        out.write(content)


def main():
    root = sys.argv[1]
    for name, (content, sets) in make_cases().items():
        folder = os.path.join(root, name)
        os.makedirs(folder)
        write(os.path.join(folder, "model.onnx"), content)
        for n, (inputs, outputs) in enumerate(sets):
            at = os.path.join(folder, f"test_data_set_{n}")
            os.makedirs(at)
            for k, proto in enumerate(inputs):
                write(os.path.join(at, f"input_{k}.pb"), proto)
            for k, proto in enumerate(outputs):
                write(os.path.join(at, f"output_{k}.pb"), proto)


if __name__ == "__main__":
    main()
