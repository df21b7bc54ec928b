/*
 * Property: whatever the matrix and however it is taken apart, every stored entry is in
 * exactly one part, at its own row and column, and every row is written first by
 * exactly one step that applies beta.
 */
#include "base/alloc.h"
#include "formats/part.h"
#include "formats/stats.h"
#include "gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PARTS_TRIED = 6 };

typedef struct recipe {
    /* selective parts first, in the order of build(); block 42: sizes 4, then 2 */
    int block, percent, share;
    sb_part_kind rest;
    int c, k, window; /* panel: c blocks, k columns */
} recipe;

static const recipe recipes[] = {
    {0, 0, 0, SB_PART_CSR, 0, 0, 0},
    {0, 0, 0, SB_PART_ROWS, 1, 0, 0},
    {0, 0, 0, SB_PART_ROWS, 1, 3, 0},
    {0, 0, 0, SB_PART_ROWS, 4, 2, 0},
    {0, 0, 0, SB_PART_ROWS, 16, 5, 0},
    {0, 0, 0, SB_PART_ELL, 0, 1, 0},
    {0, 0, 0, SB_PART_ELL, 0, 4, 0},
    {0, 0, 0, SB_PART_COO, 0, 0, 0},
    {0, 0, 0, SB_PART_PICK, 0, 0, 0},
    {2, 0, 0, SB_PART_PICK, 0, 0, 0},
    {0, 60, 0, SB_PART_PICK, 0, 0, 0},
    {42, 0, 2, SB_PART_PICK, 0, 0, 0},
    {2, 0, 0, SB_PART_ROWS, 1, 2, 0},
    {4, 0, 0, SB_PART_ROWS, 2, 2, 0},
    {4, 0, 0, SB_PART_ELL, 0, 8, 0},
    {2, 0, 0, SB_PART_COO, 0, 0, 0},
    {0, 50, 0, SB_PART_ROWS, 1, 2, 0},
    {0, 90, 0, SB_PART_ROWS, 4, 2, 0},
    {0, 60, 0, SB_PART_ELL, 0, 2, 0},
    {0, 60, 0, SB_PART_COO, 0, 0, 0},
    {0, 0, 0, SB_PART_ROWS, 1, 2, 2},
    {0, 0, 0, SB_PART_ROWS, 2, 2, 4},
    {0, 0, 0, SB_PART_COO, 0, 0, 3},
    {0, 0, 0, SB_PART_SEG, 0, 0, 0},
    {0, 0, 0, SB_PART_SELL, 0, 0, 0},
    {0, 0, 0, SB_PART_PANEL, 3, 1, 0},
    {0, 0, 0, SB_PART_PANEL, 4, 7, 0},
    {0, 0, 0, SB_PART_SELL, 1, 0, 0},
    {0, 0, 0, SB_PART_SELL, 0, 1, 0},
    {0, 0, 0, SB_PART_SELL, 1, 1, 0},
    {0, 0, 0, SB_PART_MASK, 1, 0, 0},
    {0, 0, 0, SB_PART_MASK, 3, 0, 0},
    {0, 0, 0, SB_PART_MASK, 8, 0, 0},
    {0, 0, 0, SB_PART_BLOCKS, 0, 0, 0},
    {0, 0, 0, SB_PART_BLOCKS, 0, 0, 0}, /* the other way round in test_no_memory */
    {0, 0, 0, SB_PART_HDIA, 0, 0, 0},
    {0, 0, 0, SB_PART_HDIA, 1, 0, 0},
    {0, 0, 0, SB_PART_HDIA, 2, 0, 0},
    {0, 0, 0, SB_PART_UBCSR, 4, 1, 0},
    {0, 0, 0, SB_PART_UBCSR, 4, 3, 0},
    {0, 0, 0, SB_PART_UBCSR, 8, 2, 0},
    {0, 0, 0, SB_PART_UBCSR, 8, 4, 0},
    {0, 0, 0, SB_PART_PROD, 0, 0, 0},
    {0, 0, 0, SB_PART_ALIKE, 0, 0, 0},
    {0, 0, 0, SB_PART_LIST, 0, 0, 0},
    {0, 0, 2, SB_PART_ROWS, 1, 2, 0},
    {0, 0, 3, SB_PART_COO, 0, 0, 0},
    {0, 0, 8, SB_PART_ELL, 0, 2, 0},
    /* several levels; what comes later may find nothing */
    {42, 0, 0, SB_PART_ROWS, 1, -1, 0},
    {32, 0, 0, SB_PART_COO, 0, 0, 0},
    {2, 20, 0, SB_PART_ROWS, 2, 2, 0},
    {4, 0, 0, SB_PART_ROWS, 1, -1, 2},
    {3, 0, 2, SB_PART_ELL, 0, 1, 0},
    {0, 60, 0, SB_PART_ROWS, 1, -1, 3},
    {42, 20, 3, SB_PART_COO, 0, 0, 0},
};

/* Rows a group's units write. */
static void
mark_rows(const sb_part *p, const sb_part_group *g, int64_t rows, int *first,
          int *later)
{
    const char *list = p->kind == SB_PART_ROWS   ? "rows_row"
                       : p->kind == SB_PART_ELL  ? "ell_row"
                       : p->kind == SB_PART_PICK ? "pick_row"
                       : p->kind == SB_PART_COO  ? "coo_row"
                       : p->kind == SB_PART_SELL ? "sell_row"
                                                 : NULL;
    const sb_part_array *a = list ? sb_part_find(p, list) : NULL;
    const bool blocks = p->kind == SB_PART_BSR || p->kind == SB_PART_WIN ||
                        p->kind == SB_PART_SHARE || p->kind == SB_PART_MASK ||
                        p->kind == SB_PART_UBCSR;
    const int64_t b = blocks                    ? p->width
                      : p->kind == SB_PART_SELL ? SB_SELL_ROWS
                      : p->kind == SB_PART_HDIA ? SB_HDIA_ROWS
                                                : sb_part_rows_of_unit(p->kind);
    int64_t before = -1;

    if (p->kind == SB_PART_LIST) /* sampled products only: rows are not written */
        return;
    if (p->kind == SB_PART_PANEL || p->kind == SB_PART_ALIKE) {
        const sb_part_array *row0 =
            sb_part_find(p, p->kind == SB_PART_PANEL ? "panel_row0" : "alike_row");

        for (int64_t i = sb_index(row0->data, row0->type, g->lo);
             i < sb_index(row0->data, row0->type, g->hi); i++)
            first[i]++;
        return;
    }
    for (int64_t u = g->lo; u < g->hi; u++)
        for (int64_t r = 0; r < b && u * b + r < (a ? a->count : rows); r++) {
            const int64_t row = a ? sb_index(a->data, a->type, u * b + r) : u * b + r;

            if (row != before)
                (g->add ? later : first)[row]++;
            before = row;
        }
}

/* One phase writes a row through adjacent units only; beta is applied once, first. */
static bool
ownership_holds(const sb_part *part, int n, int64_t rows)
{
    int *first = calloc((size_t)rows + 1, sizeof *first);
    bool ok = true;

    for (int q = 0; q < n && ok; q++)
        for (int g = 0; g < part[q].ngroup && ok; g++) {
            int *once = calloc((size_t)rows + 1, sizeof *once);

            mark_rows(&part[q], &part[q].group[g], rows, first, once);
            for (int64_t i = 0; i < rows; i++)
                ok = ok && once[i] <= 1;
            free(once);
        }
    for (int64_t i = 0; i < rows; i++)
        ok = ok && first[i] <= 1;
    free(first);
    return ok;
}

/* Of the matrix that is being tried, f32, for parts that copy them. */
static const void *values;

static sb_status
build(sb_part *part, int *n, const recipe *r, sb_cover *cv, bool sorted)
{
    sb_status st = SB_OK;

    *n = 0;
    if (r->block)
        st = sb_part_bsr(&part[(*n)++], cv, r->block > 9 ? r->block / 10 : r->block,
                         sorted, NULL);
    for (int q = 0; q < 4 && st == SB_OK; q++) {
        const int size = q == 0   ? (r->block > 9 ? r->block % 10 : 0)
                         : q == 1 ? r->percent
                         : q == 2 ? r->window
                                  : r->share;
        sb_part *p = &part[*n];

        if (!size)
            continue;
        st = q == 0   ? sb_part_bsr(p, cv, size, sorted, NULL)
             : q == 1 ? sb_part_dia(p, cv, size, sorted)
             : q == 2 ? sb_part_win(p, cv, size, sorted, NULL)
                      : sb_part_share(p, cv, size, true, sorted, NULL);
        *n += st == SB_OK;
        st = st == SB_SKIP && *n > 0 ? SB_OK : st;
    }
    if (st != SB_OK)
        return st;
    switch (r->rest) {
    case SB_PART_PANEL:
        return sb_part_panel(&part[(*n)++], cv, r->k, r->c, sorted, NULL);
    case SB_PART_SELL:
        return sb_part_sell(&part[(*n)++], cv, r->c > 0,
                            r->k > 0 && sb_part_sell_narrows(cv->v), NULL);
    case SB_PART_MASK:
        return sb_part_mask(&part[(*n)++], cv, r->c, sorted, NULL);
    case SB_PART_UBCSR:
        return sb_part_ubcsr(&part[(*n)++], cv, &(sb_ubcsr){r->k, r->c, values, SB_F32},
                             sorted, NULL);
    case SB_PART_HDIA:
        return sb_part_hdia(&part[(*n)++], cv, (sb_hdia)r->c, sorted, NULL);
    case SB_PART_BLOCKS:
        return sb_part_blocks(&part[(*n)++], cv);
    case SB_PART_LIST:
        return sb_part_list(&part[(*n)++], cv);
    case SB_PART_SEG:
        return sb_part_seg(&part[(*n)++], cv);
    case SB_PART_PROD:
        return sb_part_prod(&part[(*n)++], cv);
    case SB_PART_ALIKE:
        return sb_part_alike(&part[(*n)++], cv, NULL);
    case SB_PART_CSR:
        return sb_part_csr(&part[(*n)++], cv);
    case SB_PART_ROWS:
        return sb_part_rows(&part[(*n)++], cv, r->c, r->k, sorted);
    case SB_PART_ELL:
        return sb_part_ell(&part[(*n)++], cv, (int64_t)1 << r->k);
    case SB_PART_PICK:
        return sb_part_pick(&part[(*n)++], cv);
    default:
        return sb_part_coo(&part[(*n)++], cv);
    }
}

static int
try_recipe(const recipe *r, const sb_view *v, bool sorted, uint64_t k)
{
    sb_part part[PARTS_TRIED] = {0};
    sb_cover cv;
    sb_diag diag = {0};
    int n = 0, built;
    sb_status st;

    sb_cover_init(&cv, v);
    st = build(part, &n, r, &cv, sorted);
    built = st == SB_OK;
    if (built) {
        if (cv.rest != 0 || sb_parts_check(part, n, v, &diag) != SB_OK)
            fail_msg("case %llu, recipe %d: %s", (unsigned long long)k,
                     (int)(r - recipes), diag.text);
        if (!ownership_holds(part, n, v->rows))
            fail_msg("case %llu, recipe %d: a row has two owners",
                     (unsigned long long)k, (int)(r - recipes));
    } else {
        assert_int_equal(st, SB_SKIP);
    }
    for (int q = 0; q < n; q++)
        sb_part_free(&part[q]);
    sb_cover_free(&cv);
    return built;
}

static void
test_exact_cover(void **state)
{
    static const sb_format formats[] = {SB_FORMAT_CSR, SB_FORMAT_CSC, SB_FORMAT_COO,
                                        SB_FORMAT_BSR};
    int built[SB_COUNT(recipes)] = {0};

    (void)state;
    for (uint64_t k = 0; k < 800; k++) {
        gen_spec spec = gen_case(k);
        sb_view v;
        sb_stats s;
        sb_matrix a;

        spec.format = k % 3 ? SB_FORMAT_CSR : formats[k / 3 % 4];
        spec.ptr_type = k % 5 == 0 ? SB_I64 : SB_I32;
        spec.idx_type = k % 10 == 0 ? SB_I64 : SB_I32;
        spec.val_type = SB_F32;
        a = gen_matrix(&spec);
        values = a.val;
        assert_int_equal(sb_view_make(&v, &a, k % 7 == 0, NULL), SB_OK);
        assert_int_equal(sb_stats_collect(&s, &v, SB_STATS_ALL, NULL), SB_OK);
        for (int r = 0; r < SB_COUNT(recipes); r++)
            built[r] += try_recipe(&recipes[r], &v, s.sorted, k);
        sb_view_free(&v);
        gen_free_matrix(&a);
    }
    for (int r = 0; r < SB_COUNT(recipes); r++)
        if (built[r] < 8)
            fail_msg("recipe %d applied to %d matrices only", r, built[r]);
}

static void
panel_damage(const sb_view *v)
{
    sb_view wide = *v;
    sb_cover cv;
    sb_part part;

    wide.cols = INT64_MAX; /* countless columns are no reason to fail */
    sb_cover_init(&cv, &wide);
    assert_int_equal(sb_part_panel(&part, &cv, 1, 2, false, NULL), SB_SKIP);
    sb_cover_init(&cv, v);
    assert_int_equal(sb_part_panel(&part, &cv, 2, 2, false, NULL), SB_OK);
    assert_int_equal(sb_parts_check(&part, 1, v, NULL), SB_OK);
    for (int q = 0; q < part.narray; q++) {
        int32_t *first = part.array[q].data;

        first[0]++;
        if (sb_parts_check(&part, 1, v, NULL) != SB_EINTERNAL)
            fail_msg("damaged %s", part.array[q].name);
        first[0]--;
    }
    sb_part_free(&part);
    sb_cover_free(&cv);
}

/* The checker itself must see a lost, a doubled and a misplaced entry. */
static void
test_check_sees_damage(void **state)
{
    int32_t ptr[] = {0, 2, 3}, idx[] = {0, 2, 1};
    float val[] = {1, 2, 3};
    sb_matrix a = {.format = SB_FORMAT_CSR,
                   .rows = 2,
                   .cols = 3,
                   .nnz = 3,
                   .ptr = ptr,
                   .idx = idx,
                   .val = val,
                   .ptr_type = SB_I32,
                   .idx_type = SB_I32,
                   .val_type = SB_F32,
                   .batch = 1};
    sb_view v;
    sb_cover cv;
    sb_part part;

    (void)state;
    assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
    sb_cover_init(&cv, &v);
    assert_int_equal(sb_part_ell(&part, &cv, 2), SB_OK);
    assert_int_equal(sb_parts_check(&part, 1, &v, NULL), SB_OK);
    part.group[0].hi--;
    assert_int_equal(sb_parts_check(&part, 1, &v, NULL), SB_EINTERNAL);
    part.group[0].hi++;
    ((int32_t *)part.array[2].data)[0] = 1; /* ell_crd */
    assert_int_equal(sb_parts_check(&part, 1, &v, NULL), SB_EINTERNAL);
    ((int32_t *)part.array[2].data)[0] = 0;
    ((int32_t *)part.array[3].data)[1] = 0; /* ell_pos */
    assert_int_equal(sb_parts_check(&part, 1, &v, NULL), SB_EINTERNAL);
    sb_part_free(&part);
    sb_cover_free(&cv);
    panel_damage(&v);
    sb_view_free(&v);
}

static int64_t
element(const sb_part *p, const char *name, int64_t at)
{
    const sb_part_array *a = sb_part_find(p, name);

    return sb_index(a->data, a->type, at);
}

/* Rank of every slot among those of its row, in the order the part adds them up. */
static int64_t *
order_of(const sb_view *v, int64_t blocks)
{
    int64_t *rank = calloc((size_t)v->nnz + 1, sizeof *rank);
    int64_t *seen = calloc((size_t)v->rows + 1, sizeof *seen);
    sb_part part;
    sb_cover cv;

    sb_cover_init(&cv, v);
    assert_int_equal(sb_part_panel(&part, &cv, 16, blocks, false, NULL), SB_OK);
    for (int64_t u = 0; u < sb_part_find(&part, "panel_row")->count; u++) {
        const int64_t row = element(&part, "panel_row", u);
        const int64_t off = element(&part, "panel_off", u);

        for (int64_t s = off; s < element(&part, "panel_off", u + 1); s++)
            rank[element(&part, "panel_lo", u) + s - off] = seen[row]++;
    }
    sb_part_free(&part);
    sb_cover_free(&cv);
    free(seen);
    return rank;
}

/* Panels add a row up in an order that the number of blocks does not change. */
static void
test_panel_order(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 100; k++) {
        gen_spec spec = gen_case(k);
        int64_t *one, *many;
        sb_matrix a;
        sb_view v;

        spec.format = SB_FORMAT_CSR;
        spec.val_type = SB_F32;
        a = gen_matrix(&spec);
        values = a.val;
        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        one = order_of(&v, 1);
        many = order_of(&v, 7);
        assert_memory_equal(one, many, (size_t)v.nnz * sizeof *one);
        free(one);
        free(many);
        sb_view_free(&v);
        gen_free_matrix(&a);
    }
}

/* Rows that are known to be sorted are walked in strides: to the same segments. */
static void
test_panel_sorted(void **state)
{
    int tried = 0;

    (void)state;
    for (uint64_t k = 0; k < 100; k++) {
        gen_spec spec = gen_case(k);
        sb_stats s;
        sb_matrix a;
        sb_view v;

        spec.format = SB_FORMAT_CSR;
        spec.val_type = SB_F32;
        spec.density = k % 2 ? 0.6 : spec.density;
        a = gen_matrix(&spec);
        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        assert_int_equal(sb_stats_collect(&s, &v, SB_STATS_MATRIX, NULL), SB_OK);
        for (int64_t width = 1; s.sorted && width < 60;
             width = 2 * width + 1, tried++) {
            sb_part part[2];
            sb_cover cv[2];

            for (int q = 0; q < 2; q++) {
                sb_cover_init(&cv[q], &v);
                assert_int_equal(sb_part_panel(&part[q], &cv[q], width, 3, q, NULL),
                                 SB_OK);
            }
            for (int q = 0; q < part[0].narray; q++) {
                const sb_part_array *one = &part[0].array[q],
                                    *other = &part[1].array[q];

                assert_int_equal(one->count, other->count);
                assert_memory_equal(one->data, other->data,
                                    (size_t)one->count * sb_dtype_size(one->type));
            }
            for (int q = 0; q < 2; q++) {
                sb_part_free(&part[q]);
                sb_cover_free(&cv[q]);
            }
        }
        sb_view_free(&v);
        gen_free_matrix(&a);
    }
    assert_true(tried > 100);
}

/* Running out of memory anywhere leaves nothing behind. */
static void
test_no_memory(void **state)
{
    gen_spec spec = gen_case(3);
    sb_matrix a;

    (void)state;
    spec.family = GEN_BLOCKS;
    spec.rows = spec.cols = 16;
    spec.val_type = SB_F32;
    spec.ptr_type = spec.idx_type = SB_I32;
    spec.unsorted = spec.duplicates = false;
    for (int r = 0; r < SB_COUNT(recipes); r++) {
        spec.format = recipes[r].rest == SB_PART_BLOCKS ? SB_FORMAT_BSR : SB_FORMAT_CSR;
        a = gen_matrix(&spec);
        values = a.val;
        for (int64_t n = 0; n < 40; n++) {
            const int64_t live = sb_alloc_live();
            sb_part part[PARTS_TRIED] = {0};
            sb_view v = {0};
            sb_cover cv = {0};
            sb_stats s;
            int parts = 0;
            sb_status st;

            sb_alloc_fail_after(n);
            st = sb_view_make(&v, &a, r % 2, NULL);
            if (st == SB_OK)
                st = sb_stats_collect(&s, &v, SB_STATS_ALL, NULL);
            sb_cover_init(&cv, &v);
            if (st == SB_OK)
                st = build(part, &parts, &recipes[r], &cv, s.sorted);
            sb_alloc_fail_after(-1);
            for (int q = 0; q < parts; q++)
                sb_part_free(&part[q]);
            sb_cover_free(&cv);
            sb_view_free(&v);
            assert_int_equal(sb_alloc_live(), live);
            if (st != SB_ENOMEM)
                break;
        }
        gen_free_matrix(&a);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_cover), cmocka_unit_test(test_check_sees_damage),
        cmocka_unit_test(test_panel_order), cmocka_unit_test(test_panel_sorted),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
