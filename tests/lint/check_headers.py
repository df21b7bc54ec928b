#!/usr/bin/env python3
"""Headers stand alone: public ones under strict C11 and C++17, internal ones under the
C we build with."""
import subprocess
import tempfile

import lintlib

PUBLIC = [
    ["cc", "-std=c11", "-pedantic-errors", "-x", "c"],
    ["c++", "-std=c++17", "-pedantic-errors", "-x", "c++"],
]
INTERNAL = [["cc", "-std=c11", "-D_GNU_SOURCE", "-x", "c"]]
WARN = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]


def compile_alone(root, name, compilers):
    """Includes the header twice, so that a missing guard shows as well."""
    line = '#include "' + name.split("/", 1)[1] + '"\n'
    found = []
    with tempfile.NamedTemporaryFile("w", suffix=".c") as unit:
        unit.write(line + line)
        unit.flush()
        for compiler in compilers:
            done = subprocess.run([*compiler, *WARN, "-I", "src", "-I", "include",
                                   unit.name], cwd=root, capture_output=True, text=True)
            if done.returncode:
                found.append(f"{name}: {' '.join(compiler)}:\n{done.stderr[:600]}")
    return found


def check(root):
    found = []
    for name in lintlib.tracked(root, ".h"):
        if name.startswith("include/"):
            found += compile_alone(root, name, PUBLIC)
        elif name.startswith("src/"):
            found += compile_alone(root, name, INTERNAL)
    return found


GUARD = "#ifndef A_H\n#define A_H\n%s\n#endif\n"
SEEDS = [
    ({"include/a.h": GUARD % "#include <stdint.h>\nint64_t f(void);",
      "src/base/b.h": GUARD % "int g(void);"}, None),
    ({"include/a.h": GUARD % "int64_t f(void);"}, "include/a.h: cc"),
    ({"include/a.h": GUARD % "enum a { B, };\nint f(int class);"}, "include/a.h: c++"),
    ({"src/base/b.h": "typedef struct { int x; } twice;\n"}, "src/base/b.h: cc"),
]

if __name__ == "__main__":
    lintlib.main(check, SEEDS)
