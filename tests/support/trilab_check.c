/*
 * What a triangular solve must give.
 */
#include "trilab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- What is right ------------------------------------------------------------------ */

/* op(A)'s row and column of an entry, or false: not of the triangle. */
bool
tri_entry_of(const tri_lab *l, const tri_entry *e, int64_t *i, int64_t *j, tri_wide *v)
{
    const bool turned = l->op != SPBLAS_OPERATION_NON_TRANSPOSE;

    if (l->upper ? e->j < e->i : e->j > e->i)
        return false;
    if (l->unit && e->i == e->j)
        return false;
    *i = turned ? e->j : e->i;
    *j = turned ? e->i : e->j;
    *v = tri_of(e->v);
    if (l->op == SPBLAS_OPERATION_CONJUGATE_TRANSPOSE)
        *v = conjl(*v);
    return true;
}

/* op(A) * c, and the same of magnitudes; n x cols by rows. */
void
tri_multiply(const tri_lab *l, const sb_dense *c, tri_wide *sum, long double *mag)
{
    for (int64_t q = 0; q < l->n * l->cols; q++) {
        const tri_wide y = tri_get(c, q / l->cols, q % l->cols);

        sum[q] = l->unit ? y : 0;
        mag[q] = l->unit ? cabsl(y) : 0;
    }
    for (int64_t p = 0; p < l->nnz; p++) {
        int64_t i, j;
        tri_wide v;

        if (tri_entry_of(l, &l->e[p], &i, &j, &v))
            for (int64_t k = 0; k < l->cols; k++) {
                sum[i * l->cols + k] += v * tri_get(c, j, k);
                mag[i * l->cols + k] += cabsl(v) * cabsl(tri_get(c, j, k));
            }
    }
}

/* The right side from a drawn solution, the solve, and the solution again. */
void
tri_check_exact(tri_lab *l, gen_rng *r)
{
    tri_wide *sum = malloc((size_t)(l->n * l->cols + 1) * sizeof *sum);
    long double *mag = malloc((size_t)(l->n * l->cols + 1) * sizeof *mag);
    sb_dense want =
        gen_dense(&(gen_dense_spec){.rows = l->n, .cols = l->cols, .type = l->type});

    for (int64_t q = 0; q < l->n * l->cols; q++)
        tri_put(&want, q / l->cols, q % l->cols, (long double)gen_between(r, -3, 3));
    tri_multiply(l, &want, sum, mag);
    for (int64_t q = 0; q < l->n * l->cols; q++) {
        const int64_t i = q / l->cols, k = q % l->cols;
        tri_wide v = sum[q] / tri_of(l->alpha);

        if (l->op_b == SPBLAS_OPERATION_CONJUGATE_TRANSPOSE)
            v = conjl(v);
        if (l->op_b == SPBLAS_OPERATION_NON_TRANSPOSE)
            tri_put(&l->b, i, k, v);
        else
            tri_put(&l->b, k, i, v);
    }
    tri_ok(l->solve ? l->solve(l) : tri_solve(l));
    for (int64_t q = 0; q < l->n * l->cols; q++)
        if (tri_get(&l->c, q / l->cols, q % l->cols) !=
            tri_get(&want, q / l->cols, q % l->cols))
            fail_msg("row %d, column %d of %d x %d: %Lg, want %Lg", (int)(q / l->cols),
                     (int)(q % l->cols), (int)l->n, (int)l->cols,
                     creall(tri_get(&l->c, q / l->cols, q % l->cols)),
                     creall(tri_get(&want, q / l->cols, q % l->cols)));
    gen_free_dense(&want);
    free(sum);
    free(mag);
}
