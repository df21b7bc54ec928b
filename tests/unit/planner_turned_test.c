/*
 * What ESTIMATE makes of A^T, whose values lie by position, and of complex matrices.
 */
#include "cpu/cpu.h"
#include "gen.h"
#include "planner/cost.h"
#include "planner/planner.h"
#include "planner/rules.h"
#include "runtime/backend.h"
#include "runtime/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 3000, TEXT = 200 };

/* The plan of op(A) times n columns, of rows of ten entries anywhere. */
static void
plan_of(char *out, sb_trans trans, sb_dtype type, int64_t n, bool frozen)
{
    const gen_spec spec = {.family = GEN_UNIFORM,
                           .rows = ROWS,
                           .cols = ROWS,
                           .density = 10.0 / ROWS,
                           .seed = 3,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = type};
    const gen_dense_spec dense = {
        .rows = ROWS, .cols = n, .ld = n, .type = type, .seed = 1};
    const sb_options opt = {.values_frozen = frozen};
    sb_matrix a = gen_matrix(&spec);
    sb_problem pb = {.op = n > 1 ? SB_OP_SPMM : SB_OP_SPMV,
                     .a = a,
                     .b = gen_dense(&dense),
                     .c = gen_dense(&dense),
                     .trans_a = trans,
                     .compute = sb_dtype_sum(type),
                     .alpha = {1, 0},
                     .batch = 1};
    sb_plan *plan;

    assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
    assert_true(strlen(plan->text) < TEXT);
    memcpy(out, plan->text, strlen(plan->text) + 1);
    sb_plan_release(plan);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
    gen_free_matrix(&a);
}

/* Rarer types have kernels of A^T built in. */
static void
test_rare_types_have_kernels(void **state)
{
    static const sb_dtype types[] = {SB_F16, SB_BF16, SB_C32, SB_C64};
    char text[TEXT];

    (void)state;
    for (int q = 0; q < 4; q++)
        for (int64_t n = 1; n <= 32; n *= 32) {
            plan_of(text, SB_TRANS_T, types[q], n, false);
            assert_non_null(strstr(text, "(part pick"));
        }
}

/* Values by position wait for each line; promised to stay, they are packed. */
static void
test_turned_values_are_packed(void **state)
{
    static const sb_dtype types[] = {SB_F32, SB_F64};
    char text[TEXT];

    (void)state;
    for (int q = 0; q < 2; q++)
        for (int64_t n = 8; n <= 32; n *= 4) {
            plan_of(text, SB_TRANS_T, types[q], n, false);
            assert_null(strstr(text, "packed"));
            plan_of(text, SB_TRANS_T, types[q], n, true);
            assert_non_null(strstr(text, "(packed)"));
        }
}

/* Pairs are gathered whole, by rows or slices: groups and products take them apart. */
static void
test_pairs(void **state)
{
    static const sb_dtype types[] = {SB_C32, SB_C64};
    char text[TEXT];

    (void)state;
    for (int q = 0; q < 2; q++) {
        plan_of(text, SB_TRANS_N, types[q], 1, false);
        assert_false(strstr(text, "(part seg)") || strstr(text, "(part prod)"));
        if (sb_target_get()->isa >= SB_ISA_V3) {
            plan_of(text, SB_TRANS_N, types[q], 1, true);
            assert_non_null(strstr(text, "(packed)"));
        }
    }
}

static void
test_pairs_in_place(void **state)
{
    sb_work w = {.op = SB_OP_SPMV,
                 .m = 1000,
                 .nnz = 5000,
                 .a_size = 8,
                 .b_size = 8,
                 .compute_size = 8,
                 .idx_size = 4,
                 .a_type = SB_C32,
                 .complex = true};
    sb_target t = *sb_target_get();

    (void)state;
    for (int isa = SB_ISA_V2; isa < SB_ISA_COUNT; isa++) {
        t.isa = (sb_isa)isa;
        for (double mean = 3; mean < 100; mean *= 5)
            assert_int_equal(sb_rule_in_place(&w, &t, mean), SB_PART_CSR);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rare_types_have_kernels),
        cmocka_unit_test(test_turned_values_are_packed),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_pairs_in_place),
    };

    sb_backend_set(&sb_cpu_backend);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
