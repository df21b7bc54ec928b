/*
 * What Zen 5 asks for ahead, into L1: how far by the length of rows of B and the order of columns, from
 * which size on, first lines alone where B is near; tiles and stores that go with it. Plans and calls
 * without an analysis do so.
 */
#include "base/macro.h"
#include "base/strbuf.h"
#include "cpu/cpu.h"
#include "kernels/spec.h"
#include "plan_text.h"
#include "planner/direct.h"
#include "planner/rules.h"
#include "planner/slabs.h"
#include "product_work.h"
#include "runtime/kernel.h"
#include "runtime/target.h"
#include "seen_kernel.h"
#include "strewn.h"
#include "zen5.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* m rows and columns, so many entries a row. */
static sb_problem
square(int64_t m, int64_t n, int64_t entries)
{
    sb_problem pb = by_rows(m, n);

    pb.a.nnz = m * entries;
    pb.a.idx_type = SB_I32;
    pb.alpha.re = 1;
    return pb;
}

/* Of all of B; SDDMM's columns of Y lie along the dots. */
static int
asked(sb_problem pb, double strewn, int rows)
{
    const double b = (double)pb.b.rows * (double)pb.b.cols * 4;

    return sb_rule_prefetch(&pb, b, strewn, rows, false, &zen5);
}

/* Some 16 KiB of rows under way, twice as many where half of the columns are in an order; of three rows
 * together into L2. */
static void
test_distance(void **state)
{
    static const struct {
        int64_t n;
        double strewn;
        int want, dots;
    } cases[] = {{32, 0.5, 56, 56},  {64, 0.5, 56, 56},   {65, 0.5, 32, 32},
                 {128, 0.5, 32, 32}, {128, 0.49, 56, 32}, {129, 0.49, 32, 32},
                 {255, 0.5, 16, 32}, {256, 0.49, 32, 16}, {600, 0.5, 16, 16}};

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        sb_problem pb = square(1000000, cases[q].n, 4), dots = pb;

        if (asked(pb, cases[q].strewn, 1) != cases[q].want)
            fail_msg("%d columns", (int)cases[q].n);
        assert_int_equal(asked(pb, cases[q].strewn, 3), SB_PREFETCH_FAR);
        dots.op = SB_OP_SDDMM;
        if (asked(dots, cases[q].strewn, 1) != cases[q].dots)
            fail_msg("dots of %d", (int)cases[q].n);
    }
}

/* In no order, rows of B of 256 to 2047 bytes: from 0.45 of L3 on, asked for less than 30 times each; half of
 * them: from L3 on, the farther the more often; else from 1.6 of it. 33.6 MB. Half
 * of them, too, where B by itself exceeds 0.45 of L3, of 128 bytes and more. */
static void
test_products(void **state)
{
    static const struct {
        int64_t m, n, entries;
        double strewn;
        bool want;
    } cases[] = {
        {25000, 64, 16, 0.85, true},  /* 16.0 MB */
        {23000, 64, 16, 0.85, false}, /* 14.7 */
        {25000, 64, 16, 0.84, false},
        {30000, 63, 16, 1, false}, /* 252 bytes */
        {40000, 64, 29, 1, true},
        {40000, 64, 30, 1, false}, /* asked for so often */
        {9000, 511, 12, 1, true},
        {9000, 512, 12, 1, false},  /* 2048 bytes */
        {130000, 32, 4, 0.5, true}, /* 37.4 MB */
        {130000, 32, 4, 0.49, false},
        {115000, 32, 4, 0.5, false}, /* 33.1 */
        {190000, 32, 4, 0.49, false},
        {205000, 32, 4, 0, true},   /* 54.7, 59.0 */
        {100000, 31, 16, 1, false}, /* 124 bytes */
        {60000, 64, 80, 0.5, true}, /* 15.4 MB of B */
        {60000, 64, 80, 0.49, false},
        {58000, 64, 80, 0.84, false}, /* 14.8 */
        {120000, 32, 20, 0.5, true},
        {130000, 31, 20, 1, false},
        {60000, 64, 19, 0.84, true}, /* 39.8 MB in all */
        {8000, 511, 80, 0.5, true},
        {8000, 512, 80, 1, false},
    };

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        const sb_problem pb = square(cases[q].m, cases[q].n, cases[q].entries);

        if ((asked(pb, cases[q].strewn, 1) >= SB_PREFETCH_WHOLE) != cases[q].want)
            fail_msg("case %d", q);
    }
}

/* Fours are left for asking only where plain rows do ask: many entries a row of B are near, but of a large B
 * in no order. */
static void
test_asks_whole(void **state)
{
    static const struct {
        int64_t entries;
        double strewn;
        bool want;
    } cases[] = {{10, 0.3, true}, {40, 0.3, false}, {40, 0.5, true}};

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        const sb_problem pb = square(200000, 64, cases[q].entries);
        sb_work w;

        sb_work_of(&w, &pb);
        if (sb_rule_asks_whole(&w, 200000 * 256.0, cases[q].strewn, &zen5) !=
            cases[q].want)
            fail_msg("case %d", q);
    }
}

/* Dots of 128 bytes and more, from 1024 on where fewer than 17 entries ask for each column; in no order of 256
 * from 0.45 of L3 on, of 128 from 0.8; a fifth of them from L3 on, of 128 from 0.9; else of 256 from 1.5, of 512 from 1.2; of 1024 from
 * 1.3. Rows that go on as diagonals do ask for nothing. */
static void
test_dots(void **state)
{
    static const struct {
        int64_t m, k;
        double strewn;
        bool want;
        int64_t each; /* entries of a row */
    } cases[] = {
        {32000, 64, 0.85, true, 4},   {27000, 64, 0.85, false, 4},
        {115000, 32, 0.85, true, 4},  {95000, 32, 0.85, false, 4},
        {32000, 64, 0.84, false, 4},  {70000, 64, 0.2, true, 4},
        {70000, 64, 0.19, false, 4},  {100000, 64, 0, true, 4},
        {600000, 32, 0.19, false, 4}, {113000, 32, 0.2, true, 4},
        {111000, 32, 0.2, false, 4},  {40500, 128, 0, true, 4},
        {39700, 128, 0, false, 4},    {100000, 31, 1, false, 4},
        {100000, 256, 0.5, true, 16}, {100000, 256, 0.5, false, 17},
        {22300, 256, 0.5, true, 4},   {21600, 256, 0.5, false, 4},
    };
    sb_problem wide;
    sb_work w;

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        sb_problem pb = square(cases[q].m, cases[q].k, cases[q].each);

        pb.op = SB_OP_SDDMM;
        pb.b.col_major = true;
        if ((asked(pb, cases[q].strewn, 1) > 0) != cases[q].want)
            fail_msg("case %d", q);
    }
    wide = square(10000, 256, 100); /* each column is asked for once */
    wide.op = SB_OP_SDDMM;
    wide.a.cols = wide.c.cols = 1000000;
    assert_int_equal(sb_rule_prefetch(&wide, 1e9, 0.5, 1, false, &zen5), 16);
    w = (sb_work){.op = SB_OP_SDDMM, .k = 64, .b_size = 4};
    assert_true(sb_rule_dots_near(&w, 0.95, &zen5));
    assert_false(sb_rule_dots_near(&w, 0.94, &zen5));
}

/* The first lines of rows of four, where half of L2 does not hold B and no more is asked for. */
static void
test_first(void **state)
{
    static const struct {
        int64_t m, n;
        double strewn;
        bool want;
    } cases[] = {{3000, 64, 0.8, true},  {3000, 64, 0.79, false},
                 {2000, 64, 0.8, false}, {3000, 63, 0.8, false},
                 {3000, 65, 0.8, false}, {3000, 128, 0.8, false},
                 {40000, 64, 0.8, true}};
    sb_problem pb = square(3000, 64, 40);
    sb_work w;

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++)
        if ((asked(square(cases[q].m, cases[q].n, 40), cases[q].strewn, 1) == 15) !=
            cases[q].want)
            fail_msg("case %d", q);
    assert_int_equal(asked(pb, 1, 3), 0);
    sb_work_of(&w, &pb);
    assert_true(sb_rule_first(&w, 1e6, 1, &zen5));
    w.a_size = 2;
    assert_false(sb_rule_first(&w, 1e6, 1, &zen5));
    w.a_size = 4;
    w.op = SB_OP_SDDMM;
    assert_false(sb_rule_first(&w, 1e6, 1, &zen5));
    w.op = SB_OP_SPMM;
    for (int q = 0; q < 3; q++) {
        const sb_target other = {.isa = q == 0   ? SB_ISA_V4
                                        : q == 1 ? SB_ISA_V3
                                                 : SB_ISA_V4G,
                                 .l2 = 1 << 20};

        assert_false(sb_rule_first(&w, 1e6, 1, &other));
    }
}

/* Rows of three entries ask for each, not for the last, once products are as large as that takes. */
static void
test_few(void **state)
{
    sb_work w = product(128, 4);

    (void)state;
    w.m = w.k = 100000;
    w.nnz = 4 * w.m;
    w.idx_size = 4;
    assert_int_equal(sb_rule_last(&w, 1e5 * 512, 1, &zen5), 8);
    w.nnz -= 1;
    assert_int_equal(sb_rule_last(&w, 1e5 * 512, 1, &zen5), 0);
    w.n = 1023;
    assert_int_equal(sb_rule_last(&w, 1e5 * 4092, 1, &zen5), 0);
    w.n = 1024; /* too long to ask for each */
    assert_int_equal(sb_rule_last(&w, 1e5 * 4096, 1, &zen5), 8);
    w.n = 128;
    w.m = w.k = 48000; /* 50 MB */
    w.nnz = 3 * w.m;
    assert_int_equal(sb_rule_last(&w, 48e3 * 512, 1, &zen5), 8);
}

/* Sixteen registers of floats where rows of B have 1024 bytes and nothing is asked for, or whole ones by 14 entries and more; C of two lines a row
 * goes past the caches from 0.7 of L3 on. */
static void
test_tiles(void **state)
{
    const sb_target zen4 = {
        .isa = SB_ISA_V4, .threads = 2, .l2 = 1 << 20, .l3 = 32 << 20};
    sb_work w = product(256, 4);

    (void)state;
    w.a_type = SB_F32;
    assert_int_equal(sb_rule_tile_of(&w, &zen5, SB_PART_CSR, 0, 0, 0), 256);
    assert_int_equal(sb_rule_tile_of(&w, &zen5, SB_PART_CSR, 0, 0, 1), 128);
    assert_int_equal(sb_rule_tile_of(&w, &zen5, SB_PART_PICK, 0, 0, 0), 128);
    assert_int_equal(sb_rule_tile_of(&w, &zen5, SB_PART_CSR, 0, 8, 0), 128);
    w.m = 1000;
    w.nnz = 14 * w.m; /* whole rows, of long rows of A */
    assert_int_equal(sb_rule_tile_of(&w, &zen5, SB_PART_CSR, 0, 16, 0), 256);
    assert_int_equal(sb_rule_tile_of(&w, &zen5, SB_PART_CSR, 0, 15, 0), 128);
    assert_int_equal(sb_rule_tile_of(&w, &zen5, SB_PART_CSR, 0, 64, 0), 128);
    w.nnz--;
    assert_int_equal(sb_rule_tile_of(&w, &zen5, SB_PART_CSR, 0, 16, 0), 128);
    assert_int_equal(sb_rule_tile_of(&w, &zen4, SB_PART_CSR, 0, 0, 0), 128);
    w.b_size = 2;
    assert_int_equal(sb_rule_tile_of(&w, &zen5, SB_PART_CSR, 0, 0, 0), 128);
    w.b_size = 4;
    assert_int_equal(sb_rule_tile_asks(&w, &zen5, 0, 8), 8);
    assert_int_equal(sb_rule_tile_asks(&w, &zen5, 56, 0), 56);
    assert_int_equal(sb_rule_tile_asks(&w, &zen4, 0, 8), 0);
    w.n = 255; /* one tile cut short, whatever its last entries ask for */
    assert_int_equal(sb_rule_tile_asks(&w, &zen5, 0, 8), 0);
    w = product(32, 4);
    w.m = w.k = 90000; /* 24.5 MB */
    w.nnz = 2 * w.m;
    w.idx_size = 4;
    assert_true(sb_rule_past(&w, 2, &zen5));
    assert_false(sb_rule_past(&w, 2, &zen4));
    w.m = w.k = 80000; /* 21.8 */
    w.nnz = 2 * w.m;
    assert_false(sb_rule_past(&w, 2, &zen5));
    w.n = 31;
    w.m = w.k = 130000; /* 34 MB, C of 16.1 */
    assert_false(sb_rule_past(&w, 2, &zen5));
}

/* How often that is in the text. */
static int
times(const char *text, const char *what)
{
    int n = 0;

    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

/* A distance says what is asked for: lines of rows of B within a row of A, first lines, whole rows, and from
 * where on into L2; dots a line at a time, whole rows alone, with what was there
 * added and without. */
static void
test_kernels(void **state)
{
    static const struct {
        const char *spec;
        int lines, far, ends; /* of them into L2; where a list ends */
    } cases[] = {
        {"spmm csr f32f32f32/f32 i32i32 rr x64 p8", 4, 0, 0},
        {"spmm csr f32f32f32/f32 i32i32 rr x64 p9", 1, 0, 1},
        {"spmm csr f32f32f32/f32 i32i32 rr x64 p15", 1, 0, 1},
        {"spmm csr f32f32f32/f32 i32i32 rr x64 p16", 4, 0, 4},
        {"spmm csr f32f32f32/f32 i32i32 rr x64 p63", 4, 0, 4},
        {"spmm csr f32f32f32/f32 i32i32 rr x64 p64", 4, 4, 4},
        {"sddmm csr f32f32f32/f32 i32i32 rc x64 p32 u4", 40, 0, 10},
        {"sddmm csr f32f32f32/f32 i32i32 rc x64 p64 u4", 40, 40, 10},
    };

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        sb_strbuf text, signature;
        sb_hash key;

        sb_strbuf_init(&text);
        sb_strbuf_init(&signature);
        assert_int_equal(sb_spec_emit(&text, &signature, &key, cases[q].spec, NULL),
                         SB_OK);
        if (times(text.s, "__builtin_prefetch(") + times(text.s, "SBK_PREFETCH(") !=
                cases[q].lines ||
            times(text.s, ", 2);") != cases[q].far ||
            times(text.s, "nnz - 1)") != cases[q].ends)
            fail_msg("%s: %d, %d, %d", cases[q].spec,
                     times(text.s, "__builtin_prefetch(") +
                         times(text.s, "SBK_PREFETCH("),
                     times(text.s, ", 2);"), times(text.s, "nnz - 1)"));
        sb_strbuf_free(&text);
        sb_strbuf_free(&signature);
    }
    assert_int_equal(sb_spec_parse(&(sb_spec){0},
                                   "sddmm csr f32f32f32/f32 i32i32 rc x64 p15 u4",
                                   NULL),
                     SB_EINVAL);
}

/* Entries a row. */
enum { ENTRIES = 16 };

/* Rows whose product with n columns takes that share of L3. */
static int64_t
rows_of(double share, int64_t n)
{
    return (int64_t)(share * (double)sb_target_get()->l3 /
                     (double)(ENTRIES * 8 + 2 * n * 4));
}

/* L3 of other machines is too large for a test, or they go by other rules, or no kernels of this level are
 * built in. */
static bool
elsewhere(void)
{
    const sb_target *t = sb_target_get();

    return !t->wide || !sb_builtin_tables[SB_ISA_V4] || t->l3 > 64 << 20 ||
           t->l3 < 32 << 20 || t->l3 < 24 * t->l2;
}

/* How the name of the kernel ends, and the plan. */
static const struct {
    bool in_order;
    double share;
    int64_t n;
    const char *kernel, *text;
} chosen[] = {
    {false, 0.3, 64, "64 p15", "(plan spmm (part csr) (tile 64) (prefetch 15))"},
    {false, 0.6, 64, "64 p56", "(plan spmm (part csr) (tile 64) (prefetch 56))"},
    {false, 1.2, 128, "x128 p32 nt",
     "(plan spmm (part csr) (tile 128) (prefetch 32) (stream))"},
    {false, 1.4, 32, "x32 p56", "(plan spmm (part csr) (tile 32) (prefetch 56))"},
    {true, 1.4, 64, "64 p0", "(plan spmm (part csr) (tile 64) (last 8))"},
};

static void
test_chosen(void **state)
{
    char text[256];

    (void)state;
    if (elsewhere())
        skip();
    for (int q = 0; q < SB_COUNT(chosen); q++) {
        sb_matrix a = strewn_matrix(
            chosen[q].in_order, rows_of(chosen[q].share, chosen[q].n), ENTRIES, SB_I32);

        plan_text(text, sizeof text, &a, chosen[q].n, SB_F32, false);
        assert_string_equal(text, chosen[q].text);
        strewn_free(&a);
    }
}

static void
test_direct(void **state)
{
    float none[1];

    (void)state;
    if (elsewhere())
        skip();
    sb_backend_set(&seen_backend);
    for (int q = 0; q < SB_COUNT(chosen); q++) {
        const int64_t n = chosen[q].n, m = rows_of(chosen[q].share, n);
        sb_matrix a = strewn_matrix(chosen[q].in_order, m, ENTRIES, SB_I32);
        sb_problem pb = by_rows(m, n);
        const char *end;

        pb.a = a;
        pb.b.ld = pb.c.ld = n;
        pb.b.data = pb.c.data = none;
        pb.alpha.re = 1;
        pb.batch = 1;
        assert_int_equal(sb_direct_run(&pb, NULL), SB_OK);
        end = strstr(seen_spec, chosen[q].kernel);
        if (!end || end[strlen(chosen[q].kernel)] != '\0')
            fail_msg("%s", seen_spec);
        strewn_free(&a);
    }
    sb_backend_set(&sb_cpu_backend);
}

/* Slabs of a large B ask, too, and threads share them: of a plan, and of a call without an analysis, whose
 * kernel would not have run otherwise. */
static void
test_slabs(void **state)
{
    static const char want[] = "(plan spmm (part csr) (tile 64) (prefetch 56) (stream) "
                               "(slab 64))";
    /* of L3, B; the second is none that rows in place would ask for */
    static const struct {
        double share;
        int64_t entries;
    } cases[] = {{1, 24}, {0.427, 30}};
    const int64_t n = 256;
    float none[1];
    char text[256];

    (void)state;
    if (elsewhere())
        skip();
    for (int q = 0; q < SB_COUNT(cases); q++) {
        const int64_t m =
            (int64_t)(cases[q].share * (double)sb_target_get()->l3) / 1024;
        const int64_t entries = cases[q].entries;
        sb_problem pb = by_rows(m, n);

        pb.a = strewn_matrix(false, m, entries, SB_I32);
        plan_text(text, sizeof text, &pb.a, n, SB_F32, false);
        assert_string_equal(text, want);
        pb.b.ld = pb.c.ld = n;
        pb.b.data = pb.c.data = pb.scratch = none;
        pb.room = sb_slab_room(&pb, NULL);
        assert_in_range(pb.room, m * 256, m * 256 + 64); /* one slab */
        pb.room *= 4;
        pb.alpha.re = 1;
        pb.batch = 1;
        sb_backend_set(&seen_backend);
        seen_spec[0] = '\0';
        assert_int_equal(sb_direct_run(&pb, NULL), SB_OK);
        assert_non_null(strstr(seen_spec, "64 p56 nt"));
        sb_backend_set(&sb_cpu_backend);
        strewn_free(&pb.a);
    }
}

/* ... of rows; what is turned, each thread has for itself. */
static void
test_shared(void **state)
{
    const sb_options opt = {0};
    float none[1];

    (void)state;
    if (elsewhere())
        skip();
    for (int columns = 0; columns < 2; columns++) {
        const int64_t m = 120000, n = 256;
        sb_problem pb = by_rows(m, n);
        sb_plan *plan;

        pb.a = strewn_matrix(false, m, 24, SB_I32);
        pb.b.col_major = pb.c.col_major = columns;
        pb.b.ld = pb.c.ld = columns ? m : n;
        pb.b.data = pb.c.data = none;
        pb.alpha.re = 1;
        pb.batch = 1;
        assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
        assert_true(plan->slab > 0);
        assert_int_equal(plan->together, !columns);
        sb_plan_release(plan);
        strewn_free(&pb.a);
    }
}

/* What the rules ask for has a kernel: the call without an analysis takes it, of any width, both types, both
 * indices, rows of any length, where columns come in no order or in one. */
static void
one_built_in(sb_op op, sb_dtype type, sb_dtype idx, int64_t n, bool in_order,
             int64_t entries)
{
    float none[1];
    const int64_t size = (int64_t)sb_dtype_size(type);
    const int64_t m =
        (int64_t)(2.5 * (double)sb_target_get()->l3) / (entries * 8 + 2 * n * size);
    sb_matrix a = strewn_matrix(in_order, m, entries, idx);
    sb_problem pb = by_rows(m, n);
    const bool last = in_order && op == SB_OP_SPMM && n * size >= 256;
    char ask[16];
    int want;

    a.val_type = type;
    pb.op = op;
    pb.a = a;
    pb.b.ld = pb.c.ld = n;
    pb.b.data = pb.c.data = none;
    pb.b.type = pb.c.type = pb.compute = type;
    pb.alpha.re = 1;
    pb.batch = 1;
    if (op == SB_OP_SDDMM) {
        pb.c.rows = n;
        pb.c.cols = m;
        pb.c.col_major = true;
    }
    want = last ? 0
                : sb_rule_prefetch(&pb, (double)(m * n * size), in_order ? 0 : 1, 1,
                                   false, sb_target_get());
    if (sb_direct_run(&pb, NULL) != SB_OK)
        fail_msg("%s: nothing for %d columns, %s", op == SB_OP_SPMM ? "spmm" : "sddmm",
                 (int)n, sb_dtype_name(idx));
    (void)snprintf(ask, sizeof ask, " p%d", want);
    if (!strstr(seen_spec, ask) || (seen_last > 0) != last)
        fail_msg("%s for%s, last %d", seen_spec, ask, (int)seen_last);
    strewn_free(&a);
}

static void
test_built_in(void **state)
{
    static const int64_t widths[] = {4, 8, 16, 32, 64, 128, 256, 512},
                         dots[] = {16, 32, 40, 64, 96, 128, 200, 256};

    (void)state;
    if (elsewhere())
        skip();
    sb_backend_set(&seen_backend);
    for (int q = 0; q < SB_COUNT(widths) * 16; q++) {
        const sb_dtype type = q % 2 ? SB_F64 : SB_F32,
                       idx = q / 2 % 2 ? SB_I64 : SB_I32;
        const int64_t entries = q / 4 % 2 ? 5 : 28;
        const bool in_order = q / 8 % 2;

        one_built_in(SB_OP_SPMM, type, idx, widths[q / 16], in_order, entries);
        if (!in_order)
            one_built_in(SB_OP_SDDMM, type, idx, dots[q / 16], in_order, entries);
    }
    sb_backend_set(&sb_cpu_backend);
}

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&sb_cpu_backend);
    return setenv("SPBLAS_ISA", "v4w", 1) || setenv("SPBLAS_JIT", "off", 1) ||
           setenv("SPBLAS_MODEL", "off", 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance), cmocka_unit_test(test_products),
        cmocka_unit_test(test_dots),     cmocka_unit_test(test_first),
        cmocka_unit_test(test_few),      cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_tiles),    cmocka_unit_test(test_chosen),
        cmocka_unit_test(test_direct),   cmocka_unit_test(test_asks_whole),
        cmocka_unit_test(test_slabs),    cmocka_unit_test(test_shared),
        cmocka_unit_test(test_built_in),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
