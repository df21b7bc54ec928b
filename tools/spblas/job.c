/*
 * Operands and calls. The dense layouts: B and C of SpMM in the order asked for; of
 * SDDMM, X in the order asked for and B in the other one, so that the dot products run
 * along memory when the order is row.
 */
#include "job.h"

#include "form.h"
#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const op_names[JOB_OPS] = {"spmv", "spmm", "sddmm"};

const char *
job_op_name(job_op op)
{
    return op_names[op];
}

static spblasOrder_t
order_of(const job *j, bool other)
{
    return j->spec.col_major != other ? SPBLAS_ORDER_COL : SPBLAS_ORDER_ROW;
}

/* b as stored: k x n, or for SDDMM n x cols, turned round by trans. */
static void
b_shape(const job *j, int64_t *rows, int64_t *cols)
{
    const bool sddmm = j->spec.op == JOB_SDDMM;
    const bool turned = sddmm && j->spec.trans != SPBLAS_OPERATION_NON_TRANSPOSE;

    *rows = sddmm ? (turned ? j->cols : j->spec.n) : j->k;
    *cols = sddmm ? (turned ? j->spec.n : j->cols) : j->spec.n;
}

static int64_t
place(int64_t rows, int64_t cols, spblasOrder_t order, int64_t i, int64_t c)
{
    return order == SPBLAS_ORDER_ROW ? i * cols + c : i + c * rows;
}

/* Turned round, the second factor keeps the order of the first: again along memory. */
static spblasOrder_t
b_order(const job *j)
{
    const bool sddmm = j->spec.op == JOB_SDDMM;

    return order_of(j, sddmm && j->spec.trans == SPBLAS_OPERATION_NON_TRANSPOSE);
}

int64_t
job_b_at(const job *j, int64_t i, int64_t col)
{
    int64_t rows, cols;

    b_shape(j, &rows, &cols);
    return place(rows, cols, b_order(j), i, col);
}

int64_t
job_c_at(const job *j, int64_t i, int64_t col)
{
    return place(j->m, j->spec.n, order_of(j, false), i, col);
}

int64_t
job_x_at(const job *j, int64_t i, int64_t col)
{
    return place(j->rows, j->spec.n, order_of(j, false), i, col);
}

int64_t
job_index(const job *j, const void *array, int64_t p)
{
    return j->spec.wide ? ((const int64_t *)array)[p] : ((const int32_t *)array)[p];
}

int64_t
job_place(const job *j, int64_t p)
{
    return j->place ? j->place[p] : p;
}

/* Room for `room`, the rest repeating the last one. */
static void *
make_indices(const job *j, const int64_t *from, int64_t count, int64_t room)
{
    int64_t *wide = tool_memory(room, sizeof *wide), p;
    int32_t *to;

    for (p = 0; p < room; p++)
        wide[p] = from[p < count ? p : count - 1];
    if (j->spec.wide)
        return wide;
    to = tool_memory(room, sizeof *to);
    for (p = 0; p < room; p++)
        to[p] = (int32_t)wide[p];
    free(wide);
    return to;
}

static void
fill_random(elem type, void *x, int64_t count, uint64_t seed)
{
    tool_rng r = {seed};
    int64_t p;

    for (p = 0; p < count; p++) {
        const double re = 2.0 * rng_unit(&r) - 1.0;

        elem_put(type, x, p, re, elem_is_complex(type) ? 2.0 * rng_unit(&r) - 1.0 : 0);
    }
}

/* The matrix's values in the type. Those of 16 bits are scaled by a power of two to
 * stay at most 1, because a row of thousands would overflow the sum's store. */
static void
fill_values(job *j, const mm_matrix *a)
{
    const int width = a->field == MM_COMPLEX ? 2 : 1;
    double most = 0.0, im;
    int64_t p;
    int e;

    j->scale = 1.0;
    for (p = 0; p < a->nnz * width; p++)
        most = fmax(most, fabs(a->val[p]));
    if (elem_size(j->spec.type) == 2 && most > 1.0) {
        frexp(most, &e);
        j->scale = ldexp(1.0, -e);
    }
    for (p = 0; p < a->nnz; p++) {
        im = width == 2 ? a->val[2 * p + 1] : 0.0;
        elem_put(j->spec.type, j->val, p, j->scale * a->val[p * width], j->scale * im);
    }
}

static int
fail(const job *j, const char *what)
{
    return tool_complain("%s: %s", what, spblasGetLastErrorMessage(j->handle));
}

static int
show_search(const spblasSearchProgress_t *p, void *unused)
{
    (void)unused;
    tool_progress("search", p->tried, p->known);
    return 0;
}

static int
set_attributes(job *j)
{
    const spblasSearchHook_t hook = {show_search, NULL};
    const int yes = 1;

    if (spblasSpMatSetAttribute(j->a, SPBLAS_SPMAT_EFFORT, &j->spec.effort,
                                sizeof j->spec.effort) ||
        spblasSpMatSetAttribute(j->a, SPBLAS_SPMAT_TIME_LIMIT, &j->spec.limit,
                                sizeof j->spec.limit) ||
        spblasSpMatSetAttribute(j->a, SPBLAS_SPMAT_SEARCH_HOOK, &hook, sizeof hook) ||
        (j->spec.frozen &&
         spblasSpMatSetAttribute(j->a, SPBLAS_SPMAT_VALUES_FROZEN, &yes, sizeof yes)) ||
        (j->spec.plan && spblasSpMatSetAttribute(j->a, SPBLAS_SPMAT_PLAN_TEXT,
                                                 j->spec.plan, strlen(j->spec.plan))))
        return tool_complain("attributes: %s", spblasGetLastErrorMessage(NULL));
    return TOOL_OK;
}

int
job_renew(job *j)
{
    void *const val = j->spec.op == JOB_SDDMM ? j->c : j->stored ? j->stored : j->val;

    if (form_describe(j, val))
        return tool_complain("matrix: %s", spblasGetLastErrorMessage(NULL));
    return set_attributes(j);
}

static int
describe(job *j)
{
    const spblasDataType_t type = elem_type(j->spec.type);
    int64_t rows, cols;
    spblasStatus_t st;

    if (spblasCreate(&j->handle))
        return tool_complain("spblasCreate: %s", spblasGetLastErrorMessage(NULL));
    b_shape(j, &rows, &cols);
    if (j->spec.op == JOB_SPMV)
        st = (spblasStatus_t)(spblasCreateDnVec(&j->vec_x, j->k, j->b, type) ||
                              spblasCreateDnVec(&j->vec_y, j->m, j->c, type));
    else
        st = spblasCreateDnMat(&j->dn_b, rows, cols,
                               b_order(j) == SPBLAS_ORDER_ROW ? cols : rows, j->b, type,
                               b_order(j));
    if (!st && j->spec.op == JOB_SPMM)
        st = spblasCreateDnMat(&j->dn_c, j->m, j->spec.n,
                               j->spec.col_major ? j->m : j->spec.n, j->c, type,
                               order_of(j, false));
    if (!st && j->spec.op == JOB_SDDMM)
        st = spblasCreateDnMat(&j->dn_x, j->rows, j->spec.n,
                               j->spec.col_major ? j->rows : j->spec.n, j->x, type,
                               order_of(j, false));
    if (st)
        return tool_complain("operands: %s", spblasGetLastErrorMessage(NULL));
    return job_renew(j);
}

int
job_make(job *j, const job_spec *spec, const mm_matrix *a)
{
    const bool turned =
        spec->op != JOB_SDDMM && spec->trans != SPBLAS_OPERATION_NON_TRANSPOSE;
    const size_t size = elem_size(spec->type);
    int64_t b_rows, b_cols, count;

    memset(j, 0, sizeof *j);
    j->spec = *spec;
    j->rows = (a->rows + spec->block - 1) / spec->block * spec->block;
    j->cols = (a->cols + spec->block - 1) / spec->block * spec->block;
    j->nnz = a->nnz;
    j->m = turned ? j->cols : j->rows;
    j->k = turned ? j->rows : j->cols;
    if (!spec->wide && (a->nnz > INT32_MAX || a->cols > INT32_MAX))
        return tool_complain("too large for 32-bit indices; give --index 64");
    if (a->field == MM_COMPLEX && !elem_is_complex(spec->type))
        return tool_complain("the matrix is complex; give --type c32 or c64");
    b_shape(j, &b_rows, &b_cols);
    if (__builtin_mul_overflow(b_rows, b_cols, &count) ||
        __builtin_mul_overflow(j->m, spec->n, &j->c_count))
        return tool_complain("the dense matrices do not fit into 64 bits");
    j->ptr = make_indices(j, a->ptr, a->rows + 1, j->rows + 1);
    j->col = make_indices(j, a->col, a->nnz, a->nnz);
    form_make(j);
    j->b = tool_memory(count, size);
    fill_random(spec->type, j->b, count, 2);
    if (spec->op == JOB_SDDMM) {
        j->c_count = j->count;
        j->x = tool_memory(j->rows * spec->n, size);
        fill_random(spec->type, j->x, j->rows * spec->n, 3);
    } else {
        j->val = tool_memory(a->nnz, size);
        fill_values(j, a);
        if (j->place) {
            j->stored = tool_memory(j->count, size);
            form_values(j, j->stored, j->val);
        }
    }
    j->c = tool_memory(j->c_count, size);
    return describe(j);
}

void
job_free(job *j)
{
    spblasDestroySpMat(j->a);
    spblasDestroyDnMat(j->dn_x);
    spblasDestroyDnMat(j->dn_b);
    spblasDestroyDnMat(j->dn_c);
    spblasDestroyDnVec(j->vec_x);
    spblasDestroyDnVec(j->vec_y);
    spblasDestroy(j->handle);
    free(j->ptr);
    free(j->col);
    free(j->val);
    free(j->x);
    free(j->b);
    free(j->c);
    free(j->buffer);
    form_free(j);
    memset(j, 0, sizeof *j);
}

void
job_reset(job *j)
{
    if (j->spec.beta == 0.0)
        memset(j->c, 0xff, (size_t)j->c_count * elem_size(j->spec.type));
    else
        fill_random(j->spec.type, j->c, j->c_count, 4);
}

/* The buffer of SpMM, whose size follows from the plan text too. Products do without one that
 * cannot be had. */
static void
lend(job *j)
{
    const spblasDataType_t type = elem_type(elem_compute(j->spec.type));
    size_t bytes = 0;

    free(j->buffer);
    j->buffer = NULL;
    j->lent = true;
    if (j->spec.op == JOB_SPMM &&
        !spblasSpMM_bufferSize(j->handle, j->spec.trans, SPBLAS_OPERATION_NON_TRANSPOSE,
                               NULL, j->a, j->dn_b, NULL, j->dn_c, type,
                               SPBLAS_SPMM_ALG_DEFAULT, &bytes) &&
        bytes > 0)
        j->buffer = malloc(bytes);
}

enum { CALL_ANALYSIS, CALL_COMPUTE };

static spblasStatus_t
call(job *j, int what)
{
    const elem compute = elem_compute(j->spec.type);
    const spblasDataType_t type = elem_type(compute);
    const spblasOperation_t n = SPBLAS_OPERATION_NON_TRANSPOSE, t = j->spec.trans;
    double alpha[2], beta[2];

    if (what == CALL_ANALYSIS || !j->lent)
        lend(j);
    elem_put(compute, alpha, 0, j->spec.alpha, 0.0);
    elem_put(compute, beta, 0, j->spec.beta, 0.0);
    switch (j->spec.op) {
    case JOB_SPMV:
        return (what == CALL_ANALYSIS ? spblasSpMV_analysis : spblasSpMV)(
            j->handle, t, alpha, j->a, j->vec_x, beta, j->vec_y, type,
            SPBLAS_SPMV_ALG_DEFAULT, NULL);
    case JOB_SDDMM:
        return (what == CALL_ANALYSIS ? spblasSDDMM_analysis : spblasSDDMM)(
            j->handle, n, t, alpha, j->dn_x, j->dn_b, beta, j->a, type,
            SPBLAS_SDDMM_ALG_DEFAULT, NULL);
    case JOB_SPMM:
    case JOB_OPS:
        break;
    }
    return (what == CALL_ANALYSIS ? spblasSpMM_analysis : spblasSpMM)(
        j->handle, t, n, alpha, j->a, j->dn_b, beta, j->dn_c, type,
        SPBLAS_SPMM_ALG_DEFAULT, j->buffer);
}

spblasStatus_t
job_try_analyse(job *j)
{
    return call(j, CALL_ANALYSIS);
}

spblasStatus_t
job_analyse(job *j)
{
    const spblasStatus_t st = call(j, CALL_ANALYSIS);

    if (st)
        fail(j, "analysis");
    return st;
}

spblasStatus_t
job_compute(job *j)
{
    const spblasStatus_t st = call(j, CALL_COMPUTE);

    if (st)
        fail(j, "compute");
    return st;
}

double
job_flops(const job *j)
{
    const double each = elem_is_complex(j->spec.type) ? 8.0 : 2.0;

    return each * (double)j->nnz * (double)j->spec.n;
}

double
job_bytes(const job *j)
{
    const double size = (double)elem_size(j->spec.type);
    const double index = j->spec.wide ? 8.0 : 4.0;
    const double dense = size * (double)j->spec.n * (double)(j->rows + j->cols);
    const double read_c = j->spec.beta != 0.0 ? size * (double)j->c_count : 0.0;

    return index * (double)(j->rows + 1 + j->nnz) + size * (double)j->nnz + dense +
           read_c;
}
