/*
 * Operations on sparse vectors against their definition, slot by slot in extended
 * precision: every combination of types, index widths and bases, orders of X with and
 * without repetitions, in both pointer modes, and on teams of several sizes, which must
 * agree to the bit.
 * ctest-labels: quick tsan
 */
#include "base/alloc.h"
#include "call.h"
#include "gen.h"
#include "team.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef enum operation { AXPBY, GATHER, SCATTER, ROT, SPVV, OPERATIONS } operation;
typedef enum layout { ASCENDING, REPEATED, ANY_ORDER, LAYOUTS } layout;

typedef struct types {
    sb_dtype type, compute;
} types;

/* The last two are of SpVV; all may be copied. */
static const types all_types[] = {
    {SB_F32, SB_F32}, {SB_F64, SB_F64},  {SB_C32, SB_C32}, {SB_C64, SB_C64},
    {SB_F16, SB_F32}, {SB_BF16, SB_F32}, {SB_C16, SB_C32}, {SB_CBF16, SB_C32},
    {SB_I8, SB_I32},  {SB_I8, SB_F32},
};
enum { TYPES = 10, FIRST_OF_SPVV = 8 };

typedef struct world {
    operation op;
    layout order;
    types t;
    bool i64, exact, conj;
    int base;
    int64_t size, nnz;
    void *idx, *x, *y;    /* operands */
    sb_value a, b;        /* alpha, beta; c, s */
    long double *xr, *xi; /* what must become of X, */
    long double *yr, *yi; /* of Y, */
    long double rr, ri;   /* and the result, */
    double *xe, *ye, re;  /* with these distances */
    double result[2];
} world;

static void *
room(int64_t count, size_t size)
{
    void *p = calloc((size_t)count + 1, size);

    assert_non_null(p);
    return p;
}

static int64_t
index_at(const world *w, int64_t p)
{
    return sb_index(w->idx, w->i64 ? SB_I64 : SB_I32, p) - w->base;
}

static void
fill_indices(world *w, gen_rng *r)
{
    int64_t at = 0;

    w->idx = room(w->nnz, 8);
    for (int64_t p = 0; p < w->nnz; p++) {
        const int64_t left = w->size - w->nnz - (at - p);
        int64_t i = at;

        if (w->order == ASCENDING)
            i = at += gen_below(r, left < 3 ? left + 1 : 3);
        else if (w->order == REPEATED)
            i = p * w->size / w->nnz / 3 * 3;
        else
            i = gen_below(r, w->size);
        at = i + 1;
        if (w->i64)
            ((int64_t *)w->idx)[p] = i + w->base;
        else
            ((int32_t *)w->idx)[p] = (int32_t)(i + w->base);
    }
}

static void *
fill_values(const world *w, gen_rng *r, int64_t count)
{
    void *v = room(count, 16);

    for (int64_t p = 0; p < count; p++) {
        const sb_value e = {(double)gen_between(r, -3, 3),
                            (double)gen_between(r, -3, 3)};
        const sb_value f = {gen_unit(r) - 0.5, gen_unit(r) - 0.5};

        sb_value_store(w->t.type, v, p, w->exact ? e : f);
    }
    return v;
}

static void
make(world *w, uint64_t seed)
{
    gen_rng r = {seed};

    fill_indices(w, &r);
    w->x = fill_values(w, &r, w->nnz);
    w->y = fill_values(w, &r, w->size);
    w->a = gen_scalar(&r, w->t.compute);
    w->b = seed % 5 == 0   ? (sb_value){0, 0}
           : seed % 5 == 1 ? (sb_value){1, 0}
                           : gen_scalar(&r, w->t.compute);
}

static void
forget(world *w)
{
    void *all[] = {w->idx, w->x, w->y, w->xr, w->xi, w->yr, w->yi, w->xe, w->ye};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
}

/* ---- The definition ----------------------------------------------------------------- */

typedef struct number {
    long double re, im;
} number;

static number
times(sb_value a, number b)
{
    return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static double
size_of(long double re, long double im)
{
    return (double)((re < 0 ? -re : re) + (im < 0 ? -im : im));
}

static void
load(const world *w, const void *from, int64_t count, long double **re,
     long double **im, double **err)
{
    *re = room(count, sizeof **re);
    *im = room(count, sizeof **im);
    *err = room(count, sizeof **err);
    for (int64_t p = 0; p < count; p++) {
        const sb_value v = sb_value_load(w->t.type, from, p);

        (*re)[p] = v.re;
        (*im)[p] = v.im;
    }
}

static void
define_slot(world *w, int64_t p)
{
    const int64_t i = index_at(w, p);
    const number x = {w->xr[p], w->xi[p]}, y = {w->yr[i], w->yi[i]};
    const number ax = times(w->a, x), ay = times(w->a, y);
    const number bx = times(w->b, x), by = times(w->b, y);

    switch (w->op) {
    case AXPBY:
        w->yr[i] += ax.re;
        w->yi[i] += ax.im;
        w->ye[i] += size_of(y.re, y.im) + size_of(ax.re, ax.im);
        break;
    case GATHER:
        w->xr[p] = y.re;
        w->xi[p] = y.im;
        break;
    case SCATTER:
        w->yr[i] = x.re;
        w->yi[i] = x.im;
        break;
    case ROT:
        w->yr[i] = ay.re - bx.re;
        w->yi[i] = ay.im - bx.im;
        w->xr[p] = ax.re + by.re;
        w->xi[p] = ax.im + by.im;
        w->ye[i] += 2 * (size_of(ay.re, ay.im) + size_of(bx.re, bx.im) + w->ye[i]);
        w->xe[p] += 2 * (size_of(ax.re, ax.im) + size_of(by.re, by.im) + w->ye[i]);
        break;
    case SPVV: {
        const sb_value v = {(double)x.re, w->conj ? -(double)x.im : (double)x.im};
        const number product = times(v, y);

        w->rr += product.re;
        w->ri += product.im;
        w->re += size_of(x.re, x.im) * size_of(y.re, y.im) * (double)(w->nnz + 2);
        break;
    }
    case OPERATIONS:
        break;
    }
}

static void
define(world *w)
{
    load(w, w->x, w->nnz, &w->xr, &w->xi, &w->xe);
    load(w, w->y, w->size, &w->yr, &w->yi, &w->ye);
    for (int64_t i = 0; w->op == AXPBY && i < w->size; i++) {
        const number y = times(w->b, (number){w->yr[i], w->yi[i]});

        w->yr[i] = y.re;
        w->yi[i] = y.im;
        w->ye[i] = size_of(y.re, y.im);
    }
    for (int64_t p = 0; p < w->nnz; p++)
        define_slot(w, p);
}

/* ---- Calls -------------------------------------------------------------------------- */

static spblasStatus_t
run(const world *w, void *x, void *y, double *result)
{
    spblasHandle_t h;
    spblasSpVecDescr_t vx = NULL;
    spblasDnVecDescr_t vy = NULL;
    double a[2], b[2];
    size_t bytes = 1;
    spblasStatus_t st;

    assert_int_equal(spblasCreate(&h), 0);
    assert_int_equal(spblasSetPointerMode(h, (spblasPointerMode_t)w->i64), 0);
    assert_int_equal(spblasCreateSpVec(&vx, w->size, w->nnz, w->idx, x,
                                       w->i64 ? SPBLAS_INDEX_64I : SPBLAS_INDEX_32I,
                                       (spblasIndexBase_t)w->base,
                                       call_type(w->t.type)),
                     0);
    assert_int_equal(spblasCreateDnVec(&vy, w->size, y, call_type(w->t.type)), 0);
    sb_value_store(w->t.compute, a, 0, w->a);
    sb_value_store(w->t.compute, b, 0, w->b);
    (void)sb_alloc_fail_after(0);
    switch (w->op) {
    case AXPBY:
        st = spblasAxpby(h, a, vx, b, vy);
        break;
    case GATHER:
        st = spblasGather(h, vy, vx);
        break;
    case SCATTER:
        st = spblasScatter(h, vx, vy);
        break;
    case ROT:
        st = spblasRot(h, a, b, vx, vy);
        break;
    case SPVV:
    case OPERATIONS:
    default: {
        const spblasOperation_t op = w->conj ? SPBLAS_OPERATION_CONJUGATE_TRANSPOSE
                                             : SPBLAS_OPERATION_NON_TRANSPOSE;
        const spblasDataType_t ct = call_type(w->t.compute);

        st = spblasSpVV_bufferSize(h, op, vx, vy, result, ct, &bytes);
        if (st == SPBLAS_STATUS_SUCCESS) {
            call_wants_no_buffer(bytes);
            st = spblasSpVV(h, op, vx, vy, result, ct, NULL);
        }
    }
    }
    assert_int_equal(sb_alloc_fail_after(-1), 0); /* nothing was asked for */
    (void)spblasDestroySpVec(vx);
    (void)spblasDestroyDnVec(vy);
    (void)spblasDestroy(h);
    return st;
}

static double
epsilon(sb_dtype t)
{
    return t == SB_F64 || t == SB_C64      ? 0x1p-52
           : t == SB_F16 || t == SB_C16    ? 0x1p-10
           : t == SB_BF16 || t == SB_CBF16 ? 0x1p-7
                                           : 0x1p-23;
}

static void
compare(const world *w, const char *what, sb_dtype t, const void *got, int64_t p,
        number want, double scale)
{
    const sb_value v = sb_value_load(t, got, p);
    const double off = size_of(v.re - want.re, v.im - want.im);

    if (!(off <= (w->exact ? 0.0 : 2 * epsilon(t) * scale)))
        fail_msg("operation %d, layout %d, type %s, index %d, base %d, size %lld: %s "
                 "%lld is (%g, %g), want (%Lg, %Lg)",
                 w->op, w->order, sb_dtype_name(w->t.type), w->i64, w->base,
                 (long long)w->size, what, (long long)p, v.re, v.im, want.re, want.im);
}

/* Runs on teams of several sizes; all must give the bits of the first. */
static void
check(world *w)
{
    static const int teams[] = {1, 2, 3, 7};
    const size_t size = sb_dtype_size(w->t.type);
    const size_t bx = (size_t)w->nnz * size, by = (size_t)w->size * size;
    void *x = room(w->nnz, 16), *y = room(w->size, 16);
    void *x0 = room(w->nnz, 16), *y0 = room(w->size, 16);
    double r0[2] = {0, 0};

    for (int k = 0; k < 4; k++) {
        double result[2] = {9, 9};

        memcpy(x, w->x, bx);
        memcpy(y, w->y, by);
        omp_set_num_threads(teams[k]);
        assert_int_equal(run(w, x, y, result), SPBLAS_STATUS_SUCCESS);
        if (k == 0) {
            memcpy(x0, x, bx);
            memcpy(y0, y, by);
            memcpy(r0, result, sizeof r0);
        }
        assert_memory_equal(x, x0, bx);
        assert_memory_equal(y, y0, by);
        assert_memory_equal(result, r0, sizeof r0);
    }
    for (int64_t p = 0; p < w->nnz; p++)
        compare(w, "X", w->t.type, x0, p, (number){w->xr[p], w->xi[p]}, w->xe[p]);
    for (int64_t p = 0; p < w->size; p++)
        compare(w, "Y", w->t.type, y0, p, (number){w->yr[p], w->yi[p]}, w->ye[p]);
    if (w->op == SPVV)
        compare(w, "result", w->t.compute, r0, 0, (number){w->rr, w->ri}, w->re);
    free(x);
    free(y);
    free(x0);
    free(y0);
}

static void
one_case(operation op, layout order, types t, int64_t size, int64_t nnz, uint64_t seed,
         bool exact)
{
    world w = {.op = op,
               .order = order,
               .t = t,
               .i64 = seed % 2 == 1,
               .exact = exact,
               .conj = seed % 3 == 0,
               .base = seed / 2 % 2 == 1,
               .size = size,
               .nnz = nnz};

    make(&w, seed);
    define(&w);
    check(&w);
    forget(&w);
}

/* ---- Cases -------------------------------------------------------------------------- */

static bool
has(operation op, int type)
{
    return type < FIRST_OF_SPVV || op == SPVV || op == GATHER || op == SCATTER;
}

static void
integers_are_exact(void **state)
{
    static const int64_t sizes[][2] = {{1, 1}, {5, 0}, {40, 7}, {700, 400}, {900, 900}};
    uint64_t seed = 0;

    (void)state;
    for (int op = 0; op < OPERATIONS; op++)
        for (int t = 0; t < TYPES; t++)
            for (int s = 0; s < 5 * 4 && has((operation)op, t); s++)
                for (int l = 0; l < LAYOUTS; l++) {
                    /* Sums of many 16-bit numbers are not exact. */
                    if (op == ROT && l != ASCENDING && t > 1)
                        continue;
                    one_case((operation)op, (layout)l, all_types[t], sizes[s % 5][0],
                             sizes[s % 5][1], seed++, op != ROT || l == ASCENDING);
                }
}

static void
reals_stay_in_bounds(void **state)
{
    (void)state;
    for (int op = 0; op < OPERATIONS; op++)
        for (int t = 0; t < 4; t++)
            for (uint64_t seed = 0; seed < 6; seed++)
                one_case((operation)op, ASCENDING, all_types[t], 2000, 1500, seed,
                         false);
}

/* Long enough to be cut into pieces. */
static void
long_vectors_spread(void **state)
{
    (void)state;
    for (int op = 0; op < OPERATIONS; op++)
        for (int l = 0; l < LAYOUTS; l++)
            for (int t = 0; t < TYPES; t += 3)
                if (has((operation)op, t) && (op != ROT || l == ASCENDING))
                    one_case((operation)op, (layout)l, all_types[t], 150000,
                             l == ASCENDING ? 60000 : 90000,
                             (uint64_t)(op * 9 + l * 3 + t), true);
}

/* Indices outside the vector are passed over, wherever cuts fall. */
static void
strays_do_no_harm(void **state)
{
    enum { SIZE = 60000 };
    world w = {
        .t = {SB_F32, SB_F32}, .size = SIZE, .nnz = SIZE, .a = {1, 0}, .b = {1, 0}};
    int32_t *at = room(SIZE, 4);
    float *x = room(SIZE, 4), *y = room(SIZE, 4);

    (void)state;
    w.idx = at;
    for (int rising = 0; rising < 2; rising++)
        for (int op = 0; op < OPERATIONS; op++) {
            double result[2] = {0, 0};

            w.op = (operation)op;
            for (int p = 0; p < SIZE; p++) {
                at[p] = rising ? p * 3 - SIZE : (p % 2 ? -p - 1 : SIZE + p);
                x[p] = 2;
                y[p] = 5;
            }
            omp_set_num_threads(3);
            assert_int_equal(run(&w, x, y, result), SPBLAS_STATUS_SUCCESS);
            for (int p = 0; p < SIZE && !rising; p++)
                assert_true(x[p] == 2 && y[p] == 5);
            if (op == SPVV)
                assert_true(sb_value_load(SB_F32, result, 0).re ==
                            (rising ? SIZE / 3 * 10 : 0));
        }
    free(at);
    free(x);
    free(y);
}

/* beta == 0 never reads Y; alpha == 0 still multiplies. */
static void
zeros_and_nans(void **state)
{
    int32_t at[2] = {0, 2};
    float x[2] = {1, 1}, y[3];
    const uint32_t nan = 0x7fc00000u;
    world w = {.op = AXPBY, .t = {SB_F32, SB_F32}, .size = 3, .nnz = 2, .a = {4, 0}};
    double result[2];

    (void)state;
    w.idx = at;
    for (int i = 0; i < 3; i++)
        memcpy(&y[i], &nan, 4);
    assert_int_equal(run(&w, x, y, result), SPBLAS_STATUS_SUCCESS);
    assert_true(y[0] == 4 && y[1] == 0 && y[2] == 4);
    memcpy(&x[0], &nan, 4);
    w.a.re = 0;
    assert_int_equal(run(&w, x, y, result), SPBLAS_STATUS_SUCCESS);
    assert_true(y[0] != y[0] && y[1] == 0 && y[2] == 0);
}

/* 70 000 products of 127 * 127 pass 2^31 - 1: 32-bit sums wrap. */
static void
integer_sums_wrap(void **state)
{
    enum { SIZE = 200000 };
    const int64_t sum = (int64_t)SIZE * 127 * 127;
    world w = {.op = SPVV, .t = {SB_I8, SB_I32}, .size = SIZE, .nnz = SIZE};
    int32_t *at = room(SIZE, 4);
    void *x = room(SIZE, 1);
    double result[2];

    (void)state;
    w.idx = at;
    memset(x, 127, SIZE);
    for (int p = 0; p < SIZE; p++)
        at[p] = p;
    assert_int_equal(run(&w, x, x, result), SPBLAS_STATUS_SUCCESS);
    assert_true(sb_value_load(SB_I32, result, 0).re == (int32_t)(uint32_t)sum);
    free(at);
    free(x);
}

/* ---- Threads ------------------------------------------------------------------------ */

enum { THREADS = 4, SHARED = 9000 };

typedef struct sharer {
    spblasConstSpVecDescr_t x;
    spblasConstDnVecDescr_t y;
    double product;
    bool failed;
} sharer;

/* Reads the shared vectors, writes vectors of its own. */
static void *
share(void *user)
{
    sharer *s = user;
    const double one = 1.0;
    double *own = room(SHARED, sizeof *own);
    spblasDnVecDescr_t v = NULL;
    spblasHandle_t h = NULL;

    s->failed = spblasCreate(&h) || spblasCreateDnVec(&v, SHARED, own, SPBLAS_R_64F) ||
                spblasScatter(h, s->x, v) || spblasAxpby(h, &one, s->x, &one, v) ||
                spblasSpVV(h, SPBLAS_OPERATION_NON_TRANSPOSE, s->x, s->y, &s->product,
                           SPBLAS_R_64F, NULL) ||
                own[3] != 6.0;
    (void)spblasDestroyDnVec(v);
    (void)spblasDestroy(h);
    free(own);
    return NULL;
}

static void
own_handles_shared_vectors(void **state)
{
    int32_t *at = room(SHARED, sizeof *at);
    double *x = room(SHARED, sizeof *x), *y = room(SHARED, sizeof *y);
    spblasConstSpVecDescr_t vx;
    spblasDnVecDescr_t vy;
    pthread_t thread[THREADS];
    sharer s[THREADS];

    (void)state;
    for (int p = 0; p < SHARED; p++) {
        at[p] = p;
        x[p] = 3;
        y[p] = 2;
    }
    assert_int_equal(spblasCreateConstSpVec(&vx, SHARED, SHARED, at, x,
                                            SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO,
                                            SPBLAS_R_64F),
                     0);
    assert_int_equal(spblasCreateDnVec(&vy, SHARED, y, SPBLAS_R_64F), 0);
    for (int t = 0; t < THREADS; t++) {
        s[t] = (sharer){.x = vx, .y = vy};
        assert_int_equal(pthread_create(&thread[t], NULL, share, &s[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(thread[t], NULL), 0);
    for (int t = 0; t < THREADS; t++)
        assert_true(!s[t].failed && s[t].product == 6.0 * SHARED);
    (void)spblasDestroySpVec(vx);
    (void)spblasDestroyDnVec(vy);
    free(at);
    free(x);
    free(y);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(reals_stay_in_bounds),
        cmocka_unit_test(long_vectors_spread),
        cmocka_unit_test(strays_do_no_harm),
        cmocka_unit_test(zeros_and_nans),
        cmocka_unit_test(integer_sums_wrap),
        cmocka_unit_test(own_handles_shared_vectors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
