/*
 * The model on a machine that does not change: where one form must be cheaper than
 * another, whatever the numbers.
 */
#include "gen.h"
#include "planner/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static sb_target machine = {
    .isa = SB_ISA_V4, .threads = 2, .l1 = 48 << 10, .l2 = 2 << 20, .l3 = 64 << 20};

static double
seconds(const sb_stats *s, const char *plan)
{
    const sb_work w = {.op = SB_OP_SPMM,
                       .m = s->rows,
                       .n = 128,
                       .k = s->cols,
                       .nnz = s->nnz,
                       .a_size = 4,
                       .b_size = 4,
                       .c_size = 4,
                       .compute_size = 4,
                       .ptr_size = 4,
                       .idx_size = 4};
    sb_choice ch;
    sb_cost cost;

    assert_int_equal(sb_choice_parse(&ch, plan, strlen(plan), NULL), SB_OK);
    sb_cost_predict(&cost, &ch, &w, s, &machine);
    return cost.seconds;
}

/* Rows spread over all columns, `mean` entries each. */
static sb_stats
spread_rows(double mean)
{
    gen_spec spec = {.family = GEN_UNIFORM, .rows = 1000, .cols = 4000, .seed = 3};
    sb_stats s;
    sb_matrix a;
    sb_view v;

    spec.density = mean / 4000;
    spec.format = SB_FORMAT_CSR;
    spec.ptr_type = spec.idx_type = SB_I32;
    spec.val_type = SB_F32;
    a = gen_matrix(&spec);
    assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
    assert_int_equal(sb_stats_collect(&s, &v, SB_STATS_ALL, NULL), SB_OK);
    sb_view_free(&v);
    gen_free_matrix(&a);
    return s;
}

/* Panels pay for themselves when a row has enough entries in each. */
static void
test_panels(void **state)
{
    const sb_stats longer = spread_rows(400), shorter = spread_rows(8);

    (void)state;
    assert_true(seconds(&longer, "(plan spmm (part panel 128))") <
                0.8 * seconds(&longer, "(plan spmm (part csr))"));
    assert_true(seconds(&shorter, "(plan spmm (part panel 128))") >
                1.2 * seconds(&shorter, "(plan spmm (part csr))"));
    assert_true(seconds(&longer, "(plan spmm (part panel 128) (packed))") <
                seconds(&longer, "(plan spmm (part panel 128))"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_panels),
    };

    sb_target_defaults(&machine);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
