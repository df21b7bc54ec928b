#!/usr/bin/env python3
"""Our libcudart exports exactly the listed names, all under its version node, and has the
right SONAME; where the toolkit's library is given, that one's list is the same.

cudart_exports.py LIBRARY LIST [TOOLKIT_LIBRARY]
"""
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported(library):
    """[(name, version)] of the functions a library defines."""
    found = []
    for line in run("nm", "-D", "--defined-only", library).splitlines():
        _, kind, name = line.split()
        if kind == "T" or kind == "t":
            found.append(tuple(name.split("@@")) if "@@" in name else (name, ""))
    return sorted(found)


def soname(library):
    return re.search(r"\(SONAME\).*\[(.*)\]", run("readelf", "-d", library)).group(1)


def differences(found, wanted, node):
    names = [name for name, _ in found]
    return ([f"exported, but not in the list: {n}" for n in sorted(set(names) - set(wanted))]
            + [f"in the list, but not exported: {n}"
               for n in sorted(set(wanted) - set(names))]
            + [f"{n}: version {v!r}, not {node!r}" for n, v in found if v != node])


def self_test():
    wanted = ["cudaA", "cudaB"]
    good = [("cudaA", "n"), ("cudaB", "n")]
    return (differences(good, wanted, "n") == []
            and differences(good[:1], wanted, "n") != []
            and differences(good + [("cudaC", "n")], wanted, "n") != []
            and differences([("cudaA", "n"), ("cudaB", "m")], wanted, "n") != [])


def main():
    library, listed = sys.argv[1:3]
    node = library.rsplit("/", 1)[-1]
    with open(listed, encoding="ascii") as f:
        wanted = f.read().split()
    lines = [] if self_test() else ["a seeded difference was not noticed"]
    for path in [library, *sys.argv[3:]]:
        if soname(path) != node:
            lines.append(f"{path}: SONAME {soname(path)}, not {node}")
        lines += [f"{path}: {line}" for line in differences(exported(path), wanted, node)]
    print("\n".join(lines))
    return 1 if lines else 0


sys.exit(main())
