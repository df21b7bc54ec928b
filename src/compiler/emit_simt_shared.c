/*
 * Shared memory, filled by copies that are under way until the next wait. Arrays of one name and size are one, so that the two nests which a split
 * with a tail leaves take its room once. Waits are found by walking the program with what
 * has been stored and loaded since the last one; a loop is walked until that rests.
 *
 * A vector loop, a loop over lanes and a nest for tensor cores are one step each: a wait
 * may stand before, not within, and none of them may store what it loads.
 */
#include "compiler/emit_simt.h"
#include "compiler/rewrite.h"

#include "base/fault.h"

#include <string.h>

enum { BYTES_MAX = 48 * 1024, WALKS_MAX = 8 };

/* Arrays by bit. */
typedef struct access {
    unsigned stored, loaded;
} access;

/* ---- arrays ------------------------------------------------------------------------- */

static int
place_of(const sb_emit *cx, const sb_buf *b)
{
    const sb_emit_simt *s = cx->simt;

    for (int q = 0; q < s->nshared; q++)
        if (s->shared[q]->type == b->type && s->shared[q]->extent[0] == b->extent[0] &&
            strcmp(s->shared[q]->name, b->name) == 0)
            return q;
    return -1;
}

static void
find_array(void *user, const sb_stmt *st)
{
    sb_emit *cx = user;
    sb_emit_simt *s = cx->simt;
    const sb_buf *b = st->kind == SB_STMT_LOCAL ? st->u.local.buf : NULL;
    const int groups = s->threads / s->lanes;
    int64_t bytes;

    if (!b || !b->shared || place_of(cx, b) >= 0)
        return;
    bytes = b->extent[0]->u.i * groups * (int64_t)sb_dtype_size((sb_dtype)b->type);
    bytes = (bytes + 15) / 16 * 16;
    if (s->nshared == SB_SIMT_SHARED || bytes > BYTES_MAX - s->shared_at[s->nshared]) {
        sb_emit_fail(cx, "more shared memory than a block has");
        return;
    }
    s->shared[s->nshared] = b;
    s->shared_at[s->nshared + 1] = s->shared_at[s->nshared] + bytes;
    s->nshared++;
}

void
sb_simt_shared_arrays(sb_emit *cx)
{
    const sb_emit_simt *s = cx->simt;

    for (int q = 0; q < s->nshared; q++)
        sb_strbuf_printf(cx->out, "    SBG_SHARED(%s, shared%d_, %d, %d);\n",
                         sb_emit_ctype((sb_dtype)s->shared[q]->type), q,
                         (int)s->shared[q]->extent[0]->u.i * (s->threads / s->lanes),
                         (int)s->shared_at[q]);
}

void
sb_simt_shared_local(sb_emit *cx, const sb_buf *b)
{
    sb_strbuf_printf(cx->out, "%s *const ", sb_emit_ctype((sb_dtype)b->type));
    sb_emit_buf(cx, b);
    sb_strbuf_printf(cx->out, " = shared%d_ + y_ * %d;\n", place_of(cx, b),
                     (int)b->extent[0]->u.i);
}

/* ---- waits -------------------------------------------------------------------------- */

static void
note(const sb_emit *cx, access *a, const sb_buf *b, bool stored)
{
    const int at = b->shared ? place_of(cx, b) : -1;

    if (at >= 0 && stored)
        a->stored |= 1U << at;
    else if (at >= 0)
        a->loaded |= 1U << at;
}

static void
note_expr(const sb_emit *cx, access *a, const sb_expr *e)
{
    if (e->kind == SB_EXPR_LOAD || sb_expr_is_search(e))
        note(cx, a, e->u.buf, false);
    for (int q = 0; q < e->nargs; q++)
        note_expr(cx, a, e->arg[q]);
}

typedef struct noting {
    sb_emit *cx;
    access a;
} noting;

static void
note_stmt(void *user, const sb_stmt *st)
{
    noting *n = user;

    if (st->kind == SB_STMT_STORE) {
        note(n->cx, &n->a, st->u.store.buf, true);
        note_expr(n->cx, &n->a, st->u.store.idx[0]);
        note_expr(n->cx, &n->a, st->u.store.value);
    } else if (st->kind == SB_STMT_LET) {
        note_expr(n->cx, &n->a, st->u.let.value);
    } else if (st->kind == SB_STMT_IF) {
        note_expr(n->cx, &n->a, st->u.cond.cond);
    } else if (st->kind == SB_STMT_FOR) {
        note_expr(n->cx, &n->a, st->u.loop.lo);
        note_expr(n->cx, &n->a, st->u.loop.hi);
    }
}

static bool
waits_before(const sb_emit_simt *s, const sb_stmt *st)
{
    for (int q = 0; q < s->nsync; q++)
        if (s->sync[q] == st)
            return true;
    return false;
}

/* One step does what `a` says: a wait before, where it meets what is pending. */
static void
step(sb_emit *cx, const sb_stmt *st, access a, access *pending)
{
    sb_emit_simt *s = cx->simt;

    if (!waits_before(s, st) &&
        (((a.stored | a.loaded) & pending->stored) || (a.stored & pending->loaded))) {
        if (s->nsync == SB_SIMT_SYNCS)
            sb_emit_fail(cx, "too many waits for shared memory");
        else
            s->sync[s->nsync++] = st;
    }
    if (waits_before(s, st))
        *pending = (access){0, 0};
    pending->stored |= a.stored;
    pending->loaded |= a.loaded;
}

static void
join(access *to, access other)
{
    to->stored |= other.stored;
    to->loaded |= other.loaded;
}

static void walk(sb_emit *cx, sb_body body, access *pending);

/* Run by all lanes together, as a whole. */
static bool
at_once(const sb_emit *cx, const sb_stmt *st)
{
    const sb_emit_loop *loop = sb_emit_find_loop(cx, st);

    return (st->kind == SB_STMT_FOR &&
            ((loop && loop->vector) || sb_simt_bound_to(st, "lane"))) ||
           st->kind == SB_STMT_BLOCK;
}

/* Whether all that a condition holds is steps that store to an array each; then they are
 * in *a too. */
static bool
copies_alone(sb_emit *cx, const sb_stmt *st, access *a)
{
    access all = *a;

    for (int q = 0; q < st->u.cond.then.n; q++) {
        noting n = {cx, {0, 0}};

        sb_body_stmts(sb_body_one(cx->ir, st->u.cond.then.at[q]), note_stmt, &n);
        if (!at_once(cx, st->u.cond.then.at[q]) || n.a.loaded ||
            (n.a.stored & (all.stored | all.loaded)))
            return false;
        join(&all, n.a);
    }
    if (st->u.cond.els.n > 0)
        return false;
    *a = all;
    return true;
}

static void
walk_loop(sb_emit *cx, const sb_stmt *st, access *pending)
{
    noting bounds = {cx, {0, 0}};
    access again;

    note_expr(cx, &bounds.a, st->u.loop.lo);
    note_expr(cx, &bounds.a, st->u.loop.hi);
    sb_body_stmts(st->u.loop.body, note_stmt, &bounds);
    if (bounds.a.stored == 0) { /* once, before all of it */
        step(cx, st, bounds.a, pending);
        return;
    }
    again = bounds.a;
    bounds.a = (access){0, 0};
    note_expr(cx, &bounds.a, st->u.loop.lo);
    note_expr(cx, &bounds.a, st->u.loop.hi);
    step(cx, st, bounds.a, pending);
    join(pending, again); /* of the iteration before: the first to touch it waits */
    for (int q = 0; q < WALKS_MAX; q++) {
        access end = *pending;

        walk(cx, st->u.loop.body, &end);
        join(pending, end);
    }
}

static void
walk(sb_emit *cx, sb_body body, access *pending)
{
    for (int q = 0; q < body.n && cx->st == SB_OK; q++) {
        const sb_stmt *st = body.at[q];
        noting n = {cx, {0, 0}};
        access other;

        if (at_once(cx, st) || st->kind == SB_STMT_STORE || st->kind == SB_STMT_LET) {
            sb_body_stmts(sb_body_one(cx->ir, st), note_stmt, &n);
            if (n.a.stored & n.a.loaded)
                sb_emit_fail(cx, "lanes store to shared memory what they load");
            step(cx, st, n.a, pending);
        } else if (st->kind == SB_STMT_FOR) {
            walk_loop(cx, st, pending);
        } else if (st->kind == SB_STMT_IF) {
            note_expr(cx, &n.a, st->u.cond.cond);
            if (copies_alone(cx, st, &n.a)) { /* the wait stands before, done or not */
                step(cx, st, n.a, pending);
                continue;
            }
            step(cx, st, n.a, pending);
            other = *pending;
            walk(cx, st->u.cond.then, pending);
            walk(cx, st->u.cond.els, &other);
            join(pending, other);
        }
    }
}

bool
sb_simt_copies(const sb_stmt *st)
{
    const sb_expr *from = st->kind == SB_STMT_STORE ? st->u.store.value : NULL;

    return from && from->kind == SB_EXPR_LOAD && st->u.store.buf->shared &&
           st->u.store.op == SB_STORE_SET && from->u.buf->role != SB_BUF_LOCAL &&
           from->u.buf->type == st->u.store.buf->type &&
           sb_dtype_size((sb_dtype)from->type) >= 4;
}

/* sbg_copy4(values + i, A + at); */
void
sb_simt_copy(sb_emit *cx, const sb_stmt *st)
{
    const sb_expr *from = st->u.store.value;

    sb_strbuf_printf(cx->out, "sbg_copy%d(&", (int)sb_dtype_size((sb_dtype)from->type));
    sb_emit_element(cx, st->u.store.buf, st->u.store.idx[0]);
    sb_strbuf_puts(cx->out, ", &");
    sb_emit_element(cx, from->u.buf, from->arg[0]);
    sb_strbuf_puts(cx->out, ");\n");
}

static void
find_copies(void *user, const sb_stmt *st)
{
    sb_emit *cx = user;

    cx->simt->async |= sb_simt_copies(st);
}

void
sb_simt_shared_scan(sb_emit *cx)
{
    access pending = {0, 0};

    sb_body_stmts(cx->prog->body, find_copies, cx);

    sb_body_stmts(cx->prog->body, find_array, cx);
    if (cx->simt->nshared > 0)
        walk(cx, cx->prog->body, &pending);
}

void
sb_simt_sync(sb_emit *cx, const sb_stmt *st)
{
    if (!waits_before(cx->simt, st) || SB_FAULT(GPU_SYNC))
        return;
    if (cx->simt->async && !SB_FAULT(GPU_ASYNC)) {
        sb_emit_line(cx);
        sb_strbuf_puts(cx->out, "SBG_COPIED();\n");
    }
    sb_emit_line(cx);
    sb_strbuf_printf(cx->out, "SBG_SYNC(%d);\n", cx->simt->lanes);
}
