#!/usr/bin/env python3
"""Tables from the JSON of `bench`: one line a row, and geometric means of the best
peer's time over ours (above 1: ours is faster).

    bench/compare.py RESULT.json                 tables on stdout
    bench/compare.py --markdown OUT.md RESULT.json
    bench/compare.py OLD.json NEW.json           how ratios changed, 15 % slack
"""
import argparse
import json
import math
import sys

SLACK = 0.15


def times(row, ours):
    """name -> median seconds of the peers that were right."""
    return {p["name"]: p["time"] for p in row["peers"]
            if p["ours"] == ours and p.get("time")}


def key(row):
    op = row["op"] + ("^T" if row.get("transposed") else "")
    return row["matrix"], op, row["n"], row["type"]


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def show(value, form="{:.2f}"):
    return "-" if value is None else form.format(value)


def ratio(row, name, libraries=True):
    """Best other's time over that of ours by this name; None where one is missing.
    The plain loop counts among the others."""
    others = times(row, False)
    own = times(row, True).get(name)
    if not libraries:
        others = {k: v for k, v in others.items() if k == "naive"}
    return min(others.values()) / own if own and others else None


def share(row, seconds, gather):
    """The row's limit over our time; with gather, the limit of a kernel that fetches a row
    of B for every entry from where B lies, which those that use a row twice can pass."""
    limit = row.get("limit")
    if not limit or not seconds:
        return None
    return (max(limit, row["gather_limit"]) if gather else limit) / seconds


def paid(row):
    """Executions after which the analysis has paid against our own path without one; None
    where its plan is not 3 % faster."""
    direct = times(row, True).get("ours-direct")
    for peer in row["peers"]:
        if peer["name"] == "ours-plan" and direct and direct > 1.03 * peer.get("time", 1e9):
            return peer["analysis"] / (direct - peer["time"])
    return None


def middle(values):
    values = sorted(values)
    return values[len(values) // 2] if values else None


def names(rows, ours):
    found = []
    for row in rows:
        for peer in row["peers"]:
            if peer["ours"] == ours and peer["name"] not in found:
                found.append(peer["name"])
    return found


def summary(rows):
    """Geometric means per class of cases."""
    own = names(rows, True)
    lines = ["| op | n | type | matrices | " +
             " | ".join(f"best peer / {name}" for name in own) +
             " | naive / ours-plan | share of limit | with gather | analysis, executions | paid after | in |",
             "|---" * (10 + len(own)) + "|"]
    for op, n, kind in sorted({key(row)[1:] for row in rows},
                              key=lambda k: (k[0] != "spmv", k[0] != "spmm", k[1:])):
        some = [row for row in rows if key(row)[1:] == (op, n, kind)]
        cells = [show(mean(r for row in some if (r := ratio(row, name)))) for name in own]
        naive = mean(r for row in some if (r := ratio(row, "ours-plan", False)))
        shares = [mean(x for row in some
                       if (x := share(row, times(row, True).get("ours-plan"), gather)))
                  for gather in (False, True)]
        runs = [p["analysis_runs"] for row in some for p in row["peers"]
                if p["name"] == "ours-plan" and p.get("analysis_runs")]
        gains = [x for row in some if (x := paid(row))]
        lines.append(f"| {op} | {n} | {kind} | {len(some)} | " + " | ".join(cells) +
                     f" | {show(naive)} | {show(shares[0])} | {show(shares[1])}"
                     f" | {show(middle(runs), '{:.1f}')} | {show(middle(gains), '{:.0f}')} |"
                     f" {len(gains)} |")
    return lines


def plan_of(row):
    for peer in row["peers"]:
        if peer["name"] == "ours-plan":
            return peer.get("text", peer["status"])
    return ""


def table(rows):
    """Every row: GFLOP/s of each peer, ratio, share of the limit, plan."""
    order = names(rows, True) + names(rows, False)
    lines = ["| matrix | op n type | nnz | " + " | ".join(order) +
             " | best peer / plan | GB/s | share | gather | analysis | plan |",
             "|---" * (9 + len(order)) + "|"]
    for row in rows:
        took = {**times(row, True), **times(row, False)}
        own = took.get("ours-plan")
        gflops = [show(row["flops"] / took[k] * 1e-9 if k in took else None, "{:.1f}")
                  for k in order]
        runs = next((p.get("analysis_runs") for p in row["peers"]
                     if p["name"] == "ours-plan"), None)
        lines.append(
            f"| {row['matrix']} | {row['op']} {row['n']} {row['type']} | {row['nnz']} | " +
            " | ".join(gflops) + f" | {show(ratio(row, 'ours-plan'))}" +
            f" | {show(row['bytes'] / own * 1e-9 if own else None, '{:.1f}')}" +
            f" | {show(share(row, own, False))} | {show(share(row, own, True))}" +
            f" | {show(runs, '{:.1f}')} | `{plan_of(row)}` |")
    return lines


def trouble(rows):
    return [f"- {row['matrix']} {row['op']} {row['n']} {row['type']}: {p['name']} "
            f"{p['status']} {p.get('text', '')}" for row in rows for p in row["peers"]
            if p["status"] in ("wrong", "failed")]


def report(result, command):
    rows = result["rows"]
    lines = [f"# spblas and its peers, {result['date']}", "",
             f"{result['cpu']}, {result['threads']} threads. GFLOP/s by medians of "
             "interleaved rounds; ratios are times, above 1 ours is faster. `share` is "
             "the roofline limit of compulsory bytes and operations over our time; `gather` "
             "the same where a row of B for every entry, from the cache B fits, takes longer; "
             "`analysis` is in executions; it has `paid` against our own path without one "
             "after the median number of executions in so many rows, in the others its plan "
             "is not 3 % faster.", "",
             f"Command: `bench/setup_peers && {command}`", ""]
    lines += [f"- {name}: {text}" for name, text in result.get("versions", {}).items()]
    limits = result.get("limits")
    if limits:
        sizes = ", ".join(f"{s['bytes'] >> 10} KiB {s['read'] * 1e-9:.0f}"
                          for s in limits["sizes"])
        lines += [f"- FMA f32 {limits['fma_f32'] * 1e-9:.0f}, f64 "
                  f"{limits['fma_f64'] * 1e-9:.0f} GFLOP/s; read, GB/s: {sizes}"]
    noisy = sum(any(p.get("noisy") for p in row["peers"]) for row in rows)
    if noisy:
        lines += [f"- {noisy} of {len(rows)} rows have a peer that was preempted most of "
                  "the time: measure again on a quieter machine"]
    lines += ["", "## Geometric means", ""] + summary(rows)
    wrong = trouble(rows)
    if wrong:
        lines += ["", "## Wrong or failed", ""] + wrong
    lines += ["", "## All rows", ""] + table(rows)
    return "\n".join(lines) + "\n"


def compare(old, new):
    """Rows whose best-peer ratio moved by more than the slack."""
    before = {key(row): ratio(row, "ours-plan") for row in old["rows"]}
    bad = 0
    for row in new["rows"]:
        was, now = before.get(key(row)), ratio(row, "ours-plan")
        if was and now and abs(math.log(now / was)) > math.log(1 + SLACK):
            bad += now < was
            print(*key(row), f"{was:.2f} -> {now:.2f}")
    print(f"{bad} rows slower against the best peer by more than {SLACK:.0%}")
    return 1 if bad else 0


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    args.add_argument("--markdown", help="write the tables here, the means on stdout")
    args.add_argument("--command", default="bench/run_bench", help="what made the result")
    args.add_argument("result", nargs="+")
    args = args.parse_args()
    if len(args.result) == 2:
        sys.exit(compare(load(args.result[0]), load(args.result[1])))
    result = load(args.result[0])
    if not args.markdown:
        print(report(result, args.command), end="")
        return
    with open(args.markdown, "w", encoding="utf-8") as out:
        out.write(report(result, args.command))
    print("\n".join(summary(result["rows"])))


if __name__ == "__main__":
    main()
