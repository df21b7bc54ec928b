#!/usr/bin/env python3
"""SciPy's times for what convert_bench measured, and the table of both.

    convert_table.py LINES.json DUMP_FOLDER TABLE.md

LINES.json holds convert_bench's lines, DUMP_FOLDER its --dump. Without SciPy its column
stays empty.
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


def load(folder, row):
    def array(what, kind):
        return numpy.fromfile(folder / f"{row['matrix']}.{what}", dtype=kind)

    return scipy.sparse.csr_matrix(
        (array("val", "f8"), array("idx", "i4"), array("ptr", "i4")),
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


def table(rows):
    out = ["| matrix | pair | threads | ms | GB/s | of copy | over MKL | over SciPy |",
           "|---|---|--:|--:|--:|--:|--:|--:|"]
    groups = collections.defaultdict(list)
    for row in rows:
        row["share"] = row["copy"] / row["ours"]
        row["over_mkl"] = row["mkl"] / row["ours"] if row["mkl"] > 0 else None
        row["over_scipy"] = row["scipy"] / row["ours"] if row.get("scipy") else None
        groups[row["from"], row["to"], row["threads"]].append(row)
        out.append(f"| {row['matrix']} | {row['from']} -> {row['to']} | {row['threads']} "
                   f"| {row['ours'] * 1e3:.3g} | {row['bytes'] / row['ours'] / 1e9:.3g} "
                   f"| {row['share']:.2f} | {ratio(row['over_mkl'])} "
                   f"| {ratio(row['over_scipy'])} |")
    head = ["| pair | threads | matrices | of copy | over MKL | worst | over SciPy "
            "| worst |", "|---|--:|--:|--:|--:|--:|--:|--:|"]
    for (source, target, threads), group in groups.items():
        mkl = [r["over_mkl"] for r in group if r["over_mkl"]]
        peer = [r["over_scipy"] for r in group if r["over_scipy"]]
        head.append(f"| {source} -> {target} | {threads} | {len(group)} "
                    f"| {ratio(geomean(r['share'] for r in group))} "
                    f"| {ratio(geomean(mkl))} | {ratio(min(mkl, default=None))} "
                    f"| {ratio(geomean(peer))} | {ratio(min(peer, default=None))} |")
    return head, out


def main():
    lines, folder, target = map(pathlib.Path, sys.argv[1:])
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    cache, name = {}, None
    for row in rows if scipy else []:
        key = row["matrix"], row["from"], row["to"]
        if row["matrix"] != name:
            name, csr = row["matrix"], load(folder, row)
        if key not in cache:
            cache[key] = scipy_time(csr, row)
        row["scipy"] = cache[key]
    head, rest = table(rows)
    target.write_text("\n".join(
        ["# Conversion between formats", "",
         "Values f64, indices i32, time of the fastest run, results in new memory. "
         "*Of copy*: a plain copy of",
         "as many bytes as the conversion reads and writes, over its time; *over*: the "
         "peer's time over ours",
         "(SciPy has one thread). Geometric means; *worst* is the least of a column."
         + (f" SciPy {scipy.__version__}." if scipy else ""), "",
         *head, "", *rest, ""]))


if __name__ == "__main__":
    main()
