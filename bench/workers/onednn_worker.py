"""oneDNN 3 on the CPU, with the layouts that it likes best.

Reads the kernel of case.json, not the model; operands are brought into the
layouts before the first run. The library is that of the wheel
onednn-cpu-gomp, or the one that ONEDNN_LIB names.
"""
import ctypes
import glob
import math
import os
import sys

import numpy

from serve import dump_arrays, read_arrays, serve

CPU, IN_ORDER, F32, ANY, FORWARD, DIRECT = 1, 1, 3, 1, 96, 1
SRC, DST, WEIGHTS = 1, 17, 33
QUERY = {SRC: 129, WEIGHTS: 131, DST: 133}
ALLOCATE = ctypes.c_void_p(-1)


class Version(ctypes.Structure):
    _fields_ = [("major", ctypes.c_int), ("minor", ctypes.c_int),
                ("patch", ctypes.c_int)]


class Argument(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_int), ("memory", ctypes.c_void_p)]


def find_library():
    given = os.environ.get("ONEDNN_LIB")
    places = [os.path.join(sys.prefix, "lib", "libdnnl.so.3*")]
    found = [given] if given else sum(map(glob.glob, places), [])
    if not found:
        raise RuntimeError("libdnnl.so.3 is missing: install onednn-cpu-gomp "
                           "or set ONEDNN_LIB")
    return found[0]


def numbers(values):
    return (ctypes.c_int64 * len(values))(*values)


class Library:
    def __init__(self):
        self.library = ctypes.CDLL(find_library())
        version = self.library.dnnl_version
        version.restype = ctypes.POINTER(Version)
        v = version().contents
        self.version = f"{v.major}.{v.minor}.{v.patch}"
        self.library.dnnl_primitive_desc_query_md.restype = ctypes.c_void_p
        if v.major != 3:
            raise RuntimeError(f"oneDNN {self.version} is not of version 3")
        self.engine = self.create("engine_create", CPU, 0)
        self.stream = self.create("stream_create", self.engine, IN_ORDER)

    def call(self, name, *arguments):
        code = getattr(self.library, "dnnl_" + name)(*arguments)
        if code:
            raise RuntimeError(f"dnnl_{name} fails with {code}")

    def create(self, name, *arguments):
        handle = ctypes.c_void_p()
        self.call(name, ctypes.byref(handle), *arguments)
        return handle

    def any_layout(self, shape):
        return self.create("memory_desc_create_with_tag", len(shape),
                           numbers(shape), F32, ANY)

    def plain_layout(self, shape):
        strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
        return self.create("memory_desc_create_with_strides", len(shape),
                           numbers(shape), F32, numbers(strides))

    def wrap(self, array):
        return self.create("memory_create", self.plain_layout(array.shape),
                           self.engine, ctypes.c_void_p(array.ctypes.data))

    def execute(self, primitive, arguments):
        self.call("primitive_execute", primitive, self.stream, len(arguments),
                  arguments)
        self.call("stream_wait", self.stream)

    def reorder(self, source, source_layout, target, target_layout):
        desc = self.create("reorder_primitive_desc_create", source_layout,
                           self.engine, target_layout, self.engine, None)
        self.execute(self.create("primitive_create", desc),
                     (Argument * 2)((SRC, source), (DST, target)))


def create_desc(dnnl, kernel, shapes):
    layouts = {key: dnnl.any_layout(shape) for key, shape in shapes.items()}
    operands = (layouts[SRC], layouts[WEIGHTS], None, layouts[DST])
    if kernel["kind"] != "conv":
        return dnnl.create("matmul_primitive_desc_create", dnnl.engine,
                           *operands, None)
    a = kernel["attributes"]
    return dnnl.create("convolution_forward_primitive_desc_create",
                       dnnl.engine, FORWARD, DIRECT, *operands,
                       numbers(a["strides"]), numbers([0, 0]),
                       numbers(a["pads"][:2]), numbers(a["pads"][2:]), None)


def operand_shapes(kernel):
    right = list(kernel["right"])
    if kernel["kind"] == "conv" and kernel["attributes"]["group"] > 1:
        groups = kernel["attributes"]["group"]
        right = [groups, right[0] // groups] + right[1:]
    return {SRC: kernel["left"], WEIGHTS: right, DST: kernel["result"]}


def read_operands(case, shapes):
    arrays = read_arrays(case)
    right = arrays["w"] if "w" in arrays else numpy.fromfile(
        os.path.join(case["folder"], "right.bin"), numpy.float32)
    return {SRC: arrays["x"], WEIGHTS: right.reshape(shapes[WEIGHTS]),
            DST: numpy.empty(shapes[DST], numpy.float32)}


class Primitive:
    def __init__(self, dnnl, kernel, arrays, shapes):
        self.dnnl, self.arrays = dnnl, arrays
        desc = create_desc(dnnl, kernel, shapes)
        self.primitive = dnnl.create("primitive_create", desc)
        self.layouts = {key: ctypes.c_void_p(
            dnnl.library.dnnl_primitive_desc_query_md(desc, query, 0))
            for key, query in QUERY.items()}
        self.memory = {key: dnnl.create("memory_create", layout, dnnl.engine,
                                        ALLOCATE)
                       for key, layout in self.layouts.items()}
        for key in (SRC, WEIGHTS):
            dnnl.reorder(dnnl.wrap(arrays[key]),
                         dnnl.plain_layout(arrays[key].shape),
                         self.memory[key], self.layouts[key])
        self.arguments = (Argument * 3)(*self.memory.items())

    def run(self):
        self.dnnl.execute(self.primitive, self.arguments)
        return self

    def dump(self):
        result = self.arrays[DST]
        self.dnnl.reorder(self.memory[DST], self.layouts[DST],
                          self.dnnl.wrap(result),
                          self.dnnl.plain_layout(result.shape))
        return dump_arrays([result])


def load(model, case, threads):
    dnnl, shapes = Library(), operand_shapes(case["kernel"])
    arrays = read_operands(case, shapes)
    return dnnl.version, Primitive(dnnl, case["kernel"], arrays, shapes).run


serve(load, Primitive.dump)
