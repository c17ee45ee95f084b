"""The kernels of whole models beside the machine's limit."""
import json
import os
import tempfile

from comparison import Comparison, find_model
from rounds import Failure, run

PROFILES = 3


def take_profile(comparison, threads):
    """The least milliseconds of each launch."""
    command = [comparison.options.tvmc, "bench", comparison.library, "--json",
               "--profile", "--threads", str(threads), "--runs", "3"]
    for name, path in comparison.case.files():
        if name not in comparison.options.freeze:
            command += ["--input", f"{name}={path}"]
    profiles = [[k["ms"] for k in json.loads(run(command))["kernels"]]
                for _ in range(PROFILES)]
    return [min(times) for times in zip(*profiles)]


def make_rows(comparison, listed, limit):
    rows = []
    for kernel, ms in zip(listed["kernels"],
                          take_profile(comparison, limit.threads)):
        least = limit.milliseconds(kernel["flops"], kernel["bytes"])
        rows.append({"model": comparison.name, "name": kernel["name"],
                     "threads": limit.threads, "ms": ms, "limit_ms": least,
                     "gflops": kernel["flops"] * 1e-6 / ms if ms else 0})
    return rows


def print_line(name, ms, limit_ms, rate, total):
    print(f"{name:44} {ms:9.3f} {limit_ms:9.3f} {100 * limit_ms / ms:8.0f}% "
          f"{rate:8.1f} {ms - limit_ms:9.3f} {100 * ms / total:6.1f}%")


def print_rows(rows):
    """The ones with the most to gain first."""
    total = sum(r["ms"] for r in rows) or 1
    print(f"{rows[0]['model']}, {rows[0]['threads']} threads\n"
          f"{'kernel':44} {'ms':>9} {'limit ms':>9} {'of limit':>9} "
          f"{'GFLOP/s':>8} {'to gain':>9} {'share':>7}")
    for r in sorted(rows, key=lambda r: r["limit_ms"] - r["ms"]):
        if r["ms"]:
            print_line(r["name"], r["ms"], r["limit_ms"], r["gflops"], total)
    flops = sum(r["gflops"] * r["ms"] for r in rows)
    print_line("all", total, sum(r["limit_ms"] for r in rows), flops / total,
               total)


def compare_own_kernels(options, limits, complain):
    rows = []
    for folder in options.dirs:
        try:
            with tempfile.TemporaryDirectory() as work:
                comparison = Comparison(*find_model(folder), options, work)
                listed = comparison.compile()
                for limit in limits:
                    mine = make_rows(comparison, listed, limit)
                    rows += mine
                    if mine and not options.json:
                        print_rows(mine)
        except (Failure, ValueError) as reason:
            complain(os.path.basename(os.path.normpath(folder)), reason)
    return rows
