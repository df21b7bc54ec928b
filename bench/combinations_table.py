#!/usr/bin/env python3
"""Makes the page of bench/run_combinations.

    combinations_table.py PAGE.md COMMAND FILE...

FILEs are runs of combinations_bench, now-N.json and, of another library, before-N.json; the
page has the best of their figures: others on the machine only slow down.
"""

import datetime
import json
import math
import os
import sys

FORMATS = ("csr", "csc", "coo", "bsr", "bell", "sell")
KEYS = ("op", "types", "index", "trans", "layout")


def read(paths):
    """{combination: {format: (direct, plan)}}, the best of the files."""
    runs = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in map(json.loads, file):
                runs.setdefault(tuple(line[k] for k in KEYS), []).append(line)
    return {
        key: {f: [max(line[f][way] for line in lines) for way in (0, 1)]
              for f in FORMATS}
        for key, lines in runs.items()
    }


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def means(now, before, way, key_length):
    """Rows of geometric means over what KEYS has behind its first key_length."""
    groups = {}
    for key in now:
        groups.setdefault(key[:key_length], []).append(key)
    for group, members in groups.items():
        cells = []
        for f in FORMATS:
            cell = "%.3g" % mean(now[k][f][way] for k in members)
            if before:
                cell += " (%.2f)" % mean(now[k][f][way] / before[k][f][way] for k in members)
            cells.append(cell)
        yield group, cells


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":")[1].split("-Core")[0].strip()
                        for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return "unknown processor"


def table(out, head, rows):
    out.append("| " + " | ".join(head + FORMATS) + " |")
    out.append("|" + "---|" * (len(head) + len(FORMATS)))
    for group, cells in rows:
        out.append("| " + " | ".join([str(g) for g in group] + cells) + " |")
    out.append("")


def main():
    page, command, *files = sys.argv[1:]
    named = lambda word: [f for f in files if os.path.basename(f).startswith(word)]
    now, before = read(named("now-")), read(named("before-"))
    out = [
        "# Every combination, %s" % datetime.date.today(),
        "",
        "%s; `%s`. GFLOP/s (a pair counts as one number) on one matrix of 4 x 4 blocks at "
        "random that every format holds, N = 32 but for SpMV, the best of %d runs; no compiler at run "
        "time. Only timed: tests/api/coverage_test.c checks them."
        % (processor(), command, len(named("now-"))),
        "",
    ]
    if before:
        out += ["In brackets: over the library before, which ran in turns.", ""]
    for way, title in ((0, "Without an analysis"), (1, "With one (ESTIMATE)")):
        out += ["## %s, by operation and types" % title, "",
                "Geometric means over indices, layouts and op(A)" +
                (" (SDDMM: op(B))" if any(k[0] == "sddmm" for k in now) else "") + ".", ""]
        table(out, KEYS[:2], means(now, before, way, 2))
    out += ["## All, without an analysis and with one", ""]
    table(out, KEYS, ((key, ["%.2f, %.2f" % tuple(now[key][f]) for f in FORMATS])
                      for key in now))
    with open(page, "w", encoding="utf-8") as file:
        file.write("\n".join(out).rstrip() + "\n")


if __name__ == "__main__":
    main()
