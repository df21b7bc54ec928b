/*
 * Our side of legacy_bench.
 */
#include "legacy.h"

#include <stdlib.h>
#include <string.h>

#define OK(call) ((call) == SPBLAS_STATUS_SUCCESS)
#define F64 SPBLAS_R_64F
#define N SPBLAS_OPERATION_NON_TRANSPOSE
#define ROW SPBLAS_DIRECTION_ROW
#define INFO SPBLAS_SOLVE_POLICY_USE_LEVEL

static const double one = 1.0, zero = 0.0;

/* Results of one run. */
typedef struct made {
    int32_t *ptr, *idx, *perm;
    double *val;
    void *buffer;
} made;

static bool
make(made *c, int64_t ptr, int64_t idx, int64_t val, size_t buffer)
{
    c->ptr = legacy_lend((size_t)(ptr + 1) * sizeof *c->ptr);
    c->idx = legacy_lend((size_t)(idx + 1) * sizeof *c->idx);
    c->val = legacy_lend((size_t)(val + 1) * sizeof *c->val);
    c->buffer = legacy_lend(buffer + 8);
    return c->ptr && c->idx && c->val && c->buffer;
}

static bool
end(made *c, bool good)
{
    legacy_give(c->ptr);
    legacy_give(c->idx);
    legacy_give(c->perm);
    legacy_give(c->val);
    legacy_give(c->buffer);
    return good;
}

#define SIZES (int)a->rows, (int)a->cols
#define COUNTED SIZES, (int)a->nnz

bool
ours_csr2csc(void *job)
{
    const legacy_job *j = job;
    const lab_csr *a = &j->a;
    made c = {0};
    size_t bytes;

    return end(&c, OK(spblasCsr2cscEx2_bufferSize(
                       j->handle, COUNTED, a->val, a->ptr, a->idx, NULL, NULL, NULL,
                       F64, SPBLAS_ACTION_NUMERIC, SPBLAS_INDEX_BASE_ZERO,
                       SPBLAS_CSR2CSC_ALG_DEFAULT, &bytes)) &&
                       make(&c, a->cols, a->nnz, a->nnz, bytes) &&
                       OK(spblasCsr2cscEx2(
                           j->handle, COUNTED, a->val, a->ptr, a->idx, c.val, c.ptr,
                           c.idx, F64, SPBLAS_ACTION_NUMERIC, SPBLAS_INDEX_BASE_ZERO,
                           SPBLAS_CSR2CSC_ALG_DEFAULT, c.buffer)));
}

bool
ours_coo2csr(void *job)
{
    const legacy_job *j = job;
    made c = {0};

    return end(&c,
               make(&c, j->a.rows, 0, 0, 0) &&
                   OK(spblasXcoo2csr(j->handle, j->rows, (int)j->a.nnz, (int)j->a.rows,
                                     c.ptr, SPBLAS_INDEX_BASE_ZERO)));
}

bool
ours_csr2coo(void *job)
{
    const legacy_job *j = job;
    made c = {0};

    return end(&c,
               make(&c, 0, j->a.nnz, 0, 0) &&
                   OK(spblasXcsr2coo(j->handle, j->a.ptr, (int)j->a.nnz, (int)j->a.rows,
                                     c.idx, SPBLAS_INDEX_BASE_ZERO)));
}

/* cuSPARSE's way: a permutation is sorted along, then the values are gathered. */
static bool
gather(const legacy_job *j, const made *c, const double *from)
{
    spblasSpVecDescr_t x = NULL;
    spblasDnVecDescr_t y = NULL;
    const bool good =
        OK(spblasCreateSpVec(&x, j->a.nnz, j->a.nnz, c->perm, c->val, SPBLAS_INDEX_32I,
                             SPBLAS_INDEX_BASE_ZERO, F64)) &&
        OK(spblasCreateDnVec(&y, j->a.nnz, (void *)(uintptr_t)from, F64)) &&
        OK(spblasGather(j->handle, y, x));

    (void)spblasDestroySpVec(x);
    (void)spblasDestroyDnVec(y);
    return good;
}

static bool
sort_list(const legacy_job *j, bool by_row)
{
    const lab_csr *a = &j->a;
    const size_t bytes = (size_t)a->nnz * sizeof(int32_t);
    made c = {0};
    size_t scratch;
    bool good;

    c.perm = legacy_lend(bytes);
    good = c.perm &&
           OK(spblasXcoosort_bufferSizeExt(j->handle, COUNTED, j->row, j->col,
                                           &scratch)) &&
           make(&c, a->nnz, a->nnz, a->nnz, scratch);
    if (good) {
        memcpy(c.ptr, j->row, bytes);
        memcpy(c.idx, j->col, bytes);
        good = OK(spblasCreateIdentityPermutation(j->handle, (int)a->nnz, c.perm)) &&
               OK(by_row ? spblasXcoosortByRow(j->handle, COUNTED, c.ptr, c.idx, c.perm,
                                               c.buffer)
                         : spblasXcoosortByColumn(j->handle, COUNTED, c.ptr, c.idx,
                                                  c.perm, c.buffer)) &&
               gather(j, &c, j->any);
    }
    return end(&c, good);
}

bool
ours_by_row(void *job)
{
    return sort_list(job, true);
}

bool
ours_by_column(void *job)
{
    return sort_list(job, false);
}

bool
ours_csrsort(void *job)
{
    const legacy_job *j = job;
    const lab_csr *a = &j->a;
    const size_t bytes = (size_t)a->nnz * sizeof(int32_t);
    made c = {0};
    size_t scratch;
    bool good;

    c.perm = legacy_lend(bytes);
    good = c.perm &&
           OK(spblasXcsrsort_bufferSizeExt(j->handle, COUNTED, a->ptr, j->mixed,
                                           &scratch)) &&
           make(&c, 0, a->nnz, a->nnz, scratch);
    if (good) {
        memcpy(c.idx, j->mixed, bytes);
        good = OK(spblasCreateIdentityPermutation(j->handle, (int)a->nnz, c.perm)) &&
               OK(spblasXcsrsort(j->handle, COUNTED, &j->plain, a->ptr, c.idx, c.perm,
                                 c.buffer)) &&
               gather(j, &c, a->val);
    }
    return end(&c, good);
}

bool
ours_geam(void *job)
{
    const legacy_job *j = job;
    const lab_csr *a = &j->a, *b = &j->t;
    const spblasMatDescr_t *d = &j->plain;
    made c = {0}, more = {0};
    int nnz = 0;
    size_t bytes = 0;
    bool good =
        OK(spblasXcsrgeam2_bufferSizeExt(
            j->handle, F64, SIZES, &one, d, (int)a->nnz, a->val, a->ptr, a->idx, &one,
            d, (int)b->nnz, b->val, b->ptr, b->idx, d, NULL, NULL, NULL, &bytes)) &&
        make(&c, a->rows, 0, 0, bytes) &&
        OK(spblasXcsrgeam2Nnz(j->handle, SIZES, d, (int)a->nnz, a->ptr, a->idx, d,
                              (int)b->nnz, b->ptr, b->idx, d, c.ptr, &nnz, c.buffer)) &&
        make(&more, 0, nnz, nnz, 0) &&
        OK(spblasXcsrgeam2(j->handle, F64, SIZES, &one, d, (int)a->nnz, a->val, a->ptr,
                           a->idx, &one, d, (int)b->nnz, b->val, b->ptr, b->idx, d,
                           more.val, c.ptr, more.idx, c.buffer));

    return end(&more, end(&c, good));
}

static bool
to_blocks(const legacy_job *j, made *c, int *blocks)
{
    const lab_csr *a = &j->a;
    const spblasMatDescr_t *d = &j->plain;
    made rows = {0};
    const bool good = make(&rows, a->rows / BLOCK, 0, 0, 0) &&
                      OK(spblasXcsr2bsrNnz(j->handle, ROW, SIZES, d, a->ptr, a->idx,
                                           BLOCK, d, rows.ptr, blocks)) &&
                      make(c, 0, *blocks, (int64_t)*blocks * BLOCK * BLOCK, 0) &&
                      OK(spblasXcsr2bsr(j->handle, F64, ROW, SIZES, d, a->val, a->ptr,
                                        a->idx, BLOCK, d, c->val, rows.ptr, c->idx));

    legacy_give(c->ptr);
    c->ptr = good ? rows.ptr : NULL;
    if (good)
        rows.ptr = NULL;
    return end(&rows, good);
}

bool
ours_csr2bsr(void *job)
{
    made c = {0};
    int blocks;

    return end(&c, to_blocks(job, &c, &blocks));
}

bool
ours_bsr2csr(void *job)
{
    const legacy_job *j = job;
    const lab_csr *a = &j->a;
    const int64_t n = j->blocks * BLOCK * BLOCK;
    made c = {0};

    return end(&c,
               make(&c, a->rows, n, n, 0) &&
                   OK(spblasXbsr2csr(j->handle, F64, ROW, (int)a->rows / BLOCK,
                                     (int)a->cols / BLOCK, &j->plain, j->bval, j->bptr,
                                     j->bidx, BLOCK, &j->plain, c.val, c.ptr, c.idx)));
}

bool
ours_csr2gebsr(void *job)
{
    const legacy_job *j = job;
    const lab_csr *a = &j->a;
    const spblasMatDescr_t *d = &j->plain;
    made c = {0}, more = {0};
    int bytes = 0, nnz = 0;
    const bool good =
        OK(spblasXcsr2gebsr_bufferSize(j->handle, F64, ROW, SIZES, d, a->val, a->ptr,
                                       a->idx, WIDE_ROWS, WIDE_COLS, &bytes)) &&
        make(&c, a->rows / WIDE_ROWS, 0, 0, (size_t)bytes) &&
        OK(spblasXcsr2gebsrNnz(j->handle, ROW, SIZES, d, a->ptr, a->idx, d, c.ptr,
                               WIDE_ROWS, WIDE_COLS, &nnz, c.buffer)) &&
        make(&more, 0, nnz, (int64_t)nnz * WIDE_ROWS * WIDE_COLS, 0) &&
        OK(spblasXcsr2gebsr(j->handle, F64, ROW, SIZES, d, a->val, a->ptr, a->idx, d,
                            more.val, c.ptr, more.idx, WIDE_ROWS, WIDE_COLS, c.buffer));

    return end(&more, end(&c, good));
}

/* ---- Dense -------------------------------------------------------------------------- */

/* By columns of the transposed: the memory is the rows'. */
bool
ours_nnz(void *job)
{
    const legacy_job *j = job;
    made c = {0};
    int total;

    return end(&c, make(&c, j->a.rows, 0, 0, 0) &&
                       OK(spblasXnnz(j->handle, F64, SPBLAS_DIRECTION_COLUMN,
                                     (int)j->a.cols, (int)j->a.rows, &j->plain,
                                     j->dense, (int)j->a.cols, c.ptr, &total)));
}

static bool
describe(const legacy_job *j, spblasSpMatDescr_t *s, spblasDnMatDescr_t *d, int64_t nnz,
         const made *c, double *dense)
{
    const lab_csr *a = &j->a;

    *s = NULL;
    *d = NULL;
    return OK(spblasCreateCsr(s, a->rows, a->cols, nnz, c->ptr, c->idx, c->val,
                              SPBLAS_INDEX_32I, SPBLAS_INDEX_32I,
                              SPBLAS_INDEX_BASE_ZERO, F64)) &&
           OK(spblasCreateDnMat(d, a->rows, a->cols, a->cols, dense, F64,
                                SPBLAS_ORDER_ROW));
}

bool
ours_to_dense(void *job)
{
    const legacy_job *j = job;
    const lab_csr *a = &j->a;
    const made in = {a->ptr, a->idx, NULL, a->val, NULL};
    made c = {0};
    spblasSpMatDescr_t s = NULL;
    spblasDnMatDescr_t d = NULL;
    const bool good = make(&c, 0, 0, a->rows * a->cols, 0) &&
                      describe(j, &s, &d, a->nnz, &in, c.val) &&
                      OK(spblasSparseToDense(j->handle, s, d,
                                             SPBLAS_SPARSETODENSE_ALG_DEFAULT, NULL));

    (void)spblasDestroySpMat(s);
    (void)spblasDestroyDnMat(d);
    return end(&c, good);
}

bool
ours_from_dense(void *job)
{
    const legacy_job *j = job;
    made c = {0}, more = {0};
    spblasSpMatDescr_t s = NULL;
    spblasDnMatDescr_t d = NULL;
    int64_t rows, cols, nnz;
    size_t bytes;
    bool good = make(&c, j->a.rows, 0, 0, 0) && describe(j, &s, &d, 0, &c, j->dense) &&
                OK(spblasDenseToSparse_bufferSize(j->handle, d, s, 0, &bytes)) &&
                make(&more, 0, 0, 0, bytes) &&
                OK(spblasDenseToSparse_analysis(j->handle, d, s, 0, more.buffer)) &&
                OK(spblasSpMatGetSize(s, &rows, &cols, &nnz));

    if (good) {
        legacy_give(c.idx);
        legacy_give(c.val);
        c.idx = legacy_lend((size_t)(nnz + 1) * sizeof *c.idx);
        c.val = legacy_lend((size_t)(nnz + 1) * sizeof *c.val);
        good = OK(spblasCsrSetPointers(s, c.ptr, c.idx, c.val)) &&
               OK(spblasDenseToSparse_convert(j->handle, d, s, 0, more.buffer));
    }
    (void)spblasDestroySpMat(s);
    (void)spblasDestroyDnMat(d);
    return end(&more, end(&c, good));
}

/* ---- Factors, products, bands ------------------------------------------------------- */

#define FACTOR j->handle, F64, (int)a->rows, (int)a->nnz, &j->plain

/* Of csrilu02 or csric02. */
typedef spblasStatus_t size_fn(spblasHandle_t handle, spblasDataType_t type, int m,
                               int nnz, const spblasMatDescr_t *descr, void *val,
                               const int *ptr, const int *idx, spblasLegacyInfo_t info,
                               int *bytes);
typedef spblasStatus_t run_fn(spblasHandle_t handle, spblasDataType_t type, int m,
                              int nnz, const spblasMatDescr_t *descr, void *val,
                              const int *ptr, const int *idx, spblasLegacyInfo_t info,
                              spblasSolvePolicy_t policy, void *buffer);

static bool
factor(const legacy_job *j, spblasLegacyInfo_t info, size_fn *size, run_fn *run)
{
    const lab_csr *a = &j->a;
    made c = {0};
    int bytes;
    bool good = OK(size(FACTOR, j->strong, a->ptr, a->idx, info, &bytes)) &&
                make(&c, 0, 0, a->nnz, (size_t)bytes);

    if (good) {
        memcpy(c.val, j->strong, (size_t)a->nnz * sizeof(double));
        good = OK(run(FACTOR, c.val, a->ptr, a->idx, info, INFO, c.buffer));
    }
    return end(&c, good);
}

bool
ours_ilu(void *job)
{
    const legacy_job *j = job;

    return factor(j, j->lu, spblasXcsrilu02_bufferSize, spblasXcsrilu02);
}

bool
ours_ic(void *job)
{
    const legacy_job *j = job;

    return factor(j, j->root, spblasXcsric02_bufferSize, spblasXcsric02);
}

bool
ours_bsrmv(void *job)
{
    const legacy_job *j = job;

    return OK(spblasXbsrmv(j->handle, F64, ROW, N, (int)j->a.rows / BLOCK,
                           (int)j->a.cols / BLOCK, (int)j->blocks, &one, &j->plain,
                           j->bval, j->bptr, j->bidx, BLOCK, j->x, &zero, j->y));
}

bool
ours_bsrmm(void *job)
{
    const legacy_job *j = job;

    return OK(spblasXbsrmm(j->handle, F64, ROW, N, N, (int)j->a.rows / BLOCK, SIDES,
                           (int)j->a.cols / BLOCK, (int)j->blocks, &one, &j->plain,
                           j->bval, j->bptr, j->bidx, BLOCK, j->x, (int)j->a.cols,
                           &zero, j->y, (int)j->a.rows));
}

static bool
solve_band(const legacy_job *j, int sides)
{
    const int m = (int)j->a.rows;
    const double *lower = j->band, *middle = lower + m, *upper = middle + m;
    made c = {0};
    size_t bytes;
    bool good = OK(spblasXgtsv2_bufferSizeExt(j->handle, F64, m, sides, lower, middle,
                                              upper, j->y, m, &bytes)) &&
                make(&c, 0, 0, (int64_t)m * sides, bytes);

    if (good) {
        memcpy(c.val, j->y, (size_t)m * (size_t)sides * sizeof(double));
        good = OK(spblasXgtsv2(j->handle, F64, m, sides, lower, middle, upper, c.val, m,
                               c.buffer));
    }
    return end(&c, good);
}

bool
ours_gtsv(void *job)
{
    return solve_band(job, 1);
}

bool
ours_gtsv_many(void *job)
{
    return solve_band(job, SIDES);
}

bool
ours_color(void *job)
{
    const legacy_job *j = job;
    const lab_csr *a = &j->a;
    made c = {0};
    int colors;

    return end(&c, make(&c, a->rows, 0, 0, 0) &&
                       OK(spblasXcsrcolor(FACTOR, a->val, a->ptr, a->idx, &one, &colors,
                                          c.ptr, NULL, j->lu)));
}

/* ---- Before ------------------------------------------------------------------------- */

bool
legacy_prepare(legacy_job *j)
{
    const lab_csr *a = &j->a;
    made c = {0};
    int blocks = 0;
    bool good = OK(spblasCreateLegacyInfo(&j->lu)) &&
                OK(spblasCreateLegacyInfo(&j->root)) && to_blocks(j, &c, &blocks);

    legacy_give(c.buffer);
    j->blocks = blocks;
    j->bptr = c.ptr;
    j->bidx = c.idx;
    j->bval = c.val;
    if (good && j->full) {
        void *buffer = legacy_lend((size_t)a->rows * 64 + 4096);

        good = OK(spblasXcsrilu02_analysis(FACTOR, j->strong, a->ptr, a->idx, j->lu,
                                           INFO, buffer)) &&
               OK(spblasXcsric02_analysis(FACTOR, j->strong, a->ptr, a->idx, j->root,
                                          INFO, buffer));
        legacy_give(buffer);
    }
    return good;
}
