/*
 * Slices with 16-bit columns, and with one value for all entries: which matrices get them,
 * and that the product is the same. Data are small integers: results are compared exactly.
 */
#include "planner/context.h"

#include "cpu/cpu.h"
#include "gen.h"
#include "oracle.h"
#include "runtime/backend.h"
#include "runtime/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 1100, LENGTH = 7 };

typedef struct shape {
    int64_t cols, from, span; /* columns of row i: from .. from + span of them */
    bool same;                /* all values are */
    const char *plan, *spec;
} shape;

#define IN_PLACE "(plan spmv (part sell) (tile 4))"
#define PACKED "(plan spmv (part sell) (tile 4) (packed))"
#define KERNEL "spmv sell f32f32f32/f32 i32i32 rr "

static const shape shapes[] = {
    {500, 0, 500, false, IN_PLACE, KERNEL "narrow t4 p0"},
    {65536, 0, 65536, false, IN_PLACE, KERNEL "narrow t4 p0"},
    {65537, 0, 65537, false, IN_PLACE, KERNEL "t4 p0"},
    {300000, 200000, 65536, false, IN_PLACE, KERNEL "narrow t4 p0"},
    {300000, 200000, 65537, false, IN_PLACE, KERNEL "t4 p0"},
    {300000, 200000, 65536, false, PACKED, KERNEL "packed narrow t4 p0"},
    {300000, 0, 300000, false, PACKED, KERNEL "packed t4 p0"},
    {300000, 0, 300000, true, PACKED, KERNEL "packed one t4 p0"},
    {500, 0, 500, true, PACKED, KERNEL "packed narrow one t4 p0"},
    {500, 0, 500, true, IN_PLACE, KERNEL "narrow t4 p0"},
};

/* Rows of LENGTH and LENGTH - 1 entries; the first row of each window has the least and
 * the greatest column, the last one is empty. */
static sb_problem
problem(const shape *s)
{
    const gen_spec none = {.family = GEN_ROW_RUNS,
                           .rows = ROWS,
                           .cols = LENGTH,
                           .density = 1,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F32,
                           .integer = true};
    const gen_dense_spec x = {
        .rows = s->cols, .cols = 1, .type = SB_F32, .integer = true};
    const gen_dense_spec y = {.rows = ROWS, .cols = 1, .type = SB_F32, .integer = true};
    sb_problem pb = {.op = SB_OP_SPMV,
                     .a = gen_matrix(&none),
                     .b = gen_dense(&x),
                     .c = gen_dense(&y),
                     .compute = SB_F32,
                     .alpha = {2, 0},
                     .beta = {1, 0},
                     .batch = 1};
    int32_t *ptr = (int32_t *)pb.a.ptr, *idx = (int32_t *)pb.a.idx;
    gen_rng r = {5};

    pb.a.cols = s->cols;
    for (int i = 0; i < ROWS; i++)
        for (int32_t p = ptr[i]; p < ptr[i + 1]; p++) {
            const bool first = p == ptr[i], last = p == ptr[i + 1] - 1;
            const int64_t at = first ? 0 : last ? s->span - 1 : gen_below(&r, s->span);

            idx[p] = (int32_t)(s->from + at);
            if (s->same)
                ((float *)pb.a.val)[p] = 3;
        }
    return pb;
}

/* odd: the last value is another, whatever the shape says. */
static void
check(const shape *s, bool odd)
{
    const sb_options opt = {.plan = s->plan,
                            .values_frozen = strstr(s->plan, "packed") != NULL};
    sb_problem pb = problem(s);
    sb_diag diag = {0};
    char message[256];
    sb_plan *plan;
    oracle o;

    if (odd)
        ((float *)pb.a.val)[pb.a.nnz - 1] = 4;
    o = oracle_make(&pb);
    if (sb_plan_create(&plan, &pb, &opt, &diag) != SB_OK)
        fail_msg("%s", diag.text);
    if (plan->nstep > 0)
        assert_string_equal(plan->step[0].kernel->spec, s->spec);
    assert_int_equal(sb_execute(plan, &pb, &diag), SB_OK);
    if (!oracle_check(&o, &pb, true, message, sizeof message))
        fail_msg("%s: %s", s->spec, message);
    oracle_free(&o);
    sb_plan_release(plan);
    gen_free_matrix(&pb.a);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
}

static void
forms(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof shapes / sizeof *shapes; q++)
        check(&shapes[q], false);
}

static void
nearly_one_value(void **state)
{
    static const shape s = {500, 0, 500, true, PACKED, KERNEL "packed narrow t4 p0"};

    (void)state;
    check(&s, true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms),
                                       cmocka_unit_test(nearly_one_value)};

    sb_backend_set(&sb_cpu_backend);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
