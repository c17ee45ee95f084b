"""Write small ONNX models, good and bad, without the onnx package.

usage: make_models.py FOLDER
"""

import os
import struct
import sys

FLOAT, INT64 = 1, 7
# Line feed, escape, delete, a C1 control, two bytes that are no UTF-8, and an e
# with an accent.
CONTROL = b"a\n\x1b[2J\x7f\xc2\x9b\x9b\xff\xc3\xa9"


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    if isinstance(value, str):
        value = value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def value_info(name, dims, element=FLOAT):
    shape = b"".join(
        data(1, data(2, d) if isinstance(d, str) else number(1, d)) for d in dims
    )
    tensor = number(1, element) + data(2, shape)
    return data(1, name) + data(2, data(1, tensor))


def node(op, inputs, outputs, name="", attributes=b"", domain=""):
    text = b"".join(data(1, i) for i in inputs)
    text += b"".join(data(2, o) for o in outputs)
    text += data(3, name) if name else b""
    text += data(4, op) + attributes
    return text + (data(7, domain) if domain else b"")


def int_attribute(name, value):
    return data(5, data(1, name) + number(3, value) + number(20, 2))


def tensor(name, dims, raw, element=FLOAT):
    text = b"".join(number(1, d) for d in dims) + number(2, element)
    return text + data(8, name) + data(9, raw)


def external(name, dims, location):
    entry = data(1, "location") + data(2, location)
    text = b"".join(number(1, d) for d in dims) + number(2, FLOAT)
    return text + data(8, name) + data(13, entry) + number(14, 1)


def model(nodes, inputs, outputs, initializers=()):
    graph = b"".join(data(1, n) for n in nodes) + data(2, "g")
    graph += b"".join(data(5, t) for t in initializers)
    graph += b"".join(data(11, i) for i in inputs)
    graph += b"".join(data(12, o) for o in outputs)
    return number(1, 8) + data(8, data(1, "") + number(2, 17)) + data(7, graph)


def relu(x, y, name="r"):
    return node("Relu", [x], [y], name)


def scaled(weight):
    """y = x + w, with the weight in a tensor of its own."""
    return model(
        [node("Add", ["x", "w"], ["y"], "sum")],
        [value_info("x", [2, 3])],
        [value_info("y", [2, 3])],
        [weight],
    )


def make_models():
    x, y = [value_info("x", [2, 3])], [value_info("y", [2, 3])]
    good = model([relu("x", "y")], x, y)
    weight = tensor("w", [3], struct.pack("<3f", 1, 2, 3))
    return {
        "good": good,
        "weighted": scaled(weight),
        "open": model(
            [relu("x", "y")],
            [value_info("x", ["n", 3])],
            [value_info("y", ["n", 3])],
        ),
        "reshape": model(
            [node("Reshape", ["x", "shape"], ["y"], "rs")],
            x + [value_info("shape", [2], INT64)],
            [value_info("y", ["a", "b"])],
        ),
        "image": model(
            [relu("x", "y")],
            [value_info("x", [1, 3, 4, 4])],
            [value_info("y", [1, 3, 4, 4])],
        ),
        "empty": b"",
        "text": b"this is no model\n",
        "truncated": good[: len(good) // 2],
        "no_graph": number(1, 8),
        "cyclic": model(
            [
                node("Add", ["x", "b"], ["a"], "first"),
                node("Relu", ["a"], ["b"], "second"),
                relu("b", "y"),
            ],
            x,
            y,
        ),
        "undefined": model([relu("missing", "y", "lost")], x, y),
        "external_missing": scaled(external("w", [3], "weights.bin")),
        "external_escape": scaled(external("w", [3], "../weights.bin")),
        "external_absolute": scaled(external("w", [3], "/etc/hostname")),
        "negative": model([relu("x", "y")], [value_info("x", [-2, 3])], y),
        "overflow": model(
            [relu("x", "y")], [value_info("x", [1 << 40, 1 << 40])], y
        ),
        "overflow_weight": scaled(tensor("w", [1 << 40, 1 << 40], b"\0" * 12)),
        "short_weight": scaled(tensor("w", [3], b"\0" * 8)),
        "mismatch": model(
            [node("Add", ["x", "i"], ["y"], "sum")],
            x + [value_info("i", [2, 3], INT64)],
            y,
        ),
        "shapes": model(
            [node("Add", ["x", "z"], ["y"], "sum")],
            x + [value_info("z", [2, 4])],
            y,
        ),
        "unknown_op": model([node("Frobnicate", ["x"], ["y"], "f")], x, y),
        "unknown_domain": model(
            [node("Relu", ["x"], ["y"], "f", domain="com.example")], x, y
        ),
        "attribute": model(
            [node("Relu", ["x"], ["y"], "r", int_attribute("alpha", 3))], x, y
        ),
        "control": model([relu(CONTROL, "y", "r")], x, y),
        "control_names": model(
            [relu(CONTROL, CONTROL + b"y", CONTROL)],
            [value_info(CONTROL, [2, 3])], [value_info(CONTROL + b"y", [2, 3])]
        ),
        "no_inputs": model([node("Relu", [], ["y"], "r")], x, y),
        "nested": number(1, 8) + nest(5000),
    }


def nest(depth):
    """A graph whose If branches hold graphs, and so on."""
    graph = data(2, "deep")
    for _ in range(depth):
        attribute = data(1, "then_branch") + data(6, graph) + number(20, 5)
        graph = data(1, data(4, "If") + data(5, attribute))
    return data(7, graph)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, content in make_models().items():
        with open(os.path.join(folder, name + ".onnx"), "wb") as out:
            out.write(content)


if __name__ == "__main__":
    main()
