"""Give tvmc each good and bad .npy file; then damaged ones by the hundred.

usage: check_npy.py TVMC LIBRARY FOLDER

A bad file is one sentence and exit code 1, whatever is in it.
"""

import os
import random
import subprocess
import sys

import make_tensors

DAMAGED = 200


def run(tvmc, library, path, *more):
    return subprocess.run([tvmc, "run", library, "--input", "x=" + path, *more],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def check_good(tvmc, library, folder):
    for name in make_tensors.make_good():
        path = os.path.join(folder, "good", name + ".npy")
        out = os.path.join(folder, "out.npy")
        done = run(tvmc, library, path, "--output", "y=" + out)
        assert done.returncode == 0, (name, done.stderr)
        with open(out, "rb") as written:
            got = written.read()
        relu = [max(v, 0.0) for v in make_tensors.VALUES]
        want = make_tensors.struct.pack("<6f", *relu)
        assert got.endswith(want) and len(got) % 64 == 24, (name, got)


def check_bad(tvmc, library, folder):
    for name, (_, sentence) in make_tensors.make_bad().items():
        path = os.path.join(folder, "bad", name + ".npy")
        done = run(tvmc, library, path)
        space = "" if sentence.startswith(":") else " "
        want = f"tvmc: error: '{path}'{space}{sentence}\n"
        assert done.returncode == 1, (name, done.returncode)
        assert done.stderr.decode() == want, (name, done.stderr, want)


def check_damaged(tvmc, library, folder):
    source = random.Random(7)
    path = os.path.join(folder, "damaged.npy")
    whole = make_tensors.npy()
    for _ in range(DAMAGED):
        content = bytearray(whole)
        for _ in range(source.choice([1, 1, 2, 5])):
            at = source.randrange(len(whole) - len(make_tensors.RAW))
            content[at] = source.randrange(256)
        if source.random() < 0.3:
            content = content[: source.randrange(len(content))]
        with open(path, "wb") as out:
            out.write(content)
        done = run(tvmc, library, path)
        assert done.returncode in (0, 1), (bytes(content), done.returncode)
        lines = done.stderr.splitlines()
        assert len(lines) == done.returncode, (bytes(content), done.stderr)


def main():
    tvmc, library, folder = sys.argv[1:]
    check_good(tvmc, library, folder)
    check_bad(tvmc, library, folder)
    check_damaged(tvmc, library, folder)
    print("all npy files as expected")


if __name__ == "__main__":
    main()
