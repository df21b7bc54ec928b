#!/usr/bin/env python3
"""SciPy's times for what convert_bench measured, and the table of both.

    convert_table.py LINES.json DUMP_FOLDER TABLE.md COMMAND

LINES.json holds convert_bench's lines, DUMP_FOLDER its --dump. Without SciPy its column
stays empty; lines that have SciPy's time keep it. COMMAND is what the table says it was
made by.
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
except ImportError:
    scipy = None


TYPES = {"f32": "f4", "f64": "f8"}


def load(folder, row):
    def array(what, kind):
        return numpy.fromfile(folder / f"{row['matrix']}.{what}", dtype=kind)

    return scipy.sparse.csr_matrix(
        (array("val", TYPES[row["type"]]), array("idx", "i4"), array("ptr", "i4")),
        shape=(row["rows"], row["cols"]))


def least(run, seconds=0.2):
    best, total, rounds = math.inf, 0.0, 0
    while rounds < 3 or (total < seconds and rounds < 2000):
        start = time.perf_counter()
        run()
        took = time.perf_counter() - start
        best, total, rounds = min(best, took), total + took, rounds + 1
    return best


def scipy_time(csr, row):
    """Seconds of SciPy's own conversion, or None where it has none."""
    pair = row["from"], row["to"]
    if pair == ("csr", "csc"):
        return least(csr.tocsc)
    coo = csr.tocoo()
    if pair == ("coo", "csr"):
        return least(lambda: coo.tocsr(copy=True))
    if pair == ("csr", "coo"):
        return least(lambda: csr.tocoo(copy=True))
    if pair == ("csr", "bsr<4>"):
        rows, cols = (-size % 4 for size in csr.shape)
        if rows or cols:
            csr = scipy.sparse.csr_matrix(
                (csr.data, csr.indices, numpy.append(
                    csr.indptr, [csr.nnz] * rows).astype("i4")),
                shape=(csr.shape[0] + rows, csr.shape[1] + cols))
        return least(lambda: csr.tobsr((4, 4)))
    if pair == ("coo", "dia"):
        return least(lambda: coo.todia())
    return None


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def ratio(value):
    return "" if value is None or math.isnan(value) else f"{value:.2f}"


def add_ratios(row):
    mkl = row["mkl"] if row["mkl"] > 0 else None
    peers = [t for t in (mkl, row.get("scipy")) if t]
    row["rate"] = row["bytes"] / row["ours"] / 1e9
    row["share"] = row["copy"] / row["ours"]
    row["over_mkl"] = mkl / row["ours"] if mkl else None
    row["over_scipy"] = row["scipy"] / row["ours"] if row.get("scipy") else None
    row["over_best"] = min(peers) / row["ours"] if peers else None


def summary(group):
    def mean(what):
        return ratio(geomean(r[what] for r in group if r[what]))

    best = sorted((r["over_best"], r["matrix"]) for r in group if r["over_best"])
    worst = ", ".join(f"{name} {value:.2f}" for value, name in best[:2])
    return (f"| {len(group)} | {geomean(r['rate'] for r in group):.2g} | {mean('share')} "
            f"| {mean('over_mkl')} | {mean('over_scipy')} | {mean('over_best')} "
            f"| {worst} |")


def table(rows):
    head = ["| pair | threads | matrices | GB/s | of copy | over MKL | over SciPy "
            "| over the best | worst |", "|---|--:|--:|--:|--:|--:|--:|--:|---|"]
    out = ["| matrix | pair | threads | ms | GB/s | of copy | over MKL | over SciPy |",
           "|---|---|--:|--:|--:|--:|--:|--:|"]
    groups = collections.defaultdict(list)
    for row in rows:
        add_ratios(row)
        groups[row["from"], row["to"], row["threads"]].append(row)
        out.append(f"| {row['matrix']} | {row['from']} -> {row['to']} | {row['threads']} "
                   f"| {row['ours'] * 1e3:.3g} | {row['rate']:.3g} "
                   f"| {row['share']:.2f} | {ratio(row['over_mkl'])} "
                   f"| {ratio(row['over_scipy'])} |")
    for (source, target, threads), group in groups.items():
        head.append(f"| {source} -> {target} | {threads} {summary(group)}")
    return head, out


def main():
    lines, folder, target, command = sys.argv[1:5]
    folder = pathlib.Path(folder)
    rows = [json.loads(line) for line in pathlib.Path(lines).read_text().splitlines()]
    cache, name = {}, None
    for row in rows if scipy else []:
        key = row["matrix"], row["from"], row["to"]
        if "scipy" in row:
            continue
        if row["matrix"] != name:
            name, csr = row["matrix"], load(folder, row)
        if key not in cache:
            cache[key] = scipy_time(csr, row)
        row["scipy"] = cache[key]
    head, rest = table(rows)
    pathlib.Path(target).write_text("\n".join(
        ["# Conversion between formats", "", f"    {command}", "",
         f"Values {rows[0]['type']}, indices i32, time of the fastest run, results in new "
         "memory. *Of copy*: a plain copy",
         "of as many bytes as the conversion reads and writes, by as many threads, over "
         "its time; *over*: the peer's",
         "time over ours, *the best* of the peers on each matrix (SciPy has one thread). "
         "Geometric means."
         + (f" SciPy {scipy.__version__}." if scipy else ""), "",
         *head, "", *rest, ""]))


if __name__ == "__main__":
    main()
