/*
 * Older routines of blocks in the memory of the emulated GPU against the host's: triangular
 * solves, masked products and blocks by columns by their bits, incomplete factors within bounds;
 * zero pivots to either side; types, directions, operations and bases, in several orders of
 * blocks and threads. What computes waits for nothing and takes no memory.
 * ctest-labels: quick gpu-emu
 */
#include "base/macro.h"
#include "cachebox.h"
#include "call.h"
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

static sb_dtype
type_of(uint64_t k)
{
    static const sb_dtype types[] = {SB_F64, SB_C32, SB_F32, SB_C64, SB_BF16, SB_F16};

    return types[k % 6];
}

static const spblasSolvePolicy_t level = SPBLAS_SOLVE_POLICY_USE_LEVEL;
static const spblasOperation_t none = SPBLAS_OPERATION_NON_TRANSPOSE;

/* What a call that puts all its work on the stream leaves as it is. */
static void
asked_nothing(const sb_emu_counts *before)
{
    const sb_emu_counts now = sb_emu_count();

    assert_true(now.waits == before->waits && now.copies == before->copies &&
                now.allocs == before->allocs);
}

/* ---- matrices ---------------------------------------------------------------------------- */

enum { MOST = 40, ROOM = 6000 };

typedef struct bsr {
    sb_dtype t;
    spblasDataType_t type;
    spblasDirection_t dir;
    spblasMatDescr_t descr;
    int mb, b, nnz, poor; /* block row without a pivot, -1: none */
    size_t size;          /* bytes of an element */
    int host_ptr[MOST + 1], host_idx[MOST * MOST / 2];
    double host[2 * ROOM];
    int *ptr, *idx;
    void *val;
} bsr;

static bool
stored(const bsr *a, gen_rng *r, int i, int j)
{
    return i == j || (a->mb < MOST ? gen_below(r, 3) == 0 : i + j > 2 * MOST - 12);
}

/* Element q of block (i, j); on the diagonal of the matrix that number. */
static sb_value
draw(const bsr *a, gen_rng *r, int i, int j, int q, double on)
{
    const bool complex = sb_dtype_is_complex(a->t);
    sb_value v = {(double)(gen_below(r, 6) == 0) - (double)(gen_below(r, 9) == 0),
                  complex && gen_below(r, 8) == 0};

    if (i == j && q % (a->b + 1) == 0)
        v = (sb_value){i == a->poor && q == 0 ? 0 : on, 0};
    return v;
}

/* Few blocks of many rows, or many in two levels and a small corner. `on`: the diagonal. */
static void
make(bsr *a, uint64_t k, sb_dtype t, int block, double on, bool poor)
{
    gen_rng r = {k + 1};
    int64_t at = 0;

    *a = (bsr){.t = t,
               .type = call_type(t),
               .dir = (spblasDirection_t)(k / 2 % 2),
               .descr = {.base = (spblasIndexBase_t)(k / 3 % 2)},
               .mb = block < 3 && k % 5 == 3 ? MOST : 6,
               .b = block,
               .poor = poor ? 2 : -1,
               .size = sb_dtype_size(t)};
    for (int i = 0; i < a->mb; i++) {
        a->host_ptr[i] = a->nnz + (int)a->descr.base;
        for (int j = 0; j < a->mb; j++)
            if (stored(a, &r, i, j)) {
                a->host_idx[a->nnz++] = j + (int)a->descr.base;
                for (int q = 0; q < block * block; q++, at++)
                    sb_value_store(t, a->host, at, draw(a, &r, i, j, q, on));
            }
    }
    a->host_ptr[a->mb] = a->nnz + (int)a->descr.base;
    assert_true(at <= ROOM && a->nnz <= MOST * MOST / 2);
}

static void
place(bsr *a, side_pool *p)
{
    a->ptr = side_copy(p, a->host_ptr, ((size_t)a->mb + 1) * 4);
    a->idx = side_copy(p, a->host_idx, (size_t)a->nnz * 4);
    a->val = side_copy(p, a->host, (size_t)(a->nnz * a->b * a->b) * a->size);
}

/* New values where the old ones are. */
static void
negate(const bsr *a)
{
    for (int64_t q = 0; q < a->nnz * a->b * a->b; q++) {
        const sb_value v = sb_value_load(a->t, a->val, q);

        sb_value_store(a->t, a->val, q, (sb_value){-v.re, -v.im});
    }
}

/* Small integers. */
static void *
vector(side_pool *p, sb_dtype t, int64_t n)
{
    static double host[2 * ROOM];

    assert_true(n <= ROOM);
    for (int64_t q = 0; q < n; q++)
        sb_value_store(t, host, q, (sb_value){(double)(q * 7 % 5 - 2), 0});
    return side_copy(p, host, (size_t)n * sb_dtype_size(t));
}

static void *
number(side_pool *p, sb_dtype t, bool far, double *room, double v)
{
    room[0] = room[1] = 0;
    sb_value_store(t == SB_F16 || t == SB_BF16 ? SB_F32 : t, room, 0, (sb_value){v, 0});
    return side_scalar(p, far, room, 2 * sizeof *room);
}

/* What zeroPivot says, written to either side. */
typedef spblasStatus_t (*ask_fn)(spblasHandle_t, spblasLegacyInfo_t, int *);

static void
ask(side_pool *p, ask_fn fn, spblasLegacyInfo_t info, bool far, int want)
{
    int here = -7, *at = side_scalar(p, far, &here, sizeof here);
    const spblasStatus_t st = fn(side_handle(p), info, at);

    assert_int_equal(*at, want);
    assert_int_equal(st, want < 0 ? SPBLAS_STATUS_SUCCESS : SPBLAS_STATUS_ZERO_PIVOT);
}

/* ---- triangular solves ------------------------------------------------------------------- */

enum { SIDES = 30 };

/* One right side, or several by rows or by columns; new values under one analysis. */
static size_t
run_solve(char *out, side_pool *p, bsr *a, uint64_t k, int n)
{
    const spblasHandle_t h = side_handle(p);
    const spblasOperation_t op = (spblasOperation_t)(k / 4 % 3);
    const spblasOperation_t by = k % 2 ? SPBLAS_OPERATION_TRANSPOSE : none;
    const int rows = a->mb * a->b, ld = (by ? n : rows) + 1;
    const int64_t places = (int64_t)ld * (by ? rows : n);
    const int base = (int)a->descr.base, pivot = a->poor < 0 ? -1 : a->poor + base;
    void *const b = vector(p, a->t, places), *const x =
                                                 k % 7 ? vector(p, a->t, places) : b;
    double room[2];
    const void *alpha = number(p, a->t, k % 3 == 0, room, 2);
    spblasLegacyInfo_t info;
    int bytes;

    a->descr.fill = (spblasFillMode_t)(k / 12 % 2);
    a->descr.diag = a->poor < 0 ? (spblasDiagType_t)(k / 24 % 2) : 0;
    world_must(spblasCreateLegacyInfo(&info));
    if (n == 1) {
        world_must(spblasXbsrsv2_bufferSize(h, a->type, a->dir, op, a->mb, a->nnz,
                                            &a->descr, a->val, a->ptr, a->idx, a->b,
                                            info, &bytes));
        world_must(spblasXbsrsv2_analysis(h, a->type, a->dir, op, a->mb, a->nnz,
                                          &a->descr, a->val, a->ptr, a->idx, a->b, info,
                                          level, NULL));
    } else {
        world_must(spblasXbsrsm2_bufferSize(h, a->type, a->dir, op, by, a->mb, n,
                                            a->nnz, &a->descr, a->val, a->ptr, a->idx,
                                            a->b, info, &bytes));
        world_must(spblasXbsrsm2_analysis(h, a->type, a->dir, op, by, a->mb, n, a->nnz,
                                          &a->descr, a->val, a->ptr, a->idx, a->b, info,
                                          level, NULL));
    }
    ask(p, spblasXbsrsv2_zeroPivot, info, k % 3 == 0, -1);
    for (int again = 0; again < 2; again++) {
        const sb_emu_counts before = sb_emu_count();

        if (n == 1)
            world_must(spblasXbsrsv2_solve(h, a->type, a->dir, op, a->mb, a->nnz, alpha,
                                           &a->descr, a->val, a->ptr, a->idx, a->b,
                                           info, b, x, level, NULL));
        else
            world_must(spblasXbsrsm2_solve(h, a->type, a->dir, op, by, a->mb, n, a->nnz,
                                           alpha, &a->descr, a->val, a->ptr, a->idx,
                                           a->b, info, b, ld, x, ld, level, NULL));
        asked_nothing(&before);
        if (x == b)
            break;
        negate(a);
    }
    ask(p, n == 1 ? spblasXbsrsv2_zeroPivot : spblasXbsrsm2_zeroPivot, info, k % 3 == 0,
        pivot);
    memcpy(out, x, (size_t)places * a->size);
    world_must(spblasDestroyLegacyInfo(info));
    return a->poor < 0 ? (size_t)places * a->size : 0;
}

static void
test_solves(void **state)
{
    static char got[2][16 * ROOM];

    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 96; k++) {
        static bsr a;
        size_t bytes = 0;

        side_order(k);
        for (int side = 0; side < 2; side++) {
            side_pool p = {.side = side};

            make(&a, k, type_of(k % 4), 1 + (int)(k / 3 % 4), k % 2 ? 1 : -1,
                 k % 11 == 4);
            place(&a, &p);
            bytes = run_solve(got[side], &p, &a, k,
                              k / 2 % 3 == 2 ? SIDES
                              : k / 2 % 3    ? 3
                                             : 1);
            side_drop(&p);
        }
        if (memcmp(got[1], got[0], bytes) != 0)
            fail_msg("case %d: other bits than the host's", (int)k);
    }
}

/* ---- incomplete factors ------------------------------------------------------------------ */

/* The calls of both, which have the same parameters. */
typedef struct factor_calls {
    spblasStatus_t (*size)(spblasHandle_t, spblasDataType_t, spblasDirection_t, int,
                           int, const spblasMatDescr_t *, void *, const int *,
                           const int *, int, spblasLegacyInfo_t, int *);
    spblasStatus_t (*analysis)(spblasHandle_t, spblasDataType_t, spblasDirection_t, int,
                               int, const spblasMatDescr_t *, const void *, const int *,
                               const int *, int, spblasLegacyInfo_t,
                               spblasSolvePolicy_t, void *);
    spblasStatus_t (*run)(spblasHandle_t, spblasDataType_t, spblasDirection_t, int, int,
                          const spblasMatDescr_t *, void *, const int *, const int *,
                          int, spblasLegacyInfo_t, spblasSolvePolicy_t, void *);
    ask_fn pivot;
} factor_calls;

static const factor_calls factors[] = {
    {spblasXbsrilu02_bufferSize, spblasXbsrilu02_analysis, spblasXbsrilu02,
     spblasXbsrilu02_zeroPivot},
    {spblasXbsric02_bufferSize, spblasXbsric02_analysis, spblasXbsric02,
     spblasXbsric02_zeroPivot}};

/* The matrix with 40 on its diagonal, twice: new values under one analysis. A pivot of 0 is
 * boosted every other time. */
static bool
run_factor(char *out, side_pool *p, bsr *a, uint64_t k, const factor_calls *call)
{
    const spblasHandle_t h = side_handle(p);
    const size_t all = (size_t)(a->nnz * a->b * a->b) * a->size;
    const bool boosts = call == factors && k % 4 == 2;
    const int pivot = a->poor < 0 || boosts ? -1 : a->poor + (int)a->descr.base;
    double tol = 0.5, boost[2] = {0, 0};
    spblasLegacyInfo_t info;
    void *buffer;
    int bytes;

    sb_value_store(a->t, boost, 0, (sb_value){30, 0});
    world_must(spblasCreateLegacyInfo(&info));
    if (boosts)
        world_must(spblasXbsrilu02_numericBoost(h, a->type, info, 1, &tol, boost));
    world_must(call->size(h, a->type, a->dir, a->mb, a->nnz, &a->descr, a->val, a->ptr,
                          a->idx, a->b, info, &bytes));
    buffer = side_copy(p, NULL, (size_t)bytes);
    world_must(call->analysis(h, a->type, a->dir, a->mb, a->nnz, &a->descr, a->val,
                              a->ptr, a->idx, a->b, info, level, buffer));
    ask(p, call->pivot, info, k % 3 == 0, -1);
    for (int again = 0; again < 2; again++) {
        sb_emu_counts before;

        memcpy(a->val, a->host, all);
        before = sb_emu_count();
        world_must(call->run(h, a->type, a->dir, a->mb, a->nnz, &a->descr, a->val,
                             a->ptr, a->idx, a->b, info, level, buffer));
        asked_nothing(&before);
    }
    ask(p, call->pivot, info, k % 3 == 0, pivot);
    memcpy(out, a->val, all);
    world_must(spblasDestroyLegacyInfo(info));
    return pivot < 0;
}

static void
test_factors(void **state)
{
    static char got[2][16 * ROOM];

    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 48; k++) {
        static const int blocks[] = {2, 3, 1, 5, 12};
        static bsr a;
        double most = 0;
        bool sound = true;

        side_order(k);
        for (int side = 0; side < 2; side++) {
            side_pool p = {.side = side};

            make(&a, k, type_of(k / 2 % 4), blocks[k % 5], 40, k % 6 > 3);
            place(&a, &p);
            sound = run_factor(got[side], &p, &a, k, &factors[k % 2]);
            side_drop(&p);
        }
        for (int64_t q = 0; q < a.nnz * a.b * a.b && sound; q++) {
            const sb_value v = sb_value_load(a.t, got[0], q),
                           w = sb_value_load(a.t, got[1], q);

            most = fmax(most, fabs(v.re - w.re) + fabs(v.im - w.im));
            assert_false(isnan(w.re));
        }
        if (most > (a.size == 4 || a.t == SB_C32 ? 1e-5 : 1e-13))
            fail_msg("case %d: off by %g", (int)k, most);
    }
}

/* ---- masked rows ------------------------------------------------------------------------- */

static void
run_masked(char *out, side_pool *p, bsr *a, uint64_t k)
{
    const int base = (int)a->descr.base, masked = a->mb / 2, rows = a->mb * a->b;
    int mask[MOST], ends[MOST], *host_mask, *host_end;
    double room[2][2];
    void *const x = vector(p, a->t, rows), *const y = vector(p, a->t, rows);
    const void *alpha, *beta;
    sb_emu_counts before;

    for (int i = 0; i < a->mb; i++) /* rows end one block early, where they have one */
        ends[i] = a->host_ptr[i + 1] - (a->host_ptr[i + 1] > a->host_ptr[i]);
    for (int q = 0; q < masked; q++)
        mask[q] = 2 * q + 1 + base;
    host_mask = side_copy(p, mask, (size_t)masked * 4);
    host_end = side_copy(p, ends, (size_t)a->mb * 4);
    alpha = number(p, a->t, k % 3 == 0, room[0], 2);
    beta = number(p, a->t, k % 3 == 0, room[1], (double)(k % 2));
    world_must(spblasXbsrxmv(side_handle(p), a->type, a->dir, none, masked, a->mb,
                             a->mb, a->nnz, alpha, &a->descr, a->val, host_mask, a->ptr,
                             host_end, a->idx, a->b, x, beta, y));
    before = sb_emu_count(); /* the kernel is there now */
    world_must(spblasXbsrxmv(side_handle(p), a->type, a->dir, none, masked, a->mb,
                             a->mb, a->nnz, alpha, &a->descr, a->val, host_mask, a->ptr,
                             host_end, a->idx, a->b, x, beta, y));
    asked_nothing(&before);
    memcpy(out, y, (size_t)rows * a->size);
}

static void
test_masks(void **state)
{
    static char got[2][16 * ROOM];

    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 24; k++) {
        static bsr a;

        side_order(k);
        memset(got, 0, sizeof got);
        for (int side = 0; side < 2; side++) {
            side_pool p = {.side = side};

            make(&a, k, type_of(k), 1 + (int)(k % 4), 2, false);
            place(&a, &p);
            run_masked(got[side], &p, &a, k);
            side_drop(&p);
        }
        assert_memory_equal(got[1], got[0], sizeof got[0]);
    }
}

/* ---- blocks by columns ------------------------------------------------------------------- */

/* Blocks of 2 x 6 in the place of others. */
static size_t
run_turn(char *out, side_pool *p, bsr *a, uint64_t k)
{
    const int down = 2, across = a->b * a->b / 2;
    const spblasAction_t action =
        k % 4 == 3 ? SPBLAS_ACTION_SYMBOLIC : SPBLAS_ACTION_NUMERIC;
    const size_t all = (size_t)(a->nnz * down * across) * a->size;
    const size_t places[] = {((size_t)a->mb + 1) * 4, (size_t)a->nnz * 4};
    int *ptr = side_copy(p, NULL, places[0]), *row = side_copy(p, NULL, places[1]);
    void *val = side_copy(p, NULL, all), *buffer;
    sb_emu_counts before;
    int bytes;

    world_must(spblasXgebsr2gebsc_bufferSize(side_handle(p), a->type, a->mb, a->mb,
                                             a->nnz, a->val, a->ptr, a->idx, down,
                                             across, &bytes));
    buffer = side_copy(p, NULL, (size_t)bytes);
    before = sb_emu_count();
    world_must(spblasXgebsr2gebsc(side_handle(p), a->type, a->mb, a->mb, a->nnz, a->val,
                                  a->ptr, a->idx, down, across, val, row, ptr, action,
                                  a->descr.base, buffer));
    asked_nothing(&before);
    memcpy(out, ptr, places[0]);
    memcpy(out + places[0], row, places[1]);
    memcpy(out + places[0] + places[1], val, all);
    return places[0] + places[1] + all;
}

static void
test_turns(void **state)
{
    static char got[2][16 * ROOM];

    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 24; k++) {
        static bsr a;
        size_t bytes = 0;

        side_order(k);
        for (int side = 0; side < 2; side++) {
            side_pool p = {.side = side};

            make(&a, k, type_of(k), 2 + 2 * (int)(k % 2), 3, false);
            place(&a, &p);
            bytes = run_turn(got[side], &p, &a, k);
            side_drop(&p);
        }
        assert_memory_equal(got[1], got[0], bytes);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solves), cmocka_unit_test(test_factors),
        cmocka_unit_test(test_masks), cmocka_unit_test(test_turns)};
    int failed;

    if (!sides_open(SB_BINARY_DIR))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + sides_close();
}
