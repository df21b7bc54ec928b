/*
 * Which vector loops become vector code and which locals live in vector registers.
 *
 * A loop qualifies if its body is lets, prefetches and stores whose index moves from
 * lane to lane. A local is an array of vectors if vector loops walk it lane by lane from
 * a multiple of the lane count, and every other access picks an element that is known
 * once constant loops are unrolled; then the C compiler keeps it in registers. Loops
 * that share such a local must agree on a class, so classes are merged until they rest.
 *
 * A masked chunk computes its missing lanes too. That is harmless when every loop over
 * the local misses the same ones; a local where it is not so is `mixed`, and stores to
 * it keep the missing lanes.
 */
#include "compiler/emit.h"
#include "compiler/tensor.h"

typedef struct scan {
    sb_emit *cx;
    int depth;
    const sb_stmt *at[SB_EMIT_DEPTH]; /* enclosing loops */
    bool changed;
    bool check; /* second walk: classes are final, check what depends on them */
} scan;

sb_emit_local *
sb_emit_find_local(const sb_emit *cx, const sb_buf *b)
{
    for (int q = 0; q < cx->nlocal; q++)
        if (cx->local[q].buf == b)
            return (sb_emit_local *)&cx->local[q];
    return NULL;
}

sb_emit_loop *
sb_emit_find_loop(const sb_emit *cx, const sb_stmt *st)
{
    for (int q = 0; q < cx->nloop; q++)
        if (cx->loop[q].st == st)
            return (sb_emit_loop *)&cx->loop[q];
    return NULL;
}

bool
sb_emit_forced_unroll(const sb_emit *cx, const sb_stmt *st)
{
    for (int q = 0; q < cx->nunroll; q++)
        if (cx->unroll[q] == st)
            return true;
    return false;
}

bool
sb_emit_const_trip(const sb_stmt *loop, int64_t *lo, int64_t *hi)
{
    const sb_expr *a = loop->u.loop.lo, *b = loop->u.loop.hi;

    if (a->kind != SB_EXPR_INT || b->kind != SB_EXPR_INT)
        return false;
    *lo = a->u.i;
    *hi = b->u.i;
    return true;
}

/* Largest power of two that divides v, at most as many as a vector has lanes. */
static int
pow2_factor(const sb_emit *cx, int64_t v)
{
    int f = 1;

    while (f < cx->width && v % (2 * f) == 0)
        f *= 2;
    return f;
}

static bool
merge(sb_emit_class *to, sb_emit_class from)
{
    const sb_emit_class was = *to;

    to->bytes = from.bytes > to->bytes ? from.bytes : to->bytes;
    to->lanes = from.lanes < to->lanes ? from.lanes : to->lanes;
    return was.bytes != to->bytes || was.lanes != to->lanes;
}

/* The loop around us that counts `v`, if its trips are few and known. */
static const sb_stmt *
counted_loop(const scan *s, const sb_var *v)
{
    int64_t lo, hi;

    for (int q = 0; q < s->depth; q++)
        if (s->at[q]->u.loop.var == v)
            return sb_emit_const_trip(s->at[q], &lo, &hi) && hi - lo <= 64 &&
                           s->at[q]->u.loop.how != SB_LOOP_VECTOR
                       ? s->at[q]
                       : NULL;
    return NULL;
}

/* True if unrolling constant loops makes e a constant; notes those loops. */
static bool
becomes_constant(scan *s, const sb_expr *e)
{
    sb_emit *cx = s->cx;

    if (e->kind == SB_EXPR_LOAD || sb_expr_is_search(e))
        return false;
    if (e->kind == SB_EXPR_VAR) {
        const sb_stmt *loop = counted_loop(s, e->u.var);

        if (!loop)
            return false;
        if (!sb_emit_forced_unroll(cx, loop)) {
            if (cx->nunroll == SB_EMIT_MAX)
                return false;
            cx->unroll[cx->nunroll++] = loop;
        }
        return true;
    }
    for (int q = 0; q < e->nargs; q++)
        if (!becomes_constant(s, e->arg[q]))
            return false;
    return true;
}

static void
note_mask(sb_emit_local *l, sb_emit_loop *loop)
{
    if (!loop->masked)
        l->mixed |= loop->global;
    else if (!l->hi)
        l->hi = loop->st->u.loop.hi;
    else
        l->mixed |= l->hi != loop->st->u.loop.hi;
    loop->global |= l->mixed;
}

/* One access to a local; may turn the local into plain memory. */
static void
access_local(scan *s, sb_emit_local *l, const sb_expr *idx, bool scalar_store)
{
    sb_emit *cx = s->cx;
    sb_emit_loop *loop = cx->cur ? sb_emit_find_loop(cx, cx->cur->st) : NULL;
    int64_t step;

    if (!l->vector) {
        if (loop)
            loop->global = true;
        return;
    }
    if (!loop || sb_emit_lane(cx, idx) == SB_LANE_UNIFORM) {
        if (!becomes_constant(s, idx) ||
            (scalar_store && sb_dtype_is_complex((sb_dtype)l->buf->type)))
            l->vector = false;
        l->mixed = true;
        return;
    }
    if (sb_emit_lane(cx, idx) == SB_LANE_VARY || !sb_emit_step(cx, idx, &step) ||
        step != 1 || loop->st->u.loop.lo->kind != SB_EXPR_INT ||
        loop->st->u.loop.lo->u.i != 0) {
        l->vector = false;
        return;
    }
    l->in_lanes = true;
    if (s->check)
        note_mask(l, loop);
    s->changed |= merge(&l->cls, loop->cls);
    s->changed |= merge(&loop->cls, l->cls);
    if (s->check && !sb_emit_multiple(cx, idx, l->cls.lanes))
        l->vector = false;
}

/* Sums of neighbours: two vectors of the local for one of the loop. */
static void
access_pair(scan *s, sb_emit_local *l)
{
    sb_emit_loop *loop = sb_emit_find_loop(s->cx, s->cx->cur->st);

    if (!l->vector)
        loop->global = true;
    else if (loop->st->u.loop.lo->kind != SB_EXPR_INT ||
             loop->st->u.loop.lo->u.i != 0 || loop->masked)
        l->vector = false;
    if (!l->vector)
        return;
    l->mixed = true;
    s->changed |= merge(&l->cls, loop->cls);
    s->changed |= merge(&loop->cls, l->cls);
}

static void
scan_expr(scan *s, const sb_expr *e)
{
    const sb_buf *pair = sb_emit_pair(s->cx, e);

    if (pair) {
        access_pair(s, sb_emit_find_local(s->cx, pair));
        return;
    }
    if (e->kind == SB_EXPR_LOAD) {
        sb_emit_local *l = sb_emit_find_local(s->cx, e->u.buf);

        if (l)
            access_local(s, l, e->arg[0], false);
        else if (s->cx->cur && sb_emit_lane(s->cx, e) != SB_LANE_UNIFORM)
            sb_emit_find_loop(s->cx, s->cx->cur->st)->global = true;
    }
    for (int q = 0; q < e->nargs; q++)
        scan_expr(s, e->arg[q]);
}

/* Only what vector code can say; see the head of this file. */
static bool
qualifies(const sb_emit *cx, sb_body body)
{
    for (int q = 0; q < body.n; q++) {
        const sb_stmt *in = body.at[q];

        if (in->kind == SB_STMT_LET || in->kind == SB_STMT_PREFETCH)
            continue;
        if (in->kind == SB_STMT_IF &&
            sb_emit_lane(cx, in->u.cond.cond) == SB_LANE_UNIFORM &&
            qualifies(cx, in->u.cond.then) && qualifies(cx, in->u.cond.els))
            continue;
        if (in->kind != SB_STMT_STORE || in->u.store.n != 1 ||
            in->u.store.buf->type == SB_BOOL ||
            in->u.store.value->type != in->u.store.buf->type ||
            sb_emit_lane(cx, in->u.store.idx[0]) != SB_LANE_LINEAR)
            return false;
    }
    return true;
}

static int
widest(const sb_emit *cx, sb_body body)
{
    int most = 4;

    for (int q = 0; q < body.n; q++) {
        const sb_stmt *in = body.at[q];
        int bytes = 0, other = 0;

        if (in->kind == SB_STMT_STORE) {
            bytes = sb_emit_vec_bytes(cx, in->u.store.value);
        } else if (in->kind == SB_STMT_IF) {
            bytes = widest(cx, in->u.cond.then);
            other = widest(cx, in->u.cond.els);
        } else if (in->kind == SB_STMT_LET && !sb_dtype_is_int(in->u.let.var->type) &&
                   in->u.let.var->type != SB_BOOL &&
                   sb_emit_lane(cx, in->u.let.value) == SB_LANE_VARY) {
            bytes = sb_emit_vec_bytes(cx, in->u.let.value);
        }
        bytes = other > bytes ? other : bytes;
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* A condition over the whole body that does not depend on the lane is tested once. */
static void
take_guard(sb_emit_loop *loop)
{
    const sb_stmt *in = loop->body.n == 1 ? loop->body.at[0] : NULL;

    if (!in || in->kind != SB_STMT_IF || in->u.cond.els.n > 0 ||
        sb_emit_expr_has(in->u.cond.cond, loop->st->u.loop.var))
        return;
    loop->guard = in->u.cond.cond;
    loop->body = in->u.cond.then;
}

/* The one step of a tree sum: see sb_emit_loop.fold. */
static int
fold_of(const sb_stmt *st)
{
    const sb_stmt *in = st->u.loop.body.n == 1 ? st->u.loop.body.at[0] : NULL;
    const sb_expr *value, *idx, *from;
    int64_t lo, hi;

    if (!in || in->kind != SB_STMT_STORE || in->u.store.op != SB_STORE_ADD ||
        in->u.store.n != 1 || in->u.store.buf->role != SB_BUF_LOCAL ||
        !sb_emit_const_trip(st, &lo, &hi) || lo != 0 || hi < 1 || hi > 512 ||
        (hi & (hi - 1)) != 0)
        return 0;
    value = in->u.store.value;
    idx = in->u.store.idx[0];
    if (idx->kind != SB_EXPR_VAR || idx->u.var != st->u.loop.var ||
        value->kind != SB_EXPR_LOAD || value->u.buf != in->u.store.buf)
        return 0;
    from = value->arg[0];
    return from->kind == SB_EXPR_ADD && from->arg[0] == idx &&
                   from->arg[1]->kind == SB_EXPR_INT && from->arg[1]->u.i == hi
               ? (int)hi
               : 0;
}

static sb_emit_loop *
new_loop(sb_emit *cx, const sb_stmt *st)
{
    sb_emit_loop *loop;
    int64_t lo, hi;

    if (cx->nloop == SB_EMIT_MAX) {
        sb_emit_fail(cx, "too many vector loops");
        return NULL;
    }
    loop = &cx->loop[cx->nloop++];
    loop->st = st;
    loop->guard = NULL;
    loop->body = st->u.loop.body;
    take_guard(loop);
    loop->global = false;
    loop->fold = fold_of(st);
    loop->cls.bytes = 4;
    loop->cls.lanes = pow2_factor(cx, st->u.loop.lanes);
    loop->masked =
        !sb_emit_const_trip(st, &lo, &hi) || (hi - lo) % loop->cls.lanes != 0;
    if (loop->masked && loop->cls.lanes < 4) {
        loop->cls.lanes = cx->width;
        while (loop->cls.lanes >= 2 * st->u.loop.lanes)
            loop->cls.lanes /= 2;
    }
    if (loop->fold) {
        loop->vector = true;
        return loop;
    }
    sb_emit_enter(cx, loop);
    loop->vector = loop->cls.lanes > 1 && qualifies(cx, loop->body);
    loop->cls.bytes = widest(cx, loop->body);
    sb_emit_leave(cx);
    return loop;
}

static void scan_body(scan *s, sb_body body);

static void
scan_loop(scan *s, const sb_stmt *st)
{
    sb_emit *cx = s->cx;
    sb_emit_loop *loop = NULL;

    if (s->depth == SB_EMIT_DEPTH) {
        sb_emit_fail(cx, "loops nested too deeply");
        return;
    }
    scan_expr(s, st->u.loop.lo);
    scan_expr(s, st->u.loop.hi);
    if (st->u.loop.how == SB_LOOP_VECTOR && !cx->cur) {
        loop = sb_emit_find_loop(cx, st);
        loop = loop ? loop : new_loop(cx, st);
        if (loop && loop->fold) {
            sb_emit_find_local(cx, st->u.loop.body.at[0]->u.store.buf)->mixed = true;
            return;
        }
        if (loop && loop->vector)
            sb_emit_enter(cx, loop);
    }
    s->at[s->depth++] = st;
    scan_body(s, st->u.loop.body);
    s->depth--;
    if (loop && loop->vector)
        sb_emit_leave(cx);
}

static void
scan_local(scan *s, const sb_buf *b)
{
    sb_emit *cx = s->cx;
    sb_emit_local *l;

    if (sb_emit_find_local(cx, b))
        return;
    if (cx->nlocal == SB_EMIT_MAX || b->rank != 1 ||
        b->extent[0]->kind != SB_EXPR_INT) {
        sb_emit_fail(cx, "a local that is not one constant extent, or too many");
        return;
    }
    l = &cx->local[cx->nlocal++];
    l->buf = b;
    l->cls.bytes = 4;
    l->cls.lanes = pow2_factor(cx, b->extent[0]->u.i);
    l->in_lanes = l->mixed = l->owned = false;
    l->hi = NULL;
    l->vector = b->type != SB_BOOL && l->cls.lanes > 1 && !(cx->simt && b->shared);
}

static void
scan_store(scan *s, const sb_stmt *st)
{
    sb_emit_local *l = sb_emit_find_local(s->cx, st->u.store.buf);

    if (st->u.store.n != 1) {
        sb_emit_fail(s->cx, "a store with several indices: buffers must be flat");
        return;
    }
    if (st->u.store.op != SB_STORE_SET && sb_dtype_is_half(st->u.store.buf->type)) {
        sb_emit_fail(s->cx, "an update of 16-bit floats: cast to what sums them");
        return;
    }
    if (l)
        access_local(s, l, st->u.store.idx[0], !s->cx->cur);
    else if (s->cx->cur)
        sb_emit_find_loop(s->cx, s->cx->cur->st)->global = true;
    scan_expr(s, st->u.store.idx[0]);
    scan_expr(s, st->u.store.value);
}

/* Sums across lanes are read from registers and added in memory. */
static void
scan_block(scan *s, const sb_stmt *st)
{
    sb_tensor_sums sums;
    const char *why;

    if (s->cx->simt || !st->u.block.tensor ||
        !sb_tensor_match_sums(&sums, st->u.block.name, st->u.block.body, &why)) {
        scan_body(s, st->u.block.body);
        return;
    }
    sb_emit_find_local(s->cx, sums.from)->mixed = true;
    sb_emit_find_local(s->cx, sums.to)->vector = false;
}

static void
scan_body(scan *s, sb_body body)
{
    for (int q = 0; q < body.n && s->cx->st == SB_OK; q++) {
        const sb_stmt *st = body.at[q];

        switch ((sb_stmt_kind)st->kind) {
        case SB_STMT_FOR:
            scan_loop(s, st);
            break;
        case SB_STMT_LET:
            scan_expr(s, st->u.let.value);
            break;
        case SB_STMT_LOCAL:
            scan_local(s, st->u.local.buf);
            break;
        case SB_STMT_STORE:
            scan_store(s, st);
            break;
        case SB_STMT_IF:
            scan_expr(s, st->u.cond.cond);
            scan_body(s, st->u.cond.then);
            scan_body(s, st->u.cond.els);
            break;
        case SB_STMT_BLOCK:
            scan_block(s, st);
            break;
        case SB_STMT_PREFETCH:
        case SB_STMT_ITER:
            break;
        }
    }
}

void
sb_emit_scan(sb_emit *cx)
{
    scan s = {.cx = cx};

    do { /* classes only shrink in lanes and grow in bytes, so this ends */
        s.changed = false;
        scan_body(&s, cx->prog->body);
    } while (s.changed && cx->st == SB_OK);
    s.check = true;
    scan_body(&s, cx->prog->body);
    scan_body(&s, cx->prog->body); /* loops over locals that the check made memory */
    for (int q = 0; q < cx->nlocal; q++)
        cx->local[q].vector &= cx->local[q].in_lanes;
}
