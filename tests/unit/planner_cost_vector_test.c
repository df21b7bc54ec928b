/*
 * The model for one column on Zen 4 (level v4): which of two plans is cheaper on small matrices
 * of each class, as it was measured (docs/planner.md), and what each term is for. Each order
 * here turns when the term that its comment names is left out.
 */
#include "base/macro.h"
#include "formats/view.h"
#include "planner/cost.h"
#include "planner/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 1024, COLS = 4096, MOST = ROWS * 200 };

/* Where an entry of a row is, and how many there are. */
typedef struct shape {
    int64_t (*length)(int64_t i);
    int64_t (*column)(int64_t i, int64_t q);
} shape;

static sb_stats
collect(const shape *s)
{
    static int32_t ptr[ROWS + 1], crd[MOST];
    static float val[MOST];
    sb_stats out;
    sb_view v;
    int32_t nnz = 0;

    for (int64_t i = 0; i < ROWS; i++) {
        ptr[i] = nnz;
        for (int64_t q = 0; q < s->length(i); q++)
            crd[nnz++] = (int32_t)s->column(i, q);
    }
    ptr[ROWS] = nnz;
    {
        const sb_matrix a = {.format = SB_FORMAT_CSR,
                             .rows = ROWS,
                             .cols = COLS,
                             .nnz = nnz,
                             .ptr_type = SB_I32,
                             .idx_type = SB_I32,
                             .val_type = SB_F32,
                             .ptr = ptr,
                             .idx = crd,
                             .val = val};

        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        assert_int_equal(sb_stats_collect(&out, &v, SB_STATS_ALL, NULL), SB_OK);
        sb_view_free(&v);
    }
    return out;
}

/* The machine's. */
static sb_isa level = SB_ISA_V4;
static bool wide;
static bool one_value;
static int64_t l2 = 1 << 20, l3 = 32 << 20;

/* What a plan's part costs on that machine. */
static sb_cost
predict(const char *part, const sb_stats *s, int size, const sb_target *t)
{
    const sb_work w = {.op = SB_OP_SPMV,
                       .m = s->rows,
                       .n = 1,
                       .k = s->cols,
                       .nnz = s->nnz,
                       .a_size = size,
                       .b_size = size,
                       .c_size = size,
                       .compute_size = size,
                       .ptr_size = 4,
                       .idx_size = 4,
                       .a_type = size == 4 ? SB_F32 : SB_F64,
                       .one_value = one_value};
    char plan[64];
    sb_choice ch;
    sb_cost cost;

    (void)snprintf(plan, sizeof plan, "(plan spmv (part %s))", part);
    assert_int_equal(sb_choice_parse(&ch, plan, strlen(plan), NULL), SB_OK);
    sb_cost_predict(&cost, &ch, &w, s, t);
    return cost;
}

static sb_target
machine(void)
{
    return (sb_target){.isa = level,
                       .wide = wide,
                       .threads = 1,
                       .l1 = 32 << 10,
                       .l2 = l2,
                       .l3 = l3,
                       .bw_mem = 24e9};
}

/* Nanoseconds a row of a plan's part, beside what streams while it computes. */
static double
of(const char *part, const sb_stats *s, int size)
{
    sb_target t = machine();
    sb_cost cost;

    for (int q = 0; q < SB_CLASS_COUNT; q++)
        t.factor[SB_OP_SPMV][q] = (sb_factor){0, 1, 1};
    cost = predict(part, s, size, &t);
    return (cost.terms[0].unit + cost.terms[0].entry) / (double)s->rows * 1e9;
}

/* By at least so many times, or the test says by how many. */
static void
expect(const char *less, const char *more, double times, const sb_stats *s, int size)
{
    const double a = of(less, s, size), b = of(more, s, size);

    if (!(times * a < b))
        fail_msg("%s %.2f ns a row, %s %.2f, %d bytes", less, a, more, b, size);
}

static int64_t
scattered(int64_t i, int64_t q)
{
    return (q * 19 + i * 37 % 19) % COLS;
}

/* No two rows of six have a line of x in common. */
static int64_t
all_over(int64_t i, int64_t q)
{
    return (q * 199 + i * 37 % 199) % COLS;
}

static int64_t
side_by_side(int64_t i, int64_t q)
{
    return i / 16 * 16 + q;
}

static int64_t
of_stencil(int64_t i, int64_t q)
{
    static const int64_t at[] = {0, 64, 1000, 1064, 2000};

    return i + at[q];
}

static int64_t
one(int64_t i)
{
    (void)i;
    return 1;
}

static int64_t
four(int64_t i)
{
    (void)i;
    return 4;
}

static int64_t
five(int64_t i)
{
    (void)i;
    return 5;
}

static int64_t
twelve(int64_t i)
{
    (void)i;
    return 12;
}

static int64_t
twenty(int64_t i)
{
    (void)i;
    return 20;
}

static int64_t
sixty(int64_t i)
{
    (void)i;
    return 60;
}

static int64_t
two_hundred(int64_t i)
{
    (void)i;
    return 200;
}

/* None or ten, as links of a network are. */
static int64_t
none_or_ten(int64_t i)
{
    return i * 7 % 4 == 3 ? 10 : 0;
}

/* Of 5 entries in the mean, short and long. */
static int64_t
three_or_nineteen(int64_t i)
{
    return i * 5 % 8 == 3 ? 19 : 3;
}

/* One row of 512 is long: a slice of its own. */
static int64_t
two_or_two_hundred(int64_t i)
{
    return i % 512 == 0 ? 200 : 2;
}

static const int sizes[] = {4, 8};

/* Products, groups, rows: what a row costs (units of groups and of rows). */
static void
test_short_rows(void **state)
{
    const shape shape = {five, scattered};
    const sb_stats s = collect(&shape);

    (void)state;
    for (int q = 0; q < SB_COUNT(sizes); q++) {
        expect("prod", "seg", 1.3, &s, sizes[q]);
        expect("seg", "csr", 1.15, &s, sizes[q]);
        /* a diagonal of few rows costs a slice as much as a full one */
        expect("prod", "hdia", 1.3, &s, sizes[q]);
    }
}

/* What a row costs products that they take alone, and an entry rows; a column of a
 * slice; a chunk of a mask that is nearly empty. */
static void
test_long_rows(void **state)
{
    const shape shape = {sixty, scattered}, longer = {two_hundred, scattered};
    const sb_stats s = collect(&shape), l = collect(&longer);

    (void)state;
    for (int q = 0; q < SB_COUNT(sizes); q++) {
        expect("seg", "prod", 1.1, &s, sizes[q]);
        expect("seg", "csr", 1.1, &s, sizes[q]);
        expect("seg", "sell", 1.1, &l, sizes[q]);
        expect("seg", "mask 1", 1.1, &l, sizes[q]);
    }
}

/* What an entry costs groups; what a row costs masks; a load of floats in slices by diagonals is
 * no cheaper than one by masks. */
static void
test_runs(void **state)
{
    const shape wide = {sixty, side_by_side}, narrow = {four, side_by_side};
    const shape whole = {two_hundred, side_by_side};
    const sb_stats w = collect(&wide), n = collect(&narrow), l = collect(&whole);

    (void)state;
    for (int q = 0; q < SB_COUNT(sizes); q++) {
        expect("mask 4", "seg", 1.1, &w, sizes[q]);
        expect("prod", "mask 1", 1.3, &n, sizes[q]);
    }
    expect("mask 4", "hdia) (packed", 0.85, &l, 4);
}

/* What a slice costs, and what begins it; values side by side are no second gather. */
static void
test_slices(void **state)
{
    const shape single = {one, scattered}, stencil = {five, of_stencil};
    const shape uneven = {two_or_two_hundred, scattered};
    const sb_stats s = collect(&single), d = collect(&stencil), u = collect(&uneven);

    (void)state;
    for (int q = 0; q < SB_COUNT(sizes); q++) {
        expect("sell) (packed", "prod", 1.25, &s, sizes[q]);
        expect("sell) (packed", "sell", 1.2, &s, sizes[q]);
        expect("prod", "sell) (packed", 1.25, &u, sizes[q]);
        expect("hdia) (packed", "prod", 1.5, &d, sizes[q]);
        expect("hdia) (packed", "sell) (packed", 1.5, &d, sizes[q]);
    }
    expect("hdia", "prod", 1.3, &d, 4);
}

/* Sixteen rows of products take as many steps as the longest, packed slices and sorted ones none
 * for those that are empty. */
static void
test_mixed_lengths(void **state)
{
    const shape equal = {five, scattered}, mixed = {three_or_nineteen, scattered};
    const shape links = {none_or_ten, scattered};
    const sb_stats e = collect(&equal), m = collect(&mixed), l = collect(&links);

    (void)state;
    assert_true(e.nnz == m.nnz);
    for (int q = 0; q < SB_COUNT(sizes); q++) {
        assert_true(of("prod", &m, sizes[q]) > of("prod", &e, sizes[q]) + 0.25);
        expect("sell) (packed", "prod", 1.5, &l, sizes[q]);
        expect("sell", "prod", 1.1, &l, sizes[q]);
        expect("prod", "seg", 1.3, &l, sizes[q]);
    }
}

/* Lines of x that are new to six rows wait for L2 where x leaves L1, those of products, which
 * have it to share, twice: whoever gathers, where columns are all over, and nobody
 * where a quarter of L1 holds x. */
static void
test_late_columns(void **state)
{
    static const char *const kinds[] = {"csr", "seg", "prod", "sell", "sell) (packed"};
    const shape shape = {twenty, all_over};
    sb_stats s = collect(&shape), near = s, known = s;

    (void)state;
    near.cols = 1024;
    known.mask_fill[SB_STATS_MASKS - 1] = 16;
    for (int k = 0; k < SB_COUNT(kinds); k++)
        for (int q = 0; q < SB_COUNT(sizes); q++) {
            const double late = of(kinds[k], &s, sizes[q]);

            if (!(late > of(kinds[k], &near, sizes[q]) + 1) ||
                !(late > of(kinds[k], &known, sizes[q]) + 1))
                fail_msg("%s, %d bytes", kinds[k], sizes[q]);
        }
    expect("prod", "seg", 1.2, &near, 4);
    expect("seg", "prod", 1.02, &s, 8);
}

/* What sums of four lanes made of products without AVX-512: of floats, where rows are as long as
 * calls without analysis take them so at most. */
static void
test_products_of_floats_elsewhere(void **state)
{
    const sb_stats s = collect(&(shape){twelve, scattered});

    (void)state;
    level = SB_ISA_V3;
    expect("prod", "seg", 1.05, &s, 4);
    level = SB_ISA_V4;
}

/* Zen 5: chunks of masks gain more than rows; vectors of groups go on from row to row wherever
 * A lies; slices by diagonals are dear where near caches do not hold what they were filled up to. */
static void
test_wide(void **state)
{
    const shape stencil = {five, of_stencil}, runs = {sixty, side_by_side};
    const sb_stats r = collect(&runs);
    sb_stats d = collect(&stencil);

    (void)state;
    for (int q = 0; q < SB_COUNT(sizes); q++) {
        static const char *const kinds[] = {"csr",
                                            "seg",
                                            "prod",
                                            "sell",
                                            "mask 1",
                                            "mask 2",
                                            "mask 3",
                                            "mask 4",
                                            "mask 6",
                                            "hdia",
                                            "sell) (packed",
                                            "win 3) (part rows flat 1",
                                            "share 3) (part rows flat 1) (packed"};
        double narrow, near;

        for (int k = 0; k < SB_COUNT(kinds); k++) {
            wide = false;
            narrow = of(kinds[k], &r, sizes[q]);
            wide = true;
            if (!(of(kinds[k], &r, sizes[q]) < 0.97 * narrow))
                fail_msg("%s, %d bytes", kinds[k], sizes[q]);
        }
        expect("mask 6", "seg", sizes[q] == 4 ? 2.2 : 1.4, &r, sizes[q]);
        l3 = 32 << 20;
        d.hdia[SB_STATS_HDIA_SOME] =
            0.25; /* chunks of four rows: four slots an entry */
        d.hdia[SB_STATS_HDIA_FULL] = 0;
        near = of("hdia) (packed", &d, sizes[q]);
        l2 = 1 << 10;
        assert_true(of("hdia) (packed", &d, sizes[q]) > near + 2);
        wide = false;
        narrow = of("hdia) (packed", &d, sizes[q]);
        l2 = 1 << 20;
        assert_true(of("hdia) (packed", &d, sizes[q]) == narrow);
    }
}

/* Zen 5, columns all over: lines of x that L2 has not hold up rows one by one most, slices more
 * than vectors that go on from row to row; nobody where so little of A passes that x stays. A
 * beyond half of L3 waits for memory, whoever does not ask for it the most. */
static void
test_far(void **state)
{
    static const char *const kinds[] = {"seg", "sell) (packed", "csr"};
    static const char *const stream[] = {"seg", "alike", "sell"};
    const sb_stats s = collect(&(shape){twenty, all_over});

    (void)state;
    wide = true;
    for (int q = 0; q < SB_COUNT(sizes); q++) {
        double before = 0;

        for (int k = 0; k < SB_COUNT(kinds); k++) {
            double held, gone;

            l3 = 1 << 20; /* A is less than half */
            held = of(kinds[k], &s, sizes[q]);
            l2 = 8 << 10;
            gone = of(kinds[k], &s, sizes[q]) - held;
            assert_true(gone > 1.2 * before && gone > 1);
            l3 = 64 << 20;
            assert_true(of(kinds[k], &s, sizes[q]) - held < 0.1 * gone);
            l2 = 1 << 20;
            before = gone;
        }
        before = 0;
        for (int k = 0; k < SB_COUNT(stream); k++) {
            double held, gone;

            l3 = 1 << 20;
            held = of(stream[k], &s, sizes[q]);
            l3 = 64 << 10;
            gone = of(stream[k], &s, sizes[q]) - held;
            assert_true(gone > 1.2 * before && gone > 1);
            before = gone;
        }
        l3 = 128 << 10; /* half of it has columns alone, all of it not values too */
        before = of("sell) (packed", &s, sizes[q]) - 1;
        one_value = true;
        assert_true(of("sell) (packed", &s, sizes[q]) < 0.85 * before);
        one_value = false;
        l3 = 32 << 20;
    }
    wide = false;
}

/* Masks are made once for many runs: as many as rows have chunks. */
static void
test_making(void **state)
{
    const sb_stats near = collect(&(shape){sixty, side_by_side}),
                   far = collect(&(shape){sixty, all_over});
    sb_target t = machine();

    (void)state;
    assert_true(predict("mask 1", &far, 4, &t).making == 0);
    t.wide = true;
    assert_true(predict("mask 1", &near, 4, &t).making > 0);
    assert_true(predict("mask 1", &far, 4, &t).making >
                4 * predict("mask 1", &near, 4, &t).making);
}

/* Zen 3: slices by diagonals, packed, are far ahead where there are any, windows along runs in
 * place; products of short rows, also of doubles; groups of long rows, of floats by eight lanes. */
static void
test_short_registers(void **state)
{
    const shape rows[] = {
        {sixty, scattered}, {two_hundred, scattered}, {four, scattered}};
    const shape stencil = {five, of_stencil}, runs = {sixty, side_by_side};
    const sb_stats f = collect(&rows[0]), m = collect(&rows[1]), s = collect(&rows[2]);
    const sb_stats d = collect(&stencil), r = collect(&runs);

    sb_stats broken = r;

    (void)state;
    for (int q = 0; q < SB_STATS_WINDOWS; q++)
        broken.win_run[q] = 3;
    level = SB_ISA_V3;
    l2 = 512 << 10;
    for (int q = 0; q < SB_COUNT(sizes); q++) {
        expect("hdia) (packed", "sell) (packed", 1.1, &d, sizes[q]);
        expect("hdia) (packed", "prod", 1.6, &d, sizes[q]);
        expect("hdia) (packed", "sell) (packed", 1.1, &r, sizes[q]);
        expect("win 3) (part rows flat 1", "seg", 1.05, &r, sizes[q]);
        expect("seg", "win 3) (part rows flat 1", 1.05, &broken, sizes[q]);
        expect("sell) (packed", "seg", 1, &f, sizes[q]);
        expect("seg", "prod", 1.05, &f, sizes[q]);
        expect("prod", "seg", 1.05, &s, sizes[q]);
        expect("sell) (packed", "sell", 1.3, &s, sizes[q]);
    }
    for (int q = 0; q < SB_COUNT(sizes); q++) { /* slices by place leave L3 to others */
        const double in = of("sell", &f, sizes[q]),
                     packed = of("sell) (packed", &f, sizes[q]);

        l3 = 1 << 20;
        assert_true(of("sell", &f, sizes[q]) > in + 1);
        assert_true(of("sell) (packed", &f, sizes[q]) == packed);
        l3 = 32 << 20;
    }
    expect("mask 6", "seg", 1.1, &r, 4);
    assert_true(of("seg", &m, 4) / 200 < 0.95 * of("seg", &f, 4) / 60);
    assert_true(of("seg", &m, 8) / 200 < of("seg", &f, 8) / 60);
    level = SB_ISA_V4;
    l2 = 1 << 20;
}

/* Columns that all rows of a window hold, packed, a lane a row: cheaper than slices of the same
 * entries, dearer where nothing is shared. */
static void
test_lanes(void **state)
{
    static const char share[] = "share 3) (part rows flat 1) (packed";
    const shape runs = {sixty, side_by_side};
    sb_stats shared = collect(&runs), apart = shared;

    (void)state;
    for (int q = 0; q < SB_STATS_WINDOWS; q++) {
        shared.held_share[q] = shared.half_share[q] = 1;
        apart.held_share[q] = apart.half_share[q] = 0;
    }
    for (int q = 0; q < SB_COUNT(sizes); q++) {
        expect(share, "sell) (packed", 1.2, &shared, sizes[q]);
        expect("sell) (packed", share, 1.2, &apart, sizes[q]);
    }
}

/* Values that are all one are packed slices' alone to gain from. */
static void
test_one_value(void **state)
{
    static const char *const kinds[] = {"sell) (packed", "sell", "hdia) (packed",
                                        "seg"};
    const sb_stats s = collect(&(shape){sixty, scattered});

    (void)state;
    for (int k = 0; k < SB_COUNT(kinds); k++)
        for (int q = 0; q < SB_COUNT(sizes); q++) {
            const double many = of(kinds[k], &s, sizes[q]);

            one_value = true;
            if (k == 0)
                assert_true(of(kinds[k], &s, sizes[q]) < 0.92 * many);
            else
                assert_true(of(kinds[k], &s, sizes[q]) == many);
            one_value = false;
        }
}

/* Slots and gathered rows are behind slices by the shipped factors, too, however long rows are:
 * measured on Zen 4, rows of 200 in slots take 1.3 to 1.9 times as long. */
static void
test_shipped(void **state)
{
    static const char *const others[] = {"ell 8) (packed", "ell 6) (packed",
                                         "ell 3) (packed", "pick) (packed",
                                         "ell 8",          "ell 6"};
    const sb_stats s = collect(&(shape){two_hundred, scattered});
    sb_target t = machine();

    (void)state;
    sb_target_defaults(&t);
    for (int k = 0; k < SB_COUNT(others); k++)
        for (int q = 0; q < SB_COUNT(sizes); q++) {
            const bool packed = strstr(others[k], "packed");
            const double ours =
                predict(packed ? "sell) (packed" : "seg", &s, sizes[q], &t).seconds;

            if (!(predict(others[k], &s, sizes[q], &t).seconds > 1.05 * ours))
                fail_msg("%s, %d bytes", others[k], sizes[q]);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_rows),
        cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_mixed_lengths),
        cmocka_unit_test(test_late_columns),
        cmocka_unit_test(test_products_of_floats_elsewhere),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_making),
        cmocka_unit_test(test_short_registers),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_one_value),
        cmocka_unit_test(test_shipped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
