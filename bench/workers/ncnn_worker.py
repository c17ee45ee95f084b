"""ncnn in f32; its converter pnnx, of a wheel of its own, reads the model."""
import importlib.metadata
import os
import subprocess
import sys

import ncnn
import numpy

from serve import dump_arrays, read_arrays, serve

TYPES = {"float32": "f32", "float64": "f64", "float16": "f16", "int32": "i32",
         "int64": "i64", "int8": "i8", "uint8": "u8"}


def convert(model, arrays, folder):
    """The files that ncnn loads, made once for all counts of threads."""
    names = {key: os.path.join(folder, "converted." + end) for key, end in (
        ("ncnnparam", "param"), ("ncnnbin", "bin"), ("ncnnpy", "ncnn.py"),
        ("pnnxparam", "pnnx.param"), ("pnnxbin", "pnnx.bin"),
        ("pnnxpy", "py"), ("pnnxonnx", "onnx"))}
    if not os.path.exists(names["ncnnbin"]):
        shapes = ",".join("[" + ",".join(map(str, a.shape)) + "]" +
                          TYPES[a.dtype.name] for a in arrays)
        tool = os.path.join(os.path.dirname(sys.executable), "pnnx")
        code = subprocess.run(
            [tool, model, f"inputshape={shapes}", "fp16=0"] +
            [f"{k}={v}" for k, v in names.items()], cwd=folder).returncode
        if code:
            raise RuntimeError(f"pnnx cannot convert it, exit code {code}")
    return names["ncnnparam"], names["ncnnbin"]


def load_network(files, threads):
    network = ncnn.Net()
    network.opt.num_threads = threads
    for name in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic",
                 "use_bf16_storage"):
        if hasattr(network.opt, name):
            setattr(network.opt, name, False)
    if network.load_param(files[0]) or network.load_model(files[1]):
        raise RuntimeError("ncnn cannot load what pnnx made")
    return network


def as_mat(array):
    """ncnn has no batch and no 64-bit integers; a Mat borrows its array."""
    if array.dtype == numpy.int64:
        array = array.astype(numpy.int32)
    return ncnn.Mat(numpy.ascontiguousarray(array[0] if array.ndim else
                                            array)).clone()


def load(model, case, threads):
    arrays = list(read_arrays(case).values())
    network = load_network(convert(model, arrays, case["folder"]), threads)
    pairs = list(zip(network.input_names(), map(as_mat, arrays)))
    names = network.output_names()

    def run():
        extractor = network.create_extractor()
        for name, mat in pairs:
            extractor.input(name, mat)
        return [extractor.extract(name)[1] for name in names]

    return importlib.metadata.version("ncnn"), run


serve(load, lambda mats: dump_arrays(map(numpy.array, mats)))
