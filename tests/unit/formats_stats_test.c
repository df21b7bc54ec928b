/*
 * Statistics against matrices whose features are known by construction, and exact
 * counts against a plain recount on random ones.
 */
#include "formats/part.h"
#include "formats/stats.h"
#include "formats/stats_sample.h"
#include "gen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static gen_spec
spec_of(gen_family f, int64_t rows, int64_t cols)
{
    gen_spec s = {.family = f, .rows = rows, .cols = cols, .seed = 7};

    s.format = SB_FORMAT_CSR;
    s.ptr_type = s.idx_type = SB_I32;
    s.val_type = SB_F32;
    return s;
}

static sb_stats
collect(const sb_matrix *a)
{
    sb_view v;
    sb_stats s;

    assert_int_equal(sb_view_make(&v, a, false, NULL), SB_OK);
    assert_int_equal(sb_stats_collect(&s, &v, SB_STATS_ALL, NULL), SB_OK);
    sb_view_free(&v);
    return s;
}

static void
test_buckets(void **state)
{
    static const int want[] = {0, 1, 2, 3, 3, 4, 4, 4, 4, 5};

    (void)state;
    for (int64_t len = 0; len < 10; len++)
        assert_int_equal(sb_stats_bucket(len), want[len]);
    assert_int_equal(sb_stats_bucket(1024), 11);
    assert_int_equal(sb_stats_bucket(1025), 12);
    assert_true(sb_stats_bucket(INT64_MAX) < SB_STATS_BUCKETS);
}

/* A plain recount of everything exact. */
static void
recount(const sb_matrix *a, const sb_stats *s)
{
    int64_t longest = 0, empty = 0, band = 0, distinct = 0,
            rows[SB_STATS_BUCKETS] = {0};
    bool sorted = true;
    char *seen = calloc((size_t)a->cols + 1, 1);

    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t lo = sb_index(a->ptr, a->ptr_type, i) - a->base;
        const int64_t hi = sb_index(a->ptr, a->ptr_type, i + 1) - a->base;

        longest = hi - lo > longest ? hi - lo : longest;
        empty += hi == lo;
        rows[sb_stats_bucket(hi - lo)]++;
        for (int64_t p = lo; p < hi; p++) {
            const int64_t j = sb_index(a->idx, a->idx_type, p) - a->base;

            band = llabs(j - i) > band ? llabs(j - i) : band;
            sorted = sorted &&
                     (p == lo || sb_index(a->idx, a->idx_type, p - 1) - a->base < j);
            distinct += !seen[j];
            seen[j] = 1;
        }
    }
    free(seen);
    assert_int_equal(s->longest, longest);
    assert_int_equal(s->empty, empty);
    assert_int_equal(s->bandwidth, band);
    assert_int_equal(s->sorted, sorted);
    for (int q = 0; q < SB_STATS_BUCKETS; q++)
        assert_int_equal(s->bucket_rows[q], rows[q]);
    if (a->cols / 8 <= a->nnz)
        assert_int_equal(s->distinct, distinct);
    else
        assert_true(s->distinct >= distinct);
}

static void
test_exact_counts(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 300; k++) {
        gen_spec spec = gen_case(k);
        sb_matrix a;
        sb_stats s;

        spec.format = SB_FORMAT_CSR;
        spec.ptr_type = k % 2 ? SB_I64 : SB_I32;
        spec.idx_type = k % 4 == 1 ? SB_I64 : SB_I32;
        spec.val_type = SB_F32;
        a = gen_matrix(&spec);
        s = collect(&a);
        recount(&a, &s);
        gen_free_matrix(&a);
    }
}

static void
test_full_blocks(void **state)
{
    gen_spec spec = spec_of(GEN_BLOCKS, 256, 256);
    sb_matrix a;
    sb_stats s;

    (void)state;
    spec.block = 8;
    spec.density = 0.2;
    a = gen_matrix(&spec);
    s = collect(&a);
    assert_true(a.nnz > 0);
    for (int q = 0; q < SB_STATS_BLOCKS; q++)
        if (sb_stats_block_size[q] == 2 || sb_stats_block_size[q] == 4 ||
            sb_stats_block_size[q] == 8)
            assert_true(s.block_share[q] > 0.99);
    assert_true(s.win_share[0] > 0.99 && s.win_share[2] > 0.99);
    assert_true(s.r4 > 3.9 && s.r8 > 7.9);
    gen_free_matrix(&a);

    spec.family = GEN_UNIFORM;
    spec.density = 0.05;
    a = gen_matrix(&spec);
    s = collect(&a);
    assert_true(s.block_share[2] < 0.05);
    assert_true(s.r8 < 1.6);
    gen_free_matrix(&a);
}

/* A tridiagonal matrix, written down. */
static void
test_diagonals(void **state)
{
    enum { N = 500 };
    static int32_t ptr[N + 1], idx[3 * N];
    static float val[3 * N];
    sb_matrix a = {.format = SB_FORMAT_CSR,
                   .rows = N,
                   .cols = N,
                   .ptr = ptr,
                   .idx = idx,
                   .val = val,
                   .ptr_type = SB_I32,
                   .idx_type = SB_I32,
                   .val_type = SB_F32,
                   .batch = 1};
    sb_stats s;

    (void)state;
    for (int i = 0; i < N; i++) {
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < N)
                idx[a.nnz++] = j;
        ptr[i + 1] = (int32_t)a.nnz;
    }
    s = collect(&a);
    assert_int_equal(s.diag_count, 3);
    assert_true(s.diag_share > 0.99);
    assert_int_equal(s.bandwidth, 1);
    assert_true(s.window_reuse > 0.6);
    assert_true(s.window_fresh > 0.9); /* neighbouring windows share two columns */
    assert_true(s.window_next > 0.95);
    assert_true(s.cv < 0.1);
    for (int64_t p = 0; p < a.nnz; p++)
        idx[p] *= 2; /* no two side by side */
    a.cols = 2 * N;
    assert_true(collect(&a).window_next == 0);
}

static void
in_pieces(sb_par_fn fn, void *user, int64_t lo, int64_t hi, int64_t grain)
{
    (void)grain;
    for (int64_t q = hi; q-- > lo;)
        fn(user, q, q + 1);
}

/* Whoever runs the chunks, and in whatever order, the numbers are the same. */
static void
test_same_for_any_team(void **state)
{
    const sb_par par = {in_pieces, 4};
    gen_spec spec = spec_of(GEN_POWER_LAW, 6000, 5000);
    sb_matrix a;
    sb_view v;
    sb_stats one, four;

    (void)state;
    spec.density = 0.002;
    a = gen_matrix(&spec);
    assert_true(a.nnz + a.rows > 16384);
    assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
    assert_int_equal(sb_stats_collect(&one, &v, SB_STATS_ALL, NULL), SB_OK);
    assert_int_equal(sb_stats_collect(&four, &v, SB_STATS_ALL, &par), SB_OK);
    assert_memory_equal(&one, &four, sizeof one);
    sb_view_free(&v);
    gen_free_matrix(&a);
}

/* Full rows: as many entries in a panel as it has columns. */
static void
test_panels(void **state)
{
    gen_spec spec = spec_of(GEN_FULL, 10, 320);
    sb_matrix a = gen_matrix(&spec);
    const sb_stats s = collect(&a);

    (void)state;
    assert_true(sb_stats_panel_run(&s, 32) == 32.0);
    assert_true(sb_stats_panel_run(&s, 33) == 64.0);
    assert_true(sb_stats_panel_run(&s, 256) == 160.0);
    assert_true(sb_stats_panel_run(&s, 512) == 320.0);
    assert_true(sb_stats_panel_run(&s, 1 << 20) == 320.0);
    gen_free_matrix(&a);
}

/* Runs in the first tenth of the rows, entries far apart in the others: a sample that ends
 * before the last row must not be of the first ones. */
static void
test_spread(void **state)
{
    enum { ROWS = 1000, LONG = 32 };
    static int32_t ptr[ROWS + 1], idx[ROWS * LONG];
    const sb_matrix a = {.format = SB_FORMAT_CSR,
                         .rows = ROWS,
                         .cols = LONG * 16,
                         .nnz = ROWS * LONG,
                         .ptr = ptr,
                         .idx = idx,
                         .ptr_type = SB_I32,
                         .idx_type = SB_I32,
                         .val_type = SB_F32,
                         .batch = 1};
    sb_stats s;

    (void)state;
    for (int i = 0; i < ROWS; i++) {
        ptr[i + 1] = ptr[i] + LONG;
        for (int q = 0; q < LONG; q++)
            idx[ptr[i] + q] = i < ROWS / 10 ? q : q * 16;
    }
    s = collect(&a);
    for (int q = 0; q < SB_STATS_MASKS; q++) /* 16 and 1 entries a chunk */
        assert_true(s.mask_fill[q] > 1 && s.mask_fill[q] < 1.3);
    for (int q = 0; q < SB_STATS_BLOCKS; q++)
        assert_true(s.block_share[q] < 0.2);
}

/* Chunks of one entry or none, with rows behind it that are empty: nothing before the entries
 * is looked at (ASan). */
static void
test_few_entries(void **state)
{
    enum { ROWS = 100 };

    (void)state;
    for (int q = 0; q < 48; q++) {
        const int nnz = q % 3, first = q / 3 % 2 ? ROWS / 2 : 0;
        const int base = q / 6 % 2;
        const bool wide = q / 12 % 2, wide_ptr = q / 24 % 2;
        const sb_dtype crd = wide ? SB_I64 : SB_I32, off = wide_ptr ? SB_I64 : SB_I32;
        void *ptr = malloc((ROWS + 1) * sb_dtype_size(off));
        void *idx = malloc(((size_t)nnz + !nnz) * sb_dtype_size(crd));
        float val[2] = {1, 1};
        const sb_matrix a = {.format = SB_FORMAT_CSR,
                             .rows = ROWS,
                             .cols = ROWS,
                             .nnz = nnz,
                             .ptr = ptr,
                             .idx = idx,
                             .val = val,
                             .ptr_type = off,
                             .idx_type = crd,
                             .val_type = SB_F32,
                             .base = base,
                             .block = 1,
                             .batch = 1};
        sb_stats s;

        assert_true(ptr && idx);
        for (int i = 0; i <= ROWS; i++) /* one in row `first`, one in the last */
            sb_index_store(ptr, off, i,
                           base + (nnz > 0 && i > first) + (nnz > 1 && i == ROWS));
        for (int k = 0; k < nnz; k++)
            sb_index_store(idx, crd, k, base + 3 + 5 * k);
        s = collect(&a);
        recount(&a, &s);
        free(ptr);
        free(idx);
    }
}

/* Columns marked by several groups, and rows of all lengths, against a plain recount; pieces
 * of one unit, and all at once. */
static void
test_exact_by_groups(void **state)
{
    (void)state;
    for (int k = 0; k < 16; k++) {
        const sb_par par = {k & 8 ? NULL : in_pieces, 4};
        gen_spec spec =
            spec_of(k & 1 ? GEN_POWER_LAW : GEN_UNIFORM, 3000, k & 2 ? 30000 : 3000);
        sb_matrix a;
        sb_view v;
        sb_stats s;

        spec.density = k & 2 ? 0.0005 : 0.01;
        spec.ptr_type = k & 4 ? SB_I64 : SB_I32;
        a = gen_matrix(&spec);
        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        assert_int_equal(sb_stats_collect(&s, &v, SB_STATS_ALL, &par), SB_OK);
        recount(&a, &s);
        sb_view_free(&v);
        gen_free_matrix(&a);
    }
}

/* So small that even a first look reads all: what it has not looked at is bounded by what
 * it has, and all that it was refined by is as if there had been no first look. */
static void
test_first_look(void **state)
{
    static const gen_family family[] = {GEN_UNIFORM, GEN_BLOCKS, GEN_BANDED,
                                        GEN_DIAGONALS, GEN_BLOCKS};

    (void)state;
    for (int k = 0; k < 10; k++) {
        const sb_stats_use use =
            k & 1 ? SB_STATS_VECTOR : SB_STATS_MATRIX | SB_STATS_REUSE;
        gen_spec spec = spec_of(family[k / 2], 48, 32);
        sb_matrix a;
        sb_view v;
        sb_stats s, full;

        spec.density = 0.08;
        spec.block = k < 8 ? 0 : 3; /* a pair in three lies across two blocks */
        a = gen_matrix(&spec);
        assert_in_range(a.nnz, 1, 1024);
        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        assert_int_equal(sb_stats_collect(&full, &v, use, NULL), SB_OK);
        assert_int_equal(
            sb_stats_collect(&s, &v, (sb_stats_use)(use | SB_STATS_BRIEF), NULL),
            SB_OK);
        assert_true(s.brief && s.first != 0 && !full.brief && full.first == 0);
        assert_true(s.distinct >= full.distinct);
        assert_true(s.sorted == full.sorted && s.longest == full.longest);
        for (int q = 0; q < SB_STATS_MASKS; q++)
            assert_true(s.mask_fill[q] >= full.mask_fill[q]);
        for (int q = 0; q < SB_STATS_BLOCKS; q++)
            if (sb_stats_block_size[q] != 3)
                assert_true(s.block_share[q] >= full.block_share[q]);
        assert_true(s.win_share[0] == full.win_share[0]);
        for (int q = 0; q < SB_STATS_WINDOWS; q++)
            assert_true(s.win_share[q] >= full.win_share[q]);
        assert_true(s.sell_fill == full.sell_fill);
        sb_stats_refine(&s, &v, s.first, NULL);
        assert_int_equal(s.first, 0);
        assert_memory_equal(s.win_share, full.win_share, sizeof s.win_share);
        assert_memory_equal(s.win_run, full.win_run, sizeof s.win_run);
        if (use & SB_STATS_MATRIX)
            assert_memory_equal(s.block_share, full.block_share, sizeof s.block_share);
        else
            assert_memory_equal(s.hdia, full.hdia, sizeof s.hdia);
        if (use & SB_STATS_VECTOR)
            assert_memory_equal(s.mask_fill, full.mask_fill, sizeof s.mask_fill);
        /* few samples alone: nothing else differs */
        assert_int_equal(
            sb_stats_collect(&s, &v, (sb_stats_use)(use | SB_STATS_FIRST), NULL),
            SB_OK);
        assert_true(!s.brief && s.first != 0);
        sb_stats_refine(&s, &v, s.first, NULL);
        assert_memory_equal(&s, &full, sizeof s);
        sb_view_free(&v);
        gen_free_matrix(&a);
    }
}

/* Of rows so long that one window has most of a sample, eight windows are looked at: here the sixth
 * alone has its columns apart. */
static void
test_long_rows(void **state)
{
    enum { ROWS = 96, EACH = 300, COLS = 4096, SIX = 6 };
    static int32_t ptr[ROWS + 1], crd[ROWS * EACH];
    static float val[ROWS * EACH];
    const int64_t apart = sb_stats_spread(5, ROWS / SIX);
    const sb_matrix a = {.format = SB_FORMAT_CSR,
                         .rows = ROWS,
                         .cols = COLS,
                         .nnz = ROWS * EACH,
                         .ptr_type = SB_I32,
                         .idx_type = SB_I32,
                         .val_type = SB_F32,
                         .ptr = ptr,
                         .idx = crd,
                         .val = val};
    sb_stats s, full;
    sb_view v;

    (void)state;
    for (int i = 0; i < ROWS; i++) {
        ptr[i + 1] = (i + 1) * EACH;
        for (int q = 0; q < EACH; q++)
            crd[i * EACH + q] = i / SIX == apart ? 13 * q : q;
    }
    assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
    assert_int_equal(sb_stats_collect(&full, &v, SB_STATS_VECTOR, NULL), SB_OK);
    assert_int_equal(sb_stats_collect(&s, &v,
                                      (sb_stats_use)(SB_STATS_VECTOR | SB_STATS_FIRST),
                                      NULL),
                     SB_OK);
    sb_stats_refine(&s, &v, s.first, NULL);
    assert_memory_equal(s.mask_fill, full.mask_fill, sizeof s.mask_fill);
    assert_true(s.mask_fill[SB_STATS_MASKS - 1] < 10); /* of the others 16 */
    sb_view_free(&v);
}

/* The columns that a window is said to take are those that the part has. */
static void
test_slices(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) { /* short rows, long ones, some of more than 512 */
        gen_spec spec = spec_of(GEN_POWER_LAW, 700, k == 2 ? 3000 : 300);
        int64_t columns = 0;
        sb_matrix a;
        sb_cover cv;
        sb_part part;
        sb_view v;

        spec.density = k == 0 ? 0.01 : 0.3;
        a = gen_matrix(&spec);
        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        for (int64_t w = 0; w * SB_SELL_WINDOW < v.rows; w++)
            columns += sb_part_sell_columns(&v, w);
        sb_cover_init(&cv, &v);
        assert_int_equal(sb_part_sell(&part, &cv, true, false, NULL), SB_OK);
        assert_int_equal(columns, part.width);
        sb_part_free(&part);
        sb_cover_free(&cv);
        sb_view_free(&v);
        gen_free_matrix(&a);
    }
}

/* So small that all windows are samples: what is said of unaligned blocks is what the part has. */
static void
test_unaligned(void **state)
{
    static const gen_family family[] = {GEN_UNIFORM, GEN_BLOCKS, GEN_BANDED};

    (void)state;
    for (int k = 0; k < 6; k++) {
        gen_spec spec = spec_of(family[k / 2], 48, 32);
        sb_matrix a;
        sb_stats s, later;
        sb_view v;

        spec.density = 0.1;
        spec.idx_type = k % 2 ? SB_I64 : SB_I32;
        a = gen_matrix(&spec);
        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        assert_int_equal(sb_stats_collect(&s, &v, SB_STATS_ALL, NULL), SB_OK);
        assert_int_equal(sb_stats_collect(&later, &v, SB_STATS_VECTOR, NULL), SB_OK);
        assert_true(later.unaligned[0] == 0);
        sb_stats_unalign(&later, &v, NULL);
        assert_memory_equal(s.unaligned, later.unaligned, sizeof s.unaligned);
        for (int q = 0; q < SB_STATS_SHAPES; q++) {
            const struct sb_stats_shape b = sb_stats_shape[q];
            const double fill = sb_stats_unaligned(&s, b.rows, b.cols);
            const sb_ubcsr as = {b.rows, b.cols, a.val, a.val_type};
            sb_cover cv;
            sb_part part;

            sb_cover_init(&cv, &v);
            if (sb_part_ubcsr(&part, &cv, &as, true, NULL) == SB_OK)
                assert_true(fabs(fill - (double)a.nnz / (double)part.slots) < 1e-12);
            else
                assert_true(fill < 1.0 / 8);
            sb_part_free(&part);
            sb_cover_free(&cv);
        }
        assert_true(sb_stats_unaligned(&s, 5, 4) == 0);
        sb_view_free(&v);
        gen_free_matrix(&a);
    }
}

static void
test_row_at(void **state)
{
    static const gen_family families[] = {GEN_POWER_LAW, GEN_UNIFORM, GEN_BANDED,
                                          GEN_FULL, GEN_EMPTY};

    (void)state;
    for (int q = 0; q < SB_COUNT(families); q++) {
        gen_spec spec = spec_of(families[q], 300, 200);
        sb_matrix a = gen_matrix(&spec);
        sb_view v;

        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        for (int64_t work = 0; work <= v.rows + v.nnz; work++) {
            const int64_t i = sb_view_row_at(&v, work);

            assert_true(i <= v.rows);
            assert_true(i == v.rows || i + sb_view_lo(&v, i) >= work);
            assert_true(i == 0 || i - 1 + sb_view_lo(&v, i - 1) < work);
        }
        sb_view_free(&v);
        gen_free_matrix(&a);
    }
}

/* The last column moves on from row to row in a band, and in none of a dense matrix; a row without
 * entries names none, the one after it does. */
static void
test_onward(void **state)
{
    int32_t ptr[] = {0, 1, 2, 2, 3, 4, 5}, crd[] = {0, 3, 1, 2, 2};
    int32_t tri_ptr[65] = {0}, tri_crd[128] = {0};
    sb_matrix a = {.format = SB_FORMAT_CSR,
                   .rows = 6,
                   .cols = 4,
                   .nnz = 5,
                   .ptr = ptr,
                   .idx = crd,
                   .ptr_type = SB_I32,
                   .idx_type = SB_I32,
                   .val_type = SB_F32};
    gen_spec band = spec_of(GEN_BANDED, 300, 300), full = spec_of(GEN_FULL, 300, 200);
    sb_matrix b = gen_matrix(&band), f = gen_matrix(&full);

    (void)state;
    assert_true(collect(&a).onward == 3.0 / 5); /* 0 | 3 - 1 | 2 2 */
    assert_true(collect(&b).onward > 0.8);
    assert_true(collect(&f).onward == 0);
    a.rows = 1;
    a.nnz = 1;
    assert_true(collect(&a).onward == 0);
    for (int i = 0; i < 64;
         i++) { /* the last in place, the first far away from 16 on */
        tri_ptr[i + 1] = 2 * (i + 1);
        tri_crd[2 * i + 1] = i;
    }
    a = (sb_matrix){.format = SB_FORMAT_CSR,
                    .rows = 64,
                    .cols = 64,
                    .nnz = 128,
                    .ptr = tri_ptr,
                    .idx = tri_crd,
                    .ptr_type = SB_I32,
                    .idx_type = SB_I32,
                    .val_type = SB_F32};
    assert_true(collect(&a).onward == 16.0 / 63);
    gen_free_matrix(&b);
    gen_free_matrix(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buckets),
        cmocka_unit_test(test_exact_counts),
        cmocka_unit_test(test_full_blocks),
        cmocka_unit_test(test_diagonals),
        cmocka_unit_test(test_same_for_any_team),
        cmocka_unit_test(test_panels),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_exact_by_groups),
        cmocka_unit_test(test_few_entries),
        cmocka_unit_test(test_first_look),
        cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_unaligned),
        cmocka_unit_test(test_row_at),
        cmocka_unit_test(test_onward),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
