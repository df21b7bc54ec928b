/*
 * Zen 4: windows and panels by what they take against plain rows.
 */
#include "model_cost.h"

#include "planner/candidates.h"
#include "planner/rules.h"

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
    sb_stats s = spread_rows(100);
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

/* Of two widths: the narrower ones have as many rows of B as L1 holds, or twice that. */
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

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_rows),
                                       cmocka_unit_test(test_far_away),
                                       cmocka_unit_test(test_panel_widths)};

    sb_target_defaults(&machine);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
