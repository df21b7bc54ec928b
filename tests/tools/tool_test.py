#!/usr/bin/env python3
"""End-to-end tests of the tool:  tool_test.py SPBLAS files|gen|run|inspect|convert|tune|usage"""
import gzip
import os
import struct
import subprocess
import sys
import tempfile
import zlib

TOOL = sys.argv[1]
HEAD = "%%MatrixMarket matrix coordinate "


def call(*args, code=0):
    """stdout and stderr of a call that must end with this code."""
    done = subprocess.run([TOOL, *map(str, args)], capture_output=True, text=True,
                          timeout=300, check=False)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, args))}: exit {done.returncode}, not {code}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def expect(text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"'{part}' is missing in:\n{text}")


def write(path, text):
    with open(path, "w", encoding="ascii") as out:
        out.write(text)
    return path


# A malformed file, the line it is at, and what the message must say.
BAD = [
    ("", 1, "expected %%MatrixMarket"),
    (HEAD + "real general\n2 2\n", 2, "expected the number of entries"),
    (HEAD + "real general\n2 2 1\n3 1 1\n", 3, "expected 1 .. 2"),
    (HEAD + "real general\n2 2 1\n1 1 one\n", 3, "expected a number"),
    (HEAD + "real general\n2 2 2\n1 1 1\n", 4, "expected 2"),
    (HEAD + "real general\n2 2 1\n1 1 1\n2 2 2\n", 4, "expected the end"),
    (HEAD + "real general\n2 2 1000000000000000000\n1 1 1\n", 4, "expected 10000000"),
    (HEAD + "real symmetric\n2 2 1\n1 2 1\n", 3, "expected row >= column"),
]


def test_files(folder):
    path = os.path.join(folder, "bad.mtx")
    for text, line, expected in BAD:
        for command in (["run"], ["inspect"]):
            _, err = call(*command, write(path, text), code=2)
            expect(err, f"bad.mtx: line {line}: ", expected)
    with gzip.open(path + ".gz", "wt") as out:
        out.write(BAD[2][0])
    expect(call("run", path + ".gz", code=2)[1], "bad.mtx.gz: line 3: ")
    with open(path + ".gz", "rb") as packed:
        half = packed.read()[:30]
    with open(path + ".gz", "wb") as packed:
        packed.write(half)
    expect(call("run", path + ".gz", code=2)[1], "ends early")
    expect(call("run", os.path.join(folder, "absent.mtx"), code=2)[1],
           "cannot be opened")
    big = write(path, HEAD + "real general\n1000000000000000 1 0\n")
    expect(call("run", big, code=2)[1], "does not fit into memory")


KINDS = {
    "cora": ([], 10556), "citeseer": ([], 9228), "pubmed": ([], 88651),
    "ppi": (["--scale", 0.05], None), "arxiv": (["--scale", 0.02], None),
    "proteins": (["--scale", 0.01], None), "reddit": (["--scale", 0.005], None),
    "rmat": (["--rows", 1024], 16384), "uniform": (["--rows", 500], 8000),
    "knn": (["--rows", 400, "--degree", 5], 2000),
    "banded": (["--rows", 100, "--window", 2], 494),
    "block-pruned": (["--rows", 64, "--cols", 128, "--block", 8], None),
    "movement-pruned": (["--rows", 200, "--cols", 100], None),
    "longformer": (["--rows", 128, "--window", 4, "--global", 2], None),
    "bigbird": (["--rows", 128, "--block", 8], None),
    "strided": (["--rows", 128, "--window", 8], None),
    "logsparse": (["--rows", 128], None),
    "butterfly": (["--rows", 64, "--block", 4], 16 * 5 * 16),
    "crossed": (["--rows", 64, "--block", 8], None),
    "stencil5": (["--rows", 100], 460), "stencil9": (["--rows", 100], 784),
    "stencil7": (["--rows", 125], 725), "stencil27": (["--rows", 125], 2197),
}


def test_gen(folder):
    listed = [line.split()[0] for line in call("gen")[0].split("kinds:")[1]
              .split("options:")[0].strip().split("\n")]
    if sorted(listed) != sorted(KINDS):
        sys.exit(f"kinds listed and tested differ: {listed}")
    for kind, (options, entries) in KINDS.items():
        files = [os.path.join(folder, kind + end) for end in (".mtx", "2.mtx.gz")]
        for path in files:
            out, _ = call("gen", kind, *options, "--seed", 3, "-o", path)
        if entries is not None:
            expect(out, f"{entries} entries")
        with open(files[0], "rb") as one, gzip.open(files[1], "rb") as two:
            text = one.read()
            if text != two.read():
                sys.exit(f"{kind}: the same seed gave another matrix")
        # Read back: as many entries as were written.
        count = int(text.split(b"\n")[2].split()[2])
        expect(call("run", files[1], "--n", 4, "--repeat", -1)[0],
               f", {count} entries", "PASS")
        other = os.path.join(folder, "other.mtx")
        call("gen", kind, *options, "--seed", 4, "-o", other)
        with open(other, "rb") as file:
            same = file.read().split(b"\n")[3:] == text.split(b"\n")[3:]
        fixed = kind.startswith("stencil") or kind in (
            "longformer", "strided", "logsparse", "butterfly")
        if same != fixed:
            sys.exit(f"{kind}: seeds 3 and 4 gave {'the same' if same else 'others'}")
    out, _ = call("gen", "stencil27", "--rows", 125, "--unknowns", 3, "-o", other)
    expect(out, "375 x 375", f"{9 * 2197} entries")
    expect(call("inspect", other)[0], "b3 100.0%")
    expect(call("gen", "stencil27", "--unknowns", 17, "-o", other, code=2)[1], "unknowns")
    expect(call("gen", "nothing", "-o", "x.mtx", code=2)[1], "unknown kind")
    expect(call("gen", "cora", code=2)[1], "--out")
    expect(call("gen", "butterfly", "--rows", 100, "-o", other, code=2)[1],
           "power of two")
    expect(call("gen", "cora", "-o", os.path.join(folder, "no", "x.mtx"), code=2)[1],
           "cannot be written")


def test_run(folder):
    path = os.path.join(folder, "a.mtx.gz")
    call("gen", "movement-pruned", "--rows", 150, "--cols", 90, "--density", 0.1,
         "-o", path)
    cases = [[]]
    cases += [["--op", op, "--type", kind] for op in ("spmm", "spmv", "sddmm")
              for kind in ("f32", "f64", "f16", "bf16", "c32", "c64")]
    cases += [["--op", op, "--layout", layout, "--trans", trans, "--type", kind]
              for op in ("spmm", "sddmm") for layout in ("row", "col")
              for trans in ("N", "T", "H") for kind in ("f32", "c64")]
    cases += [["--op", "spmv", "--trans", "T"], ["--index", 64], ["--frozen"],
              ["--beta", -0.5, "--alpha", 2], ["--op", "sddmm", "--beta", 0.5],
              ["--plan", "(plan spmm (part csr))"]]
    cases += [["--op", op, "--format", kind, "--index", bits, "--beta", 0.5]
              for op in ("spmm", "spmv", "sddmm") for kind in ("csc", "coo", "bsr1", "bsr7")
              for bits in (32, 64)]
    for case in cases:
        n = [] if "spmv" in case else ["--n", 9]
        out, _ = call("run", path, *n, *case, "--threads", 2, "--repeat", -1)
        expect(out, "matrix ", "problem ", "plan ", "error ", "PASS")
    out, _ = call("run", path, "--n", 16, "--repeat", 2)
    expect(out, "analysis ", "executions", "time ", "direct ", "plain ", "limit ",
           "GFLOP/s", "GB/s", "PASS")
    out, _ = call("run", path, "--plan", "(plan spmm (part rows hyb 1 3))")
    expect(out, "(plan spmm (part rows hyb 1 3)")
    expect(call("run", path, "--plan", "(plan spmm (part", code=2)[1], "analysis")
    for word in ("bsr", "bsr0", "bsr2x", "dia"):
        expect(call("run", path, "--format", word, code=2)[1], f"--format {word}:")
    triples = write(os.path.join(folder, "t.tsv"), "0\t0\t1\n2\t1\t0\n0\t1\t1\n")
    expect(call("run", triples, "--n", 3, "--repeat", -1)[0], "in 2 relations", "PASS")
    empty = write(os.path.join(folder, "e.mtx"), HEAD + "real general\n3 4 0\n")
    expect(call("run", empty, "--n", 2, "--repeat", -1)[0], "PASS")
    whole = write(os.path.join(folder, "c.mtx"),
                  HEAD + "complex hermitian\n2 2 2\n1 1 5 0\n2 1 1 2\n")
    expect(call("run", whole, "--type", "c32", "--trans", "H", "--repeat", -1)[0],
           "PASS")
    expect(call("run", whole, code=2)[1], "give --type c32")


def read_png(path):
    """Width and height after checking every chunk's checksum."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit("not a PNG")
    at, size = 8, None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if zlib.crc32(kind + body) != struct.unpack(">I", data[at + 8 + length:][:4])[0]:
            sys.exit("a damaged chunk")
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        at += 12 + length
    return size


def test_inspect(folder):
    path, png = os.path.join(folder, "a.mtx"), os.path.join(folder, "a.png")
    call("gen", "block-pruned", "--rows", 64, "--cols", 32, "--block", 8, "-o", path)
    out, _ = call("inspect", path, "--png", png)
    expect(out, "matrix ", "rows ", "structure ", "parts ", "full 8 x 8 blocks",
           "100.0 %", "picture ")
    width, height = read_png(png)
    if not (400 < width < 1000 and 900 < height < 1100):
        sys.exit(f"picture of {width} x {height}")
    out, _ = call("inspect", path, "--plan", "(plan spmm (part bsr 4) (part rows flat 1))")
    expect(out, "bsr 4                    100.0 %")
    expect(call("inspect", path, "--png", os.path.join(folder, "no", "a.png"),
                code=2)[1], "a.png")


SHOWN = """part 0
  i: 2 nodes
  j: 3 nodes
    ptr 0 1 3
    idx 2 0 1
  values
    4 -1.5 3
"""

STEPS = """steps     of the general path
          Trim(0)
          Split(0)
          Skew(0, 1, -1)
          Swap(0, 1)
          Sort
          Merge(0)
          Fill(1)
          Vectorize(1)
"""


def test_page(folder):
    """The example of docs/formats.md prints what the page says."""
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(os.path.join(tests, "..", "docs", "formats.md"), encoding="utf-8") as page:
        lines = page.read().split('$ spblas convert second.mtx --to "bdia<3>" --steps\n')[1]
    rows = [f"{i} {i} 2\n" + (f"{i + 1} {i} -1\n" if i < 6 else "") for i in range(1, 7)]
    path = write(os.path.join(folder, "second.mtx"),
                 HEAD + "integer symmetric\n6 6 11\n" + "".join(rows))
    out, _ = call("convert", path, "--to", "bdia<3>", "--steps")
    expect(out, *[line[4:] + "\n" for line in lines.split("\n\n")[0].split("\n")])


def test_convert(folder):
    test_page(folder)
    path = write(os.path.join(folder, "a.mtx"), HEAD +
                 "real general\n2 3 4\n2 1 -1.5\n1 3 4\n2 2 3\n1 1 0\n")
    out, _ = call("convert", path, "--to", "ragged", "--type", "f32")
    expect(out, "from      format csr (i, j) -> (i, j)", "to        format ragged",
           "result    a matrix of format CUSTOM", "i              2 indices from 0",
           "ptr 3 (12 B), 5 indices in runs", "values         5 (20 B)",
           "bytes     44 B read, 32 B written", "GB/s",
           "but 1 stored zeros, which became padding: PASS")
    write(path, HEAD + "real general\n2 3 3\n2 1 -1.5\n1 3 4\n2 2 3\n")
    out, _ = call("convert", path, "--from", "csb<2>", "--to", "lil", "--show")
    expect(out, "from      format csb<b1=2, b2=2>", SHOWN, "in records)",
           "the same 3 elements: PASS")
    out, _ = call("convert", path, "--to", "csc", "--index", 64)
    expect(out, "format CSC", "ptr 4 (32 B), idx 3 (24 B)")
    expect(call("convert", path, "--to", "dia", "--steps")[0], STEPS)
    file = os.path.join(folder, "arrays.txt")
    call("convert", path, "--to", "lil", "--out", file)
    with open(file, encoding="ascii") as text:
        if text.read() != SHOWN:
            sys.exit("--out and --show differ")
    call("gen", "movement-pruned", "--rows", 150, "--cols", 90, "-o", path)
    formats = ["dense", "dok", "dcsr", "dia", "bsr<4>", "dbsr<3, 2>", "csb<16>", "ell",
               "sell<8>", "hyb<16, 3>", "sr_bcrs", "c2sr<4>", "cisr_plus", "serpens",
               "bdia_csr", "bell_coo<2, 3>",
               "format mine (x, y) -> (x + y, x) merge(0) trim(0, 1)"]
    for kind in ("f32", "f64", "f16", "bf16", "c32", "c64"):
        out, _ = call("convert", path, "--to", formats[0], "--type", kind)
        expect(out, "PASS")
    for source, target in zip(formats, formats[1:] + ["csr"]):
        out, _ = call("convert", path, "--from", source, "--to", target, "--threads", 2)
        expect(out, "PASS")
    expect(call("convert", path, "--to", "dense", "--show", code=2)[1],
           "--show: 13500 numbers are more than")
    expect(call("convert", path, "--to", "bsr<4", code=2)[1],
           'line 1, column 6: expected ">"', "bsr<4\n     ^")
    expect(call("convert", path, "--to", "csr", "--from", "tsr", code=2)[1], "--from: ",
           "tsr\n^")
    expect(call("convert", path, "--to", "csf", code=2)[1], "--to: ", "dimensions")
    expect(call("convert", path, code=2)[1], "--to FORMAT")
    expect(call("convert", "--to", "csr", code=2)[1], "wants a matrix file")
    expect(call("convert", path, "--to", "csr", "--type", "f8", code=2)[1], "--type f8")
    expect(call("convert", path, "--to", "csr", "--index", 16, code=2)[1], "32 or 64")
    expect(call("convert", path, "--to", "csr", "--out", os.path.join(folder, "no", "a"),
                code=2)[1], "cannot be written")
    whole = write(os.path.join(folder, "c.mtx"),
                  HEAD + "complex hermitian\n2 2 2\n1 1 5 0\n2 1 1 2\n")
    expect(call("convert", whole, "--to", "dcsr", code=2)[1], "give --type c32")
    expect(call("convert", whole, "--to", "dcsr", "--type", "c64", "--show")[0],
           "5+0i 1-2i 1+2i")


def test_tune(folder):
    """Only kernels at hand: what is timed matters less than what becomes of it."""
    model = os.path.join(folder, "model.txt")
    os.environ.update(SPBLAS_JIT="off", SPBLAS_MODEL=model, SPBLAS_LOG="info",
                      SPBLAS_CACHE_DIR=folder)
    heads = ("op     class", "spmm   csr", "spmv   csr", "sddmm  csr", "choices without")
    out, err = call("tune", "--quick", "--dry-run", "--threads", 1)
    expect(out, "rates ", " of 9 products in ", "before", "after", *heads)
    if "stored" in out or os.path.exists(model) or model in err:
        sys.exit("--dry-run left something")
    expect(call("tune", "--quick", "--threads", 1)[0], f"stored in {model}")
    path = os.path.join(folder, "a.mtx")
    call("gen", "banded", "--rows", 50, "-o", path)
    out, err = call("tune", "--report", "--quick", "--list", path, "--threads", 1)
    expect(out, "0: 50 x 50, ", "n 1, f32, chosen, measured ",
           ", predicted ", " (plan spmv (part ", *heads)
    expect(err, f"cost model: {model}")
    out, err = call("tune", "--report", "--quick", "--op", "spmv", path, "--threads", 1)
    expect(out, " of 1 products in ")
    out, err = call("tune", "--report", "--quick", "--limit", 1e-7, path, path, "--threads", 1)
    expect(out, ", not all that were meant to")
    with open(model, "a", encoding="ascii") as file:
        file.write("more")
    expect(call("tune", "--report", "--quick", path, "--threads", 1)[1],
           f"cost model as shipped: {model}: damaged")
    os.environ["SPBLAS_MODEL"] = "off"
    expect(call("tune", "--quick", "--threads", 1, code=2)[1], "SPBLAS_MODEL is off")
    expect(call("tune", "--report", code=2)[1], "--report wants matrix files")
    expect(call("tune", "--op", "spmx", code=2)[1], "--op spmx")
    expect(call("tune", "--threads", -1, code=2)[1], "1 .. 1024")
    expect(call("tune", "--report", path + "x", code=2)[1], "cannot be opened")


def test_usage(folder):
    expect(call(code=2)[1], "usage:", "run", "inspect", "convert", "gen", "tune", "exit:")
    expect(call("--help")[0], "usage:")
    expect(call("dance", code=2)[1], "unknown command 'dance'")
    for command in ("run", "inspect", "convert", "gen", "tune"):
        expect(call(command, "--help")[0], "usage: spblas " + command, "--help")
    path = os.path.join(folder, "a.mtx")
    call("gen", "banded", "--rows", 20, "-o", path)
    for words, part in ((["--op", "spmx"], "--op spmx"), (["--n", 0.5], "not a number"),
                        (["--n", -1], "at least 1"), (["--type", "f8"], "--type f8"),
                        (["--index", 16], "32 or 64"), (["--speed"], "unknown option"),
                        (["--n"], "wants a value"), (["b.mtx"], "one word too many"),
                        (["--op", "spmv", "--n", 2], "one column")):
        expect(call("run", path, *words, code=2)[1], "spblas: ", part)
    expect(call("run", code=2)[1], "wants a matrix file")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        globals()["test_" + sys.argv[2]](folder)
    print("ok")
