#!/usr/bin/env python3
"""One page about many rows: a line a combination of operation, columns, type and threads, and
the rows below 0.95. Made by bench/run_table.

    bench/overview.py OUT.md COMMAND SECONDS RESULT.json ...

Results named near-*.json are of `bench --near`: what our plans have not reached is told by them.
"""
import os
import sys

from compare import key, load, mean, middle, paid, plan_of, ratio, share, show, times

LOW = 0.95
NOISE = 1.03
OWN = ("ours-direct", "ours-plan", "ours-frozen")
IN_PLACE = ("naive", "mkl", "mkl-avx2")  # whatever the caller writes into A counts


def combination(row):
    return row["op"], row["n"], row["type"], row["threads"]


def order(key):
    return key[0] != "spmv", key[0] != "spmm", key[1:]


def groups(rows):
    """(title, rows): all of a floor, then each combination."""
    found = [(f"{op} {what} | | ", [r for r in rows if r["op"] == op and low <= r["n"] <= high])
             for op, what, low, high in (("spmv", "all", 1, 1), ("spmm", "8", 8, 8),
                                         ("spmm", "32 and more", 32, 512),
                                         ("sddmm", "all", 0, 512))]
    for key in sorted({combination(r) for r in rows}, key=order):
        found.append(("{} {} | {} | {}".format(*key), [r for r in rows if combination(r) == key]))
    return [(title, some) for title, some in found if some]


def low(rows, name, limit=1.0):
    return sum(1 for r in rows if (x := ratio(r, name)) and x < limit)


def in_place(row):
    """The best of the peers that read A where it lies, as our plan does, over our plan."""
    others, own = times(row, False), times(row, True).get("ours-plan")
    some = [others[name] for name in IN_PLACE if name in others]
    return min(some) / own if some and own else None


def bound(rows, gather, own=True):
    """Mean share of our plans or of the best peers; elements of x share their lines, so that
    gathers bound no SpMV."""
    took = (lambda r: times(r, True).get("ours-plan")) if own else (
        lambda r: min(times(r, False).values(), default=None))
    return mean(x for r in rows if not (gather and r["op"] == "spmv")
                if (x := share(r, took(r), gather)))


def ceiling(row, near):
    """The best peer's time over the least that rows one by one could take: with B in the nearest
    cache, or at the bound; or over the plan's, where it takes less."""
    others, own = times(row, False), times(row, True).get("ours-plan")
    least = near.get((key(row), row["threads"]))
    if not (others and own and least):
        return None
    return min(others.values()) / min(own, max(least, row.get("limit", 0)))


def least_near(results):
    return {(key(row), result["threads"]): min(times(row, True).values())
            for result in results for row in result["rows"] if times(row, True)}


def peers_table(rows, near):
    lines = ["| op n | type | threads | rows | direct | plan | frozen | plan, in place |"
             " ceiling | plan < 1 | < 0.95 | frozen < 1 | share of bound | with gather |"
             " best peer's | paid after | in |", "|---" * 17 + "|"]
    for title, some in groups(rows):
        gains = [x for r in some if (x := paid(r))]
        cells = [show(mean(x for r in some if (x := ratio(r, name)))) for name in OWN]
        cells += [show(mean(x for r in some if (x := in_place(r))))]
        cells += [show(mean(x for r in some if (x := ceiling(r, near))))]
        cells += [str(low(some, "ours-plan")), str(low(some, "ours-plan", LOW)),
                  str(low(some, "ours-frozen")), show(bound(some, False)),
                  show(bound(some, True)), show(bound(some, True, False)),
                  show(middle(gains), "{:.0f}"), str(len(gains))]
        lines.append(f"| {title} | {len(some)} | " + " | ".join(cells) + " |")
    return lines


def best_peer(row):
    others = times(row, False)
    return min(others, key=others.get) if others else "-"


def low_table(rows, near):
    found = sorted((x, r["matrix"], r) for r in rows
                   if (x := ratio(r, "ours-plan")) and x < LOW)
    lines = ["| matrix | op n type, threads | plan | frozen | ceiling | best peer | chosen |",
             "|---" * 7 + "|"]
    for x, name, r in found:
        lines.append("| {} | {} {} {}, {} | {:.2f} | {} | {} | {} | `{}` |".format(
            name, *combination(r), x, show(ratio(r, "ours-frozen")), show(ceiling(r, near)),
            best_peer(r), plan_of(r)))
    return lines if found else ["None."]


def over(rows, slow, fast):
    """Time of one of ours over another's, where both are."""
    own = [times(r, True) for r in rows]
    return [t[slow] / t[fast] for t in own if slow in t and fast in t]


def csr_of(row):
    return next((n for n in times(row, True) if n.startswith("csr=")), "csr")


def measured_table(rows):
    """MEASURE against ESTIMATE and against plain rows."""
    lines = ["| op n | type | threads | rows | ESTIMATE's speed of MEASURE's | frozen | least |"
             " csr / MEASURE | csr / MEASURE, frozen | MEASURE slower than csr by 3 % |",
             "|---" * 10 + "|"]
    for title, some in groups(rows):
        plain = [x for r in some for x in over([r], csr_of(r), "ours-measure")]
        frozen = [x for r in some for x in over([r], csr_of(r), "ours-measure-frozen")]
        share_of = over(some, "ours-measure", "ours-plan")
        slower = [f"{r['matrix']} {x:.2f}" for r in some
                  for x in over([r], csr_of(r), "ours-measure") if x * NOISE < 1]
        lines.append(f"| {title} | {len(some)} | {show(mean(share_of))} | " +
                     show(mean(over(some, "ours-measure-frozen", "ours-frozen"))) +
                     f" | {show(min(share_of, default=None))} | {show(mean(plain))} | "
                     f"{show(mean(frozen))} | {', '.join(slower) or 'none'} |")
    return lines


def composition_table(rows):
    """Plain rows' time over MEASURE's and, values promised, its packed plan's, by matrix."""
    cases = sorted({combination(r) for r in rows}, key=order)
    lines = ["| matrix | " + " | ".join("{} {} {}, {}".format(*case) for case in cases) + " |",
             "|---" * (1 + len(cases)) + "|"]
    for name in dict.fromkeys(r["matrix"] for r in rows):
        cells = []
        for case in cases:
            some = [r for r in rows if r["matrix"] == name and combination(r) == case]
            cells.append(", ".join(show(mean(over([r], csr_of(r), own))) for r in some
                                   for own in ("ours-measure", "ours-measure-frozen")) or "-")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def is_near(path):
    return os.path.basename(path).startswith("near-")


def main():
    out, command, seconds = sys.argv[1:4]
    near = least_near(load(path) for path in sys.argv[4:] if is_near(path))
    results = [load(path) for path in sys.argv[4:] if not is_near(path)]
    rows = [dict(row, threads=result["threads"]) for result in results for row in result["rows"]]
    noisy = sum(any(p.get("noisy") for p in row["peers"]) for row in rows)
    wrong = [f"- {r['matrix']} {' '.join(map(str, combination(r)))}: {p['name']} {p['status']}"
             for r in rows for p in r["peers"] if p["status"] in ("wrong", "failed")]
    lines = [f"# spblas and its peers, {results[0]['date']}", "",
             f"{results[0]['cpu']}; `{command.strip()}`, {seconds} s.", ""]
    measured = any("ours-measure" in times(r, True) for r in rows)
    if measured:
        lines += ["Times of interleaved medians: 1 is as fast, above 1 MEASURE is faster than csr.", ""]
        lines += measured_table(rows)
        lines += ["", "## csr / MEASURE, csr / MEASURE with the value promise", ""]
        lines += composition_table(rows)
    else:
        lines += ["Best peer's time over ours by medians of interleaved rounds, geometric means; share:"
                  " time at the bound of compulsory bytes and operations over the plan's, with gather:"
                  " the larger of that and a row of B for each entry from where B lies (best peer's: the same"
                  " of the fastest peer, so that 1 over it is what a row-wise kernel could gain);"
                  " the analysis has"
                  " paid against our path without one after so many executions (median), in so many"
                  " rows. Peers are at their best, copies of A's values included (mkl-opt, libxsmm-bsr),"
                  " which go stale when the caller writes into A; in place: the best of those without;"
                  " ceiling: what plans would have were each row to find B in the nearest cache"
                  " (`bench --near`) and A, B and C to move at the bound, where they do not have"
                  " more by columns that rows share.", ""]
        lines += peers_table(rows, near)
        lines += ["", f"## Plans below {LOW}", ""] + low_table(rows, near)
    if noisy:
        lines += ["", f"{noisy} of {len(rows)} rows have a peer that was preempted most of the time."]
    if wrong:
        lines += ["", "## Wrong or failed", ""] + wrong
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
