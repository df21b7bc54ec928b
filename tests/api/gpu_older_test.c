/*
 * Older routines in the memory of the emulated GPU against the host's: elements by their
 * magnitude (nnz, compress, prune), blocks cut anew, products of blocks, gemvi and colours, by
 * their bits, in several orders of blocks and threads, with scalars and numbers on either side.
 * ctest-labels: quick gpu-emu
 */
#include "base/macro.h"
#include "cachebox.h"
#include "call.h"
#include "gen.h"
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
    static const sb_dtype types[] = {SB_F32, SB_C64, SB_BF16, SB_F64, SB_C32, SB_F16};

    return types[k % 6];
}

/* ---- elements by their magnitude -------------------------------------------------------- */

enum { M = 9, N = 70, LD = 11 };

typedef struct kept {
    int number[N + 1], ptr[N + 1], idx[M * N], total;
    char val[M * N * 16];
    size_t size;
} kept;

/* Dense, by columns: zeros, a NaN, elements as large as the bound. */
static void
dense(void *out, sb_dtype t, uint64_t k)
{
    gen_rng r = {k};

    for (int64_t p = 0; p < (int64_t)LD * N; p++)
        sb_value_store(t, out, p, (sb_value){(double)gen_between(&r, -2, 2), 0});
    sb_value_store(t, out, 5, (sb_value){NAN, 0});
}

static void
run_nnz(kept *out, side_pool *p, uint64_t k, const void *a)
{
    const spblasMatDescr_t descr = {.base = SPBLAS_INDEX_BASE_ZERO};
    const spblasDirection_t dir = (spblasDirection_t)(k / 3 % 2);
    const size_t lines = dir == SPBLAS_DIRECTION_ROW ? M : N;
    int *number = side_copy(p, NULL, lines * 4), *total;

    out->total = -1;
    total = side_scalar(p, k % 2, &out->total, 4);
    world_must(spblasXnnz(side_handle(p), call_type(type_of(k)), dir, M, N, &descr, a,
                          LD, number, total));
    out->total = *total;
    memcpy(out->number, number, lines * 4);
}

static void
take(kept *out, const int *ptr, const int *idx, const void *val, int rows)
{
    const size_t n = (size_t)(ptr[rows] - ptr[0]);

    memcpy(out->ptr, ptr, ((size_t)rows + 1) * 4);
    memcpy(out->idx, idx, n * 4);
    memcpy(out->val, val, n * out->size);
}

/* The dense matrix pruned, what is left pruned again from its CSR, and compressed. */
static void
run_prune(kept out[3], side_pool *p, uint64_t k, const void *a)
{
    const sb_dtype t = type_of(k);
    const spblasDataType_t type = call_type(t);
    const spblasMatDescr_t da = {.base = (spblasIndexBase_t)(k % 2)},
                           db = {.base = (spblasIndexBase_t)(k / 2 % 2)};
    const spblasHandle_t h = side_handle(p);
    const bool far = k % 4 == 3;
    double bound[2] = {0, 0}, more[2] = {0, 0};
    int *ptr[3], *idx[3], *number = side_copy(p, NULL, 4 * M), *total;
    void *val[3], *limit, *buffer;
    size_t bytes;

    sb_value_store(t, bound, 0, (sb_value){0, 0});
    sb_value_store(t, more, 0, (sb_value){1, 0});
    for (int q = 0; q < 3; q++) {
        ptr[q] = side_copy(p, NULL, 4 * (M + 1));
        idx[q] = side_copy(p, NULL, 4 * M * N);
        val[q] = side_copy(p, NULL, (size_t)16 * M * N);
        out[q].size = sb_dtype_size(t);
        out[q].total = -1;
    }
    limit = side_scalar(p, far, bound, sizeof bound);
    total = side_scalar(p, far, &out[0].total, 4);
    world_must(spblasXpruneDense2csr_bufferSizeExt(h, type, M, N, a, LD, limit, &da,
                                                   val[0], ptr[0], idx[0], &bytes));
    buffer = side_copy(p, NULL, bytes);
    world_must(spblasXpruneDense2csrNnz(h, type, M, N, a, LD, limit, &da, ptr[0], total,
                                        buffer));
    out[0].total = *total;
    world_must(spblasXpruneDense2csr(h, type, M, N, a, LD, limit, &da, val[0], ptr[0],
                                     idx[0], buffer));
    limit = side_scalar(p, far, more, sizeof more);
    total = side_scalar(p, far, &out[1].total, 4);
    world_must(spblasXpruneCsr2csrNnz(h, type, M, N, out[0].total, &da, val[0], ptr[0],
                                      idx[0], limit, &db, ptr[1], total, buffer));
    out[1].total = *total;
    world_must(spblasXpruneCsr2csr(h, type, M, N, out[0].total, &da, val[0], ptr[0],
                                   idx[0], limit, &db, val[1], ptr[1], idx[1], buffer));
    total = side_scalar(p, far, &out[2].total, 4);
    world_must(spblasXnnz_compress(h, type, M, &da, val[0], ptr[0], number, total, 1));
    out[2].total = *total;
    memcpy(out[2].number, number, 4 * M);
    world_must(spblasXcsr2csr_compress(h, type, M, N, &da, val[0], idx[0], ptr[0],
                                       out[0].total, number, val[2], idx[2], ptr[2],
                                       1));
    for (int q = 0; q < 3; q++)
        take(&out[q], ptr[q], idx[q], val[q], M);
}

static void
test_filters(void **state)
{
    static kept got[2][4];

    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 24; k++) {
        double host[2 * LD * N];

        side_order(k);
        dense(host, type_of(k), k);
        for (int side = 0; side < 2; side++) {
            side_pool p = {.side = side};
            const void *a =
                side_copy(&p, host, (size_t)LD * N * sb_dtype_size(type_of(k)));

            memset(got[side], 0, sizeof got[side]);
            run_nnz(&got[side][0], &p, k, a);
            run_prune(&got[side][1], &p, k, a);
            side_drop(&p);
        }
        assert_true(got[0][0].total > 0 && got[0][2].total < got[0][1].total);
        assert_memory_equal(got[1], got[0], sizeof got[0]);
    }
}

/* Those above the magnitude of a rank, of the dense matrix and again of what is left. */
static void
run_ranks(kept out[2], side_pool *p, uint64_t k, const void *a)
{
    static const float percentages[] = {40, 0, 75, 100, 99.9f};
    const sb_dtype t = type_of(k);
    const spblasDataType_t type = call_type(t);
    const spblasMatDescr_t da = {.base = (spblasIndexBase_t)(k % 2)},
                           db = {.base = (spblasIndexBase_t)(k / 2 % 2)};
    const spblasHandle_t h = side_handle(p);
    const float percent = percentages[k % 5];
    int *ptr[2], *idx[2];
    void *val[2], *buffer;
    spblasLegacyInfo_t info;
    size_t bytes;

    world_must(spblasCreateLegacyInfo(&info));
    for (int q = 0; q < 2; q++) {
        ptr[q] = side_copy(p, NULL, 4 * (M + 1));
        idx[q] = side_copy(p, NULL, 4 * M * N);
        val[q] = side_copy(p, NULL, (size_t)16 * M * N);
        out[q].size = sb_dtype_size(t);
    }
    world_must(spblasXpruneDense2csrByPercentage_bufferSizeExt(
        h, type, M, N, a, LD, percent, &da, val[0], ptr[0], idx[0], info, &bytes));
    buffer = side_copy(p, NULL, bytes);
    for (int q = 0; q < 2; q++) {
        int *total = side_scalar(p, k % 4 == 3, &out[q].total, 4);

        if (q == 0)
            world_must(spblasXpruneDense2csrNnzByPercentage(
                h, type, M, N, a, LD, percent, &da, ptr[0], total, info, buffer));
        else
            world_must(spblasXpruneCsr2csrNnzByPercentage(
                h, type, M, N, out[0].total, &da, val[0], ptr[0], idx[0], 60, &db,
                ptr[1], total, info, buffer));
        out[q].total = *total;
        if (q == 0)
            world_must(spblasXpruneDense2csrByPercentage(h, type, M, N, a, LD, percent,
                                                         &da, val[0], ptr[0], idx[0],
                                                         info, buffer));
        else
            world_must(spblasXpruneCsr2csrByPercentage(
                h, type, M, N, out[0].total, &da, val[0], ptr[0], idx[0], 60, &db,
                val[1], ptr[1], idx[1], info, buffer));
        take(&out[q], ptr[q], idx[q], val[q], M);
    }
    world_must(spblasDestroyLegacyInfo(info));
}

static void
test_ranks(void **state)
{
    static kept got[2][2];

    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 24; k++) {
        const bool complex = sb_dtype_is_complex(type_of(k));
        double host[2 * LD * N];
        gen_rng r = {k};

        side_order(k);
        for (int64_t q = 0; q < (int64_t)LD * N; q++)
            sb_value_store(
                type_of(k), host, q,
                (sb_value){gen_unit(&r) - 0.5, complex ? gen_unit(&r) - 0.5 : 0});
        if (k % 3 == 2)
            sb_value_store(type_of(k), host, LD + 2, (sb_value){-NAN, 0});
        memset(got, 0, sizeof got);
        for (int side = 0; side < 2; side++) {
            side_pool p = {.side = side};

            run_ranks(got[side], &p, k,
                      side_copy(&p, host, (size_t)LD * N * sb_dtype_size(type_of(k))));
            side_drop(&p);
        }
        assert_true(k % 5 > 2 ||
                    got[0][1].total < got[0][0].total); /* something is left */
        assert_memory_equal(got[1], got[0], sizeof got[0]);
    }
}

/* ---- a sparse vector --------------------------------------------------------------------- */

static void
run_gemvi(char *out, side_pool *p, uint64_t k)
{
    const sb_dtype t = type_of(k), sum = sb_dtype_is_half(t) ? SB_F32 : t;
    const spblasOperation_t op = (spblasOperation_t)(k / 2 % 3);
    const size_t size = sb_dtype_size(t), rows = op ? N : M;
    const int base = (int)(k / 5 % 2), nnz = op ? 4 : 40;
    double a[2 * LD * N], x[2 * N], scalar[2][2] = {{0}};
    int idx[N], bytes;
    void *there[4];
    const void *alpha, *beta;

    for (int64_t q = 0; q < (int64_t)LD * N; q++)
        sb_value_store(t, a, q, (sb_value){(double)(q % 5 - 2), (double)(q % 3 - 1)});
    for (int q = 0; q < N; q++)
        sb_value_store(t, x, q, (sb_value){(double)(q % 4 - 1), 0});
    for (int q = 0; q < nnz; q++)
        idx[q] = (q * 3 + 1) % (op ? M : N) + base;
    sb_value_store(sum, scalar[0], 0, (sb_value){2, 0});
    sb_value_store(sum, scalar[1], 0, (sb_value){(double)(k % 3), 0});
    there[0] = side_copy(p, a, (size_t)LD * N * size);
    there[1] = side_copy(p, x, (size_t)nnz * size);
    there[2] = side_copy(p, idx, (size_t)nnz * 4);
    there[3] = side_copy(p, k % 3 ? x : NULL, rows * size); /* junk is not read */
    alpha = side_scalar(p, k % 4 == 1, scalar[0], sizeof scalar[0]);
    beta = side_scalar(p, k % 4 == 1, scalar[1], sizeof scalar[1]);
    world_must(
        spblasXgemvi_bufferSize(side_handle(p), call_type(t), op, M, N, nnz, &bytes));
    world_must(spblasXgemvi(side_handle(p), call_type(t), op, M, N, alpha, there[0], LD,
                            nnz, there[1], there[2], beta, there[3],
                            (spblasIndexBase_t)base, NULL));
    memcpy(out, there[3], rows * size);
}

static void
test_gemvi(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 36; k++) {
        char got[2][16 * N] = {{0}};

        side_order(k);
        for (int side = 0; side < 2; side++) {
            side_pool p = {.side = side};

            run_gemvi(got[side], &p, k);
            side_drop(&p);
        }
        assert_memory_equal(got[1], got[0], sizeof got[0]);
    }
}

/* ---- colours ----------------------------------------------------------------------------- */

/* A ring in which every third has a chord, coloured whole or in part. */
static void
run_colors(int *out, side_pool *p, uint64_t k)
{
    enum { ROWS = 40 };
    const spblasMatDescr_t descr = {.base = (spblasIndexBase_t)(k % 2)};
    double fraction[2] = {k / 2 % 2 ? 0.6 : 1, 0};
    int ptr[ROWS + 1], idx[4 * ROWS], n = 0, colors = -1, *there[4], *number;
    spblasLegacyInfo_t info;
    const void *part;

    for (int i = 0; i < ROWS; i++) {
        ptr[i] = n + (int)descr.base;
        for (int j = 0; j < ROWS; j++)
            if (i == j || (i + 1) % ROWS == j || (j + 1) % ROWS == i ||
                (i % 3 == 0 && j % 3 == 0 && i + j == ROWS - 1))
                idx[n++] = j + (int)descr.base;
    }
    ptr[ROWS] = n + (int)descr.base;
    there[0] = side_copy(p, ptr, sizeof ptr);
    there[1] = side_copy(p, idx, (size_t)n * 4);
    there[2] = side_copy(p, NULL, ROWS * 4);
    there[3] = side_copy(p, NULL, ROWS * 4);
    part = side_scalar(p, k % 3 == 0, fraction, sizeof fraction);
    number = side_scalar(p, k % 3 == 0, &colors, sizeof colors);
    world_must(spblasCreateLegacyInfo(&info));
    world_must(spblasXcsrcolor(side_handle(p), SPBLAS_R_64F, ROWS, n, &descr, NULL,
                               there[0], there[1], part, number, there[2],
                               k % 4 == 3 ? NULL : there[3], info));
    world_must(spblasDestroyLegacyInfo(info));
    out[0] = *number;
    memcpy(out + 1, there[2], ROWS * 4);
    memcpy(out + 1 + ROWS, there[3], ROWS * 4);
}

static void
test_colors(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 12; k++) {
        int got[2][100] = {{0}};

        for (int side = 0; side < 2; side++) {
            side_pool p = {.side = side};

            run_colors(got[side], &p, k);
            side_drop(&p);
        }
        assert_true(got[0][0] > 1);
        assert_memory_equal(got[1], got[0], sizeof got[0]);
    }
}

/* ---- products of blocks ------------------------------------------------------------------ */

static void
run_blocks(double *out, side_pool *p, uint64_t k, const sb_matrix *a, int n)
{
    const spblasMatDescr_t descr = {.base = (spblasIndexBase_t)a->base};
    const spblasDataType_t type = call_type(a->val_type);
    const spblasDirection_t dir =
        a->block_col_major ? SPBLAS_DIRECTION_COLUMN : SPBLAS_DIRECTION_ROW;
    const spblasOperation_t op = (spblasOperation_t)(k / 2 % 3);
    const spblasOperation_t none = SPBLAS_OPERATION_NON_TRANSPOSE;
    const int b = (int)a->block, mb = (int)a->rows / b, kb = (int)a->cols / b;
    const int of_b = (int)(op ? a->rows : a->cols),
              of_c = (int)(op ? a->cols : a->rows);
    const size_t size = sb_dtype_size(a->val_type), nnz = (size_t)a->nnz;
    int *ptr = side_copy(p, a->ptr, ((size_t)mb + 1) * 4),
        *idx = side_copy(p, a->idx, nnz * 4);
    void *val = side_copy(p, a->val, nnz * (size_t)(b * b) * size);
    double host[2 * 40 * 8], two[2] = {0, 0}, three[2] = {0, 0};
    const sb_dtype sum =
        a->val_type == SB_F16 || a->val_type == SB_BF16 ? SB_F32 : a->val_type;
    void *x, *y, *alpha, *beta;

    for (int64_t q = 0; q < 40 * 8; q++)
        sb_value_store(a->val_type, host, q, (sb_value){(double)(q * 7 % 5 - 2), 0});
    x = side_copy(p, host, (size_t)(of_b * n) * size);
    y = side_copy(p, host, (size_t)(of_c * n) * size);
    sb_value_store(sum, two, 0, (sb_value){2, 0});
    sb_value_store(sum, three, 0, (sb_value){3, 0});
    alpha = side_scalar(p, k % 2, two, sizeof two);
    beta = side_scalar(p, k % 2, three, sizeof three);
    if (n == 1)
        world_must(spblasXbsrmv(side_handle(p), type, dir, op, mb, kb, (int)nnz, alpha,
                                &descr, val, ptr, idx, b, x, beta, y));
    else
        world_must(spblasXbsrmm(side_handle(p), type, dir, op, none, mb, n, kb,
                                (int)nnz, alpha, &descr, val, ptr, idx, b, x, of_b,
                                beta, y, of_c));
    memcpy(out, y, (size_t)(of_c * n) * size);
}

static void
test_blocks(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 18; k++) {
        gen_spec spec = {.family = GEN_UNIFORM,
                         .rows = 18,
                         .cols = 24,
                         .format = SB_FORMAT_BSR,
                         .block = 2 + (int)(k % 2),
                         .density = 0.3,
                         .val_type = k % 3 ? SB_F32 : SB_F64,
                         .ptr_type = SB_I32,
                         .idx_type = SB_I32,
                         .base = (int)(k % 2),
                         .integer = true,
                         .seed = k};
        sb_matrix a;
        double y[2][2 * 40 * 8] = {{0}};

        spec.rows = 6 * spec.block;
        spec.cols = 8 * spec.block;
        a = gen_matrix(&spec);
        side_order(k);
        for (int side = 0; side < 2; side++) {
            side_pool p = {.side = side};

            run_blocks(y[side], &p, k, &a, k / 6 % 2 ? 5 : 1);
            side_drop(&p);
        }
        assert_memory_equal(y[1], y[0], sizeof y[0]);
        gen_free_matrix(&a);
    }
}

/* ---- blocks cut anew ---------------------------------------------------------------------- */

typedef struct cut {
    int ptr[3][64], idx[3][1200], total[2];
    double val[3][1200];
} cut;

/* CSR to blocks of down x across, those to others, and back to CSR. */
static void
run_cuts(cut *out, side_pool *p, uint64_t k, const sb_matrix *a)
{
    const int sizes[][2] = {{2, 3}, {3, 2}, {1, 4}, {4, 1}, {2, 2}, {5, 3}};
    const int *first = sizes[k % 6], *second = sizes[(k + 1 + k / 6) % 6];
    const int m = (int)a->rows, n = (int)a->cols;
    const int mb = (m + first[0] - 1) / first[0], nb = (n + first[1] - 1) / first[1];
    const spblasMatDescr_t da = {.base = (spblasIndexBase_t)a->base},
                           db = {.base = (spblasIndexBase_t)(k % 2)};
    const spblasDirection_t dir = (spblasDirection_t)(k / 2 % 2);
    const spblasHandle_t h = side_handle(p);
    int *ptr_a = side_copy(p, a->ptr, ((size_t)m + 1) * 4);
    int *idx_a = side_copy(p, a->idx, (size_t)a->nnz * 4), *ptr[3], *idx[3];
    void *val_a = side_copy(p, a->val, (size_t)a->nnz * 8), *val[3];

    for (int q = 0; q < 3; q++) {
        ptr[q] = side_copy(p, NULL, sizeof out->ptr[q]);
        idx[q] = side_copy(p, NULL, sizeof out->idx[q]);
        val[q] = side_copy(p, NULL, sizeof out->val[q]);
    }
    for (int q = 0; q < 2; q++) {
        int *total;

        out->total[q] = -1;
        total = side_scalar(p, k % 3 == 1, &out->total[q], 4);
        if (q == 0)
            world_must(spblasXcsr2gebsrNnz(h, dir, m, n, &da, ptr_a, idx_a, &db, ptr[0],
                                           first[0], first[1], total, NULL));
        else
            world_must(spblasXgebsr2gebsrNnz(h, dir, mb, nb, out->total[0], &db, ptr[0],
                                             idx[0], first[0], first[1], &da, ptr[1],
                                             second[0], second[1], total, NULL));
        out->total[q] = *total;
        if (q == 0)
            world_must(spblasXcsr2gebsr(h, SPBLAS_R_64F, dir, m, n, &da, val_a, ptr_a,
                                        idx_a, &db, val[0], ptr[0], idx[0], first[0],
                                        first[1], NULL));
        else
            world_must(spblasXgebsr2gebsr(h, SPBLAS_R_64F, dir, mb, nb, out->total[0],
                                          &db, val[0], ptr[0], idx[0], first[0],
                                          first[1], &da, val[1], ptr[1], idx[1],
                                          second[0], second[1], NULL));
    }
    world_must(spblasXgebsr2csr(h, SPBLAS_R_64F, dir, mb, nb, &db, val[0], ptr[0],
                                idx[0], first[0], first[1], &da, val[2], ptr[2],
                                idx[2]));
    for (int q = 0; q < 3; q++) {
        const int area = (int[]){first[0] * first[1], second[0] * second[1], 1}[q];
        const int rows =
            (int[]){mb, (mb * first[0] + second[0] - 1) / second[0], mb * first[0]}[q];
        const int blocks = ptr[q][rows] - ptr[q][0];

        assert_true(blocks * area <= 1200 && rows < 64);
        memcpy(out->ptr[q], ptr[q], ((size_t)rows + 1) * 4);
        memcpy(out->idx[q], idx[q], (size_t)blocks * 4);
        memcpy(out->val[q], val[q], (size_t)(blocks * area) * 8);
    }
}

static void
test_cuts(void **state)
{
    static cut got[2];

    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 36; k++) {
        sb_matrix a = gen_matrix(&(gen_spec){.family = GEN_UNIFORM,
                                             .rows = 7 + (int64_t)(k % 5),
                                             .cols = 11 + (int64_t)(k % 4),
                                             .format = SB_FORMAT_CSR,
                                             .density = 0.2,
                                             .val_type = SB_F64,
                                             .ptr_type = SB_I32,
                                             .idx_type = SB_I32,
                                             .base = (int)(k / 3 % 2),
                                             .unsorted = k % 4 == 3,
                                             .seed = k});

        side_order(k);
        for (int side = 0; side < 2; side++) {
            side_pool p = {.side = side};

            memset(&got[side], 0, sizeof got[side]);
            run_cuts(&got[side], &p, k, &a);
            side_drop(&p);
        }
        assert_true(got[0].total[0] > 0);
        assert_memory_equal(&got[1], &got[0], sizeof got[0]);
        gen_free_matrix(&a);
    }
}

/* A block row of more rows than a group has lanes, one of them long. */
static void
test_long_cuts(void **state)
{
    enum { ROWS = 40, COLS = 6000, WIDE = 3 };
    static int idx[2][COLS];
    static double val[2][ROWS * COLS];
    const spblasMatDescr_t same = {.base = SPBLAS_INDEX_BASE_ZERO};
    sb_matrix a = gen_matrix(&(gen_spec){.family = GEN_DENSE_ROW,
                                         .rows = ROWS,
                                         .cols = COLS,
                                         .val_type = SB_F64,
                                         .ptr_type = SB_I32,
                                         .idx_type = SB_I32});
    int total[2] = {0};

    (void)state;
    NEED_COMPILER();
    for (int side = 0; side < 2; side++) {
        side_pool p = {.side = side};
        const spblasHandle_t h = side_handle(&p);
        int *ptr = side_copy(&p, a.ptr, (ROWS + 1) * 4);
        int *col = side_copy(&p, a.idx, (size_t)a.nnz * 4);
        void *from = side_copy(&p, a.val, (size_t)a.nnz * 8);
        int *to_ptr = side_copy(&p, NULL, 8), *to_col, *n;
        void *to;

        n = side_scalar(&p, 0, &total[side], 4);
        world_must(spblasXcsr2gebsrNnz(h, SPBLAS_DIRECTION_ROW, ROWS, COLS, &same, ptr,
                                       col, &same, to_ptr, ROWS, WIDE, n, NULL));
        total[side] = *n;
        assert_in_range(total[side], COLS / WIDE / 2, COLS / WIDE);
        to_col = side_copy(&p, NULL, (size_t)total[side] * 4);
        to = side_copy(&p, NULL, (size_t)total[side] * ROWS * WIDE * 8);
        world_must(spblasXcsr2gebsr(h, SPBLAS_R_64F, SPBLAS_DIRECTION_ROW, ROWS, COLS,
                                    &same, from, ptr, col, &same, to, to_ptr, to_col,
                                    ROWS, WIDE, NULL));
        memcpy(idx[side], to_col, (size_t)total[side] * 4);
        memcpy(val[side], to, (size_t)total[side] * ROWS * WIDE * 8);
        side_drop(&p);
    }
    assert_int_equal(total[0], total[1]);
    assert_memory_equal(idx[0], idx[1], sizeof idx[0]);
    assert_memory_equal(val[0], val[1], sizeof val[0]);
    gen_free_matrix(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters),  cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_gemvi),    cmocka_unit_test(test_colors),
        cmocka_unit_test(test_blocks),   cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_long_cuts)};
    int failed;

    if (!sides_open(SB_BINARY_DIR))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + sides_close();
}
