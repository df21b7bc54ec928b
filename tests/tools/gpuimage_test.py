#!/usr/bin/env python3
"""The file of GPU kernels: gpuimage_test.py GPUIMAGE. 77 without NVRTC.

The same bytes whatever the order of the specs; what is there already is taken, so a
second run is quick, and of a file of another NVRTC nothing is; every image is of the
architecture asked for.
"""
import pathlib
import subprocess
import sys
import tempfile

ARCHS = "sm_75,sm_90,compute_75"
SPECS = ["spmm csr f32f32f32/f32 i32i32 rr t8 p0 g4 v2",
         "spmv csr f32f32f32/f32 i32i32 rr t32 p0 g16",
         "native add f32 f32 i32 -"]


def make(tool, out, specs, archs=ARCHS):
    run = subprocess.run([tool, "--arch", archs, out, *specs], capture_output=True,
                         text=True, check=False)
    if run.returncode == 77:
        print(run.stderr)
        sys.exit(77)
    assert run.returncode == 0, run.stderr
    return pathlib.Path(out).read_bytes()


def main():
    tool = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        first = make(tool, f"{folder}/a", SPECS)
        assert first.startswith(b"spblas kernels 1NVRTC "), first[:40]
        assert make(tool, f"{folder}/b", SPECS[::-1]) == first
        assert make(tool, f"{folder}/a", SPECS) == first
        more = make(tool, f"{folder}/a", SPECS[:1], "sm_75")
        assert len(more) < len(first) / 2
        assert all(first.count(a.encode() + b"\0") == len(SPECS) for a in ARCHS.split(","))
        other = first.replace(b"NVRTC ", b"OTHER ", 1)
        pathlib.Path(f"{folder}/c").write_bytes(other)
        assert make(tool, f"{folder}/c", SPECS) == first
        bad = subprocess.run([tool, f"{folder}/d", "spmm csr nonsense"],
                             capture_output=True, text=True, check=False)
        assert bad.returncode == 1 and "nonsense" in bad.stderr, bad
        assert not pathlib.Path(f"{folder}/d").exists()
    names = subprocess.run([tool, "--list"], capture_output=True, text=True, check=True)
    names = names.stdout.splitlines()
    assert len(names) == len(set(names)) > 100 and set(SPECS) <= set(names), len(names)


if __name__ == "__main__":
    main()
