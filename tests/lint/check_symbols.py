#!/usr/bin/env python3
"""libspblas.so exports exactly the symbols of exported-symbols.txt.

check_symbols.py LIBRARY            compare
check_symbols.py LIBRARY --update   rewrite the list
check_symbols.py --self-test        prove that a difference is noticed
"""
import argparse
import os
import subprocess
import sys

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "exported-symbols.txt")


def exported(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                         capture_output=True, text=True).stdout
    return sorted({line.split()[-1].split("@")[0] for line in out.splitlines()})


def compare(found, wanted):
    lines = [f"exported, but not in the list: {s}" for s in sorted(set(found) - set(wanted))]
    lines += [f"in the list, but not exported: {s}" for s in sorted(set(wanted) - set(found))]
    lines += [f"not a public name: {s}" for s in found if not s.startswith("spblas")]
    return lines


def self_test():
    ok = (compare(["spblasA"], ["spblasA"]) == []
          and len(compare(["spblasA", "spblasB"], ["spblasA"])) == 1
          and len(compare(["spblasA"], ["spblasA", "spblasB"])) == 1
          and len(compare(["sb_x"], ["sb_x"])) == 1)
    return [] if ok else ["a seeded difference was not noticed"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", nargs="?")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        lines = self_test()
    elif args.update:
        with open(LIST, "w", encoding="ascii") as f:
            f.write("".join(s + "\n" for s in exported(args.library)))
        lines = []
    else:
        with open(LIST, encoding="ascii") as f:
            lines = compare(exported(args.library), f.read().split())
    for line in lines:
        print(line)
    sys.exit(1 if lines else 0)


main()
