"""Print the table of operators that stands in docs/dialects/graph.md.

usage: list_operators.py ROOT
"""
import os
import re
import sys

CLASSES = ["ELEMENTWISE", "INJECTIVE", "REDUCTION", "COMPLEX", "OPAQUE"]


def read(root, name):
    path = os.path.join(root, "dialects", "graph", name)
    with open(path, encoding="utf-8") as f:
        return f.read()


def attributes(irdl, op):
    body = re.search(r"@%s .*?\n  }" % op, irdl, re.S).group(0)
    found = re.search(r"irdl\.attributes \{(.*?)\}", body)
    return re.findall(r'"(\w+)" =', found.group(1)) if found else []


def entry(irdl, op):
    names = ", ".join("`%s`" % a for a in attributes(irdl, op))
    return "`%s`" % op + (" (%s)" % names if names else "")


def main():
    root = sys.argv[1]
    irdl = read(root, "graph.irdl.mlir")
    rows = re.findall(r"^OPERATOR\((\w+), (\w+), \w+\)",
                      read(root, "operators.def"), re.M)
    print("| class | operators |\n|---|---|")
    for c in CLASSES:
        ops = ", ".join(entry(irdl, op) for op, k in rows if k == c)
        print("| %s | %s |" % (c.lower(), ops))


main()
