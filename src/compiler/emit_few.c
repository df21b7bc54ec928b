/*
 * The call of few (spblas_few.h) for a loop over a row's entries that a schedule marks with
 * the note `few`:
 *
 *   for %p in lo .. hi note(few, 8) {
 *     let %j = cast(i64, $crd[%p]) - base
 *     for %c in 0 .. 8 vector(8) { $acc[%c] += $A[%p] * $B[%j * ldb + c0 + %c] }
 *   }
 *   -> sbk_few_i32_f32x8(acc, 1, A, crd, lo, hi, nnz, B + c0, ldb, base);
 *
 * `few 16` asks for join, `few 32` for halves, `few 64` for eights, `few 128` for slim and
 * `few 256` for fours, of rows one after the other (emit_join.c); fours are of lanes that may be
 * missing as well, where it is known which (SBK_CUTS of spblas_fours.h).
 * Any other loop is written as it stands.
 */
#include "compiler/emit.h"

#include "compiler/affine.h"
#include "compiler/rewrite.h"

#include <string.h>

typedef struct few {
    const sb_emit_local *acc;
    const sb_stmt *lanes;
    const sb_expr *crd, *a, *b; /* loads */
    const sb_expr *base, *ld;
    bool cut; /* lanes are missing */
} few;

int
sb_emit_few_of(const sb_stmt *st)
{
    for (int q = 0; q < st->u.loop.nnote; q++)
        if (strcmp(st->u.loop.note[q].key, "few") == 0)
            return strcmp(st->u.loop.note[q].value, "16") == 0    ? SB_EMIT_JOIN
                   : strcmp(st->u.loop.note[q].value, "32") == 0  ? SB_EMIT_HALVES
                   : strcmp(st->u.loop.note[q].value, "64") == 0  ? SB_EMIT_EIGHTS
                   : strcmp(st->u.loop.note[q].value, "128") == 0 ? SB_EMIT_SLIM
                   : strcmp(st->u.loop.note[q].value, "256") == 0 ? SB_EMIT_FOURS
                                                                  : SB_EMIT_FEW;
    return 0;
}

int
sb_emit_few_reads(int which)
{
    return which == SB_EMIT_JOIN ? 4 : which == SB_EMIT_EIGHTS ? 8 : 0;
}

static const sb_expr *
at(sb_emit *cx, const sb_expr *e, const sb_var *v, int64_t value)
{
    return sb_expr_subst(cx->ir, e, v, sb_expr_int_typed(cx->ir, v->type, value));
}

/* a - b, NULL when out of memory. */
static const sb_expr *
minus(sb_emit *cx, const sb_expr *a, const sb_expr *b)
{
    const sb_expr *e = a && b ? sb_expr_sub(cx->ir, a, b) : NULL;

    return e ? sb_expr_simplify(cx->ir, e) : NULL;
}

/* By how much e grows with v if that is always the same; else NULL. */
static const sb_expr *
growth(sb_emit *cx, const sb_expr *e, const sb_var *v)
{
    const sb_expr *one = at(cx, e, v, 1);
    const sb_expr *first = minus(cx, one, at(cx, e, v, 0));
    const sb_expr *second = minus(cx, at(cx, e, v, 2), one);
    const sb_expr *same = minus(cx, first, second);

    return same && sb_expr_is_int(same, 0) ? first : NULL;
}

static bool
grows_by_one(sb_emit *cx, const sb_expr *e, const sb_var *v)
{
    const sb_expr *step = growth(cx, e, v);

    return step && sb_expr_is_int(step, 1);
}

/* cast(i64, $crd[..]) or that minus a base */
static bool
match_column(few *f, sb_emit *cx, const sb_expr *e)
{
    const bool less = e->kind == SB_EXPR_SUB;
    const sb_expr *load = less ? e->arg[0] : e;

    load = load->kind == SB_EXPR_CAST ? load->arg[0] : load;
    f->crd = load;
    f->base = less ? e->arg[1] : sb_expr_int_typed(cx->ir, SB_I64, 0);
    return load->kind == SB_EXPR_LOAD && load->u.buf->role != SB_BUF_LOCAL &&
           (load->type == SB_I32 || load->type == SB_I64) && load->u.buf->extent[0] &&
           e->type == SB_I64;
}

/* Whether a call takes rows of so many bytes. */
static bool
fits(const sb_emit *cx, int which, int64_t bytes)
{
    const bool halves = which >= SB_EMIT_SLIM || which == SB_EMIT_HALVES;

    if (bytes == 16 || bytes == 32)
        return which != SB_EMIT_SLIM;
    return cx->bytes == 0 &&
           ((bytes == 64 && which != SB_EMIT_FEW) || (bytes == 128 && halves));
}

/* Whether a call takes rows whose last lanes are missing. */
static bool
tailed(int which)
{
    return which == SB_EMIT_FOURS || which == SB_EMIT_EIGHTS;
}

/* Whether the sums are a call's: all lanes of some, or those that a copy knows to be there. */
static bool
match_width(few *f, sb_emit *cx, const sb_stmt *st, int which)
{
    const sb_emit_loop *l = sb_emit_find_loop(cx, st);
    const int64_t all = f->acc->buf->extent[0]->u.i;
    int64_t lo, hi, bytes;

    f->cut = cx->cut && tailed(which) && l && l->masked;
    if (f->cut)
        return st->u.loop.lo->kind == SB_EXPR_INT && st->u.loop.lo->u.i == 0 &&
               st->u.loop.lanes == all;
    if (!sb_emit_const_trip(st, &lo, &hi) || lo != 0 || hi != all)
        return false;
    bytes = hi * (int64_t)sb_dtype_size((sb_dtype)f->acc->buf->type);
    return (f->acc->cls.lanes == hi || bytes == 128) && fits(cx, which, bytes);
}

/* $acc[%c] += $A[..] * $B[..] over as many bytes of sums in registers */
static bool
match_lanes(few *f, sb_emit *cx, const sb_stmt *st, int which)
{
    const sb_stmt *in = st->u.loop.body.n == 1 ? st->u.loop.body.at[0] : NULL;
    const sb_expr *x;

    f->lanes = st;
    if (!in || in->kind != SB_STMT_STORE || in->u.store.op != SB_STORE_ADD ||
        in->u.store.n != 1)
        return false;
    x = in->u.store.value;
    f->acc = sb_emit_find_local(cx, in->u.store.buf);
    if (!f->acc || !f->acc->vector || x->kind != SB_EXPR_MUL ||
        x->arg[0]->kind != SB_EXPR_LOAD || x->arg[1]->kind != SB_EXPR_LOAD ||
        (x->type != SB_F32 && x->type != SB_F64))
        return false;
    f->a = x->arg[0];
    f->b = x->arg[1];
    return in->u.store.idx[0]->kind == SB_EXPR_VAR &&
           in->u.store.idx[0]->u.var == st->u.loop.var &&
           match_width(f, cx, st, which) && f->a->type == x->type &&
           f->b->type == x->type && f->a->u.buf->role != SB_BUF_LOCAL &&
           f->b->u.buf->role != SB_BUF_LOCAL;
}

static bool
match(few *f, sb_emit *cx, const sb_stmt *st)
{
    const sb_body body = st->u.loop.body;
    const sb_var *p = st->u.loop.var, *j, *c;
    const sb_expr *apart;

    if (body.n != 2 || body.at[0]->kind != SB_STMT_LET ||
        body.at[1]->kind != SB_STMT_FOR || body.at[1]->u.loop.how != SB_LOOP_VECTOR ||
        !match_column(f, cx, body.at[0]->u.let.value) ||
        !match_lanes(f, cx, body.at[1], sb_emit_few_of(st)))
        return false;
    j = body.at[0]->u.let.var;
    c = f->lanes->u.loop.var;
    f->ld = growth(cx, f->b->arg[0], j);
    apart = minus(cx, f->a->arg[0], f->crd->arg[0]);
    return f->ld && apart && sb_expr_is_int(apart, 0) &&
           grows_by_one(cx, f->crd->arg[0], p) && grows_by_one(cx, f->b->arg[0], c) &&
           !sb_expr_uses(f->b->arg[0], p) && !sb_expr_uses(f->base, p) &&
           !sb_expr_uses(f->ld, c);
}

static void
put(sb_emit *cx, const char *before, const sb_expr *e, int prec)
{
    e = e ? sb_expr_simplify(cx->ir, sb_expr_i64(cx->ir, e)) : NULL;
    sb_strbuf_puts(cx->out, before);
    if (e)
        sb_emit_expr(cx, e, prec);
    else
        cx->st = SB_ENOMEM;
}

bool
sb_emit_few_ends(sb_emit *cx, const sb_stmt *st, const sb_expr **lo, const sb_expr **hi)
{
    const sb_var *p = st->u.loop.var;
    few f;

    if (!match(&f, cx, st))
        return false;
    *lo = sb_expr_subst(cx->ir, f.crd->arg[0], p, st->u.loop.lo);
    *hi = sb_expr_subst(cx->ir, f.crd->arg[0], p, st->u.loop.hi);
    return *lo && *hi;
}

/* The function: without more entries behind the row, one that copies its last ones. */
static const char *
function(const sb_emit *cx, const sb_stmt *st)
{
    static const char *const names[] = {
        [SB_EMIT_FEW] = "few",       [SB_EMIT_JOIN] = "join",
        [SB_EMIT_HALVES] = "halves", [SB_EMIT_EIGHTS] = "eights",
        [SB_EMIT_SLIM] = "slim",     [SB_EMIT_FOURS] = "fours"};
    const int which = sb_emit_few_of(st);

    if (cx->joined != st && sb_emit_few_reads(which))
        return which == SB_EMIT_JOIN ? "join_end" : "eights_end";
    return names[which];
}

/* The places of the row's entries, of joined rows by name (emit_join.c). */
static void
put_ends(sb_emit *cx, const few *f, const sb_stmt *st)
{
    const sb_expr *crd = f->crd->arg[0];
    const sb_var *p = st->u.loop.var;

    if (cx->joined == st) {
        sb_strbuf_puts(cx->out, ", ");
        sb_emit_var(cx, cx->rows->u.loop.var);
        sb_strbuf_puts(cx->out, "_at_, ");
        sb_emit_var(cx, cx->rows->u.loop.var);
        sb_strbuf_puts(cx->out, "_next_");
        return;
    }
    put(cx, ", ", sb_expr_subst(cx->ir, crd, p, st->u.loop.lo), 0);
    put(cx, ", ", sb_expr_subst(cx->ir, crd, p, st->u.loop.hi), 0);
}

static void
put_vectors(sb_emit *cx, const few *f)
{
    if (f->cut) {
        sb_strbuf_puts(cx->out, ", w_");
        return;
    }
    sb_strbuf_printf(cx->out, ", %d / ", (int)f->acc->buf->extent[0]->u.i);
    sb_emit_lanes(cx, f->acc->cls);
}

/* How much there is of the last vector. */
static void
put_tail(sb_emit *cx, const few *f)
{
    if (!f->cut) {
        sb_strbuf_puts(cx->out, ", 0, 0");
        return;
    }
    sb_strbuf_puts(cx->out, ", tail_, SBK_TAIL_LANES(");
    sb_emit_expr(cx, f->lanes->u.loop.hi, 0);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_lanes(cx, f->acc->cls);
    sb_strbuf_puts(cx->out, ")");
}

bool
sb_emit_few(sb_emit *cx, const sb_stmt *st)
{
    const sb_expr *from;
    few f;

    if (!sb_emit_few_of(st) || !match(&f, cx, st))
        return false;
    from = at(cx, f.b->arg[0], f.lanes->u.loop.var, 0);
    from = from ? at(cx, from, st->u.loop.body.at[0]->u.let.var, 0) : NULL;
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "SBK_V(%s_%s_%s, ", function(cx, st),
                     sb_dtype_name((sb_dtype)f.crd->type),
                     sb_dtype_name((sb_dtype)f.a->type));
    sb_emit_lanes(cx, f.acc->cls);
    sb_strbuf_puts(cx->out, ")(");
    sb_emit_buf(cx, f.acc->buf);
    put_vectors(cx, &f);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_buf(cx, f.a->u.buf);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_buf(cx, f.crd->u.buf);
    put_ends(cx, &f, st);
    put(cx, ", ", f.crd->u.buf->extent[0], 0);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_buf(cx, f.b->u.buf);
    put(cx, " + ", from, 7);
    put(cx, ", ", f.ld, 0);
    put(cx, ", ", f.base, 0);
    if (tailed(sb_emit_few_of(st)))
        put_tail(cx, &f);
    sb_strbuf_puts(cx->out, ");\n");
    return true;
}

const sb_expr *
sb_emit_few_end(const sb_stmt *st)
{
    const sb_stmt *in = st->u.loop.body.n > 0 ? st->u.loop.body.at[0] : NULL;
    const sb_expr *e = in && in->kind == SB_STMT_LET ? in->u.let.value : NULL;

    while (e && e->kind != SB_EXPR_LOAD)
        e = e->nargs > 0 ? e->arg[0] : NULL;
    return sb_emit_few_of(st) && e ? e->u.buf->extent[0] : NULL;
}
