/*
 * Older solvers in the memory of the emulated GPU against the host's, within bounds: incomplete
 * factors, new values under the same analysis, zero pivots; systems of few diagonals in every
 * arrangement, whose rows must be exchanged; in several orders of blocks and threads.
 * ctest-labels: quick gpu-emu
 */
#include "base/macro.h"
#include "cachebox.h"
#include "gen.h"
#include "gpu/emu.h"
#include "gpusides.h"

#include "spblas_legacy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- incomplete factors ------------------------------------------------------------------ */

enum { ORDER = 40 };

/* The matrix with a large diagonal (but in row `poor`), of a symmetric pattern. */
static int
pattern(int *ptr, int *idx, double *val, int base, bool complex, int poor, uint64_t k)
{
    gen_rng r = {k};
    bool there[ORDER][ORDER] = {{false}};
    int n = 0;

    for (int i = 0; i < ORDER; i++)
        for (int j = 0; j <= i; j++)
            there[i][j] = there[j][i] = i == j || gen_below(&r, 6) == 0;
    for (int i = 0; i < ORDER; i++) {
        ptr[i] = n + base;
        for (int j = 0; j < ORDER; j++)
            if (there[i][j]) {
                const int w = complex ? 2 : 1;

                idx[n] = j + base;
                val[w * n] = i != j ? 0.25 + 0.01 * (i + j) / ORDER : i == poor ? 0 : 9;
                if (complex)
                    val[w * n + 1] = i == j ? 0 : i < j ? 0.125 : -0.125;
                n++;
            }
    }
    ptr[ORDER] = n + base;
    return n;
}

static int
run_factor(double *out, side_pool *p, uint64_t k, bool cholesky)
{
    const bool complex = k % 2;
    const int base = (int)(k / 2 % 2), poor = k % 5 == 4 ? 0 : -1;
    const spblasDataType_t t = complex ? SPBLAS_C_64F : SPBLAS_R_64F;
    const spblasMatDescr_t d = {.base = (spblasIndexBase_t)base};
    const spblasSolvePolicy_t policy = SPBLAS_SOLVE_POLICY_USE_LEVEL;
    const spblasHandle_t h = side_handle(p);
    static double host[2 * ORDER * ORDER];
    int ptr[ORDER + 1], idx[ORDER * ORDER], bytes, at = -7;
    const int nnz = pattern(ptr, idx, host, base, complex, poor, k);
    const size_t all = (size_t)nnz * (complex ? 16 : 8);
    int *row = side_copy(p, ptr, sizeof ptr), *col = side_copy(p, idx, (size_t)nnz * 4);
    double *val = side_copy(p, host, all);
    spblasLegacyInfo_t info;
    void *buffer;

    world_must(spblasCreateLegacyInfo(&info));
    if (cholesky)
        world_must(spblasXcsric02_bufferSize(h, t, ORDER, nnz, &d, val, row, col, info,
                                             &bytes));
    else
        world_must(spblasXcsrilu02_bufferSize(h, t, ORDER, nnz, &d, val, row, col, info,
                                              &bytes));
    buffer = side_copy(p, NULL, (size_t)bytes);
    for (int again = 0; again < 2; again++) { /* new values, the same analysis */
        memcpy(val, host, all);
        if (cholesky) {
            if (!again)
                world_must(spblasXcsric02_analysis(h, t, ORDER, nnz, &d, val, row, col,
                                                   info, policy, buffer));
            world_must(spblasXcsric02(h, t, ORDER, nnz, &d, val, row, col, info, policy,
                                      buffer));
            (void)spblasXcsric02_zeroPivot(h, info, &at);
        } else {
            if (!again)
                world_must(spblasXcsrilu02_analysis(h, t, ORDER, nnz, &d, val, row, col,
                                                    info, policy, buffer));
            world_must(spblasXcsrilu02(h, t, ORDER, nnz, &d, val, row, col, info,
                                       policy, buffer));
            (void)spblasXcsrilu02_zeroPivot(h, info, &at);
        }
    }
    assert_int_equal(at, poor < 0 ? -1 : poor + base);
    memcpy(out, val, all);
    world_must(spblasDestroyLegacyInfo(info));
    return poor < 0 ? nnz * (complex ? 2 : 1) : 0;
}

static void
test_factors(void **state)
{
    static double got[2][2 * ORDER * ORDER];

    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 20; k++) {
        int n = 0;

        side_order(k);
        for (int side = 0; side < 2; side++) {
            side_pool p = {.side = side};

            n = run_factor(got[side], &p, k / 2, k % 2);
            side_drop(&p);
        }
        for (int q = 0; q < n; q++)
            if (!(fabs(got[1][q] - got[0][q]) <= 1e-13))
                fail_msg("case %d: element %d is %g, not %g", (int)k, q, got[1][q],
                         got[0][q]);
    }
}

/* ---- few diagonals ----------------------------------------------------------------------- */

enum { ROWS = 30, SYSTEMS = 5, PLACES = 2 * ROWS * SYSTEMS };

typedef enum routine { PLAIN, NO_PIVOT, STRIDED, INTERLEAVED, FIVE, ROUTINES } routine;

/* Diagonals 0 .. 4 (one beside: 1 .. 3) and right sides, and the solution in their place. */
static void
solve(side_pool *p, routine what, uint64_t k, const double *from, double *x)
{
    static const spblasDataType_t types[] = {SPBLAS_R_64F, SPBLAS_C_64F};
    const spblasDataType_t t = types[k % 2];
    const spblasHandle_t h = side_handle(p);
    const size_t bytes_of = PLACES * sizeof(double);
    double *d[6];
    sb_emu_counts before;
    size_t bytes;
    void *buffer;

    for (int q = 0; q < 6; q++)
        d[q] = side_copy(p, from + (ptrdiff_t)q * PLACES, bytes_of);
    if (what == PLAIN)
        world_must(spblasXgtsv2_bufferSizeExt(h, t, ROWS, SYSTEMS, d[1], d[2], d[3],
                                              d[5], ROWS, &bytes));
    else if (what == NO_PIVOT)
        world_must(spblasXgtsv2_nopivot_bufferSizeExt(h, t, ROWS, SYSTEMS, d[1], d[2],
                                                      d[3], d[5], ROWS, &bytes));
    else if (what == STRIDED)
        world_must(spblasXgtsv2StridedBatch_bufferSizeExt(h, t, ROWS, d[1], d[2], d[3],
                                                          d[5], SYSTEMS, ROWS, &bytes));
    else if (what == INTERLEAVED)
        world_must(spblasXgtsvInterleavedBatch_bufferSizeExt(
            h, t, 0, ROWS, d[1], d[2], d[3], d[5], SYSTEMS, &bytes));
    else
        world_must(spblasXgpsvInterleavedBatch_bufferSizeExt(
            h, t, 0, ROWS, d[0], d[1], d[2], d[3], d[4], d[5], SYSTEMS, &bytes));
    buffer = side_copy(p, NULL, bytes);
    before = sb_emu_count();
    if (what == PLAIN)
        world_must(
            spblasXgtsv2(h, t, ROWS, SYSTEMS, d[1], d[2], d[3], d[5], ROWS, buffer));
    else if (what == NO_PIVOT)
        world_must(spblasXgtsv2_nopivot(h, t, ROWS, SYSTEMS, d[1], d[2], d[3], d[5],
                                        ROWS, buffer));
    else if (what == STRIDED)
        world_must(spblasXgtsv2StridedBatch(h, t, ROWS, d[1], d[2], d[3], d[5], SYSTEMS,
                                            ROWS, buffer));
    else if (what == INTERLEAVED)
        world_must(spblasXgtsvInterleavedBatch(h, t, 0, ROWS, d[1], d[2], d[3], d[5],
                                               SYSTEMS, buffer));
    else
        world_must(spblasXgpsvInterleavedBatch(h, t, 0, ROWS, d[0], d[1], d[2], d[3],
                                               d[4], d[5], SYSTEMS, buffer));
    assert_int_equal(sb_emu_count().waits, before.waits);
    memcpy(x, d[5], bytes_of);
}

/* Small diagonals in every third row, so that rows must be exchanged. */
static void
test_bands(void **state)
{
    static double from[6 * PLACES], x[2][PLACES];

    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 4 * ROUTINES; k++) {
        gen_rng r = {k};

        side_order(k);
        for (int q = 0; q < 6 * PLACES; q++)
            from[q] = gen_unit(&r) - 0.5 + (q / PLACES == 2 ? (q % 3 ? 4 : 0.01) : 0.0);
        for (int side = 0; side < 2; side++) {
            side_pool p = {.side = side};

            solve(&p, (routine)(k % ROUTINES), k / ROUTINES, from, x[side]);
            side_drop(&p);
        }
        for (int q = 0; q < PLACES; q++)
            if (!(fabs(x[1][q] - x[0][q]) <= 1e-8 * (1 + fabs(x[0][q]))))
                fail_msg("routine %d, case %d: element %d is %g, not %g",
                         (int)(k % ROUTINES), (int)k, q, x[1][q], x[0][q]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_factors),
                                       cmocka_unit_test(test_bands)};
    int failed;

    if (!sides_open(SB_BINARY_DIR))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + sides_close();
}
