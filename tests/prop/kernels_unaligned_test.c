/*
 * Unaligned blocks (src/kernels/ubcsr.c): their last columns are the matrix's, behind which a page lies
 * that may not be touched; an infinity or NaN of x that a hole meets is not added up, one that an
 * entry meets is, a stored zero included; beta scales what was there, whichever way a window goes.
 */
#include "base/macro.h"
#include "cpu/cpu.h"
#include "fence.h"
#include "planner/planner.h"
#include "runtime/backend.h"
#include "runtime/plan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { COLS = 61 };

/* Runs with holes, of other lengths row by row; every twelfth row is empty. */
static bool
has(int64_t i, int64_t j)
{
    const int64_t d = j - i % 50;

    if (i % 12 == 7)
        return false;
    return (d >= 0 && d < 6 && (i + 2 * d) % 5 != 1) || j == COLS - 1 || d == 9;
}

static double
value(int64_t i, int64_t j)
{
    return (double)((i * 3 + j) % 7 - 3); /* zeros, too */
}

/* Of x: whole numbers, with `odd` some infinite and one NaN. */
static double
element(int64_t j, bool odd)
{
    if (odd && (j == 3 || j == 20 || j == 21 || j == 47))
        return j == 20 ? -INFINITY : INFINITY;
    return odd && j == 33 ? NAN : (double)(j % 5 - 2);
}

static void
make(fenced_product *p, sb_dtype type, sb_dtype index, int64_t rows, bool odd,
     double beta)
{
    int64_t nnz = 0, at = 0;

    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < COLS; j++)
            nnz += has(i, j);
    fence_product(p, SB_OP_SPMV, rows, COLS, 1, nnz, type, index);
    for (int64_t i = 0; i < rows; i++) {
        put_element(p->ptr.at, index, i, (double)at);
        for (int64_t j = 0; j < COLS; j++)
            if (has(i, j)) {
                put_element(p->crd.at, index, at, (double)j);
                put_element(p->val.at, type, at++, value(i, j));
            }
        put_element(p->c.at, type, i, beta > 0 ? (double)(i % 9) : NAN);
    }
    put_element(p->ptr.at, index, rows, (double)at);
    for (int64_t j = 0; j < COLS; j++)
        put_element(p->b.at, type, j, element(j, odd));
    p->pb.alpha.re = 2;
    p->pb.beta.re = beta;
}

static void
check(const fenced_product *p, bool odd, const char *text)
{
    int64_t finite = 0;

    for (int64_t i = 0; i < p->pb.c.rows; i++) {
        const double have = get_element(p->c.at, p->pb.c.type, i);
        double sum = 0;

        for (int64_t j = 0; j < COLS; j++)
            if (has(i, j))
                sum += value(i, j) * element(j, odd);
        sum = 2 * sum + p->pb.beta.re * (double)(i % 9);
        if (isnan(sum) ? !isnan(have) : have != sum)
            fail_msg("%s: row %d of %d is %g, not %g", text, (int)i, (int)p->pb.c.rows,
                     have, sum);
        finite += isfinite(sum) != 0;
    }
    assert_true(!odd || p->pb.c.rows < 40 || (finite > 5 && finite < p->pb.c.rows - 5));
}

/* Tiles of eight mean nothing, and are not built in: three rows are the compiler's, where there is
 * one; else their plan is the reference kernel's. */
static void
run(fenced_product *p, bool odd, int rows, int cols)
{
    sb_plan *plan = NULL;
    char text[64];

    for (int tile = rows == 3 ? 8 : 4; tile >= 4; tile -= 4) {
        const sb_options opt = {.plan = text, .values_frozen = true};

        (void)snprintf(text, sizeof text,
                       "(plan spmv (part ubcsr %d %d) (tile %d) (packed))", rows, cols,
                       tile);
        assert_int_equal(sb_plan_create(&plan, &p->pb, &opt, NULL), SB_OK);
        if (tile == 4 || !strstr(plan->text, "(reference)"))
            break;
        sb_plan_release(plan);
    }
    if (p->pb.c.rows >= 4) /* else blocks may be mostly holes, and refused */
        assert_string_equal(plan->text, text);
    assert_int_equal(sb_execute(plan, &p->pb, NULL), SB_OK);
    check(p, odd, text);
    sb_plan_release(plan);
}

static void
test_shapes(void **state)
{
    static const sb_dtype types[] = {SB_F32, SB_F64}, indices[] = {SB_I32, SB_I64};
    static const int64_t counts[] = {1, 2, 3, 4, 7, 50, 61};
    fenced_product p;

    (void)state;
    for (int rows = 1; rows <= 4; rows++)
        for (int cols = 4; cols <= 8; cols += 4)
            for (int t = 0; t < 4; t++)
                for (int n = 0; n < 4 * SB_COUNT(counts); n++) {
                    const bool odd = n % 2;

                    make(&p, types[t % 2], indices[t / 2], counts[n / 4], odd,
                         n % 4 / 2 * 3);
                    run(&p, odd, rows, cols);
                    unfence_product(&p);
                }
}

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&sb_cpu_backend);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
