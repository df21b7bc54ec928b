/*
 * The fast paths of conversion give what the general path gives, by any number of
 * threads: all pairs, types and widths; bands, scattered and full rows, one row, one
 * column; refusals; padded results that are made of blank pages.
 */
#include "base/alloc.h"
#include "fmtcheck.h"
#include "formats/conv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Rows of an integer matrix. A band has five diagonals and, every hundredth row, twenty
 * more entries; else row i has up to 2 * `len` entries, every 97th `longest`, anywhere. */
typedef struct layout {
    int64_t rows, cols, len, longest;
    bool band;
} layout;

static int64_t
row_columns(int64_t *col, const layout *l, int64_t i)
{
    int64_t n = 0, many;

    if (l->band) {
        for (int64_t j = i - 2; j < i + (i % 100 == 7 ? 22 : 3); j++)
            if (j >= 0 && j < l->cols && i % 50 != 3)
                col[n++] = j;
        return n;
    }
    many = i % 97 == 0 ? l->longest : i * 7 % (2 * l->len + 1);
    many = many < l->cols ? many : l->cols;
    for (; n < many; n++)
        col[n] = n * (l->cols / many) +
                 (i * 2654435761 + n * 40503) % 65521 % (l->cols / many);
    return n;
}

static sb_tensor
lay(const layout *l, sb_dtype type, const sb_fmt *f, bool wide, bool reversed)
{
    const int64_t cap = l->rows * (2 * l->len + 25) + (l->rows / 97 + 1) * l->longest;
    int64_t *at[2] = {malloc((size_t)cap * sizeof(int64_t)),
                      malloc((size_t)cap * sizeof(int64_t))};
    char *values = malloc((size_t)cap * sizeof(double));
    sb_tensor_coo coo = {.ndim = 2,
                         .extent = {l->rows, l->cols},
                         .coord = {at[0], at[1]},
                         .val = values,
                         .val_type = type};
    sb_tensor t;

    for (int64_t i = 0; i < l->rows; i++) {
        const int64_t n = row_columns(at[1] + coo.nnz, l, i);

        for (int64_t k = 0; k < n; k++, coo.nnz++) {
            at[0][coo.nnz] = i;
            sb_value_store(type, values, coo.nnz,
                           (sb_value){(double)((i + k) % 9 + 1), 0});
        }
    }
    for (int64_t p = 0, q = coo.nnz - 1; reversed && p < q; p++, q--) {
        const sb_value x = sb_value_load(type, values, p),
                       y = sb_value_load(type, values, q);

        for (int d = 0; d < 2; d++) {
            const int64_t other = at[d][p];

            at[d][p] = at[d][q];
            at[d][q] = other;
        }
        sb_value_store(type, values, p, y);
        sb_value_store(type, values, q, x);
    }
    assert_int_equal(sb_tensor_from_coo(&t, f, &coo, wide, NULL, NULL), SB_OK);
    free(at[0]);
    free(at[1]);
    free(values);
    return t;
}

/* The fast path alone, by threads in any number, and the general one: the same arrays or
 * the same refusal. */
static void
same_ways(const sb_tensor *a, const sb_fmt *to, bool wide)
{
    const sb_par team[] = {{NULL, 1}, {fmt_backwards, 3}, {fmt_backwards, 64}};
    sb_tensor g, f;
    sb_diag why = {0};
    const sb_status want = sb_tensor_convert_general(&g, a, to, &team[1], NULL, &why);
    char message[300];

    for (size_t k = 0; k < sizeof team / sizeof team[0]; k++) {
        sb_diag diag = {0};
        const sb_status st = sb_conv_fast(&f, a, to, wide, &team[k], &diag);

        if (st != want || strcmp(diag.text, why.text) != 0)
            fail_msg("%s to %s: %s, %s; generally %s", a->fmt->name, to->name,
                     sb_status_name(st), diag.text, why.text);
        if (st == SB_OK && !fmt_equal(&f, &g, message, sizeof message))
            fail_msg("%s to %s, %d threads: %s", a->fmt->name, to->name,
                     team[k].threads, message);
        sb_tensor_free(&f);
    }
    sb_tensor_free(&g);
}

static const char *const pairs[][2] = {
    {"csr", "csc"},     {"csc", "csr"},
    {"coo", "csc"},     {"coo", "csr"},
    {"csr", "coo"},     {"csr", "bsr<4>"},
    {"coo", "bsr<3>"},  {"csc", "bsr<2, 5>"},
    {"dcsc", "bsr<4>"}, {"csr", "dia"},
    {"coo", "dia"},     {"csr", "ell"},
    {"coo", "ell"},     {"csb<64>", "dia_variant"},
};

static void
fast_paths(void **state)
{
    static const layout layouts[] = {
        {9000, 8990, .band = true}, /* chunks of every kind */
        {1, 1, 1, 1, false},         {1, 40, 1, 20, false},
        {1, 40000, 1, 20000, false}, /* parts without rows */
        {300, 1, 1, 1, false},       {3, 20, 6, 20, false},
        {200, 130, 20, 130, false}, /* full rows among others */
        {700, 703, 25, 150, false},
    };

    (void)state;
    for (size_t l = 0; l < sizeof layouts / sizeof layouts[0]; l++)
        for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++)
            for (int kind = 0; kind < 4; kind++) {
                sb_tensor a = lay(&layouts[l], kind & 1 ? SB_F32 : SB_F64,
                                  fmt_of(pairs[k][0]), kind & 2, false);

                same_ways(&a, fmt_of(pairs[k][1]), kind & 2);
                sb_tensor_free(&a);
            }
}

/* Block rows of more than 4096 blocks, padded results of more than SB_ALLOC_FRESH, and
 * one that is refused. */
static void
fast_paths_when_large(void **state)
{
    static const layout across = {300, 70000, 40, 5000, false},
                        down = {70000, 300, 1, 66, false};
    static const struct {
        const layout *l;
        const char *from, *to;
    } cases[] = {
        {&across, "coo", "bsr<3>"},
        {&across, "csr", "dia"},
        {&across, "csb<64>", "dia_variant"},
        {&down, "csc", "bsr<4>"},
        {&down, "coo", "ell"},
        {&down, "csr", "dia"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        sb_tensor a = lay(cases[k].l, SB_F64, fmt_of(cases[k].from), false, false);

        same_ways(&a, fmt_of(cases[k].to), false);
        sb_tensor_free(&a);
    }
}

/* Without elements there is no fast path; out of order the general one sorts first. */
static void
fast_paths_left(void **state)
{
    static const layout some = {200, 130, 20, 130, false};
    static const int64_t none[1];
    static const sb_tensor_coo empty = {
        .ndim = 2, .extent = {7, 5}, .coord = {none, none}, .val_type = SB_F64};

    (void)state;
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        const sb_fmt *to = fmt_of(pairs[k][1]);
        sb_tensor a, f, g;
        char message[300];

        assert_int_equal(
            sb_tensor_from_coo(&a, fmt_of(pairs[k][0]), &empty, false, NULL, NULL),
            SB_OK);
        assert_int_equal(sb_tensor_convert(&f, &a, to, NULL, NULL, NULL), SB_OK);
        assert_int_equal(sb_tensor_convert_general(&g, &a, to, NULL, NULL, NULL),
                         SB_OK);
        if (!fmt_equal(&f, &g, message, sizeof message))
            fail_msg("empty %s to %s: %s", pairs[k][0], pairs[k][1], message);
        sb_tensor_free(&a);
        sb_tensor_free(&f);
        sb_tensor_free(&g);
        f = lay(&some, SB_F32, to, false, false);
        g = lay(&some, SB_F32, to, false, true);
        if (!fmt_equal(&f, &g, message, sizeof message))
            fail_msg("reversed to %s: %s", pairs[k][1], message);
        sb_tensor_free(&f);
        sb_tensor_free(&g);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_paths),
        cmocka_unit_test(fast_paths_when_large),
        cmocka_unit_test(fast_paths_left),
    };

    return cmocka_run_group_tests(tests, fmt_begin, fmt_end);
}
