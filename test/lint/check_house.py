#!/usr/bin/python3
"""Check what no compiler checks: the house rules of the sources.

usage: check_house.py ROOT

- dialects: an operation of graph.irdl.mlir has a row in operators.def and a
  mention in a test, and the other way round;
- imports.def is sorted and names each operator once per opset;
- passes.def: each pass has a test that runs it;
- C++ stands in seam/ alone, which has under 700 lines;
- operations of our dialects in schedules and tests exist;
- sources are of 600 lines at most and hold no forgotten marks.
"""
import os
import re
import subprocess
import sys

problems = []


def complain(path, message):
    problems.append("%s: %s" % (path, message))


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as f:
        return f.read()


def list_files(root):
    out = subprocess.run(["git", "-C", root, "ls-files", "-z"],
                         capture_output=True, check=True).stdout.decode()
    return [p for p in out.split("\0") if p and os.path.isfile(os.path.join(root, p))]


def irdl_operations(root, dialect):
    text = read(root, "dialects/%s/%s.irdl.mlir" % (dialect, dialect))
    return set(re.findall(r"irdl\.operation @(\w+)", text))


def check_operators(root):
    path = "dialects/graph/operators.def"
    rows = re.findall(r"^OPERATOR\((\w+),", read(root, path), re.M)
    declared = irdl_operations(root, "graph")
    for name in sorted(declared - set(rows)):
        complain(path, "'graph.%s' has no row" % name)
    for name in sorted(set(rows) - declared):
        complain(path, "'%s' is no operation of the dialect" % name)
    for name in sorted({n for n in rows if rows.count(n) > 1}):
        complain(path, "'%s' has two rows" % name)


def check_imports(root):
    path = "targets/onnx/imports.def"
    rows = re.findall(r"^IMPORT\((\w+), (\d+),", read(root, path), re.M)
    keys = [(name, int(since)) for name, since in rows]
    if keys != sorted(keys):
        complain(path, "is not sorted")
    for key in sorted({k for k in keys if keys.count(k) > 1}):
        complain(path, "two rows for '%s' since opset %d" % key)


def check_passes(root, files):
    tests = "".join(read(root, p) for p in files
                    if p.startswith("test/") and p.endswith((".mlir", ".test")))
    for name in re.findall(r'^PASS\("([\w-]+)"', read(root, "passes/passes.def"), re.M):
        if "-" + name not in tests and name + ")" not in tests and name + "," not in tests:
            complain("passes/passes.def", "no test runs '%s'" % name)


def check_names(root, files):
    known = {d: irdl_operations(root, d) for d in ("graph", "te")}
    for path in files:
        if not path.endswith((".mlir", ".pdll")) or path.endswith(".irdl.mlir"):
            continue
        for dialect, name in re.findall(r'(?<![\w.@%"])(graph|te)\.(\w+)\(', read(root, path)):
            if name not in known[dialect] and "unknown" not in name:
                complain(path, "there is no operation '%s.%s'" % (dialect, name))


def check_sources(root, files):
    seam_lines = 0
    for path in files:
        if path.endswith((".cpp", ".cc", ".cxx", ".hpp")) and not path.startswith("seam/"):
            complain(path, "C++ outside of seam/")
        if not path.endswith((".c", ".h", ".cpp")):
            continue
        text = read(root, path)
        lines = text.count("\n")
        if path.startswith("seam/"):
            seam_lines += lines
        if lines > 600:
            complain(path, "has %d lines, at most 600 are allowed" % lines)
        if not text.startswith(("/*", "//")):
            complain(path, "does not begin with a comment")
        for mark in re.findall(r"\b(?:TODO|FIXME|XXX)\b", text):
            complain(path, "forgotten mark '%s'" % mark)
    if seam_lines >= 700:
        complain("seam", "has %d lines, expected under 700" % seam_lines)


def main():
    root = sys.argv[1]
    files = list_files(root)
    check_operators(root)
    check_imports(root)
    check_passes(root, files)
    check_names(root, files)
    check_sources(root, files)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
