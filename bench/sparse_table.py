#!/usr/bin/env python3
"""SciPy's times for what sparse_product_bench, triangular_bench or legacy_bench measured, and
the table.

    sparse_table.py product|triangular|legacy LINES.json DUMP_FOLDER TABLE.md COMMAND

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
    import scipy.linalg.lapack
    import scipy.sparse
    import scipy.sparse.linalg
except ImportError:
    scipy = None

TYPES = {"f32": "f4", "f64": "f8"}
PATIENCE = 0.05  # seconds of runs


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


def mixed(a):
    """Rows whose columns are in no order: by a random key in each row."""
    rows = numpy.repeat(numpy.arange(a.shape[0]), numpy.diff(a.indptr))
    order = numpy.lexsort((numpy.random.default_rng(1).random(a.nnz), rows))
    return scipy.sparse.csr_matrix((a.data, a.indices[order], a.indptr), shape=a.shape)


def sorted_copy(a):
    b = a.copy()
    b.has_sorted_indices = False
    b.sort_indices()


def expand_rows(a):
    rows = numpy.empty(a.nnz, a.indptr.dtype)
    scipy.sparse._sparsetools.expandptr(a.shape[0], a.indptr, rows)
    return rows


def band_solve(rows, sides):
    one, four = numpy.ones(rows - 1), numpy.full(rows, 4.0)
    x = numpy.ones((rows, sides), order="F")
    return lambda: scipy.linalg.lapack.dgtsv(one, four, one, x)


def any_order(a):
    coo = a.tocoo()
    order = numpy.random.default_rng(1).permutation(a.nnz)
    return scipy.sparse.coo_matrix(
        (coo.data[order], (coo.row[order], coo.col[order])), shape=a.shape)


# What SciPy, or NumPy, does: of a matrix, a function to be timed.
LEGACY = {
    "csr2csc": lambda a: a.tocsc,
    "coo2csr": lambda a: (lambda r: lambda: numpy.concatenate(
        ([0], numpy.cumsum(numpy.bincount(r, minlength=a.shape[0])))).astype("i4"))(
            expand_rows(a)),
    "csr2coo": lambda a: lambda: expand_rows(a),
    "coosort by row": lambda a: any_order(a).tocsr,
    "coosort by column": lambda a: any_order(a).tocsc,
    "csrsort": lambda a: (lambda m: lambda: sorted_copy(m))(mixed(a)),
    "csrgeam2": lambda a: (lambda t: lambda: a + t)(a.T.tocsr()),
    "csr2bsr": lambda a: lambda: a.tobsr((4, 4)),
    "bsr2csr": lambda a: a.tobsr((4, 4)).tocsr,
    "csr2gebsr": lambda a: lambda: a.tobsr((2, 8)),
    "nnz": lambda a: (lambda d: lambda: numpy.count_nonzero(d, axis=1))(a.toarray()),
    "SparseToDense": lambda a: a.toarray,
    "DenseToSparse": lambda a: (lambda d: lambda: scipy.sparse.csr_matrix(d))(
        a.toarray()),
    "bsrmv": lambda a: (lambda b, x: lambda: b @ x)(a.tobsr((4, 4)),
                                                   numpy.ones(a.shape[1])),
    "bsrmm": lambda a: (lambda b, x: lambda: b @ x)(
        a.tobsr((4, 4)), numpy.ones((a.shape[1], 32))),
    "gtsv2": lambda a: band_solve(a.shape[0], 1),
    "gtsv2, 32 sides": lambda a: band_solve(a.shape[0], 32),
}


def legacy_times(folder, row):
    if row["routine"] not in LEGACY:
        return {}
    a = load(folder, {**row, "cols_a": row["cols"]}, "")
    return {"scipy": least(LEGACY[row["routine"]](a))}


MEASURES = {"product": product_times, "triangular": triangular_times,
            "legacy": legacy_times}
TITLES = {"product": "Products of sparse matrices", "triangular": "Triangular solves",
          "legacy": "Older routines and conversions"}


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
    "legacy": [("over MKL", ["mkl"]), ("over SciPy", ["scipy"]),
               ("over the best", ["mkl", "scipy"])],
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
    "legacy": """\
From the caller's arrays to results, values included. Ours write to memory that the process has had before, as do MKL's,
whose allocator keeps what it is given back; SciPy makes new arrays. Blocks are
4 x 4, of csr2gebsr 2 x 8; bsrmm has 32 right sides by columns; csrgeam2 adds the transpose. Sorts are of entries in no
order: ours move a permutation along and gather the values; MKL's are `mkl_sparse_convert_csr` and `mkl_sparse_order`, SciPy's
`tocsr`, `tocsc`, `sort_indices`. The analysis of csrilu02 and csric02 is not counted (`dcsrilu0` has none). *nnz* is NumPy's
`count_nonzero`, *coo2csr* its `bincount` and `cumsum`, gtsv2 LAPACK's `dgtsv`.""",
}
EXTRA = {"product": ("reuse", lambda r: r["ours"] / r["reuse"]),
         "triangular": ("analysis", lambda r: r["analysis"] / r["ours"]),
         "legacy": None}
CASES = {"product": "threads", "triangular": "op, right sides, threads",
         "legacy": "routine, threads"}


def case(what, row):
    if what == "product":
        return f"{row['threads']}"
    if what == "legacy":
        return f"{row['routine']}, {row['threads']}"
    return f"{row['op']}, {row['cols']}, {row['threads']}"


def line(cells):
    return "| " + " | ".join(cells) + " |"


def table(what, rows):
    ratios, extra = RATIOS[what], EXTRA[what]
    titles = [title for title, _ in ratios] + ([extra[0]] if extra else [])
    columns = [lambda r, peers=peers: over(r, *peers) for _, peers in ratios]
    columns += [extra[1]] if extra else []
    lines = [line([CASES[what], "matrices", *titles, "worst"]),
             "|---" * (len(titles) + 3) + "|"]
    rest = [line(["matrix", CASES[what], "ms", *titles]),
            "|---" * (len(titles) + 3) + "|"]
    groups = collections.defaultdict(list)
    for row in rows:
        groups[case(what, row)].append(row)
        rest.append(line([row["matrix"], case(what, row), f"{row['ours'] * 1e3:.3g}",
                          *(shown(column(row)) for column in columns)]))
    last = next(peers for title, peers in ratios if title.startswith("over the best"))
    for name, group in groups.items():
        worst = sorted((v, r["matrix"]) for r in group if (v := over(r, *last)))[:2]
        lines.append(line([name, str(len(group)),
                           *(shown(geomean(map(column, group))) for column in columns),
                           ", ".join(f"{m} {v:.2f}" for v, m in worst)]))
    return lines, rest


def main():
    what, lines, folder, target, command = sys.argv[1:6]
    lines, folder = pathlib.Path(lines), pathlib.Path(folder)
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    rows = [row for row in rows if row["ours"] > 0]
    measure = MEASURES[what]
    done = {}
    for row in rows if scipy else []:
        key = row["matrix"], row.get("op"), row.get("routine"), row.get("cols")
        if "scipy" in row:
            done[key] = {k: v for k, v in row.items() if k.startswith("scipy")}
        elif key not in done:
            done[key] = measure(folder, row)
        row.update(done[key])
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    head, rest = table(what, rows)
    pathlib.Path(target).write_text("\n".join(
        [f"# {TITLES[what]}", "", f"    {command}", "",
         f"Values {rows[0]['type']}, indices i32; time of the fastest run. "
         "*Over*: the peer's time over ours; geometric means. SciPy has one thread"
         + (f" ({scipy.__version__})." if scipy else "."), EXPLAINED[what], "",
         *head, "", *rest, ""]))


if __name__ == "__main__":
    main()
