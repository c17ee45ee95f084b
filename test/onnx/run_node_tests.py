#!/usr/bin/env python3
"""Run the ONNX node tests and compare with the list of expected failures.

A test that fails without being listed is an error, and so are one that is
listed but passes, one that is listed but does not exist, and any that dies
by a signal. Example:

  test/onnx/run_node_tests.py build/bin/tvmc --jobs 2
"""
import argparse
import json
import pathlib
import subprocess
import sys

DEFAULT_TESTS = "/usr/share/libonnx-testdata/data/node"
BATCH = 100


def read_expected(path):
    """Return {name: reason}. Lines are `name<TAB>reason`, sorted by name."""
    expected = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        name, tab, reason = line.partition("\t")
        if not tab or not reason.strip():
            sys.exit(f"{path}:{number}: expects 'name<TAB>reason'")
        if expected and name <= next(reversed(expected)):
            sys.exit(f"{path}:{number}: '{name}' is not in order")
        expected[name] = reason
    return expected


def verify(tvmc, folders, jobs, timeout):
    """Return {name: reason} of the folders that fail."""
    command = [tvmc, "verify", "--json", "--jobs", str(jobs)]
    command += ["--timeout", str(timeout)] + [str(f) for f in folders]
    run = subprocess.run(command, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"{tvmc} ended with {run.returncode}:\n{run.stderr[-2000:]}")
    report = json.loads(run.stdout)
    if report["passed"] + report["failed"] != len(folders):
        sys.exit(f"{tvmc} reports on {report['passed'] + report['failed']} "
                 f"of {len(folders)} folders")
    return {pathlib.Path(f["folder"]).name: f["reason"]
            for f in report["failures"]}


def run_all(tvmc, folders, jobs, timeout):
    failures = {}
    for begin in range(0, len(folders), BATCH):
        failures.update(
            verify(tvmc, folders[begin:begin + BATCH], jobs, timeout))
        done = min(begin + BATCH, len(folders))
        print(f"{done} of {len(folders)}", file=sys.stderr, flush=True)
    return failures


def judge(names, failures, expected):
    """Return (passed, failed as expected, sentences on the rest)."""
    unexpected, passed, known = [], 0, 0
    for name in names:
        reason = failures.get(name)
        if reason is not None and "crashed by signal" in reason:
            unexpected.append(f"{name}: {reason}")
        elif reason is None and name in expected:
            unexpected.append(f"{name}: passes, but is listed to fail")
        elif reason is None:
            passed += 1
        elif name in expected:
            known += 1
        else:
            unexpected.append(f"{name}: {reason}")
    missing = sorted(set(expected) - set(names))
    unexpected += [f"{name}: is listed, but does not exist"
                   for name in missing]
    return passed, known, unexpected


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tvmc")
    parser.add_argument("--tests", default=DEFAULT_TESTS,
                        help="folder of the node tests")
    parser.add_argument("--expected", default=pathlib.Path(__file__).parent /
                        "expected-failures.txt", type=pathlib.Path)
    parser.add_argument("--jobs", default=2, type=int)
    parser.add_argument("--timeout", default=60, type=int,
                        help="seconds that one test may take")
    parser.add_argument("--filter", default="", help="part of the names")
    parser.add_argument("--write", type=pathlib.Path,
                        help="write all failures as name<TAB>reason")
    args = parser.parse_args()
    root = pathlib.Path(args.tests)
    if not root.is_dir():
        sys.exit(f"{root} is not a folder; install libonnx-testdata")
    folders = sorted(f for f in root.iterdir()
                     if args.filter in f.name and (f / "model.onnx").exists())
    names = [f.name for f in folders]
    expected = {name: reason
                for name, reason in read_expected(args.expected).items()
                if args.filter in name}
    failures = run_all(args.tvmc, folders, args.jobs, args.timeout)
    if args.write:
        lines = [f"{name}\t{' '.join(reason.split())}\n"
                 for name, reason in sorted(failures.items())]
        args.write.write_text("".join(lines))
    passed, known, unexpected = judge(names, failures, expected)
    for sentence in unexpected:
        print(sentence)
    print(f"{passed} passed, {known} failed as expected, "
          f"{len(unexpected)} unexpected")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
