#!/usr/bin/env python3
"""Matrices that break assumptions of GPU kernels: gpu_adversarial.py FOLDER [SCALE]

Writes FOLDER/adv-*.mtx.gz: a full row, a full column, empty rows but one in a hundred,
one row, one column, no entry at all, rows of every length from 0 to 64, a hub that holds
half of the entries.
"""
import gzip
import pathlib
import random
import sys


def cases(n):
    yield "row", n, n, [(0, j) for j in range(n)] + [(i, i) for i in range(1, n)]
    yield "column", n, n, [(i, 0) for i in range(n)] + [(i, i) for i in range(1, n)]
    yield "empty", n, n, [(i, (i * 7 + q) % n) for i in range(0, n, 100) for q in range(9)]
    yield "wide", 1, n, [(0, j) for j in range(0, n, 3)]
    yield "tall", n, 1, [(i, 0) for i in range(0, n, 2)]
    yield "none", n, n, []
    yield "lengths", n, n, [(i, (i + q * q) % n) for i in range(n) for q in range(min(i % 65, n))]
    yield "hub", n, n, [(n // 2, j) for j in range(n)] + [(i, (i * 13 + 1) % n) for i in range(n)]


def main():
    folder = pathlib.Path(sys.argv[1])
    scale = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    random.seed(1)
    for name, rows, cols, entries in cases(scale):
        entries = sorted(set(entries))
        path = folder / f"adv-{name}.mtx.gz"
        if path.exists():
            continue
        making = folder / f"making-{path.name}"  # until it is whole
        with gzip.open(making, "wt", compresslevel=1) as out:
            out.write("%%MatrixMarket matrix coordinate real general\n")
            out.write(f"{rows} {cols} {len(entries)}\n")
            for i, j in entries:
                out.write(f"{i + 1} {j + 1} {random.uniform(-1, 1):.6g}\n")
        making.rename(path)


if __name__ == "__main__":
    main()
