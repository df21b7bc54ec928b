/*
 * A nest for tensor cores (tensor.h) as calls of m16n8kK. With V = M / 8, g = lane / 4,
 * t = lane mod 4 and R = K / 4, a lane has of
 *
 *   A   rows i = g V + s of the nest, s < V, times k = t R + r, r < R
 *   B   k = t R + r times columns j = 8 d + g
 *   C   rows i = g V + s times columns j = 8 d + 2 t + e, e < 2
 *
 * Call u of V / 2 takes s = 2 u as the machine's row g and s = 2 u + 1 as its row g + 8;
 * the nest's rows and the summed index are so in another order than the machine's, which
 * is free, and what a lane reads of A lies side by side: V elements along i, or R along k.
 * Register of C: 2 V d + 2 s + e. Layout of the machine's fragments: PTX ISA, "Matrix
 * Fragments for mma.m16n8k16".
 */
#include "compiler/emit_simt.h"
#include "compiler/rewrite.h"
#include "compiler/tensor.h"

#include "base/fault.h"

#include <stdarg.h>
#include <stdio.h>

enum { CONDS_MAX = 8 };

/* A factor taken apart: a load under conditions. */
typedef struct factor {
    const sb_expr *load;
    int n;
    const sb_expr *cond[CONDS_MAX];
    const sb_expr *tail; /* of a run: the condition AT < BOUND that the run ends by */
} factor;

static bool
take_apart(factor *f, const sb_expr *e)
{
    f->n = 0;
    f->tail = NULL;
    for (; e->kind == SB_EXPR_SELECT; e = e->arg[1]) {
        if (f->n == CONDS_MAX)
            return false;
        f->cond[f->n++] = e->arg[0];
    }
    f->load = e->kind == SB_EXPR_CAST ? e->arg[0] : e;
    return true;
}

/* Whether elements along v lie side by side, all there or up to some bound; then the
 * condition for that is moved to `tail`. */
static bool
runs_along(factor *f, const sb_var *v)
{
    factor g = *f;

    if (!sb_simt_unit(f->load->arg[0], v))
        return false;
    g.n = 0;
    for (int q = 0; q < f->n; q++) {
        const sb_expr *c = f->cond[q];

        if (!sb_emit_expr_has(c, v)) {
            g.cond[g.n++] = c;
            continue;
        }
        if (g.tail || c->kind != SB_EXPR_LT || !sb_simt_unit(c->arg[0], v) ||
            sb_emit_expr_has(c->arg[1], v))
            return false;
        g.tail = c;
    }
    *f = g;
    return true;
}

bool
sb_simt_tensor_places(sb_emit *cx, const sb_stmt *st, const sb_buf **sum)
{
    const int64_t lanes = cx->simt->lanes, vec = cx->simt->vec;
    sb_tensor_core t;
    const char *why;
    int64_t v[2], at, V;

    if (!st->u.block.tensor ||
        !sb_tensor_match_core(&t, st->u.block.name, st->u.block.body, &why))
        return false;
    *sum = t.c;
    V = t.trip[0] / 8;
    for (v[0] = 0; v[0] < t.trip[0]; v[0]++) {
        for (v[1] = 0; v[1] < t.trip[1]; v[1]++) {
            const int64_t slot = v[1] / 8 * 2 * V + v[0] % V * 2 + v[1] % 2;
            const int64_t lane = v[0] / V * 4 + v[1] % 8 / 2;

            if (lanes != 32 || !sb_simt_eval(t.idx[0], 2, t.var, v, &at) ||
                at != (slot / vec * lanes + lane) * vec + slot % vec) {
                sb_emit_fail(cx, "a sum of tensor cores does not lie as fragments do");
                return true;
            }
        }
    }
    return true;
}

/* ---- text --------------------------------------------------------------------------- */

static void put(sb_emit *cx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A line. */
static void
put(sb_emit *cx, const char *format, ...)
{
    char text[256];
    va_list ap;

    va_start(ap, format);
    (void)vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "%s\n", text);
}

static void
open_loop(sb_emit *cx, const char *var, int n)
{
    put(cx, "SBG_UNROLL");
    put(cx, "for (int %s = 0; %s < %d; %s++) {", var, var, n, var);
    cx->indent++;
}

static void
open_scope(sb_emit *cx)
{
    put(cx, "{");
    cx->indent++;
}

static void
close_scope(sb_emit *cx)
{
    cx->indent--;
    put(cx, "}");
}

static void
define(sb_emit *cx, const sb_var *v, const char *text)
{
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "const %s ", sb_emit_ctype(v->type));
    sb_emit_var(cx, v);
    sb_strbuf_printf(cx->out, " SBK_UNUSED = %s;\n", text);
}

static void
conditions(sb_emit *cx, const factor *f)
{
    for (int q = 0; q < f->n; q++) {
        sb_strbuf_puts(cx->out, q ? " && " : "");
        sb_emit_expr(cx, f->cond[q], f->n > 1 ? 4 : 0);
    }
}

/* `n` elements side by side along v to `to`; what is not there is 0. */
static void
get_run(sb_emit *cx, const factor *f, const char *to, int n, const sb_var *v)
{
    const sb_simt_run r = {.b = f->load->u.buf,
                           .idx = f->load->arg[0],
                           .n = n,
                           .v = v,
                           .first = f->tail ? f->tail->arg[0] : NULL,
                           .bound = f->tail ? f->tail->arg[1] : NULL,
                           .local = to};

    if (f->n == 0) {
        sb_simt_get(cx, &r);
        return;
    }
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "if (");
    conditions(cx, f);
    sb_strbuf_puts(cx->out, ")\n");
    cx->indent++;
    sb_simt_get(cx, &r);
    cx->indent--;
    put(cx, "else");
    cx->indent++;
    put(cx, "sbg_none_%s(%s, %d);", sb_dtype_name((sb_dtype)f->load->type), to, n);
    cx->indent--;
}

static void
get_one(sb_emit *cx, const factor *f, const char *to)
{
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "%s = ", to);
    if (f->n > 0) {
        sb_strbuf_puts(cx->out, f->n > 1 ? "(" : "");
        conditions(cx, f);
        sb_strbuf_puts(cx->out, f->n > 1 ? ") ? " : " ? ");
    }
    sb_emit_element(cx, f->load->u.buf, f->load->arg[0]);
    sb_strbuf_puts(cx->out, f->n > 0 ? " : 0;\n" : ";\n");
}

/* fa_[r V + s]. */
static void
rows(sb_emit *cx, const sb_tensor_core *t, factor f)
{
    const int V = (int)t->trip[0] / 8, R = (int)t->trip[2] / 4;
    const bool along = runs_along(&f, t->var[0]);
    const bool deep = !along && runs_along(&f, t->var[2]);
    char i[48], k[48], to[48];

    (void)snprintf(i, sizeof i, along ? "x_ / 4 * %d" : "x_ / 4 * %d + s_", V);
    (void)snprintf(k, sizeof k, deep ? "x_ %% 4 * %d" : "x_ %% 4 * %d + r_", R);
    (void)snprintf(to, sizeof to, along ? "fa_ + r_ * %d" : "fa_[r_ * %d + s_]", V);
    if (!deep)
        open_loop(cx, "r_", R);
    if (!along)
        open_loop(cx, "s_", V);
    define(cx, t->var[0], i);
    define(cx, t->var[2], k);
    if (along) {
        get_run(cx, &f, to, V, t->var[0]);
    } else if (deep) {
        put(cx, "%s run_[%d];", sb_emit_ctype(t->type), R);
        get_run(cx, &f, "run_", R, t->var[2]);
        open_loop(cx, "r_", R);
        put(cx, "%s = run_[r_];", to);
        close_scope(cx);
    } else {
        get_one(cx, &f, to);
    }
    if (!along)
        close_scope(cx);
    if (!deep)
        close_scope(cx);
}

/* fb_[d R + r]. */
static void
columns(sb_emit *cx, const sb_tensor_core *t, factor f)
{
    const int R = (int)t->trip[2] / 4;
    const bool deep = runs_along(&f, t->var[2]);
    const char *lane = SB_FAULT(GPU_FRAGMENT) ? "x_ / 8" : "x_ % 4";
    char k[48], to[48];

    (void)snprintf(k, sizeof k, deep ? "%s * %d" : "%s * %d + r_", lane, R);
    (void)snprintf(to, sizeof to, deep ? "fb_ + d_ * %d" : "fb_[d_ * %d + r_]", R);
    open_loop(cx, "d_", (int)t->trip[1] / 8);
    if (!deep)
        open_loop(cx, "r_", R);
    define(cx, t->var[1], "d_ * 8 + x_ / 4");
    define(cx, t->var[2], k);
    if (deep)
        get_run(cx, &f, to, R, t->var[2]);
    else
        get_one(cx, &f, to);
    if (!deep)
        close_scope(cx);
    close_scope(cx);
}

bool
sb_simt_tensor(sb_emit *cx, const sb_stmt *st)
{
    sb_tensor_core t;
    const char *why;
    factor a, b;
    int V, R, D;

    if (!sb_tensor_match_core(&t, st->u.block.name, st->u.block.body, &why))
        return false;
    V = (int)t.trip[0] / 8;
    D = (int)t.trip[1] / 8;
    R = (int)t.trip[2] / 4;
    if (!take_apart(&a, t.a) || !take_apart(&b, t.b)) {
        sb_emit_fail(cx, "too many conditions around a factor of tensor cores");
        return true;
    }
    open_scope(cx);
    put(cx, "%s fa_[%d], fb_[%d];", sb_emit_ctype(t.type), V * R, D * R);
    rows(cx, &t, a);
    columns(cx, &t, b);
    open_loop(cx, "d_", D);
    open_loop(cx, "u_", V / 2);
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "SBG_MMA(%s%s, %d, ", sb_dtype_name(t.type),
                     t.type != SB_F32 ? ""
                     : t.three        ? "x3"
                                      : "x1",
                     (int)t.trip[2]);
    sb_emit_buf(cx, t.c);
    sb_strbuf_printf(cx->out,
                     " + (d_ * %d + u_ * 4), fa_ + u_ * 2, %d, fb_ + d_ * %d);\n",
                     2 * V, V, R);
    close_scope(cx);
    close_scope(cx);
    close_scope(cx);
    return true;
}
