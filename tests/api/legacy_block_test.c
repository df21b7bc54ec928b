/*
 * Products and triangular solves with BSR, and gemvi, on small integers against dense
 * loops: all types, directions, operations, bases and block sizes; masks; pivots; the
 * order of calls; short memory.
 */
#include "legacylab.h"
#include "objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A BSR of small integers and its elements, dense by rows. */
typedef struct bsr {
    spblasDataType_t type;
    sb_dtype t;
    int mb, nb, nnzb, b, base, dir;
    spblasMatDescr_t d;
    int *ptr, *idx;
    void *val;
    sb_value *e;
} bsr;

static sb_value
draw(gen_rng *r, sb_dtype t)
{
    sb_value v = gen_scalar(r, t);

    v.re = v.re > 2 ? 2 : v.re < -2 ? -2 : v.re;
    v.im = v.im > 2 ? 2 : v.im < -2 ? -2 : v.im;
    return v;
}

static sb_value *
element(const bsr *a, int i, int j)
{
    return &a->e[(size_t)i * (size_t)(a->nb * a->b) + (size_t)j];
}

/* diagonal: that block is always there, with 1 or -1 on its own diagonal. */
static bsr
make(uint64_t k, int mb, int nb, bool diagonal, int types)
{
    gen_rng r = {k + 1};
    bsr a = {.type = lab_types[k % (uint64_t)types],
             .t = lab_dtypes[k % (uint64_t)types],
             .mb = mb,
             .nb = nb,
             .b = (int)(k / 2 % 4) + 1,
             .base = (int)(k / 3 % 2),
             .dir = (int)(k / 5 % 2)};
    const int n = a.nb * a.b, bb = a.b * a.b;

    a.d = lab_descr(a.base);
    a.ptr = malloc(4 * (size_t)mb + 4);
    a.idx = malloc(4 * (size_t)(mb * nb) + 4);
    a.val = malloc(16 * (size_t)(mb * nb * bb) + 16);
    a.e = calloc((size_t)(mb * a.b * n) + 1, sizeof *a.e);
    for (int i = 0; i < mb; i++) {
        a.ptr[i] = a.nnzb + a.base;
        for (int j = 0; j < nb; j++) {
            if (!(diagonal && i == j) && gen_below(&r, 3) != 0)
                continue;
            for (int q = 0; q < bb; q++) {
                const int u = a.dir ? q % a.b : q / a.b, v = a.dir ? q / a.b : q % a.b;
                sb_value x = draw(&r, a.t);

                if (diagonal && i == j && u == v)
                    x = (sb_value){gen_below(&r, 2) ? 1 : -1, 0};
                sb_value_store(a.t, a.val, (int64_t)a.nnzb * bb + q, x);
                *element(&a, i * a.b + u, j * a.b + v) = x;
            }
            a.idx[a.nnzb++] = j + a.base;
        }
    }
    a.ptr[mb] = a.nnzb + a.base;
    return a;
}

static void
drop(bsr *a)
{
    free(a->ptr), free(a->idx), free(a->val), free(a->e);
}

/* Element (i, j) of op(A). */
static sb_value
op_element(const bsr *a, int op, int i, int j)
{
    sb_value v = op ? *element(a, j, i) : *element(a, i, j);

    if (op == 2)
        v.im = -v.im;
    return v;
}

static sb_value
get(const bsr *a, const void *p, int64_t at)
{
    return sb_value_load(a->t, p, at);
}

static void *
vector(gen_rng *r, sb_dtype t, int64_t n)
{
    void *p = malloc(16 * (size_t)n + 16);

    for (int64_t i = 0; i < n; i++)
        sb_value_store(t, p, i, draw(r, t));
    return p;
}

/* ---- Products ----------------------------------------------------------------------- */

static void
product(uint64_t k)
{
    bsr a = make(k, (int)(k % 5) + 1, (int)(k % 4) + 1, false, LAB_TYPES);
    gen_rng r = {k + 99};
    const int op = (int)(k % 3), op_b = (int)(k / 3 % 3), n = (int)(k % 3) + 1;
    const int m = (op ? a.nb : a.mb) * a.b, in = (op ? a.mb : a.nb) * a.b;
    const int ldb = (op_b ? n : in) + (int)(k % 2), ldc = m + (int)(k % 2);
    void *B = vector(&r, a.t, (int64_t)ldb * (op_b ? in : n));
    void *C = vector(&r, a.t, (int64_t)ldc * n);
    void *old = gen_copy_bytes(C, (size_t)(ldc * n) * sb_dtype_size(a.t));
    const sb_value alpha = draw(&r, a.t), beta = {(double)(k % 2), 0};
    const bool mv = k % 4 == 0;
    const int cols = mv ? 1 : n;
    double x[2], y[2];

    (void)lab_scalar(a.t, x, alpha);
    (void)lab_scalar(a.t, y, beta);
    if (mv)
        lab_ok(spblasXbsrmv(lab_handle, a.type, (spblasDirection_t)a.dir,
                            (spblasOperation_t)op, a.mb, a.nb, a.nnzb, x, &a.d, a.val,
                            a.ptr, a.idx, a.b, B, y, C));
    else
        lab_ok(spblasXbsrmm(lab_handle, a.type, (spblasDirection_t)a.dir,
                            (spblasOperation_t)op, (spblasOperation_t)op_b, a.mb, n,
                            a.nb, a.nnzb, x, &a.d, a.val, a.ptr, a.idx, a.b, B, ldb, y,
                            C, ldc));
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < m; i++) {
            sb_value sum = {0, 0};

            for (int q = 0; q < in; q++) {
                sb_value v = get(&a, B, op_b && !mv ? j + q * ldb : q + j * ldb);

                if (op_b == 2 && !mv)
                    v.im = -v.im;
                sum = lab_combine((sb_value){1, 0}, sum, op_element(&a, op, i, q), v);
            }
            sum = lab_combine(alpha, sum, beta, get(&a, old, i + j * ldc));
            assert_true(lab_equal(get(&a, C, i + j * ldc), sum));
        }
    free(B), free(C), free(old);
    drop(&a);
}

static void
products(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 240; k++)
        product(k);
}

static void
masked(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 60; k++) {
        bsr a = make(k, 5, 3, false, LAB_TYPES);
        gen_rng r = {k + 7};
        int mask[3], n = 0;
        const int m = a.mb * a.b;
        void *v = vector(&r, a.t, a.nb * a.b), *w = vector(&r, a.t, m);
        void *old = gen_copy_bytes(w, (size_t)m * sb_dtype_size(a.t));
        const sb_value alpha = draw(&r, a.t), beta = {(double)(k % 2), 0};
        double x[2], y[2];

        for (int i = (int)(k % 2); i < 5; i += 2)
            mask[n++] = i + a.base;
        (void)lab_scalar(a.t, x, alpha);
        (void)lab_scalar(a.t, y, beta);
        lab_ok(spblasXbsrxmv(lab_handle, a.type, (spblasDirection_t)a.dir, N, n, a.mb,
                             a.nb, a.nnzb, x, &a.d, a.val, mask, a.ptr, a.ptr + 1,
                             a.idx, a.b, v, y, w));
        for (int i = 0; i < m; i++) {
            const sb_value before = get(&a, old, i);
            sb_value sum = {0, 0};

            for (int q = 0; q < a.nb * a.b; q++)
                sum = lab_combine((sb_value){1, 0}, sum, *element(&a, i, q),
                                  get(&a, v, q));
            sum = i / a.b % 2 == (int)(k % 2) ? lab_combine(alpha, sum, beta, before)
                                              : before;
            assert_true(lab_equal(get(&a, w, i), sum));
        }
        free(v), free(w), free(old);
        drop(&a);
    }
}

static void
sparse_vectors(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 90; k++) {
        const sb_dtype t = lab_dtypes[k % LAB_TYPES];
        gen_rng r = {k + 3};
        const int m = 40 + (int)(k % 3), n = 33, lda = m + 1, op = (int)(k / 6 % 3);
        const int out = op ? n : m, nnz = (int)(k % 9), base = (int)(k % 2);
        void *A = vector(&r, t, (int64_t)lda * n), *v = vector(&r, t, nnz);
        void *w = vector(&r, t, out);
        void *old = gen_copy_bytes(w, (size_t)out * sb_dtype_size(t));
        const sb_value alpha = draw(&r, t), beta = {(double)(k / 2 % 2), 0};
        int at[9], bytes = 1;
        double x[2], y[2];

        for (int p = 0; p < nnz; p++)
            at[p] = p * 3 + base;
        (void)lab_scalar(t, x, alpha);
        (void)lab_scalar(t, y, beta);
        lab_ok(spblasXgemvi_bufferSize(lab_handle, lab_types[k % LAB_TYPES],
                                       (spblasOperation_t)op, m, n, nnz, &bytes));
        assert_int_equal(bytes, 0);
        lab_ok(spblasXgemvi(lab_handle, lab_types[k % LAB_TYPES], (spblasOperation_t)op,
                            m, n, x, A, lda, nnz, v, at, y, w, base ? ONE : Z, NULL));
        for (int i = 0; i < out; i++) {
            sb_value sum = {0, 0};

            for (int p = 0; p < nnz; p++) {
                sb_value e =
                    sb_value_load(t, A, op ? 3 * p + i * lda : i + 3 * p * lda);

                if (op == 2)
                    e.im = -e.im;
                sum = lab_combine((sb_value){1, 0}, sum, e, sb_value_load(t, v, p));
            }
            sum = lab_combine(alpha, sum, beta, sb_value_load(t, old, i));
            assert_true(lab_equal(sb_value_load(t, w, i), sum));
        }
        free(A), free(v), free(w), free(old);
    }
}

/* ---- Triangular solves -------------------------------------------------------------- */

typedef struct tri {
    bsr a;
    int op, op_xy, n, ldb;
    spblasLegacyInfo_t info;
    void *B, *X;
} tri;

#define USE SPBLAS_SOLVE_POLICY_USE_LEVEL
#define NO SPBLAS_SOLVE_POLICY_NO_LEVEL

static spblasStatus_t
analyse(void *user)
{
    tri *s = user;
    const bsr *a = &s->a;

    if (s->n == 0)
        return spblasXbsrsv2_analysis(lab_handle, a->type, (spblasDirection_t)a->dir,
                                      (spblasOperation_t)s->op, a->mb, a->nnzb, &a->d,
                                      a->val, a->ptr, a->idx, a->b, s->info, USE, NULL);
    return spblasXbsrsm2_analysis(lab_handle, a->type, (spblasDirection_t)a->dir,
                                  (spblasOperation_t)s->op, (spblasOperation_t)s->op_xy,
                                  a->mb, s->n, a->nnzb, &a->d, a->val, a->ptr, a->idx,
                                  a->b, s->info, USE, NULL);
}

static spblasStatus_t
solve(tri *s, const void *alpha)
{
    const bsr *a = &s->a;

    if (s->n == 0)
        return spblasXbsrsv2_solve(lab_handle, a->type, (spblasDirection_t)a->dir,
                                   (spblasOperation_t)s->op, a->mb, a->nnzb, alpha,
                                   &a->d, a->val, a->ptr, a->idx, a->b, s->info, s->B,
                                   s->X, USE, NULL);
    return spblasXbsrsm2_solve(
        lab_handle, a->type, (spblasDirection_t)a->dir, (spblasOperation_t)s->op,
        (spblasOperation_t)s->op_xy, a->mb, s->n, a->nnzb, alpha, &a->d, a->val, a->ptr,
        a->idx, a->b, s->info, s->B, s->ldb, s->X, s->ldb, USE, NULL);
}

/* Element (i, j) of the triangle op(A). */
static sb_value
half(const tri *s, int i, int j)
{
    const int u = s->op ? j : i, v = s->op ? i : j;

    if (u == v && s->a.d.diag == SPBLAS_DIAG_TYPE_UNIT)
        return (sb_value){1, 0};
    if (s->a.d.fill == SPBLAS_FILL_MODE_LOWER ? v > u : v < u)
        return (sb_value){0, 0};
    return op_element(&s->a, s->op, i, j);
}

/* op(A) times what was found is alpha times the right side: both are exact, for the
 * numbers stay small where pivots are 1 and -1 and rows few. */
static void
is_solved(const tri *s, sb_value alpha)
{
    const int m = s->a.mb * s->a.b, cols = s->n ? s->n : 1;

    for (int c = 0; c < cols; c++)
        for (int i = 0; i < m; i++) {
            const int at = s->op_xy ? c + i * s->ldb : i + c * s->ldb;
            const sb_value want = lab_mul(alpha, get(&s->a, s->B, at));
            sb_value sum = {0, 0};

            for (int j = 0; j < m; j++)
                sum = lab_combine(
                    (sb_value){1, 0}, sum, half(s, i, j),
                    get(&s->a, s->X, s->op_xy ? c + j * s->ldb : j + c * s->ldb));
            assert_true(lab_equal(sum, want));
        }
}

static tri
make_tri(uint64_t k)
{
    tri s = {.a = make(k, (int)(k % 3) + 1, (int)(k % 3) + 1, true, 4),
             .op = (int)(k / 4 % 3),
             .n = (int)(k / 2 % 3),
             .op_xy = (int)(k / 7 % 2)};
    gen_rng r = {k + 11};
    const int m = s.a.mb * s.a.b;

    s.a.d.fill = k / 3 % 2 ? SPBLAS_FILL_MODE_UPPER : SPBLAS_FILL_MODE_LOWER;
    s.a.d.diag = k / 5 % 2 ? SPBLAS_DIAG_TYPE_UNIT : SPBLAS_DIAG_TYPE_NON_UNIT;
    s.op_xy = s.n ? s.op_xy : 0;
    s.ldb = s.op_xy ? s.n + 1 : m + 1;
    s.B = vector(&r, s.a.t, (int64_t)(m + 1) * (s.n + 2));
    s.X = vector(&r, s.a.t, (int64_t)(m + 1) * (s.n + 2));
    lab_ok(spblasCreateLegacyInfo(&s.info));
    return s;
}

static void
end_tri(tri *s)
{
    lab_ok(spblasDestroyLegacyInfo(s->info));
    free(s->B), free(s->X);
    drop(&s->a);
}

static void
solves(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 240; k++) {
        tri s = make_tri(k);
        const sb_value alpha = {k % 2 ? 2 : -1, 0};
        double x[2];
        int position = 5, bytes = 1;

        (void)lab_scalar(s.a.t, x, alpha);
        lab_ok(spblasXbsrsv2_bufferSize(
            lab_handle, s.a.type, (spblasDirection_t)s.a.dir, N, s.a.mb, s.a.nnzb,
            &s.a.d, s.a.val, s.a.ptr, s.a.idx, s.a.b, s.info, &bytes));
        assert_int_equal(bytes, 0);
        lab_ok(analyse(&s));
        lab_ok(solve(&s, x));
        lab_ok(spblasXbsrsv2_zeroPivot(lab_handle, s.info, &position));
        assert_int_equal(position, -1);
        is_solved(&s, alpha);
        end_tri(&s);
    }
}

/* Values of the call, not of the analysis; a 0 on the diagonal; a missing block. */
static void
pivots(void **state)
{
    int ptr2[] = {1, 2, 3}, idx2[] = {1, 2}, away[] = {1, 1}, position = 9;
    double v[] = {1, 5, 0, 2, 1, 0, 0, 0}, f[] = {3, 4, 5, 6}, x[4];
    const double one64 = 1;
    spblasMatDescr_t d = lab_descr(1);
    spblasLegacyInfo_t info;

#define ANALYSIS(cols)                                                            \
    spblasXbsrsv2_analysis(lab_handle, F64, SPBLAS_DIRECTION_ROW, N, 2, 2, &d, v, \
                           ptr2, cols, 2, info, NO, NULL)
#define SOLVE(cols, policy)                                                            \
    spblasXbsrsv2_solve(lab_handle, F64, SPBLAS_DIRECTION_ROW, N, 2, 2, &one64, &d, v, \
                        ptr2, cols, 2, info, f, x, policy, NULL)
    (void)state;
    lab_ok(spblasCreateLegacyInfo(&info));
    lab_ok(ANALYSIS(idx2));
    lab_ok(spblasXbsrsm2_zeroPivot(lab_handle, info, &position));
    assert_int_equal(position, -1);
    lab_ok(SOLVE(idx2, NO));
    assert_int_equal(spblasXbsrsv2_zeroPivot(lab_handle, info, &position),
                     SPBLAS_STATUS_ZERO_PIVOT);
    assert_int_equal(position, 2);
    v[7] = 4;
    lab_ok(SOLVE(idx2, NO));
    lab_ok(spblasXbsrsv2_zeroPivot(lab_handle, info, &position));
    assert_true(x[0] == 3 && x[1] == 2 && x[2] == 5 && x[3] == 1.5);
    assert_int_equal(SOLVE(idx2, USE), SPBLAS_STATUS_INVALID_VALUE);
    lab_ok(ANALYSIS(away));
    assert_int_equal(spblasXbsrsv2_zeroPivot(lab_handle, info, &position),
                     SPBLAS_STATUS_ZERO_PIVOT);
    assert_int_equal(position, 2);
    d.diag = SPBLAS_DIAG_TYPE_UNIT;
    assert_int_equal(SOLVE(away, NO), SPBLAS_STATUS_INVALID_VALUE);
    lab_ok(ANALYSIS(away));
    lab_ok(spblasXbsrsv2_zeroPivot(lab_handle, info, &position));
    lab_ok(spblasDestroyLegacyInfo(info));
}

static void
forget(void *user)
{
    tri *s = user;

    lab_ok(spblasDestroyLegacyInfo(s->info));
    lab_ok(spblasCreateLegacyInfo(&s->info));
}

static void
short_memory(void **state)
{
    tri s = make_tri(23);

    (void)state;
    lab_sweep(analyse, forget, &s);
    end_tri(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),       cmocka_unit_test(masked),
        cmocka_unit_test(sparse_vectors), cmocka_unit_test(solves),
        cmocka_unit_test(pivots),         cmocka_unit_test(short_memory),
    };

    return cmocka_run_group_tests_name("api.legacy_block", tests, lab_begin, lab_end);
}
