/*
 * Contractions (contractions.def) over the levels of any format: the texts say what is
 * summed in logical coordinates, the format says how they are reached.
 */
#include "kernels/format_writer.h"

#include <string.h>

typedef struct contraction {
    const char *name;
    int ndim;
    unsigned result;
    const char *extent[SB_FMT_DIMS];
    const char *declarations, *clear, *iterators, *update;
} contraction;

#define EXTENTS(...) __VA_ARGS__
static const contraction table[] = {
#define X(name, ndim, result, extents, declarations, clear, iterators, update) \
    {#name, ndim, result, {EXTENTS extents}, declarations, clear, iterators, update},
#include "kernels/contractions.def"
#undef X
};

enum { COUNT = (int)(sizeof table / sizeof table[0]) };

static const contraction *
find(const char *name)
{
    for (int q = 0; q < COUNT; q++)
        if (strcmp(table[q].name, name) == 0)
            return &table[q];
    return NULL;
}

/* Expanded text with coordinates for "?0" and the element for "?A". */
static sb_status
put_text(const sb_format_writer *w, const char *text, const sb_operation_args *args)
{
    sb_strbuf b;
    sb_status st;

    sb_strbuf_init(&b);
    st = sb_operation_expand(&b, text, args, w->diag);
    for (const char *s = b.s; st == SB_OK && *s; s++) {
        if (*s != '?')
            sb_strbuf_putc(w->out, *s);
        else if (*++s == 'A')
            sb_strbuf_printf(w->out, "$A[%s]", w->at.s);
        else
            sb_strbuf_puts(w->out, w->coord[*s - '0'].s);
    }
    sb_strbuf_free(&b);
    return st;
}

static sb_status
put_declarations(const sb_format_writer *w, const contraction *c,
                 const sb_operation_args *args)
{
    sb_strbuf over;
    sb_status st;

    for (int d = 0; d < c->ndim; d++)
        sb_strbuf_printf(w->out, "  param %%%s : i64\n", c->extent[d]);
    sb_strbuf_init(&over);
    sb_format_put_levels(w, &over);
    sb_strbuf_printf(w->out, "  buf $A : %s[%s] in\n", sb_dtype_name(w->value), over.s);
    st = over.st;
    sb_strbuf_free(&over);
    return st == SB_OK ? put_text(w, c->declarations, args) : st;
}

static sb_status
put_iteration(const sb_format_writer *w, const contraction *c,
              const sb_operation_args *args)
{
    bool guarded;

    sb_strbuf_printf(w->out, "  iter %s (", c->name);
    for (int q = 0; q < w->f->nlevel; q = sb_level_group_end(w, q) + 1) {
        sb_strbuf_puts(w->out, q > 0 ? ", " : "");
        sb_format_put_group(w, q);
    }
    sb_strbuf_printf(w->out, "%s) {\n", c->iterators);
    guarded = sb_format_put_guard(w, !sb_format_is_exact(w));
    SB_TRY(put_text(w, c->update, args));
    sb_strbuf_puts(w->out, guarded ? "\n    }\n  }\n" : "\n  }\n");
    return SB_OK;
}

static sb_status
write_text(sb_format_writer *w, sb_arena *ar, const contraction *c,
           const sb_operation_args *args, bool first)
{
    SB_TRY(sb_format_writer_open(w, ar));
    sb_strbuf_printf(w->out, "prog @%s stage 1 {\n", c->name);
    SB_TRY(put_declarations(w, c, args));
    if (first)
        SB_TRY(put_text(w, c->clear, args));
    SB_TRY(put_iteration(w, c, args));
    sb_strbuf_puts(w->out, "}\n");
    return SB_OK;
}

sb_status
sb_format_contract(sb_strbuf *out, const sb_fmt *f, const char *name,
                   const sb_operation_args *args, bool first, sb_diag *diag)
{
    const contraction *c = find(name);
    sb_format_writer w = {.f = f,
                          .value = args->value,
                          .ptr = args->ptr,
                          .idx = args->idx,
                          .diag = diag,
                          .out = out,
                          .row_level = -1};
    sb_arena ar;
    sb_status st, closed;

    if (!c)
        return sb_diag_set(diag, SB_EINVAL, "no contraction \"%s\"", name);
    if (f->ndim != c->ndim)
        return sb_diag_set(diag, SB_EINVAL,
                           "%s is over %d dimensions, format %s has %d", name, c->ndim,
                           f->name, f->ndim);
    w.spatial = c->result;
    memcpy(w.extent, c->extent, sizeof w.extent);
    sb_arena_init(&ar);
    st = write_text(&w, &ar, c, args, first);
    closed = sb_format_writer_close(&w);
    sb_arena_free(&ar);
    return st != SB_OK ? st : closed;
}
