#!/usr/bin/env python3
"""The stand-in exports exactly the functions of exports.txt, all under the version node
libcusparse.so.12, has that SONAME, and finds libspblas beside itself; where NVIDIA's
library is there, its dynamic symbols are the same lines.

exports.py LIBRARY [--real LIBRARY]
exports.py --self-test      proves that differences are noticed
"""
import argparse
import os
import re
import subprocess
import sys

NODE = "libcusparse.so.12"
HERE = os.path.dirname(os.path.abspath(__file__))


def tool(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(library):
    """{name@version} of what is defined, the version symbol itself left out."""
    lines = tool("nm", "-D", "--defined-only", library).splitlines()
    return {line.split()[-1] for line in lines if line.split()[1] != "A"}


def compare(found, wanted):
    return ([f"exported, but should not be: {s}" for s in sorted(found - wanted)]
            + [f"not exported: {s}" for s in sorted(wanted - found)])


def check(library, real):
    with open(os.path.join(HERE, "exports.txt"), encoding="ascii") as f:
        wanted = {f"{name}@@{NODE}" for name in f.read().split()}
    found = compare(symbols(library), wanted)
    if real:
        found += [f"of NVIDIA's: {line}" for line in compare(symbols(library),
                                                              symbols(real))]
    dynamic = tool("readelf", "-d", library)
    if f"soname: [{NODE}]" not in dynamic:
        found.append("wrong SONAME")
    if not re.search(r"RUNPATH.*\[\$ORIGIN/", dynamic):
        found.append("libspblas is not looked for beside the library")
    return found


def self_test():
    ok = (compare({"a@@1"}, {"a@@1"}) == []
          and len(compare({"a@@1", "b@@1"}, {"a@@1"})) == 1
          and len(compare({"a@@1"}, {"a@@1", "b@@1"})) == 1
          and len(compare({"a@@1"}, {"a@@2"})) == 2)
    return [] if ok else ["a seeded difference was not noticed"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", nargs="?")
    parser.add_argument("--real")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    lines = self_test() if args.self_test else check(args.library, args.real)
    for line in lines:
        print(line)
    sys.exit(1 if lines else 0)


main()
