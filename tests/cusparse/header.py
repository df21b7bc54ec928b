#!/usr/bin/env python3
"""cusparse.h stands alone under strict C11 and C++17; where the CUDA toolkit is there, its
prototypes, enumerators and versions are ours (toolkit_header.cc, by static assertions).

header.py SOURCE_FOLDER [TOOLKIT_INCLUDE_FOLDER]
"""
import os
import subprocess
import sys
import tempfile

COMPILERS = (["cc", "-std=c11", "-x", "c"], ["c++", "-std=c++17", "-x", "c++"])
FLAGS = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]


def compile_text(command, text):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as unit:
        unit.write(text)
        unit.flush()
        done = subprocess.run([*command, *FLAGS, unit.name], capture_output=True, text=True)
    return done.stderr[:3000] if done.returncode else ""


def main():
    source = sys.argv[1]
    ours = os.path.join(source, "compat/cusparse/include")
    found = []
    for compiler in COMPILERS:
        for name in ("cusparse.h", "cusparse_v2.h"):
            found.append(compile_text([*compiler, "-pedantic-errors", "-I", ours],
                                      f'#include "{name}"\n' * 2))
    if len(sys.argv) > 2 and os.path.exists(os.path.join(sys.argv[2], "cusparse.h")):
        done = subprocess.run(["c++", "-std=c++17", *FLAGS, "-DDISABLE_CUSPARSE_DEPRECATED",
                               "-isystem", sys.argv[2], "-iquote", ours,
                               os.path.join(source, "tests/cusparse/toolkit_header.cc")],
                              capture_output=True, text=True)
        found.append(done.stderr[:3000] if done.returncode else "")
    print("\n".join(line for line in found if line))
    sys.exit(1 if any(found) else 0)


main()
