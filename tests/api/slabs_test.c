/*
 * Wide SpMM on the CPU with the buffer that bufferSize asks for, without one, with and without
 * an analysis, and with a plan text that wants slabs of B: always the oracle's bits, and the
 * buffer is what was used.
 */
#include "call.h"
#include "gen.h"
#include "oracle.h"
#include "planner/slabs.h"
#include "problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Integers, whose sums are exact. */
static sb_problem
problem(int64_t n, sb_dtype type, gen_family family)
{
    const gen_spec a = {.family = family,
                        .rows = 120,
                        .cols = 90,
                        .density = 0.6,
                        .seed = 4,
                        .ptr_type = SB_I32,
                        .idx_type = SB_I32,
                        .val_type = type,
                        .integer = true};
    gen_dense_spec b = {
        .rows = 90, .cols = n, .type = type, .seed = 5, .integer = true};
    sb_problem pb = {.op = SB_OP_SPMM,
                     .a = gen_matrix(&a),
                     .b = gen_dense(&b),
                     .compute = type,
                     .alpha = {2, 0},
                     .beta = {-1, 0},
                     .batch = 1};

    b.rows = 120;
    pb.c = gen_dense(&b);
    return pb;
}

static void
wide(sb_dtype type, int64_t n, gen_family family, bool scattered)
{
    const sb_target *t = sb_target_get();
    /* on Zen 3 slabs have to be of one width, 128 bytes a row */
    const bool here =
        t->isa == SB_ISA_V4G ||
        (sb_target_zen(t) &&
         (t->isa != SB_ISA_V3 || n * (int64_t)sb_dtype_size(type) % 128 == 0));
    sb_problem pb = problem(n, type, family);
    size_t bytes = 1;
    call c;

    assert_int_equal(call_begin(&c, &pb), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(call_size(&c, &bytes), SPBLAS_STATUS_SUCCESS);
    if (here)
        assert_true(bytes >= (size_t)(90 * n) * sb_dtype_size(type));
    else
        assert_int_equal(bytes, 0);
    call_check(&c, "no buffer");
    assert_int_equal(call_uses(&c, bytes, "buffer"), here && scattered);
    assert_int_equal(call_analyse(&c), SPBLAS_STATUS_SUCCESS);
    call_check(&c, "plan, no buffer");
    assert_int_equal(call_uses(&c, bytes, "plan, buffer"), here && scattered);
    call_end(&c);
    problem_free(&pb);
}

static void
test_wide(void **state)
{
    (void)state;
    wide(SB_F32, 512, GEN_UNIFORM, true);
    wide(SB_F64, 304, GEN_UNIFORM, true);
    wide(SB_F64, 300, GEN_UNIFORM, true);
    wide(SB_F32, 530, GEN_UNIFORM, true);
}

/* What it asks for depends on the text, on every level. A kernel for just the columns that C has
 * is none for a slab. */
static void
with_text(const char *text, int64_t n, int width)
{
    sb_problem pb = problem(n, SB_F32, GEN_UNIFORM);
    const size_t slabs = (size_t)((n - 1) / width + 1);
    size_t bytes = 1;
    call c;

    assert_int_equal(call_begin(&c, &pb), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(call_size(&c, &bytes), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(bytes, 0);
    assert_int_equal(
        spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_PLAN_TEXT, text, strlen(text) + 1),
        SPBLAS_STATUS_SUCCESS);
    assert_int_equal(call_size(&c, &bytes), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(bytes, slabs * 90 * (size_t)width * sizeof(float) + 64);
    assert_int_equal(call_analyse(&c), SPBLAS_STATUS_SUCCESS);
    call_check(&c, "plan, no buffer");
    assert_true(call_uses(&c, bytes, "plan, buffer"));
    call_end(&c);
    problem_free(&pb);
}

static void
test_plan_text(void **state)
{
    (void)state;
    with_text("(plan spmm (part csr) (slab 16))", 50, 16);
    with_text("(plan spmm (part csr) (tile 64) (slab 32))", 64, 32);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_plan_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
