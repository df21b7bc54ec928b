/*
 * What the model says of a plan, and statistics to ask it about.
 */
#ifndef SB_TEST_MODEL_COST_H
#define SB_TEST_MODEL_COST_H

#include "gen.h"
#include "planner/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static inline sb_cost
cost_of(const sb_stats *s, const char *plan, int64_t n, int size, const sb_target *t)
{
    sb_work w = {.m = s->rows,
                 .n = n,
                 .k = s->cols,
                 .nnz = s->nnz,
                 .a_type = size == 4 ? SB_F32 : SB_F64,
                 .a_size = size,
                 .b_size = size,
                 .c_size = size,
                 .compute_size = size,
                 .ptr_size = 4,
                 .idx_size = 4};
    sb_choice ch;
    sb_cost cost;

    assert_int_equal(sb_choice_parse(&ch, plan, strlen(plan), NULL), SB_OK);
    w.op = ch.op;
    sb_cost_predict(&cost, &ch, &w, s, t);
    return cost;
}

/* Rows spread over all columns, `mean` entries each. */
static inline sb_stats
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

#endif
