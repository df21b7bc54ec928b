#!/usr/bin/env python3
"""Adds peers that were timed in a second process to a result, because they cannot be
in the first one (MKL with another instruction set).

    bench/merge.py RESULT.json OTHER.json --peers mkl,mkl-opt --suffix=-avx2

Times are scaled by the geometric mean of the peers that both processes timed in the
same row (at least one), so that a machine that was slower for a while does not count.
RESULT.json is rewritten."""
import argparse
import json
import math


def key(row):
    op = row["op"] + ("^T" if row.get("transposed") else "")
    return row["matrix"], op, row["n"], row["type"]


def times(row):
    """Peers whose samples were clean; a preempted one says nothing about the machine."""
    return {p["name"]: p["time"] for p in row["peers"]
            if p.get("time") and not p.get("noisy")}


def scale(row, other, moved):
    """How much longer the first process took for the shared peers; None: unknown."""
    here, there = times(row), times(other)
    logs = [math.log(here[name] / there[name]) for name in here
            if name in there and name not in moved]
    return math.exp(sum(logs) / len(logs)) if logs else None


def merge(result, other, moved, suffix):
    others = {key(row): row for row in other["rows"]}
    for row in result["rows"]:
        found = others.get(key(row))
        factor = scale(row, found, moved) if found else None
        if factor is None:
            continue
        for peer in found["peers"]:
            if peer["name"] in moved and not peer.get("noisy"):
                peer = dict(peer, name=peer["name"] + suffix, scaled=round(factor, 4))
                for field in ("time", "best", "q1", "q3", "analysis"):
                    if field in peer:
                        peer[field] *= factor
                row["peers"].append(peer)
    for name, text in other.get("versions", {}).items():
        if name in moved:
            result.setdefault("versions", {})[name + suffix] = text


def write(result, path):
    """A row a line, as bench writes it, so that diffs stay readable."""
    rows = result["rows"]
    rest = {k: v for k, v in result.items() if k != "rows"}
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"rows": [\n  ')
        out.write(",\n  ".join(json.dumps(row) for row in rows))
        out.write("\n],\n" + json.dumps(rest, indent=1)[1:].lstrip() + "\n")


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    args.add_argument("result")
    args.add_argument("other")
    args.add_argument("--peers", required=True)
    args.add_argument("--suffix", required=True)
    args = args.parse_args()
    with open(args.result, encoding="utf-8") as file:
        result = json.load(file)
    with open(args.other, encoding="utf-8") as file:
        other = json.load(file)
    merge(result, other, args.peers.split(","), args.suffix)
    write(result, args.result)


if __name__ == "__main__":
    main()
