/*
 * Sampled products several entries at a time: an entry has the same bits in a group of any
 * size, alone, and in a window of rows, for dots of whole registers and with a remainder.
 */
#include "planner/context.h"

#include "base/macro.h"
#include "cpu/cpu.h"
#include "gen.h"
#include "runtime/backend.h"
#include "runtime/kernel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 50, COLS = 61 };

static const char *const plans[] = {
    "(plan sddmm (part csr) (tile 16) (unroll 2))",
    "(plan sddmm (part csr) (tile 16) (unroll 4))",
    "(plan sddmm (part csr) (tile 16) (unroll 8))",
    "(plan sddmm (part rows flat 1) (tile 16) (unroll 4))",
    "(plan sddmm (part win 3) (part rows flat 1) (tile 16) (unroll 8))",
    "(plan sddmm (part win 4) (part rows flat 1) (tile 16) (unroll 4))",
    "(plan sddmm (part win 6) (part rows flat 1) (tile 16) (unroll 2))",
    "(plan sddmm (part win 3) (part rows flat 1) (tile 16) (prefetch 16) (unroll 4))",
    "(plan sddmm (part csr) (tile 16) (prefetch 16) (unroll 4))",
};

/* Blocks of three rows: runs for windows and, in windows of another height, entries of
 * their own. */
static sb_problem
problem(int64_t k, sb_dtype type, bool integer)
{
    const gen_spec a = {.family = GEN_BLOCKS,
                        .rows = ROWS,
                        .cols = COLS,
                        .density = 0.4,
                        .block = 3,
                        .ptr_type = SB_I32,
                        .idx_type = SB_I32,
                        .val_type = type,
                        .integer = integer};
    const gen_dense_spec x = {
        .rows = ROWS, .cols = k, .type = type, .integer = integer};
    const gen_dense_spec y = {.rows = k,
                              .cols = COLS,
                              .col_major = true,
                              .type = type,
                              .seed = 1,
                              .integer = integer};

    return (sb_problem){.op = SB_OP_SDDMM,
                        .a = gen_matrix(&a),
                        .b = gen_dense(&x),
                        .c = gen_dense(&y),
                        .compute = type,
                        .alpha = {0.7, 0},
                        .beta = {-0.3, 0},
                        .batch = 1};
}

static bool
has_nan(const void *x, sb_dtype type, int64_t n)
{
    for (int64_t p = 0; p < n; p++)
        if (isnan(type == SB_F32 ? ((const float *)x)[p] : ((const double *)x)[p]))
            return true;
    return false;
}

/* Runs the plan; false where there is no kernel for it. The caller frees *out. */
static bool
run(void **out, const sb_problem *pb, const char *text)
{
    const size_t bytes = (size_t)pb->a.nnz * sb_dtype_size(pb->a.val_type);
    const sb_options opt = {.plan = text};
    sb_problem own = *pb;
    sb_diag diag = {0};
    sb_plan *plan;
    bool planned;

    *out = own.a.val = gen_copy_bytes(pb->a.val, bytes);
    if (pb->beta.re == 0) /* then nothing may be read */
        memset(own.a.val, 0xff, bytes);
    if (sb_plan_create(&plan, &own, &opt, &diag) != SB_OK)
        fail_msg("%s: %s", text, diag.text);
    planned = plan->nstep > 0;
    assert_int_equal(sb_execute(plan, &own, &diag), SB_OK);
    sb_plan_release(plan);
    return planned;
}

static void
check(int64_t k, sb_dtype type, double beta)
{
    sb_problem pb = problem(k, type, false);
    const size_t bytes = (size_t)pb.a.nnz * sb_dtype_size(type);
    void *first, *other;

    pb.beta.re = beta;
    assert_true(run(&first, &pb, plans[0]));
    assert_false(has_nan(first, type, pb.a.nnz));
    for (size_t q = 1; q < SB_COUNT(plans); q++) {
        assert_true(run(&other, &pb, plans[q]));
        if (memcmp(first, other, bytes) != 0)
            fail_msg("dots of %d: %s differs", (int)k, plans[q]);
        free(other);
    }
    free(first);
    gen_free_matrix(&pb.a);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
}

static void
same_bits(void **state)
{
    const sb_kernel *k;

    (void)state;
    if (sb_kernel_get(&k, "sddmm csr f32f32f32/f32 i32i32 rc t16 p0 u2",
                      sb_planner_maker, SB_KERNEL_COMPILE) != SB_OK)
        skip();
    check(7, SB_F32, -0.3);
    check(16, SB_F32, -0.3);
    check(16, SB_F32, 0);
    check(45, SB_F32, -0.3);
    check(45, SB_F64, -0.3);
    check(45, SB_F64, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};

    sb_backend_set(&sb_cpu_backend);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
