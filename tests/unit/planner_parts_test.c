/*
 * Partitions of the columns whose rows of B L2 holds, on level v4g: which products are priced, what
 * prices say, and what ESTIMATE chooses, in place and by slabs (docs/measured/spmm-partitions.md).
 */
#include "base/macro.h"
#include "cpu/cpu.h"
#include "plan_text.h"
#include "planner/cost.h"
#include "planner/rules.h"
#include "product_work.h"
#include "runtime/backend.h"
#include "runtime/target.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const sb_target fast = {
    .isa = SB_ISA_V4G, .threads = 2, .l1 = 48 << 10, .l2 = 2 << 20, .l3 = 300 << 20};

/* The cheapest number of partitions of a uniform matrix, 1: plain rows. */
static int
cheapest(int64_t columns, int row, double mean)
{
    const sb_stats s = {.sorted = true, .r4 = 1, .mean = mean};
    double least = 1;
    int best = 1;

    for (int parts = 2; parts <= 16; parts *= 2) {
        const double ratio =
            sb_cost_partitions(parts, (double)columns * row, row, &s, &fast);

        if (sb_rule_spread(&s, parts) && ratio < least) {
            least = ratio;
            best = parts;
        }
    }
    return best;
}

/* As the clock had it, or next to it: so many that L2 holds one, while pieces are long enough. */
static void
test_cheapest(void **state)
{
    static const struct {
        int64_t columns;
        int row;
        double mean;
        int want;
    } cases[] = {
        {3000, 512, 96, 1},   {6000, 512, 32, 2},   {6000, 512, 96, 2},
        {8000, 512, 48, 4},   {16000, 512, 64, 8},  {16000, 512, 192, 8},
        {16000, 512, 15, 1},  {6000, 1024, 96, 4},  {16000, 1024, 192, 16},
        {16000, 1024, 64, 8}, {32000, 1024, 24, 1}, {6000, 256, 96, 1},
        {16000, 256, 64, 4},  {16000, 256, 192, 4}, {16000, 256, 15, 1},
    };

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        const int got = cheapest(cases[q].columns, cases[q].row, cases[q].mean);

        if (got != cases[q].want)
            fail_msg("case %d: %d partitions", q, got);
    }
}

/* Rows of B of 256 to 2047 bytes, by rows, of real elements that are computed with as they are. */
static void
test_priced(void **state)
{
    static const sb_target others[] = {
        {.isa = SB_ISA_V3}, {.isa = SB_ISA_V4}, {.isa = SB_ISA_V4, .wide = true}};
    sb_work w = product(64, 4);

    (void)state;
    assert_true(sb_rule_partitions(&w, &fast));
    for (int q = 0; q < SB_COUNT(others); q++)
        assert_false(sb_rule_partitions(&w, &others[q]));
    w.n = 63;
    assert_false(sb_rule_partitions(&w, &fast));
    w.n = 511;
    assert_true(sb_rule_partitions(&w, &fast));
    w.n = 512;
    assert_false(sb_rule_partitions(&w, &fast));
    w.n = 128;
    w.col_major = true;
    assert_false(sb_rule_partitions(&w, &fast));
    w.col_major = false;
    w.complex = true;
    assert_false(sb_rule_partitions(&w, &fast));
    w.complex = false;
    w.b_size = 2;
    assert_false(sb_rule_partitions(&w, &fast));
    w = product(16, 4); /* dots of any length from 256 bytes on */
    w.op = SB_OP_SDDMM;
    w.k = 63;
    assert_false(sb_rule_partitions(&w, &fast));
    w.k = 64;
    assert_true(sb_rule_partitions(&w, &fast));
    w.k = 4096;
    assert_true(sb_rule_partitions(&w, &fast));
    w.op = SB_OP_SPMV;
    assert_false(sb_rule_partitions(&w, &fast));
}

/* Where rows wait for L3, panels gain more than their own price says: of 512 bytes a row and more, where L2
 * does not hold B, whose columns lie all over. */
static void
test_panels(void **state)
{
    const sb_part_choice panel = {.kind = SB_PART_PANEL, .size = 256},
                         rows = {.kind = SB_PART_ROWS, .c = 2, .k = -1};
    sb_stats s = {.sorted = true, .r4 = 1.1, .mean = 100, .distinct = 4000};
    sb_work w = product(128, 4);

    (void)state;
    assert_true(sb_cost_panels_spilt(&panel, &w, &s, &fast, false) == 0.88);
    assert_true(sb_cost_panels_spilt(&panel, &w, &s, &fast, true) == 0.8);
    assert_true(sb_cost_panels_spilt(&rows, &w, &s, &fast, false) == 1);
    s.distinct = 3000;
    assert_true(sb_cost_panels_spilt(&panel, &w, &s, &fast, false) == 1);
    s.distinct = 8000;
    w.n = 127;
    assert_true(sb_cost_panels_spilt(&panel, &w, &s, &fast, false) == 1);
    w.n = 128;
    s.r4 = 1.3;
    assert_true(sb_cost_panels_spilt(&panel, &w, &s, &fast, false) == 1);
}

/* Entries all over, in order, six of a row in each partition. */
static void
test_spread(void **state)
{
    (void)state;
    assert_true(sb_rule_spread(&(sb_stats){.sorted = true, .r4 = 1.19, .mean = 12}, 2));
    assert_false(sb_rule_spread(&(sb_stats){.sorted = true, .r4 = 1.2, .mean = 12}, 2));
    assert_false(
        sb_rule_spread(&(sb_stats){.sorted = true, .r4 = 1.19, .mean = 11.9}, 2));
    assert_false(sb_rule_spread(&(sb_stats){.r4 = 1.19, .mean = 12}, 2));
    assert_false(sb_rule_spread(&(sb_stats){.sorted = true, .mean = 12}, 2));
}

/* Barriers are in their price: the choice is the same for any number of threads. */
static void
test_threads(void **state)
{
    const sb_stats s = {.rows = 6000,
                        .cols = 6000,
                        .nnz = 576000,
                        .mean = 96,
                        .distinct = 6000,
                        .sorted = true,
                        .r4 = 1.02};
    const sb_choice flat = {.op = SB_OP_SPMM,
                            .npart = 1,
                            .part = {{.kind = SB_PART_ROWS, .c = 8, .k = -1}}};
    sb_work w = product(128, 4);
    sb_cost cost;

    (void)state;
    w.m = w.k = 6000;
    w.nnz = 576000;
    sb_cost_predict(&cost, &flat, &w, &s, &fast);
    assert_true(cost.steps == 1);
}

/* On every level a partition's step has at least three tiles for each of a few threads. */
static void
test_tiles(void **state)
{
    const gen_spec spec = {.family = GEN_UNIFORM,
                           .rows = 3000,
                           .cols = 3000,
                           .density = 0.03,
                           .seed = 7,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F32};
    float none[1];
    sb_problem pb = {.op = SB_OP_SPMM,
                     .b = {.rows = 3000, .cols = 32, .ld = 32, .type = SB_F32},
                     .c = {.rows = 3000, .cols = 32, .ld = 32, .type = SB_F32},
                     .compute = SB_F32,
                     .alpha = {1, 0},
                     .batch = 1};
    const sb_options opt = {.plan = "(plan spmm (part rows flat 8) (tile 32))"};
    const int threads = sb_target_get()->threads;
    sb_plan *plan;

    (void)state;
    pb.a = gen_matrix(&spec);
    pb.b.data = pb.c.data = none;
    assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
    assert_int_equal(plan->nstep, 8);
    for (int q = 0; q < plan->nstep; q++)
        if (plan->step[q].tile_hi - plan->step[q].tile_lo <
            3 * (threads < 8 ? threads : 8))
            fail_msg("step %d has %d tiles", q,
                     (int)(plan->step[q].tile_hi - plan->step[q].tile_lo));
    sb_plan_release(plan);
    gen_free_matrix(&pb.a);
}

/* ---- what ESTIMATE chooses --------------------------------------------------------- */

static void
test_chosen(void **state)
{
    static const struct {
        gen_family family;
        int64_t rows, n;
        double density;
        sb_dtype type;
        const char *want; /* NULL: no partitions */
    } cases[] = {
        {GEN_UNIFORM, 6000, 128, 0.016, SB_F32, "(part rows flat 2)"},
        {GEN_UNIFORM, 6000, 64, 0.016, SB_F64, "(part rows flat 2)"},
        {GEN_UNIFORM, 6000, 128, 0.0016, SB_F32, NULL},
        {GEN_UNIFORM, 2500, 128, 0.02, SB_F32, NULL},
        {GEN_BANDED, 6000, 128, 0.016, SB_F32, NULL},
    };
    gen_spec wide = {
        .family = GEN_UNIFORM, .rows = 6000, .cols = 2000, .density = 0.048};
    int32_t *at;
    sb_matrix a;
    char text[256];

    (void)state;
    if (sb_target_get()->isa != SB_ISA_V4G || sb_target_get()->l2 != fast.l2)
        skip();
    for (int q = 0; q < SB_COUNT(cases); q++) {
        const gen_spec spec = {.family = cases[q].family,
                               .rows = cases[q].rows,
                               .cols = cases[q].rows,
                               .density = cases[q].density};

        plan_text_of(text, sizeof text, spec, cases[q].n, cases[q].type, false);
        if (cases[q].want ? !strstr(text, cases[q].want)
                          : strstr(text, "flat") && !strstr(text, "flat 1)"))
            fail_msg("case %d: %s", q, text);
    }
    wide.seed = 7;
    wide.ptr_type = wide.idx_type = SB_I32;
    wide.val_type = SB_F32;
    a = gen_matrix(&wide);
    a.cols = 6000;
    at = (int32_t *)(void *)(uintptr_t)a.idx;
    for (int64_t i = 0; i < a.rows; i++) { /* a band of a third of the columns */
        const int32_t *ptr = a.ptr;

        for (int32_t p = ptr[i]; p < ptr[i + 1]; p++)
            at[p] += (int32_t)(2 * i / 3);
    }
    plan_text(text, sizeof text, &a, 128, SB_F32, false);
    if (strstr(text, "(part rows flat"))
        fail_msg("band: %s", text);
    gen_free_matrix(&a);
}

/* Sampled products, whose second factor's columns are what is gathered. */
static void
test_dots(void **state)
{
    const gen_spec spec = {.family = GEN_UNIFORM,
                           .rows = 6000,
                           .cols = 6000,
                           .density = 0.016,
                           .seed = 7,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F64};
    float none[1];
    sb_problem pb = {.op = SB_OP_SDDMM,
                     .b = {.rows = 6000, .cols = 128, .ld = 128, .type = SB_F64},
                     .c = {.rows = 128, .cols = 6000, .ld = 128, .type = SB_F64},
                     .compute = SB_F64,
                     .alpha = {1, 0},
                     .batch = 1};
    sb_options opt = {0};
    sb_plan *plan;

    (void)state;
    if (sb_target_get()->isa != SB_ISA_V4G || sb_target_get()->l2 != fast.l2)
        skip();
    pb.a = gen_matrix(&spec);
    pb.b.data = pb.c.data = none; /* an analysis reads no dense array */
    pb.c.col_major = true;
    assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
    if (!strstr(plan->text, "(part rows flat 4) (tile 128)"))
        fail_msg("%s", plan->text);
    sb_plan_release(plan);
    pb.c.col_major = false; /* no columns of it are gathered whole */
    pb.c.ld = 6000;
    assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
    if (strstr(plan->explain, "flat 4))  (no kernel")) /* it was to be had */
        fail_msg("%s", plan->explain);
    assert_null(strstr(plan->text, "flat"));
    sb_plan_release(plan);
    gen_free_matrix(&pb.a);
}

/* A slab of 256 bytes that L2 does not hold. */
static void
test_slab(void **state)
{
    const gen_spec spec = {
        .family = GEN_UNIFORM, .rows = 14000, .cols = 14000, .density = 0.007};
    char text[256];

    (void)state;
    if (sb_target_get()->isa != SB_ISA_V4G || sb_target_get()->l2 != fast.l2)
        skip();
    plan_text_of(text, sizeof text, spec, 512, SB_F32, false);
    if (!strstr(text, "(part rows flat 2)") || !strstr(text, "(slab 64)"))
        fail_msg("%s", text);
}

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&sb_cpu_backend);
    return setenv("SPBLAS_ISA", "v4g", 1) || setenv("SPBLAS_JIT", "off", 1) ||
           setenv("SPBLAS_MODEL", "off", 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cheapest), cmocka_unit_test(test_priced),
        cmocka_unit_test(test_spread),   cmocka_unit_test(test_panels),
        cmocka_unit_test(test_dots),     cmocka_unit_test(test_threads),
        cmocka_unit_test(test_tiles),    cmocka_unit_test(test_chosen),
        cmocka_unit_test(test_slab),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
