#!/usr/bin/env python3
"""The table of what bench/gpu_check measured: gpu_table.py FOLDER > gpu.md

A row is a matrix and a width; the baseline is the fastest right algorithm of cuSPARSE.
"""
import collections
import json
import math
import pathlib
import sys

WAYS = ("warm", "flushed", "graph")


def lines(folder, name):
    path = folder / f"{name}.json"
    return [json.loads(line) for line in path.open()] if path.exists() else []


def us(seconds):
    return f"{seconds * 1e6:.1f}" if seconds else ""


def best(rows, way):
    """Its time, whose it is; None without a peer."""
    times = [(r[way], r["who"]) for r in rows
             if r["who"] != "ours" and r["right"] and r[way] > 0]
    return min(times) if times else None


def put_bench(rows):
    cases = collections.defaultdict(list)
    ratios = collections.defaultdict(list)
    for row in rows:
        cases[row["matrix"], row["n"]].append(row)
    print("| matrix | n | ours warm us | 5-95 % | flushed | graph | best cuSPARSE warm "
          "us | algorithm | warm | flushed | graph | calls to break even |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for (matrix, n), case in cases.items():
        ours = next((r for r in case if r["who"] == "ours" and r["right"]), None)
        if not ours:
            print(f"| {matrix} | {n} | wrong |" + " |" * 9)
            continue
        cells, even = [], ""
        for way in WAYS:
            peer = best(case, way)
            ratio = peer[0] / ours[way] if peer and ours[way] > 0 else None
            if ratio:
                ratios[way].append(ratio)
            cells.append(f"{ratio:.2f}x" if ratio else "")
        peer = best(case, "warm")
        if peer and peer[0] > ours["warm"]:
            even = f"{ours['cold'] / (peer[0] - ours['warm']):.0f}"
        print(f"| {matrix} | {n} | {us(ours['warm'])} | {us(ours['warm05'])}-"
              f"{us(ours['warm95'])} | {us(ours['flushed'])} | {us(ours['graph'])} | "
              f"{us(peer[0]) if peer else ''} | {peer[1] if peer else ''} | "
              f"{' | '.join(cells)} | {even} |")
    for way, all_of in ratios.items():
        mean = math.exp(sum(map(math.log, all_of)) / len(all_of))
        lost = sum(r < 1 for r in all_of) / len(all_of)
        print(f"\n{way}: geometric mean {mean:.2f}x over {len(all_of)} cases, "
              f"{100 * lost:.0f} % below 1, worst {min(all_of):.2f}x")


def main():
    folder = pathlib.Path(sys.argv[1])
    print("# SpMM on the GPU, f32, by rows\n\nMade by bench/gpu_check.\n")
    put_bench(lines(folder, "bench"))
    for state in ("empty", "filled"):
        for row in lines(folder, f"cold-{state}"):
            if row["who"] == "ours" and row["right"]:
                print(f"\n{row['matrix']}, {state} kernel cache: first product after "
                      f"{row['cold'] * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
