"""What the workers of bench/compare share: the words with it.

A worker is called with MODEL FOLDER THREADS. FOLDER holds case.json and the
inputs that it lists. The worker loads the model, runs it once, leaves the
outputs in FOLDER and prints {"version", "outputs"} on a line. Each line that
it then reads is a number of seconds to fill with runs; it answers
{"median_ms", "minimum_ms", "runs"}. Its last line on stderr says what failed.
"""
import gc
import json
import os
import statistics
import sys
import time

LEAST_RUNS = 3


def dump_arrays(arrays):
    return [(a.dtype.name, a.tobytes()) for a in arrays]


def read_inputs(folder):
    with open(os.path.join(folder, "case.json"), encoding="utf-8") as f:
        inputs = json.load(f)["inputs"]
    for entry in inputs:
        with open(os.path.join(folder, entry["file"]), "rb") as f:
            entry["data"] = f.read()
    return inputs


def read_arrays(inputs):
    import numpy
    return {e["name"]: numpy.frombuffer(e["data"], e["type"])
            .reshape(e["shape"]).copy() for e in inputs}


def write_outputs(outputs, folder):
    listed = []
    for i, (dtype, data) in enumerate(outputs):
        name = f"output_{i}.bin"
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)
        listed.append({"type": dtype, "file": name})
    return listed


def measure(run, seconds):
    run()  # wakes threads and brings back what others put out of the caches
    times, end = [], time.perf_counter() + seconds
    while len(times) < LEAST_RUNS or time.perf_counter() < end:
        start = time.perf_counter_ns()
        run()
        times.append((time.perf_counter_ns() - start) * 1e-6)
    return {"median_ms": statistics.median(times), "minimum_ms": min(times),
            "runs": len(times)}


def serve(load, dump=dump_arrays):
    """`load(model, inputs, threads, folder)` gives a version and a function
    that runs the model; `dump` turns its result into (type, bytes)s."""
    model, folder, threads = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what engines print is no answer

    def answer(words):
        print(json.dumps(words), file=answers, flush=True)

    try:
        version, run = load(model, read_inputs(folder), int(threads), folder)
        outputs = write_outputs(dump(run()), folder)
    except Exception as reason:
        sys.exit(" ".join(f"{type(reason).__name__}: {reason}".split()))
    answer({"version": version, "outputs": outputs})
    gc.disable()
    for line in sys.stdin:
        answer(measure(run, float(line)))
