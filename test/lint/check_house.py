#!/usr/bin/python3
"""Check what no compiler checks: the house rules of the sources.

usage: check_house.py ROOT

- dialects: an operation of graph.irdl.mlir has a row in operators.def and a
  mention in a test, and the other way round;
- imports.def is sorted and names each operator once per opset;
- passes.def: each pass has a test that runs it;
- C++ stands in seam/ alone, which has under 700 lines;
- operations of our dialects in schedules and tests exist;
- .pdll files: operations and attributes exist, what a rule builds lists all
  attributes of its operation, and C functions stand in a .def;
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
        if not path.endswith(".mlir") or path.endswith(".irdl.mlir"):
            continue
        use = r'(?<![\w.@%"])(graph|te)\.(\w+)\('
        if "/schedules/" in path:
            use = r"(?<![\w.@%])(graph|te)\.(\w+)"
        for dialect, name in re.findall(use, read(root, path)):
            if name not in known[dialect] and "unknown" not in name:
                complain(path, "there is no operation '%s.%s'" % (dialect, name))


def irdl_attributes(root, dialect):
    """Operation -> the names of its attributes."""
    text = read(root, "dialects/%s/%s.irdl.mlir" % (dialect, dialect))
    parts = re.split(r"irdl\.operation @(\w+)", text)[1:]
    return {"%s.%s" % (dialect, name): set(re.findall(r'"(\w+)" = %', body))
            for name, body in zip(parts[::2], parts[1::2])}


PDLL_OP = re.compile(r"(replace \w+ with |= )op<(\w+\.\w+)>\s*(?:\([^()]*\))?"
                     r"\s*(?:\{([^{}]*)\})?", re.S)


def check_pattern_ops(path, text, known):
    """An operation that a rule builds follows 'rewrite' in its pattern."""
    for pattern in re.split(r"^Pattern ", text, flags=re.M)[1:]:
        start = pattern.find("rewrite ")
        for op in PDLL_OP.finditer(pattern):
            name, listed = op.group(2), op.group(3) or ""
            attributes = set(re.findall(r"(\w+)\s*=", re.sub(r'"[^"\\]*(?:\\.[^"\\]*)*"', "", listed)))
            if name not in known:
                complain(path, "there is no operation '%s'" % name)
                continue
            for attribute in sorted(attributes - known[name]):
                complain(path, "'%s' has no attribute '%s'" % (name, attribute))
            if 0 <= start < op.start():
                for attribute in sorted(known[name] - attributes):
                    complain(path, "'%s' is built without its attribute '%s'" % (name, attribute))


def check_patterns(root, files):
    known = {}
    for dialect in ("graph", "te"):
        known.update(irdl_attributes(root, dialect))
    rows = set()
    for path in files:
        if path.endswith("_functions.def"):
            rows |= set(re.findall(r"^(CONSTRAINT|REWRITE)\((\w+),", read(root, path), re.M))
    declared = set()
    for path in files:
        if not path.endswith(".pdll"):
            continue
        text = re.sub(r"//.*", "", read(root, path))
        check_pattern_ops(path, text, known)
        functions = {(kind.upper(), name) for kind, name in
                     re.findall(r"^(Constraint|Rewrite) (\w+)\(", text, re.M)}
        declared |= functions
        for kind, name in sorted(functions - rows):
            complain(path, "no row %s(%s, ...) in a _functions.def" % (kind, name))
    for kind, name in sorted(rows - declared):
        complain("passes", "no .pdll declares %s(%s, ...)" % (kind, name))


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
    check_patterns(root, files)
    check_sources(root, files)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
