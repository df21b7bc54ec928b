/*
 * Property: a plan of several levels, each taking what those before it left, computes
 * what the oracle does, bit for bit on integers, whatever the mixture of patterns; and the
 * search over levels leaves plans as right as they were.
 */
#include "base/alloc.h"
#include "cpu/cpu.h"
#include "gen.h"
#include "oracle.h"
#include "planner/planner.h"
#include "runtime/backend.h"
#include "runtime/target.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 40 }; /* not a width that has kernels of its own */

/* Kernels of these parts with 32 columns are built in. */
static const char *const texts[] = {
    "(plan spmm (part bsr 4) (part bsr 2) (part rows flat 1) (tile 32))",
    "(plan spmm (part bsr 3) (part win 2) (part rows flat 1) (tile 32))",
    "(plan spmm (part dia 60) (part bsr 2) (part rows flat 1) (tile 32))",
    "(plan spmm (part bsr 4) (part dia 50) (part ell 2) (tile 32))",
    "(plan spmm (part bsr 4) (part bsr 3) (part share 2) (part rows flat 1) (tile 32))",
    "(plan spmm (part bsr 2) (part dia 40) (part win 3) (part rows flat 2) (tile 32))",
    "(plan spmm (part bsr 4) (part share 3) (part rows hyb 1 2) (tile 32))",
    "(plan spmm (part dia 50) (part share 2) (part rows flat 1) (tile 32))",
    "(plan spmm (part bsr 4) (part bsr 2) (part bsr 3) (part rows flat 1) (tile 32))",
};

static void
mark(uint8_t *at, int64_t rows, int64_t cols, int64_t i, int64_t j)
{
    if (i >= 0 && j >= 0 && i < rows && j < cols)
        at[i * cols + j] = 1;
}

/* Aligned blocks of 4, 2 and 3, a diagonal and scattered places; `extra` of each. */
static sb_matrix
mixture(uint64_t seed, int64_t rows, int64_t cols, int64_t extra)
{
    gen_rng rng = {seed};
    uint8_t *at = calloc((size_t)(rows * cols) + 1, 1);
    sb_matrix a = {.format = SB_FORMAT_CSR,
                   .rows = rows,
                   .cols = cols,
                   .ptr_type = SB_I32,
                   .idx_type = SB_I32,
                   .val_type = SB_F32,
                   .batch = 1};
    int32_t *ptr = malloc((size_t)(rows + 1) * sizeof *ptr), *idx;
    float *val;

    for (int64_t q = 0; q < extra; q++) {
        static const int64_t sizes[] = {4, 2, 3};
        const int64_t b = sizes[q % 3];
        const int64_t i = gen_below(&rng, rows / b) * b,
                      j = gen_below(&rng, cols / b) * b;

        for (int64_t u = 0; u < b * b; u++)
            mark(at, rows, cols, i + u / b, j + u % b);
        mark(at, rows, cols, gen_below(&rng, rows), gen_below(&rng, cols));
    }
    for (int64_t i = 0; seed % 3 && i < rows; i++)
        if (i % 5)
            mark(at, rows, cols, i, i + 3);
    for (int64_t p = 0; p < rows * cols; p++)
        a.nnz += at[p];
    idx = malloc((size_t)(a.nnz + 1) * sizeof *idx);
    val = malloc((size_t)(a.nnz + 1) * sizeof *val);
    a.nnz = 0;
    for (int64_t i = 0; i <= rows; i++) {
        ptr[i] = (int32_t)a.nnz;
        for (int64_t j = 0; i < rows && j < cols; j++)
            if (at[i * cols + j]) {
                val[a.nnz] = (float)(gen_between(&rng, 1, 3));
                idx[a.nnz++] = (int32_t)j;
            }
    }
    free(at);
    a.ptr = ptr;
    a.idx = idx;
    a.val = val;
    return a;
}

typedef struct subject {
    sb_problem pb;
    sb_dense before;
} subject;

static void
subject_open(subject *s, sb_matrix a, sb_trans trans, uint64_t seed)
{
    const int64_t m = trans == SB_TRANS_N ? a.rows : a.cols;
    const int64_t k = trans == SB_TRANS_N ? a.cols : a.rows;

    s->pb =
        (sb_problem){.op = SB_OP_SPMM, .trans_a = trans, .compute = SB_F32, .batch = 1};
    s->pb.a = a;
    s->pb.alpha = (sb_value){2, 0};
    s->pb.beta = (sb_value){seed % 2 ? 3 : 0, 0};
    s->pb.b = gen_dense(&(gen_dense_spec){
        .rows = k, .cols = N, .type = SB_F32, .seed = seed, .integer = true});
    s->pb.c = gen_dense(&(gen_dense_spec){
        .rows = m, .cols = N, .type = SB_F32, .seed = seed + 1, .integer = true});
    s->before = gen_copy_dense(&s->pb.c);
}

static void
subject_close(subject *s)
{
    gen_free_dense(&s->pb.b);
    gen_free_dense(&s->pb.c);
    gen_free_dense(&s->before);
    free((void *)(uintptr_t)s->pb.a.ptr);
    free((void *)(uintptr_t)s->pb.a.idx);
    free(s->pb.a.val);
}

static void
run_and_check(subject *s, const sb_plan *plan)
{
    char message[256];
    sb_diag diag = {0};
    oracle o;

    memcpy(s->pb.c.data, s->before.data,
           (size_t)gen_dense_extent(&s->pb.c) * sizeof(float));
    o = oracle_make(&s->pb);
    if (sb_execute(plan, &s->pb, &diag) != SB_OK)
        fail_msg("%s: %s", plan->text, diag.text);
    if (!oracle_check(&o, &s->pb, true, message, sizeof message))
        fail_msg("%s on %d x %d, %d entries: %s", plan->text, (int)s->pb.a.rows,
                 (int)s->pb.a.cols, (int)s->pb.a.nnz, message);
    oracle_free(&o);
}

/* Steps of parts that select beyond the first, or 0 where the plan has one level. */
static int
force(subject *s, const char *text)
{
    sb_options opt = {.plan = text, .memory_limit = (int64_t)1 << 30};
    sb_diag diag = {0};
    sb_plan *plan, *again;
    int levels = 0;

    if (sb_plan_create(&plan, &s->pb, &opt, &diag) != SB_OK)
        fail_msg("%s: %s", text, diag.text);
    opt.plan = plan->text;
    assert_int_equal(sb_plan_create(&again, &s->pb, &opt, &diag), SB_OK);
    assert_string_equal(plan->text, again->text);
    assert_int_equal(plan->ntile, again->ntile);
    sb_plan_release(again);
    run_and_check(s, plan);
    for (int64_t p = 0; p < s->pb.a.nnz; p++)
        ((float *)s->pb.a.val)[p] += 1;
    run_and_check(s, plan);
    for (int q = 0; q < plan->nstep; q++)
        levels += plan->level[q] > 1;
    sb_plan_release(plan);
    return levels;
}

static void
test_forced(void **state)
{
    int levels[SB_COUNT(texts)] = {0};
    bool reference = false;

    (void)state;
    for (uint64_t k = 0; k < 24; k++)
        for (int q = 0; q < SB_COUNT(texts); q++) {
            subject s;

            subject_open(&s,
                         mixture(k, 20 + (int64_t)k % 9, 30 + (int64_t)k % 5 * 30,
                                 10 + (int64_t)k * 2),
                         SB_TRANS_N, k);
            levels[q] += force(&s, texts[q]);
            subject_close(&s);
        }
    for (int q = 0; q < SB_COUNT(texts); q++)
        reference = reference || levels[q] == 0;
    if (!reference)
        for (int q = 0; q < SB_COUNT(texts); q++)
            if (levels[q] < 24)
                fail_msg("%s: %d steps beyond the first level", texts[q], levels[q]);
    print_message("%s\n", reference ? "some plans had no kernels" : "all on kernels");
}

/* Positions instead of values in place. */
static void
test_transposed(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 12; k++) {
        subject s;

        subject_open(&s, mixture(k, 30, 21 + (int64_t)k % 3, 30), SB_TRANS_T, k);
        (void)force(&s, "(plan spmm (part bsr 4) (part bsr 2) (part ell 2) (tile 32))");
        (void)force(&s, "(plan spmm (part bsr 3) (part share 2) (part coo) (tile 32))");
        subject_close(&s);
    }
}

/* Ends an exhaustive search before it compiles anything. */
static bool
enough(void *user, const sb_search_state *s)
{
    (void)user;
    (void)s;
    return false;
}

/* Large enough to be searched; above ESTIMATE a second time, without windows. */
static void
test_search(void **state)
{
    static const sb_effort efforts[] = {SB_EFFORT_ESTIMATE, SB_EFFORT_EXHAUSTIVE};

    (void)state;
    for (int q = 0; q < SB_COUNT(efforts); q++) {
        sb_options opt = {
            .effort = efforts[q], .memory_limit = (int64_t)1 << 30, .progress = enough};
        sb_diag diag = {0};
        sb_plan *plan;
        subject s;

        subject_open(&s, mixture(1, 960, 960, 9000), SB_TRANS_N, 1);
        assert_true(s.pb.a.nnz > 50000);
        (void)setenv("SPBLAS_LEVELS", q ? "" : "gate=0",
                     1); /* too small for ESTIMATE */
        assert_int_equal(sb_plan_create(&plan, &s.pb, &opt, &diag), SB_OK);
        (void)unsetenv("SPBLAS_LEVELS");
        if (!strstr(plan->explain, "levels     "))
            fail_msg("not searched:\n%s", plan->explain);
        run_and_check(&s, plan);
        sb_plan_release(plan);
        subject_close(&s);
    }
}

/* What the search alone leaves has a price, also where rules had set it aside without one. */
static void
test_only(void **state)
{
    static const char *const rules[] = {"gate=0 only=1", "gate=0 only=1 win=0",
                                        "gate=0 only=1 levels=1 win=0"};

    (void)state;
    for (int q = 0; q < 4 * SB_COUNT(rules); q++) {
        const sb_options opt = {.memory_limit = (int64_t)1 << 30};
        sb_diag diag = {0};
        sb_plan *plan;
        subject s;

        subject_open(&s, mixture((uint64_t)q / 3, 960, 960, 9000), SB_TRANS_N, 1);
        (void)setenv("SPBLAS_LEVELS", rules[q % 3], 1);
        assert_int_equal(sb_plan_create(&plan, &s.pb, &opt, &diag), SB_OK);
        (void)unsetenv("SPBLAS_LEVELS");
        if (!isfinite(plan->predicted))
            fail_msg("no price:\n%s", plan->explain);
        sb_plan_release(plan);
        subject_close(&s);
    }
}

/* Memory that runs out while levels are searched or built leaves nothing behind. */
static void
test_no_memory(void **state)
{
    subject s;
    int failed = 0;

    (void)state;
    subject_open(&s, mixture(1, 960, 960, 9000), SB_TRANS_N, 1);
    assert_true(s.pb.a.nnz > 50000);
    (void)setenv("SPBLAS_LEVELS", "gate=0", 1);
    for (int64_t n = 0; n < 400; n += 1 + n / 12) {
        const int64_t live = sb_alloc_live();
        sb_options opt = {.plan = n % 2 ? texts[0] : NULL,
                          .memory_limit = (int64_t)1 << 30};
        sb_plan *plan;
        sb_status st;

        (void)sb_alloc_fail_after(n);
        st = sb_plan_create(&plan, &s.pb, &opt, NULL);
        (void)sb_alloc_fail_after(-1);
        failed += st == SB_ENOMEM;
        if (st == SB_OK)
            sb_plan_release(plan);
        else
            assert_int_equal(st, SB_ENOMEM);
        if (st == SB_ENOMEM && sb_alloc_live() != live)
            fail_msg("after %d allocations %d blocks are left", (int)n,
                     (int)(sb_alloc_live() - live));
    }
    (void)unsetenv("SPBLAS_LEVELS");
    assert_true(failed > 8);
    subject_close(&s);
}

/* C as if it were far larger than the caches; nobody reads it. */
static bool
streams(sb_problem pb, const char *text)
{
    const sb_options opt = {.plan = text, .memory_limit = (int64_t)1 << 30};
    sb_diag diag = {0};
    sb_plan *plan;
    bool found;

    pb.b.cols = pb.c.cols = pb.b.ld = pb.c.ld = 1 << 17;
    if (sb_plan_create(&plan, &pb, &opt, &diag) != SB_OK)
        fail_msg("%s: %s", text, diag.text);
    found = strstr(plan->text, "(stream)") != NULL;
    sb_plan_release(plan);
    return found;
}

/* Rows that a step adds to are not stored past the caches by the one before it, unless a text says so. */
static void
test_stores_stay_near(void **state)
{
    subject s;

    (void)state;
    subject_open(&s, mixture(4, 600, 500, 300), SB_TRANS_N, 4);
    if (sb_target_get()->isa >= SB_ISA_V3)
        assert_true(streams(s.pb, "(plan spmm (part csr))"));
    assert_false(streams(s.pb, "(plan spmm (part bsr 2) (part rows flat 1))"));
    assert_false(
        streams(s.pb, "(plan spmm (part bsr 4) (part bsr 2) (part rows flat 1))"));
    assert_false(streams(s.pb, "(plan spmm (part dia 60) (part rows flat 1))"));
    assert_false(
        streams(s.pb, "(plan spmm (part bsr 4) (part share 3) (part rows flat 1))"));
    subject_close(&s);
}

/* Groups of a tile each are one thread's where they are less than a tile together. */
static void
test_one_thread(void **state)
{
    static const char text[] =
        "(plan spmm (part share 4) (part rows flat 1) (tile 32))";
    const sb_options opt = {.plan = text, .memory_limit = (int64_t)1 << 30};

    (void)state;
    for (int large = 0; large < 2; large++) {
        sb_diag diag = {0};
        sb_plan *plan;
        subject s;

        subject_open(&s, mixture(5, large ? 403 : 15, 60, large ? 400 : 8), SB_TRANS_N,
                     5);
        if (sb_plan_create(&plan, &s.pb, &opt, &diag) != SB_OK)
            fail_msg("%s: %s", text, diag.text);
        for (int q = 0; q < plan->nstep; q++)
            assert_true(plan->step[q].alone == !large ||
                        plan->step[q].tile_hi == plan->step[q].tile_lo + 1);
        sb_plan_release(plan);
        subject_close(&s);
    }
}

/* One column: what costs too little by its form for a second thread is one tile, however many entries
 * it has. */
static void
test_one_tile_by_cost(void **state)
{
    static const char *const texts[] = {"(plan spmv (part seg))",
                                        "(plan spmv (part mask 6))"};
    const gen_spec full = {.family = GEN_FULL,
                           .rows = 256,
                           .cols = 52,
                           .format = SB_FORMAT_CSR,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F32};
    subject s;

    (void)state;
    if (sb_target_get()->isa < SB_ISA_V4)
        skip(); /* masks are not built in */
    subject_open(&s, gen_matrix(&full), SB_TRANS_N, 5);
    s.pb.op = SB_OP_SPMV;
    s.pb.b.cols = s.pb.c.cols = s.pb.b.ld = s.pb.c.ld = 1;
    for (int q = 0; q < 2; q++) {
        const sb_options opt = {.plan = texts[q], .memory_limit = (int64_t)1 << 30};
        sb_diag diag = {0};
        sb_plan *plan;

        if (sb_plan_create(&plan, &s.pb, &opt, &diag) != SB_OK)
            fail_msg("%s: %s", texts[q], diag.text);
        assert_int_equal(plan->nstep, 1);
        assert_true(q == 1 ? plan->ntile == 1 : plan->ntile > 1);
        sb_plan_release(plan);
    }
    subject_close(&s);
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
        cmocka_unit_test(test_forced),     cmocka_unit_test(test_transposed),
        cmocka_unit_test(test_search),     cmocka_unit_test(test_only),
        cmocka_unit_test(test_no_memory),  cmocka_unit_test(test_stores_stay_near),
        cmocka_unit_test(test_one_thread), cmocka_unit_test(test_one_tile_by_cost),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
