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

# Whether MKL would run other kernels if it were told to use AVX2.
bench_mkl_has_two() {
    [ -n "${SPBLAS_MKL:-}" ] && [ -z "${MKL_ENABLE_INSTRUCTIONS:-}" ] &&
        grep -q avx512f /proc/cpuinfo
}
