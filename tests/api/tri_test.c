/*
 * Triangular solves through the front door: SpSV and SpSM over formats, types, index
 * widths, bases, triangles, operations and layouts. Small integers: the right side is made
 * from the solution, which must come back with ==. Reals: the residual of each row within
 * the bound of substitution.
 */
#include "base/alloc.h"
#include "call.h"
#include "gen.h"
#include "oracle.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#ifdef _OPENMP
#include <omp.h>
#endif

typedef long double complex wide;

/* Entries of a square matrix, with a diagonal. */
typedef struct entry {
    int64_t i, j;
    sb_value v;
} entry;

/* A solve under test. */
typedef struct lab {
    int64_t n, cols, nnz;
    sb_dtype type, index;
    int base;
    bool upper, unit, vector, in_place;
    spblasOperation_t op, op_b;
    entry *e; /* in the order of storage */
    void *ptr, *row, *col, *val;
    sb_value alpha;
    double alpha_bytes[2];
    sb_dense b, c; /* op_b (b) is the right side */
    spblasHandle_t handle;
    spblasSpMatDescr_t A;
    spblasDnMatDescr_t B, C;
    spblasDnVecDescr_t x, y;
    spblasSpSVDescr_t sv;
    spblasSpSMDescr_t sm;
} lab;

static void
ok(spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s", spblasGetLastErrorMessage(NULL));
}

/* ---- Matrices ----------------------------------------------------------------------- */

static sb_value
draw(gen_rng *r, sb_dtype t, bool exact, bool diagonal)
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
    const entry *x = a, *y = b;

    return x->i < y->i ? -1 : x->i > y->i;
}

static int
by_col(const void *a, const void *b)
{
    const entry *x = a, *y = b;

    return x->j < y->j ? -1 : x->j > y->j;
}

static void
shuffle(entry *e, int64_t n, gen_rng *r)
{
    for (int64_t k = n - 1; k > 0; k--) {
        const int64_t q = gen_below(r, k + 1);
        const entry swap = e[k];

        e[k] = e[q];
        e[q] = swap;
    }
}

/* Entries on both sides of a full diagonal, some stored twice. */
static void
make_entries(lab *l, gen_rng *r, double density, bool exact)
{
    l->e = malloc((size_t)(l->n * l->n + 3 * l->n + 1) * sizeof *l->e);
    for (int64_t i = 0; i < l->n; i++) {
        for (int64_t j = 0; j < l->n; j++)
            if (i == j || gen_unit(r) < density)
                l->e[l->nnz++] = (entry){i, j, draw(r, l->type, exact, i == j)};
        if (l->nnz < l->n * l->n && i > 0 && gen_below(r, 8) == 0)
            l->e[l->nnz++] = (entry){i, i - 1, draw(r, l->type, exact, false)};
    }
    if (l->nnz > l->n * l->n)
        l->nnz = l->n * l->n;
    shuffle(l->e, l->nnz, r);
}

static void
store_values(lab *l)
{
    for (int64_t p = 0; p < l->nnz; p++)
        sb_value_store(l->type, l->val, p, l->e[p].v);
}

static void
dress(lab *l, spblasFormat_t format)
{
    const size_t size = sb_dtype_size(l->index);
    const spblasIndexType_t it = call_index_type(l->index);
    const spblasIndexBase_t base = (spblasIndexBase_t)l->base;
    const spblasDataType_t t = call_type(l->type);
    int64_t at = 0;

    if (format == SPBLAS_FORMAT_CSR)
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
    store_values(l);
    if (format == SPBLAS_FORMAT_CSR)
        ok(spblasCreateCsr(&l->A, l->n, l->n, l->nnz, l->ptr, l->col, l->val, it, it,
                           base, t));
    else if (format == SPBLAS_FORMAT_CSC)
        ok(spblasCreateCsc(&l->A, l->n, l->n, l->nnz, l->ptr, l->row, l->val, it, it,
                           base, t));
    else
        ok(spblasCreateCoo(&l->A, l->n, l->n, l->nnz, l->row, l->col, l->val, it, base,
                           t));
}

/* ---- Dense operands ----------------------------------------------------------------- */

static int64_t
slot_of(const sb_dense *d, int64_t i, int64_t j)
{
    return d->col_major ? i + j * d->ld : i * d->ld + j;
}

static wide
get(const sb_dense *d, int64_t i, int64_t j)
{
    const sb_value v = sb_value_load(d->type, d->data, slot_of(d, i, j));

    return (long double)v.re + (long double)v.im * I;
}

static void
put(const sb_dense *d, int64_t i, int64_t j, wide v)
{
    sb_value_store(d->type, d->data, slot_of(d, i, j),
                   (sb_value){(double)creall(v), (double)cimagl(v)});
}

static wide
of(sb_value v)
{
    return (long double)v.re + (long double)v.im * I;
}

/* Element (i, j) of the right side. */
static wide
right(const lab *l, const sb_dense *b, int64_t i, int64_t j)
{
    const wide v =
        l->op_b == SPBLAS_OPERATION_NON_TRANSPOSE ? get(b, i, j) : get(b, j, i);

    return l->op_b == SPBLAS_OPERATION_CONJUGATE_TRANSPOSE ? conjl(v) : v;
}

static void
make_dense(lab *l, gen_rng *r)
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

    ok(spblasCreateDnMat(&m, d->rows, d->cols, d->ld, d->data, call_type(d->type),
                         d->col_major ? SPBLAS_ORDER_COL : SPBLAS_ORDER_ROW));
    return m;
}

/* ---- Calls -------------------------------------------------------------------------- */

static spblasStatus_t
analyse(lab *l)
{
    const spblasDataType_t t = call_type(l->type);

    if (l->vector)
        return spblasSpSV_analysis(l->handle, l->op, NULL, l->A, l->x, l->y, t,
                                   SPBLAS_SPSV_ALG_DEFAULT, l->sv, NULL);
    return spblasSpSM_analysis(l->handle, l->op, l->op_b, NULL, l->A, l->B, l->C, t,
                               SPBLAS_SPSM_ALG_DEFAULT, l->sm, NULL);
}

static spblasStatus_t
solve(lab *l)
{
    const spblasDataType_t t = call_type(l->type);

    if (l->vector)
        return spblasSpSV_solve(l->handle, l->op, l->alpha_bytes, l->A, l->x, l->y, t,
                                SPBLAS_SPSV_ALG_DEFAULT, l->sv);
    return spblasSpSM_solve(l->handle, l->op, l->op_b, l->alpha_bytes, l->A, l->B, l->C,
                            t, SPBLAS_SPSM_ALG_DEFAULT, l->sm);
}

static spblasStatus_t
update(lab *l, void *values, bool diagonal)
{
    return l->vector ? spblasSpSV_updateMatrix(l->handle, l->sv, values,
                                               (spblasSpSVUpdate_t)diagonal)
                     : spblasSpSM_updateMatrix(l->handle, l->sm, values,
                                               (spblasSpSMUpdate_t)diagonal);
}

static void
begin(lab *l)
{
    const spblasFillMode_t fill =
        l->upper ? SPBLAS_FILL_MODE_UPPER : SPBLAS_FILL_MODE_LOWER;
    const spblasDiagType_t diag =
        l->unit ? SPBLAS_DIAG_TYPE_UNIT : SPBLAS_DIAG_TYPE_NON_UNIT;
    size_t size = 1;

    ok(spblasCreate(&l->handle));
    ok(spblasSpMatSetAttribute(l->A, SPBLAS_SPMAT_FILL_MODE, &fill, sizeof fill));
    ok(spblasSpMatSetAttribute(l->A, SPBLAS_SPMAT_DIAG_TYPE, &diag, sizeof diag));
    sb_value_store(l->type, l->alpha_bytes, 0, l->alpha);
    if (l->vector) {
        ok(spblasCreateDnVec(&l->x, l->n, l->b.data, call_type(l->type)));
        ok(spblasCreateDnVec(&l->y, l->n, l->c.data, call_type(l->type)));
        ok(spblasSpSV_createDescr(&l->sv));
        ok(spblasSpSV_bufferSize(l->handle, l->op, l->alpha_bytes, l->A, NULL, NULL,
                                 call_type(l->type), SPBLAS_SPSV_ALG_DEFAULT, l->sv,
                                 &size));
    } else {
        l->B = describe(&l->b);
        l->C = describe(&l->c);
        ok(spblasSpSM_createDescr(&l->sm));
        ok(spblasSpSM_bufferSize(l->handle, l->op, l->op_b, l->alpha_bytes, l->A, NULL,
                                 NULL, call_type(l->type), SPBLAS_SPSM_ALG_DEFAULT,
                                 l->sm, &size));
    }
    assert_int_equal(size, 0);
}

static void
end(lab *l)
{
    ok(spblasDestroyDnVec(l->x));
    ok(spblasDestroyDnVec(l->y));
    ok(spblasDestroyDnMat(l->B));
    ok(spblasDestroyDnMat(l->C));
    ok(spblasSpSV_destroyDescr(l->sv));
    ok(spblasSpSM_destroyDescr(l->sm));
    ok(spblasDestroySpMat(l->A));
    ok(spblasDestroy(l->handle));
    if (!l->in_place)
        gen_free_dense(&l->c);
    gen_free_dense(&l->b);
    free(l->e);
    free(l->ptr);
    free(l->row);
    free(l->col);
    free(l->val);
}

/* ---- What is right ------------------------------------------------------------------ */

/* op(A)'s row and column of an entry, or false: not of the triangle. */
static bool
entry_of(const lab *l, const entry *e, int64_t *i, int64_t *j, wide *v)
{
    const bool turned = l->op != SPBLAS_OPERATION_NON_TRANSPOSE;

    if (l->upper ? e->j < e->i : e->j > e->i)
        return false;
    if (l->unit && e->i == e->j)
        return false;
    *i = turned ? e->j : e->i;
    *j = turned ? e->i : e->j;
    *v = of(e->v);
    if (l->op == SPBLAS_OPERATION_CONJUGATE_TRANSPOSE)
        *v = conjl(*v);
    return true;
}

/* op(A) * c, and the same of magnitudes; n x cols by rows. */
static void
multiply(const lab *l, const sb_dense *c, wide *sum, long double *mag)
{
    for (int64_t q = 0; q < l->n * l->cols; q++) {
        const wide y = get(c, q / l->cols, q % l->cols);

        sum[q] = l->unit ? y : 0;
        mag[q] = l->unit ? cabsl(y) : 0;
    }
    for (int64_t p = 0; p < l->nnz; p++) {
        int64_t i, j;
        wide v;

        if (entry_of(l, &l->e[p], &i, &j, &v))
            for (int64_t k = 0; k < l->cols; k++) {
                sum[i * l->cols + k] += v * get(c, j, k);
                mag[i * l->cols + k] += cabsl(v) * cabsl(get(c, j, k));
            }
    }
}

static long double
epsilon(sb_dtype t)
{
    return t == SB_F32 || t == SB_C32 ? FLT_EPSILON : DBL_EPSILON;
}

/* The right side from a drawn solution, the solve, and the solution again. */
static void
check_exact(lab *l, gen_rng *r)
{
    wide *sum = malloc((size_t)(l->n * l->cols + 1) * sizeof *sum);
    long double *mag = malloc((size_t)(l->n * l->cols + 1) * sizeof *mag);
    sb_dense want =
        gen_dense(&(gen_dense_spec){.rows = l->n, .cols = l->cols, .type = l->type});

    for (int64_t q = 0; q < l->n * l->cols; q++)
        put(&want, q / l->cols, q % l->cols, (long double)gen_between(r, -3, 3));
    multiply(l, &want, sum, mag);
    for (int64_t q = 0; q < l->n * l->cols; q++) {
        const int64_t i = q / l->cols, k = q % l->cols;
        wide v = sum[q] / of(l->alpha);

        if (l->op_b == SPBLAS_OPERATION_CONJUGATE_TRANSPOSE)
            v = conjl(v);
        if (l->op_b == SPBLAS_OPERATION_NON_TRANSPOSE)
            put(&l->b, i, k, v);
        else
            put(&l->b, k, i, v);
    }
    ok(solve(l));
    for (int64_t q = 0; q < l->n * l->cols; q++)
        if (get(&l->c, q / l->cols, q % l->cols) !=
            get(&want, q / l->cols, q % l->cols))
            fail_msg("row %d, column %d of %d x %d: %Lg, want %Lg", (int)(q / l->cols),
                     (int)(q % l->cols), (int)l->n, (int)l->cols,
                     creall(get(&l->c, q / l->cols, q % l->cols)),
                     creall(get(&want, q / l->cols, q % l->cols)));
    gen_free_dense(&want);
    free(sum);
    free(mag);
}

static void
check_residual(lab *l)
{
    wide *sum = malloc((size_t)(l->n * l->cols + 1) * sizeof *sum);
    long double *mag = malloc((size_t)(l->n * l->cols + 1) * sizeof *mag);
    sb_dense b = gen_copy_dense(&l->b);

    ok(solve(l));
    multiply(l, &l->c, sum, mag);
    for (int64_t q = 0; q < l->n * l->cols; q++) {
        const wide want = of(l->alpha) * right(l, &b, q / l->cols, q % l->cols);
        const long double bound = ORACLE_C * epsilon(l->type) *
                                  (long double)(l->nnz + 2) * (mag[q] + cabsl(want));

        assert_true(cabsl(sum[q] - want) <= bound);
    }
    gen_free_dense(&b);
    free(sum);
    free(mag);
}

/* ---- Cases -------------------------------------------------------------------------- */

static lab
lab_make(uint64_t k, bool exact, gen_rng *r)
{
    static const sb_dtype types[] = {SB_F32, SB_F64, SB_C32, SB_C64};
    static const spblasFormat_t formats[] = {SPBLAS_FORMAT_CSR, SPBLAS_FORMAT_COO,
                                             SPBLAS_FORMAT_CSC};
    static const sb_value scalars[] = {{1, 0}, {-1, 0}, {0.5, 0}, {0, 1}};
    lab l = {.n = k % 11 == 0 ? k % 2 : (uint64_t)gen_between(r, 1, 24),
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
    dress(&l, formats[gen_below(r, 3)]);
    make_dense(&l, r);
    begin(&l);
    return l;
}

static void
integers_come_back(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 600; k++) {
        gen_rng r = {k};
        lab l = lab_make(k, true, &r);

        ok(analyse(&l));
        check_exact(&l, &r);
        for (int64_t p = 0; p < l.nnz; p++)
            l.e[p].v = draw(&r, l.type, true, l.e[p].i == l.e[p].j);
        store_values(&l);
        ok(update(&l, l.val, false));
        check_exact(&l, &r);
        end(&l);
    }
}

static void
residuals_are_small(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 400; k++) {
        gen_rng r = {k + 5000};
        lab l = lab_make(k, false, &r);

        ok(analyse(&l));
        check_residual(&l);
        end(&l);
    }
}

/* The diagonal alone, and values that change in the caller's array without a word. */
static void
diagonals_are_replaced(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 200; k++) {
        gen_rng r = {k + 9000};
        lab l = lab_make(k, true, &r);
        void *diagonal = malloc((size_t)(l.n + 1) * sizeof(double[2]));

        ok(analyse(&l));
        memset(l.val, 0xff, (size_t)l.nnz * sb_dtype_size(l.type));
        check_exact(&l, &r);
        for (int64_t p = 0; p < l.nnz; p++)
            if (l.e[p].i == l.e[p].j) {
                l.e[p].v = draw(&r, l.type, true, true);
                sb_value_store(l.type, diagonal, l.e[p].i, l.e[p].v);
            }
        ok(update(&l, diagonal, true));
        memset(diagonal, 0xff, (size_t)l.n * sb_dtype_size(l.type));
        check_exact(&l, &r);
        free(diagonal);
        end(&l);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_come_back),
        cmocka_unit_test(residuals_are_small),
        cmocka_unit_test(diagonals_are_replaced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
