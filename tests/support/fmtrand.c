#include "fmtrand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

const char *const fmt_map_dims[] = {"i", "j", "k"};

void
fmt_map_identity(fmt_map_text *m, int ndim)
{
    m->ndim = m->n = ndim;
    for (int d = 0; d < ndim; d++)
        strcpy(m->level[d], fmt_map_dims[d]);
}

void
fmt_map_operate(fmt_map_text *m, gen_rng *r)
{
    const int a = (int)gen_below(r, m->n), b = (int)gen_below(r, m->n);
    const int c = (int)gen_between(r, 2, 5);
    char old[64], other[64];

    if (strlen(m->level[a]) >= sizeof old || strlen(m->level[b]) >= sizeof other)
        return;
    strcpy(old, m->level[a]);
    strcpy(other, m->level[b]);
    switch (gen_below(r, 4)) {
    case 0:
        strcpy(m->level[a], other);
        strcpy(m->level[b], old);
        break;
    case 1:
        (void)snprintf(m->level[a], FMT_MAP_EXPR, "%d*(%s) + %d", c, old,
                       (int)gen_below(r, 3));
        break;
    case 2:
        if (a != b)
            (void)snprintf(m->level[a], FMT_MAP_EXPR, "%s %c %d*(%s)", old,
                           gen_below(r, 2) ? '+' : '-', c - 1, other);
        break;
    default:
        if (m->n == FMT_MAP_LEVELS)
            break;
        (void)snprintf(m->level[a], FMT_MAP_EXPR, "(%s)/%d", old, c);
        (void)snprintf(m->level[m->n++], FMT_MAP_EXPR, "(%s)%%%d", old, c);
        break;
    }
}

const char *
fmt_map_print(fmt_lab *lab, const fmt_map_text *m, bool all)
{
    sb_strbuf b;
    const char *text;

    sb_strbuf_init(&b);
    sb_strbuf_puts(&b,
                   m->ndim == 2 ? "format x (i, j) -> (" : "format x (i, j, k) -> (");
    for (int q = 0; q < m->n; q++)
        sb_strbuf_printf(&b, "%s%s", q > 0 ? ", " : "", m->level[q]);
    sb_strbuf_puts(&b, !all ? ")" : m->ndim == 2 ? ", i, j)" : ", i, j, k)");
    text = sb_arena_strndup(&lab->ar, b.s, b.len);
    assert_non_null(text);
    sb_strbuf_free(&b);
    return text;
}
