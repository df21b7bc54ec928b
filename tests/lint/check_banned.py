#!/usr/bin/env python3
"""Calls the library must not make, marks of unfinished work, paths of one machine."""
import re

import lintlib

HEAP = ("malloc calloc realloc free posix_memalign aligned_alloc memalign strdup "
        "strndup asprintf vasprintf").split()
# The shim is text that kernels bring along, no part of the library.
HEAP_HOME = ("src/base/alloc.c", "src/compiler/spblas_simt.h")
# The library does not print, does not end the process, uses no shell, keeps the
# process's locale, and writes only where it knows the size.
NEVER = ("printf puts putchar fprintf vprintf vfprintf perror abort exit _exit quick_exit "
         "system popen strcpy strcat sprintf vsprintf gets strtok alloca setlocale "
         "tmpnam tempnam mktemp rand srand").split()
# Spelled in halves so that this file passes its own test.
UNFINISHED = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK", "#if" + " 0"]
MACHINE = ["wo" + "rk", "ro" + "ot", "ho" + "me"]

CALL = re.compile(r"(?<![\w.>])(" + "|".join(HEAP + NEVER) + r")\s*\(")
MARK = re.compile(r"(?<!\w)(" + "|".join(re.escape(w) for w in UNFINISHED) + r")(?!\w)")
PATH = re.compile(r"(?<![\w.~])/(" + "|".join(MACHINE) + r")/")


def check_calls(root, name):
    text = lintlib.bare(lintlib.read(root, name))
    found = []
    for match in CALL.finditer(text):
        call = match.group(1)
        if call in HEAP and name in HEAP_HOME:
            continue
        why = "the heap is in src/base/alloc.c" if call in HEAP else "banned"
        found.append(f"{name}:{lintlib.line_of(text, match.start())}: {call}(): {why}")
    return found


def check_text(root, name):
    text = lintlib.read(root, name)
    found = []
    for pattern, why in ((MARK, "unfinished work"), (PATH, "path of one machine")):
        for match in pattern.finditer(text):
            where = f"{name}:{lintlib.line_of(text, match.start())}"
            found.append(f"{where}: {match.group(0)}: {why}")
    return found


def check(root):
    found = []
    for name in lintlib.tracked(root):
        if name.startswith("src/") and name.endswith((".c", ".h", ".def")):
            found += check_calls(root, name)
        found += check_text(root, name)
    return found


SEEDS = [
    ({"src/base/alloc.c": "void f(void *p)\n{\n    free(p);\n}\n",
      "src/a.c": '/* malloc(3) */ const char *s = "exit(1)"; cx->free(p); sb_puts(s);\n',
      "tools/a.c": "int main(void)\n{\n    printf(\"x\");\n}\n",
      "tests/a.c": 'mkstemp("aX' + 'XXXXX");\n'}, None),
    ({"src/a.c": "int x;\nvoid *p = malloc(3);\n"}, "src/a.c:2: malloc(): the heap"),
    ({"src/a.h": "p = strdup (s);\n"}, "strdup(): the heap"),
    ({"src/a.c": "exit(1);\n"}, "exit(): banned"),
    ({"src/a.c": "fprintf(stderr, s);\n"}, "fprintf(): banned"),
    ({"src/a.c": "setlocale(0, s);\n"}, "setlocale(): banned"),
    ({"docs/a.md": "later: " + UNFINISHED[0] + "\n"}, "unfinished work"),
    ({"tests/a.c": "/* " + UNFINISHED[2] + ": */\n"}, "unfinished work"),
    ({"src/a.c": UNFINISHED[4] + "\n"}, "unfinished work"),
    ({"run": "cd /" + MACHINE[1] + "/x\n"}, "path of one machine"),
    ({"docs/a.md": "see `/" + MACHINE[0] + "/x`\n"}, "path of one machine"),
]

if __name__ == "__main__":
    lintlib.main(check, SEEDS)
