#!/usr/bin/env python3
"""The tables of what bench/gpu_check measured: gpu_table.py FOLDER > gpu.md

A row is a matrix and a width; the baseline is the fastest right algorithm of cuSPARSE.
"""
import collections
import json
import math
import pathlib
import sys

WAYS = ("warm", "flushed", "graph")
OPS = {"spmm": "SpMM", "spmv": "SpMV", "sddmm": "SDDMM"}


def lines(folder, name):
    """Whole ones: a program that was ended may leave half a line."""
    path = folder / f"{name}.json"
    rows = path.read_text().splitlines() if path.exists() else []
    return [json.loads(row) for row in rows if row.startswith("{") and row.endswith("}")]


def us(seconds):
    return f"{seconds * 1e6:.1f}" if seconds else ""


def ours(row):
    return row["who"].startswith("ours")


def timed(row):
    """Right, and of ours computed on the GPU."""
    return row["right"] and (row["captured"] or not ours(row))


def best(rows, way):
    """Its time, whose it is; None without a peer."""
    times = [(r[way], r["who"]) for r in rows
             if not ours(r) and r["right"] and r[way] > 0]
    return min(times) if times else None


def title(row):
    text = f"{OPS[row['op']]}, {row['type']}"
    if row["op"] == "spmm":
        text += ", by columns" if row["order"] == "col" else ", by rows"
    return text + (", beta 1" if row["beta"] else "")


def put_case(matrix, n, case, ratios):
    mine = next((r for r in case if r["who"] == "ours" and r["right"]), None)
    if not mine or not timed(mine):
        print(f"| {matrix} | {n} | {'not on the GPU' if mine else 'wrong'} |" + " |" * 10)
        return
    strict = next((r for r in case if r["who"] == "ours deterministic" and timed(r)), None)
    cells, even = [], ""
    for way in WAYS:
        peer = best(case, way)
        ratio = peer[0] / mine[way] if peer and mine[way] > 0 else None
        if ratio:
            ratios[way].append(ratio)
        cells.append(f"{ratio:.2f}x" if ratio else "")
    peer = best(case, "warm")
    if peer and peer[0] > mine["warm"]:
        even = f"{mine['cold'] / (peer[0] - mine['warm']):.0f}"
    print(f"| {matrix} | {n} | {us(mine['warm'])} | {us(mine['warm05'])}-"
          f"{us(mine['warm95'])} | {us(mine['flushed'])} | {us(mine['graph'])} | "
          f"{us(strict['warm']) if strict else ''} | "
          f"{us(peer[0]) if peer else ''} | {peer[1] if peer else ''} | "
          f"{' | '.join(cells)} | {even} |")


def put_bench(rows):
    cases = collections.defaultdict(list)
    ratios = collections.defaultdict(list)
    for row in rows:
        cases[row["matrix"], row["n"]].append(row)
    print("| matrix | n | ours warm us | 5-95 % | flushed | graph | CSR_ALG3 warm | "
          "best cuSPARSE warm us | algorithm | warm | flushed | graph | "
          "calls to break even |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for (matrix, n), case in cases.items():
        put_case(matrix, n, case, ratios)
    for way, all_of in ratios.items():
        mean = math.exp(sum(map(math.log, all_of)) / len(all_of))
        lost = sum(r < 1 for r in all_of) / len(all_of)
        print(f"\n{way}: geometric mean {mean:.2f}x over {len(all_of)} cases, "
              f"{100 * lost:.0f} % below 1, worst {min(all_of):.2f}x")


def put_part(folder, name, heading):
    groups = collections.defaultdict(list)
    for row in lines(folder, name):
        groups[title(row)].append(row)
    for text, rows in groups.items():
        print(f"\n## {text}{heading}\n")
        put_bench(rows)


def put_limits(folder):
    rows = lines(folder, "limits")
    if not rows:
        return
    device = rows[0]
    print(f"\n## Limits of {device['arch']}, {device['sms']} SMs, "
          f"{device['l2'] / 2**20:.0f} MiB of L2\n")
    print("| launch of | in a row us | in a graph us |\n|---|---|---|")
    for row in rows:
        if row["limit"] == "launch":
            print(f"| {row['blocks']} blocks | {row['row'] * 1e6:.2f} | "
                  f"{row['graph'] * 1e6:.2f} |")
    gathers = [r for r in rows if r["limit"] == "gather"]
    sizes = sorted({r["footprint"] for r in gathers})
    speed = {(r["way"], r["row_bytes"], r["footprint"]): r["bytes_a_second"] for r in gathers}
    print("\nRows at random, TB/s by the memory they lie in:\n")
    print("| rows of bytes | " + " | ".join(f"{s / 2**20:g} MiB" for s in sizes) + " |")
    print("|---|" + "---|" * len(sizes))
    for way, row_bytes in sorted({k[:2] for k in speed}):
        cells = [speed.get((way, row_bytes, s)) for s in sizes]
        print(f"| gather {way} {row_bytes} | " +
              " | ".join(f"{c / 1e12:.2f}" if c else "" for c in cells) + " |")
    print("\n| rows of C, n | rows | ns a row |\n|---|---|---|")
    for row in rows:
        if row["limit"] == "sums":
            print(f"| {row['way']} {row['n']} | {row['rows']} | "
                  f"{1e9 / row['rows_a_second']:.3f} |")


def put_ofc(folder):
    """Kernels of -Ofc=mid against those compiled as always."""
    usual = {(r["matrix"], r["n"]): r for r in lines(folder, "bench")
             if r["who"] == "ours" and timed(r)}
    ratios = [r["warm"] / usual[r["matrix"], r["n"]]["warm"] for r in lines(folder, "ofc")
              if r["who"] == "ours" and timed(r) and (r["matrix"], r["n"]) in usual]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\nKernels compiled with -Ofc=mid take {mean:.3f} times as long (geometric "
              f"mean of {len(ratios)} cases, worst {max(ratios):.3f}).")


def main():
    folder = pathlib.Path(sys.argv[1])
    print("# Products on the GPU\n\nMade by bench/gpu_check.")
    machine = folder / "machine.txt"
    if machine.exists():
        print(f"\n{machine.read_text().strip()}")
    put_limits(folder)
    for name, heading in (("bench", ""), ("types", ""), ("layouts", ""), ("ops", ""),
                          ("adversarial", ": adversarial")):
        put_part(folder, name, heading)
    put_ofc(folder)
    for state in ("empty", "filled", "built-in"):
        for row in lines(folder, f"cold-{state}"):
            if row["who"] == "ours" and timed(row):
                print(f"\n{row['matrix']}, {state} kernel cache: first product after "
                      f"{row['cold'] * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
