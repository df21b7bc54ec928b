#!/usr/bin/env python3
"""SciPy's times for what sparse_product_bench or triangular_bench measured, and the table.

    sparse_table.py product|triangular LINES.json DUMP_FOLDER TABLE.md COMMAND

LINES.json holds the program's lines, DUMP_FOLDER its --dump. Without SciPy its columns
stay empty; lines that have SciPy's times keep them, and the file is rewritten with them.
COMMAND is what the table says it was made by.
"""
import collections
import json
import math
import pathlib
import sys
import time

try:
    import numpy
    import scipy
    import scipy.sparse
    import scipy.sparse.linalg
except ImportError:
    scipy = None

TYPES = {"f32": "f4", "f64": "f8"}
PATIENCE = 0.2  # seconds of runs


def load(folder, row, suffix):
    def array(what, kind):
        return numpy.fromfile(folder / f"{row['matrix']}{suffix}.{what}", dtype=kind)

    return scipy.sparse.csr_matrix(
        (array("val", TYPES[row["type"]]), array("idx", "i4"), array("ptr", "i4")),
        shape=(row["rows"], row.get("cols_a", row["rows"])))


def least(run):
    best, total, rounds = math.inf, 0.0, 0
    while rounds < 3 and total < 10 or total < PATIENCE and rounds < 2000:
        start = time.perf_counter()
        run()
        took = time.perf_counter() - start
        best, total, rounds = min(best, took), total + took, rounds + 1
    return best


def product_times(folder, row):
    a = load(folder, {**row, "cols_a": row["cols"]}, "")
    b = a if row["square"] else a.T.tocsr()
    return {"scipy": least(lambda: a @ b),
            "scipy_sorted": least(lambda: (a @ b).sort_indices())}


def triangular_times(folder, row):
    if row["cols"] != 1 or row["op"] != "N":
        return {}
    a = load(folder, row, ".lower")
    x = numpy.ones(row["rows"], dtype=TYPES[row["type"]])
    return {"scipy": least(
        lambda: scipy.sparse.linalg.spsolve_triangular(a, x, lower=True))}


def geomean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def shown(value):
    return "" if value is None else f"{value:.2f}"


def over(row, *peers):
    times = [row[p] for p in peers if row.get(p, 0) and row[p] > 0]
    return min(times) / row["ours"] if times else None


# Columns of ratios: title, peers of which the fastest counts.
RATIOS = {
    "product": [("over MKL sorted", ["mkl_sorted"]),
                ("over SciPy sorted", ["scipy_sorted"]),
                ("over the best sorted", ["mkl_sorted", "scipy_sorted"]),
                ("over MKL unsorted", ["mkl"]), ("over SciPy unsorted", ["scipy"]),
                ("over the best unsorted", ["mkl", "scipy"])],
    "triangular": [("over MKL", ["mkl"]), ("over MKL optimized", ["mkl_opt"]),
                   ("over SciPy", ["scipy"]),
                   ("over the best", ["mkl", "mkl_opt", "scipy"])],
}
EXPLAINED = {
    "product": """\
Square matrices times themselves, others times their transpose. Ours: from the first call to C's values
in new memory, columns ascending. *Unsorted*: `mkl_sparse_spmm`, SciPy's `A @ B`, whose columns come in any order;
*sorted*: with `mkl_sparse_order`, `sort_indices` after it, the result that ours is. *Reuse*: our time over
that of SpGEMMreuse_compute, which writes new values only.""",
    "triangular": """\
Lower triangle of each square matrix, values in which solutions stay finite; N as it is, T transposed; one right side
(SpSV) or 32 by rows (SpSM). *Analysis*: its time in solves. MKL *optimized*: after hints and mkl_sparse_optimize,
whose time is not counted, nor is that of our analysis. SciPy: `spsolve_triangular`, for one right side of N.""",
}
EXTRA = {"product": ("reuse", lambda r: r["ours"] / r["reuse"]),
         "triangular": ("analysis", lambda r: r["analysis"] / r["ours"])}


def case(what, row):
    if what == "product":
        return f"{row['threads']}"
    return f"{row['op']}, {row['cols']}, {row['threads']}"


def table(what, rows):
    ratios, (extra, extra_of) = RATIOS[what], EXTRA[what]
    titles = [title for title, _ in ratios]
    head_case = "threads" if what == "product" else "op, right sides, threads"
    lines = ["| " + " | ".join([head_case, "matrices", *titles, extra, "worst"]) + " |",
             "|---" * (len(titles) + 4) + "|"]
    rest = ["| " + " | ".join(["matrix", head_case, "ms", *titles, extra]) + " |",
            "|---" * (len(titles) + 4) + "|"]
    groups = collections.defaultdict(list)
    for row in rows:
        groups[case(what, row)].append(row)
        rest.append("| " + " | ".join(
            [row["matrix"], case(what, row), f"{row['ours'] * 1e3:.3g}",
             *(shown(over(row, *peers)) for _, peers in ratios),
             shown(extra_of(row))]) + " |")
    last = next(peers for title, peers in ratios if title.startswith("over the best"))
    for name, group in groups.items():
        worst = sorted((over(r, *last) or math.inf, r["matrix"]) for r in group)[:2]
        lines.append("| " + " | ".join(
            [name, str(len(group)),
             *(shown(geomean(over(r, *peers) for r in group)) for _, peers in ratios),
             shown(geomean(extra_of(r) for r in group)),
             ", ".join(f"{m} {v:.2f}" for v, m in worst)]) + " |")
    return lines, rest


def main():
    what, lines, folder, target, command = sys.argv[1:6]
    lines, folder = pathlib.Path(lines), pathlib.Path(folder)
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    measure = product_times if what == "product" else triangular_times
    done = {}
    for row in rows if scipy else []:
        key = row["matrix"], row.get("op"), row["cols"]
        if "scipy" in row:
            done[key] = {k: v for k, v in row.items() if k.startswith("scipy")}
        elif key not in done:
            done[key] = measure(folder, row)
        row.update(done[key])
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    head, rest = table(what, rows)
    title = "Products of sparse matrices" if what == "product" else "Triangular solves"
    pathlib.Path(target).write_text("\n".join(
        [f"# {title}", "", f"    {command}", "",
         f"Values {rows[0]['type']}, indices i32; time of the fastest run. "
         "*Over*: the peer's time over ours; geometric means. SciPy has one thread"
         + (f" ({scipy.__version__})." if scipy else "."), EXPLAINED[what], "",
         *head, "", *rest, ""]))


if __name__ == "__main__":
    main()
