"""OpenBLAS, the one in numpy's wheel: products, and convolutions that are one.

Reads the kernel of case.json, not the model.
"""
import numpy

from serve import dump_arrays, read_arrays, serve


def version():
    packages = numpy.show_config(mode="dicts")["Build Dependencies"]
    blas = packages["blas"]
    if "openblas" not in blas["name"]:
        raise RuntimeError(f"numpy was built with {blas['name']}")
    return blas["version"]


def operands(case):
    """The matrices whose product is the kernel."""
    kernel, arrays = case["kernel"], read_arrays(case)
    left = arrays["x"]
    right = arrays["w"] if "w" in arrays else numpy.fromfile(
        case["folder"] + "/right.bin", numpy.float32).reshape(kernel["right"])
    if kernel["kind"] != "conv":
        return left, right
    a = kernel["attributes"]
    if (max(a["kernel_shape"] + a["strides"]) > 1 or max(a["pads"]) > 0 or
            a["group"] > 1):
        raise RuntimeError("OpenBLAS has no such convolution")
    return (right.reshape(right.shape[:2]),
            left.reshape(left.shape[1], -1))


def load(model, case, threads):
    left, right = operands(case)
    out = numpy.empty((*left.shape[:-1], right.shape[-1]), numpy.float32)
    return version(), lambda: [numpy.matmul(left, right, out=out)]


serve(load, dump_arrays)
