/*
 * Rows swept together, against a search for each key; and builders that walk the matrix
 * piece by piece, which must build the same whoever runs the pieces.
 */
#include "formats/part.h"
#include "formats/sweep.h"
#include "gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The lowest key that is `least` or more of the rows from `first` on, and who holds it. */
static unsigned
next_by_search(const sb_view *v, const uint8_t *taken, int64_t first, int rows,
               int skew, int64_t least, int64_t *key)
{
    unsigned mask = 0;

    *key = INT64_MAX;
    for (int pass = 0; pass < 2; pass++)
        for (int r = 0; r < rows && first + r < v->rows; r++)
            for (int64_t p = sb_view_lo(v, first + r); p < sb_view_lo(v, first + r + 1);
                 p++) {
                const int64_t k = sb_view_col(v, p) - (int64_t)skew * r;

                if (k < least || (taken && taken[p]))
                    continue;
                if (pass == 0 && k < *key)
                    *key = k;
                mask |= pass == 1 && k == *key ? 1u << r : 0;
            }
    return mask;
}

static void
check_sweep(const sb_view *v, const uint8_t *taken, int rows, int skew)
{
    sb_sweep *sw = malloc(sizeof *sw);

    assert_non_null(sw);
    sb_sweep_init(sw, v, taken, skew);
    for (int64_t first = 0; first < v->rows; first += rows) {
        int64_t least = INT64_MIN, key, want;
        unsigned have, mask;

        sb_sweep_begin(sw, first, rows);
        do {
            have = sb_sweep_next(sw, &key);
            mask = next_by_search(v, taken, first, rows, skew, least, &want);
            assert_int_equal(have, mask);
            if (have == 0)
                break;
            assert_int_equal(key, want);
            assert_int_equal(sb_sweep_count(have), __builtin_popcount(have));
            least = key + 1;
        } while (have != 0);
    }
    free(sw);
}

/* Narrow and wide, dense and far apart, both types, both bases, with entries taken. */
static void
test_sweep(void **state)
{
    static const gen_family family[] = {GEN_UNIFORM, GEN_BANDED, GEN_POWER_LAW,
                                        GEN_BLOCKS, GEN_EMPTY};
    gen_rng rng = {11};

    (void)state;
    for (int q = 0; q < 40; q++) {
        gen_spec spec = {.family = q % 2 ? GEN_UNIFORM : family[q / 2 % 5],
                         .seed = (uint64_t)q + 1};
        uint8_t *taken;
        sb_matrix a;
        sb_view v;

        spec.rows = gen_between(&rng, 1, 40);
        spec.cols = q % 2 ? 20000 : 150; /* several stretches of keys */
        spec.density = q % 2 ? 0.001 : 0.2;
        spec.format = SB_FORMAT_CSR;
        spec.ptr_type = spec.idx_type = q % 3 ? SB_I32 : SB_I64;
        spec.val_type = SB_F32;
        spec.base = q / 2 % 2;
        a = gen_matrix(&spec);
        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        taken = malloc((size_t)v.nnz + 1);
        assert_non_null(taken);
        for (int64_t p = 0; p < v.nnz; p++)
            taken[p] = gen_below(&rng, 3) == 0;
        check_sweep(&v, NULL, 16, 1);
        check_sweep(&v, NULL, 3, 0);
        check_sweep(&v, taken, 8, 0);
        check_sweep(&v, taken, 16, 1);
        free(taken);
        sb_view_free(&v);
        gen_free_matrix(&a);
    }
}

/* Rows that go on as the one before them, by column and by diagonal, for some stretches of keys:
 * all of it, up to the last entry, from the second on, and with fewer entries. */
static void
test_alike_rows(void **state)
{
    enum { ROWS = 48, MOST = 40, APART = 700 };
    static int32_t ptr[ROWS + 1], crd[ROWS * MOST];
    static float val[ROWS * MOST];

    (void)state;
    for (int q = 0; q < 24; q++) {
        const int skew = q % 2, n = q % 3 == 0 ? 5 : q % 3 == 1 ? 17 : MOST;
        const int base = q / 2 % 2;
        sb_matrix a = {.format = SB_FORMAT_CSR,
                       .rows = ROWS,
                       .cols = MOST * APART + ROWS + 8,
                       .ptr = ptr,
                       .idx = crd,
                       .val = val,
                       .ptr_type = SB_I32,
                       .idx_type = SB_I32,
                       .val_type = SB_F32,
                       .base = base,
                       .block = 1,
                       .batch = 1};
        gen_rng rng = {(uint64_t)q + 5};
        int32_t at = 0;
        sb_view v;

        for (int i = 0; i < ROWS; i++) {
            const int change = (int)gen_below(&rng, 8); /* mostly none */

            ptr[i] = at + base;
            for (int k = 0; k < n - (change == 1); k++) {
                const bool other =
                    (change == 2 && k == n - 1) || (change == 3 && k == 0);

                crd[at++] = k * APART + skew * i + 1 + other + base;
            }
        }
        ptr[ROWS] = at + base;
        a.nnz = at;
        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        check_sweep(&v, NULL, 16, skew);
        check_sweep(&v, NULL, 3, skew);
        sb_view_free(&v);
    }
}

/* Pieces one by one, the last first. */
static void
backwards(sb_par_fn fn, void *user, int64_t lo, int64_t hi, int64_t grain)
{
    (void)grain;
    for (int64_t q = hi; q-- > lo;)
        fn(user, q, q + 1);
}

enum { KINDS = 13 };

static sb_status
make(sb_part *p, sb_cover *cv, int kind, const sb_par *par)
{
    switch (kind) {
    case 0:
        return sb_part_win(p, cv, 2, true, par);
    case 1:
        return sb_part_win(p, cv, 3, true, par);
    case 2:
        return sb_part_share(p, cv, 4, true, true, par);
    case 3:
        return sb_part_share(p, cv, 3, false, true, par);
    case 4:
        return sb_part_mask(p, cv, 3, true, par);
    case 5:
        return sb_part_hdia(p, cv, SB_HDIA_PACKED, true, par);
    case 6:
        return sb_part_hdia(p, cv, SB_HDIA_IN_PLACE, true, par);
    case 7:
        return sb_part_hdia(p, cv, SB_HDIA_THIN, true, par);
    case 8:
        return sb_part_sell(p, cv, true, false, par);
    case 9:
        return sb_part_bsr(p, cv, 2, true, par);
    case 10:
        return sb_part_bsr(p, cv, 3, true, par);
    case 11: /* of what another part has left */
        if (sb_part_bsr(p, cv, 4, true, par) == SB_OK)
            sb_part_free(p);
        return sb_part_bsr(p, cv, 2, true, par);
    default:
        return sb_part_sell(p, cv, false, true, par);
    }
}

/* The same arrays, under the same names; packed ones too. */
static void
check_same(const sb_part *x, const sb_part *y)
{
    assert_int_equal(x->narray, y->narray);
    assert_int_equal(x->nnz, y->nnz);
    assert_int_equal(x->slots, y->slots);
    assert_int_equal(x->width, y->width);
    for (int q = 0; q < x->narray; q++) {
        const sb_part_array *a = &x->array[q], *b = &y->array[q];

        assert_string_equal(a->name, b->name);
        assert_int_equal(a->count, b->count);
        if (a->count > 0)
            assert_memory_equal(a->data, b->data,
                                (size_t)a->count * sb_dtype_size(a->type));
    }
}

static void
check_team(const sb_view *v, const void *val, int kind)
{
    const sb_par par = {backwards, 4};
    sb_part one, four;
    sb_cover cv[2];
    sb_status st;

    sb_cover_init(&cv[0], v);
    sb_cover_init(&cv[1], v);
    st = make(&one, &cv[0], kind, NULL);
    assert_int_equal(make(&four, &cv[1], kind, &par), st);
    if (st == SB_OK) {
        if (cv[0].taken)
            assert_memory_equal(cv[0].taken, cv[1].taken, (size_t)v->nnz);
        if (cv[0].rest == 0)
            assert_int_equal(sb_parts_check(&one, 1, v, NULL), SB_OK);
        check_same(&one, &four);
        assert_int_equal(sb_part_pack(&one, val, SB_F32, NULL), SB_OK);
        assert_int_equal(sb_part_pack(&four, val, SB_F32, &par), SB_OK);
        check_same(&one, &four);
    }
    sb_part_free(&one);
    sb_part_free(&four);
    sb_cover_free(&cv[0]);
    sb_cover_free(&cv[1]);
}

static void
test_same_for_any_team(void **state)
{
    static const gen_family family[] = {GEN_UNIFORM, GEN_BANDED, GEN_POWER_LAW,
                                        GEN_BLOCKS, GEN_ROW_RUNS};

    (void)state;
    for (int q = 0; q < 5; q++) {
        /* several pieces of every part, the last one short; long rows in slices */
        gen_spec spec = {.family = family[q], .rows = 1303, .cols = 700, .seed = 5};
        sb_matrix a;
        sb_view v;

        spec.density = q == 0 ? 0.7 : 0.02;
        spec.format = SB_FORMAT_CSR;
        spec.ptr_type = spec.idx_type = q % 2 ? SB_I64 : SB_I32;
        spec.val_type = SB_F32;
        spec.base = q % 2;
        a = gen_matrix(&spec);
        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        for (int kind = 0; kind < KINDS; kind++)
            check_team(&v, a.val, kind);
        sb_view_free(&v);
        gen_free_matrix(&a);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_alike_rows),
        cmocka_unit_test(test_same_for_any_team),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
