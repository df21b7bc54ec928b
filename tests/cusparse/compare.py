#!/usr/bin/env python3
"""Runs a conformance program on our library and on NVIDIA's, each in a process of its own,
and compares what they print line by line.

compare.py PROGRAM --ours FOLDER [--real LIBRARY] --differences FILE

A line is function, case, status, outputs. FILE lists the differences we chose: patterns
of function and case, our status, theirs (* for any), and why; an entry that explains
nothing fails as well. Lines of NVIDIA's library that ended in a crash are passed over.
Exit status 77 where NVIDIA's library is not there, after a run of ours alone.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

CRASHED = "-100"


def run(program, folder):
    """(lines, library that answered)."""
    env = dict(os.environ, LD_LIBRARY_PATH=folder, SPBLAS_CUSPARSE_FORWARD="none")
    for name in ("CUSPARSE_LOG_LEVEL", "CUSPARSE_LOG_MASK", "CUSPARSE_LOG_FILE"):
        env.pop(name, None)
    done = subprocess.run([program], env=env, capture_output=True, text=True,
                          errors="replace")
    if done.returncode:
        sys.exit(f"{program} on {folder} ended with {done.returncode}:\n"
                 f"{done.stderr[-2000:]}")
    library = re.search(r"^library: (.*)$", done.stderr, re.M).group(1)
    return [line.split("\t") for line in done.stdout.splitlines()], library


def read_differences(path):
    entries = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                function, case, ours, theirs, why = line.rstrip("\n").split("\t")
                entries.append((re.compile(function), re.compile(case), ours, theirs, why))
    return entries


def explained(entries, used, ours, theirs):
    for number, (function, case, a, b, _) in enumerate(entries):
        if (function.fullmatch(ours[0]) and case.search(ours[1])
                and a in ("*", ours[2]) and b in ("*", theirs[2])):
            used[number] += 1
            return True
    return False


def compare(ours, theirs, entries):
    if [line[:2] for line in ours] != [line[:2] for line in theirs]:
        return ["the two runs made different calls"]
    used = collections.Counter()
    found = []
    for a, b in zip(ours, theirs):
        if a != b and b[2] != CRASHED and not explained(entries, used, a, b):
            found.append(f"{a[0]} [{a[1]}]: ours {a[2]} {a[3]}, theirs {b[2]} {b[3]}")
    for number, entry in enumerate(entries):
        if not used[number]:
            found.append(f"explains nothing: {entry[0].pattern} [{entry[1].pattern}]")
    print(f"{len(ours)} calls, {sum(used.values())} chosen differences, "
          f"{len(found)} others")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--ours", required=True)
    parser.add_argument("--real")
    parser.add_argument("--differences", required=True)
    args = parser.parse_args()
    ours, library = run(args.program, args.ours)
    if os.path.dirname(os.path.realpath(library)) != os.path.realpath(args.ours):
        sys.exit(f"ran on {library}")
    if not ours or any(len(line) != 4 for line in ours):
        sys.exit("a line without four fields")
    if any(line[2] == CRASHED for line in ours):
        sys.exit("our library crashed")
    if not args.real or not os.path.exists(args.real):
        print(f"{len(ours)} calls; NVIDIA's library is not on this machine")
        sys.exit(77)
    theirs, library = run(args.program, os.path.dirname(args.real))
    if not os.path.samefile(library, args.real):
        sys.exit(f"ran on {library}")
    found = compare(ours, theirs, read_differences(args.differences))
    for line in found[:40]:
        print(line)
    sys.exit(1 if found else 0)


main()
