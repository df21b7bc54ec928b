#!/usr/bin/env python3
"""Files of at most 600 lines, functions of at most 80. A function is what clang-format
makes of one: a `{` alone in column 0, closed by a `}` in column 0."""
import lintlib

FILE_MAX = 600
FUNCTION_MAX = 80
# At most five names, "path" or "path:function", each with its reason.
EXCEPTIONS = {
    "include/spblas.h": "one public header, more comment than code",
    "include/spblas_legacy.h": "one prototype and comment a routine of cuSPARSE's older families",
}
EXCEPTIONS_MAX = 5
# Text that no person maintains line by line.
LEFT_OUT = ("tests/golden/", "bench/results/")


def function_name(lines, opening):
    """The name before the parameter list, which may span lines."""
    at = opening - 1
    while at > 0 and (lines[at][:1] in (" ", "\t") or not lines[at]):
        at -= 1
    return lines[at].split("(")[0].split(" ")[-1].lstrip("*")


def check_file(root, name):
    lines = lintlib.read(root, name).split("\n")
    if lines[-1] == "":
        lines.pop()
    found = []
    if len(lines) > FILE_MAX and name not in EXCEPTIONS:
        found.append(f"{name}: {len(lines)} lines, at most {FILE_MAX}")
    if not name.endswith((".c", ".h")):
        return found
    opening = None
    for i, line in enumerate(lines):
        if line == "{":
            opening = i
        elif line.startswith("}") and opening is not None:
            size = i - opening + 1
            function = function_name(lines, opening)
            if size > FUNCTION_MAX and f"{name}:{function}" not in EXCEPTIONS:
                found.append(f"{name}:{opening + 1}: {function} has {size} lines, "
                             f"at most {FUNCTION_MAX}")
            opening = None
    return found


def check(root):
    found = []
    for name in lintlib.tracked(root, ".c", ".h", ".cc", ".def", ".py", ".cmake"):
        if not name.startswith(LEFT_OUT):
            found += check_file(root, name)
    if len(EXCEPTIONS) > EXCEPTIONS_MAX:
        found.append(f"{len(EXCEPTIONS)} exceptions, at most {EXCEPTIONS_MAX}")
    return found


def function(size):
    return "int\nf(int a,\n  int b)\n{\n" + "    a++;\n" * (size - 2) + "}\n"


SEEDS = [
    ({"src/a.c": function(80), "src/b.c": "int x;\n" * 600,
      "tests/golden/out.c": "int x;\n" * 700}, None),
    ({"src/a.c": function(81)}, "f has 81 lines"),
    ({"src/a.c": function(20) + function(90)}, "src/a.c:27: f has 90"),
    ({"src/b.h": "int x;\n" * 601}, "601 lines"),
    ({"tests/b.py": "x = 1\n" * 601}, "601 lines"),
]

if __name__ == "__main__":
    lintlib.main(check, SEEDS)
