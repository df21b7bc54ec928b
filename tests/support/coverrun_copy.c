/*
 * Cells of routines that copy: between dense and sparse, and of sparse vectors.
 */
#include "call.h"
#include "coverlab.h"
#include "gen.h"
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 12, SLOTS = 5 };

static void
must(spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s", spblasGetLastErrorMessage(NULL));
}

/* ---- between dense and sparse -------------------------------------------------------- */

typedef struct comparison {
    const sb_matrix *a;
    const sb_dense *d;
    int64_t entries;
} comparison;

static void
compare_entry(void *user, int64_t i, int64_t j, int64_t slot)
{
    comparison *k = user;
    const sb_value x = sb_value_load(k->a->val_type, k->a->val, slot);
    const sb_value y = sb_value_load(k->d->type, k->d->data, i * k->d->ld + j);

    assert_true(x.re == y.re && x.im == y.im);
    k->entries += x.re != 0 || x.im != 0;
}

static void
store_entry(void *user, int64_t i, int64_t j, int64_t slot)
{
    const comparison *k = user;

    sb_value_store(k->d->type, k->d->data, i * k->d->ld + j,
                   sb_value_load(k->a->val_type, k->a->val, slot));
}

/* Entries of the sparse matrix are those of the dense one, and there are no others. */
static void
same(const sb_matrix *a, const sb_dense *d)
{
    comparison k = {a, d, 0};

    oracle_for_each(a, 0, compare_entry, &k);
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < SIDE; j++) {
            const sb_value v = sb_value_load(d->type, d->data, i * d->ld + j);

            k.entries -= v.re != 0 || v.im != 0;
        }
    assert_int_equal(k.entries, 0);
}

static void
convert(const cover_cell *c, bool to_dense)
{
    const gen_spec spec = cover_spec(c, to_dense ? 0 : 1, 5);
    sb_matrix a = gen_matrix(&spec);
    sb_problem pb = {.op = SB_OP_SPMM, .a = a, .batch = 1};
    comparison fill = {&a, &pb.c, 0};
    spblasSpMatDescr_t plain;
    call k;

    pb.b = gen_dense(&(gen_dense_spec){.rows = 1, .cols = 1});
    pb.c = gen_dense(&(gen_dense_spec){.rows = SIDE,
                                       .cols = SIDE,
                                       .ld = SIDE + 1,
                                       .type = cover_dtype(c->type[to_dense])});
    must(call_begin(&k, &pb));
    plain = cover_dress(c, k.handle, &k.a);
    if (to_dense) {
        must(spblasSparseToDense(k.handle, k.a, k.c, SPBLAS_SPARSETODENSE_ALG_DEFAULT,
                                 NULL));
    } else {
        for (int64_t e = 0; e < SIDE * (SIDE + 1); e++)
            sb_value_store(pb.c.type, pb.c.data, e, (sb_value){0, 0});
        oracle_for_each(&a, 0, store_entry, &fill);
        memset(a.val, 0x55, (size_t)gen_value_count(&a) * sb_dtype_size(a.val_type));
        must(spblasDenseToSparse_analysis(k.handle, k.c, k.a,
                                          SPBLAS_DENSETOSPARSE_ALG_DEFAULT, NULL));
        must(spblasDenseToSparse_convert(k.handle, k.c, k.a,
                                         SPBLAS_DENSETOSPARSE_ALG_DEFAULT, NULL));
    }
    same(&a, &pb.c);
    must(spblasDestroySpMat(plain));
    call_end(&k);
    gen_free_matrix(&a);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
}

void
cover_run_to_dense(const cover_cell *c)
{
    convert(c, true);
}

void
cover_run_to_sparse(const cover_cell *c)
{
    convert(c, false);
}

/* ---- sparse vectors ------------------------------------------------------------------ */

static const int place[SLOTS] = {7, 0, 11, 3, 4};

typedef struct pair {
    spblasHandle_t handle;
    spblasSpVecDescr_t X;
    spblasDnVecDescr_t Y;
    sb_dtype tx, ty;
    int64_t idx[SLOTS];
    _Alignas(16) double x[2 * SLOTS];
    _Alignas(16) double y[2 * SIDE];
} pair;

/* X has the values 1, 2, .. and Y has 3, 4, .. */
static void
begin(pair *p, const cover_cell *c)
{
    const bool wide = c->index == COVER_64;

    p->tx = cover_dtype(c->type[0]);
    p->ty = cover_dtype(c->type[1]);
    for (int q = 0; q < SIDE; q++)
        sb_value_store(p->ty, p->y, q, (sb_value){q + 3, 0});
    for (int q = 0; q < SLOTS; q++) {
        sb_index_store(p->idx, wide ? SB_I64 : SB_I32, q, place[q]);
        sb_value_store(p->tx, p->x, q, (sb_value){q + 1, 0});
    }
    must(spblasCreate(&p->handle));
    must(spblasCreateSpVec(&p->X, SIDE, SLOTS, p->idx, p->x,
                           wide ? SPBLAS_INDEX_64I : SPBLAS_INDEX_32I,
                           SPBLAS_INDEX_BASE_ZERO, c->type[0]));
    must(spblasCreateDnVec(&p->Y, SIDE, p->y, c->type[1]));
}

static void
end(pair *p)
{
    must(spblasDestroySpVec(p->X));
    must(spblasDestroyDnVec(p->Y));
    must(spblasDestroy(p->handle));
}

static double
x_at(const pair *p, int q)
{
    return sb_value_load(p->tx, p->x, q).re;
}

static double
y_at(const pair *p, int q)
{
    return sb_value_load(p->ty, p->y, q).re;
}

/* A scalar in the type sums of `t` have. */
static void
scalar(double out[2], sb_dtype t, double v)
{
    sb_value_store(sb_dtype_sum(t), out, 0, (sb_value){v, 0});
}

void
cover_run_axpby(const cover_cell *c)
{
    double alpha[2], beta[2];
    pair p;

    begin(&p, c);
    scalar(alpha, p.ty, 2);
    scalar(beta, p.ty, 3);
    must(spblasAxpby(p.handle, alpha, p.X, beta, p.Y));
    for (int i = 0; i < SIDE; i++) {
        double want = 3 * (i + 3);

        for (int q = 0; q < SLOTS; q++)
            want += place[q] == i ? 2 * (q + 1) : 0;
        assert_true(y_at(&p, i) == want);
    }
    end(&p);
}

static void
compare_bytes(const pair *p, const void *y)
{
    const size_t size = sb_dtype_size(p->tx);

    for (size_t q = 0; q < SLOTS; q++)
        assert_memory_equal((const char *)p->x + q * size,
                            (const char *)y + (size_t)place[q] * size, size);
}

void
cover_run_gather(const cover_cell *c)
{
    pair p;

    begin(&p, c);
    must(spblasGather(p.handle, p.Y, p.X));
    compare_bytes(&p, p.y);
    end(&p);
}

void
cover_run_scatter(const cover_cell *c)
{
    pair p;

    begin(&p, c);
    must(spblasScatter(p.handle, p.X, p.Y));
    compare_bytes(&p, p.y);
    end(&p);
}

void
cover_run_rot(const cover_cell *c)
{
    double cosine[2], sine[2];
    pair p;

    begin(&p, c);
    scalar(cosine, p.tx, 2);
    scalar(sine, p.tx, 1);
    must(spblasRot(p.handle, cosine, sine, p.X, p.Y));
    for (int q = 0; q < SLOTS; q++) {
        assert_true(x_at(&p, q) == 2 * (q + 1) + place[q] + 3);
        assert_true(y_at(&p, place[q]) == 2 * (place[q] + 3) - (q + 1));
    }
    end(&p);
}

void
cover_run_spvv(const cover_cell *c)
{
    double want = 0, result[2];
    pair p;

    begin(&p, c);
    must(spblasSpVV(p.handle, c->op_a, p.X, p.Y, result, c->type[2], NULL));
    for (int q = 0; q < SLOTS; q++)
        want += (q + 1) * (place[q] + 3);
    assert_true(sb_value_load(cover_dtype(c->type[2]), result, 0).re == want);
    end(&p);
}
