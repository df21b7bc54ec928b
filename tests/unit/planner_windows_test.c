/*
 * Windows of rows on Zen 5: from which size on they ask for values, and for rows of B, how far, and what
 * plans make of it; which plans entries of lone long rows and rows that neighbours bring rule out.
 */
#include "base/macro.h"
#include "base/strbuf.h"
#include "cpu/cpu.h"
#include "gen.h"
#include "kernels/spec.h"
#include "model_cost.h"
#include "plan_number.h"
#include "planner/cost.h"
#include "planner/planner.h"
#include "planner/rules.h"
#include "product_work.h"
#include "runtime/backend.h"
#include "runtime/plan.h"
#include "runtime/target.h"
#include "zen5.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Values from 0.4 of L3 on, of one column where they exceed it: 1.68 and 4.19 million doubles. */
static void
test_asks_for_values(void **state)
{
    sb_work w = {.op = SB_OP_SPMM, .n = 32, .nnz = 1680000, .a_size = 8};
    sb_target zen4 = zen5;

    (void)state;
    zen4.wide = false;
    assert_true(sb_rule_window_asks(&w, &zen5));
    assert_false(sb_rule_window_asks(&w, &zen4));
    w.nnz = 1670000;
    assert_false(sb_rule_window_asks(&w, &zen5));
    w.op = SB_OP_SPMV;
    w.nnz = 4200000;
    assert_true(sb_rule_window_asks(&w, &zen5));
    w.nnz = 4190000;
    assert_false(sb_rule_window_asks(&w, &zen5));
    w.op = SB_OP_SDDMM;
    assert_true(sb_rule_values_leave(&w, &zen5));
    assert_false(sb_rule_window_asks(&w, &zen5));
}

/* Rows of B, of 128 bytes and more, from 0.8 of L3 on and a sixteenth for each time that windows ask for one;
 * windows into L1. */
static void
test_asks_for_rows(void **state)
{
    static const struct {
        int64_t m, n, entries;
        bool want;
    } cases[] = {
        {60000, 64, 21, false},  /* 40.8 MB, 1.24 of L3 are 41.6; asked for 7 times */
        {62000, 64, 21, true},   /* 42.2 */
        {30000, 64, 21, false},  /* 20.4 */
        {60000, 64, 72, false},  /* 65.3 for 2.3: 77.2 */
        {75000, 64, 72, true},   /* 81.6 */
        {400000, 31, 21, false}, /* 124 bytes */
    };
    sb_problem pb;

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        pb = by_rows(cases[q].m, cases[q].n);
        pb.a.nnz = cases[q].m * cases[q].entries;
        pb.a.idx_type = SB_I32;
        if (sb_rule_prefetch(&pb, (double)(cases[q].m * cases[q].n * 4), 0, 3, false,
                             &zen5) != (cases[q].want ? SB_PREFETCH_FAR : 0))
            fail_msg("case %d", q);
    }
    assert_int_equal(sb_rule_nearer(SB_PREFETCH_FAR, SB_PART_WIN, 508, &zen5), 32);
    assert_int_equal(sb_rule_nearer(SB_PREFETCH_FAR, SB_PART_WIN, 512, &zen5), 24);
    assert_int_equal(sb_rule_nearer(SB_PREFETCH_FAR, SB_PART_WIN, 1024, &zen5), 16);
    assert_int_equal(sb_rule_nearer(0, SB_PART_WIN, 1024, &zen5), 0);
    assert_int_equal(sb_rule_nearer(SB_PREFETCH_FAR, SB_PART_SHARE, 1024, &zen5),
                     SB_PREFETCH_FAR);
}

/* Windows that ask take 512 bytes of a row of B at once, but of more than four rows. */
static void
test_tiles(void **state)
{
    static const struct {
        int64_t n;
        int size, rows, ahead, tile;
    } cases[] = {
        {128, 4, 3, 24, 128}, {512, 4, 4, 16, 128}, {127, 4, 3, 32, 64},
        {128, 4, 3, 0, 64},   {128, 4, 6, 24, 64},  {128, 8, 4, 16, 64},
        {63, 8, 4, 32, 32},   {128, 8, 4, 0, 32},   {64, 8, 2, 24, 64},
    };
    sb_target zen4 = zen5;

    (void)state;
    zen4.wide = false;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        const sb_work w = product(cases[q].n, cases[q].size);
        const int tile =
            sb_rule_tile_of(&w, &zen5, SB_PART_WIN, cases[q].rows, cases[q].ahead, 0);

        if (tile != cases[q].tile)
            fail_msg("case %d: %d", q, tile);
        assert_true(sb_rule_tile_of(&w, &zen4, SB_PART_WIN, cases[q].rows,
                                    cases[q].ahead, 0) <= 64);
    }
}

/* Listed rows go one by one where plain rows do, rows of B of 128 bytes among them. */
static void
test_listed_rows(void **state)
{
    const sb_work w = {.op = SB_OP_SPMM,
                       .m = 30000,
                       .k = 30000,
                       .n = 32,
                       .nnz = 1200000,
                       .a_type = SB_F32,
                       .a_size = 4,
                       .b_size = 4,
                       .c_size = 4,
                       .compute_size = 4,
                       .idx_size = 4};
    int alone = 0;

    (void)state;
    for (int mean = 4; mean <= 64; mean++)
        for (int ragged = 0; ragged < 2; ragged++)
            if (sb_rule_together(&w, &zen5, SB_PART_CSR, 0, mean, ragged) == 1) {
                assert_int_equal(
                    sb_rule_together(&w, &zen5, SB_PART_ROWS, 0, mean, ragged), 1);
                alone += mean >= 32;
            }
    assert_true(alone > 0);
}

/* A dense matrix of so many rows, in threes: doubles, eight columns. */
static void
plan_asks(int64_t rows, const char *text, const char *name)
{
    const gen_spec spec = {.family = GEN_FULL,
                           .rows = rows,
                           .cols = 1000,
                           .seed = 3,
                           .density = 1,
                           .format = SB_FORMAT_CSR,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F64};
    const sb_options opt = {.plan = text, .values_frozen = true};
    sb_problem pb = {.op = SB_OP_SPMM, .compute = SB_F64, .batch = 1};
    sb_plan *plan;
    sb_work w;

    pb.a = gen_matrix(&spec);
    pb.b = gen_dense(&(gen_dense_spec){
        .rows = spec.cols, .cols = 8, .ld = 8, .type = SB_F64, .seed = 1});
    pb.c = gen_dense(&(gen_dense_spec){
        .rows = spec.rows, .cols = 8, .ld = 8, .type = SB_F64, .seed = 2});
    pb.alpha.re = 1;
    sb_work_of(&w, &pb);
    assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
    assert_int_equal(plan_number(plan, name),
                     sb_rule_window_asks(&w, sb_target_get()) ? 1024 : 0);
    sb_plan_release(plan);
    gen_free_matrix(&pb.a);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
}

/* What the rule says reaches the plan, of small ones and of one with half of L3 (of 4 million at most). */
static void
test_plans(void **state)
{
    const int64_t half = sb_target_get()->l3 / 16, most = 4000000;
    static const char
        win[] = "(plan spmm (part win 3) (part rows flat 1) (tile 8))",
        share[] = "(plan spmm (part share 3) (part rows flat 1) (tile 8) (packed))";
    const int64_t rows = (half < most ? half : most) / 1000;

    (void)state;
    plan_asks(30, win, "win_ahead");
    plan_asks(30, share, "share_ahead");
    plan_asks(rows, win, "win_ahead");
    plan_asks(rows, share, "share_ahead");
}

/* Kernels of windows are compiled loop by loop, rows are not. */
static void
test_regions(void **state)
{
    sb_strbuf text, signature;
    sb_hash key;

    (void)state;
    for (int q = 0; q < 2; q++) {
        sb_strbuf_init(&text);
        sb_strbuf_init(&signature);
        assert_int_equal(sb_spec_emit(&text, &signature, &key,
                                      q ? "spmm win f64f64f64/f64 i32i32 rr b4 t32 p0"
                                        : "spmm rows f64f64f64/f64 i32i32 rr t32 p0",
                                      NULL),
                         SB_OK);
        assert_int_equal(strstr(text.s, "ira-region=all") != NULL, q);
        assert_int_equal(strstr(text.s, "pop_options") != NULL, q);
        sb_strbuf_free(&text);
        sb_strbuf_free(&signature);
    }
}

/* Twenty rows of 6000 entries among 60000 of ten: slices of diagonals are dear by what samples miss. */
static void
test_lone_long_rows(void **state)
{
    const sb_part_choice hdia = {.kind = SB_PART_HDIA};
    sb_vector_part p = {.choice = &hdia,
                        .x_size = 4,
                        .rows = 60000,
                        .entries = 648000,
                        .slots = 648000};
    sb_stats s = {.rows = 60000, .cols = 60000, .nnz = 648000, .mean = 10.8};
    sb_terms with = {0}, without = {0};
    int bucket = 0;

    (void)state;
    s.hdia[SB_STATS_HDIA_FULL] = 0.07;
    sb_vector_wide(&without, &p, &s, &zen5, true);
    while (1 << bucket < 8192)
        bucket++;
    s.bucket_nnz[bucket] = 120000;
    s.bucket_rows[bucket] = 20;
    sb_vector_wide(&with, &p, &s, &zen5, true);
    assert_true(with.entry > without.entry + 1e-4);
    s.mean = 2000; /* not so much longer than most */
    sb_vector_wide(&with, &p, &s, &zen5, true);
    assert_true(with.entry == without.entry);
}

/* Panels gain least where eight rows name a column 2.5 times and L1 has what they name. */
static void
test_meshes(void **state)
{
    sb_target t = zen5;
    sb_stats s = spread_rows(40);
    double seconds[2];

    (void)state;
    sb_target_defaults(&t);
    t.isa = SB_ISA_V4;
    t.wide = true;
    t.l1 = zen5.l1;
    t.l2 = zen5.l2;
    t.l3 = zen5.l3;
    s.r4 = 2;
    for (int q = 0; q < 2; q++) {
        s.r8 = q ? 2.5 : 2.49;
        seconds[q] = cost_of(&s, "(plan spmm (part panel 192))", 32, 4, &t).part[0] /
                     cost_of(&s, "(plan spmm (part csr))", 32, 4, &t).part[0];
    }
    assert_true(seconds[1] > 1.05 * seconds[0]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_asks_for_values), cmocka_unit_test(test_asks_for_rows),
        cmocka_unit_test(test_tiles),           cmocka_unit_test(test_listed_rows),
        cmocka_unit_test(test_plans),           cmocka_unit_test(test_regions),
        cmocka_unit_test(test_lone_long_rows),  cmocka_unit_test(test_meshes)};

    sb_backend_set(&sb_cpu_backend);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
