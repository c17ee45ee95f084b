"""bench/compare --kernels: kernels beside libraries and the machine's limit.

Figures are those of the least times, as the limit is that of the best trial.
Transposes between the layout of a model's inputs and that of a kernel do not
count, on our side nor on a peer's. Lines show the limit as known so far.
"""
import os
import tempfile

from comparison import Comparison, label
from limit import Limit, Record
from model_kernels import compare_own_kernels
from rounds import Failure, geometric_mean
from single_kernel import read_kernels

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "kernels.txt")


class KernelComparison(Comparison):
    def __init__(self, kernel, options, work):
        super().__init__(kernel.name, kernel.write(work), options, work)
        self.kernel = kernel

    def describe(self, listed):
        return {"kernel": self.kernel.describe(),
                "counted": [not k["name"].startswith("transpose")
                            for k in listed["kernels"]]}


def make_row(kernel, measured, limit, record):
    """In GFLOP/s; the ratio is that of times, ours to the best peer's."""
    rates = {name: kernel.flops * 1e-6 / e["minimum_ms"]
             for name, e in measured["engines"].items()}
    ours = rates.pop("ours")
    row = {"name": kernel.name, "threads": limit.threads, "default": ours,
           "best": record.update(kernel.name, limit.threads, ours),
           "peers": rates, "flops": kernel.flops, "bytes": kernel.bytes,
           "versions": {n: e["version"]
                        for n, e in measured["engines"].items()}}
    if rates:
        row["ratio"] = max(rates.values()) / ours
    set_limit(row, limit)
    return row


def set_limit(row, limit):
    row["limit"] = row["flops"] * 1e-6 / limit.milliseconds(row["flops"],
                                                            row["bytes"])
    row["share"] = row["default"] / row["limit"]


class KernelTable:
    def __init__(self, peers):
        self.peers = peers

    def print_head(self):
        columns = ["default", "best known", *self.peers, "limit", "of limit",
                   "ratio"]
        print(f"{'kernel, GFLOP/s':26} threads" +
              "".join(f"{c:>12}" for c in columns), flush=True)

    def print_row(self, row):
        figures = [row["default"], row["best"],
                   *(row["peers"].get(p) for p in self.peers), row["limit"]]
        ratio = f"{row['ratio']:.2f}" if "ratio" in row else "-"
        print(f"{row['name']:26} {row['threads']:7}" +
              "".join(f"{f:12.1f}" if f else f"{'-':>12}" for f in figures) +
              f"{100 * row['share']:11.0f}%{ratio:>12}", flush=True)

    def print_mean(self, means, threads):
        ratio = f"{means['ratio']:.2f}" if means["ratio"] else "-"
        space = " " * (12 * (len(self.peers) + 3))
        print(f"{'geometric mean':26} {threads:7}{space}"
              f"{100 * means['share']:11.0f}%{ratio:>12}", flush=True)


def mean_figures(rows, threads):
    rows = [r for r in rows if r["threads"] == threads]
    return {"share": geometric_mean([r["share"] for r in rows]),
            "ratio": geometric_mean([r["ratio"] for r in rows
                                     if "ratio" in r])}


def choose_kernels(options):
    try:
        kernels = read_kernels(options.table)
    except (OSError, ValueError) as reason:
        raise Failure(str(reason)) from None
    chosen = [k for k in kernels if options.match in k.name]
    if not chosen:
        raise Failure(f"no kernel of '{options.table}' has '{options.match}' "
                      "in its name")
    return chosen


def compare_kernel(kernel, options, limits, record, report):
    with tempfile.TemporaryDirectory() as work:
        comparison = KernelComparison(kernel, options, work)
        comparison.compile()
        for limit in limits:
            measured = comparison.measure(limit.threads)
            limit.measure("fma")
            report(make_row(kernel, measured, limit, record))


def compare_kernels(options, cpu, complain):
    """The rows of the table, printed on the way, and the limits."""
    limits = [Limit(t) for t in options.threads]
    if not options.json:
        print("\n".join(limit.describe() for limit in limits))
    if options.dirs:
        return compare_own_kernels(options, limits, complain), limits
    record = Record(options.record, cpu)
    table, rows = KernelTable([label(p) for p in options.peers]), []

    def report(row):
        rows.append(row)
        if not options.json:
            table.print_row(row)

    if not options.json:
        table.print_head()
    for kernel in choose_kernels(options):
        try:
            compare_kernel(kernel, options, limits, record, report)
        except Failure as reason:
            complain(kernel.name, reason)
    raise_limits(rows, limits)
    if rows and not options.json:
        for threads in options.threads:
            table.print_mean(mean_figures(rows, threads), threads)
    return rows, limits


def raise_limits(rows, limits):
    """By what the machine did at any time of the run."""
    for limit in limits:
        limit.measure()
        for row in rows:
            if row["threads"] == limit.threads:
                set_limit(row, limit)
