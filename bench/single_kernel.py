"""Models of one operator, from the rows of bench/kernels.txt."""
import math
import os
import random
import struct

FLOAT, INTS, INT = 1, 7, 2
OPERANDS = {"conv": 8, "matmul": 3, "product": 4}


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def value_info(name, shape):
    dims = b"".join(data(1, number(1, d)) for d in shape)
    kind = data(1, number(1, FLOAT) + data(2, dims))
    return data(1, name) + data(2, kind)


def attribute(name, value):
    if isinstance(value, int):
        return data(5, data(1, name) + number(3, value) + number(20, INT))
    text = b"".join(number(8, v) for v in value)
    return data(5, data(1, name) + text + number(20, INTS))


def weights(shape):
    """Numbers that keep sums near one."""
    source = random.Random(1)
    scale = 1 / math.sqrt(math.prod(shape[1:]))
    count = math.prod(shape)
    return struct.pack(f"<{count}f", *(source.uniform(-scale, scale)
                                       for _ in range(count)))


class Kernel:
    """`left` and `right` are the shapes of the operands, `result` that of y."""

    def __init__(self, name, kind, sizes):
        self.name, self.kind = name, kind
        if kind not in OPERANDS or len(sizes) != OPERANDS[kind]:
            raise ValueError(f"kernel '{name}': expected conv, matmul or "
                             "product with 8, 3 or 4 numbers")
        self.operator, self.attributes = "MatMul", {}
        if kind == "conv":
            self.init_conv(*sizes)
        else:
            self.init_product(*sizes[-3:], batch=sizes[:-3])

    def init_conv(self, channels, height, width, filters, size, stride, pad,
                  groups):
        self.operator = "Conv"
        self.attributes = {"kernel_shape": [size] * 2, "strides": [stride] * 2,
                           "pads": [pad] * 4, "group": groups}
        self.left = [1, channels, height, width]
        self.right = [filters, channels // groups, size, size]
        self.result = [1, filters] + [(n + 2 * pad - size) // stride + 1
                                      for n in (height, width)]
        self.flops = 2 * math.prod(self.result) * math.prod(self.right[1:])

    def init_product(self, rows, depth, columns, batch):
        self.left, self.right = batch + [rows, depth], batch + [depth, columns]
        self.result = batch + [rows, columns]
        self.flops = 2 * math.prod(self.result) * depth

    @property
    def bytes(self):
        """What must be read and written at least."""
        return 4 * sum(math.prod(shape) for shape in
                       (self.left, self.right, self.result))

    def describe(self):
        return {"kind": self.kind, "left": self.left, "right": self.right,
                "result": self.result, "attributes": self.attributes}

    def write(self, folder):
        """model.onnx, and the constant operand in right.bin."""
        node = data(1, "x") + data(1, "w") + data(2, "y")
        node += data(4, self.operator)
        node += b"".join(attribute(*a) for a in self.attributes.items())
        graph = data(1, node) + data(2, "g") + data(11, value_info(
            "x", self.left)) + data(12, value_info("y", self.result))
        if self.kind == "product":
            graph += data(11, value_info("w", self.right))
        else:
            constant = weights(self.right)
            with open(os.path.join(folder, "right.bin"), "wb") as f:
                f.write(constant)
            dims = b"".join(number(1, d) for d in self.right)
            graph += data(5, dims + number(2, FLOAT) + data(8, "w") +
                          data(9, constant))
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as f:
            f.write(number(1, 8) + data(7, graph) +
                    data(8, data(1, "") + number(2, 13)))
        return path


def read_kernels(path):
    kernels = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.split("#")[0].split()
            if words:
                kernels.append(Kernel(words[0], words[1],
                                      [int(w) for w in words[2:]]))
    return kernels
