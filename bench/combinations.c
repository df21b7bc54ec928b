/*
 * Every combination of element types, index width, operation, layout and format that SpMV, SpMM and
 * SDDMM accept, on one matrix that all formats hold (4 x 4 blocks at random, four in each block
 * row), without an analysis and with one: what no table of chosen cases shows is where one of them is
 * far behind. Only timed, not checked: tests/api/coverage_test.c does that. A line of JSON for each:
 * GFLOP/s by format, [without, with]; a pair counts as one number.
 *
 *   combinations_bench [--op spmv|spmm|sddmm] [--threads N] [--seconds S] [--rows N]
 */
#include "lab.h"

#include "spblas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE = 4, BLOCKS = 4, IN_ROW = EDGE * BLOCKS, SLICE = 32, COLUMNS = 32 };
enum { SPMV, SPMM, SDDMM, OPS };
enum { CSR, CSC, COO, BSR, BELL, SELL, FORMATS };

static const char *const op_names[] = {"spmv", "spmm", "sddmm"};
static const char *const format_names[] = {"csr", "csc", "coo", "bsr", "bell", "sell"};

/* Of A, B or x, C or y, and of the sums; SDDMM: of both dense ones, of C twice, of the sums. */
typedef struct types {
    unsigned ops;
    const char *name;
    spblasDataType_t a, x, y, sum;
} types;

enum { MV = 1 << SPMV, MM = 1 << SPMM, SD = 1 << SDDMM };
#define ROW(ops, name, a, x, y, sum)                                \
    {                                                               \
        ops, name, SPBLAS_##a, SPBLAS_##x, SPBLAS_##y, SPBLAS_##sum \
    }
static const types rows[] = {
    ROW(MV | MM | SD, "f32", R_32F, R_32F, R_32F, R_32F),
    ROW(MV | MM | SD, "f64", R_64F, R_64F, R_64F, R_64F),
    ROW(MV | MM | SD, "c32", C_32F, C_32F, C_32F, C_32F),
    ROW(MV | MM | SD, "c64", C_64F, C_64F, C_64F, C_64F),
    ROW(MV | MM, "f16 f32", R_16F, R_16F, R_32F, R_32F),
    ROW(MV | MM, "bf16 f32", R_16BF, R_16BF, R_32F, R_32F),
    ROW(SD, "f16 f32", R_16F, R_16F, R_32F, R_32F),
    ROW(SD, "bf16 f32", R_16BF, R_16BF, R_32F, R_32F),
    ROW(MV | MM | SD, "f16", R_16F, R_16F, R_16F, R_32F),
    ROW(MV | MM | SD, "bf16", R_16BF, R_16BF, R_16BF, R_32F),
    ROW(MV | MM, "c16", C_16F, C_16F, C_16F, C_32F),
    ROW(MV | MM, "cbf16", C_16BF, C_16BF, C_16BF, C_32F),
    ROW(MV | MM, "i8 i32", R_8I, R_8I, R_32I, R_32I),
    ROW(MV | MM, "i8 f32", R_8I, R_8I, R_32F, R_32F),
    ROW(MV, "f32 f64", R_32F, R_64F, R_64F, R_64F),
    ROW(MV, "f32 c32", R_32F, C_32F, C_32F, C_32F),
    ROW(MV, "f64 c64", R_64F, C_64F, C_64F, C_64F),
};

/* ---- The matrix --------------------------------------------------------------------- */

/* Index arrays, [0] of 32 bits, [1] of 64. */
typedef struct arrays {
    int64_t block_rows, rows, nnz;
    void *ptr[2], *idx[2], *row[2], *block_ptr[2], *block_idx[2], *slice_ptr[2],
        *slice_idx[2];
    void *val, *x, *y; /* zeros, as many and as large as any case has */
} arrays;

static void *
zeros(int64_t count, size_t size)
{
    void *p = calloc((size_t)count, size);

    if (!p) {
        (void)fprintf(stderr, "combinations_bench: out of memory\n");
        exit(1);
    }
    return p;
}

/* Both widths of an array that `of` fills. */
static void
fill(void *pair[2], int64_t count, int64_t (*of)(const arrays *a, int64_t k),
     const arrays *a)
{
    pair[0] = zeros(count, 4);
    pair[1] = zeros(count, 8);
    for (int64_t k = 0; k < count; k++) {
        ((int64_t *)pair[1])[k] = of(a, k);
        ((int32_t *)pair[0])[k] = (int32_t)((int64_t *)pair[1])[k];
    }
}

/* BLOCKS columns of each block row, one of each BLOCKS-th of all, ascending. */
static int64_t
block_column(const arrays *a, int64_t k)
{
    const int64_t span = a->block_rows / BLOCKS;

    return k % BLOCKS * span + (int64_t)((uint64_t)k * 2654435761u >> 7) % span;
}

static int64_t
column(const arrays *a, int64_t k)
{
    const int64_t block = k / IN_ROW / EDGE * BLOCKS + k % IN_ROW / EDGE;

    return ((const int64_t *)a->block_idx[1])[block] * EDGE + k % EDGE;
}

static int64_t
slice_column(const arrays *a, int64_t k)
{
    const int64_t slice = k / (SLICE * IN_ROW), in = k % (SLICE * IN_ROW);

    return column(a, (slice * SLICE + in % SLICE) * IN_ROW + in / SLICE);
}

static int64_t
row_of(const arrays *a, int64_t k)
{
    (void)a;
    return k / IN_ROW;
}

static int64_t
row_start(const arrays *a, int64_t k)
{
    (void)a;
    return k * IN_ROW;
}

static int64_t
block_start(const arrays *a, int64_t k)
{
    (void)a;
    return k * BLOCKS;
}

static int64_t
slice_start(const arrays *a, int64_t k)
{
    (void)a;
    return k * SLICE * IN_ROW;
}

static void
make_arrays(arrays *a, int64_t rows_wanted)
{
    a->rows = (rows_wanted + SLICE - 1) / SLICE * SLICE;
    a->block_rows = a->rows / EDGE;
    a->nnz = a->rows * IN_ROW;
    fill(a->block_ptr, a->block_rows + 1, block_start, a);
    fill(a->block_idx, a->block_rows * BLOCKS, block_column, a);
    fill(a->ptr, a->rows + 1, row_start, a);
    fill(a->idx, a->nnz, column, a);
    fill(a->row, a->nnz, row_of, a);
    fill(a->slice_ptr, a->rows / SLICE + 1, slice_start, a);
    fill(a->slice_idx, a->nnz, slice_column, a);
    a->val = zeros(a->nnz, 16);
    a->x = zeros(a->rows * COLUMNS, 16);
    a->y = zeros(a->rows * COLUMNS, 16);
}

static void
free_arrays(arrays *a)
{
    for (int wide = 0; wide < 2; wide++) {
        free(a->ptr[wide]);
        free(a->idx[wide]);
        free(a->row[wide]);
        free(a->block_ptr[wide]);
        free(a->block_idx[wide]);
        free(a->slice_ptr[wide]);
        free(a->slice_idx[wide]);
    }
    free(a->val);
    free(a->x);
    free(a->y);
}

static spblasSpMatDescr_t
make_matrix(const arrays *a, int format, int wide, spblasDataType_t type)
{
    const spblasIndexType_t t = wide ? SPBLAS_INDEX_64I : SPBLAS_INDEX_32I;
    const spblasIndexBase_t zero = SPBLAS_INDEX_BASE_ZERO;
    const int64_t n = a->rows, nnz = a->nnz;
    spblasSpMatDescr_t m = NULL;

    switch (format) {
    case CSR:
        spblasCreateCsr(&m, n, n, nnz, a->ptr[wide], a->idx[wide], a->val, t, t, zero,
                        type);
        break;
    case CSC:
        spblasCreateCsc(&m, n, n, nnz, a->ptr[wide], a->idx[wide], a->val, t, t, zero,
                        type);
        break;
    case COO:
        spblasCreateCoo(&m, n, n, nnz, a->row[wide], a->idx[wide], a->val, t, zero,
                        type);
        break;
    case BSR:
        spblasCreateBsr(&m, n / EDGE, n / EDGE, a->block_rows * BLOCKS, EDGE, EDGE,
                        a->block_ptr[wide], a->block_idx[wide], a->val, t, t, zero,
                        type, SPBLAS_ORDER_ROW);
        break;
    case BELL:
        spblasCreateBlockedEll(&m, n, n, EDGE, IN_ROW, a->block_idx[wide], a->val, t,
                               zero, type);
        break;
    default:
        spblasCreateSlicedEll(&m, n, n, nnz, nnz, SLICE, a->slice_ptr[wide],
                              a->slice_idx[wide], a->val, t, t, zero, type);
    }
    return m;
}

/* ---- Timing ------------------------------------------------------------------------- */

typedef struct job {
    int op;
    spblasOperation_t transposed;
    spblasHandle_t handle;
    spblasDataType_t sum;
    spblasSpMatDescr_t A;
    spblasDnVecDescr_t vx, vy;
    spblasDnMatDescr_t mx, my;
    double alpha[2], beta[2];
} job;

static bool
call(void *user)
{
    const job *j = user;
    const spblasOperation_t n = SPBLAS_OPERATION_NON_TRANSPOSE;
    const spblasStatus_t st =
        j->op == SPMV
            ? spblasSpMV(j->handle, j->transposed, j->alpha, j->A, j->vx, j->beta,
                         j->vy, j->sum, SPBLAS_SPMV_ALG_DEFAULT, NULL)
        : j->op == SPMM
            ? spblasSpMM(j->handle, j->transposed, n, j->alpha, j->A, j->mx, j->beta,
                         j->my, j->sum, SPBLAS_SPMM_ALG_DEFAULT, NULL)
            : spblasSDDMM(j->handle, n, j->transposed, j->alpha, j->mx, j->my, j->beta,
                          j->A, j->sum, SPBLAS_SDDMM_ALG_DEFAULT, NULL);

    return st == SPBLAS_STATUS_SUCCESS;
}

static void
analyse(const job *j)
{
    const spblasOperation_t n = SPBLAS_OPERATION_NON_TRANSPOSE;

    if (j->op == SPMV)
        spblasSpMV_analysis(j->handle, j->transposed, j->alpha, j->A, j->vx, j->beta,
                            j->vy, j->sum, SPBLAS_SPMV_ALG_DEFAULT, NULL);
    else if (j->op == SPMM)
        spblasSpMM_analysis(j->handle, j->transposed, n, j->alpha, j->A, j->mx, j->beta,
                            j->my, j->sum, SPBLAS_SPMM_ALG_DEFAULT, NULL);
    else
        spblasSDDMM_analysis(j->handle, n, j->transposed, j->alpha, j->mx, j->my,
                             j->beta, j->A, j->sum, SPBLAS_SDDMM_ALG_DEFAULT, NULL);
}

static void
make_operands(job *j, const arrays *a, const types *t, bool by_columns)
{
    const spblasOrder_t order = by_columns ? SPBLAS_ORDER_COL : SPBLAS_ORDER_ROW;
    const int64_t ld = by_columns ? a->rows : COLUMNS;
    const bool dots = j->op == SDDMM && !j->transposed; /* op(Y) is COLUMNS x rows */
    const spblasDataType_t y = j->op == SDDMM ? t->x : t->y;

    spblasCreateDnVec(&j->vx, a->rows, a->x, t->x);
    spblasCreateDnVec(&j->vy, a->rows, a->y, t->y);
    spblasCreateDnMat(&j->mx, a->rows, COLUMNS, ld, a->x, t->x, order);
    if (dots)
        spblasCreateDnMat(&j->my, COLUMNS, a->rows, by_columns ? COLUMNS : a->rows,
                          a->y, y, order);
    else
        spblasCreateDnMat(&j->my, a->rows, COLUMNS, ld, a->y, y, order);
}

static double
gflops(job j, const arrays *a, int format, int wide, const types *t, bool by_columns,
       bool plan, double seconds)
{
    const double work = 2e-9 * (double)a->nnz * (j.op == SPMV ? 1 : COLUMNS);
    double least;

    j.A = make_matrix(a, format, wide, j.op == SDDMM ? t->y : t->a);
    make_operands(&j, a, t, by_columns);
    if (plan)
        analyse(&j);
    least = lab_least(seconds, call, &j);
    spblasDestroySpMat(j.A);
    spblasDestroyDnVec(j.vx);
    spblasDestroyDnVec(j.vy);
    spblasDestroyDnMat(j.mx);
    spblasDestroyDnMat(j.my);
    if (least < 0) {
        (void)fprintf(stderr, "combinations_bench: %s\n",
                      spblasGetLastErrorMessage(j.handle));
        exit(1);
    }
    return work / least;
}

static void
set_one(job *j)
{
    j->alpha[0] = 1.0;
    if (j->sum == SPBLAS_R_32F || j->sum == SPBLAS_C_32F) {
        const float pair[] = {1.0f, 0.0f};

        memcpy(j->alpha, pair, sizeof pair);
    } else if (j->sum == SPBLAS_R_32I) {
        const int32_t number = 1;

        memcpy(j->alpha, &number, sizeof number);
    }
}

/* A line: all formats. */
static void
time_line(job j, const arrays *a, const types *t, int wide, bool by_columns,
          double seconds)
{
    j.sum = t->sum;
    set_one(&j);
    printf("{\"op\":\"%s\",\"types\":\"%s\",\"index\":%d,\"layout\":\"%s\",\"trans\":"
           "\"%s\"",
           op_names[j.op], t->name, wide ? 64 : 32, by_columns ? "col" : "row",
           j.transposed ? "T" : "N");
    for (int f = 0; f < FORMATS; f++)
        printf(",\"%s\":[%.3f,%.3f]", format_names[f],
               gflops(j, a, f, wide, t, by_columns, false, seconds),
               gflops(j, a, f, wide, t, by_columns, true, seconds));
    printf("}\n");
    (void)fflush(stdout);
}

static void
time_all(const arrays *a, spblasHandle_t handle, unsigned ops, double seconds)
{
    for (int op = 0; op < OPS; op++)
        for (int k = 0; k < (int)(sizeof rows / sizeof *rows); k++)
            for (int variant = 0; variant < 8 && rows[k].ops & ops & 1u << op;
                 variant++) {
                const job j = {.op = op,
                               .handle = handle,
                               .transposed = variant & 1
                                                 ? SPBLAS_OPERATION_TRANSPOSE
                                                 : SPBLAS_OPERATION_NON_TRANSPOSE};

                if (op == SPMV && variant & 4) /* vectors have no layout */
                    continue;
                time_line(j, a, &rows[k], variant >> 1 & 1, variant >> 2 & 1, seconds);
            }
}

int
main(int argc, char **argv)
{
    unsigned ops = MV | MM | SD;
    double seconds = 0.05;
    int64_t rows_wanted = 20000;
    int threads = 2, k = 1;
    spblasHandle_t handle;
    arrays a;

    for (; k + 1 < argc; k += 2) {
        if (strcmp(argv[k], "--op") == 0)
            for (int op = 0; op < OPS; op++)
                ops = strcmp(argv[k + 1], op_names[op]) == 0 ? 1u << op : ops;
        else if (strcmp(argv[k], "--threads") == 0)
            threads = atoi(argv[k + 1]);
        else if (strcmp(argv[k], "--seconds") == 0)
            seconds = atof(argv[k + 1]);
        else if (strcmp(argv[k], "--rows") == 0)
            rows_wanted = atoll(argv[k + 1]);
        else
            break;
    }
    if (k != argc || rows_wanted < 4 * SLICE) {
        (void)fprintf(stderr, "usage: combinations_bench [--op spmv|spmm|sddmm] "
                              "[--threads N] [--seconds S] [--rows N]\n");
        return 2;
    }
    lab_set_threads(threads);
    if (spblasCreate(&handle) != SPBLAS_STATUS_SUCCESS)
        return 1;
    make_arrays(&a, rows_wanted);
    time_all(&a, handle, ops, seconds);
    spblasDestroy(handle);
    free_arrays(&a);
    return 0;
}
