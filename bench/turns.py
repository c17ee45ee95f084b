"""Compile models with passes left out and time them in turns.

Each round times every library once, in a process of its own, so that a change
of clock speed meets all of them; a figure is the median of the rounds' medians.
"""
import json
import os
import statistics
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Failure(Exception):
    pass


def find_tvmc():
    path = os.environ.get("TVMC") or os.path.join(ROOT, "build", "bin", "tvmc")
    if not os.access(path, os.X_OK):
        raise Failure(f"'{path}' is missing: run './tvm build' or set TVMC")
    return path


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise Failure(lines[-1] if lines else f"exit code {done.returncode}")
    return done.stdout


KERNEL_SECONDS = 20  # what is left apart can take minutes to schedule


def compile_without(tvmc, model, library, passes):
    command = [tvmc, "compile", model, "-o", library,
               "--kernel-seconds", str(KERNEL_SECONDS)]
    if passes:
        command += ["--disable-pass", ",".join(passes)]
    run(command)


def count_kernels(tvmc, library):
    return len(json.loads(run([tvmc, "inspect", "--json", library]))["kernels"])


def bench(tvmc, library, threads, seconds):
    """The median of one round, in milliseconds."""
    probe = json.loads(run([tvmc, "bench", library, "--json", "--threads",
                            str(threads), "--warmup", "1", "--runs", "1"]))
    runs = int(min(2000, max(3, 1e3 * seconds / max(probe["median_ms"], 1e-3))))
    return json.loads(run([tvmc, "bench", library, "--json", "--threads",
                           str(threads), "--runs", str(runs)]))["median_ms"]


def time_in_turns(tvmc, libraries, threads=1, rounds=5, seconds=0.2):
    """A figure for each library."""
    times = [[] for _ in libraries]
    for _ in range(rounds):
        for row, library in zip(times, libraries):
            row.append(bench(tvmc, library, threads, seconds))
    return [statistics.median(row) for row in times]
