"""The tensors that all engines get, and what they must answer.

The inputs are those of DIR/test_data_set_0 where there is one, and random
otherwise. Workers read them from a folder: case.json lists name, type, shape
and file of each; a file holds the bytes.
"""
import glob
import json
import math
import os
import random
import struct

from protobuf import CODES, input_names, read_tensor

OUR_TYPES = {"f16": "float16", "f32": "float32", "f64": "float64",
             "i1": "bool", "bool": "bool"}


def stored_tensors(folder, kind):
    count = len(glob.glob(os.path.join(folder, f"{kind}_*.pb")))
    return [read_tensor(os.path.join(folder, f"{kind}_{i}.pb"))
            for i in range(count)]


def type_name(ours):
    """numpy's name of a type that tvmc prints."""
    if ours in OUR_TYPES:
        return OUR_TYPES[ours]
    sign = "uint" if ours[0] == "u" else "int"
    return sign + ours.lstrip("uis")


def random_bytes(dtype, shape):
    """From -1 to 1; integers from 0 to 3, which most index inputs take."""
    source = random.Random(0)
    count, code = math.prod(shape), CODES[dtype]
    if code in "efd":
        values = [source.uniform(-1, 1) for _ in range(count)]
    else:
        values = [source.randrange(2 if code == "?" else 4)
                  for _ in range(count)]
    return struct.pack(f"<{count}{code}", *values)


class Case:
    def __init__(self, model):
        self.model = model
        self.data = os.path.join(os.path.dirname(model), "test_data_set_0")
        stored = stored_tensors(self.data, "input")
        self.stored = {name: tensor[1:] for name, tensor in
                       zip(input_names(model) if stored else [], stored)}
        self.expected = [(t[1], t[3])
                         for t in stored_tensors(self.data, "output")]

    def files(self):
        """Name and file of each stored input."""
        return [(name, os.path.join(self.data, f"input_{i}.pb"))
                for i, name in enumerate(self.stored)]

    def options(self, frozen):
        """Those of tvmc that fix the shapes of stored inputs, and values."""
        options = []
        for name, path in self.files():
            shape = self.stored[name][1]
            if name in frozen:
                options += ["--freeze", f"{name}={path}"]
            elif shape:
                options += ["--shape", f"{name}={','.join(map(str, shape))}"]
        return options

    def tensors(self, inputs):
        """Name, type, shape and bytes of all inputs; `inputs` are those that
        are left after the compilation, as `tvmc inspect` lists them."""
        tensors = {e["name"]: (type_name(e["type"]), e["shape"])
                   for e in inputs if e["name"] not in self.stored}
        for name, tensor in tensors.items():
            yield name, *tensor, random_bytes(*tensor)
        for name, tensor in self.stored.items():
            yield name, *tensor

    def write(self, folder, inputs, more):
        """The inputs and, in case.json, `more` for the workers."""
        listed, left = [], {e["name"] for e in inputs}
        for name, dtype, shape, data in self.tensors(inputs):
            file = f"input_{len(listed)}.bin"
            listed.append({"name": name, "type": dtype, "shape": shape,
                           "file": file, "frozen": name not in left})
            with open(os.path.join(folder, file), "wb") as f:
                f.write(data)
        with open(os.path.join(folder, "case.json"), "w",
                  encoding="utf-8") as f:
            json.dump(dict(more, inputs=listed), f)

    def error(self, outputs):
        """The worst error of (type, bytes), relative to an output's range."""
        if len(outputs) != len(self.expected):
            return math.inf
        return max((distance(unpack(*want), unpack(*got))
                    for want, got in zip(self.expected, outputs)), default=0)


def unpack(dtype, data):
    code = CODES[dtype]
    return struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)


def distance(want, got):
    if len(want) != len(got):
        return math.inf
    scale = max((abs(w) for w in want if math.isfinite(w)), default=0) or 1
    worst = 0
    for w, g in zip(want, got):
        if w != g and not (w != w and g != g):
            gap = abs(w - g) / scale
            worst = max(worst, gap if math.isfinite(gap) else math.inf)
    return worst
