#!/usr/bin/env python3
"""Every symbol resolves at once (as Python loads libraries), and NVIDIA's libcusolver,
where it is there, loads on ours, found first by preloading, then by the library path.

load.py LIBRARY [NVIDIA'S FOLDER]
"""
import os
import subprocess
import sys

CHILD = """
import ctypes, os, sys
ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOW)
with open("/proc/self/maps", encoding="ascii") as maps:
    found = {line.split()[-1] for line in maps if "libcusparse" in line}
print("\\n".join(found))
"""


def load(library, **env):
    """The cuSPARSE libraries in a process that loaded `library`."""
    done = subprocess.run([sys.executable, "-c", CHILD, library], capture_output=True,
                          text=True, env=dict(os.environ, **env))
    if done.returncode:
        sys.exit(f"{library} with {env}:\n{done.stderr[-1500:]}")
    return {os.path.realpath(line) for line in done.stdout.split()}


def main():
    ours = os.path.realpath(sys.argv[1])
    if load(ours) != {ours}:
        sys.exit("ours does not load alone")
    solver = os.path.join(sys.argv[2], "libcusolver.so.12") if len(sys.argv) > 2 else ""
    if not os.path.exists(solver):
        print("NVIDIA's libcusolver is not on this machine")
        sys.exit(77)
    for env in ({"LD_PRELOAD": ours}, {"LD_LIBRARY_PATH": os.path.dirname(ours)}):
        if load(solver, **env) != {ours}:
            sys.exit(f"libcusolver found another libcusparse with {env}")


main()
