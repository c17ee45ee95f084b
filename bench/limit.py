"""What the machine allows, and the best that is known of our kernels."""
import json
import os

from rounds import find_tool, run


class Limit:
    """The roofline of a count of threads: the best of all measurements."""

    def __init__(self, threads):
        self.threads, self.gflops, self.reads = threads, 0, []
        self.measure()

    def measure(self, *what):
        """All, or only "fma"."""
        peak = json.loads(run([find_tool("PEAK", "bin", "peak"),
                               str(self.threads), *what]))
        self.gflops = max(self.gflops, peak["gflops"])
        reads = [(r["bytes"], r["gbytes"]) for r in peak.get("reads", [])]
        before = dict(self.reads)
        self.reads = [(size, max(rate, before.get(size, 0)))
                      for size, rate in reads] or self.reads

    def gbytes(self, size):
        """Of reads of so much memory again and again."""
        smaller = [rate for least, rate in self.reads if least <= size]
        return smaller[-1] if smaller else self.reads[0][1]

    def milliseconds(self, flops, size):
        return max(flops / self.gflops, size / self.gbytes(size)) * 1e-6

    def describe(self):
        last = self.reads[-1][1]
        return (f"limit of {self.threads} "
                f"thread{'s' * (self.threads > 1)}: {self.gflops:.0f} "
                f"GFLOP/s, {last:.1f} GB/s from memory")


class Record:
    """GFLOP/s of kernels, kept in a file from one run to the next."""

    def __init__(self, path, cpu):
        self.path, self.cpu, self.figures = path, cpu, {}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                self.figures = json.load(f)

    def update(self, name, threads, gflops):
        """The best figure, with the new one."""
        mine = self.figures.setdefault(self.cpu, {})
        key = f"{name} {threads}"
        mine[key] = best = max(gflops, mine.get(key, 0))
        if self.path:
            with open(self.path, "w", encoding="utf-8") as f:
                json.dump(self.figures, f, indent=1, sort_keys=True)
                f.write("\n")
        return best
