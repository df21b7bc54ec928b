/*
 * Property: whatever plan is forced, a stored zero times Inf is NaN, a hole times Inf is
 * nothing, and NaN and Inf of B reach exactly the rows whose entries name them.
 *
 * ctest-labels: full
 */
#include "base/macro.h"
#include "cpu/cpu.h"
#include "gen.h"
#include "planner/planner.h"
#include "runtime/backend.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* As wide as rows whose last entries are masked. */
enum { ODD = 5, EIGHT = 8 };

/* Values 0, 1 and 2; `zeros` of three are 0. */
static void
fill_values(sb_matrix *a, int64_t zeros)
{
    for (int64_t p = 0; p < a->nnz; p++)
        ((float *)a->val)[p] = p % 3 < zeros ? 0 : (float)(1 + p % 2);
}

/* Small integers, and every now and then Inf or NaN. */
static void
fill_dense(sb_dense *b)
{
    for (int64_t i = 0; i < b->rows; i++)
        for (int64_t j = 0; j < b->cols; j++) {
            const int64_t q = i * 7 + j * 3;

            ((float *)b->data)[i * b->ld + j] = q % 11 == 0   ? INFINITY
                                                : q % 29 == 0 ? NAN
                                                              : (float)(q % 5);
        }
}

static void
check_same(const sb_dense *c, const float *want, const char *text)
{
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0; j < c->cols; j++) {
            const float x = ((float *)c->data)[i * c->ld + j],
                        y = want[i * c->cols + j];

            if (x != y && !(isnan(x) && isnan(y)))
                fail_msg("%s: C(%d, %d) is %g, not %g", text, (int)i, (int)j, x, y);
        }
}

/* C = A B by definition. */
static float *
expected(const sb_problem *pb)
{
    const sb_matrix *a = &pb->a;
    const int32_t *ptr = a->ptr, *idx = a->idx;
    float *c = calloc((size_t)(a->rows * pb->c.cols) + 1, sizeof *c);

    assert_non_null(c);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = ptr[i]; p < ptr[i + 1]; p++)
            for (int64_t j = 0; j < pb->c.cols; j++)
                c[i * pb->c.cols + j] +=
                    ((float *)a->val)[p] * ((float *)pb->b.data)[idx[p] * pb->b.ld + j];
    return c;
}

/* Returns whether the plan was refused for its zeros. */
static bool
try_plan(sb_problem *pb, const sb_options *opt, const float *want, const char *text)
{
    sb_options forced = *opt;
    sb_diag diag = {0};
    sb_plan *plan;

    forced.plan = text;
    if (sb_plan_create(&plan, pb, &forced, &diag) != SB_OK) {
        if (!strstr(text, "dia") || !strstr(diag.text, "stored zero"))
            fail_msg("%s: %s", text, diag.text);
        return true;
    }
    assert_int_equal(sb_execute(plan, pb, &diag), SB_OK);
    check_same(&pb->c, want, text);
    sb_plan_release(plan);
    return false;
}

/* Returns how many plans were refused for their zeros. */
static int
try_all(sb_problem *pb)
{
    static const char *const eights[] = {"(plan spmm (part csr) (tile 8) (unroll 8))",
                                         "(plan spmm (part csr) (tile 4) (unroll 8))",
                                         "(plan spmm (part csr) (tile 8) (unroll 16))",
                                         "(plan spmm (part csr) (tile 4) (unroll 16))",
                                         "(plan spmm (part csr) (tile 8) (unroll 32))",
                                         "(plan spmm (part csr) (tile 8) (unroll 64))",
                                         "(plan spmm (part csr) (tile 4) (unroll 64))"};
    const sb_options opt = {.values_frozen = true, .memory_limit = (int64_t)1 << 30};
    float *want = expected(pb);
    const char *text;
    int refused = 0;

    for (int q = 0;
         pb->c.cols != EIGHT && (text = sb_plan_candidate(pb, &opt, q)) != NULL; q++) {
        char copy[256];

        memcpy(copy, text, strlen(text) + 1);
        refused += try_plan(pb, &opt, want, copy);
    }
    for (int q = 0; q < SB_COUNT(eights) && pb->c.cols == EIGHT; q++)
        (void)try_plan(pb, &opt, want, eights[q]);
    free(want);
    return refused;
}

static int
try_matrix(gen_family family, sb_op op, int64_t n, int64_t zeros)
{
    gen_spec spec = {.family = family,
                     .rows = 48,
                     .cols = 40,
                     .seed = 3,
                     .ptr_type = SB_I32,
                     .idx_type = SB_I32,
                     .val_type = SB_F32};
    sb_problem pb = {.op = op,
                     .a = gen_matrix(&spec),
                     .compute = SB_F32,
                     .alpha = {1, 0},
                     .batch = 1};
    int refused;

    fill_values(&pb.a, zeros);
    pb.b =
        gen_dense(&(gen_dense_spec){.rows = 40, .cols = n, .type = SB_F32, .seed = 1});
    pb.c =
        gen_dense(&(gen_dense_spec){.rows = 48, .cols = n, .type = SB_F32, .seed = 2});
    fill_dense(&pb.b);
    refused = try_all(&pb);
    gen_free_matrix(&pb.a);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
    return refused;
}

static void
test_zero_times_infinity(void **state)
{
    static const gen_family families[] = {GEN_BANDED, GEN_DIAGONALS, GEN_BLOCKS,
                                          GEN_POWER_LAW, GEN_UNIFORM};
    int refused = 0;

    (void)state;
    for (int q = 0; q < SB_COUNT(families); q++)
        for (int64_t zeros = 0; zeros < 2; zeros++) {
            const int now = try_matrix(families[q], SB_OP_SPMV, 1, zeros) +
                            try_matrix(families[q], SB_OP_SPMM, ODD, zeros) +
                            try_matrix(families[q], SB_OP_SPMM, EIGHT, zeros);

            assert_true(zeros > 0 || now == 0);
            refused += now;
        }
    assert_true(refused > 0); /* packed diagonals were among them */
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
        cmocka_unit_test(test_zero_times_infinity),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
