"""Workers that stay alive, and rounds in which each runs in turn."""
import json
import os
import random
import select
import signal
import statistics
import subprocess
import sys
import tempfile

WORKERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "workers")


class Failure(Exception):
    pass


def find_worker(engine):
    """The script of an engine, or `engine` itself where it is a script."""
    path = engine if engine.endswith(".py") else \
        os.path.join(WORKERS, f"{engine}_worker.py")
    if not os.path.isfile(path):
        raise Failure(f"there is no engine '{engine}'")
    return path


class Worker:
    """A model in an engine, in a process of its own."""

    def __init__(self, engine, python, model, folder, threads, limit):
        self.limit, self.buffer = limit, b""
        self.log = tempfile.TemporaryFile()
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads),
                           PYTHONPATH=WORKERS, PYTHONDONTWRITEBYTECODE="1")
        self.process = subprocess.Popen(
            [python, find_worker(engine), model, folder, str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
            env=environment)
        self.folder, self.medians, self.minimum = folder, [], float("inf")
        try:
            ready = self.answer()
        except Failure:
            self.close()
            raise
        self.version = ready["version"]
        self.outputs = [self.read_output(o) for o in ready["outputs"]]

    def read_output(self, entry):
        with open(os.path.join(self.folder, entry["file"]), "rb") as f:
            return entry["type"], f.read()

    def answer(self):
        """The next line, which is a JSON object."""
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], self.limit)[0]:
                raise Failure(f"no answer within {self.limit} s")
            part = os.read(self.process.stdout.fileno(), 65536)
            if not part:
                raise Failure(self.last_words())
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def last_words(self):
        code = self.process.wait()
        if code < 0:
            return f"killed by {signal.Signals(-code).name}"
        self.log.seek(0)
        lines = self.log.read().decode(errors="replace").split("\n")
        lines = [line.strip() for line in lines if line.strip()]
        return lines[-1] if lines else f"exit code {code}"

    def run(self, seconds):
        try:
            self.process.stdin.write(f"{seconds}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failure(self.last_words()) from None
        times = self.answer()
        self.medians.append(times["median_ms"])
        self.minimum = min(self.minimum, times["minimum_ms"])

    def figures(self):
        """Of the rounds' medians; the spread is between their quartiles."""
        middle = statistics.median(self.medians)
        low, high = middle, middle
        if len(self.medians) > 1:
            low, _, high = statistics.quantiles(self.medians, n=4,
                                                method="inclusive")
        return {"median_ms": middle, "spread_ms": high - low,
                "minimum_ms": self.minimum}

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()


def run_rounds(workers, rounds, seconds, complain):
    """Every worker in turn, each round in another order: threads that spin
    on after the work of one engine would always meet the same next one.

    `workers` maps names to workers; those that fail are closed and removed."""
    source = random.Random(0)
    for _ in range(rounds):
        for name in source.sample(list(workers), len(workers)):
            try:
                workers[name].run(seconds)
            except Failure as reason:
                complain(name, reason)
                workers.pop(name).close()


def geometric_mean(values):
    return statistics.geometric_mean(values) if values else None


def find_tool(variable, *place):
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.environ.get(variable) or os.path.join(root, "build", *place)
    if not os.access(path, os.R_OK):
        raise Failure(f"'{path}' is missing: run './tvm build' or set "
                      f"{variable}")
    return path


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        reason = lines[-1] if lines else f"exit code {done.returncode}"
        name = os.path.basename(command[0])
        raise Failure(reason if reason.startswith(name) else
                      f"{name}: {reason}")
    return done.stdout
