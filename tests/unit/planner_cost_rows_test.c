/*
 * Zen 4 and 5: windows and panels by what they take against plain rows.
 */
#include "model_cost.h"

#include "planner/candidates.h"
#include "planner/cost.h"
#include "planner/rules.h"

#include <math.h>
#include <stdio.h>

static sb_target machine = {
    .isa = SB_ISA_V4, .threads = 2, .l1 = 48 << 10, .l2 = 2 << 20, .l3 = 64 << 20};

static double
against_rows(const sb_stats *s, const char *part, int64_t n, int size)
{
    char plan[96];

    (void)snprintf(plan, sizeof plan, "(plan spmm (part %s)%s", part,
                   strstr(part, "panel") ? ")" : " (part rows flat 1))");
    return cost_of(s, plan, n, size, &machine).part[0] /
           cost_of(s, "(plan spmm (part csr))", n, size, &machine).part[0];
}

static void
test_against_rows(void **state)
{
    sb_stats s = spread_rows(400), few = spread_rows(20);
    sb_cost dear, cheap;
    double of[9];

    (void)state;
    s.r4 = 3.9;
    s.r8 = 7;
    for (int q = 0; q < SB_STATS_WINDOWS; q++) {
        s.half_share[q] = s.win_share[q] = 1;
        s.win_run[q] = 2;
    }
    for (int b = 2; b <= 8; b += 2) {
        char part[16];

        (void)snprintf(part, sizeof part, "share %d", b);
        of[b] = against_rows(&s, part, 32, 4);
    }
    /* eight rows do not share more than six gain */
    assert_true(of[2] > 0.6 && of[2] < 0.8 && of[4] < 0.85 * of[2] && of[6] < of[4]);
    assert_true(of[8] > of[6]);
    dear =
        cost_of(&s, "(plan spmm (part share 4) (part rows flat 1))", 32, 4, &machine);
    cheap = cost_of(&s, "(plan spmm (part win 4) (part rows flat 1))", 32, 4, &machine);
    assert_true(dear.making > 5 * cheap.making && cheap.making > 0);
    /* short runs are for shared columns */
    assert_true(against_rows(&s, "win 4", 32, 4) > 1.5 * of[4]);
    for (int q = 0; q < SB_STATS_WINDOWS; q++)
        few.half_share[q] = 0.1;
    assert_true(against_rows(&few, "share 3", 128, 4) > 1);
    /* panels by the entries of a segment, and whose rows L1 has twice over */
    s.r4 = s.r8 = 1.3;
    for (int q = 0; q < SB_STATS_PANELS; q++)
        s.panel_run[q] = 40;
    assert_true(against_rows(&s, "panel 128", 128, 4) < 0.9);
    assert_true(against_rows(&s, "panel 512", 128, 4) >
                1.1 * against_rows(&s, "panel 128", 128, 4));
    for (int q = 0; q < SB_STATS_PANELS; q++)
        s.panel_run[q] = 3;
    assert_true(against_rows(&s, "panel 128", 128, 4) > 1.05);
}

/* What leaves the last cache is plain rows', which ask ahead and store C past the caches; least
 * where rows of A share those of B, and three of them do store so. */
static void
test_far_away(void **state)
{
    static const double reuse[] = {1.5, 3};
    sb_stats s = spread_rows(40);
    double near[2], far[2];

    (void)state;
    for (int q = 0; q < SB_STATS_WINDOWS; q++)
        s.half_share[q] = 0.6;
    for (int r = 0; r < 2; r++) {
        s.r4 = reuse[r];
        machine.l3 = 1 << 30;
        near[0] = against_rows(&s, "share 4", 512, 4);
        near[1] = against_rows(&s, "share 3", 512, 8);
        machine.l3 = 2 << 20;
        far[0] = against_rows(&s, "share 4", 512, 4);
        far[1] = against_rows(&s, "share 3", 512, 8);
        machine.l3 = 64 << 20;
        assert_true(r == 0 ? far[0] > 1.4 * near[0] : far[0] < 1.01 * near[0]);
        assert_true(r == 0 ? far[1] > near[1] && far[1] < 1.2 * near[1]
                           : far[1] < 1.01 * near[1]);
    }
}

/* Rows of C are little beside hundreds of entries; where these crowd L3, panels of Zen 4 gain of rows in
 * no order whose B leaves L2. */
static void
test_crowded(void **state)
{
    const sb_target before = machine;
    sb_stats s = spread_rows(400), local;
    double far, near, crowd;

    (void)state;
    s.r4 = s.r8 = 1.3;
    for (int q = 0; q < SB_STATS_WINDOWS; q++)
        s.half_share[q] = 0.6;
    for (int q = 0; q < SB_STATS_PANELS; q++)
        s.panel_run[q] = 40;
    local = s;
    s.strewn = 0.5;
    local.strewn = 0.49;
    near = against_rows(&local, "share 4", 128, 4);
    machine.l2 = 1 << 20; /* A has 3.2 MB, B 2 MB */
    machine.l3 = 7 << 20;
    far = against_rows(&local, "share 4", 128, 4);
    assert_true(far > near && far < 1.1 * near);
    near = against_rows(&local, "panel 128", 128, 4);
    crowd = against_rows(&s, "panel 128", 128, 4);
    assert_true(crowd > 0.73 * near && crowd < 0.75 * near);
    machine.l3 = 8 << 20;
    assert_true(against_rows(&s, "panel 128", 128, 4) >
                0.99 * against_rows(&local, "panel 128", 128, 4));
    machine.l3 = 7 << 20;
    machine.l2 = 2 << 20;
    assert_true(against_rows(&s, "panel 128", 128, 4) >
                0.99 * against_rows(&local, "panel 128", 128, 4));
    machine = before;
}

/* Zen 5: plain rows that ask for what the last entries name are ahead of all else; panels gain nothing
 * where a band's rows of B are near already, and wait for values where A, B and C leave L3. */
static void
test_bands_on_wide(void **state)
{
    const sb_target zen4 = machine;
    sb_stats s = spread_rows(40), band, onward;
    double near, far;

    (void)state;
    machine.wide = true;
    sb_target_defaults(&machine);
    for (int q = 0; q < SB_STATS_PANELS; q++)
        s.panel_run[q] = 20;
    for (int q = 0; q < SB_STATS_WINDOWS; q++)
        s.half_share[q] = s.win_share[q] = 0.8;
    s.distinct = s.bandwidth = s.cols = 100000;
    s.nnz = 40 * s.distinct;
    band = onward = s;
    band.bandwidth = 200;
    assert_true(against_rows(&band, "panel 192", 64, 4) >
                1.2 * against_rows(&s, "panel 192", 64, 4));
    band.mean = 400; /* of which L1 keeps nothing */
    s.mean = 400;
    assert_true(against_rows(&band, "panel 192", 64, 4) ==
                against_rows(&s, "panel 192", 64, 4));
    onward.onward = 1;
    for (int q = 0; q < 2; q++) {
        const char *const part = q ? "panel 96" : "share 4";

        machine.l3 = 256 << 20;
        near = against_rows(&onward, part, 128, 4);
        machine.l3 = 32 << 20;
        far = against_rows(&onward, part, 128, 4);
        assert_true(far > 2 * near);
        onward.onward = 0.5;
        near = against_rows(&onward, part, 128, 4);
        onward.onward = 1;
        assert_true(far > 1.5 * near);
    }
    s.mean = 40;
    machine.l3 = 1 << 30;
    near = against_rows(&s, "panel 192", 32, 8);
    machine.l3 = 8 << 20;
    far = against_rows(&s, "panel 192", 32, 8);
    assert_true(far > 1.1 * near);
    machine.l3 = 1 << 30;
    s.strewn = 0.79;
    near = against_rows(&s, "panel 192", 64, 4);
    s.strewn = 0.8; /* rows ask for first lines */
    far = against_rows(&s, "panel 192", 64, 4);
    assert_true(far > 1.09 * near && far < 1.11 * near);
    machine = zen4;
}

/* Zen 5: every height, width, place of values and kind has a price, of what was sampled or not; the
 * more rows share a column, the less it costs each. */
static void
test_all_forms_on_wide(void **state)
{
    static const int64_t distinct[] = {1, 1000, 100000, 10000000};
    const sb_target zen4 = machine;

    (void)state;
    machine.wide = true;
    sb_target_defaults(&machine);
    for (int known = 0; known < 2; known++)
        for (int d = 0; d < SB_COUNT(distinct); d++)
            for (int64_t n = 32; n <= 1024; n *= 2) {
                sb_stats s = spread_rows(known ? 100 : 30);
                double before = 2;

                s.distinct = distinct[d];
                s.r4 = s.r8 = known ? 3.9 : 0; /* 0: all samples were empty */
                for (int q = 0; q < SB_STATS_PANELS; q++)
                    s.panel_run[q] = known ? 20 : 0;
                for (int q = 0; q < SB_STATS_WINDOWS; q++)
                    s.half_share[q] = s.win_share[q] = known ? 1 : 0;
                for (int b = 2; b <= 8; b++) {
                    char share[16], win[16], panel[16];
                    double one;

                    (void)snprintf(share, sizeof share, "share %d", b);
                    (void)snprintf(win, sizeof win, "win %d", b);
                    (void)snprintf(panel, sizeof panel, "panel %d", 12 << b);
                    one = against_rows(&s, share, n, 4);
                    assert_true(isfinite(one) && one > 0.05 && one < 20);
                    if (known && b <= 4)
                        assert_true(one < before);
                    before = one;
                    one = against_rows(&s, win, n, 4);
                    assert_true(isfinite(one) && one > 0.05 && one < 20);
                    one = against_rows(&s, panel, n, 4);
                    assert_true(isfinite(one) && one > 0.05 && one < 20);
                }
            }
    machine = zen4;
}

/* Zen 5: windows of eight doubles are cheaper than by the terms of others, of more columns and of
 * floats not. */
static void
test_whole_registers(void **state)
{
    static const char *const plans[] = {
        "(plan spmm (part win 4) (part rows flat 1))",
        "(plan spmm (part share 4) (part rows flat 1))"};
    sb_stats s = spread_rows(40);
    sb_target zen5 = machine;

    (void)state;
    zen5.wide = true; /* at the same rates */
    for (int q = 0; q < SB_STATS_WINDOWS; q++)
        s.half_share[q] = s.win_share[q] = 1;
    for (int p = 0; p < 2; p++)
        for (int64_t n = 8; n <= 16; n += 8)
            for (int size = 4; size <= (n == 8 ? 8 : 4); size += 4) {
                const double wide =
                    cost_of(&s, plans[p], n, size, &zen5).terms[0].entry;
                const double other =
                    cost_of(&s, plans[p], n, size, &machine).terms[0].entry;

                assert_true(n == 8 && size == 8 ? wide < 0.7 * other : wide == other);
            }
}

/* Zen 4 and 5: plain rows of any width end where B's do, forms in tiles cut short by masks or in a second
 * one: dearer than between widths that are tiles, but where rows of B have a line or less. */
static void
test_between(void **state)
{
    static const struct {
        sb_part_choice part;
        int64_t n, whole;
        double least, most;
    } cases[] = {{{.kind = SB_PART_WIN, .size = 4}, 12, 16, 0.6, 0.9},
                 {{.kind = SB_PART_SHARE, .size = 3}, 24, 32, 1.05, 2},
                 {{.kind = SB_PART_SHARE, .size = 4}, 40, 64, 1.15, 2},
                 {{.kind = SB_PART_SHARE, .size = 6}, 48, 64, 1.15, 2},
                 {{.kind = SB_PART_SHARE, .size = 3}, 200, 256, 1.1, 2},
                 {{.kind = SB_PART_BSR, .size = 3}, 48, 64, 1.25, 2},
                 {{.kind = SB_PART_PANEL, .size = 128}, 100, 128, 1.05, 1.5},
                 {{.kind = SB_PART_CSR}, 100, 128, 1, 1}};
    sb_target zen5 = machine, fast = machine;

    (void)state;
    zen5.wide = true;
    fast.isa = SB_ISA_V4G;
    for (int q = 0; q < (int)(sizeof cases / sizeof *cases); q++) {
        sb_work w = {.op = SB_OP_SPMM, .n = cases[q].n};
        double factor;

        w.a_type = SB_F32;
        w.a_size = w.b_size = w.c_size = w.compute_size = 4;
        factor = sb_rows_wide_between(&cases[q].part, &w, &zen5);
        assert_true(factor >= cases[q].least && factor <= cases[q].most);
        assert_true(sb_rows_wide_between(&cases[q].part, &w, &machine) == factor);
        assert_true(sb_rows_wide_between(&cases[q].part, &w, &fast) == 1);
        w.n = cases[q].whole;
        assert_true(sb_rows_wide_between(&cases[q].part, &w, &zen5) == 1);
    }
}

/* Of two widths, the narrower ones by what is known of L1: 48 KiB on Zen 5, 32 on Zen 3, else 64. */
static void
test_panel_widths(void **state)
{
    const sb_target *t = sb_target_get();
    const sb_problem pb = {.op = SB_OP_SPMM,
                           .a = {.rows = 5000, .cols = 5000, .nnz = 500000},
                           .b = {.rows = 5000, .cols = 128, .ld = 128, .type = SB_F32},
                           .c = {.rows = 5000, .cols = 128, .ld = 128, .type = SB_F32},
                           .compute = SB_F32,
                           .batch = 1};
    const int widest = t->isa == SB_ISA_V3 ? 128 : 256;
    int found = 0;
    sb_choice ch;

    (void)state;
    for (int q = 0; sb_candidate(&ch, &pb, true, false, 7, q); q++)
        if (ch.part[0].kind == SB_PART_PANEL) {
            const int narrow = t->wide ? widest / 8 * 3 : widest / 2;

            assert_int_equal(ch.part[0].size, found == 0 ? narrow : widest);
            found++;
        }
    assert_int_equal(found, 2);
}

/* Zen 5: shared columns and blocks in place wait for values of A where windows ask for them, from 0.4 of
 * L3 on, less of longer rows of B; windows of sampled products too. Blocks, packed as well, where A, B
 * and C have 0.8 of L3. */
static void
test_unasked(void **state)
{
    const sb_target zen5 = {.isa = SB_ISA_V4, .wide = true, .l3 = 1000},
                    zen4 = {.isa = SB_ISA_V4, .l3 = 1000};
    const sb_part_choice win = {.kind = SB_PART_WIN, .size = 4},
                         share = {.kind = SB_PART_SHARE, .size = 3},
                         tall = {.kind = SB_PART_SHARE, .size = 4},
                         bsr = {.kind = SB_PART_BSR, .size = 3},
                         rows = {.kind = SB_PART_CSR};
    sb_work w = {.op = SB_OP_SPMM,
                 .n = 32,
                 .nnz = 51,
                 .a_type = SB_F64,
                 .a_size = 8,
                 .b_size = 8,
                 .compute_size = 8,
                 .idx_size = 4};

    (void)state;
    assert_true(sb_rows_wide_unasked(&share, &w, &zen5, false) == 1.8);
    assert_true(sb_rows_wide_unasked(&bsr, &w, &zen5, false) == 1.8);
    assert_true(sb_rows_wide_unasked(&share, &w, &zen5, true) == 1);
    assert_true(sb_rows_wide_unasked(&win, &w, &zen5, false) == 1);
    assert_true(sb_rows_wide_unasked(&rows, &w, &zen5, false) == 1);
    assert_true(sb_rows_wide_unasked(&share, &w, &zen4, false) == 1);
    w.n = 33;
    assert_true(sb_rows_wide_unasked(&share, &w, &zen5, false) == 1.3);
    w.n = 32;
    w.nnz = 50;
    assert_true(sb_rows_wide_unasked(&share, &w, &zen5, false) == 1);
    assert_true(sb_rows_wide_unasked(&bsr, &w, &zen5, true) == 1);
    w.k = 1; /* 856 bytes */
    assert_true(sb_rows_wide_unasked(&bsr, &w, &zen5, true) == 1.4);
    w.n = 33;
    w.k = 2; /* 1128 bytes */
    assert_true(sb_rows_wide_unasked(&tall, &w, &zen5, true) == 1.3);
    assert_true(sb_rows_wide_unasked(&share, &w, &zen5, true) == 1);
    w.k = 1; /* 864 */
    assert_true(sb_rows_wide_unasked(&tall, &w, &zen5, true) == 1);
    w.n = 32;
    w.nnz = 51;
    assert_true(sb_rows_wide_unasked(&share, &w, &zen5, false) == 1.8);
    w.op = SB_OP_SDDMM; /* priced by sb_rows_wide_dots */
    assert_true(sb_rows_wide_unasked(&share, &w, &zen5, false) == 1);
}

/* Masks are made for the CPU alone, on a machine where that was timed. */
static void
test_making_masks(void **state)
{
    static const sb_gpu_facts facts;
    const sb_part_choice mask = {.kind = SB_PART_MASK, .size = 1};
    const sb_amounts am = {.slots = 1000};
    const sb_work w = {.op = SB_OP_SPMV, .n = 1};
    sb_target t = {.isa = SB_ISA_V4, .wide = true, .threads = 2};

    (void)state;
    assert_true(sb_cost_making(&mask, &am, &w, &t) > 0);
    t.gpu = &facts;
    assert_true(sb_cost_making(&mask, &am, &w, &t) == 0);
    t.gpu = NULL;
    t.wide = false;
    assert_true(sb_cost_making(&mask, &am, &w, &t) == 0);
}

/* Coordinates clear all of C before they add to it, rows by length those without entries: beside plain rows
 * neither is cheap where rows are mostly empty. */
static void
test_clearing(void **state)
{
    static const char *const parts[] = {"coo", "rows hyb 1 1"};
    sb_stats s = spread_rows(1), none;
    sb_target zen5 = machine;

    (void)state;
    s.rows = 100000;
    s.empty = 99000;
    s.nnz = 1000;
    s.mean = 0.01;
    none = s;
    for (int n = 8; n <= 64; n *= 8)
        for (int q = 0; q < 2; q++) {
            char plan[64];

            (void)snprintf(plan, sizeof plan, "(plan spmm (part %s))", parts[q]);
            assert_true(
                cost_of(&s, plan, n, 4, &machine).seconds >
                0.7 * cost_of(&s, "(plan spmm (part csr))", n, 4, &machine).seconds);
        }
    zen5.wide = true;
    none.empty = 0;
    assert_true(
        cost_of(&s, "(plan spmv (part sell))", 1, 4, &zen5).terms[0].unit <
        0.6 * cost_of(&none, "(plan spmv (part sell))", 1, 4, &zen5).terms[0].unit);
    assert_true(cost_of(&s, "(plan spmv (part coo))", 1, 4, &machine).seconds >
                2 * cost_of(&s, "(plan spmv (part sell))", 1, 4, &machine).seconds / 3);
}

/* Zen 5: panels bring no row of B sooner that is named once, nor those of communities, which plain rows
 * find near. */
static void
test_nearer(void **state)
{
    const sb_target zen4 = machine;
    sb_stats s = spread_rows(40), once, near;

    (void)state;
    machine.wide = true;
    sb_target_defaults(&machine);
    s.cols = s.distinct = 65536;
    s.bandwidth = s.cols;
    s.nnz = 40 * s.cols;
    for (int q = 0; q < SB_STATS_PANELS; q++)
        s.panel_run[q] = 1;
    once = near = s;
    once.distinct = s.nnz;
    near.r4 = near.r8 = 1;
    assert_true(against_rows(&once, "panel 192", 128, 4) >
                1.2 * against_rows(&s, "panel 192", 128, 4));
    machine.l2 = machine.l3 = (int64_t)1 << 40; /* hold B */
    assert_true(against_rows(&once, "panel 192", 128, 4) >
                1.1 * against_rows(&s, "panel 192", 128, 4));
    machine.l2 = 1 << 20;
    machine.l3 = 32 << 20;
    for (int q = 0; q < SB_STATS_PANELS; q++)
        near.panel_run[q] = 8;
    s = near;
    s.cols = 40 * 512 / 8 - 1; /* as often as in no order */
    assert_true(against_rows(&near, "panel 1024", 32, 4) >
                1.15 * against_rows(&s, "panel 1024", 32, 4));
    machine = zen4;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_rows),  cmocka_unit_test(test_far_away),
        cmocka_unit_test(test_crowded),       cmocka_unit_test(test_all_forms_on_wide),
        cmocka_unit_test(test_bands_on_wide), cmocka_unit_test(test_whole_registers),
        cmocka_unit_test(test_between),       cmocka_unit_test(test_panel_widths),
        cmocka_unit_test(test_unasked),       cmocka_unit_test(test_making_masks),
        cmocka_unit_test(test_clearing),      cmocka_unit_test(test_nearer)};

    sb_target_defaults(&machine);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
