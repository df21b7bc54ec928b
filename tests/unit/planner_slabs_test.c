/*
 * Which products go by slabs of B, and of how many columns
 * (docs/measured/spmm-slabs.md).
 */
#include "formats/stats.h"
#include "gen.h"
#include "planner/rules.h"
#include "planner/slabs.h"
#include "zen5.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Zen 3: rows of the widest slab have 256 bytes; where L2 holds one of 128, few entries a row
 * do. */
static void
test_short_slabs(void **state)
{
    static const struct {
        int64_t k, n, nnz;
        int size, want;
    } cases[] = {
        {3000, 128, 33000, 8, 32}, {3000, 512, 33000, 4, 64},  {3000, 128, 33000, 4, 0},
        {8000, 128, 99000, 8, 0},  {8000, 128, 160000, 8, 32}, {3000, 128, 20000, 8, 0},
    };
    const sb_target t = {.isa = SB_ISA_V3, .l2 = 512 << 10};

    (void)state;
    for (int q = 0; q < (int)(sizeof cases / sizeof *cases); q++) {
        const sb_problem pb = {.op = SB_OP_SPMM,
                               .b = {.rows = cases[q].k, .cols = cases[q].n},
                               .c = {.rows = cases[q].k, .cols = cases[q].n}};
        sb_work w = {.op = SB_OP_SPMM,
                     .n = cases[q].n,
                     .a_size = cases[q].size,
                     .b_size = cases[q].size,
                     .c_size = cases[q].size,
                     .compute_size = cases[q].size};

        w.m = w.k = cases[q].k;
        w.nnz = cases[q].nnz;
        assert_int_equal(sb_slab_width(&pb, &w, &t), cases[q].want);
    }
}

/* Sizes alone decide about the buffer; on other levels nobody has measured. */
static void
test_room(void **state)
{
    sb_problem pb = {.op = SB_OP_SPMM,
                     .a = {.format = SB_FORMAT_CSR,
                           .rows = 5000,
                           .cols = 5000,
                           .nnz = 300000,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F32},
                     .b = {.rows = 5000, .cols = 512, .ld = 512, .type = SB_F32},
                     .c = {.rows = 5000, .cols = 512, .ld = 512, .type = SB_F32},
                     .compute = SB_F32,
                     .batch = 1};
    const bool here =
        sb_target_zen(sb_target_get()) || sb_target_get()->isa == SB_ISA_V4G;
    const size_t copy = 5000 * 512 * sizeof(float) + 64;

    (void)state;
    assert_int_equal(sb_slab_room(&pb, NULL), here ? copy : 0);
    assert_int_equal(sb_slab_room(&pb, "(plan spmm (part csr))"), here ? copy : 0);
    pb.a.nnz = 90000; /* too few entries a row */
    assert_int_equal(sb_slab_room(&pb, NULL), 0);
    assert_int_equal(sb_slab_room(&pb, "(plan spmm (part csr) (slab 64))"), copy);
    assert_int_equal(sb_slab_room(&pb, "no plan"), 0);
    pb.a.nnz = 300000;
    pb.b.cols = pb.c.cols = 128;
    assert_int_equal(sb_slab_room(&pb, NULL), 0);
    pb.a.nnz = 320000; /* rows of 512 bytes: Zen 3's */
    assert_int_equal(sb_slab_room(&pb, NULL),
                     here && sb_target_get()->isa == SB_ISA_V3 ? copy / 4 + 48 : 0);
}

static void
test_scattered(void **state)
{
    static const struct {
        gen_family family;
        bool all_over;
    } cases[] = {
        {GEN_UNIFORM, true}, {GEN_FULL, true}, {GEN_BANDED, false}, {GEN_EMPTY, false}};

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        const gen_spec spec = {.family = cases[q].family,
                               .rows = 300,
                               .cols = 300,
                               .density = 0.1,
                               .seed = 1,
                               .ptr_type = SB_I32,
                               .idx_type = SB_I32,
                               .val_type = SB_F32};
        sb_matrix a = gen_matrix(&spec);
        sb_view v;

        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        const sb_problem pb = {
            .op = SB_OP_SPMM,
            .a = a,
            .b = {.rows = 300, .cols = 512, .ld = 512, .type = SB_F32},
            .c = {.rows = 300, .cols = 512, .ld = 512, .type = SB_F32},
            .compute = SB_F32};
        const sb_work w = {.op = SB_OP_SPMM,
                           .m = 300,
                           .n = 512,
                           .k = 300,
                           .nnz = 9000,
                           .b_size = 4,
                           .c_size = 4,
                           .compute_size = 4};
        sb_target t = {.isa = SB_ISA_V4, .l2 = 1 << 20, .l3 = 1 << 25, .threads = 1};

        assert_int_equal(sb_slab_rows(&pb, &v, &w, &t), cases[q].all_over ? 32 : 0);
        t.wide = true;
        assert_int_equal(sb_slab_rows(&pb, &v, &w, &t), 64); /* L2 holds the slab */
        t.threads = 3; /* 8 slabs wait for 9, which is near enough */
        assert_int_equal(sb_slab_rows(&pb, &v, &w, &t), 64);
        t.threads = 5; /* 8 for 10, but 16 for 20 as well */
        assert_int_equal(sb_slab_rows(&pb, &v, &w, &t), 64);
        t.threads = 16; /* 8 for 16, 16 for none */
        assert_int_equal(sb_slab_rows(&pb, &v, &w, &t), 32);
        t.threads = 1;
        t.l2 = 32 << 10;
        assert_int_equal(sb_slab_rows(&pb, &v, &w, &t), cases[q].all_over ? 64 : 0);
        t.l3 = 64 << 10; /* less than a slab */
        assert_int_equal(sb_slab_rows(&pb, &v, &w, &t), cases[q].all_over ? 32 : 0);
        /* Zen 3: half as wide, but where columns lie near */
        t = (sb_target){
            .isa = SB_ISA_V3, .l1 = 32 << 10, .l2 = 16 << 10, .l3 = 1 << 25};
        assert_int_equal(sb_slab_rows(&pb, &v, &w, &t), cases[q].all_over ? 32 : 64);
        t.l3 = 1 << 20;
        assert_int_equal(sb_slab_rows(&pb, &v, &w, &t), cases[q].all_over ? 32 : 64);
        {
            sb_work cut = w; /* eight and a half slabs of 256 bytes are none */

            cut.n = 544;
            assert_int_equal(sb_slab_rows(&pb, &v, &cut, &t),
                             cases[q].all_over ? 32 : 0);
        }
        t.l1 = 1 << 10; /* a row's rows of a slab do not lie in it */
        assert_int_equal(sb_slab_rows(&pb, &v, &w, &t), cases[q].all_over ? 32 : 0);
        for (int held = 0; held < 2; held++) { /* rows of 512 bytes; L2 holds a slab */
            sb_work few = w;

            few.n = 128;
            few.nnz = 64 * 300;
            t.l2 = held ? 64 << 10 : 16 << 10;
            assert_int_equal(sb_slab_rows(&pb, &v, &few, &t),
                             cases[q].all_over ? 32 : 0);
        }
        sb_view_free(&v);
        gen_free_matrix(&a);
    }
}

/* 10 s of rows in place, 9 of windows and of panels, and what of them goes by slabs on a Zen 3
 * where panels have so many entries of a row: its columns and seconds by part, 0 for none. */
typedef struct forms {
    int rows, panel, windows; /* columns of a slab */
    double of_rows, of_panel, of_windows;
} forms;

static sb_isa level = SB_ISA_V3;
static bool wide;
static double strewn;
static sb_options options;

static forms
weigh_shared(gen_family family, int64_t n, int64_t l2, double run, double r4)
{
    static const char *const texts[] = {"(plan spmm (part csr))",
                                        "(plan spmm (part panel 64))",
                                        "(plan spmm (part win 2) (part rows flat 1))"};
    static sb_planner pl;
    const gen_spec spec = {.family = family,
                           .rows = 300,
                           .cols = 300,
                           .density = 0.1,
                           .seed = 1,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F32};
    const sb_target t = {.isa = level,
                         .wide = wide,
                         .l1 = 32 << 10,
                         .l2 = l2,
                         .l3 = 1 << 19,
                         .threads = 1};
    sb_matrix a = gen_matrix(&spec);
    const sb_problem pb = {.op = SB_OP_SPMM,
                           .a = a,
                           .b = {.rows = 300, .cols = n, .ld = n, .type = SB_F32},
                           .c = {.rows = 300, .cols = n, .ld = n, .type = SB_F32},
                           .compute = SB_F32};
    forms out = {0};

    pl = (sb_planner){
        .pb = &pb, .target = &t, .opt = &options, .nweighed = SB_COUNT(texts)};
    pl.work = (sb_work){.op = SB_OP_SPMM,
                        .m = 300,
                        .n = n,
                        .k = 300,
                        .nnz = 9000,
                        .b_size = 4,
                        .c_size = 4,
                        .compute_size = 4};
    pl.stats.mean = 30;
    pl.stats.r4 = r4;
    pl.stats.strewn = strewn;
    for (int q = 0; q < SB_STATS_PANELS; q++)
        pl.stats.panel_run[q] = run;
    for (int q = 0; q < SB_COUNT(texts); q++) {
        assert_int_equal(
            sb_choice_parse(&pl.weighed[q].choice, texts[q], strlen(texts[q]), NULL),
            SB_OK);
        pl.weighed[q].cost.seconds = q ? 9 : 10;
    }
    assert_int_equal(sb_view_make(&pl.view, &a, false, NULL), SB_OK);
    sb_slab_weigh(&pl);
    for (int q = SB_COUNT(texts); q < pl.nweighed; q++) {
        const sb_choice *ch = &pl.weighed[q].choice;
        const double seconds = pl.weighed[q].cost.seconds;

        if (ch->part[0].kind == SB_PART_CSR)
            out.rows = ch->slab, out.of_rows = seconds;
        if (ch->part[0].kind == SB_PART_WIN)
            out.windows = ch->slab, out.of_windows = seconds;
        if (ch->part[0].kind == SB_PART_PANEL) {
            out.panel = ch->slab, out.of_panel = seconds;
            assert_int_equal(ch->part[0].size, level == SB_ISA_V3 ? 128 : 256);
        }
    }
    sb_view_free(&pl.view);
    gen_free_matrix(&a);
    return out;
}

static forms
weigh(gen_family family, int64_t n, int64_t l2, double run)
{
    return weigh_shared(family, n, l2, run, 1);
}

static void
test_forms(void **state)
{
    enum { HELD = 64 << 10, SPILT = 16 << 10 };
    forms f;

    (void)state;
    f = weigh(GEN_UNIFORM, 512, HELD, 20);
    assert_int_equal(f.rows, 32);
    assert_int_equal(f.windows, 32);
    assert_int_equal(f.panel, 64);
    assert_true(f.of_panel < f.of_windows && f.of_windows < f.of_rows &&
                f.of_rows < 10);
    assert_int_equal(weigh(GEN_UNIFORM, 512, HELD, 19).panel, 0);
    assert_int_equal(weigh(GEN_UNIFORM, 512, SPILT, 6).panel, 64);
    assert_int_equal(weigh(GEN_UNIFORM, 512, SPILT, 5).panel, 0);
    assert_int_equal(weigh(GEN_UNIFORM, 256, SPILT, 6).panel, 0);
    assert_int_equal(weigh(GEN_UNIFORM, 256, SPILT, 20).panel, 64);
    assert_int_equal(weigh(GEN_UNIFORM, 224, SPILT, 20).rows, 0);
    assert_int_equal(weigh(GEN_UNIFORM, 288, SPILT, 20).rows, 32);
    assert_int_equal(weigh(GEN_UNIFORM, 288, SPILT, 20).panel, 0);
    f = weigh_shared(GEN_UNIFORM, 512, HELD, 20,
                     3); /* L1 keeps rows of B for the next */
    assert_true(f.of_rows < f.of_windows && f.of_rows < f.of_panel);
    f = weigh(GEN_BANDED, 512, SPILT, 20); /* whose rows of B are in L1 without */
    assert_int_equal(f.rows, 64);
    assert_int_equal(f.windows, 0);
    assert_int_equal(f.panel, 0);
}

/* Zen 4: rows by half of what panels and windows have; no panels where the near caches hold a
 * slab; rows of 1024 bytes by themselves. */
static void
test_forms_of_zen4(void **state)
{
    enum { HELD = 64 << 10 };
    forms f;

    (void)state;
    level = SB_ISA_V4;
    f = weigh(GEN_UNIFORM, 512, HELD, 8);
    assert_int_equal(f.rows, 32);
    assert_int_equal(f.windows, 64);
    assert_int_equal(f.panel, 64);
    assert_int_equal(weigh(GEN_UNIFORM, 512, HELD, 7).panel, 0);
    assert_int_equal(weigh(GEN_UNIFORM, 512, 1 << 20, 8).panel, 0);
    assert_int_equal(weigh(GEN_BANDED, 512, HELD, 8).rows, 0);
    f = weigh(GEN_UNIFORM, 256, HELD, 8);
    assert_int_equal(f.rows, 32);
    assert_int_equal(f.panel + f.windows, 0);
    level = SB_ISA_V3;
}

/* Emerald Rapids: rows as wide as panels, of long segments alone; no windows. */
static void
test_forms_of_fast_gathers(void **state)
{
    enum { BEYOND = 512 << 10 };
    forms f;

    (void)state;
    level = SB_ISA_V4G;
    f = weigh(GEN_UNIFORM, 512, BEYOND, 40);
    assert_int_equal(f.rows, 64);
    assert_int_equal(f.panel, 64);
    assert_int_equal(f.windows, 0);
    assert_true(f.of_panel < f.of_rows && f.of_rows < 10);
    assert_int_equal(weigh(GEN_UNIFORM, 512, BEYOND, 39).panel, 0);
    assert_int_equal(weigh(GEN_UNIFORM, 512, 16 << 10, 39).panel, 0);
    assert_int_equal(weigh(GEN_BANDED, 512, BEYOND, 40).rows, 0);
    level = SB_ISA_V3;
}

/* Zen 3: rows of 512 bytes only of very many entries and where L2 does not hold B; whatever is no
 * whole number of slabs only of long rows of a large B. */
static void
test_even(void **state)
{
    static const struct {
        int64_t n, entries, k;
        int want;
    } cases[] = {{128, 64, 3000, 64}, {128, 63, 3000, 0},   {128, 64, 1000, 0},
                 {160, 64, 3000, 64}, {96, 64, 9000, 0},    {150, 64, 3000, 0},
                 {256, 10, 3000, 64}, {300, 64, 3000, 0},   {512, 10, 3000, 64},
                 {530, 64, 3000, 0},  {530, 64, 18000, 64}, {500, 64, 18000, 64},
                 {300, 64, 18000, 0}};

    (void)state;
    for (size_t q = 0; q < SB_COUNT(cases); q++) {
        const int64_t n = cases[q].n, k = cases[q].k;
        const sb_problem pb = {.op = SB_OP_SPMM,
                               .a = {.rows = k, .cols = k, .nnz = k * cases[q].entries},
                               .b = {.rows = k, .cols = n, .ld = n, .type = SB_F32},
                               .c = {.rows = k, .cols = n, .ld = n, .type = SB_F32},
                               .compute = SB_F32};
        const sb_work w = {.op = SB_OP_SPMM,
                           .m = k,
                           .n = n,
                           .k = k,
                           .nnz = pb.a.nnz,
                           .b_size = 4,
                           .compute_size = 4};
        const sb_target t = {.isa = SB_ISA_V3, .l2 = 512 << 10, .l3 = 32 << 20};

        assert_int_equal(sb_slab_width(&pb, &w, &t), cases[q].want);
    }
}

/* Rows of 1024 bytes on Zen 5 and 4: of many entries, where L2 does not hold B; on Zen 5 of fewer
 * where it does not hold a slab of it either. */
static void
test_half(void **state)
{
    const sb_problem pb = {.op = SB_OP_SPMM,
                           .a = {.rows = 3000, .cols = 3000, .nnz = 300000},
                           .b = {.rows = 3000, .cols = 128, .ld = 128, .type = SB_F64},
                           .c = {.rows = 3000, .cols = 128, .ld = 128, .type = SB_F64},
                           .compute = SB_F64};
    const sb_work work = {.op = SB_OP_SPMM,
                          .m = 3000,
                          .n = 128,
                          .k = 3000,
                          .nnz = 300000,
                          .b_size = 8,
                          .compute_size = 8};
    sb_work w = work;
    sb_target t = zen5;

    (void)state;
    assert_int_equal(sb_slab_width(&pb, &w, &t), 32);
    w.nnz = 100000;
    assert_int_equal(sb_slab_width(&pb, &w, &t), 0);
    w = work;
    w.k = w.m = 4500; /* of which L2 does not quite hold a slab */
    assert_int_equal(sb_slab_width(&pb, &w, &t), 32);
    w.nnz = 100000;
    assert_int_equal(sb_slab_width(&pb, &w, &t), 0);
    w = work;
    t.l2 = 4 << 20; /* holds B */
    assert_int_equal(sb_slab_width(&pb, &w, &t), 0);
    for (int wide = 0; wide < 2; wide++) { /* shorter rows have none */
        t = zen5;
        t.wide = wide != 0;
        for (w.n = 63; w.n <= 127; w.n += 64)
            assert_int_equal(sb_slab_width(&pb, &w, &t), 0);
        w.n = 64;
        assert_int_equal(sb_slab_width(&pb, &w, &t), 0);
        w = work;
    }
    t = zen5;
    t.wide = false; /* Zen 4: room for panels, where L2 does not nearly hold B */
    assert_int_equal(sb_slab_width(&pb, &w, &t), 32);
    t.l2 = 8 << 20;
    assert_int_equal(sb_slab_width(&pb, &w, &t), 0);
    t.l2 = 1 << 20;
    w.n = 256;
    assert_int_equal(sb_slab_width(&pb, &w, &t), 32);
    t.l2 = 512 << 10; /* half as many columns where it does not hold the slab */
    assert_int_equal(sb_slab_width(&pb, &w, &t), 16);
    t.wide = true;
    assert_int_equal(sb_slab_width(&pb, &w, &t), 32);
}

/* Zen 5, rows of B of 512 bytes: where B exceeds 1.5 of L3, of slabs that L2 does not hold. */
static void
test_far(void **state)
{
    const sb_problem pb = {.op = SB_OP_SPMM,
                           .b = {.rows = 100000, .cols = 128, .ld = 128},
                           .c = {.rows = 100000, .cols = 128, .ld = 128}};
    sb_work w = {.op = SB_OP_SPMM,
                 .n = 128,
                 .b_size = 4,
                 .compute_size = 4,
                 .m = 99000,
                 .k = 99000, /* 50.7 MB */
                 .nnz = 24 * 99000};

    (void)state;
    assert_int_equal(sb_slab_width(&pb, &w, &zen5), 64);
    w.nnz--;
    assert_int_equal(sb_slab_width(&pb, &w, &zen5), 0);
    w.nnz *= 2;
    w.k = w.m = 98000; /* 50.2 MB */
    assert_int_equal(sb_slab_width(&pb, &w, &zen5), 0);
}

/* Zen 5: threads share slabs that together take more than a fifth of L3. */
static void
test_shared(void **state)
{
    sb_work w = {.op = SB_OP_SPMM, .n = 256, .k = 13200, .b_size = 4};
    sb_target zen4 = zen5, many = zen5;

    (void)state;
    zen4.wide = false;
    assert_true(sb_rule_slab_shared(&w, 64, &zen5)); /* 6.76 MB of 33.6 */
    assert_false(sb_rule_slab_shared(&w, 64, &zen4));
    assert_false(sb_rule_slab_shared(&w, 0, &zen5));
    w.k = 13000;
    assert_false(sb_rule_slab_shared(&w, 64, &zen5));
    many.threads = 16;
    assert_true(sb_rule_slab_shared(&w, 64, &many));
    w.k = 8000; /* of 2 MB a slab each thread's L2 keeps most */
    assert_false(sb_rule_slab_shared(&w, 64, &many));
}

/* ... and ask for rows of slabs of more than a tenth of it, whose columns are in no order. */
static void
test_asking(void **state)
{
    sb_work w = {.op = SB_OP_SPMM,
                 .n = 256,
                 .k = 13200, /* 3.38 MB a slab of 64 */
                 .a_type = SB_F32,
                 .a_size = 4,
                 .b_size = 4,
                 .compute_size = 4};
    sb_target zen4 = zen5;

    (void)state;
    zen4.wide = false;
    assert_int_equal(sb_rule_slab_prefetch(&w, 64, 0.85, &zen5), 56);
    assert_int_equal(sb_rule_slab_prefetch(&w, 64, 0.84, &zen5), 0);
    assert_int_equal(sb_rule_slab_prefetch(&w, 64, 1, &zen4), 0);
    assert_int_equal(sb_rule_slab_prefetch(&w, 0, 1, &zen5), 0);
    w.k = 13000;
    assert_int_equal(sb_rule_slab_prefetch(&w, 64, 1, &zen5), 0);
    w.k = 13200;
    w.a_type = SB_C32;
    assert_int_equal(sb_rule_slab_prefetch(&w, 64, 1, &zen5), 0);
}

/* Rows of half the mean length and more. */
static void
test_alike(void **state)
{
    static const int32_t ptr[] = {0, 10, 11, 12, 14}, crd[14] = {0};
    const sb_matrix a = {.format = SB_FORMAT_CSR,
                         .rows = 4,
                         .cols = 20,
                         .nnz = 14,
                         .ptr = ptr,
                         .idx = crd,
                         .ptr_type = SB_I32,
                         .idx_type = SB_I32,
                         .val_type = SB_F32};
    sb_view v;

    (void)state;
    assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
    assert_true(sb_view_alike(&v) == 0.5);
    v.rows = 0;
    assert_true(sb_view_alike(&v) == 0);
    v.rows = 4;
    sb_view_free(&v);
}

/* Rows alone by slabs that L2 does not hold: of columns in no order, of rows of 512 bytes the more so. */
static void
test_strewn(void **state)
{
    sb_work w = {.op = SB_OP_SPMM, .n = 256, .k = 5000, .b_size = 4};
    sb_target zen4 = zen5;
    forms of;

    (void)state;
    zen4.wide = false;
    assert_true(sb_slab_strewn(&w, 0.85, 0.6, &zen5));
    assert_false(sb_slab_strewn(&w, 0.84, 0.6, &zen5));
    assert_true(sb_slab_strewn(&w, 0, 0.6, &zen4));
    assert_false(sb_slab_strewn(&w, 1, 0.59, &zen5));
    w.n = 512; /* so long they gain in any case */
    assert_true(sb_slab_strewn(&w, 1, 0, &zen5));
    w.n = 128;
    assert_true(sb_slab_strewn(&w, 0.92, 0.6, &zen5));
    assert_false(sb_slab_strewn(&w, 0.91, 0.6, &zen5));
    w.k = 4900; /* L2 holds it */
    assert_true(sb_slab_strewn(&w, 0, 0.6, &zen5));
    level = SB_ISA_V4;
    wide = true;
    for (int q = 0; q < 2; q++) { /* windows and panels have theirs anyhow */
        strewn = q ? 0.85 : 0.84;
        of = weigh(GEN_UNIFORM, 512, 32 << 10, 30);
        assert_int_equal(of.rows, q ? 64 : 0);
        assert_int_equal(of.windows, 64);
        assert_int_equal(of.panel, 64);
    }
    wide = false;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_slabs),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_scattered),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_forms_of_zen4),
        cmocka_unit_test(test_even),
        cmocka_unit_test(test_half),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_asking),
        cmocka_unit_test(test_strewn),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_forms_of_fast_gathers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
