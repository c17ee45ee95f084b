"""A peer of bench/compare --kernels: plain loops over what case.json says."""
import itertools
import math
import os
import struct

from serve import serve


class Array:
    def __init__(self, shape, values=None):
        self.shape = shape
        self.values = values or [0.0] * math.prod(shape)

    def at(self, index):
        """Zero outside, as in padding."""
        place = 0
        for i, size in zip(index, self.shape):
            if not 0 <= i < size:
                return 0.0
            place = place * size + i
        return self.values[place]


def convolve(left, right, result, a):
    """Each element of the result, in order."""
    group = result[1] // a["group"]
    for _, o, y, x in itertools.product(*map(range, result)):
        first = o // group * right.shape[1]
        yield sum(left.at((0, first + c, y * a["strides"][0] + i - a["pads"][0],
                           x * a["strides"][1] + j - a["pads"][1])) *
                  right.at((o, c, i, j))
                  for c, i, j in itertools.product(*map(range,
                                                        right.shape[1:])))


def multiply(left, right, result):
    for *batch, row, column in itertools.product(*map(range, result)):
        yield sum(left.at((*batch, row, k)) * right.at((*batch, k, column))
                  for k in range(left.shape[-1]))


def load(model, case, threads):
    kernel, raw = case["kernel"], {e["name"]: e["data"] for e in case["inputs"]}
    if "w" not in raw:
        with open(os.path.join(case["folder"], "right.bin"), "rb") as f:
            raw["w"] = f.read()
    left, right = (Array(kernel[side], struct.unpack(f"<{len(data) // 4}f",
                                                     data))
                   for side, data in (("left", raw["x"]), ("right", raw["w"])))

    def run():
        if kernel["kind"] == "conv":
            return list(convolve(left, right, kernel["result"],
                                 kernel["attributes"]))
        return list(multiply(left, right, kernel["result"]))

    return "1.0", run


def dump(results):
    return [("float32", struct.pack(f"<{len(results)}f", *results))]


serve(load, dump)
