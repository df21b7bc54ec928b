/*
 * The CPU's table of functions.
 */
#include "cpu/cpu.h"

#include "cpu/exec.h"
#include "cpu/geam.h"
#include "cpu/headers.h"
#include "cpu/legacy.h"
#include "cpu/ref.h"
#include "cpu/ref_vector.h"
#include "cpu/spgemm.h"
#include "cpu/tri.h"

const sb_backend sb_cpu_backend = {
    .name = "cpu",
    .threads = sb_exec_threads,
    .rest = sb_exec_rest,
    .run_tiles = sb_exec_tiles,
    .parallel = sb_exec_parallel,
    .reference = sb_ref_run,
    .vector = sb_ref_vector,
    .compile = sb_headers_compile,
    .spgemm = &sb_cpu_spgemm,
    .tri = &sb_cpu_tri,
    .geam = &sb_cpu_geam,
    .legacy = &sb_cpu_legacy,
};
