# What the scripts of this folder share; to be sourced, in the root of the source tree.
build=${SPBLAS_BUILD:-build/release}

# Builds these targets, configured anew: a peer may have been installed since. Names MKL.
bench_build() {
    mkdir -p build bench/results
    { cmake --preset release && cmake --build "$build" --target "$@"; } >build/bench.log 2>&1 ||
        { tail -n 20 build/bench.log >&2; exit 1; }
    if [ -z "${SPBLAS_MKL:-}" ]; then
        for lib in build/peers/mkl/libmkl_rt.so.*; do
            if [ -f "$lib" ]; then export SPBLAS_MKL=$PWD/$lib; fi
        done
    fi
}

# Sets `files` to the matrices of a folder; where there is none, to generated ones.
bench_files() {
    local made=build/bench-data kind scale
    files=()
    if [ -d "$1" ]; then
        for file in "$1"/*.mtx.gz "$1"/*.tsv.gz; do
            case $file in *.voxels.tsv.gz | *.xyz.tsv.gz) ;; *) files+=("$file") ;; esac
        done
        return
    fi
    mkdir -p "$made"
    for kind in ppi arxiv proteins:0.05 reddit:0.05 uniform rmat knn banded block-pruned \
        movement-pruned longformer strided stencil5 stencil27; do
        scale=${kind#*:} kind=${kind%:*}
        [ "$scale" != "$kind" ] || scale=1
        [ -f "$made/$kind.mtx.gz" ] || "$build/spblas" gen "$kind" --scale "$scale" \
            --out "$made/$kind.mtx.gz" >/dev/null
        files+=("$made/$kind.mtx.gz")
    done
}

# Sets `files` to what the lines that are read name and say `spblas gen`.
bench_made() {
    local made=build/bench-data name options
    files=()
    mkdir -p "$made"
    while read -r name options; do
        [ -f "$made/$name.mtx.gz" ] || "$build/spblas" gen $options --out "$made/$name.mtx.gz" >/dev/null
        files+=("$made/$name.mtx.gz")
    done
}

# Graphs whose B exceeds the near caches, L3 of some machines: no order, hubs, neighbours, communities in
# order.
bench_graphs() {
    bench_made <<END
uniform-65 uniform --rows 65000 --cols 65000 --degree 35
uniform-131 uniform --rows 131000 --cols 131000 --degree 35
uniform-300 uniform --rows 300000 --cols 300000 --degree 30
rmat-131 rmat --rows 131000 --degree 35
rmat-262 rmat --rows 262000 --degree 30
knn-100 knn --rows 100000 --degree 20
ppi-3 ppi --scale 3
END
}

# Finite elements: 27 points of a grid, and neighbours of random points, of several unknowns each.
bench_meshes() {
    bench_made <<END
grid-3 stencil27 --rows 8000 --unknowns 3
grid-3-large stencil27 --rows 27000 --unknowns 3
mesh-1 knn --rows 30000 --degree 16 --unknowns 1
mesh-2 knn --rows 30000 --degree 8 --unknowns 2
mesh-3 knn --rows 15000 --degree 16 --unknowns 3
mesh-3-large knn --rows 40000 --degree 16 --unknowns 3
mesh-3-small knn --rows 3000 --degree 16 --unknowns 3
mesh-4 knn --rows 10000 --degree 14 --unknowns 4
mesh-6 knn --rows 3500 --degree 14 --unknowns 6
END
}

# Whether MKL would run other kernels if it were told to use AVX2.
bench_mkl_has_two() {
    [ -n "${SPBLAS_MKL:-}" ] && [ -z "${MKL_ENABLE_INSTRUCTIONS:-}" ] &&
        grep -q avx512f /proc/cpuinfo
}
