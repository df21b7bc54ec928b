#!/usr/bin/env python3
"""clang-format has nothing to change in any C or C++ file that people write."""
import os
import shutil
import subprocess
import sys

import lintlib

LEFT_OUT = ("tests/golden/", "tests/fuzz/corpora/", "tests/check/")
STYLE = os.path.join(lintlib.ROOT, ".clang-format")


def check(root):
    names = [n for n in lintlib.tracked(root, ".c", ".h", ".cc")
             if not n.startswith(LEFT_OUT)]
    if not names:
        return []
    done = subprocess.run(["clang-format", f"--style=file:{STYLE}", "--dry-run",
                           "-Werror", *names], cwd=root, capture_output=True, text=True)
    if done.returncode == 0:
        return []
    first = [line for line in done.stderr.split("\n") if ": error:" in line]
    return first or [done.stderr]


SEEDS = [
    ({"src/a.c": "int\nf(void)\n{\n    return 0;\n}\n"}, None),
    ({"src/a.c": "int f(void) { return 0; }\n"}, "src/a.c:1"),
    ({"tests/a.h": "int  x;\n"}, "tests/a.h:1"),
]

if __name__ == "__main__":
    if not shutil.which("clang-format"):
        print("clang-format is not installed")
        sys.exit(77)
    lintlib.main(check, SEEDS)
