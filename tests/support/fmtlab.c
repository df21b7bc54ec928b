/*
 * Formats in tests, declared in fmtlab.h.
 */
#include "fmtlab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void
fmt_lab_open(fmt_lab *lab)
{
    sb_arena_init(&lab->ar);
    sb_diag_clear(&lab->diag);
}

void
fmt_lab_close(fmt_lab *lab)
{
    sb_arena_free(&lab->ar);
}

sb_status
fmt_lab_try(const sb_fmt **out, fmt_lab *lab, const char *text)
{
    sb_diag_clear(&lab->diag);
    return sb_fmt_parse(out, &lab->ar, text, &lab->diag);
}

const sb_fmt *
fmt_lab_parse(fmt_lab *lab, const char *text)
{
    const sb_fmt *f;

    if (fmt_lab_try(&f, lab, text) != SB_OK)
        fail_msg("%s\nin: %s", lab->diag.text, text);
    return f;
}

static const char *
keep(fmt_lab *lab, sb_strbuf *b)
{
    const char *s = sb_arena_strndup(&lab->ar, b->s, b->len);

    assert_int_equal(sb_strbuf_status(b), SB_OK);
    assert_non_null(s);
    sb_strbuf_free(b);
    return s;
}

const char *
fmt_lab_print(fmt_lab *lab, const sb_fmt *f)
{
    sb_strbuf b;

    sb_strbuf_init(&b);
    sb_fmt_print(&b, f);
    return keep(lab, &b);
}

const char *
fmt_lab_arrays(fmt_lab *lab, const sb_fmt *f)
{
    sb_strbuf b;

    sb_strbuf_init(&b);
    sb_fmt_print_arrays(&b, f);
    return keep(lab, &b);
}

const char *
fmt_lab_inverse(fmt_lab *lab, const sb_fmt *f)
{
    const sb_fmt_expr *inverse[SB_FMT_DIMS];
    sb_strbuf b;

    assert_int_equal(sb_fmt_inverse(inverse, &lab->ar, f, NULL), SB_OK);
    sb_strbuf_init(&b);
    for (int d = 0; d < f->ndim; d++) {
        sb_strbuf_printf(&b, "%s%s = ", d > 0 ? "; " : "", f->dim_name[d]);
        sb_fmt_print_expr(&b, NULL, inverse[d]);
    }
    return keep(lab, &b);
}
