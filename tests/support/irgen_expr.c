/*
 * Random expressions of a wanted type, declared in irgen_expr.h.
 */
#include "irgen_expr.h"

#include <stdio.h>
#include <string.h>

int64_t
irgen_pick(generator *g, int64_t n)
{
    return gen_below(&g->rng, n);
}

void
irgen_put(generator *g, const char *s)
{
    static const char *const blank[] = {" ", "\n", "  ; a comment\n", "\t"};

    sb_strbuf_puts(g->out, s);
    if (irgen_pick(g, 12) == 0)
        sb_strbuf_puts(g->out, blank[irgen_pick(g, 4)]);
}

static void
put_literal(generator *g, sb_dtype t)
{
    static const char *const reals[] = {"0.0", "1.5", "2e3", "0.1", "inf", "1e-30"};
    char text[48];

    if (sb_dtype_is_int(t)) {
        (void)snprintf(text, sizeof text, "%d%s%s", (int)irgen_pick(g, 6),
                       t == SB_I64 ? "" : ":", t == SB_I64 ? "" : sb_dtype_name(t));
    } else {
        (void)snprintf(text, sizeof text, "%s:%s", reals[irgen_pick(g, 6)],
                       sb_dtype_name(t));
        if (t == SB_F32 && irgen_pick(g, 2))
            *strchr(text, ':') = '\0';
    }
    irgen_put(g, text);
}

/* A variable of the type, or a literal when there is none (bool: a comparison). */
static void
put_leaf(generator *g, sb_dtype t)
{
    const int from = (int)irgen_pick(g, g->nvar + 1);

    for (int q = 0; q < g->nvar; q++) {
        const name *v = &g->var[(from + q) % g->nvar];

        if (v->type != t || (g->spatial && v->reduced))
            continue;
        irgen_put(g, v->text);
        return;
    }
    if (t == SB_BOOL)
        irgen_put(g, "(0 < 1)");
    else
        put_literal(g, t);
}

/* [i, ...]: mostly names, which have a chance to be in bounds. */
void
irgen_index(generator *g, int rank, int depth)
{
    irgen_put(g, "[");
    for (int d = 0; d < rank; d++) {
        if (d > 0)
            irgen_put(g, ",");
        if (depth > 0 && irgen_pick(g, 6) == 0)
            irgen_expr(g, irgen_pick(g, 3) ? SB_I64 : SB_I32, depth - 1);
        else if (irgen_pick(g, 2))
            put_leaf(g, SB_I64);
        else
            put_literal(g, SB_I64);
    }
    irgen_put(g, "]");
}

static bool
put_load(generator *g, sb_dtype t, int depth)
{
    const int from = (int)irgen_pick(g, g->nbuf + 1);

    for (int q = 0; q < g->nbuf; q++) {
        const name *b = &g->buf[(from + q) % g->nbuf];

        if (b->type != t)
            continue;
        sb_strbuf_puts(g->out, b->text);
        irgen_index(g, b->rank, depth);
        return true;
    }
    return false;
}

/* ( a op b ) */
static void
put_infix(generator *g, const char *op, sb_dtype a, sb_dtype b, int depth)
{
    irgen_put(g, "(");
    irgen_expr(g, a, depth - 1);
    sb_strbuf_putc(g->out, ' ');
    irgen_put(g, op);
    sb_strbuf_putc(g->out, ' ');
    irgen_expr(g, b, depth - 1);
    irgen_put(g, ")");
}

static void
put_bool(generator *g, int depth)
{
    static const char *const compare[] = {"<", "<=", ">", ">=", "==", "!="};
    static const sb_dtype types[] = {SB_I64, SB_I32, SB_F32, SB_F64, SB_C64, SB_F16};
    const sb_dtype t = types[irgen_pick(g, 6)];
    const int64_t what = irgen_pick(g, 5);

    if (what == 0) {
        irgen_put(g, "!");
        irgen_expr(g, SB_BOOL, depth - 1);
    } else if (what == 1) {
        put_infix(g, irgen_pick(g, 2) ? "&&" : "||", SB_BOOL, SB_BOOL, depth);
    } else {
        put_infix(g, compare[t == SB_C64 ? 4 + irgen_pick(g, 2) : irgen_pick(g, 6)], t,
                  t, depth);
    }
}

static void
put_call(generator *g, sb_dtype t, int depth)
{
    static const sb_dtype from[] = {SB_I64, SB_I32, SB_F32, SB_F64, SB_C64, SB_F16};
    char text[32];

    switch (irgen_pick(g, 4)) {
    case 0:
        (void)snprintf(text, sizeof text, "cast(%s,", sb_dtype_name(t));
        irgen_put(g, text);
        irgen_expr(g, from[irgen_pick(g, 6)], depth - 1);
        break;
    case 1:
        irgen_put(g, "select(");
        irgen_expr(g, SB_BOOL, depth - 1);
        irgen_put(g, ",");
        irgen_expr(g, t, depth - 1);
        irgen_put(g, ",");
        irgen_expr(g, t, depth - 1);
        break;
    case 2:
        irgen_put(g, "conj(");
        irgen_expr(g, t, depth - 1);
        break;
    default:
        irgen_put(g, sb_dtype_is_complex(t) ? "conj("
                     : irgen_pick(g, 2)     ? "min("
                                            : "max(");
        irgen_expr(g, t, depth - 1);
        if (!sb_dtype_is_complex(t)) {
            irgen_put(g, ",");
            irgen_expr(g, t, depth - 1);
        }
        break;
    }
    irgen_put(g, ")");
}

/* find or seek in some list; false when there is none. */
static bool
put_search(generator *g, int depth)
{
    static const char *const search[] = {"find(", "seek(", "reach("};
    const int from = (int)irgen_pick(g, g->nbuf + 1);

    for (int q = 0; q < g->nbuf; q++) {
        const name *b = &g->buf[(from + q) % g->nbuf];

        if (b->text[1] != 'l')
            continue;
        irgen_put(g, search[irgen_pick(g, 3)]);
        irgen_put(g, b->text);
        irgen_put(g, ", 0, 1,");
        irgen_expr(g, SB_I64, depth - 1);
        irgen_put(g, ")");
        return true;
    }
    return false;
}

static void
put_arithmetic(generator *g, sb_dtype t, int depth)
{
    static const char *const op[] = {"+", "-", "*", "/", "mod"};
    const int64_t what = irgen_pick(g, 6);

    if (t == SB_F16) /* a storage type */
        put_literal(g, t);
    else if (what == 0) {
        irgen_put(g, "-");
        irgen_expr(g, t, depth - 1);
    } else if (what == 1 && t == SB_I64)
        put_infix(g, op[irgen_pick(g, 5)], SB_I32, SB_I64, depth);
    else if (what == 2)
        put_call(g, t, depth);
    else if (what == 3 && t == SB_I64 && put_search(g, depth))
        return;
    else
        put_infix(g, op[irgen_pick(g, sb_dtype_is_int(t) ? 5 : 4)], t, t, depth);
}

void
irgen_expr(generator *g, sb_dtype t, int depth)
{
    const bool extra = irgen_pick(g, 8) == 0;

    if (extra)
        irgen_put(g, "(");
    if (depth <= 0 || irgen_pick(g, 4) == 0) {
        if (!(depth > 0 && t != SB_BOOL && irgen_pick(g, 2) && put_load(g, t, depth)))
            put_leaf(g, t);
    } else if (t == SB_BOOL) {
        put_bool(g, depth);
    } else {
        put_arithmetic(g, t, depth);
    }
    if (extra)
        irgen_put(g, ")");
}
