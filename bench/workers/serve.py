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


def read_case(folder):
    with open(os.path.join(folder, "case.json"), encoding="utf-8") as f:
        case = json.load(f)
    for entry in case["inputs"]:
        with open(os.path.join(folder, entry["file"]), "rb") as f:
            entry["data"] = f.read()
    case["folder"] = folder
    return case


def read_arrays(case):
    import numpy
    return {e["name"]: numpy.frombuffer(e["data"], e["type"])
            .reshape(e["shape"]).copy() for e in case["inputs"]}


def write_outputs(outputs, folder):
    listed = []
    for i, (dtype, data) in enumerate(outputs):
        name = f"output_{i}.bin"
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)
        listed.append({"type": dtype, "file": name})
    return listed


def measure(run, seconds, elapsed):
    run()  # wakes threads and brings back what others put out of the caches
    times, end = [], time.perf_counter() + seconds
    while len(times) < LEAST_RUNS or time.perf_counter() < end:
        start = time.perf_counter_ns()
        run()
        ns = time.perf_counter_ns() - start
        times.append((elapsed() if elapsed else ns) * 1e-6)
    return {"median_ms": statistics.median(times), "minimum_ms": min(times),
            "runs": len(times)}


def serve(load, dump=dump_arrays):
    """`load(model, case, threads)` gives a version, a function that runs the
    model and, where the time that counts is another than that of the call, one
    that gives the last run's nanoseconds; `case` is case.json with its folder
    and the bytes of inputs. `dump` turns a result into (type, bytes)s."""
    model, folder, threads = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what engines print is no answer

    def answer(words):
        print(json.dumps(words), file=answers, flush=True)

    try:
        version, run, *elapsed = load(model, read_case(folder), int(threads))
        outputs = write_outputs(dump(run()), folder)
    except Exception as reason:
        sys.exit(" ".join(f"{type(reason).__name__}: {reason}".split()))
    answer({"version": version, "outputs": outputs})
    gc.disable()
    for line in sys.stdin:
        answer(measure(run, float(line), *(elapsed or [None])))
