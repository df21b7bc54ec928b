/*
 * Strips of a GPU's groups of lanes: every row is in one, or long and shared by all groups of a
 * block; tiles say where their entries are; waves of blocks are full.
 */
#include "base/macro.h"
#include "gen.h"
#include "planner/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SMS = 10, GROUPS = 16, USUAL = 64, WAVE = SMS * 6 * GROUPS };

static const sb_gpu_shape shape = {
    .threads = 128, .rows_per_tile = GROUPS, .strip = USUAL, .resident = 768};

static const sb_gpu_facts facts = {.sms = SMS};
static const sb_target target = {.gpu = &facts};

typedef struct cut {
    sb_problem pb;
    sb_planner pl;
    sb_tile *tile;
    int64_t n, shared; /* tiles; rows that are shared */
} cut;

static void
cut_begin(cut *c, const gen_spec *spec)
{
    const sb_part_group g = {.hi = spec->rows};
    int64_t again = 0;

    *c = (cut){.pb.a = gen_matrix(spec), .pl = {.target = &target}};
    c->pl.pb = &c->pb;
    assert_int_equal(sb_view_make(&c->pl.view, &c->pb.a, false, NULL), SB_OK);
    sb_strips_cut(NULL, &c->n, &c->pl, &g, &shape, 0);
    c->tile = calloc((size_t)c->n + 1, sizeof *c->tile);
    assert_non_null(c->tile);
    sb_strips_cut(c->tile, &again, &c->pl, &g, &shape, 0);
    assert_int_equal(again, c->n);
    for (int64_t t = 0; t < c->n; t++)
        c->shared += (c->tile[t].base & 0xff) == 1;
}

static void
cut_end(cut *c)
{
    free(c->tile);
    sb_view_free(&c->pl.view);
    gen_free_matrix(&c->pb.a);
}

static void
test_cover(void **state)
{
    (void)state;
    for (int f = 0; f < GEN_FAMILY_COUNT; f++) {
        const gen_spec spec = {
            .family = (gen_family)f, .rows = 700, .cols = 300, .density = 0.03};
        int64_t next = 0;
        int *parts;
        cut c;

        cut_begin(&c, &spec);
        parts = calloc(700, sizeof *parts);
        assert_non_null(parts);
        for (int64_t t = 0; t < c.n; t++) {
            const sb_tile *at = &c.tile[t];
            const int share = (int)(at->base & 0xff), of = (int)(at->base >> 8 & 0xff);

            assert_int_equal(of > 0,
                             (c.tile[t / GROUPS * GROUPS].base >> 8 & 0xff) > 0);
            if (at->lo == at->hi)
                continue;
            assert_int_equal(at->kind, sb_view_lo(&c.pl.view, at->lo));
            assert_int_equal(at->base >> 16, sb_view_lo(&c.pl.view, at->hi) - at->kind);
            if (share) { /* groups of a block, in their order; its first is one of these */
                assert_true(share <= of && of <= GROUPS);
                assert_true(t % GROUPS >= share - 1 &&
                            t % GROUPS + of - share < GROUPS);
                assert_true((c.tile[t - share + 1].base & 0xffff) == (of << 8 | 1));
                assert_int_equal(at->hi, at->lo + 1);
                parts[at->lo] += GROUPS / of;
            } else {
                assert_int_equal(of, 0);
                assert_true(at->lo >= next);
                for (int64_t i = at->lo; i < at->hi; i++)
                    parts[i] += GROUPS;
                assert_true(at->hi == at->lo + 1 ||
                            (at->base >> 16) + at->hi - at->lo <= USUAL);
                next = at->hi;
            }
        }
        for (int i = 0; i < 700; i++)
            assert_int_equal(parts[i], GROUPS);
        free(parts);
        cut_end(&c);
    }
}

/* Rows of eight entries: so many that strips of 64 are half a wave, one and a half, and more
 * waves than matter. */
static void
test_waves(void **state)
{
    static const struct {
        int64_t rows;
        double least, most; /* waves */
    } all[] = {{40, 0.04, 1}, {3000, 0.7, 1}, {10000, 1.7, 2}, {60000, 8, 9}};

    (void)state;
    for (int q = 0; q < SB_COUNT(all); q++) {
        const gen_spec spec = {.family = GEN_FULL, .rows = all[q].rows, .cols = 8};
        cut c;

        cut_begin(&c, &spec);
        if ((double)c.n < all[q].least * WAVE || (double)c.n > all[q].most * WAVE)
            fail_msg("%lld rows of %lld entries: %lld strips, %.2f waves",
                     (long long)all[q].rows, (long long)c.pb.a.nnz, (long long)c.n,
                     (double)c.n / WAVE);
        cut_end(&c);
    }
}

/* Rows of 40 entries are shared where they are few, of 70 where rows are shorter, of 97 always. */
static void
test_long(void **state)
{
    static const struct {
        int64_t rows, cols, shared;
    } all[] = {{15, 40, 15}, {100, 40, 0}, {100, 70, 0}, {15, 70, 15}, {100, 97, 100}};

    (void)state;
    for (int q = 0; q < SB_COUNT(all); q++) {
        const gen_spec spec = {
            .family = GEN_FULL, .rows = all[q].rows, .cols = all[q].cols};
        cut c;

        cut_begin(&c, &spec);
        assert_int_equal(c.shared, all[q].shared);
        cut_end(&c);
    }
}

/* Groups that share a row of 120 entries: as many as fill the GPU, no more than a block's. */
static void
test_parts(void **state)
{
    static const struct {
        int64_t rows;
        int parts;
    } all[] = {{20, 16}, {100, 16}, {200, 8}, {500, 2}, {2000, 2}};

    (void)state;
    for (int q = 0; q < SB_COUNT(all); q++) {
        const gen_spec spec = {.family = GEN_FULL, .rows = all[q].rows, .cols = 120};
        cut c;

        cut_begin(&c, &spec);
        assert_int_equal(c.shared, all[q].rows);
        assert_int_equal(c.tile[0].base >> 8 & 0xff, all[q].parts);
        cut_end(&c);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cover), cmocka_unit_test(test_waves),
        cmocka_unit_test(test_long), cmocka_unit_test(test_parts)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
