/*
 * The reference kernels against the oracle: every operation, type combination, format,
 * op, layout, index width and base over the seeded families; then NaN rules, gaps,
 * batches and the independence of the number of threads.
 */
#include "cpu/ref.h"
#include "gen.h"
#include "oracle.h"
#include "problems.h"
#include "runtime/backend.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
run_and_check(sb_problem *pb, bool exact, uint64_t k)
{
    oracle o = oracle_make(pb);
    sb_diag diag = {0};
    char message[400];

    assert_int_equal(sb_ref_run(pb, &diag), SB_OK);
    if (!oracle_check(&o, pb, exact, message, sizeof message))
        fail_msg("case %llu, op %d, format %d, trans %d %d, compute %s: %s",
                 (unsigned long long)k, pb->op, pb->a.format, pb->trans_a, pb->trans_b,
                 sb_dtype_name(pb->compute), message);
    oracle_free(&o);
}

static void
sweep(sb_op op, bool exact)
{
    for (int c = 0; c < problem_type_count; c++)
        for (uint64_t k = 0; k < 150 && problem_type_table[c].ops & 1u << op; k++) {
            sb_problem pb = problem_make(k, op, &problem_type_table[c], exact);

            run_and_check(&pb, exact, k);
            problem_free(&pb);
        }
}

static void
spmm_integers_are_exact(void **state)
{
    (void)state;
    sweep(SB_OP_SPMM, true);
}

static void
spmm_reals_meet_the_bound(void **state)
{
    (void)state;
    sweep(SB_OP_SPMM, false);
}

static void
spmv_integers_are_exact(void **state)
{
    (void)state;
    sweep(SB_OP_SPMV, true);
}

static void
spmv_reals_meet_the_bound(void **state)
{
    (void)state;
    sweep(SB_OP_SPMV, false);
}

static void
sddmm_integers_are_exact(void **state)
{
    (void)state;
    sweep(SB_OP_SDDMM, true);
}

static void
sddmm_reals_meet_the_bound(void **state)
{
    (void)state;
    sweep(SB_OP_SDDMM, false);
}

/* beta = 0 over NaN: the output is never read. */
static void
beta_zero_ignores_the_output(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 200; k++) {
        const sb_op op = k % 3 ? SB_OP_SPMM : SB_OP_SDDMM;
        sb_problem pb = problem_make(k, op, &problem_type_table[k % 5], false);

        problem_poison_output(&pb);
        pb.beta = (sb_value){0.0, 0.0};
        run_and_check(&pb, false, k);
        problem_free(&pb);
    }
}

/* NaN and infinity in B go exactly where A has entries. */
static void
specials_spread_by_structure(void **state)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY};

    (void)state;
    for (uint64_t k = 0; k < 120; k++) {
        gen_rng r = {k + 1000};
        sb_problem pb = problem_make(k, SB_OP_SPMM, &problem_type_table[k % 2], true);
        const int64_t count = gen_dense_extent(&pb.b);

        if (count > 0)
            sb_value_store(pb.b.type, pb.b.data, gen_below(&r, count),
                           (sb_value){specials[k % 3], 0.0});
        run_and_check(&pb, true, k);
        problem_free(&pb);
    }
}

/* An unknown combination is refused, not computed wrongly. */
static void
foreign_types_are_refused(void **state)
{
    sb_problem pb = problem_make(1, SB_OP_SPMM, &problem_type_table[1], false);
    sb_diag diag = {0};

    (void)state;
    pb.compute = SB_F32; /* the operands are f64 */
    assert_int_equal(sb_ref_run(&pb, &diag), SB_ENOTSUP);
    assert_non_null(strstr(diag.text, "f64"));
    problem_free(&pb);
}

/* ---- Independence of the split ------------------------------------------------------ */

static int pretended;

static int
pretend_threads(void)
{
    return pretended;
}

/* Runs the pieces backwards, one after another. */
static void
pretend_parallel(sb_range_fn fn, void *user, int64_t lo, int64_t hi, int64_t grain)
{
    int64_t end = hi;

    while (end > lo) {
        const int64_t begin = lo + (end - lo - 1) / grain * grain;

        fn(user, begin, end);
        end = begin;
    }
}

static void
bits_do_not_depend_on_threads(void **state)
{
    const sb_backend *before = sb_backend_get();
    const sb_backend pretend = {
        .name = "pretend", .threads = pretend_threads, .parallel = pretend_parallel};

    (void)state;
    sb_backend_set(&pretend);
    for (uint64_t k = 0; k < 240; k++) {
        static const int64_t columns[] = {1, 3, 4, 5, 8, 24, 70};
        gen_rng r = {k};
        const problem_types *t = &problem_type_table[k % 8];
        gen_spec s = {.family = k % 2 ? GEN_UNIFORM : GEN_POWER_LAW,
                      .rows = 450,
                      .cols = 300,
                      .density = 0.1,
                      .seed = k,
                      .format = (sb_format)(k / 8 % 4),
                      .val_type = t->a,
                      .unsorted = true};
        sb_problem pb = {.op = SB_OP_SPMM,
                         .a = gen_matrix(&s),
                         .trans_a = (sb_trans)gen_below(&r, 3),
                         .compute = t->c,
                         .alpha = {1.5, 0.25},
                         .beta = {0.5, 0.0},
                         .batch = 1};
        const int64_t n = columns[gen_below(&r, 7)];
        const bool turned = pb.trans_a != SB_TRANS_N;
        sb_dense one;

        pb.b = gen_dense(&(gen_dense_spec){.rows = turned ? pb.a.rows : pb.a.cols,
                                           .cols = n,
                                           .type = t->x,
                                           .seed = k,
                                           .col_major = gen_below(&r, 2)});
        pb.c = gen_dense(&(gen_dense_spec){.rows = turned ? pb.a.cols : pb.a.rows,
                                           .cols = n,
                                           .type = t->y,
                                           .seed = k + 1,
                                           .col_major = gen_below(&r, 2)});
        one = gen_copy_dense(&pb.c);
        pretended = 1;
        assert_int_equal(sb_ref_run(&pb, NULL), SB_OK);
        pretended = gen_below(&r, 2) ? 7 : 2; /* rows or columns are shared out */
        {
            sb_dense many = pb.c;

            pb.c = one;
            assert_int_equal(sb_ref_run(&pb, NULL), SB_OK);
            assert_memory_equal(one.data, many.data,
                                (size_t)gen_dense_extent(&one) * sb_dtype_size(t->y));
            pb.c = many;
        }
        gen_free_dense(&one);
        problem_free(&pb);
    }
    sb_backend_set(before);
}

/* Rows of C that are not there are passed over, and B is not read for them. */
static void
entries_elsewhere_are_passed_over(void **state)
{
    static const int32_t row[] = {1, -1, 0, 9, 2},
                         column[] = {0, -400000000, 2, 400000000, 1};
    static const int32_t wild[] = {0, -9, 2, 400000000, 1}, ptr[] = {0, 2, 4, 5};
    static float val[] = {1, 2, 3, 4, 5};
    static const double want[2][3] = {{3 * 3, 1 * 1, 5 * 2}, {1 * 1, 5 * 3, 3 * 2}};

    (void)state;
    for (int listed = 0; listed < 2; listed++)
        for (int64_t n = 1; n <= 9; n += 4) {
            float b[27], c[27];
            sb_problem pb = {.op = SB_OP_SPMM,
                             .a = {.format = listed ? SB_FORMAT_COO : SB_FORMAT_CSR,
                                   .rows = 3,
                                   .cols = 3,
                                   .nnz = 5,
                                   .ptr = ptr,
                                   .row = row,
                                   .idx = listed ? column : wild,
                                   .val = val,
                                   .ptr_type = SB_I32,
                                   .idx_type = SB_I32,
                                   .val_type = SB_F32,
                                   .batch = 1},
                             .trans_a = listed ? SB_TRANS_N : SB_TRANS_T,
                             .b = {.rows = 3,
                                   .cols = n,
                                   .ld = n,
                                   .type = SB_F32,
                                   .data = b,
                                   .batch = 1},
                             .c = {.rows = 3,
                                   .cols = n,
                                   .ld = n,
                                   .type = SB_F32,
                                   .data = c,
                                   .batch = 1},
                             .compute = SB_F32,
                             .alpha = {1, 0},
                             .batch = 1};

            for (int64_t q = 0; q < 3 * n; q++)
                b[q] = (float)(q / n + 1);
            assert_int_equal(sb_ref_run(&pb, NULL), SB_OK);
            for (int64_t q = 0; q < 3 * n; q++)
                assert_true(c[q] == want[!listed][q / n]);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spmm_integers_are_exact),
        cmocka_unit_test(spmm_reals_meet_the_bound),
        cmocka_unit_test(spmv_integers_are_exact),
        cmocka_unit_test(spmv_reals_meet_the_bound),
        cmocka_unit_test(sddmm_integers_are_exact),
        cmocka_unit_test(sddmm_reals_meet_the_bound),
        cmocka_unit_test(beta_zero_ignores_the_output),
        cmocka_unit_test(specials_spread_by_structure),
        cmocka_unit_test(foreign_types_are_refused),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(entries_elsewhere_are_passed_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
