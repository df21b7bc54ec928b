/*
 * Format text: any bytes end in a format or in a sentence with a caret; an accepted text
 * prints and reads back to the same bytes and the same arrays, has an inverse, and its
 * levels have ranges that hold their values.
 */
#include "formats/fmt.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
is_direct(const sb_fmt_expr *e)
{
    return e->op != SB_FMT_INDIRECT && (!e->a || (is_direct(e->a) && is_direct(e->b)));
}

/* Corners of a small box and a point inside; nothing where a level does not fit. */
static void
check_levels(const sb_fmt *f, const sb_fmt_expr *const *inverse)
{
    static const int64_t points[][SB_FMT_DIMS] = {{0}, {6, 4, 2, 8}, {3, 1, 2, 5}};
    static const int64_t extent[SB_FMT_DIMS] = {7, 5, 3, 9};
    int64_t lo, hi, level[SB_FMT_LEVELS];

    for (size_t p = 0; p < sizeof points / sizeof *points; p++) {
        for (int q = 0; q < f->nlevel; q++) {
            sb_fmt_range(&lo, &hi, f, q, extent);
            level[q] = 0;
            if (!is_direct(f->level[q]))
                continue;
            if (lo == INT64_MIN)
                return;
            level[q] = sb_fmt_eval(f->level[q], points[p]);
            if (level[q] < lo || level[q] >= hi)
                abort();
        }
        for (int d = 0; d < f->ndim; d++) {
            if (sb_fmt_eval(inverse[d], level) != points[p][d])
                abort();
        }
    }
}

static void
check_plain(sb_arena *ar, const sb_fmt *f)
{
    const sb_fmt_expr *inverse[SB_FMT_DIMS];
    sb_fmt_level level[SB_FMT_LEVELS];

    if (sb_fmt_inverse(inverse, ar, f, NULL) != SB_OK)
        abort();
    sb_fmt_infer(level, f);
    for (int q = 0; q < f->nlevel; q++) {
        if (level[q].one && level[q].ptr)
            abort();
    }
    check_levels(f, inverse);
}

static void
check_format(sb_arena *ar, const sb_fmt *f)
{
    const sb_fmt *again;
    sb_strbuf one, two;

    sb_strbuf_init(&one);
    sb_strbuf_init(&two);
    sb_fmt_print(&one, f);
    if (sb_fmt_parse(&again, ar, one.s, NULL) != SB_OK)
        abort();
    sb_fmt_print(&two, again);
    if (strcmp(one.s, two.s) != 0)
        abort();
    sb_strbuf_clear(&one);
    sb_strbuf_clear(&two);
    sb_fmt_print_arrays(&one, f);
    sb_fmt_print_arrays(&two, again);
    if (strcmp(one.s, two.s) != 0)
        abort();
    sb_strbuf_free(&one);
    sb_strbuf_free(&two);
    if (f->npart == 0)
        check_plain(ar, f);
    for (int q = 0; q < f->npart; q++)
        check_plain(ar, f->part[q]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    sb_diag diag = {0};
    const sb_fmt *f;
    sb_arena ar;
    sb_status st;

    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    sb_arena_init(&ar);
    st = sb_fmt_parse(&f, &ar, text, &diag);
    if (st == SB_OK)
        check_format(&ar, f);
    else if ((st != SB_EPARSE && st != SB_EINVAL) || diag.st != st ||
             !strchr(diag.text, '^'))
        abort();
    sb_arena_free(&ar);
    free(text);
    return 0;
}
