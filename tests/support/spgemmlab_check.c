/*
 * What a product of sparse matrices must give.
 */
#include "oracle.h"
#include "spgemmlab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The product as SpMM. Free with end_problem. */
static sb_problem
as_problem(const spgemm_lab *l)
{
    sb_problem pb = {.op = SB_OP_SPMM,
                     .a = l->a,
                     .compute = spgemm_sum_type(l->a.val_type),
                     .alpha = l->alpha_value,
                     .beta = l->beta_value,
                     .batch = 1};
    const gen_dense_spec b = {
        .rows = l->b.rows, .cols = l->b.cols, .type = l->a.val_type, .poison = true};
    const gen_dense_spec c = {
        .rows = l->c.rows, .cols = l->c.cols, .type = l->a.val_type, .poison = true};

    pb.b = gen_dense(&b);
    pb.c = gen_dense(&c);
    return pb;
}

static void
end_problem(sb_problem *pb)
{
    gen_free_dense(&pb->b);
    gen_free_dense(&pb->c);
}

/* The matrix spread out, repeated places added up. */
static void
spread(sb_dense *d, const sb_matrix *a)
{
    for (int64_t e = 0; e < d->rows * d->cols; e++)
        sb_value_store(d->type, d->data, e, (sb_value){0, 0});
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = sb_index(a->ptr, a->ptr_type, i) - a->base;
             p < sb_index(a->ptr, a->ptr_type, i + 1) - a->base; p++) {
            const int64_t at = i * d->cols + sb_index(a->idx, a->idx_type, p) - a->base;
            sb_value v = sb_value_load(d->type, d->data, at);
            const sb_value w = sb_value_load(a->val_type, a->val, p);

            v.re += w.re;
            v.im += w.im;
            sb_value_store(d->type, d->data, at, v);
        }
}

int64_t
spgemm_slot(const sb_matrix *a, int64_t i)
{
    return sb_index(a->ptr, a->ptr_type, i) - a->base;
}

int64_t
spgemm_column(const sb_matrix *a, int64_t p)
{
    return sb_index(a->idx, a->idx_type, p) - a->base;
}

/* Offsets, ascending columns, and exactly the places that products fall on. */
void
spgemm_check_pattern(const spgemm_lab *l)
{
    char *there = malloc((size_t)l->c.cols + 1);

    assert_int_equal(spgemm_slot(&l->c, 0), 0);
    assert_int_equal(spgemm_slot(&l->c, l->c.rows), l->c.nnz);
    for (int64_t i = 0; i < l->c.rows; i++) {
        int64_t places = 0;

        memset(there, 0, (size_t)l->c.cols);
        for (int64_t p = spgemm_slot(&l->a, i); p < spgemm_slot(&l->a, i + 1); p++) {
            const int64_t k = spgemm_column(&l->a, p);

            for (int64_t q = spgemm_slot(&l->b, k); q < spgemm_slot(&l->b, k + 1);
                 q++) {
                places += !there[spgemm_column(&l->b, q)];
                there[spgemm_column(&l->b, q)] = 1;
            }
        }
        assert_int_equal(spgemm_slot(&l->c, i + 1) - spgemm_slot(&l->c, i), places);
        for (int64_t p = spgemm_slot(&l->c, i); p < spgemm_slot(&l->c, i + 1); p++) {
            assert_in_range(spgemm_column(&l->c, p), 0, l->c.cols - 1);
            assert_true(there[spgemm_column(&l->c, p)]);
            assert_true(p == spgemm_slot(&l->c, i) ||
                        spgemm_column(&l->c, p - 1) < spgemm_column(&l->c, p));
        }
    }
    free(there);
}

/* `run` writes C's values; beta's C is what is there before. */
void
spgemm_check_values(spgemm_lab *l, spblasStatus_t (*run)(spgemm_lab *), bool exact)
{
    sb_problem pb = as_problem(l);
    char message[400];
    oracle o;

    spread(&pb.b, &l->b);
    if (l->beta_value.re != 0 || l->beta_value.im != 0)
        spread(&pb.c, &l->c);
    o = oracle_make(&pb);
    spgemm_ok(run(l));
    spread(&pb.c, &l->c);
    if (!oracle_check(&o, &pb, exact, message, sizeof message))
        fail_msg("%s", message);
    oracle_free(&o);
    end_problem(&pb);
}
