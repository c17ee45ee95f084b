"""A peer of bench/compare that computes y = max(x, 0), well or badly.

FAKE says how: right, wrong, half (as many elements as the half of them), none
(it cannot load the model), noisy (it prints more than it must), dies (in its
first round) or mute (it never answers).
"""
import os
import signal
import struct
import sys
import time

from serve import serve


def load(model, case, threads):
    how = os.environ["FAKE"]
    if how == "none":
        raise ValueError("no such\noperator")
    if how == "noisy":
        print("welcome", flush=True)
    if how == "mute":
        time.sleep(60)
    data = case["inputs"][0]["data"]
    values = struct.unpack(f"<{len(data) // 4}f", data)
    results = [max(v, 0) + (how == "wrong") for v in values]
    if how == "half":
        results = results[:len(results) // 2]
    runs = []

    def run():
        runs.append(1)
        if how == "dies" and len(runs) > 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return results

    return "1.0", run


def dump(results):
    return [("float32", struct.pack(f"<{len(results)}f", *results))]


serve(load, dump)
