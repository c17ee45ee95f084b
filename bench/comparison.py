"""One model in several engines."""
import json
import os
import sys

from case import Case
from rounds import Failure, Worker, run, run_rounds


def label(engine):
    """What a column is called: a peer may be the path of its worker."""
    name = os.path.basename(engine)
    return name[:-len("_worker.py")] if name.endswith("_worker.py") else name


def find_model(folder):
    """The name and the file of a model, given its folder or itself."""
    model = folder
    if os.path.isdir(folder):
        model = os.path.join(folder, "model.onnx")
    if not os.path.isfile(model):
        raise Failure(f"'{model}' is no file")
    return os.path.basename(os.path.normpath(folder)), model


class Comparison:
    """One model: compiled once, then timed with each count of threads."""

    def __init__(self, name, model, options, work):
        self.name, self.options = name, options
        self.model, self.work = os.path.abspath(model), work
        self.library = os.path.join(work, "model.so")
        self.case, self.unable = Case(self.model), set()

    def complain(self, engine, reason):
        print(f"compare: warning: {self.name}: {label(engine)}: {reason}",
              file=sys.stderr, flush=True)

    def compile(self):
        """Leaves the library and the case; returns what tvmc lists of it."""
        fixed = self.case.options(self.options.freeze)
        for shape in self.options.shape:
            fixed += ["--shape", shape]
        run([self.options.tvmc, "compile", self.model, "-o", self.library] +
            fixed)
        listed = json.loads(run([self.options.tvmc, "inspect", "--json",
                                 self.library]))
        self.flops = sum(k["flops"] for k in listed["kernels"])
        self.case.write(self.work, listed["inputs"], self.describe(listed))
        return listed

    def describe(self, listed):
        """What case.json has beside the inputs."""
        return {}

    def start_ours(self, threads):
        worker = Worker("tvm", sys.executable, self.library, self.work,
                        threads, self.options.limit)
        if not self.case.expected:
            self.case.expected = worker.outputs
        error = self.case.error(worker.outputs)
        if not error <= self.options.tolerance:
            worker.close()
            raise Failure(f"our result is wrong by {error:.2g} of its range")
        return worker

    def start_peer(self, engine, threads):
        worker = Worker(engine, self.options.python, self.model, self.work,
                        threads, self.options.limit)
        error = self.case.error(worker.outputs)
        if not error <= self.options.tolerance:
            worker.close()
            raise Failure(f"its result is wrong by {error:.2g} of its range")
        return worker

    def measure(self, threads):
        """A row, with the figures of each engine that ran."""
        workers = {"ours": self.start_ours(threads)}
        for engine in self.options.peers:
            if engine in self.unable:
                continue
            try:
                workers[engine] = self.start_peer(engine, threads)
            except Failure as reason:
                self.unable.add(engine)
                self.complain(engine, reason)
        try:
            run_rounds(workers, self.options.rounds, self.options.seconds,
                       self.complain)
            return self.make_row(threads, workers)
        finally:
            for worker in workers.values():
                worker.close()

    def make_row(self, threads, workers):
        if "ours" not in workers:
            raise Failure("our run failed")
        row = {"name": self.name, "threads": threads, "flops": self.flops,
               "engines": {}}
        for name, worker in workers.items():
            row["engines"][label(name)] = dict(worker.figures(),
                                               version=worker.version)
        for key, figure in (("ratio", "median_ms"),
                            ("ratio_of_minima", "minimum_ms")):
            peers = {n: e[figure] for n, e in row["engines"].items()
                     if n != "ours"}
            if peers:
                best = min(peers, key=peers.get)
                row[key] = row["engines"]["ours"][figure] / peers[best]
                if key == "ratio":
                    row["best"] = best
        return row
