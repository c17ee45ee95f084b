#!/usr/bin/env python3
"""Compile random graphs with and without optimizations and compare.

usage: random_graphs.py FOLDER [--tvmc TVMC] [--count N] [--seed S] [--jobs J]

Graph number S, S+1, ... of the operators of random_ops.py is written as an
ONNX model with data computed by numpy, and must give the same values as
compiled by default, without any optimization, and without one of them.
Integers are compared exactly, floats to 1e-4 of the range of a tensor. A graph
that fails is cut down to the nodes that matter and left in
FOLDER/failure_<seed>, its text beside it.

  random_graphs.py /tmp/graphs --tvmc build/bin/tvmc --count 1000
"""
import argparse
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from random_ops import BOOL, F32, I32, I64, STEPS, Graph, Skip

TOLERANCE = ["--rtol", "1e-4", "--atol", "2e-5", "--of-range"]
SHAPES = [(1,), (7,), (3, 5), (1, 8), (4, 1), (2, 3, 4), (1, 5, 16),
          (1, 3, 7, 7), (2, 4, 5, 6), (1, 8, 9, 9), (1, 16, 6, 6),
          (1, 1, 1, 1), (2, 8, 11), ()]


def add_input(g):
    shape = SHAPES[g.rng.integers(len(SHAPES))]
    dtype = F32 if g.chance(0.85) else [I32, I64, BOOL, np.int8][g.between(0, 3)]
    if dtype == F32:
        array = g.rng.uniform(-2, 2, shape).astype(F32)
        if g.special and array.size:
            flat = array.reshape(-1)
            for value in (np.nan, np.inf, -np.inf, -0.0, 0.0):
                flat[g.rng.integers(flat.size)] = value
    elif dtype == BOOL:
        array = g.rng.integers(0, 2, shape).astype(bool)
    else:
        array = g.rng.integers(-9, 10, shape).astype(dtype)
    g.inputs.append(g.put("x", array, dtype))


def generate(seed):
    """One graph in ten has NaN and infinities in its inputs."""
    rng = np.random.default_rng(seed)
    g = Graph(rng, special=seed % 10 == 9)
    for _ in range(g.between(1, 3)):
        add_input(g)
    weights = np.array([w for _, w in STEPS], float)
    wanted, attempts = g.between(2, 12), 0
    while len(g.nodes) < wanted and attempts < 300:
        attempts += 1
        step = STEPS[rng.choice(len(STEPS), p=weights / weights.sum())][0]
        try:
            with np.errstate(all="ignore"):
                step(g)
        except Skip:
            pass
    return g


def used(nodes):
    return {i for n in nodes for i in n.inputs}


def ends(g, rng):
    """Values that nothing reads, and now and then one that something does."""
    made = [o for n in g.nodes for o in n.outputs]
    read = used(g.nodes)
    return [o for o in made if o not in read or rng.random() < 0.08]


def proto_type(g, name):
    return helper.np_dtype_to_tensor_dtype(g.types[name]) \
        if hasattr(helper, "np_dtype_to_tensor_dtype") \
        else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[g.types[name]]


def info(g, name):
    return helper.make_tensor_value_info(name, proto_type(g, name),
                                         g.values[name].shape)


def array(g, name):
    return g.values[name].astype(g.types[name])


def write_case(g, nodes, outputs, folder):
    """Only what `outputs` need; values made by no node are inputs."""
    made = {o for n in nodes for o in n.outputs}
    names = used(nodes) | set(outputs)
    constants = [c for c in g.constants if c in names]
    inputs = [v for v in g.values
              if v in names and v not in made and v not in constants]
    graph = helper.make_graph(
        [helper.make_node(n.op, n.inputs, n.outputs, **n.attributes)
         for n in nodes], "random", [info(g, i) for i in inputs],
        [info(g, o) for o in outputs],
        [numpy_helper.from_array(array(g, c), c) for c in constants])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 15)])
    model.ir_version = 8
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(folder / "model.onnx"))
    for kind, of in (("input", inputs), ("output", outputs)):
        for i, name in enumerate(of):
            (data / f"{kind}_{i}.pb").write_bytes(numpy_helper.from_array(
                array(g, name), name).SerializeToString())


def verify(tvmc, folders, options, jobs):
    """Returns {folder: reason} of those that fail."""
    command = [tvmc, "verify", "--json", "--jobs", str(jobs), "--timeout",
               "20"] + TOLERANCE + options + [str(f) for f in folders]
    run = subprocess.run(command, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True,
                         preexec_fn=limit_memory)
    if run.returncode not in (0, 1) or not run.stdout:
        sys.exit(f"{tvmc} verify ended with {run.returncode}")
    report = json.loads(run.stdout)
    if report["passed"] + report["failed"] != len(folders):
        sys.exit(f"{tvmc} verify reports on too few folders")
    return {f["folder"]: f["reason"] for f in report["failures"]}


def needed(nodes, outputs):
    wanted, kept = set(outputs), []
    for n in reversed(nodes):
        if wanted & set(n.outputs):
            kept.insert(0, n)
            wanted |= set(n.inputs)
    return kept


class Shrinker:
    def __init__(self, g, tvmc, options, folder):
        self.g, self.tvmc, self.options = g, tvmc, options
        self.folder = folder

    def fails(self, nodes, outputs):
        if not nodes:
            return None
        shutil.rmtree(self.folder, ignore_errors=True)
        write_case(self.g, nodes, outputs, self.folder)
        return verify(self.tvmc, [self.folder], self.options,
                      1).get(str(self.folder))

    def shrink(self, outputs):
        """Fewer outputs; then nodes become inputs, one by one."""
        nodes = needed(self.g.nodes, outputs)
        for output in list(outputs):
            rest = [o for o in outputs if o != output]
            if rest and self.fails(needed(nodes, rest), rest):
                outputs = rest
        nodes = needed(nodes, outputs)
        changed = True
        while changed:
            changed = False
            for n in list(nodes):
                rest = needed([m for m in nodes if m is not n], outputs)
                made = {o for m in rest for o in m.outputs}
                if set(outputs) <= made and self.fails(rest, outputs):
                    nodes, changed = rest, True
                    break
        reason = self.fails(nodes, outputs)
        return nodes, outputs, reason


def text(g, nodes, outputs):
    def show(name):
        return f"{name}:{g.types[name]}{list(g.values[name].shape)}"
    lines = [f"{', '.join(map(show, n.outputs))} = {n.op}("
             f"{', '.join(map(show, n.inputs))}) {n.attributes or ''}"
             for n in nodes]
    return "\n".join(lines + [f"outputs {', '.join(outputs)}"]) + "\n"


def optional_passes():
    rows = (pathlib.Path(__file__).resolve().parents[2] /
            "targets/llvm/graph_passes.def").read_text()
    names = re.findall(r'^GRAPH_PASS\(\w+, \w+, "([^"]+)",\s*OPTIONAL', rows,
                       re.M)
    return list(dict.fromkeys(names))


def variants(folders):
    """(options, folders): all by default and without any, shares without one."""
    yield [], folders
    yield ["--disable-pass", "all"], folders
    names = optional_passes()
    for i, name in enumerate(names):
        share = folders[i::len(names)]
        if share:
            yield ["--disable-pass", name], share


def report(seed, reason, options, tvmc, root):
    g = generate(seed)
    outputs = ends(g, np.random.default_rng(seed))
    folder = root / f"failure_{seed}"
    s = Shrinker(g, tvmc, options, folder)
    nodes, outputs, small = s.shrink(outputs)
    written = text(g, nodes, outputs)
    folder.mkdir(exist_ok=True)
    (folder / "graph.txt").write_text(written)
    print(f"graph {seed} {' '.join(options)}: {reason}\n"
          f"cut down in {folder}: {small}\n{written}", flush=True)


def limit_memory():
    """A schedule that unrolls without end must not take the machine along."""
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, resource.RLIM_INFINITY))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tvmc", default="tvmc")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    seeds = {}
    for seed in range(args.seed, args.seed + args.count):
        g = generate(seed)
        outputs = ends(g, np.random.default_rng(seed))
        if outputs:
            folder = args.folder / f"graph_{seed}"
            write_case(g, g.nodes, outputs, folder)
            seeds[str(folder)] = seed
    failed = set()
    for options, folders in variants(list(seeds)):
        found = verify(args.tvmc, folders, options, args.jobs)
        for folder, reason in found.items():
            if folder not in failed:
                failed.add(folder)
                report(seeds[folder], reason, options, args.tvmc, args.folder)
    print(f"{len(seeds)} graphs, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
