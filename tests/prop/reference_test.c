/*
 * The reference kernels against the oracle: every operation, type combination, format,
 * op, layout, index width and base over the seeded families; then NaN rules, gaps,
 * batches and the independence of the number of threads.
 */
#include "cpu/ref.h"
#include "gen.h"
#include "oracle.h"
#include "runtime/backend.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct types {
    unsigned ops; /* bit per sb_op */
    sb_dtype a, x, y, c;
} types;

enum { MM = 1u << SB_OP_SPMM, MV = 1u << SB_OP_SPMV, SD = 1u << SB_OP_SDDMM };

static const types combos[] = {
    {MM | MV | SD, SB_F32, SB_F32, SB_F32, SB_F32},
    {MM | MV | SD, SB_F64, SB_F64, SB_F64, SB_F64},
    {MM | MV | SD, SB_C32, SB_C32, SB_C32, SB_C32},
    {MM | MV | SD, SB_C64, SB_C64, SB_C64, SB_C64},
    {MM | MV, SB_F16, SB_F16, SB_F16, SB_F32},
    {MM | MV, SB_F16, SB_F16, SB_F32, SB_F32},
    {MM | MV, SB_BF16, SB_BF16, SB_BF16, SB_F32},
    {MM | MV, SB_BF16, SB_BF16, SB_F32, SB_F32},
    {MM | MV, SB_I8, SB_I8, SB_I32, SB_I32},
    {MM | MV, SB_I8, SB_I8, SB_F32, SB_F32},
    {MV, SB_F32, SB_F64, SB_F64, SB_F64},
    {MV, SB_F32, SB_C32, SB_C32, SB_C32},
    {MV, SB_F64, SB_C64, SB_C64, SB_C64},
    {SD, SB_F16, SB_F16, SB_F16, SB_F32},
    {SD, SB_F32, SB_F16, SB_F16, SB_F32},
    {SD, SB_BF16, SB_BF16, SB_BF16, SB_F32},
    {SD, SB_F32, SB_BF16, SB_BF16, SB_F32},
};

static sb_dense
operand(gen_rng *r, int64_t rows, int64_t cols, sb_trans op, sb_dtype type,
        bool integer, bool vector, int64_t batch)
{
    gen_dense_spec s = {.rows = op == SB_TRANS_N ? rows : cols,
                        .cols = op == SB_TRANS_N ? cols : rows,
                        .type = type,
                        .seed = gen_next(r),
                        .integer = integer,
                        .batch = batch};

    s.col_major = !vector && gen_below(r, 2);
    s.ld = (s.col_major ? s.rows : s.cols) + (vector ? 0 : gen_below(r, 4));
    return gen_dense(&s);
}

/* A random problem of one operation and type combination. */
static sb_problem
make(gen_rng *r, uint64_t k, sb_op op, const types *t, bool integer)
{
    static const int64_t widths[] = {1, 2, 7, 17, 65, 0};
    gen_spec s = gen_case(k);
    sb_problem pb = {.op = op, .compute = t->c};
    const bool vector = op == SB_OP_SPMV;
    int64_t n;

    s.format = (sb_format)gen_below(r, 4);
    s.ptr_type = gen_below(r, 3) ? SB_I32 : SB_I64;
    s.idx_type = gen_below(r, 3) ? SB_I32 : SB_I64;
    s.val_type = t->a;
    s.block = gen_between(r, 1, 4);
    s.block_col_major = gen_below(r, 2);
    s.integer = integer;
    pb.batch = vector || gen_below(r, 4) ? 1 : 3;
    s.batch = op == SB_OP_SDDMM ? pb.batch : gen_below(r, 2) ? pb.batch : 1;
    pb.a = gen_matrix(&s);
    pb.trans_a = (sb_trans)gen_below(r, 3);
    pb.trans_b = vector ? SB_TRANS_N : (sb_trans)gen_below(r, 3);
    pb.alpha = gen_scalar(r, t->c);
    pb.beta = gen_below(r, 2) ? gen_scalar(r, t->c) : (sb_value){0.0, 0.0};
    n = vector ? 1 : widths[gen_below(r, 6)];
    if (op == SB_OP_SDDMM) {
        pb.b = operand(r, pb.a.rows, n, pb.trans_a, t->x, integer, false,
                       gen_below(r, 2) ? pb.batch : 1);
        pb.c = operand(r, n, pb.a.cols, pb.trans_b, t->y, integer, false,
                       gen_below(r, 2) ? pb.batch : 1);
    } else {
        const bool turned = pb.trans_a != SB_TRANS_N;
        const int64_t m = turned ? pb.a.cols : pb.a.rows;

        pb.b = operand(r, turned ? pb.a.rows : pb.a.cols, n, pb.trans_b, t->x, integer,
                       vector, gen_below(r, 2) ? pb.batch : 1);
        pb.c = operand(r, m, n, SB_TRANS_N, t->y, integer, vector, pb.batch);
    }
    return pb;
}

static void
free_problem(sb_problem *pb)
{
    gen_free_matrix(&pb->a);
    gen_free_dense(&pb->b);
    gen_free_dense(&pb->c);
}

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
    for (int c = 0; c < (int)(sizeof combos / sizeof combos[0]); c++)
        for (uint64_t k = 0; k < 150 && combos[c].ops & 1u << op; k++) {
            gen_rng r = {k * 131 + (uint64_t)c};
            sb_problem pb = make(&r, k, op, &combos[c], exact);

            run_and_check(&pb, exact, k);
            free_problem(&pb);
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
        gen_rng r = {k};
        const types *t = &combos[k % 8];
        sb_problem pb = make(&r, k, SB_OP_SPMM, t, false);
        const gen_dense_spec s = {.rows = pb.c.rows,
                                  .cols = pb.c.cols,
                                  .ld = pb.c.ld,
                                  .col_major = pb.c.col_major,
                                  .type = pb.c.type,
                                  .poison = true,
                                  .batch = pb.c.batch,
                                  .stride = pb.c.stride};

        gen_free_dense(&pb.c);
        pb.c = gen_dense(&s);
        pb.beta = (sb_value){0.0, 0.0};
        run_and_check(&pb, false, k);
        free_problem(&pb);
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
        sb_problem pb = make(&r, k, SB_OP_SPMM, &combos[k % 2], true);
        const int64_t count = gen_dense_extent(&pb.b);

        if (count > 0)
            sb_value_store(pb.b.type, pb.b.data, gen_below(&r, count),
                           (sb_value){specials[k % 3], 0.0});
        run_and_check(&pb, true, k);
        free_problem(&pb);
    }
}

/* An unknown combination is refused, not computed wrongly. */
static void
foreign_types_are_refused(void **state)
{
    gen_rng r = {1};
    const types strange = {MM, SB_F64, SB_F64, SB_F64, SB_F32};
    sb_problem pb = make(&r, 1, SB_OP_SPMM, &strange, false);
    sb_diag diag = {0};

    (void)state;
    assert_int_equal(sb_ref_run(&pb, &diag), SB_ENOTSUP);
    assert_non_null(strstr(diag.text, "f64"));
    free_problem(&pb);
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
    for (uint64_t k = 0; k < 60; k++) {
        gen_rng r = {k};
        const types *t = &combos[k % 8];
        gen_spec s = {.family = k % 2 ? GEN_UNIFORM : GEN_POWER_LAW,
                      .rows = 300,
                      .cols = 200,
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
        const int64_t n = k % 3 ? 24 : 5;
        const bool turned = pb.trans_a != SB_TRANS_N;
        sb_dense one;

        pb.b = operand(&r, turned ? pb.a.rows : pb.a.cols, n, SB_TRANS_N, t->x, false,
                       false, 1);
        pb.c = operand(&r, turned ? pb.a.cols : pb.a.rows, n, SB_TRANS_N, t->y, false,
                       false, 1);
        one = gen_copy_dense(&pb.c);
        pretended = 1;
        assert_int_equal(sb_ref_run(&pb, NULL), SB_OK);
        pretended = 7;
        {
            sb_dense many = pb.c;

            pb.c = one;
            assert_int_equal(sb_ref_run(&pb, NULL), SB_OK);
            assert_memory_equal(one.data, many.data,
                                (size_t)gen_dense_extent(&one) * sb_dtype_size(t->y));
            pb.c = many;
        }
        gen_free_dense(&one);
        free_problem(&pb);
    }
    sb_backend_set(before);
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
