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
#include "runtime/spread.h"

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
        static const int types[] = {0, 1, 4, 5, 6, 7}; /* real */
        sb_problem pb =
            problem_make(k, SB_OP_SPMM, &problem_type_table[types[k % 6]], true);
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
    pb = problem_make(1, SB_OP_SDDMM, &problem_type_table[0], false);
    pb.a.val_type = pb.compute = SB_I32; /* integers are not sampled */
    pb.b.type = pb.c.type = SB_I8;
    assert_int_equal(sb_ref_run(&pb, &diag), SB_ENOTSUP);
    pb.a.val_type = pb.compute = pb.b.type = SB_F32;
    pb.c.type = SB_F16; /* nor are factors of two types */
    assert_int_equal(sb_ref_run(&pb, &diag), SB_ENOTSUP);
    problem_free(&pb);
}

/* Arrays that nothing is in may be NULL, and y = beta * y is computed. */
static void
empty_arrays_may_be_null(void **state)
{
    static const int32_t zeros[9];
    static const int64_t shapes[][2] = {{4, 4}, {4, 0}, {0, 4}};
    static const int64_t columns[] = {1, 8, 70};

    (void)state;
    for (int k = 0; k < 6 * 3 * 3 * 2; k++) {
        const sb_format f = (sb_format)(k % 6);
        const int64_t rows = shapes[k / 6 % 3][0], cols = shapes[k / 6 % 3][1];
        const int64_t n = columns[k / 18 % 3];
        const sb_trans op = k / 54 ? SB_TRANS_T : SB_TRANS_N;
        const int64_t m = op == SB_TRANS_N ? rows : cols, inner = rows + cols - m;
        float b[4 * 70] = {0}, c[4 * 70];
        sb_problem pb = {.op = n == 1 ? SB_OP_SPMV : SB_OP_SPMM,
                         .a = {.format = f,
                               .rows = rows,
                               .cols = cols,
                               .ptr = zeros,
                               .ptr_type = SB_I32,
                               .idx_type = SB_I32,
                               .val_type = SB_F32,
                               .block = f == SB_FORMAT_BSR ? 2 : 1,
                               .width = f == SB_FORMAT_SELL ? 2 : 0,
                               .batch = 1},
                         .trans_a = op,
                         .b = {.rows = inner,
                               .cols = n,
                               .ld = n,
                               .type = SB_F32,
                               .data = inner ? b : NULL,
                               .batch = 1},
                         .c = {.rows = m,
                               .cols = n,
                               .ld = n,
                               .type = SB_F32,
                               .data = m ? c : NULL,
                               .batch = 1},
                         .compute = SB_F32,
                         .alpha = {1, 0},
                         .beta = {0.5, 0},
                         .batch = 1};

        for (int64_t q = 0; q < m * n; q++)
            c[q] = 2;
        assert_int_equal(sb_ref_run(&pb, NULL), SB_OK);
        for (int64_t q = 0; q < m * n; q++)
            assert_true(c[q] == 1);
    }
}

/* Dots of no elements: values = beta * values. */
static void
empty_dots_may_be_null(void **state)
{
    static const int32_t ptr[] = {0, 1, 2}, idx[] = {1, 0};
    float val[] = {2, 4};
    const sb_problem pb = {.op = SB_OP_SDDMM,
                           .a = {.rows = 2,
                                 .cols = 2,
                                 .nnz = 2,
                                 .ptr = ptr,
                                 .idx = idx,
                                 .val = val,
                                 .ptr_type = SB_I32,
                                 .idx_type = SB_I32,
                                 .val_type = SB_F32,
                                 .batch = 1},
                           .b = {.rows = 2, .ld = 1, .type = SB_F32, .batch = 1},
                           .c = {.cols = 2, .ld = 2, .type = SB_F32, .batch = 1},
                           .compute = SB_F32,
                           .alpha = {1, 0},
                           .beta = {0.5, 0},
                           .batch = 1};

    (void)state;
    assert_int_equal(sb_ref_run(&pb, NULL), SB_OK);
    assert_true(val[0] == 1 && val[1] == 2);
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
    int spread = 0; /* of one column, with a buffer */

    (void)state;
    sb_backend_set(&pretend);
    for (uint64_t k = 0; k < 288; k++) {
        static const int64_t columns[] = {1, 3, 4, 5, 8, 24, 70};
        gen_rng r = {k};
        const problem_types *t = &problem_type_table[k % 12]; /* those of SpMM */
        const int64_t n = columns[gen_below(&r, 7)];
        /* so many products that one column is shared out, too */
        const int64_t rows = n == 1 ? 900 : 450, cols = n == 1 ? 600 : 300;
        gen_spec s = {.family = k % 2 ? GEN_UNIFORM : GEN_POWER_LAW,
                      .rows = rows,
                      .cols = cols,
                      .density = 0.1,
                      .seed = k,
                      .format = (sb_format)(k / 12 % 6),
                      .val_type = t->a,
                      .unsorted = true};
        sb_problem pb = {.op = SB_OP_SPMM,
                         .a = gen_matrix(&s),
                         .trans_a = (sb_trans)gen_below(&r, 3),
                         .compute = t->c,
                         .alpha = {1.5, 0.25},
                         .beta = {0.5, 0.0},
                         .batch = 1};
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
        pb.room = sb_spread_bytes(&pb);
        pb.scratch = pb.room > 0 ? malloc(pb.room) : NULL;
        spread += pb.scratch != NULL;
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
        free(pb.scratch);
        gen_free_dense(&one);
        problem_free(&pb);
    }
    assert_true(spread > 5);
    sb_backend_set(before);
}

enum { SKEW_ROWS = 600, SKEW_EACH = 20, SKEW_COLS = 2000, SKEW_SHARES = 4 };

static float skew_c[SKEW_COLS * 8];
static int64_t skew_named[SKEW_COLS], skew_most;

/* As above; skew_most is how many entries the rows have that some piece writes. */
static void
count_parallel(sb_range_fn fn, void *user, int64_t lo, int64_t hi, int64_t grain)
{
    for (; lo < hi; lo += grain) {
        int64_t entries = 0;

        for (int c = 0; c < SKEW_COLS; c++)
            skew_c[c * 8] = -1;
        fn(user, lo, lo + grain < hi ? lo + grain : hi);
        for (int c = 0; c < SKEW_COLS; c++)
            entries += skew_c[c * 8] != -1 ? skew_named[c] : 0;
        skew_most = entries > skew_most ? entries : skew_most;
    }
}

/* Threads own rows of C that name about as many entries, not as many rows: nearly all entries lie
 * in the last twentieth of A's columns. */
static void
shares_have_as_many_entries(void **state)
{
    enum { NNZ = SKEW_ROWS * SKEW_EACH };
    static int32_t ptr[SKEW_ROWS + 1], row[NNZ], idx[NNZ];
    static float val[NNZ], b[SKEW_ROWS * 8];
    const sb_backend *before = sb_backend_get();
    const sb_backend counting = {
        .name = "count", .threads = pretend_threads, .parallel = count_parallel};
    gen_rng r = {1};

    (void)state;
    memset(skew_named, 0, sizeof skew_named);
    for (int p = 0; p < NNZ; p++) {
        const int64_t last = SKEW_COLS / 20;

        row[p] = p / SKEW_EACH;
        ptr[row[p] + 1] = p + 1;
        idx[p] = (int32_t)(p % SKEW_EACH == 0 ? gen_below(&r, SKEW_COLS)
                                              : SKEW_COLS - 1 - gen_below(&r, last));
        skew_named[idx[p]]++;
        val[p] = 1;
    }
    sb_backend_set(&counting);
    pretended = SKEW_SHARES;
    for (int listed = 0; listed < 2; listed++) {
        sb_problem pb = {.op = SB_OP_SPMM,
                         .a = {.format = listed ? SB_FORMAT_COO : SB_FORMAT_CSR,
                               .rows = SKEW_ROWS,
                               .cols = SKEW_COLS,
                               .nnz = NNZ,
                               .ptr = ptr,
                               .row = row,
                               .idx = idx,
                               .val = val,
                               .ptr_type = SB_I32,
                               .idx_type = SB_I32,
                               .val_type = SB_F32,
                               .batch = 1},
                         .trans_a = SB_TRANS_T,
                         .b = {.rows = SKEW_ROWS, .cols = 8, .ld = 8, .data = b},
                         .c = {.rows = SKEW_COLS, .cols = 8, .ld = 8, .data = skew_c},
                         .compute = SB_F32,
                         .alpha = {1, 0},
                         .batch = 1};

        pb.b.type = pb.c.type = SB_F32;
        pb.b.batch = pb.c.batch = 1;
        skew_most = 0;
        assert_int_equal(sb_ref_run(&pb, NULL), SB_OK);
        assert_true(skew_most > NNZ / (SKEW_SHARES + 1));
        assert_true(skew_most < NNZ / (SKEW_SHARES - 1));
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
        cmocka_unit_test(empty_arrays_may_be_null),
        cmocka_unit_test(empty_dots_may_be_null),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(shares_have_as_many_entries),
        cmocka_unit_test(entries_elsewhere_are_passed_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
