/*
 * The text of the plan that ESTIMATE chooses; part of tests that ask what it is.
 */
#ifndef SB_TEST_PLAN_TEXT_H
#define SB_TEST_PLAN_TEXT_H

#include "gen.h"
#include "planner/planner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* For A times n columns, of this type throughout, in `size` characters at most. */
static inline void
plan_text(char *out, size_t size, const sb_matrix *a, int64_t n, sb_dtype type,
          bool frozen)
{
    float none[1];
    sb_problem pb = {.op = n > 1 ? SB_OP_SPMM : SB_OP_SPMV,
                     .a = *a,
                     .b = {.rows = a->cols, .cols = n, .ld = n, .type = type},
                     .c = {.rows = a->rows, .cols = n, .ld = n, .type = type},
                     .compute = type,
                     .alpha = {1, 0},
                     .batch = 1};
    const sb_options opt = {.values_frozen = frozen};
    sb_plan *plan;

    pb.b.data = pb.c.data = none; /* an analysis reads no dense array */
    assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
    assert_true(strlen(plan->text) < size);
    memcpy(out, plan->text, strlen(plan->text) + 1);
    sb_plan_release(plan);
}

/* The same of a generated matrix, by 32-bit indices and values of that type. */
static inline void
plan_text_of(char *out, size_t size, gen_spec spec, int64_t n, sb_dtype type,
             bool frozen)
{
    sb_matrix a;

    spec.seed = 7;
    spec.ptr_type = spec.idx_type = SB_I32;
    spec.val_type = type;
    a = gen_matrix(&spec);
    plan_text(out, size, &a, n, type, frozen);
    gen_free_matrix(&a);
}

#endif
