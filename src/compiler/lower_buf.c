/*
 * Stage II -> stage III (SparseTIR 3.4.1): no axes, no blocks, every buffer one flat
 * array. Holds afterwards: rank 1 everywhere, index arithmetic explicit.
 *
 *   for %pj in 0 .. $ptr[%i + 1] - $ptr[%i] reduce {   for %pj in $ptr[%i] .. $ptr[%i + 1] reduce {
 *     $C[%i, %c] += $A[%i, %pj] * $B[%j, %c] }           $C[%i * %ldc + %c] += $A[%pj] * $B[%j * %ldb + %c] }
 *
 * Updates of 16-bit floats, which are only stored, say what they are computed in:
 *
 *   $C[%i] += %v                   $C[%i] = cast(f16, cast(f32, $C[%i]) + cast(f32, %v))
 *
 * A loop over the positions of a variable axis is moved to run over its slots (as
 * above) when that removes the start of the range from the indices.
 */
#include "compiler/address.h"
#include "compiler/affine.h"
#include "compiler/compiler.h"
#include "compiler/rewrite.h"

typedef struct flat {
    const sb_buf *from, *to;
    struct flat *next;
} flat;

typedef struct flattener {
    sb_ir *ir;
    flat *bufs;
    sb_status st;
} flattener;

static const sb_expr *
elements_of(flattener *fl, const sb_buf *b)
{
    const sb_expr *n = sb_buf_elements(fl->ir, b);

    if (!n && fl->st == SB_OK)
        fl->st = sb_ir_status(fl->ir) != SB_OK
                     ? sb_ir_status(fl->ir)
                     : sb_diag_set(fl->ir->diag, SB_EINVAL,
                                   "the size of buffer $%s is not known", b->name);
    return n;
}

/* The flat buffer of b, made at first sight; b itself when it is flat already. */
static const sb_buf *
flat_of(flattener *fl, const sb_buf *b)
{
    flat *f = fl->bufs;
    sb_buf *to;

    if (b->rank == 1 && !b->axis[0] && !b->stride[0])
        return b;
    while (f && f->from != b)
        f = f->next;
    if (f)
        return f->to;
    f = sb_arena_alloc_zero(fl->ir->arena, sizeof *f);
    to = sb_arena_alloc_zero(fl->ir->arena, sizeof *to);
    if (!f || !to) {
        fl->ir->failed = true;
        return b;
    }
    to->name = b->name;
    to->type = b->type;
    to->role = b->role;
    to->shared = b->shared;
    to->id = fl->ir->next_id++;
    to->rank = 1;
    to->extent[0] = elements_of(fl, b);
    f->from = b;
    f->to = to;
    f->next = fl->bufs;
    fl->bufs = f;
    return to;
}

/* Index of an access in the flat buffer, through val where there is one. */
static const sb_expr *
flat_index(flattener *fl, const sb_buf *b, const sb_expr *const *at)
{
    const sb_expr *off = sb_buf_offset(fl->ir, b, at);
    const sb_buf *val = sb_buf_val(b);

    if (!off) {
        if (fl->st == SB_OK)
            fl->st = sb_ir_status(fl->ir) != SB_OK
                         ? sb_ir_status(fl->ir)
                         : sb_diag_set(fl->ir->diag, SB_EINVAL,
                                       "an access to $%s has no flat address", b->name);
        return sb_expr_int(fl->ir, 0);
    }
    off = sb_expr_simplify(fl->ir, off);
    return val ? sb_load_i64(fl->ir, val, off) : off;
}

static const sb_expr *
flat_expr(sb_mapper *m, const sb_expr *e)
{
    flattener *fl = m->user;
    const sb_buf *b;
    const sb_expr *at;

    if (e->kind != SB_EXPR_LOAD)
        return e;
    b = flat_of(fl, e->u.buf);
    if (b == e->u.buf)
        return e;
    at = flat_index(fl, e->u.buf, e->arg);
    return sb_expr_load(m->ir, b, 1, &at);
}

/* ---- positions to slots ------------------------------------------------------------------ */

/* Finds the start of the range in the body: the rest beside 1 * v in some load's index. */
typedef struct range_start {
    const sb_var *v;
    sb_body body;
    sb_affine rest;
    bool found;
} range_start;

static bool binds_any(sb_body body, const sb_affine *a);

/* a without its term in v. */
static sb_affine
without(const sb_affine *a, const sb_var *v)
{
    sb_affine out = {0, a->c, {{NULL, 0}}};

    for (int q = 0; q < a->n; q++) {
        if (a->at[q].atom->kind != SB_EXPR_VAR || a->at[q].atom->u.var != v)
            out.at[out.n++] = a->at[q];
    }
    return out;
}

static void
look_at_load(range_start *r, const sb_expr *e)
{
    sb_affine a;
    bool clean, loads = false;

    for (int q = 0; q < e->nargs; q++)
        look_at_load(r, e->arg[q]);
    if (r->found || e->kind != SB_EXPR_LOAD || !sb_affine_of(&a, e->arg[0]) ||
        sb_affine_coef(&a, r->v, &clean) != 1 || !clean)
        return;
    a = without(&a, r->v);
    for (int q = 0; q < a.n; q++)
        loads = loads || sb_expr_loads(a.at[q].atom, NULL);
    if (!loads || a.c != 0 || binds_any(r->body, &a))
        return;
    r->rest = a;
    r->found = true;
}

/* Does an atom depend on something the body binds? */
static bool
binds_any(sb_body body, const sb_affine *a)
{
    for (int q = 0; q < body.n; q++) {
        sb_body in[2];
        const sb_stmt *s = body.at[q];
        const sb_var *v = s->kind == SB_STMT_LET   ? s->u.let.var
                          : s->kind == SB_STMT_FOR ? s->u.loop.var
                                                   : NULL;
        const int n = sb_stmt_bodies(s, in);

        for (int r = 0; v && r < a->n; r++) {
            if (sb_expr_uses(a->at[r].atom, v))
                return true;
        }
        for (int r = 0; r < n; r++) {
            if (binds_any(in[r], a))
                return true;
        }
    }
    return false;
}

static void
look_for_start(void *user, const sb_expr *e)
{
    look_at_load(user, e);
}

static const sb_expr *
simplify_hook(sb_mapper *m, const sb_expr *e)
{
    /* Called bottom-up on every node, so one level at a time is enough. */
    return e->type == SB_I64 ? sb_expr_simplify(m->ir, e) : e;
}

/* Does hi end in a difference that start cancels, as in ptr[i + 1] - ptr[i]? */
static bool
shortens(const sb_affine *start, const sb_expr *hi)
{
    sb_affine sum;
    int terms;

    if (!sb_affine_of(&sum, hi))
        return false;
    terms = sum.n;
    return sb_affine_add(&sum, start, 1) && sum.n < terms + start->n;
}

/* for v in 0 .. hi over positions becomes a loop over slots where that shortens it. */
static const sb_stmt *
rebase(sb_ir *ir, const sb_stmt *s)
{
    range_start r = {s->u.loop.var, s->u.loop.body, {0}, false};
    sb_mapper m = {ir, NULL, simplify_hook, NULL};
    const sb_expr *start, *v;
    sb_stmt *out;

    if (!sb_expr_is_int(s->u.loop.lo, 0) || !sb_expr_loads(s->u.loop.hi, NULL))
        return s;
    sb_body_exprs(s->u.loop.body, look_for_start, &r);
    if (!r.found)
        return s;
    start = sb_affine_expr(ir, &r.rest);
    if (!shortens(&r.rest, s->u.loop.hi))
        return s;
    v = sb_expr_var(ir, s->u.loop.var);
    out = sb_stmt_copy(ir, s);
    if (!out || !start)
        return s;
    out->u.loop.lo = start;
    out->u.loop.hi = sb_expr_simplify(ir, sb_expr_add(ir, start, s->u.loop.hi));
    out->u.loop.body = sb_map_body(&m, sb_body_subst(ir, s->u.loop.body, s->u.loop.var,
                                                     sb_expr_sub(ir, v, start)));
    return out;
}

/* ---- statements -------------------------------------------------------------------------- */

static const sb_stmt *
flat_access(sb_mapper *m, const sb_stmt *s)
{
    flattener *fl = m->user;
    const bool store = s->kind == SB_STMT_STORE;
    const sb_buf *b = store ? s->u.store.buf : s->u.prefetch.buf;
    const sb_buf *to = flat_of(fl, b);
    const sb_stmt *t = sb_map_parts(m, s);
    const sb_expr **idx = sb_arena_array(m->ir->arena, 1, sizeof *idx);
    sb_stmt *out;

    if (!t || !idx || to == b)
        return t;
    out = sb_stmt_copy(m->ir, t);
    if (!out)
        return NULL;
    idx[0] = flat_index(fl, b, store ? t->u.store.idx : t->u.prefetch.idx);
    if (store) {
        out->u.store.buf = to;
        out->u.store.n = 1;
        out->u.store.idx = idx;
    } else {
        out->u.prefetch.buf = to;
        out->u.prefetch.n = 1;
        out->u.prefetch.idx = idx;
    }
    return out;
}

static const sb_stmt *
flat_store(sb_mapper *m, const sb_stmt *s)
{
    static const sb_expr_kind kind[] = {[SB_STORE_ADD] = SB_EXPR_ADD,
                                        [SB_STORE_MIN] = SB_EXPR_MIN,
                                        [SB_STORE_MAX] = SB_EXPR_MAX};
    const sb_dtype type = s->u.store.buf->type, sum = sb_dtype_sum(type);
    const sb_stmt *t = flat_access(m, s);
    const sb_expr *old;
    sb_stmt *out;

    if (!t || t->u.store.op == SB_STORE_SET || !sb_dtype_is_half(type))
        return t;
    out = sb_stmt_copy(m->ir, t);
    if (!out)
        return NULL;
    old = sb_expr_load(m->ir, t->u.store.buf, 1, t->u.store.idx);
    out->u.store.value = sb_expr_cast(
        m->ir, type,
        sb_expr_bin(m->ir, kind[t->u.store.op], sb_expr_cast(m->ir, sum, old),
                    sb_expr_cast(m->ir, sum, t->u.store.value)));
    out->u.store.op = SB_STORE_SET;
    return out;
}

static bool
flat_stmt(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    switch ((sb_stmt_kind)s->kind) {
    case SB_STMT_STORE:
        sb_list_push(out, flat_store(m, s));
        return true;
    case SB_STMT_PREFETCH:
        sb_list_push(out, flat_access(m, s));
        return true;
    case SB_STMT_LOCAL:
        sb_list_push(out, sb_stmt_local(m->ir, flat_of(m->user, s->u.local.buf)));
        return true;
    case SB_STMT_BLOCK:
        if (s->u.block.tensor)
            return false;
        sb_list_append(out, sb_map_body(m, s->u.block.body));
        return true;
    case SB_STMT_FOR:
        s = sb_map_parts(m, s);
        sb_list_push(out, s ? rebase(m->ir, s) : NULL);
        return true;
    case SB_STMT_ITER:
    case SB_STMT_LET:
    case SB_STMT_IF:
        break;
    }
    return false;
}

static sb_status
flat_params(flattener *fl, sb_prog *p)
{
    const sb_buf **to =
        sb_arena_array(fl->ir->arena, p->nbuf ? p->nbuf : 1, sizeof *to);

    if (!to)
        return SB_ENOMEM;
    for (int q = 0; q < p->nbuf; q++)
        to[q] = flat_of(fl, p->buf[q]);
    p->buf = to;
    return fl->st;
}

sb_status
sb_pass_lower_buf(const sb_prog **out, sb_ir *ir, const sb_prog *in)
{
    flattener fl = {ir, NULL, SB_OK};
    sb_mapper m = {ir, &fl, flat_expr, flat_stmt};
    sb_prog *p;
    sb_status st;

    *out = NULL;
    if (in->stage != 2)
        return sb_diag_set(ir->diag, SB_EINVAL, "lower_buf takes stage 2, not stage %d",
                           in->stage);
    if (!(p = sb_prog_copy(ir, in)))
        return SB_ENOMEM;
    if ((st = flat_params(&fl, p)) != SB_OK)
        return st;
    p->stage = 3;
    p->naxis = 0;
    p->axis = NULL;
    p->body = sb_map_body(&m, in->body);
    if (fl.st != SB_OK)
        return fl.st;
    if (sb_ir_status(ir) == SB_OK)
        *out = p;
    return sb_ir_status(ir);
}
