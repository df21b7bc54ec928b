/*
 * Tiles of every kind of part: they follow each other, cover the group, never part two
 * units of a row, and are as large as they were asked to be.
 */
#include "cpu/cpu.h"
#include "gen.h"
#include "plan_number.h"
#include "planner/context.h"
#include "planner/planner.h"
#include "runtime/backend.h"
#include "runtime/plan.h"
#include "runtime/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A part of each kind on a matrix that has it. */
typedef struct maker {
    const char *name;
    gen_family family;
    sb_status (*make)(sb_part *p, sb_cover *cv);
    const char *list; /* array that names the rows of units, or NULL */
} maker;

static int
two_threads(void)
{
    return 2;
}

static sb_status
rows_split(sb_part *p, sb_cover *cv)
{
    return sb_part_rows(p, cv, 1, 2, true);
}

static sb_status
rows_partitioned(sb_part *p, sb_cover *cv)
{
    return sb_part_rows(p, cv, 4, 3, true);
}

static sb_status
rows_flat(sb_part *p, sb_cover *cv)
{
    return sb_part_rows(p, cv, 1, -1, true);
}

static sb_status
ell(sb_part *p, sb_cover *cv)
{
    return sb_part_ell(p, cv, 2);
}

static sb_status
bsr(sb_part *p, sb_cover *cv)
{
    return sb_part_bsr(p, cv, 4, true, NULL);
}

static sb_status
win(sb_part *p, sb_cover *cv)
{
    return sb_part_win(p, cv, 4, true, NULL);
}

static sb_status
share(sb_part *p, sb_cover *cv)
{
    return sb_part_share(p, cv, 4, true, true, NULL);
}

static sb_status
sell(sb_part *p, sb_cover *cv)
{
    return sb_part_sell(p, cv, true, false, NULL);
}

static sb_status
sell_packed(sb_part *p, sb_cover *cv)
{
    return sb_part_sell(p, cv, false, true, NULL);
}

static sb_status
panel(sb_part *p, sb_cover *cv)
{
    return sb_part_panel(p, cv, 32, 24, false, NULL);
}

static sb_status
mask(sb_part *p, sb_cover *cv)
{
    return sb_part_mask(p, cv, 4, true, NULL);
}

static sb_status
hdia(sb_part *p, sb_cover *cv)
{
    return sb_part_hdia(p, cv, SB_HDIA_PACKED, true, NULL);
}

static sb_status
alike(sb_part *p, sb_cover *cv)
{
    return sb_part_alike(p, cv, NULL);
}

static sb_status
dia(sb_part *p, sb_cover *cv)
{
    return sb_part_dia(p, cv, 30, true);
}

static const maker makers[] = {
    {"csr", GEN_POWER_LAW, sb_part_csr, NULL},
    {"seg", GEN_POWER_LAW, sb_part_seg, NULL},
    {"prod", GEN_POWER_LAW, sb_part_prod, NULL},
    {"alike", GEN_POWER_LAW, alike, NULL},
    {"sell", GEN_POWER_LAW, sell, NULL},
    {"sell packed", GEN_POWER_LAW, sell_packed, NULL},
    {"rows flat", GEN_POWER_LAW, rows_flat, "rows_row"},
    {"rows split", GEN_POWER_LAW, rows_split, "rows_row"},
    {"rows partitioned", GEN_POWER_LAW, rows_partitioned, "rows_row"},
    {"ell", GEN_POWER_LAW, ell, "ell_row"},
    {"pick", GEN_POWER_LAW, sb_part_pick, "pick_row"},
    {"coo", GEN_POWER_LAW, sb_part_coo, "coo_row"},
    {"bsr", GEN_BLOCKS, bsr, NULL},
    {"win", GEN_BLOCKS, win, NULL},
    {"share", GEN_BLOCKS, share, NULL},
    {"panel", GEN_POWER_LAW, panel, NULL},
    {"mask", GEN_BLOCKS, mask, NULL},
    {"hdia", GEN_BLOCKS, hdia, NULL},
    {"dia", GEN_DIAGONALS, dia, NULL},
    {"list", GEN_POWER_LAW, sb_part_list, NULL},
};

typedef struct subject {
    sb_matrix a;
    sb_view v;
    sb_cover cv;
    sb_part p;
} subject;

static void
subject_open(subject *s, const maker *mk)
{
    const gen_spec spec = {.family = mk->family,
                           .rows = 203,
                           .cols = 180,
                           .seed = 5,
                           .density = 0.05,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F32};

    s->a = gen_matrix(&spec);
    assert_int_equal(sb_view_make(&s->v, &s->a, false, NULL), SB_OK);
    sb_cover_init(&s->cv, &s->v);
    if (mk->make(&s->p, &s->cv) != SB_OK)
        fail_msg("%s: no part", mk->name);
    assert_true(s->p.ngroup > 0);
}

static void
subject_close(subject *s)
{
    sb_part_free(&s->p);
    sb_cover_free(&s->cv);
    sb_view_free(&s->v);
    gen_free_matrix(&s->a);
}

static int64_t
row_of(const subject *s, const maker *mk, int64_t u)
{
    const sb_part_array *a = sb_part_find(&s->p, mk->list);

    assert_non_null(a);
    return sb_index(a->data, a->type, u);
}

/* One group cut with a grain; returns the number of tiles. */
static int64_t
check_group(const subject *s, const maker *mk, const sb_part_group *g, int64_t grain)
{
    int64_t n = 0, again = 3;
    sb_tile *tile;

    sb_tiles_cut(NULL, &n, &s->p, g, &s->v, 7, grain);
    tile = calloc((size_t)n + 4, sizeof *tile);
    assert_non_null(tile);
    sb_tiles_cut(tile, &again, &s->p, g, &s->v, 7, grain);
    assert_int_equal(again, n + 3); /* appended */
    assert_int_equal(tile[2].hi, 0);
    for (int64_t q = 3; q < n + 3; q++) {
        assert_int_equal(tile[q].kind, 7);
        assert_int_equal(tile[q].lo, q == 3 ? g->lo : tile[q - 1].hi);
        assert_true(tile[q].hi > tile[q].lo);
        if (mk->list && q > 3 &&
            row_of(s, mk, tile[q].lo) == row_of(s, mk, tile[q].lo - 1))
            fail_msg("%s: a row lies in two tiles", mk->name);
    }
    assert_int_equal(n > 0 ? tile[n + 2].hi : g->lo, g->hi);
    free(tile);
    return n;
}

static void
test_cover(void **state)
{
    static const int64_t grains[] = {1, 2, 9, 64, 1000, (int64_t)1 << 40};

    (void)state;
    for (int k = 0; k < SB_COUNT(makers); k++) {
        subject s;

        subject_open(&s, &makers[k]);
        for (int g = 0; g < s.p.ngroup; g++) {
            int64_t before = INT64_MAX;

            for (int q = 0; q < SB_COUNT(grains); q++) {
                const int64_t n = check_group(&s, &makers[k], &s.p.group[g], grains[q]);

                assert_true(n <= before); /* larger pieces are no more of them */
                before = n;
            }
            assert_true(before <= 1);
        }
        subject_close(&s);
    }
}

/* The smallest grain gives a tile a unit, or where units share rows, a tile a row. */
static void
test_finest(void **state)
{
    (void)state;
    for (int k = 0; k < SB_COUNT(makers); k++) {
        subject s;

        subject_open(&s, &makers[k]);
        for (int g = 0; g < s.p.ngroup; g++) {
            const sb_part_group *gr = &s.p.group[g];
            int64_t units = gr->hi > gr->lo;

            for (int64_t u = gr->lo + 1; u < gr->hi; u++)
                units += !makers[k].list ||
                         row_of(&s, &makers[k], u) != row_of(&s, &makers[k], u - 1);
            if (check_group(&s, &makers[k], gr, 1) != units)
                fail_msg("%s: not a tile for each", makers[k].name);
        }
        subject_close(&s);
    }
}

/* Compressed rows: a tile's work passes the grain by at most its last row's. */
static void
test_even(void **state)
{
    const int64_t grain = 50;
    sb_tile tile[256];
    int64_t n = 0;
    subject s;

    (void)state;
    for (int k = 0; k < SB_COUNT(makers); k++) {
        if (makers[k].make != sb_part_csr && makers[k].make != rows_flat)
            continue; /* only there units are rows in order */
        subject_open(&s, &makers[k]);
        n = 0;
        sb_tiles_cut(tile, &n, &s.p, &s.p.group[0], &s.v, 0, grain);
        assert_true(n > 3 && n < 256);
        for (int64_t q = 0; q < n; q++) {
            const int64_t last = tile[q].hi - 1;
            const int64_t before =
                sb_view_lo(&s.v, last) - sb_view_lo(&s.v, tile[q].lo);

            assert_true(before + (last - tile[q].lo) <= grain);
            if (q + 1 < n) {
                const int64_t all =
                    sb_view_lo(&s.v, tile[q].hi) - sb_view_lo(&s.v, tile[q].lo);

                assert_true(all + 2 * (tile[q].hi - tile[q].lo) >= grain);
            }
        }
        subject_close(&s);
    }
}

/* Much longer tiles first, in their order; the others as they were; nothing lost. */
static void
test_longest_first(void **state)
{
    static const int64_t cost[] = {10, 3, 39, 41, 7, 800, 0, 159, 160, 12};
    static const int64_t expect[] = {5, 8, 3, 7, 0, 1, 2, 4, 6, 9};
    sb_tile tile[10];

    (void)state;
    for (int64_t q = 0; q < 10; q++)
        tile[q] = (sb_tile){1, q, q + 1, cost[q]};
    sb_tiles_longest_first(tile, 10, 10);
    for (int q = 0; q < 10; q++) {
        assert_int_equal(tile[q].lo, expect[q]);
        assert_int_equal(tile[q].kind, 1);
        assert_int_equal(tile[q].base, 0);
    }
}

/* A block waits for its longest row. */
static void
test_cost_of_tiles(void **state)
{
    const sb_tile one = {0, 20, 21, 0}, all = {0, 0, 203, 0};
    subject s;

    (void)state;
    subject_open(&s, &makers[0]);
    assert_int_equal(sb_tile_cost(&one, &s.p, &s.v, 1),
                     sb_view_lo(&s.v, 21) - sb_view_lo(&s.v, 20) + 2);
    assert_int_equal(sb_tile_cost(&one, &s.p, &s.v, 8),
                     8 * sb_tile_cost(&one, &s.p, &s.v, 1));
    assert_int_equal(sb_tile_cost(&all, &s.p, &s.v, 1), s.v.nnz + 2 * 203);
    subject_close(&s);
}

/* What a part costs is what its tiles do, where offsets say it. */
static void
test_total(void **state)
{
    (void)state;
    for (int k = 0; k < SB_COUNT(makers); k++) {
        int64_t sum = 0;
        bool listed;
        subject s;

        subject_open(&s, &makers[k]);
        listed = s.p.narray > 0 && s.p.kind != SB_PART_COO && s.p.kind != SB_PART_DIA &&
                 s.p.kind != SB_PART_ROWS && s.p.kind != SB_PART_ELL;
        for (int g = 0; g < s.p.ngroup; g++) {
            const sb_part_group *gr = &s.p.group[g];
            const sb_tile all = {0, gr->lo, gr->hi, 0};

            sum += sb_tile_cost(&all, &s.p, &s.v, 1);
        }
        assert_int_equal(sb_tiles_total(&s.p), listed ? sum : s.p.nnz);
        subject_close(&s);
    }
}

/* Chunks of masked rows cost less than their entries: threads have as many tiles as of other
 * forms, not a fifth of them. Values of the next window are asked for where that was measured;
 * coordinates go by rows. */
static void
test_tiles_of_chunks(void **state)
{
    const gen_spec spec = {.family = GEN_FULL,
                           .rows = 480,
                           .cols = 640,
                           .seed = 3,
                           .density = 1,
                           .format = SB_FORMAT_CSR,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F32};
    const sb_options opt = {.plan = "(plan spmv (part mask 4))"};
    static int32_t row[480 * 640];
    sb_problem pb = {.op = SB_OP_SPMV, .compute = SB_F32, .batch = 1};
    sb_backend two = sb_cpu_backend;
    sb_plan *plan;

    (void)state;
    two.threads = two_threads;
    sb_backend_set(&two);
    pb.a = gen_matrix(&spec);
    pb.b = gen_dense(&(gen_dense_spec){
        .rows = spec.cols, .cols = 1, .ld = 1, .type = SB_F32, .seed = 1});
    pb.c = gen_dense(&(gen_dense_spec){
        .rows = spec.rows, .cols = 1, .ld = 1, .type = SB_F32, .seed = 2});
    pb.alpha.re = 1;
    assert_true(pb.a.nnz > 300000);
    assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
    assert_true(plan->ntile >= 20);
    assert_int_equal(plan_number(plan, "mask_each"), sb_target_get()->wide ? 64 : 0);
    sb_plan_release(plan);
    pb.a.format = SB_FORMAT_COO; /* no offsets of rows to find values by */
    pb.a.row = row;
    for (int64_t i = 0; i < spec.rows; i++)
        for (int32_t p = ((const int32_t *)pb.a.ptr)[i];
             p < ((const int32_t *)pb.a.ptr)[i + 1]; p++)
            row[p] = (int32_t)i;
    assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
    assert_non_null(strstr(plan->text, "(part rows"));
    sb_plan_release(plan);
    pb.a.format = SB_FORMAT_CSR;
    pb.a.row = NULL;
    gen_free_matrix(&pb.a);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
    sb_backend_set(&sb_cpu_backend);
}

/* A short product has a tile a thread: cut by entries and rows, which a third is not to begin. */
static void
test_tile_a_thread(void **state)
{
    const sb_work w = {.op = SB_OP_SPMM,
                       .m = 11635,
                       .k = 11635,
                       .n = 8,
                       .nnz = 24162,
                       .b_size = 4,
                       .c_size = 4,
                       .compute_size = 4},
                  rows = {.op = SB_OP_SPMM,
                          .m = 1000000,
                          .k = 9,
                          .n = 8,
                          .nnz = 1000,
                          .b_size = 4,
                          .c_size = 4,
                          .compute_size = 4},
                  many = {.op = SB_OP_SPMM,
                          .m = 2924,
                          .k = 2924,
                          .n = 8,
                          .nnz = 6284,
                          .b_size = 4,
                          .c_size = 4,
                          .compute_size = 4};
    sb_work vector = {.op = SB_OP_SPMV, .m = 1000, .k = 1000, .n = 1};
    sb_work few = {.op = SB_OP_SPMM, .m = 223, .k = 472, .n = 16, .nnz = 2768};

    (void)state;
    /* almost without entries, C's rows are work for all threads */
    assert_int_equal(sb_work_units(&rows, rows.nnz) /
                         sb_work_grain(&rows, rows.nnz, SB_ISA_V3, 2),
                     1);
    for (int threads = 1; threads <= 4; threads++)
        assert_true(threads * sb_work_grain(&w, w.nnz, SB_ISA_V3, threads) >=
                    w.nnz + w.m);
    /* a vector that one thread is done with before another has begun; masks of 40 000 entries
     * cost less, and are not such */
    vector.nnz = 7000;
    assert_true(sb_work_grain(&vector, 7000, SB_ISA_V3, 2) > 1000000);
    vector.nnz = 12000;
    assert_true(sb_work_grain(&vector, 12000, SB_ISA_V3, 2) < 4500);
    /* slots, with two a row among them */
    assert_true(sb_work_grain(&vector, 12999, SB_ISA_V3, 2) > 1000000);
    assert_true(sb_work_grain(&vector, 13000, SB_ISA_V3, 2) < 4500);
    /* rows are work, too, and all of it where they have next to no entries */
    vector.m = 7000;
    vector.nnz = 600;
    assert_true(sb_work_grain(&vector, 600, SB_ISA_V3, 2) < 4500);
    assert_int_equal(sb_work_units(&vector, 600), 7600);
    vector.nnz = 7000;
    assert_int_equal(sb_work_units(&vector, 600), 600); /* a part */
    /* short rows of several columns take longer than their bytes */
    assert_true(sb_work_grain(&many, many.nnz, SB_ISA_V4, 2) < 5000);
    /* nor are rows of several columns, of so few bytes */
    few.b_size = few.c_size = few.compute_size = 4;
    assert_true(sb_work_grain(&few, few.nnz, SB_ISA_V3, 2) > 1000000);
    assert_true(sb_work_grain(&few, few.nnz, SB_ISA_V2, 2) < few.nnz); /* slower */
    few.b_size = few.c_size = 2;                                       /* converted */
    assert_true(sb_work_grain(&few, few.nnz, SB_ISA_V3, 2) < few.nnz);
    few.b_size = few.c_size = few.compute_size = 8;
    assert_true(sb_work_grain(&few, few.nnz, SB_ISA_V3, 2) < few.nnz);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cover),         cmocka_unit_test(test_finest),
        cmocka_unit_test(test_even),          cmocka_unit_test(test_longest_first),
        cmocka_unit_test(test_cost_of_tiles), cmocka_unit_test(test_tile_a_thread),
        cmocka_unit_test(test_total),         cmocka_unit_test(test_tiles_of_chunks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
