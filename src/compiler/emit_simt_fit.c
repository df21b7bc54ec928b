/*
 * What a lane has of a row of B or C beside each other: read and stored at once, 8 or 16
 * bytes. Whether the caller's arrays allow that is asked once, before all else: the body
 * is a function of `fit_`, called with 1 or 0, so that no loop tests an address or holds
 * what is done where the test fails, and a row is found by one product of two numbers of
 * 32 bits. What has to be asked is noted while the body is written.
 */
#include "compiler/emit_simt.h"
#include "compiler/rewrite.h"

#include "base/fault.h"

#include <stdio.h>
#include <string.h>

/* ---- slots -------------------------------------------------------------------------- */

/* lo + q * lanes + x, or lo + (q / vec * lanes + x) * vec + q mod vec; `first` of the
 * vector: without the last. */
void
sb_simt_iteration(sb_emit *cx, const sb_stmt *st, bool first)
{
    const sb_emit_simt *s = cx->simt;

    if (!sb_simt_zero(st->u.loop.lo)) {
        sb_emit_expr(cx, st->u.loop.lo, 6);
        sb_strbuf_puts(cx->out, " + ");
    }
    if (s->vec == 1 && s->slots > 1)
        sb_strbuf_printf(cx->out, "q_ * %d + ", s->lanes);
    else if (s->slots > s->vec)
        sb_strbuf_printf(cx->out, "q_ / %d * %d + ", s->vec, s->lanes * s->vec);
    sb_strbuf_puts(cx->out, "x_");
    if (s->vec > 1)
        sb_strbuf_printf(cx->out, first ? " * %d" : " * %d + q_ %% %d", s->vec, s->vec);
}

/* for (int q_ = 0; q_ < slots; q_ += step) { */
void
sb_simt_slots(sb_emit *cx, int step)
{
    sb_emit_line(cx);
    if (cx->simt->slots > step) {
        sb_strbuf_puts(cx->out, "SBG_UNROLL\n");
        sb_emit_line(cx);
        sb_strbuf_printf(cx->out, "for (int q_ = 0; q_ < %d; q_", cx->simt->slots);
        if (step > 1)
            sb_strbuf_printf(cx->out, " += %d) ", step);
        else
            sb_strbuf_puts(cx->out, "++) ");
    }
    sb_simt_open(cx);
}

/* Whether e is a sum with the lane variable as one term, the others uniform. */
bool
sb_simt_lane_term(const sb_emit *cx, const sb_expr *e)
{
    if (e->kind == SB_EXPR_VAR)
        return e->u.var == cx->cur->st->u.loop.var;
    return e->kind == SB_EXPR_ADD &&
           ((sb_simt_lane_term(cx, e->arg[0]) &&
             sb_emit_lane(cx, e->arg[1]) == SB_LANE_UNIFORM) ||
            (sb_simt_lane_term(cx, e->arg[1]) &&
             sb_emit_lane(cx, e->arg[0]) == SB_LANE_UNIFORM));
}

/* What a lane can move at once. */
static bool
at_once(size_t bytes)
{
    return bytes == 4 || bytes == 8 || bytes == 16;
}

/* Loads whose `vec` neighbours in a lane are neighbours in memory. */
static void
find_loads(sb_emit *cx, const sb_expr *e)
{
    sb_emit_simt *s = cx->simt;

    if (e->kind == SB_EXPR_LOAD &&
        (e->u.buf->role == SB_BUF_IN || e->u.buf->role == SB_BUF_AUX) &&
        s->nload < SB_SIMT_LOADS && sb_simt_lane_term(cx, e->arg[0])) {
        bool known = !at_once((size_t)s->vec * sb_dtype_size((sb_dtype)e->u.buf->type));

        for (int q = 0; q < s->nload; q++)
            known |= s->load[q] == e;
        if (!known)
            s->load[s->nload++] = e;
    }
    for (int q = 0; q < e->nargs && e->kind != SB_EXPR_SELECT; q++)
        find_loads(cx, e->arg[q]);
}

/* ---- what fits ---------------------------------------------------------------------- */

static bool
is_param(const sb_emit *cx, const sb_expr *e)
{
    for (int q = 0; q < cx->prog->nparam && e->kind == SB_EXPR_VAR; q++)
        if (cx->prog->param[q] == e->u.var)
            return e->type == SB_I64;
    return false;
}

static bool
is_asked(const sb_simt_fit *f, const sb_expr *e)
{
    for (int q = 0; q < f->nexpr; q++)
        if (f->expr[q].is == e)
            return true;
    return false;
}

/* One more that has to be a multiple of n, a power of two. */
static bool
add(sb_simt_fit *f, const sb_expr *e, int n)
{
    int q = 0;

    while (q < f->nexpr && f->expr[q].is != e)
        q++;
    if (q == SB_SIMT_FITS)
        return false;
    if (q == f->nexpr) {
        f->expr[q].is = e;
        f->expr[f->nexpr++].by = 1;
    }
    if (f->expr[q].by < n)
        f->expr[q].by = n;
    return true;
}

/* One more whose address has to be. */
static bool
add_array(sb_simt_fit *f, const sb_buf *b, int bytes)
{
    int q = 0;

    while (q < f->nbuf && f->buf[q].is != b)
        q++;
    if (q == SB_SIMT_FITS)
        return false;
    if (q == f->nbuf) {
        f->buf[q].is = b;
        f->buf[f->nbuf++].bytes = 1;
    }
    if (f->buf[q].bytes < bytes)
        f->buf[q].bytes = bytes;
    return true;
}

typedef struct definition {
    const sb_var *var;
    const sb_expr *value;
    int n;
} definition;

static void
look_for_let(void *user, const sb_stmt *st)
{
    definition *d = user;

    if (st->kind == SB_STMT_LET && st->u.let.var == d->var) {
        d->value = st->u.let.value;
        d->n++;
    }
}

/* What the program's only let of v says; else NULL. */
static const sb_expr *
value_of(const sb_emit *cx, const sb_var *v)
{
    definition d = {v, NULL, 0};

    sb_body_stmts(cx->prog->body, look_for_let, &d);
    return d.n == 1 ? d.value : NULL;
}

/* Whether e is a multiple of r->n when all of *f are, with those parameters that it takes. */
static bool
multiple(const sb_emit *cx, sb_simt_fit *f, const sb_simt_run *r, const sb_expr *e)
{
    const sb_expr *value;

    switch (e->kind) {
    case SB_EXPR_INT:
        return e->u.i % r->n == 0;
    case SB_EXPR_VAR:
        if (e->u.var == r->v)
            return true;
        value = value_of(cx, e->u.var);
        return value && multiple(cx, f, r, value);
    case SB_EXPR_ADD:
        return multiple(cx, f, r, e->arg[0]) && multiple(cx, f, r, e->arg[1]);
    case SB_EXPR_MUL:
        for (int q = 0; q < 2; q++)
            if (e->arg[q]->kind == SB_EXPR_INT && multiple(cx, f, r, e->arg[q]))
                return true;
        for (int q = 0; q < 2; q++)
            if (is_param(cx, e->arg[q]))
                return add(f, e->arg[q], r->n);
        return false;
    default:
        return false;
    }
}

static bool
of_params(const sb_emit *cx, const sb_expr *e)
{
    bool all = e->kind == SB_EXPR_INT || is_param(cx, e) || e->nargs > 0;

    for (int q = 0; q < e->nargs; q++)
        all = all && of_params(cx, e->arg[q]);
    return all && e->kind != SB_EXPR_LOAD && !sb_expr_is_search(e);
}

/* Whether the bound of a run leaves all or none of it where all fits. */
static bool
bounded(const sb_emit *cx, sb_simt_fit *f, const sb_simt_run *r)
{
    if (!multiple(cx, f, r, r->first))
        return false;
    return r->bound->kind == SB_EXPR_INT
               ? r->bound->u.i % r->n == 0
               : of_params(cx, r->bound) && add(f, r->bound, r->n);
}

/* Whether a run is moved at once where all fits, which is then asked for. */
static bool
fits(sb_emit *cx, const sb_simt_run *r)
{
    sb_simt_fit f = cx->simt->fit;
    const int bytes = r->n * (int)sb_dtype_size((sb_dtype)r->b->type);

    if (!cx->simt->vectors || cx->simt->tested || (r->n & (r->n - 1)) != 0 ||
        (bytes % 16 != 0 && !at_once((size_t)bytes)) || !multiple(cx, &f, r, r->idx) ||
        (r->bound && !bounded(cx, &f, r)) ||
        !add_array(&f, r->b, bytes < 16 ? bytes : 16))
        return false;
    cx->simt->fit = f;
    return true;
}

/* What a lane has of b[idx] in the loop being written. */
static sb_simt_run
run_of(const sb_emit *cx, const sb_buf *b, const sb_expr *idx)
{
    return (sb_simt_run){
        .b = b, .idx = idx, .n = cx->simt->vec, .v = cx->cur->st->u.loop.var};
}

bool
sb_simt_parts(sb_emit *cx, const sb_stmt *st)
{
    const sb_simt_run r = {
        .n = cx->simt->vec, .first = st->u.loop.lo, .bound = st->u.loop.hi};

    return cx->simt->vectors && r.n > 1 && r.first->kind == SB_EXPR_INT &&
           bounded(cx, &cx->simt->fit, &r);
}

/* ---- addresses ---------------------------------------------------------------------- */

/* The product in the sum e that has a parameter as a factor: row and leading dimension. */
static const sb_expr *
row_of(const sb_emit *cx, const sb_expr *e)
{
    const sb_expr *found = NULL;

    if (e->kind == SB_EXPR_MUL)
        return is_asked(&cx->simt->fit, e->arg[0]) ||
                       is_asked(&cx->simt->fit, e->arg[1])
                   ? e
                   : NULL;
    for (int q = 0; q < 2 && e->kind == SB_EXPR_ADD && !found; q++)
        found = row_of(cx, e->arg[q]);
    return found;
}

/* The terms of the sum e but for `row` and the lane variable. */
static void
other_terms(sb_emit *cx, const sb_expr *e, const sb_expr *row, int *n)
{
    if (e == row ||
        (cx->cur && e->kind == SB_EXPR_VAR && e->u.var == cx->cur->st->u.loop.var))
        return;
    if (e->kind == SB_EXPR_ADD) {
        other_terms(cx, e->arg[0], row, n);
        other_terms(cx, e->arg[1], row, n);
        return;
    }
    sb_strbuf_puts(cx->out, (*n)++ ? " + " : "");
    sb_emit_expr(cx, e, 7);
}

/* sbg_at_f32(B + (c0 * 32 + x_ * 4), j, ldb, fit_) */
static void
address(sb_emit *cx, const sb_buf *b, const sb_expr *idx, bool fit)
{
    const sb_expr *row = fit ? row_of(cx, idx) : NULL;
    const int ld = row && !is_asked(&cx->simt->fit, row->arg[1]) ? 0 : 1;
    int n = 0;

    if (row)
        sb_strbuf_printf(cx->out, "sbg_at_%s(", sb_dtype_name((sb_dtype)b->type));
    sb_emit_buf(cx, b);
    sb_strbuf_puts(cx->out, " + (");
    cx->at_zero = cx->cur != NULL;
    other_terms(cx, idx, row, &n);
    cx->at_zero = false;
    if (cx->cur) {
        sb_strbuf_puts(cx->out, n++ ? " + " : "");
        sb_simt_iteration(cx, cx->cur->st, true);
    }
    sb_strbuf_puts(cx->out, n ? ")" : "0)");
    if (!row)
        return;
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_expr(cx, row->arg[1 - ld], 0);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_expr(cx, row->arg[ld], 0);
    sb_strbuf_puts(cx->out, ", fit_)");
}

/* , how many are there, vec, fit_); */
static void
have(sb_emit *cx, bool part)
{
    const sb_stmt *st = cx->cur->st;

    sb_strbuf_puts(cx->out, ", ");
    if (part) {
        sb_emit_expr(cx, st->u.loop.hi, 6);
        sb_strbuf_puts(cx->out, SB_FAULT(GPU_TAIL) ? " + 1 - (" : " - (");
        sb_simt_iteration(cx, st, true);
        sb_strbuf_puts(cx->out, ")");
    } else {
        sb_strbuf_printf(cx->out, "%d", cx->simt->vec);
    }
    sb_strbuf_printf(cx->out, ", %d, fit_);\n", cx->simt->vec);
}

/* ---- loads and stores --------------------------------------------------------------- */

/* name_ or name_ + q_ */
static void
put_name(sb_emit *cx, const char *name)
{
    sb_strbuf_printf(cx->out, "%s%s", name,
                     cx->simt->slots > cx->simt->vec ? " + q_" : "");
}

/* For each vector: sbg_take_f32(NAME + q, B + index, have, vec, fit_); */
static void
take(sb_emit *cx, const char *name, const sb_buf *b, const sb_expr *idx, bool part)
{
    const char *type = sb_dtype_name((sb_dtype)b->type);
    const sb_simt_run r = run_of(cx, b, idx);
    const bool fit = fits(cx, &r);

    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "%s %s[%d];\n", sb_emit_ctype((sb_dtype)b->type), name,
                     cx->simt->slots);
    sb_simt_slots(cx, cx->simt->vec);
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, fit ? "sbg_take_%s(" : "sbg_ld_%s(", type);
    put_name(cx, name);
    sb_strbuf_puts(cx->out, ", ");
    address(cx, b, idx, fit);
    if (fit)
        have(cx, part);
    else
        sb_strbuf_printf(cx->out, ", %d);\n", cx->simt->vec);
    sb_simt_close(cx);
}

/* Where not all of a vector may be there, only what fits is loaded so. */
static void
drop_others(sb_emit *cx)
{
    sb_emit_simt *s = cx->simt;
    int n = 0;

    for (int q = 0; q < s->nload; q++) {
        const sb_simt_run r = run_of(cx, s->load[q]->u.buf, s->load[q]->arg[0]);

        if (fits(cx, &r))
            s->load[n++] = s->load[q];
    }
    s->nload = n;
}

void
sb_simt_loads(sb_emit *cx, sb_body body, bool part)
{
    sb_emit_simt *s = cx->simt;
    char name[16];
    int found;

    for (int q = 0; q < body.n; q++)
        if (body.at[q]->kind == SB_STMT_STORE)
            find_loads(cx, body.at[q]->u.store.value);
    if (part)
        drop_others(cx);
    found = s->nload;
    s->nload = 0; /* the addresses themselves are as they are */
    for (int q = 0; q < found; q++) {
        (void)snprintf(name, sizeof name, "ld%d_", q);
        take(cx, name, s->load[q]->u.buf, s->load[q]->arg[0], part);
    }
    s->nload = found;
}

bool
sb_simt_loaded(sb_emit *cx, const sb_expr *load)
{
    for (int q = 0; q < cx->simt->nload; q++) {
        if (cx->simt->load[q] != load)
            continue;
        sb_strbuf_printf(cx->out, "ld%d_[", q);
        sb_strbuf_puts(cx->out, cx->simt->slots > 1 ? "q_]" : "0]");
        return true;
    }
    return false;
}

void
sb_simt_keep(sb_emit *cx, sb_body body, bool part)
{
    sb_emit_simt *s = cx->simt;
    const sb_stmt *st = body.n == 1 ? body.at[0] : NULL;
    const sb_buf *b = st && st->kind == SB_STMT_STORE ? st->u.store.buf : NULL;
    const sb_simt_run r = run_of(cx, b, b ? st->u.store.idx[0] : NULL);

    if (!s->vectors || !b || st->u.store.atomic ||
        (b->role != SB_BUF_OUT && b->role != SB_BUF_INOUT) || !s->in_block ||
        !s->in_row || (s->column_loops && !s->in_column) ||
        !sb_simt_lane_term(cx, r.idx) || !fits(cx, &r))
        return;
    if (st->u.store.op == SB_STORE_ADD && !sb_dtype_is_complex((sb_dtype)b->type)) {
        take(cx, "st_", b, st->u.store.idx[0], part);
    } else if (st->u.store.op == SB_STORE_SET) {
        sb_emit_line(cx);
        sb_strbuf_printf(cx->out, "%s st_[%d];\n", sb_emit_ctype((sb_dtype)b->type),
                         s->slots);
    } else {
        return;
    }
    s->kept = st;
}

bool
sb_simt_kept(sb_emit *cx, const sb_stmt *st)
{
    if (cx->simt->kept != st)
        return false;
    sb_strbuf_puts(cx->out, cx->simt->slots > 1 ? "st_[q_]" : "st_[0]");
    return true;
}

void
sb_simt_give(sb_emit *cx, bool part)
{
    const sb_stmt *st = cx->simt->kept;

    cx->simt->kept = NULL;
    if (!st)
        return;
    sb_simt_slots(cx, cx->simt->vec);
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "sbg_give_%s(",
                     sb_dtype_name((sb_dtype)st->u.store.buf->type));
    address(cx, st->u.store.buf, st->u.store.idx[0], false);
    sb_strbuf_puts(cx->out, ", ");
    put_name(cx, "st_");
    have(cx, part);
    sb_simt_close(cx);
}

/* ---- runs beside loops over slots ------------------------------------------------------ */

static void
put_local(sb_emit *cx, const sb_simt_run *r)
{
    if (r->local) {
        sb_strbuf_puts(cx->out, r->local);
        return;
    }
    sb_emit_buf(cx, r->to);
    sb_strbuf_puts(cx->out, " + ");
    sb_emit_expr(cx, r->at, 7);
}

/* , HAVE, n, fit_); */
static void
put_have(sb_emit *cx, const sb_simt_run *r, bool fit)
{
    sb_strbuf_puts(cx->out, ", ");
    if (r->bound) {
        sb_emit_expr(cx, r->bound, 6);
        sb_strbuf_puts(cx->out, " - ");
        sb_emit_expr(cx, r->first, 7);
    } else {
        sb_strbuf_printf(cx->out, "%d", r->n);
    }
    sb_strbuf_printf(cx->out, fit ? ", %d, fit_);\n" : ", %d);\n", r->n);
}

void
sb_simt_get(sb_emit *cx, const sb_simt_run *r)
{
    const bool fit = fits(cx, r);

    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, fit ? "sbg_fill_%s(" : "sbg_get_%s(",
                     sb_dtype_name((sb_dtype)r->b->type));
    put_local(cx, r);
    sb_strbuf_puts(cx->out, ", ");
    address(cx, r->b, r->idx, fit);
    put_have(cx, r, fit);
}

void
sb_simt_put(sb_emit *cx, const sb_simt_run *r)
{
    const bool fit = fits(cx, r);

    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, fit ? "sbg_give_%s(" : "sbg_put_%s(",
                     sb_dtype_name((sb_dtype)r->b->type));
    address(cx, r->b, r->idx, false);
    sb_strbuf_puts(cx->out, ", ");
    put_local(cx, r);
    put_have(cx, r, fit);
}

/* ---- what is asked ------------------------------------------------------------------ */

/* Declares the sizes: those in conditions, and those no row is beyond. */
static bool
is_declared(const sb_emit *cx, const sb_var *v)
{
    bool asked = strcmp(v->name, "m") == 0 || strcmp(v->name, "n") == 0 ||
                 strcmp(v->name, "k") == 0;

    for (int q = 0; q < cx->simt->fit.nexpr && !asked; q++)
        asked = sb_emit_expr_has(cx->simt->fit.expr[q].is, v);
    return asked;
}

void
sb_simt_ask(sb_emit *cx)
{
    const sb_simt_fit *f = &cx->simt->fit;
    const sb_prog *p = cx->prog;

    sb_strbuf_puts(cx->out, "    int fit = 1;\n\n");
    for (int q = 0; q < p->nparam; q++)
        if (is_declared(cx, p->param[q])) {
            sb_strbuf_puts(cx->out, "    const int64_t ");
            sb_emit_var(cx, p->param[q]);
            sb_strbuf_printf(cx->out, " = args.param[%d].i;\n", q);
        }
    for (int q = 0; q < p->nparam; q++)
        if (is_declared(cx, p->param[q])) {
            sb_strbuf_puts(cx->out, "    fit &= SBG_NEAR(");
            sb_emit_var(cx, p->param[q]);
            sb_strbuf_puts(cx->out, ");\n");
        }
    for (int q = 0; q < f->nexpr; q++) {
        sb_strbuf_puts(cx->out, "    fit &= ");
        sb_emit_expr(cx, f->expr[q].is, 7);
        sb_strbuf_printf(cx->out, " %% %d == 0;\n", f->expr[q].by);
    }
    for (int q = 0; q < p->nbuf; q++)
        for (int r = 0; r < f->nbuf; r++)
            if (f->buf[r].is == p->buf[q])
                sb_strbuf_printf(cx->out,
                                 "    fit &= (uint64_t)args.buf[%d] %% %d == 0;\n", q,
                                 f->buf[r].bytes);
}
