"""SDDMM against PyTorch's torch.sparse.sampled_addmm on the CPU, both in this process.

    OMP_NUM_THREADS=1 SPBLAS_LIBRARY=build/release/libspblas.so PYTHON bench/torch_sddmm.py
        [--lengths 32,128] [--types f32,f64] [--rounds 9] [--batch 0.002] FILE.mtx.gz ...

PYTHON has torch. One thread: torch brings its own OpenMP, and two teams whose threads wait
for work by spinning take each other's cores. Both take X and Y row by row, so neither has to transpose, and write into
an array they are given (torch into its own operand, beta = 0: else it copies the structure
at each call). Ours is analysed once. They run in turns, each after an untimed call; the
table has medians and ends with geometric means. Results are compared.
"""
import argparse
import ctypes
import gzip
import os
import statistics
import sys
import time
import warnings

import numpy
import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "examples", "torch"))
import spblas_torch as ours  # noqa: E402

TYPES = {"f32": torch.float32, "f64": torch.float64}
warnings.simplefilter("ignore")


def structure(path):
    """Offsets, columns and the number of columns of a coordinate Matrix Market file."""
    with gzip.open(path, "rb") as stream:
        symmetric = not stream.readline().rstrip().endswith(b"general")
        line = stream.readline()
        while line.startswith(b"%"):
            line = stream.readline()
        rows, cols, count = map(int, line.split())
        entries = numpy.fromstring(stream.read(), sep=" ").reshape(count, -1)
    i, j = entries[:, 0].astype(int) - 1, entries[:, 1].astype(int) - 1
    if symmetric:
        i, j = numpy.r_[i, j[i != j]], numpy.r_[j, i[i != j]]
    order = numpy.lexsort((j, i))
    offsets = numpy.zeros(rows + 1, int)
    numpy.cumsum(numpy.bincount(i, minlength=rows), out=offsets[1:])
    return (torch.tensor(offsets, dtype=torch.int32),
            torch.tensor(j[order], dtype=torch.int32), cols)


def pair(graph, length, kind):
    """Two calls that compute the same, and what they write."""
    x = torch.rand(graph.rows, length, dtype=kind)
    y = torch.rand(graph.cols, length, dtype=kind)
    mine = torch.zeros(len(graph.col), dtype=kind)
    theirs = torch.sparse_csr_tensor(graph.crow, graph.col, mine.clone(),
                                     (graph.rows, graph.cols))
    flat, across = ours._Dense(x), ours._Dense(y)
    matrix, scalar = graph.matrix(mine), ours._TYPES[kind][1]
    args = (ours._handle, ours._N, ours._T, ctypes.byref(scalar(1)), flat.made, across.made,
            ctypes.byref(scalar(0)), matrix, ours._TYPES[kind][0], 0, None)
    ours._call("spblasSDDMM_analysis", *args)
    return (lambda: ours._lib.spblasSDDMM(*args),
            lambda: torch.sparse.sampled_addmm(theirs, x, y.t(), beta=0, out=theirs),
            mine, theirs, (x, y, flat, across))


def seconds(call, batch):
    """The time of one call, of as many as fill `batch` seconds."""
    call()
    start = time.perf_counter()
    call()
    count = max(1, int(batch / (time.perf_counter() - start)))
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lengths", default="32,128")
    parser.add_argument("--types", default="f32,f64")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--batch", type=float, default=0.002)
    parser.add_argument("files", nargs="+")
    given = parser.parse_args()
    torch.set_num_threads(1)
    print("| matrix | length | type | torch us | ours us | torch / ours |\n|---|--:|---|--:|--:|--:|")
    ratios = {}
    for path in given.files:
        crow, col, cols = structure(path)
        for length in map(int, given.lengths.split(",")):
            for name in given.types.split(","):
                graph = ours.Graph(crow, col, cols)
                mine, theirs, got, want, _ = pair(graph, length, TYPES[name])
                mine(), theirs()
                if not torch.allclose(got, want.values(), rtol=1e-4):
                    sys.exit(f"{path}: results differ")
                both = [(seconds(mine, given.batch), seconds(theirs, given.batch))
                        for _ in range(given.rounds)]
                a, b = (statistics.median(t) for t in zip(*both))
                ratios.setdefault((length, name), []).append(b / a)
                print(f"| {os.path.basename(path).split('.')[0]} | {length} | {name} | "
                      f"{b * 1e6:.0f} | {a * 1e6:.0f} | {b / a:.2f} |", flush=True)
    for (length, name), all_of in ratios.items():
        print(f"{length} {name}: {statistics.geometric_mean(all_of):.2f}, "
              f"worst {min(all_of):.2f} of {len(all_of)}")


if __name__ == "__main__":
    main()
