#!/usr/bin/env python3
"""Every seeded fault must turn the quick tier red.

Usage: run.py BUILD_DIR [FAULT ...]
BUILD_DIR is configured with -DSPBLAS_FAULTS=ON. Each fault of src/base/fault.def is
switched on in turn, as many at a time as there are cores; first the tests its line names
run, then, if they notice nothing, all quick ones until one fails, and a program ends with
its first failed case. Cases behind a colon (cmocka's pattern, for programs that look at
SB_CASES) run alone and must notice. Named tests that are
watched (tests/emu) need not be quick: races that do no harm here are theirs alone to see. A
fault no test notices is a missing test. That the tests pass without a fault is the other
stages' business.

The log has a line a fault, in fault.def's order: who killed it, after how many seconds.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def fault_names():
    with open(os.path.join(ROOT, "src/base/fault.def"), encoding="utf-8") as f:
        return dict(re.findall(r'^X\((\w+), "[^"]*", "([^"]*)"\)', f.read(), re.M))


def ctest(build, fault, tests, cases, folder):
    """One run of ctest. It keeps its logs in the folder it is started from, so every fault
    has one that only names the build's tests; kernels are kept there as well."""
    with open(os.path.join(folder, "CTestTestfile.cmake"), "w", encoding="utf-8") as f:
        f.write(f'subdirs("{os.path.abspath(build)}")\n')
    env = dict(os.environ, SPBLAS_FAULT=fault, SPBLAS_CACHE_DIR=folder + "/cache",
               CMOCKA_TEST_ABORT="1")
    env.pop("SB_CASES", None)
    if cases:
        env["SB_CASES"] = cases
    return subprocess.run(
        ["ctest", "-L", "." if "watched" in tests else "quick",
         "-LE", "lint|fuzz|bench-smoke", "--stop-on-failure", "--no-tests=error", "-R", tests],
        cwd=folder, env=env, capture_output=True, text=True, check=False)


def first_failure(build, fault, named="."):
    """Name of the first failing test, or None when all pass."""
    tests, _, cases = named.partition(":")
    with tempfile.TemporaryDirectory(prefix="spblas-fault-") as folder:
        run = ctest(build, fault, tests, cases, folder)
    if run.returncode == 0 and cases:
        raise LookupError(f"{fault}: not noticed by {named}, or there is no such case")
    if run.returncode == 0:
        return None
    if "No tests were found" in run.stdout + run.stderr:
        raise LookupError(f"{fault}: no such test is named {tests}")
    failed = re.findall(r"- ([\w.]+) \((?!Not Run)", run.stdout)
    if not failed:
        raise LookupError(f"{fault}: no test of {tests} could run")
    return failed[0]


def verdict(build, fault, tests):
    """What killed a fault, or None, and the seconds it took."""
    start = time.monotonic()
    killer = first_failure(build, fault, tests) or first_failure(build, fault)
    return killer, time.monotonic() - start


def main(argv):
    if len(argv) < 2:
        sys.exit(__doc__)
    names = fault_names()
    build, wanted = argv[1], argv[2:] or list(names)
    survivors = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [(f, pool.submit(verdict, build, f, names[f])) for f in wanted]
        for fault, run in runs:
            try:
                killer, seconds = run.result()
            except LookupError as e:
                pool.shutdown(cancel_futures=True)
                sys.exit(str(e))
            print(f"{fault:17s} {'killed by ' + killer if killer else 'SURVIVED':40s} "
                  f"{seconds:6.1f} s", flush=True)
            survivors += not killer
    print(f"{len(wanted) - survivors} passed, {survivors} failed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
