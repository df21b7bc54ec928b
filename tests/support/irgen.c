/*
 * Random programs, declared in irgen.h. Expressions are made for a wanted type, names
 * are numbered, so everything is declared, unique and well typed.
 */
#include "irgen_expr.h"

#include <stdio.h>
#include <string.h>

/* ---- declarations -------------------------------------------------------------------- */

static name *
add_name(generator *g, name *list, int *n, const char *format, sb_dtype t)
{
    name *x = &list[*n < NAMES ? (*n)++ : NAMES - 1];

    (void)snprintf(x->text, sizeof x->text, format, g->fresh++ % 10000);
    x->type = t;
    x->reduced = false;
    x->writable = false;
    x->rank = 1;
    return x;
}

static void
put_params(generator *g)
{
    static const sb_dtype types[] = {SB_I64, SB_I64, SB_I64, SB_I32, SB_BOOL,
                                     SB_F32, SB_F64, SB_C64, SB_F16};
    const int n = 3 + (int)irgen_pick(g, 7);

    for (int q = 0; q < n; q++) {
        const name *v = add_name(g, g->var, &g->nvar, "%%p%d", types[q]);

        irgen_put(g, "param ");
        irgen_put(g, v->text);
        irgen_put(g, ":");
        irgen_put(g, sb_dtype_name(v->type));
        irgen_put(g, "\n");
    }
}

/* A size of parameters. */
static void
put_size(generator *g)
{
    irgen_put(g, g->var[irgen_pick(g, 3)].text);
    if (irgen_pick(g, 3) == 0)
        irgen_put(g, irgen_pick(g, 2) ? " + 1" : " * (2 + 3)");
}

/* A list of integers; returns its name. */
static const char *
put_list(generator *g)
{
    const sb_dtype t = irgen_pick(g, 2) ? SB_I32 : SB_I64;
    const name *b = add_name(g, g->buf, &g->nbuf, "$l%d", t);

    irgen_put(g, "buf ");
    irgen_put(g, b->text);
    irgen_put(g, t == SB_I32 ? ": i32[" : ":i64 [");
    put_size(g);
    irgen_put(g, "] aux\n");
    return b->text;
}

/* An axis with the arrays its kind needs, declared just before. */
static void
put_axis(generator *g, int parent)
{
    static const char *const kinds[] = {"dense_fixed(", "sparse_fixed(",
                                        "dense_variable(", "sparse_variable("};
    axis *x = &g->axis[g->naxis];
    const int64_t kind = irgen_pick(g, parent < 0 ? 2 : 4);
    const char *ptr = kind >= 2 ? put_list(g) : NULL;
    const char *crd = kind % 2 ? put_list(g) : NULL;

    (void)snprintf(x->text, sizeof x->text, "#x%d", g->naxis++);
    x->parent = parent;
    x->dense = kind == 0 && parent < 0;
    irgen_put(g, "axis ");
    irgen_put(g, x->text);
    irgen_put(g, " = ");
    irgen_put(g, kinds[kind]);
    if (parent >= 0) {
        irgen_put(g, g->axis[parent].text);
        irgen_put(g, ",");
    }
    put_size(g);
    if (kind < 2 && parent >= 0)
        irgen_put(g, ", width 2");
    if (kind >= 2)
        irgen_put(g, ", nnz 3");
    if (ptr)
        sb_strbuf_printf(g->out, ", ptr %s", ptr);
    if (crd)
        sb_strbuf_printf(g->out, ", crd %s", crd);
    irgen_put(g, ")");
    if (crd && irgen_pick(g, 2))
        irgen_put(g, " base 1");
    if (crd && irgen_pick(g, 2))
        irgen_put(g, " sorted");
    if (crd && irgen_pick(g, 2))
        irgen_put(g, " padded");
    irgen_put(g, "\n");
}

/* Axes of a buffer: down one tree, and sometimes one more root. */
static int
put_axis_list(generator *g, bool *dense)
{
    int chain[AXES], n = 0, rank = 0;

    for (int x = (int)irgen_pick(g, g->naxis); x >= 0; x = g->axis[x].parent)
        chain[n++] = x;
    if (irgen_pick(g, 2))
        chain[n++] = 0; /* axis 0 is a root */
    for (; n > 0; rank++) {
        irgen_put(g, rank > 0 ? "," : "");
        *dense = *dense && g->axis[chain[n - 1]].dense;
        irgen_put(g, g->axis[chain[--n]].text);
    }
    return rank;
}

static void
put_buffer(generator *g)
{
    static const sb_dtype types[] = {SB_F32, SB_F64, SB_C64, SB_F16, SB_I64};
    static const char *const roles[] = {" inout", " in", " out"};
    const sb_dtype t = types[irgen_pick(g, 5)];
    const int64_t role = g->nbuf % 2 ? 0 : irgen_pick(g, 3);
    name *b = add_name(g, g->buf, &g->nbuf, "$b%d", t);
    bool dense = g->stage < 3;

    b->writable = role != 1;
    irgen_put(g, "buf ");
    irgen_put(g, b->text);
    irgen_put(g, ":");
    irgen_put(g, sb_dtype_name(t));
    irgen_put(g, "[");
    if (g->stage < 3 && irgen_pick(g, 4)) {
        b->rank = put_axis_list(g, &dense);
    } else {
        b->rank = g->stage < 3 ? 1 + (int)irgen_pick(g, 3) : 1;
        for (int d = 0; d < b->rank; d++) {
            irgen_put(g, d > 0 ? "," : "");
            put_size(g);
        }
    }
    irgen_put(g, "]");
    irgen_put(g, roles[role]);
    if (dense && irgen_pick(g, 2)) {
        irgen_put(g, " strides(");
        for (int d = 0; d < b->rank; d++) {
            irgen_put(g, d > 0 ? "," : "");
            put_size(g);
        }
        irgen_put(g, ")");
    }
    irgen_put(g, "\n");
}

/* ---- statements ---------------------------------------------------------------------- */

static void put_body(generator *g, int depth, bool reduced);

static void
put_store(generator *g, bool reduced)
{
    static const char *const op[] = {" += ", " min= ", " max= ", " = "};
    const bool spatial = g->spatial;
    const char *how;
    int q = (int)irgen_pick(g, g->nbuf);

    while (!g->buf[q].writable)
        q = (q + 1) % g->nbuf;
    sb_strbuf_puts(g->out, g->buf[q].text);
    g->spatial = spatial || g->stage == 1;
    irgen_index(g, g->buf[q].rank, 2);
    g->spatial = spatial;
    how = sb_dtype_is_complex(g->buf[q].type) ? op[reduced ? 0 : 3 * irgen_pick(g, 2)]
                                              : op[irgen_pick(g, reduced ? 3 : 4)];
    irgen_put(g, how);
    irgen_expr(g, g->buf[q].type, DEPTH);
    irgen_put(g, irgen_pick(g, 8) ? "" : " stream");
    irgen_put(g, how[1] == '=' || g->vector || g->buf[q].text[1] == 't' ||
                         g->buf[q].type == SB_F16 || irgen_pick(g, 4)
                     ? "\n"
                     : " atomic\n");
}

static void
put_if(generator *g, int depth, bool reduced)
{
    irgen_put(g, "if ");
    irgen_expr(g, SB_BOOL, 2);
    put_body(g, depth - 1, reduced);
    if (irgen_pick(g, 2)) {
        irgen_put(g, " else ");
        put_body(g, depth - 1, reduced);
    }
}

static void
put_for(generator *g, int depth)
{
    static const char *const trips[] = {" in 0 .. 3", " in 1..4 unroll",
                                        " in 0 .. 3 vector(4)", " in 0 .. "};
    const int nvar = g->nvar;
    const int64_t how = irgen_pick(g, 4);
    const int size = (int)irgen_pick(g, 3);
    const name *v = add_name(g, g->var, &g->nvar, "%%i%d", SB_I64);

    irgen_put(g, "for ");
    irgen_put(g, v->text);
    irgen_put(g, trips[how]);
    if (how == 3)
        irgen_put(g, g->var[size].text);
    irgen_put(g, irgen_pick(g, 3) ? "" : " reduce");
    if (depth == 3 && irgen_pick(g, 3) == 0)
        irgen_put(g, " bind(thread_x)");
    irgen_put(g, irgen_pick(g, 4) ? "" : " note(key, 3) note(other, word)");
    g->vector = how == 2;
    put_body(g, how == 2 ? 0 : depth - 1, false); /* no loop in a vector loop */
    g->vector = false;
    g->nvar = nvar;
}

static void
put_let(generator *g)
{
    static const sb_dtype types[] = {SB_I64, SB_I32, SB_F32, SB_F64, SB_BOOL, SB_C64};
    const sb_dtype t = types[irgen_pick(g, 6)];
    char text[12];

    (void)snprintf(text, sizeof text, "%%v%d", g->fresh % 10000);
    irgen_put(g, "let ");
    irgen_put(g, text);
    if (irgen_pick(g, 2)) {
        irgen_put(g, ":");
        irgen_put(g, sb_dtype_name(t));
    }
    irgen_put(g, " = ");
    irgen_expr(g, t, DEPTH);
    irgen_put(g, "\n");
    (void)add_name(g, g->var, &g->nvar, "%%v%d", t);
}

static void
put_local(generator *g)
{
    name *b = add_name(g, g->buf, &g->nbuf, "$t%d", SB_F32);

    b->writable = true;
    irgen_put(g, "local ");
    irgen_put(g, b->text);
    irgen_put(g, ":f32[");
    irgen_put(g, irgen_pick(g, 2) ? "4]\n" : "2 * 3]\n");
}

static void
put_prefetch(generator *g)
{
    const name *b = &g->buf[irgen_pick(g, g->nbuf)];

    irgen_put(g, irgen_pick(g, 2) ? "prefetch " : "prefetch far ");
    sb_strbuf_puts(g->out, b->text);
    irgen_index(g, b->rank, 1);
    irgen_put(g, "\n");
}

static void
put_stmt(generator *g, int depth, bool reduced)
{
    const int64_t what = irgen_pick(g, 8);

    if (depth > 0 && what == 0)
        put_if(g, depth, reduced);
    else if (g->stage == 1 || what < 3)
        put_store(g, reduced);
    else if (what == 3)
        put_let(g);
    else if (what == 4)
        put_local(g);
    else if (what == 5)
        put_prefetch(g);
    else if (depth <= 0)
        put_store(g, reduced);
    else if (what == 6 && g->stage == 2) {
        irgen_put(g, "block b");
        put_body(g, depth - 1, reduced);
    } else
        put_for(g, depth);
}

static void
put_body(generator *g, int depth, bool reduced)
{
    const int nvar = g->nvar, nbuf = g->nbuf;
    const int64_t n = 1 + irgen_pick(g, 2);

    irgen_put(g, " {\n");
    for (int64_t q = 0; q < n; q++)
        put_stmt(g, depth, reduced);
    irgen_put(g, "}\n");
    g->nvar = nvar;
    g->nbuf = nbuf;
}

/* Axes in declared order, so parents come first; neighbours sometimes fused. */
static void
put_iter(generator *g)
{
    const int nvar = g->nvar;
    bool reduced = false, inside = false;

    irgen_put(g, "iter s (");
    for (int x = 0; x < g->naxis; x++) {
        name *v = add_name(g, g->var, &g->nvar, "%%c%d", SB_I64);

        v->reduced = irgen_pick(g, 3) == 0;
        reduced = reduced || v->reduced;
        irgen_put(g, x > 0 ? "," : "");
        if (!inside && irgen_pick(g, 4) == 0) {
            irgen_put(g, "{");
            inside = true;
        }
        irgen_put(g, v->text);
        irgen_put(g, v->reduced ? " : R " : ":S ");
        irgen_put(g, g->axis[x].text);
        if (inside && (x == g->naxis - 1 || irgen_pick(g, 2))) {
            irgen_put(g, "}");
            inside = false;
        }
    }
    irgen_put(g, ") {\n");
    if (irgen_pick(g, 2)) {
        g->spatial = true;
        irgen_put(g, "init ");
        if (irgen_pick(g, 2))
            put_body(g, 1, false);
        else
            put_store(g, false);
        g->spatial = false;
    }
    put_stmt(g, 1, reduced);
    put_stmt(g, 1, reduced);
    irgen_put(g, "}\n");
    g->nvar = nvar;
}

void
irgen_program(sb_strbuf *out, uint64_t seed)
{
    generator g = {.rng = {seed}, .out = out};
    int n;

    g.stage = 1 + (int)irgen_pick(&g, 3);
    sb_strbuf_printf(out, "prog @g%d stage %d {\n", (int)(seed % 1000), g.stage);
    put_params(&g);
    n = g.stage < 3 ? 1 + (int)irgen_pick(&g, 4) : 0;
    for (int x = 0; x < n; x++) /* a root, then roots and children */
        put_axis(&g, x > 0 && irgen_pick(&g, 2) ? x - 1 : -1);
    if (g.stage == 3)
        (void)put_list(&g);
    n = 3 + (int)irgen_pick(&g, 3);
    for (int b = 0; b < n; b++)
        put_buffer(&g);
    if (irgen_pick(&g, 2)) {
        irgen_put(&g, "assume ");
        irgen_expr(&g, SB_BOOL, 2);
        irgen_put(&g, "\n");
    }
    n = 1 + (int)irgen_pick(&g, 3);
    for (int s = 0; s < n; s++) {
        if (g.stage == 1)
            put_iter(&g);
        else
            put_stmt(&g, 3, false);
    }
    irgen_put(&g, "}\n");
}
