#!/usr/bin/env python3
"""Every seeded fault must turn the quick tier red.

Usage: run.py BUILD_DIR [FAULT ...]
BUILD_DIR is configured with -DSPBLAS_FAULTS=ON. Each fault of src/base/fault.def is
switched on in turn; first the tests its line names run, then, if they notice nothing, all
quick ones until one fails. Named tests that are watched (tests/emu) need not be quick: races
that do no harm here are theirs alone to see. A fault no test notices is a missing test. That the tests
pass without a fault is the other stages' business.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def fault_names():
    with open(os.path.join(ROOT, "src/base/fault.def"), encoding="utf-8") as f:
        return dict(re.findall(r'^X\((\w+), "[^"]*", "([^"]*)"\)', f.read(), re.M))


def first_failure(build, fault, tests="."):
    """Name of the first failing test, or None when all pass."""
    cache = tempfile.mkdtemp(prefix="spblas-fault-")
    env = dict(os.environ, SPBLAS_FAULT=fault, SPBLAS_CACHE_DIR=cache)
    try:
        run = subprocess.run(
            ["ctest", "-L", "." if "watched" in tests else "quick",
             "-LE", "lint|fuzz|bench-smoke", "-j2",
             "--stop-on-failure", "--no-tests=error", "-R", tests],
            cwd=build, env=env, capture_output=True, text=True, check=False)
    finally:
        shutil.rmtree(cache, ignore_errors=True)
    if run.returncode == 0:
        return None
    if "No tests were found" in run.stdout + run.stderr:
        sys.exit(f"{fault}: no such test is named {tests}")
    failed = re.findall(r"- ([\w.]+) \((?:Failed|SEGFAULT|Timeout|Subprocess|SIG)", run.stdout)
    return failed[0] if failed else "?"


def main(argv):
    if len(argv) < 2:
        sys.exit(__doc__)
    names = fault_names()
    build, wanted = argv[1], argv[2:] or list(names)
    survivors = []
    for fault in wanted:
        killer = first_failure(build, fault, names[fault]) or first_failure(build, fault)
        print(f"{fault:16s} {'killed by ' + killer if killer else 'SURVIVED'}", flush=True)
        if not killer:
            survivors.append(fault)
    print(f"{len(wanted) - len(survivors)} passed, {len(survivors)} failed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
