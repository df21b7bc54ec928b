/*
 * Random programs, declared in irgen.h. Expressions are made for a wanted type, names
 * are numbered, so everything is declared, unique and well typed.
 */
#include "irgen.h"

#include "base/dtype.h"
#include "gen.h"

#include <stdio.h>
#include <string.h>

enum { NAMES = 64, AXES = 8, DEPTH = 4 };

typedef struct name {
    char text[12];
    sb_dtype type;
    bool reduced; /* a reduction iterator */
    bool writable;
    int rank;
} name;

typedef struct axis {
    char text[8];
    int parent; /* -1 at a root */
    bool dense;
} axis;

typedef struct generator {
    gen_rng rng;
    sb_strbuf *out;
    int stage, nvar, nbuf, naxis, fresh;
    bool spatial; /* reduction iterators must not be used now */
    bool vector;  /* inside a vector loop */
    name var[NAMES], buf[NAMES];
    axis axis[AXES];
} generator;

static int64_t
pick(generator *g, int64_t n)
{
    return gen_below(&g->rng, n);
}

static void
put(generator *g, const char *s)
{
    static const char *const blank[] = {" ", "\n", "  ; a comment\n", "\t"};

    sb_strbuf_puts(g->out, s);
    if (pick(g, 12) == 0)
        sb_strbuf_puts(g->out, blank[pick(g, 4)]);
}

/* ---- expressions --------------------------------------------------------------------- */

static void put_expr(generator *g, sb_dtype t, int depth);

static void
put_literal(generator *g, sb_dtype t)
{
    static const char *const reals[] = {"0.0", "1.5", "2e3", "0.1", "inf", "1e-30"};
    char text[48];

    if (sb_dtype_is_int(t)) {
        (void)snprintf(text, sizeof text, "%d%s%s", (int)pick(g, 6),
                       t == SB_I64 ? "" : ":", t == SB_I64 ? "" : sb_dtype_name(t));
    } else {
        (void)snprintf(text, sizeof text, "%s:%s", reals[pick(g, 6)], sb_dtype_name(t));
        if (t == SB_F32 && pick(g, 2))
            *strchr(text, ':') = '\0';
    }
    put(g, text);
}

/* A variable of the type, or a literal when there is none (bool: a comparison). */
static void
put_leaf(generator *g, sb_dtype t)
{
    const int from = (int)pick(g, g->nvar + 1);

    for (int q = 0; q < g->nvar; q++) {
        const name *v = &g->var[(from + q) % g->nvar];

        if (v->type != t || (g->spatial && v->reduced))
            continue;
        put(g, v->text);
        return;
    }
    if (t == SB_BOOL)
        put(g, "(0 < 1)");
    else
        put_literal(g, t);
}

/* [i, ...]: mostly names, which have a chance to be in bounds. */
static void
put_index(generator *g, int rank, int depth)
{
    put(g, "[");
    for (int d = 0; d < rank; d++) {
        if (d > 0)
            put(g, ",");
        if (depth > 0 && pick(g, 6) == 0)
            put_expr(g, pick(g, 3) ? SB_I64 : SB_I32, depth - 1);
        else if (pick(g, 2))
            put_leaf(g, SB_I64);
        else
            put_literal(g, SB_I64);
    }
    put(g, "]");
}

static bool
put_load(generator *g, sb_dtype t, int depth)
{
    const int from = (int)pick(g, g->nbuf + 1);

    for (int q = 0; q < g->nbuf; q++) {
        const name *b = &g->buf[(from + q) % g->nbuf];

        if (b->type != t)
            continue;
        sb_strbuf_puts(g->out, b->text);
        put_index(g, b->rank, depth);
        return true;
    }
    return false;
}

/* ( a op b ) */
static void
put_infix(generator *g, const char *op, sb_dtype a, sb_dtype b, int depth)
{
    put(g, "(");
    put_expr(g, a, depth - 1);
    sb_strbuf_putc(g->out, ' ');
    put(g, op);
    sb_strbuf_putc(g->out, ' ');
    put_expr(g, b, depth - 1);
    put(g, ")");
}

static void
put_bool(generator *g, int depth)
{
    static const char *const compare[] = {"<", "<=", ">", ">=", "==", "!="};
    static const sb_dtype types[] = {SB_I64, SB_I32, SB_F32, SB_F64, SB_C64, SB_F16};
    const sb_dtype t = types[pick(g, 6)];
    const int64_t what = pick(g, 5);

    if (what == 0) {
        put(g, "!");
        put_expr(g, SB_BOOL, depth - 1);
    } else if (what == 1) {
        put_infix(g, pick(g, 2) ? "&&" : "||", SB_BOOL, SB_BOOL, depth);
    } else {
        put_infix(g, compare[t == SB_C64 ? 4 + pick(g, 2) : pick(g, 6)], t, t, depth);
    }
}

static void
put_call(generator *g, sb_dtype t, int depth)
{
    static const sb_dtype from[] = {SB_I64, SB_I32, SB_F32, SB_F64, SB_C64, SB_F16};
    char text[32];

    switch (pick(g, 4)) {
    case 0:
        (void)snprintf(text, sizeof text, "cast(%s,", sb_dtype_name(t));
        put(g, text);
        put_expr(g, from[pick(g, 6)], depth - 1);
        break;
    case 1:
        put(g, "select(");
        put_expr(g, SB_BOOL, depth - 1);
        put(g, ",");
        put_expr(g, t, depth - 1);
        put(g, ",");
        put_expr(g, t, depth - 1);
        break;
    case 2:
        put(g, "conj(");
        put_expr(g, t, depth - 1);
        break;
    default:
        put(g, sb_dtype_is_complex(t) ? "conj(" : pick(g, 2) ? "min(" : "max(");
        put_expr(g, t, depth - 1);
        if (!sb_dtype_is_complex(t)) {
            put(g, ",");
            put_expr(g, t, depth - 1);
        }
        break;
    }
    put(g, ")");
}

/* find or seek in some list; false when there is none. */
static bool
put_search(generator *g, int depth)
{
    const int from = (int)pick(g, g->nbuf + 1);

    for (int q = 0; q < g->nbuf; q++) {
        const name *b = &g->buf[(from + q) % g->nbuf];

        if (b->text[1] != 'l')
            continue;
        put(g, pick(g, 2) ? "find(" : "seek(");
        put(g, b->text);
        put(g, ", 0, 1,");
        put_expr(g, SB_I64, depth - 1);
        put(g, ")");
        return true;
    }
    return false;
}

static void
put_arithmetic(generator *g, sb_dtype t, int depth)
{
    static const char *const op[] = {"+", "-", "*", "/", "mod"};
    const int64_t what = pick(g, 6);

    if (t == SB_F16) /* a storage type */
        put_literal(g, t);
    else if (what == 0) {
        put(g, "-");
        put_expr(g, t, depth - 1);
    } else if (what == 1 && t == SB_I64)
        put_infix(g, op[pick(g, 5)], SB_I32, SB_I64, depth);
    else if (what == 2)
        put_call(g, t, depth);
    else if (what == 3 && t == SB_I64 && put_search(g, depth))
        return;
    else
        put_infix(g, op[pick(g, sb_dtype_is_int(t) ? 5 : 4)], t, t, depth);
}

static void
put_expr(generator *g, sb_dtype t, int depth)
{
    const bool extra = pick(g, 8) == 0;

    if (extra)
        put(g, "(");
    if (depth <= 0 || pick(g, 4) == 0) {
        if (!(depth > 0 && t != SB_BOOL && pick(g, 2) && put_load(g, t, depth)))
            put_leaf(g, t);
    } else if (t == SB_BOOL) {
        put_bool(g, depth);
    } else {
        put_arithmetic(g, t, depth);
    }
    if (extra)
        put(g, ")");
}

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
    const int n = 3 + (int)pick(g, 7);

    for (int q = 0; q < n; q++) {
        const name *v = add_name(g, g->var, &g->nvar, "%%p%d", types[q]);

        put(g, "param ");
        put(g, v->text);
        put(g, ":");
        put(g, sb_dtype_name(v->type));
        put(g, "\n");
    }
}

/* A size of parameters. */
static void
put_size(generator *g)
{
    put(g, g->var[pick(g, 3)].text);
    if (pick(g, 3) == 0)
        put(g, pick(g, 2) ? " + 1" : " * (2 + 3)");
}

/* A list of integers; returns its name. */
static const char *
put_list(generator *g)
{
    const sb_dtype t = pick(g, 2) ? SB_I32 : SB_I64;
    const name *b = add_name(g, g->buf, &g->nbuf, "$l%d", t);

    put(g, "buf ");
    put(g, b->text);
    put(g, t == SB_I32 ? ": i32[" : ":i64 [");
    put_size(g);
    put(g, "] aux\n");
    return b->text;
}

/* An axis with the arrays its kind needs, declared just before. */
static void
put_axis(generator *g, int parent)
{
    static const char *const kinds[] = {"dense_fixed(", "sparse_fixed(",
                                        "dense_variable(", "sparse_variable("};
    axis *x = &g->axis[g->naxis];
    const int64_t kind = pick(g, parent < 0 ? 2 : 4);
    const char *ptr = kind >= 2 ? put_list(g) : NULL;
    const char *crd = kind % 2 ? put_list(g) : NULL;

    (void)snprintf(x->text, sizeof x->text, "#x%d", g->naxis++);
    x->parent = parent;
    x->dense = kind == 0 && parent < 0;
    put(g, "axis ");
    put(g, x->text);
    put(g, " = ");
    put(g, kinds[kind]);
    if (parent >= 0) {
        put(g, g->axis[parent].text);
        put(g, ",");
    }
    put_size(g);
    if (kind < 2 && parent >= 0)
        put(g, ", width 2");
    if (kind >= 2)
        put(g, ", nnz 3");
    if (ptr)
        sb_strbuf_printf(g->out, ", ptr %s", ptr);
    if (crd)
        sb_strbuf_printf(g->out, ", crd %s", crd);
    put(g, ")");
    if (crd && pick(g, 2))
        put(g, " base 1");
    if (crd && pick(g, 2))
        put(g, " sorted");
    if (crd && pick(g, 2))
        put(g, " padded");
    put(g, "\n");
}

/* Axes of a buffer: down one tree, and sometimes one more root. */
static int
put_axis_list(generator *g, bool *dense)
{
    int chain[AXES], n = 0, rank = 0;

    for (int x = (int)pick(g, g->naxis); x >= 0; x = g->axis[x].parent)
        chain[n++] = x;
    if (pick(g, 2))
        chain[n++] = 0; /* axis 0 is a root */
    for (; n > 0; rank++) {
        put(g, rank > 0 ? "," : "");
        *dense = *dense && g->axis[chain[n - 1]].dense;
        put(g, g->axis[chain[--n]].text);
    }
    return rank;
}

static void
put_buffer(generator *g)
{
    static const sb_dtype types[] = {SB_F32, SB_F64, SB_C64, SB_F16, SB_I64};
    static const char *const roles[] = {" inout", " in", " out"};
    const sb_dtype t = types[pick(g, 5)];
    const int64_t role = g->nbuf % 2 ? 0 : pick(g, 3);
    name *b = add_name(g, g->buf, &g->nbuf, "$b%d", t);
    bool dense = g->stage < 3;

    b->writable = role != 1;
    put(g, "buf ");
    put(g, b->text);
    put(g, ":");
    put(g, sb_dtype_name(t));
    put(g, "[");
    if (g->stage < 3 && pick(g, 4)) {
        b->rank = put_axis_list(g, &dense);
    } else {
        b->rank = g->stage < 3 ? 1 + (int)pick(g, 3) : 1;
        for (int d = 0; d < b->rank; d++) {
            put(g, d > 0 ? "," : "");
            put_size(g);
        }
    }
    put(g, "]");
    put(g, roles[role]);
    if (dense && pick(g, 2)) {
        put(g, " strides(");
        for (int d = 0; d < b->rank; d++) {
            put(g, d > 0 ? "," : "");
            put_size(g);
        }
        put(g, ")");
    }
    put(g, "\n");
}

/* ---- statements ---------------------------------------------------------------------- */

static void put_body(generator *g, int depth, bool reduced);

static void
put_store(generator *g, bool reduced)
{
    static const char *const op[] = {" += ", " min= ", " max= ", " = "};
    const bool spatial = g->spatial;
    const char *how;
    int q = (int)pick(g, g->nbuf);

    while (!g->buf[q].writable)
        q = (q + 1) % g->nbuf;
    sb_strbuf_puts(g->out, g->buf[q].text);
    g->spatial = spatial || g->stage == 1;
    put_index(g, g->buf[q].rank, 2);
    g->spatial = spatial;
    how = sb_dtype_is_complex(g->buf[q].type) ? op[reduced ? 0 : 3 * pick(g, 2)]
                                              : op[pick(g, reduced ? 3 : 4)];
    put(g, how);
    put_expr(g, g->buf[q].type, DEPTH);
    put(g, pick(g, 8) ? "" : " stream");
    put(g, how[1] == '=' || g->vector || g->buf[q].text[1] == 't' ||
                   g->buf[q].type == SB_F16 || pick(g, 4)
               ? "\n"
               : " atomic\n");
}

static void
put_if(generator *g, int depth, bool reduced)
{
    put(g, "if ");
    put_expr(g, SB_BOOL, 2);
    put_body(g, depth - 1, reduced);
    if (pick(g, 2)) {
        put(g, " else ");
        put_body(g, depth - 1, reduced);
    }
}

static void
put_for(generator *g, int depth)
{
    static const char *const trips[] = {" in 0 .. 3", " in 1..4 unroll",
                                        " in 0 .. 3 vector(4)", " in 0 .. "};
    const int nvar = g->nvar;
    const int64_t how = pick(g, 4);
    const int size = (int)pick(g, 3);
    const name *v = add_name(g, g->var, &g->nvar, "%%i%d", SB_I64);

    put(g, "for ");
    put(g, v->text);
    put(g, trips[how]);
    if (how == 3)
        put(g, g->var[size].text);
    put(g, pick(g, 3) ? "" : " reduce");
    if (depth == 3 && pick(g, 3) == 0)
        put(g, " bind(thread_x)");
    put(g, pick(g, 4) ? "" : " note(key, 3) note(other, word)");
    g->vector = how == 2;
    put_body(g, how == 2 ? 0 : depth - 1, false); /* no loop in a vector loop */
    g->vector = false;
    g->nvar = nvar;
}

static void
put_let(generator *g)
{
    static const sb_dtype types[] = {SB_I64, SB_I32, SB_F32, SB_F64, SB_BOOL, SB_C64};
    const sb_dtype t = types[pick(g, 6)];
    char text[12];

    (void)snprintf(text, sizeof text, "%%v%d", g->fresh % 10000);
    put(g, "let ");
    put(g, text);
    if (pick(g, 2)) {
        put(g, ":");
        put(g, sb_dtype_name(t));
    }
    put(g, " = ");
    put_expr(g, t, DEPTH);
    put(g, "\n");
    (void)add_name(g, g->var, &g->nvar, "%%v%d", t);
}

static void
put_local(generator *g)
{
    name *b = add_name(g, g->buf, &g->nbuf, "$t%d", SB_F32);

    b->writable = true;
    put(g, "local ");
    put(g, b->text);
    put(g, ":f32[");
    put(g, pick(g, 2) ? "4]\n" : "2 * 3]\n");
}

static void
put_prefetch(generator *g)
{
    const name *b = &g->buf[pick(g, g->nbuf)];

    put(g, "prefetch ");
    sb_strbuf_puts(g->out, b->text);
    put_index(g, b->rank, 1);
    put(g, "\n");
}

static void
put_stmt(generator *g, int depth, bool reduced)
{
    const int64_t what = pick(g, 8);

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
        put(g, "block b");
        put_body(g, depth - 1, reduced);
    } else
        put_for(g, depth);
}

static void
put_body(generator *g, int depth, bool reduced)
{
    const int nvar = g->nvar, nbuf = g->nbuf;
    const int64_t n = 1 + pick(g, 2);

    put(g, " {\n");
    for (int64_t q = 0; q < n; q++)
        put_stmt(g, depth, reduced);
    put(g, "}\n");
    g->nvar = nvar;
    g->nbuf = nbuf;
}

/* Axes in declared order, so parents come first; neighbours sometimes fused. */
static void
put_iter(generator *g)
{
    const int nvar = g->nvar;
    bool reduced = false, inside = false;

    put(g, "iter s (");
    for (int x = 0; x < g->naxis; x++) {
        name *v = add_name(g, g->var, &g->nvar, "%%c%d", SB_I64);

        v->reduced = pick(g, 3) == 0;
        reduced = reduced || v->reduced;
        put(g, x > 0 ? "," : "");
        if (!inside && pick(g, 4) == 0) {
            put(g, "{");
            inside = true;
        }
        put(g, v->text);
        put(g, v->reduced ? " : R " : ":S ");
        put(g, g->axis[x].text);
        if (inside && (x == g->naxis - 1 || pick(g, 2))) {
            put(g, "}");
            inside = false;
        }
    }
    put(g, ") {\n");
    if (pick(g, 2)) {
        g->spatial = true;
        put(g, "init ");
        if (pick(g, 2))
            put_body(g, 1, false);
        else
            put_store(g, false);
        g->spatial = false;
    }
    put_stmt(g, 1, reduced);
    put_stmt(g, 1, reduced);
    put(g, "}\n");
    g->nvar = nvar;
}

void
irgen_program(sb_strbuf *out, uint64_t seed)
{
    generator g = {.rng = {seed}, .out = out};
    int n;

    g.stage = 1 + (int)pick(&g, 3);
    sb_strbuf_printf(out, "prog @g%d stage %d {\n", (int)(seed % 1000), g.stage);
    put_params(&g);
    n = g.stage < 3 ? 1 + (int)pick(&g, 4) : 0;
    for (int x = 0; x < n; x++) /* a root, then roots and children */
        put_axis(&g, x > 0 && pick(&g, 2) ? x - 1 : -1);
    if (g.stage == 3)
        (void)put_list(&g);
    n = 3 + (int)pick(&g, 3);
    for (int b = 0; b < n; b++)
        put_buffer(&g);
    if (pick(&g, 2)) {
        put(&g, "assume ");
        put_expr(&g, SB_BOOL, 2);
        put(&g, "\n");
    }
    n = 1 + (int)pick(&g, 3);
    for (int s = 0; s < n; s++) {
        if (g.stage == 1)
            put_iter(&g);
        else
            put_stmt(&g, 3, false);
    }
    put(&g, "}\n");
}
