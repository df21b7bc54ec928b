/*
 * Entries at random, dressed as CSR, CSC or COO, and dense operands that may be one.
 */
#include "trilab.h"

#include "call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void
tri_ok(spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s", spblasGetLastErrorMessage(NULL));
}

/* ---- Matrices ----------------------------------------------------------------------- */

sb_value
tri_draw(gen_rng *r, sb_dtype t, bool exact, bool diagonal)
{
    static const double pivots[] = {1, -1, 2, -2};
    sb_value v = {0, 0};

    if (exact && diagonal) {
        v.re = pivots[gen_below(r, 4)];
        return sb_dtype_is_complex(t) && gen_below(r, 2) ? (sb_value){0, v.re} : v;
    }
    v.re = exact ? (double)gen_between(r, -2, 2) : gen_unit(r) - 0.5;
    if (sb_dtype_is_complex(t))
        v.im = exact ? (double)gen_between(r, -2, 2) : gen_unit(r) - 0.5;
    if (diagonal)
        v.re += v.re < 0 ? -1 : 1;
    return v;
}

static int
by_row(const void *a, const void *b)
{
    const tri_entry *x = a, *y = b;

    return x->i < y->i ? -1 : x->i > y->i;
}

static int
by_col(const void *a, const void *b)
{
    const tri_entry *x = a, *y = b;

    return x->j < y->j ? -1 : x->j > y->j;
}

static void
shuffle(tri_entry *e, int64_t n, gen_rng *r)
{
    for (int64_t k = n - 1; k > 0; k--) {
        const int64_t q = gen_below(r, k + 1);
        const tri_entry swap = e[k];

        e[k] = e[q];
        e[q] = swap;
    }
}

/* Entries on both sides of a full diagonal, some stored twice. */
static void
make_entries(tri_lab *l, gen_rng *r, double density, bool exact)
{
    l->e = malloc((size_t)(l->n * l->n + 3 * l->n + 1) * sizeof *l->e);
    for (int64_t i = 0; i < l->n; i++) {
        for (int64_t j = 0; j < l->n; j++)
            if (i == j || gen_unit(r) < density)
                l->e[l->nnz++] = (tri_entry){i, j, tri_draw(r, l->type, exact, i == j)};
        if (l->nnz < l->n * l->n && i > 0 && gen_below(r, 8) == 0)
            l->e[l->nnz++] = (tri_entry){i, i - 1, tri_draw(r, l->type, exact, false)};
    }
    if (l->nnz > l->n * l->n)
        l->nnz = l->n * l->n;
    shuffle(l->e, l->nnz, r);
}

void
tri_store_values(tri_lab *l)
{
    for (int64_t p = 0; p < l->nnz; p++)
        sb_value_store(l->type, l->val, p, l->e[p].v);
}

void
tri_dress(tri_lab *l, spblasFormat_t format)
{
    const size_t size = sb_dtype_size(l->index);
    const spblasIndexType_t it = call_index_type(l->index);
    const spblasIndexBase_t base = (spblasIndexBase_t)l->base;
    const spblasDataType_t t = call_type(l->type);
    int64_t at = 0;

    if (format == SPBLAS_FORMAT_CSR || format == SPBLAS_FORMAT_SLICED_ELLPACK)
        qsort(l->e, (size_t)l->nnz, sizeof *l->e, by_row);
    if (format == SPBLAS_FORMAT_CSC)
        qsort(l->e, (size_t)l->nnz, sizeof *l->e, by_col);
    l->ptr = malloc((size_t)(l->n + 1) * size);
    l->row = malloc((size_t)(l->nnz + 1) * size);
    l->col = malloc((size_t)(l->nnz + 1) * size);
    l->val = malloc((size_t)(l->nnz + 1) * sb_dtype_size(l->type));
    for (int64_t p = 0; p < l->nnz; p++) {
        sb_index_store(l->row, l->index, p, l->e[p].i + l->base);
        sb_index_store(l->col, l->index, p, l->e[p].j + l->base);
    }
    for (int64_t i = 0; i <= l->n; i++) {
        while (at < l->nnz &&
               (format == SPBLAS_FORMAT_CSC ? l->e[at].j : l->e[at].i) < i)
            at++;
        sb_index_store(l->ptr, l->index, i, at + l->base);
    }
    tri_store_values(l);
    if (format == SPBLAS_FORMAT_CSR)
        tri_ok(spblasCreateCsr(&l->A, l->n, l->n, l->nnz, l->ptr, l->col, l->val, it,
                               it, base, t));
    else if (format == SPBLAS_FORMAT_CSC)
        tri_ok(spblasCreateCsc(&l->A, l->n, l->n, l->nnz, l->ptr, l->row, l->val, it,
                               it, base, t));
    else if (format == SPBLAS_FORMAT_SLICED_ELLPACK) /* slices of one row */
        tri_ok(spblasCreateSlicedEll(&l->A, l->n, l->n, l->nnz, l->nnz, 1, l->ptr,
                                     l->col, l->val, it, it, base, t));
    else
        tri_ok(spblasCreateCoo(&l->A, l->n, l->n, l->nnz, l->row, l->col, l->val, it,
                               base, t));
}

/* ---- Dense operands ----------------------------------------------------------------- */

static int64_t
slot_of(const sb_dense *d, int64_t i, int64_t j)
{
    return d->col_major ? i + j * d->ld : i * d->ld + j;
}

tri_wide
tri_get(const sb_dense *d, int64_t i, int64_t j)
{
    const sb_value v = sb_value_load(d->type, d->data, slot_of(d, i, j));

    return (long double)v.re + (long double)v.im * I;
}

void
tri_put(const sb_dense *d, int64_t i, int64_t j, tri_wide v)
{
    sb_value_store(d->type, d->data, slot_of(d, i, j),
                   (sb_value){(double)creall(v), (double)cimagl(v)});
}

tri_wide
tri_of(sb_value v)
{
    return (long double)v.re + (long double)v.im * I;
}

/* Element (i, j) of the right side. */
tri_wide
tri_right(const tri_lab *l, const sb_dense *b, int64_t i, int64_t j)
{
    const tri_wide v =
        l->op_b == SPBLAS_OPERATION_NON_TRANSPOSE ? tri_get(b, i, j) : tri_get(b, j, i);

    return l->op_b == SPBLAS_OPERATION_CONJUGATE_TRANSPOSE ? conjl(v) : v;
}

void
tri_make_dense(tri_lab *l, gen_rng *r)
{
    const bool turned = l->op_b != SPBLAS_OPERATION_NON_TRANSPOSE;
    const int64_t rows = turned ? l->cols : l->n, cols = turned ? l->n : l->cols;
    const bool b_col = l->vector || gen_below(r, 2);
    const bool c_col = l->vector || gen_below(r, 2);
    const int64_t gap = l->vector ? 0 : gen_below(r, 3);

    l->b = gen_dense(&(gen_dense_spec){.rows = rows,
                                       .cols = cols,
                                       .ld = (b_col ? rows : cols) + gap,
                                       .col_major = b_col,
                                       .type = l->type});
    l->c = gen_dense(&(gen_dense_spec){.rows = l->n,
                                       .cols = l->cols,
                                       .ld = (c_col ? l->n : l->cols) + gap,
                                       .col_major = c_col,
                                       .type = l->type,
                                       .poison = true});
    if (l->in_place) {
        gen_free_dense(&l->c);
        l->c = l->b;
        if (turned) { /* C's element (i, j) is B's (j, i) */
            l->c.rows = l->n;
            l->c.cols = l->cols;
            l->c.col_major = !l->b.col_major;
        }
    }
}

static spblasDnMatDescr_t
describe(const sb_dense *d)
{
    spblasDnMatDescr_t m;

    tri_ok(spblasCreateDnMat(&m, d->rows, d->cols, d->ld, d->data, call_type(d->type),
                             d->col_major ? SPBLAS_ORDER_COL : SPBLAS_ORDER_ROW));
    return m;
}

/* ---- Calls -------------------------------------------------------------------------- */

spblasStatus_t
tri_analyse(tri_lab *l)
{
    const spblasDataType_t t = call_type(l->type);

    if (l->vector)
        return spblasSpSV_analysis(l->handle, l->op, NULL, l->A, l->x, l->y, t,
                                   SPBLAS_SPSV_ALG_DEFAULT, l->sv, NULL);
    return spblasSpSM_analysis(l->handle, l->op, l->op_b, NULL, l->A, l->B, l->C, t,
                               SPBLAS_SPSM_ALG_DEFAULT, l->sm, NULL);
}

spblasStatus_t
tri_solve(tri_lab *l)
{
    const spblasDataType_t t = call_type(l->type);

    if (l->vector)
        return spblasSpSV_solve(l->handle, l->op, l->alpha_bytes, l->A, l->x, l->y, t,
                                SPBLAS_SPSV_ALG_DEFAULT, l->sv);
    return spblasSpSM_solve(l->handle, l->op, l->op_b, l->alpha_bytes, l->A, l->B, l->C,
                            t, SPBLAS_SPSM_ALG_DEFAULT, l->sm);
}

spblasStatus_t
tri_update(tri_lab *l, void *values, bool diagonal)
{
    return l->vector ? spblasSpSV_updateMatrix(l->handle, l->sv, values,
                                               (spblasSpSVUpdate_t)diagonal)
                     : spblasSpSM_updateMatrix(l->handle, l->sm, values,
                                               (spblasSpSMUpdate_t)diagonal);
}

void
tri_begin(tri_lab *l)
{
    const spblasFillMode_t fill =
        l->upper ? SPBLAS_FILL_MODE_UPPER : SPBLAS_FILL_MODE_LOWER;
    const spblasDiagType_t diag =
        l->unit ? SPBLAS_DIAG_TYPE_UNIT : SPBLAS_DIAG_TYPE_NON_UNIT;
    size_t size = 1;

    tri_ok(spblasCreate(&l->handle));
    tri_ok(spblasSpMatSetAttribute(l->A, SPBLAS_SPMAT_FILL_MODE, &fill, sizeof fill));
    tri_ok(spblasSpMatSetAttribute(l->A, SPBLAS_SPMAT_DIAG_TYPE, &diag, sizeof diag));
    sb_value_store(l->type, l->alpha_bytes, 0, l->alpha);
    if (l->vector) {
        tri_ok(spblasCreateDnVec(&l->x, l->n, l->b.data, call_type(l->type)));
        tri_ok(spblasCreateDnVec(&l->y, l->n, l->c.data, call_type(l->type)));
        tri_ok(spblasSpSV_createDescr(&l->sv));
        tri_ok(spblasSpSV_bufferSize(l->handle, l->op, l->alpha_bytes, l->A, NULL, NULL,
                                     call_type(l->type), SPBLAS_SPSV_ALG_DEFAULT, l->sv,
                                     &size));
    } else {
        l->B = describe(&l->b);
        l->C = describe(&l->c);
        tri_ok(spblasSpSM_createDescr(&l->sm));
        tri_ok(spblasSpSM_bufferSize(l->handle, l->op, l->op_b, l->alpha_bytes, l->A,
                                     NULL, NULL, call_type(l->type),
                                     SPBLAS_SPSM_ALG_DEFAULT, l->sm, &size));
    }
    assert_int_equal(size, 0);
}

void
tri_end(tri_lab *l)
{
    tri_ok(spblasDestroyDnVec(l->x));
    tri_ok(spblasDestroyDnVec(l->y));
    tri_ok(spblasDestroyDnMat(l->B));
    tri_ok(spblasDestroyDnMat(l->C));
    tri_ok(spblasSpSV_destroyDescr(l->sv));
    tri_ok(spblasSpSM_destroyDescr(l->sm));
    tri_ok(spblasDestroySpMat(l->A));
    tri_ok(spblasDestroy(l->handle));
    if (!l->in_place)
        gen_free_dense(&l->c);
    gen_free_dense(&l->b);
    free(l->e);
    free(l->ptr);
    free(l->row);
    free(l->col);
    free(l->val);
}

tri_lab
tri_make(uint64_t k, bool exact, gen_rng *r)
{
    static const sb_dtype types[] = {SB_F32, SB_F64, SB_C32, SB_C64};
    /* The last one is for one right side only. */
    static const spblasFormat_t formats[] = {SPBLAS_FORMAT_CSR, SPBLAS_FORMAT_COO,
                                             SPBLAS_FORMAT_CSC,
                                             SPBLAS_FORMAT_SLICED_ELLPACK};
    static const sb_value scalars[] = {{1, 0}, {-1, 0}, {0.5, 0}, {0, 1}};
    tri_lab l = {.n = k % 11 == 0 ? k % 2 : (uint64_t)gen_between(r, 1, 24),
                 .type = types[k % 4],
                 .index = gen_below(r, 2) ? SB_I64 : SB_I32,
                 .base = (int)gen_below(r, 2),
                 .upper = gen_below(r, 2),
                 .unit = gen_below(r, 3) == 0,
                 .vector = gen_below(r, 2),
                 .in_place = gen_below(r, 3) == 0,
                 .op = (spblasOperation_t)gen_below(r, 3)};

    l.cols = l.vector ? 1 : gen_between(r, 0, 37);
    l.op_b =
        l.vector ? SPBLAS_OPERATION_NON_TRANSPOSE : (spblasOperation_t)gen_below(r, 3);
    l.alpha = scalars[gen_below(r, sb_dtype_is_complex(l.type) ? 4 : 3)];
    make_entries(&l, r, gen_unit(r) * 0.5, exact);
    tri_dress(&l, formats[gen_below(r, l.vector ? 4 : 3)]);
    tri_make_dense(&l, r);
    tri_begin(&l);
    return l;
}
