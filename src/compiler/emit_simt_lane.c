/*
 * Loops bound to `lane`. Iteration x is lane x's, so a local declared inside is that lane's
 * alone. Of one from outside a lane may touch its own elements only; that is proved here
 * by looking at every iteration, and they become registers.
 */
#include "compiler/affine.h"
#include "compiler/emit_simt.h"
#include "compiler/rewrite.h"

enum { VARS_MAX = 4, WALKS_MAX = 1 << 16 };

bool
sb_simt_eval(const sb_expr *e, int n, const sb_var *const *var, const int64_t *is,
             int64_t *out)
{
    int64_t a, b;

    if (e->kind == SB_EXPR_INT) {
        *out = e->u.i;
        return true;
    }
    for (int q = 0; q < n && e->kind == SB_EXPR_VAR; q++) {
        if (e->u.var == var[q]) {
            *out = is[q];
            return true;
        }
    }
    if (e->nargs < 1 || e->nargs > 2 || !sb_dtype_is_int((sb_dtype)e->type) ||
        sb_expr_is_search(e) || e->kind == SB_EXPR_LOAD ||
        !sb_simt_eval(e->arg[0], n, var, is, &a) ||
        (e->nargs == 2 && !sb_simt_eval(e->arg[1], n, var, is, &b)))
        return false;
    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_CAST:
        *out = a;
        return true;
    case SB_EXPR_ADD:
        *out = a + b;
        return true;
    case SB_EXPR_SUB:
        *out = a - b;
        return true;
    case SB_EXPR_MUL:
        *out = a * b;
        return true;
    case SB_EXPR_DIV:
        *out = a < 0 || b < 1 ? 0 : a / b;
        return a >= 0 && b > 0;
    case SB_EXPR_MOD:
        *out = a < 0 || b < 1 ? 0 : a % b;
        return a >= 0 && b > 0;
    default:
        return false;
    }
}

bool
sb_simt_unit(const sb_expr *e, const sb_var *v)
{
    if (e->kind == SB_EXPR_VAR)
        return e->u.var == v;
    if (e->kind == SB_EXPR_CAST)
        return sb_dtype_is_int((sb_dtype)e->arg[0]->type) && sb_simt_unit(e->arg[0], v);
    if (e->kind != SB_EXPR_ADD)
        return false;
    for (int q = 0; q < 2; q++)
        if (!sb_emit_expr_has(e->arg[1 - q], v))
            return sb_simt_unit(e->arg[q], v);
    return false;
}

/* ---- whose is an element ------------------------------------------------------------ */

typedef struct walk {
    sb_emit *cx;
    int depth;
    const sb_stmt *at[SB_EMIT_DEPTH]; /* loops around */
    const sb_stmt *lane;              /* that over lanes, if any */
    bool spread; /* in a vector loop, whose lanes have the same elements */
    int inner;   /* locals of an index below: declared outside the loop over lanes */
    int nlocal;
    const sb_buf *local[SB_EMIT_MAX]; /* declared so far, those that are over as well */
} walk;

/* The loops around whose variables e has, that over lanes first; -1: something else. */
static int
loops_of(const walk *w, const sb_expr *e, const sb_stmt *found[VARS_MAX])
{
    int n = 1;

    found[0] = w->lane;
    for (int q = 0; q < w->depth; q++) {
        int64_t lo, hi;

        if (w->at[q] == w->lane || !sb_emit_expr_has(e, w->at[q]->u.loop.var))
            continue;
        if (n == VARS_MAX || !sb_emit_const_trip(w->at[q], &lo, &hi))
            return -1;
        found[n++] = w->at[q];
    }
    return n;
}

/* Does lane x, in every iteration, touch element (q / vec * lanes + x) * vec + q mod vec? */
static bool
is_own(const walk *w, const sb_expr *e)
{
    const sb_stmt *loop[VARS_MAX];
    const sb_var *var[VARS_MAX];
    const int64_t lanes = w->cx->simt->lanes, vec = w->cx->simt->vec;
    int64_t lo[VARS_MAX], hi[VARS_MAX], v[VARS_MAX], first = 0, at;
    const int n = loops_of(w, e, loop);
    int q = n;

    for (int r = 0; r < n; r++) {
        var[r] = loop[r]->u.loop.var;
        (void)sb_emit_const_trip(loop[r], &lo[r], &hi[r]);
        v[r] = lo[r];
    }
    for (int walks = 0; n > 0 && walks < WALKS_MAX; walks++) {
        for (v[0] = 0; v[0] < lanes; v[0]++) {
            if (!sb_simt_eval(e, n, var, v, &at))
                return false;
            if (v[0] == 0)
                first = at;
            if (at != first + v[0] * vec || first % (lanes * vec) >= vec)
                return false;
        }
        for (q = 1; q < n && ++v[q] >= hi[q]; q++)
            v[q] = lo[q];
        if (q >= n)
            return true;
    }
    return false;
}

static bool
from_outside(const walk *w, const sb_buf *b)
{
    for (int q = 0; q < w->inner; q++)
        if (w->local[q] == b)
            return true;
    return false;
}

static void
touch(walk *w, const sb_buf *b, const sb_expr *idx, bool stored)
{
    sb_emit_local *l = sb_emit_find_local(w->cx, b);

    if (!l)
        return;
    if (!w->lane) {
        if (l->owned && !w->spread)
            sb_emit_fail(w->cx, "an element that one lane has is used by all");
    } else if (from_outside(w, b)) {
        if (is_own(w, idx))
            l->owned = l->vector = true;
        else if (stored || l->owned || l->vector)
            sb_emit_fail(w->cx, "a lane uses what is not its own");
    }
}

static void
walk_expr(walk *w, const sb_expr *e)
{
    if (e->kind == SB_EXPR_LOAD)
        touch(w, e->u.buf, e->arg[0], false);
    for (int q = 0; q < e->nargs; q++)
        walk_expr(w, e->arg[q]);
}

static void walk_body(walk *w, sb_body body);

static void
walk_loop(walk *w, const sb_stmt *st)
{
    const bool lane = sb_simt_bound_to(st, "lane");
    const sb_emit_loop *vector = sb_emit_find_loop(w->cx, st);
    int64_t lo = 0, hi = 0;

    walk_expr(w, st->u.loop.lo);
    walk_expr(w, st->u.loop.hi);
    if (w->depth == SB_EMIT_DEPTH)
        sb_emit_fail(w->cx, "loops nested too deeply");
    else if (w->lane && (lane || st->u.loop.how == SB_LOOP_VECTOR))
        sb_emit_fail(w->cx, "lanes within a lane");
    else if (lane &&
             (!sb_emit_const_trip(st, &lo, &hi) || lo != 0 || hi != w->cx->simt->lanes))
        sb_emit_fail(w->cx, "a loop over lanes that are not those of a group");
    if (w->cx->st != SB_OK)
        return;
    if (lane) {
        w->lane = st;
        w->inner = w->nlocal;
    }
    w->spread = vector && vector->vector;
    w->at[w->depth++] = st;
    walk_body(w, st->u.loop.body);
    w->depth--;
    w->spread = false;
    if (lane)
        w->lane = NULL;
}

static void
walk_block(walk *w, const sb_stmt *st)
{
    const sb_buf *sum = NULL;
    sb_emit_local *l;

    if (!sb_simt_tensor_places(w->cx, st, &sum)) {
        walk_body(w, st->u.block.body);
        return;
    }
    l = sb_emit_find_local(w->cx, sum);
    if (w->lane || !l)
        sb_emit_fail(w->cx, "tensor cores sum into a local, all lanes together");
    else
        l->owned = l->vector = true;
}

static void
walk_body(walk *w, sb_body body)
{
    for (int q = 0; q < body.n && w->cx->st == SB_OK; q++) {
        const sb_stmt *st = body.at[q];

        switch ((sb_stmt_kind)st->kind) {
        case SB_STMT_FOR:
            walk_loop(w, st);
            break;
        case SB_STMT_LET:
            walk_expr(w, st->u.let.value);
            break;
        case SB_STMT_LOCAL:
            if (w->nlocal == SB_EMIT_MAX)
                sb_emit_fail(w->cx, "too many locals");
            else
                w->local[w->nlocal++] = st->u.local.buf;
            break;
        case SB_STMT_STORE:
            touch(w, st->u.store.buf, st->u.store.idx[0], true);
            walk_expr(w, st->u.store.idx[0]);
            walk_expr(w, st->u.store.value);
            break;
        case SB_STMT_IF:
            walk_expr(w, st->u.cond.cond);
            walk_body(w, st->u.cond.then);
            walk_body(w, st->u.cond.els);
            break;
        case SB_STMT_BLOCK:
            walk_block(w, st);
            break;
        case SB_STMT_PREFETCH:
        case SB_STMT_ITER:
            break;
        }
    }
}

void
sb_simt_lane_scan(sb_emit *cx)
{
    for (int q = 0; q < 2; q++) { /* what is found late is told to what was early */
        walk w = {.cx = cx};

        walk_body(&w, cx->prog->body);
    }
}

/* ---- text --------------------------------------------------------------------------- */

void
sb_simt_lane_loop(sb_emit *cx, const sb_stmt *st)
{
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "{\n");
    cx->indent++;
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "const %s ", sb_emit_ctype(st->u.loop.var->type));
    sb_emit_var(cx, st->u.loop.var);
    sb_strbuf_puts(cx->out, " SBK_UNUSED = x_;\n");
    cx->simt->lane = st;
    sb_emit_body(cx, st->u.loop.body);
    cx->simt->lane = NULL;
    cx->indent--;
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "}\n");
}

static const sb_expr *
at_zero(sb_emit *cx, const sb_expr *e, const sb_var *v)
{
    const sb_expr *zero = sb_expr_int_typed(cx->ir, v->type, 0);

    e = sb_expr_subst(cx->ir, e, v, zero);
    return e ? sb_expr_simplify(cx->ir, sb_expr_cast(cx->ir, SB_I64, e)) : NULL;
}

static void
put(sb_emit *cx, const sb_expr *e, int prec)
{
    if (e)
        sb_emit_expr(cx, e, prec);
    else
        cx->st = SB_ENOMEM;
}

void
sb_simt_own_element(sb_emit *cx, const sb_emit_local *l, const sb_expr *idx)
{
    const sb_emit_simt *s = cx->simt;
    const sb_expr *at = at_zero(cx, idx, s->lane->u.loop.var);
    const sb_expr *wide = sb_expr_int(cx->ir, (int64_t)s->lanes * s->vec);
    const sb_expr *vec = sb_expr_int(cx->ir, s->vec);
    const sb_expr *row = sb_expr_bin(cx->ir, SB_EXPR_DIV, at, wide);

    row = sb_expr_bin(cx->ir, SB_EXPR_MUL, row, vec);
    at = sb_expr_bin(cx->ir, SB_EXPR_ADD, row,
                     sb_expr_bin(cx->ir, SB_EXPR_MOD, at, vec));
    sb_emit_buf(cx, l->buf);
    sb_strbuf_puts(cx->out, "[");
    put(cx, at ? sb_expr_simplify(cx->ir, at) : NULL, 0);
    sb_strbuf_puts(cx->out, "]");
}

/* The store of `if e + v < bound { to[v] = .. }`, with `else { to[v] = 0 }` where a local is
 * stored to, or of a body without if. */
static const sb_stmt *
moved(const sb_stmt *st, const sb_var *v, const sb_expr **cond)
{
    const sb_stmt *in = st->u.loop.body.n == 1 ? st->u.loop.body.at[0] : NULL;
    const sb_stmt *none;

    *cond = NULL;
    if (!in || in->kind != SB_STMT_IF)
        return in && in->kind == SB_STMT_STORE ? in : NULL;
    *cond = in->u.cond.cond;
    if (in->u.cond.then.n != 1 || in->u.cond.els.n > 1 || (*cond)->kind != SB_EXPR_LT ||
        !sb_simt_unit((*cond)->arg[0], v) || sb_emit_expr_has((*cond)->arg[1], v))
        return NULL;
    none = in->u.cond.els.n ? in->u.cond.els.at[0] : NULL;
    in = in->u.cond.then.at[0];
    if (in->kind != SB_STMT_STORE || (in->u.store.buf->role == SB_BUF_LOCAL) != !!none)
        return NULL;
    if (none &&
        (none->kind != SB_STMT_STORE || none->u.store.op != SB_STORE_SET ||
         none->u.store.buf != in->u.store.buf ||
         none->u.store.idx[0] != in->u.store.idx[0] ||
         none->u.store.value->kind != SB_EXPR_FLOAT || none->u.store.value->u.f != 0))
        return NULL;
    return in;
}

/* Neighbours of b[idx] along v, under the condition that `moved` found. */
static sb_simt_run
run_of(sb_emit *cx, const sb_buf *b, const sb_expr *idx, const sb_expr *cond,
       const sb_var *v, int n)
{
    const sb_simt_run r = {.b = b,
                           .idx = at_zero(cx, idx, v),
                           .n = n,
                           .first = cond ? at_zero(cx, cond->arg[0], v) : NULL,
                           .bound = cond ? cond->arg[1] : NULL};

    if (!r.idx || (cond && !r.first))
        cx->st = SB_ENOMEM;
    return r;
}

static void
get(sb_emit *cx, const sb_stmt *in, const sb_expr *cond, const sb_var *v, int n)
{
    const sb_expr *load = in->u.store.value;
    sb_simt_run r = run_of(cx, load->u.buf, load->arg[0], cond, v, n);

    r.to = in->u.store.buf;
    r.at = at_zero(cx, in->u.store.idx[0], v);
    if (!r.at)
        cx->st = SB_ENOMEM;
    if (cx->st == SB_OK)
        sb_simt_get(cx, &r);
}

/* The values to put_[], then these. */
static void
put_all(sb_emit *cx, const sb_stmt *in, const sb_expr *cond, const sb_var *v, int n)
{
    const sb_dtype type = in->u.store.buf->type;
    sb_simt_run r = run_of(cx, in->u.store.buf, in->u.store.idx[0], cond, v, n);

    r.local = "put_";
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "{\n");
    cx->indent++;
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "%s put_[%d];\n", sb_emit_ctype(type), n);
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "SBG_UNROLL\n");
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "for (%s ", sb_emit_ctype(v->type));
    sb_emit_var(cx, v);
    sb_strbuf_puts(cx->out, " = 0; ");
    sb_emit_var(cx, v);
    sb_strbuf_printf(cx->out, " < %d; ", n);
    sb_emit_var(cx, v);
    sb_strbuf_puts(cx->out, "++)\n");
    cx->indent++;
    sb_emit_line(cx);
    if (cond) {
        sb_strbuf_puts(cx->out, "if (");
        sb_emit_expr(cx, cond, 0);
        sb_strbuf_puts(cx->out, ")\n");
        cx->indent++;
        sb_emit_line(cx);
    }
    sb_strbuf_puts(cx->out, "put_[");
    sb_emit_var(cx, v);
    sb_strbuf_puts(cx->out, "] = ");
    sb_emit_expr(cx, in->u.store.value, 0);
    sb_strbuf_puts(cx->out, ";\n");
    cx->indent -= cond ? 2 : 1;
    if (cx->st == SB_OK)
        sb_simt_put(cx, &r);
    cx->indent--;
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "}\n");
}

bool
sb_simt_move(sb_emit *cx, const sb_stmt *st)
{
    const sb_emit_simt *s = cx->simt;
    const sb_var *v = st->u.loop.var;
    const sb_emit_local *l;
    const sb_expr *cond, *value;
    const sb_stmt *in;
    const sb_buf *to;
    int64_t lo, hi;

    if (st->u.loop.how != SB_LOOP_UNROLL || !sb_emit_const_trip(st, &lo, &hi) ||
        lo != 0 || !(in = moved(st, v, &cond)))
        return false;
    value = in->u.store.value;
    to = in->u.store.buf;
    l = sb_emit_find_local(cx, to);
    if (in->u.store.op != SB_STORE_SET || in->u.store.atomic || (l && l->owned) ||
        (to->type != SB_F16 && to->type != SB_BF16 && to->type != SB_F32) ||
        !sb_simt_unit(in->u.store.idx[0], v))
        return false;
    if (l) {
        if (value->kind != SB_EXPR_LOAD || value->u.buf->type != to->type ||
            sb_emit_find_local(cx, value->u.buf) || !sb_simt_unit(value->arg[0], v))
            return false;
        get(cx, in, cond, v, (int)hi);
    } else {
        if (!s->in_block || !s->in_row || (s->column_loops && !s->in_column))
            return false;
        put_all(cx, in, cond, v, (int)hi);
    }
    return true;
}
