/*
 * Property: a format that parses can be converted to, whatever its levels and clauses
 * are, and back. Maps are random, with levels said twice, levels that follow from others
 * and levels that functions of the data answer; clauses are random too. What may be
 * refused is a result that is almost only padding.
 */
#include "base/alloc.h"
#include "fmtcheck.h"
#include "fmtrand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A quick run takes this many texts, `--texts N` another number. */
static uint64_t texts = 1500;

/* Levels that the dimensions give once more. */
static const char *const extra[] = {
    "i",          "j",          "j - i",    "i + j",      "i/3",        "j%2",
    "i%4/2",      "2*i + j",    "@slot(j)", "@slot(j)/2", "@slot(j)%2", "@rank(i)",
    "@rank(i)/2", "@rank(i)%2", "@bank(i)", "@col(j)",
};
#define COUNT "with value ne 0 -> 1 | otherwise -> 0"
static const char *const functions[][2] = {
    {"@slot", "{ n: sum(value) groupBy (i) " COUNT "; enum(value) groupBy (i) "
              "traverseBy (j) with value eq 0 -> n | otherwise -> 0 }"},
    {"@rank", "{ sum(value) groupBy (i) " COUNT "; reorder(i) }"},
    {"@bank", "{ sum(value) groupBy (i) " COUNT "; schedule(i, 3) }"},
    {"@col", "{ sum(value) groupBy (j) " COUNT "; reorder(j) }"},
};

static void
add_extra(fmt_map_text *m, gen_rng *r)
{
    const int at = (int)gen_below(r, m->n + 1);

    if (m->n == FMT_MAP_LEVELS)
        return;
    for (int q = m->n++; q > at; q--)
        memcpy(m->level[q], m->level[q - 1], sizeof m->level[q]);
    strcpy(m->level[at], extra[gen_below(r, sizeof extra / sizeof extra[0])]);
}

static void
put_clauses(sb_strbuf *b, int n, gen_rng *r)
{
    const int lo = (int)gen_below(r, n), hi = (int)gen_between(r, lo, n - 1);

    if (gen_below(r, 8) > 0)
        sb_strbuf_printf(b, " trim(%d, %d)", lo, hi);
    if (lo > 0 || gen_below(r, 2) > 0)
        sb_strbuf_printf(b, " merge(%d)",
                         (int)gen_between(r, lo > 0 ? lo - 1 : 0, hi > 0 ? hi : 0));
    if (gen_below(r, 4) == 0)
        sb_strbuf_printf(b, " fill(%d)", (int)gen_between(r, lo, hi));
    if (gen_below(r, 4) == 0) {
        const int from = (int)gen_below(r, n);

        sb_strbuf_printf(b, " pack(%d, %d)", from, (int)gen_between(r, from, n - 1));
    }
    if (gen_below(r, 4) == 0)
        sb_strbuf_printf(b, " partition(%d)", (int)gen_below(r, n));
}

static const char *
make_text(fmt_lab *lab, gen_rng *r)
{
    const int operators = (int)gen_below(r, 4), extras = (int)gen_below(r, 4);
    const char *sep = "\nwhere ", *map, *text;
    fmt_map_text m;
    sb_strbuf b;

    fmt_map_identity(&m, 2);
    for (int k = 0; k < operators; k++)
        fmt_map_operate(&m, r);
    for (int k = 0; k < extras; k++)
        add_extra(&m, r);
    map = fmt_map_print(lab, &m, false);
    sb_strbuf_init(&b);
    sb_strbuf_puts(&b, map);
    put_clauses(&b, m.n, r);
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
        if (!strstr(map, functions[k][0]))
            continue;
        sb_strbuf_printf(&b, "%s%s = %s", sep, functions[k][0], functions[k][1]);
        sep = ",\n";
    }
    text = sb_arena_strndup(&lab->ar, b.s, b.len);
    assert_non_null(text);
    sb_strbuf_free(&b);
    return text;
}

enum { SIDE = 17, MOST = SIDE * SIDE };

typedef struct list {
    sb_tensor_coo coo;
    int64_t row[MOST], col[MOST];
    double val[MOST];
} list;

/* Rows of very different lengths; one shape in eight is empty. */
static void
make_list(list *l, gen_rng *r)
{
    const int64_t m = gen_between(r, 1, SIDE), n = gen_between(r, 1, SIDE);
    const bool none = gen_below(r, 8) == 0;

    l->coo = (sb_tensor_coo){.ndim = 2,
                             .extent = {m, n},
                             .coord = {l->row, l->col},
                             .val = l->val,
                             .val_type = SB_F64};
    for (int64_t i = 0; i < m && !none; i++) {
        const int64_t one_in = gen_between(r, 1, 12);

        for (int64_t j = 0; j < n; j++) {
            if (gen_below(r, one_in) != 0)
                continue;
            l->row[l->coo.nnz] = i;
            l->col[l->coo.nnz] = j;
            l->val[l->coo.nnz++] = (double)gen_between(r, 1, 9);
        }
    }
}

/* There, by the definition of the format; the same by a list as the way; and back. */
static bool
there_and_back(const sb_fmt *f, const list *l, char *why, size_t size)
{
    fmt_dense d = fmt_dense_of(&l->coo);
    sb_tensor list = {0}, t = {0}, back = {0};
    sb_diag diag = {0};
    sb_status st =
        sb_tensor_from_coo(&list, fmt_of("coo"), &l->coo, false, NULL, &diag);
    bool ok = st == SB_OK;

    if (ok)
        st = sb_tensor_convert_general(&t, &list, f, NULL, NULL, &diag);
    if (st != SB_OK && !strstr(diag.text, "slots for")) {
        (void)snprintf(why, size, "%.200s", diag.text);
        ok = false;
    } else if (st == SB_OK) {
        ok = fmt_check(&t, &d, why, size);
        if (ok && (sb_tensor_convert(&back, &t, list.fmt, NULL, NULL, &diag) != SB_OK ||
                   !fmt_equal(&back, &list, why, size)))
            ok = false;
    }
    sb_tensor_free(&list);
    sb_tensor_free(&t);
    sb_tensor_free(&back);
    fmt_dense_free(&d);
    return ok;
}

static void
test_random(void **state)
{
    const int64_t live = sb_alloc_live();
    uint64_t parsed = 0;

    (void)state;
    for (uint64_t seed = 0; seed < texts; seed++) {
        gen_rng r = {seed};
        const char *text;
        const sb_fmt *f;
        fmt_lab lab;

        fmt_lab_open(&lab);
        text = make_text(&lab, &r);
        if (fmt_lab_try(&f, &lab, text) == SB_OK) {
            list l;
            char why[300] = "";

            parsed++;
            make_list(&l, &r);
            if (!there_and_back(f, &l, why, sizeof why))
                fail_msg("seed %llu, %lld x %lld, %s\n%s", (unsigned long long)seed,
                         (long long)l.coo.extent[0], (long long)l.coo.extent[1], why,
                         text);
            fmt_check_forget();
        }
        fmt_lab_close(&lab);
    }
    assert_true(parsed > texts / 3);
    assert_true(sb_alloc_live() >= live);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };

    if (argc > 2 && strcmp(argv[1], "--texts") == 0)
        texts = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, fmt_begin, fmt_end);
}
