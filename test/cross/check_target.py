#!/usr/bin/python3
"""Compile models for a target, run them there or under qemu-user, and compare
with what this machine computes.

usage: check_target.py TARGET OUTPUT_FOLDER MODEL_FOLDER...

A model folder is one of the ONNX test layout. The numbers of the target, of the
host and of the folder must agree. The runtime and run_model.c are built for the
target with clang.
"""
import glob
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import numpy_helper

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RTOL, ATOL = 1e-4, 1e-5
FOREIGN = {"aarch64": "aarch64-linux-gnu", "riscv64": "riscv64-linux-gnu"}


def build_runner(triple, folder):
    """The runtime and run_model.c as one program; a list of its first words."""
    program = os.path.join(folder, "run_model-%s" % (triple or "native"))
    target = ["--target=" + triple, "-fuse-ld=lld"] if triple else []
    subprocess.run(
        ["clang-22", *target, "-O1", "-std=gnu11", "-I",
         os.path.join(ROOT, "include"),
         os.path.join(ROOT, "test/cross/run_model.c"),
         *glob.glob(os.path.join(ROOT, "runtime/*.c")),
         "-o", program, "-lpthread", "-ldl"], check=True)
    if not triple:
        return [program]
    return ["qemu-" + triple.split("-")[0], "-L", "/usr/" + triple, program]


def read_tensors(folder, kind):
    count = len(glob.glob(os.path.join(folder, "test_data_set_0", kind + "_*.pb")))
    paths = [os.path.join(folder, "test_data_set_0", "%s_%d.pb" % (kind, i))
             for i in range(count)]
    tensors = []
    for path in paths:
        with open(path, "rb") as f:
            tensors.append(numpy_helper.to_array(onnx.TensorProto.FromString(f.read())))
    return tensors


def compute(target, runner, model, folder):
    """All numbers that the model's outputs have, compiled for the target."""
    stem = os.path.join(folder, os.path.basename(model))
    library = "%s-%s.so" % (stem, target)
    subprocess.run(["tvmc", "compile", os.path.join(model, "model.onnx"),
                    "--target", target, "-o", library],
                   check=True, stdout=subprocess.DEVNULL)
    inputs = []
    for i, tensor in enumerate(read_tensors(model, "input")):
        inputs.append("%s.input_%d" % (stem, i))
        np.ascontiguousarray(tensor).tofile(inputs[-1])
    raw = subprocess.run([*runner, library, *inputs], check=True,
                         stdout=subprocess.PIPE).stdout
    at, values = 0, []
    for tensor in read_tensors(model, "output"):
        piece = np.frombuffer(raw, tensor.dtype, tensor.size, at)
        at += piece.nbytes
        values.append(piece.astype(np.float64))
    if at != len(raw):
        sys.exit("%s: expects %d bytes of outputs, got %d" % (model, at, len(raw)))
    return np.concatenate(values)


def distance(got, expected):
    """In units of what is allowed; NaN must meet NaN."""
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        far = np.abs(got - expected) / (ATOL + RTOL * np.abs(expected))
    return float(np.max(np.where(same, 0, np.where(np.isnan(far), np.inf, far))))


def main():
    target, folder, models = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(folder, exist_ok=True)
    native = build_runner(None, folder)
    runner = build_runner(FOREIGN[target], folder) if target in FOREIGN else native
    failed = 0
    for model in models:
        expected = np.concatenate(
            [t.astype(np.float64).ravel() for t in read_tensors(model, "output")])
        got = compute(target, runner, model, folder)
        host = compute("host", native, model, folder)
        far = max(distance(got, expected), distance(got, host))
        failed += not far <= 1
        print("%s %s: %s (%.2f of what is allowed)" % (
            os.path.basename(model), target, "same" if far <= 1 else "DIFFERS", far))
    print("%d same, %d differ" % (len(models) - failed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
