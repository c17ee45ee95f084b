"""Print tensors of every form as bench/compare reads them."""
import os
import struct
import tempfile

from make_models import (FLOAT, data, model, node, number, tensor, value_info,
                         varint)

from case import unpack
from protobuf import input_names, parse_tensor


def print_tensor(name, kind, dims, fields):
    text = b"".join(number(1, d) for d in dims) + number(2, kind)
    _, dtype, shape, raw = parse_tensor(text + fields + data(8, name))
    print(name, dtype, shape, unpack(dtype, raw))


def packed(field, values):
    return data(field, b"".join(varint(v) for v in values))


def main():
    print_tensor("packed", 7, [3], packed(7, [1, -2, 300]))
    print_tensor("apart", 6, [2], number(5, -5) + number(5, 7))
    print_tensor("int8", 3, [2], packed(5, [-1, 2]))
    print_tensor("bool", 9, [2], packed(5, [1, 0]))
    print_tensor("half", 10, [1], packed(5, struct.unpack(
        "<H", struct.pack("<e", -1.5))))
    print_tensor("double", 11, [2], data(10, struct.pack("<2d", 0.5, -4)))
    print_tensor("raw", 4, [1], data(9, b"\xff\xff"))
    print_tensor("scalar", 1, [], data(4, struct.pack("<f", 2.5)))
    content = model([node("Sum", ["x", "w", "z"], ["y"])],
                    [value_info(n, [1]) for n in ("x", "w", "z")],
                    [value_info("y", [1])],
                    [tensor("w", [1], bytes(4), FLOAT)])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.onnx")
        with open(path, "wb") as f:
            f.write(content)
        print("inputs", input_names(path))


main()
