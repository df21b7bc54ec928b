/*
 * Slices by diagonals whose rows look values up together, and masks whose sums are made together:
 * the registers of a lookup hold entries of other rows and reach beyond their own, never beyond
 * the arrays, which end where a page that may not be touched begins; rows that fit no register,
 * and the last ones, go another way to the same sums; NaN stays in its row.
 */
#include "base/macro.h"
#include "cpu/cpu.h"
#include "fence.h"
#include "planner/planner.h"
#include "runtime/backend.h"
#include "runtime/plan.h"
#include "runtime/target.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { COLS = 120, NONE = -1 };

/* Entries of row i: all alike; of some lengths; and some of many. */
static bool
has(int shape, int64_t i, int64_t j)
{
    const int64_t d = j - i;

    if (shape == 2 && i % 37 == 20)
        return j % 3 != 1;
    if (shape > 0 && (i * 5 + d) % 4 == 0)
        return false;
    return (d >= 0 && d < 3) || d == 9 || d == 30;
}

static double
value(int64_t i, int64_t j)
{
    return (double)((i * 3 + j) % 7 - 3);
}

/* Values of row `odd` are NaN. */
static void
make(fenced_product *p, int shape, sb_dtype type, sb_dtype index, int64_t rows,
     int64_t odd)
{
    int64_t nnz = 0, at = 0;

    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < COLS; j++)
            nnz += has(shape, i, j);
    fence_product(p, SB_OP_SPMV, rows, COLS, 1, nnz, type, index);
    for (int64_t i = 0; i < rows; i++) {
        put_element(p->ptr.at, index, i, (double)at);
        for (int64_t j = 0; j < COLS; j++)
            if (has(shape, i, j)) {
                put_element(p->crd.at, index, at, (double)j);
                put_element(p->val.at, type, at++, i == odd ? NAN : value(i, j));
            }
    }
    put_element(p->ptr.at, index, rows, (double)at);
    for (int64_t j = 0; j < COLS; j++)
        put_element(p->b.at, type, j, (double)(j % 5 - 2));
}

/* Whole numbers: sums are exact. */
static void
check(const fenced_product *p, int shape, int64_t odd, const char *text)
{
    for (int64_t i = 0; i < p->pb.c.rows; i++) {
        const double have = get_element(p->c.at, p->pb.c.type, i);
        double sum = 0;

        for (int64_t j = 0; j < COLS; j++)
            sum += has(shape, i, j) ? value(i, j) * (double)(j % 5 - 2) : 0;
        if (i == odd ? !isnan(have) : have != sum)
            fail_msg("%s, shape %d: row %d of %d is %g, not %g", text, shape, (int)i,
                     (int)p->pb.c.rows, have, i == odd ? NAN : sum);
    }
}

/* Whether the plan has the array that says where rows look together; it begins with `first`. */
static bool
ranged(const sb_plan *plan, int first)
{
    for (int q = 0; q < plan->narray; q++)
        if (strcmp(plan->array[q].name, "hdia_range") == 0)
            return ((const int32_t *)plan->array[q].data)[0] == first;
    return false;
}

static void
run(fenced_product *p, int shape, int64_t odd, const char *text)
{
    const sb_options opt = {.plan = text};
    const bool looks = strstr(text, "hdia") && sb_target_get()->isa >= SB_ISA_V4;
    sb_plan *plan;

    assert_int_equal(sb_plan_create(&plan, &p->pb, &opt, NULL), SB_OK);
    if (looks && plan->nstep > 0 &&
        shape < 2) /* the matrix ends within the only slice, or long behind it */
        assert_true(ranged(plan, p->pb.a.rows > 40 ? 0 : -1) ||
                    (p->pb.a.rows > 16 && p->pb.a.rows <= 40));
    assert_int_equal(sb_execute(plan, &p->pb, NULL), SB_OK);
    check(p, shape, odd, text);
    sb_plan_release(plan);
}

static void
test_rows(void **state)
{
    static const char *const plans[] = {
        "(plan spmv (part hdia) (tile 4))", "(plan spmv (part mask 2) (tile 4))",
        "(plan spmv (part mask 3) (tile 4))", "(plan spmv (part mask 4) (tile 4))",
        "(plan spmv (part mask 6) (tile 4))"};
    static const sb_dtype types[] = {SB_F32, SB_F64}, indices[] = {SB_I32, SB_I64};
    static const int64_t counts[] = {1, 15, 16, 17, 33, 48, 77};
    fenced_product p;

    (void)state;
    for (int q = 0; q < SB_COUNT(plans); q++)
        for (int t = 0; t < 4; t++)
            for (int n = 0; n < SB_COUNT(counts); n++)
                for (int shape = 0; shape < 3; shape++) {
                    const int64_t odd = n % 2 ? counts[n] / 2 : NONE;

                    make(&p, shape, types[t % 2], indices[t / 2], counts[n], odd);
                    run(&p, shape, odd, plans[q]);
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
        cmocka_unit_test(test_rows),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
