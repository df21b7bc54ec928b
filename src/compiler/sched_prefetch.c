/*
 * prefetch $B at %p ahead 8: ask for what a later iteration will load.
 *
 *   for %p in %lo .. %hi reduce { for %c in 0 .. 32 { $acc[%c] += $B[$crd[%p], %c] } }
 *   -> for %p ... { prefetch $B[$crd[min(%p + 8, %hi - 1)], 0]
 *                   prefetch $B[$crd[min(%p + 8, %hi - 1)], 16] ; the next 64 bytes
 *                   for %c ... }
 *
 * prefetch $B at %p ahead 64 far: ... what another loop over the same list will load, too.
 *
 *   -> for %p ... { prefetch far $B[$crd[min(%p + 64, extent of $crd - 1)], 0] ...
 * into the first cache below SB_PREFETCH_FAR; below SB_PREFETCH_WHOLE the first line alone.
 *
 * prefetch_last $B at %p of %i ahead %d: ask for what the last iteration will load %d of %i later.
 *
 *   for %i in 0 .. %m { for %p in 0 .. $len[%i] reduce { ... } }
 *   -> for %i in 0 .. %m {
 *        if 0 < %d { if 0 < $len[min(%i + %d, %m - 1)] {
 *          prefetch $B[$crd[... min(%i + %d, %m - 1), $len[min(%i + %d, %m - 1)] - 1], 0] } }
 *        for %p ... }
 *
 * prefetch_list $A at %p ahead %d: ask, a line at a time, for what lies as far behind in the list as
 * the loop is long, %d elements on.
 *
 *   for %p in %lo .. %hi { ... $A[%p] ... }
 *   -> if 0 < %d { for %ask_A in 0 .. (%hi - %lo + 15) / 16 { prefetch $A[%lo + %ask_A * 16 + %d] } }
 *      for %p ...
 */
#include "base/fault.h"
#include "compiler/address.h"
#include "compiler/affine.h"
#include "compiler/depend.h"
#include "compiler/schedule.h"

#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 64, LINES_MAX = 8, LAST_LINES_MAX = 16, AHEAD_MAX = 4096 };

/* The first load of the buffer in the loop, with the loops around it. */
typedef struct search {
    const sb_buf *buf;
    const sb_expr *load;
    const sb_stmt *loop[8]; /* around it, outermost first */
    int nloop;
    const sb_expr *cond; /* the outermost condition it stands under, or NULL */
} search;

static const sb_expr *
load_in(search *f, const sb_expr *e)
{
    const sb_expr *cond = f->cond;

    if (e->kind == SB_EXPR_LOAD && e->u.buf == f->buf)
        return e;
    for (int q = 0; q < e->nargs; q++) {
        const sb_expr *l;

        if (e->kind == SB_EXPR_SELECT && q == 1 && !cond)
            f->cond = e->arg[0];
        l = load_in(f, e->arg[q]);
        if (l)
            return l;
    }
    f->cond = cond;
    return NULL;
}

static bool
find_load(search *f, sb_body b)
{
    for (int q = 0; q < b.n; q++) {
        const sb_stmt *s = b.at[q];
        const bool loop = s->kind == SB_STMT_FOR;
        sb_body in[2];
        const int n = sb_stmt_bodies(s, in);

        const sb_expr *cond = f->cond;

        if (s->kind == SB_STMT_STORE && (f->load = load_in(f, s->u.store.value)))
            return true;
        if (s->kind == SB_STMT_IF && !cond)
            f->cond = s->u.cond.cond;
        if (loop && f->nloop == 8)
            return false;
        if (loop)
            f->loop[f->nloop++] = s;
        for (int r = 0; r < n; r++) {
            if (find_load(f, in[r]))
                return true;
        }
        f->nloop -= loop;
        f->cond = cond;
    }
    return false;
}

static bool
surely_runs(const sb_stmt *loop)
{
    return loop->u.loop.lo->kind == SB_EXPR_INT &&
           loop->u.loop.hi->kind == SB_EXPR_INT &&
           loop->u.loop.lo->u.i < loop->u.loop.hi->u.i;
}

static bool
moves_inside(const search *f, const sb_expr *e)
{
    for (int q = 0; q < f->nloop; q++) {
        if (!surely_runs(f->loop[q]) && sb_expr_uses(e, f->loop[q]->u.loop.var))
            return true;
    }
    return false;
}

/* A load in an index that moves with a loop inside might have no element to read, when
 * that loop does not run at all. */
static bool
loads_inside(const search *f, const sb_expr *e)
{
    if (e->kind == SB_EXPR_LOAD && moves_inside(f, e))
        return true;
    for (int q = 0; q < e->nargs; q++) {
        if (loads_inside(f, e->arg[q]))
            return true;
    }
    return false;
}

static bool
contains(const sb_expr *e, const sb_expr *what)
{
    for (int q = 0; q < e->nargs; q++) {
        if (contains(e->arg[q], what))
            return true;
    }
    return e == what;
}

/* Does e load something that is only known to be there under the condition? What the
 * condition itself loads is: it is asked for every iteration. */
static bool
loads_under_condition(const search *f, const sb_expr *e)
{
    if (e->kind == SB_EXPR_LOAD && !contains(f->cond, e))
        return true;
    for (int q = 0; q < e->nargs; q++) {
        if (loads_under_condition(f, e->arg[q]))
            return true;
    }
    return false;
}

static bool
needs_condition(const search *f)
{
    for (int d = 0; f->cond && d < f->load->nargs; d++) {
        if (loads_under_condition(f, f->load->arg[d]))
            return true;
    }
    return false;
}

/* A divisor that may be zero where a loop inside does not run, as that loop's extent. */
static bool
divides(const sb_expr *e)
{
    if ((e->kind == SB_EXPR_DIV || e->kind == SB_EXPR_MOD) &&
        e->arg[1]->kind != SB_EXPR_INT)
        return true;
    for (int q = 0; q < e->nargs; q++) {
        if (divides(e->arg[q]))
            return true;
    }
    return false;
}

static bool
may_divide_by_zero(const search *f)
{
    bool maybe = f->cond != NULL;

    for (int q = 0; q < f->nloop; q++)
        maybe = maybe || !surely_runs(f->loop[q]);
    for (int d = 0; maybe && d < f->load->nargs; d++) {
        if (divides(f->load->arg[d]))
            return true;
    }
    return false;
}

static bool
is_parent(const sb_buf *b, const sb_axis *x)
{
    for (int d = 0; d < b->rank; d++) {
        if (b->axis[d] && b->axis[d]->parent == x)
            return true;
    }
    return false;
}

/* Flattening brings loads too: of val, and of ptr at the position of a parent. */
static bool
loads_when_flat(const search *f, int d)
{
    const sb_axis *x = f->buf->axis[d];

    return x && (sb_buf_val(f->buf) || is_parent(f->buf, x));
}

static bool
needs_inside(const search *f)
{
    for (int d = 0; d < f->load->nargs; d++) {
        const sb_expr *e = f->load->arg[d];

        if (loads_inside(f, e) || (moves_inside(f, e) && loads_when_flat(f, d)))
            return true;
    }
    return false;
}

/* Number of cache lines that the innermost loop walks along, and their distance in
 * elements: 1 when it does not walk along contiguous elements. */
static int
lines_of(const search *f, sb_ir *ir, int most, int64_t *step)
{
    const sb_stmt *inner = f->nloop ? f->loop[f->nloop - 1] : NULL;
    const int last = f->load->nargs - 1;
    const int64_t size = (int64_t)sb_dtype_size(f->buf->type);
    sb_affine a;
    bool clean;
    int64_t n;

    *step = LINE_BYTES / size;
    if (!inner || !sb_affine_of(&a, f->load->arg[last]) ||
        sb_affine_coef(&a, inner->u.loop.var, &clean) != 1 ||
        (f->buf->stride[0] && !sb_expr_is_int(f->buf->stride[last], 1)))
        return 1;
    n = sb_extent_bound(sb_loop_extent(ir, inner));
    if (n == SB_NO_BOUND || n > most * *step)
        return n == SB_NO_BOUND ? 1 : most;
    return (int)((n + *step - 1) / *step);
}

/* What is on its way there: the loop's variable and what it becomes. */
typedef struct move {
    const sb_var *var;
    const sb_expr *by;
    bool lost; /* no list that could be read beyond the loop */
} move;

/* A list may be read up to its own end if what it is read at grows with the variable. */
static const sb_expr *
move_far(sb_mapper *m, const sb_expr *e)
{
    move *mv = m->user;
    const sb_expr *last;
    sb_affine a;
    bool clean;

    if (e->kind == SB_EXPR_VAR && e->u.var == mv->var)
        return mv->by;
    if (e->kind != SB_EXPR_LOAD || !sb_expr_uses(e, mv->var))
        return e;
    if (e->nargs != 1 || !e->u.buf->extent[0] || !sb_affine_of(&a, e->arg[0]) ||
        sb_affine_coef(&a, mv->var, &clean) < 1 || !clean) {
        mv->lost = true;
        return e;
    }
    last = sb_expr_sub(m->ir, e->u.buf->extent[0],
                       sb_expr_int(m->ir, SB_FAULT(AHEAD_PAST) ? 0 : 1));
    last = sb_expr_bin(m->ir, SB_EXPR_MIN, e->arg[0], sb_expr_simplify(m->ir, last));
    return sb_expr_remake(m->ir, e, &last);
}

/* Index e, of dimension d, in a later iteration; NULL: refused, or no memory. */
static const sb_expr *
later(sb_sched *sc, const search *f, const sb_expr *e, int d, const sb_stmt *loop)
{
    sb_ir *ir = sc->ir;
    const sb_expr *by =
        sb_expr_add(ir, sb_expr_var(ir, loop->u.loop.var), sb_expr_int(ir, sc->number));
    move mv = {loop->u.loop.var, by, false};
    sb_mapper m = {ir, &mv, move_far, NULL};

    if (sc->option) {
        mv.lost = loads_when_flat(f, d) && sb_expr_uses(e, mv.var);
        e = sb_map_expr(&m, e);
    } else {
        const sb_expr *last = sb_expr_sub(ir, loop->u.loop.hi, sb_expr_int(ir, 1));

        by = sb_expr_bin(ir, SB_EXPR_MIN, by, sb_expr_simplify(ir, last));
        e = sb_expr_subst(ir, e, mv.var, by);
    }
    if (mv.lost)
        sb_sched_refuse(sc, "where $%s is read follows no list beyond %%%s",
                        sc->name[0], sc->name[1]);
    return e && !mv.lost ? sb_expr_simplify(ir, e) : NULL;
}

/* Index e, of dimension d, in the last iteration of the loop, when var[0] stands var[1] on. */
static const sb_expr *
at_end(sb_sched *sc, const sb_expr *e, const sb_stmt *loop)
{
    sb_ir *ir = sc->ir;
    const sb_expr *end = sb_expr_sub(ir, loop->u.loop.hi, sb_expr_int(ir, 1));

    e = sb_expr_subst(ir, e, loop->u.loop.var, end);
    return sb_expr_simplify(ir, sb_expr_subst(ir, e, sc->var[0], sc->at));
}

static const sb_stmt *
make_prefetch(sb_sched *sc, const search *f, const sb_stmt *loop, int64_t shift)
{
    sb_ir *ir = sc->ir;
    sb_stmt *s = sb_stmt_new(ir, SB_STMT_PREFETCH);
    const sb_expr **idx = sb_arena_array(ir->arena, f->load->nargs, sizeof *idx);

    if (!s || !idx)
        return NULL;
    for (int d = 0; d < f->load->nargs; d++) {
        idx[d] = f->load->arg[d];
        for (int q = f->nloop - 1; q >= 0; q--) {
            const sb_expr *lo = f->loop[q]->u.loop.lo;

            if (q == f->nloop - 1 && d == f->load->nargs - 1 && shift)
                lo = sb_expr_add(ir, lo, sb_expr_int(ir, shift));
            idx[d] = sb_expr_subst(ir, idx[d], f->loop[q]->u.loop.var, lo);
        }
        idx[d] = sc->at ? at_end(sc, idx[d], loop) : later(sc, f, idx[d], d, loop);
        if (!idx[d])
            return NULL;
    }
    s->u.prefetch.buf = f->buf;
    s->u.prefetch.n = f->load->nargs;
    s->u.prefetch.idx = idx;
    s->u.prefetch.far = sc->option && sc->number >= SB_PREFETCH_FAR;
    return s;
}

/* The load of the named buffer inside the loop; false: refused, it has no address. */
static bool
find_read(search *f, sb_sched *sc, const sb_stmt *loop)
{
    f->buf = sb_sched_find_buf(sc, sc->name[0]);
    if (!f->buf)
        return false;
    if (loop->u.loop.how == SB_LOOP_VECTOR)
        sb_sched_refuse(sc, "%%%s is a vector loop", loop->u.loop.var->name);
    else if (!find_load(f, sb_body_inline(sc->ir, loop->u.loop.body)))
        sb_sched_refuse(sc, "$%s is not loaded inside %%%s", sc->name[0], sc->name[1]);
    else if (needs_inside(f))
        sb_sched_refuse(sc, "where $%s is read depends on loads in a loop inside %%%s",
                        sc->name[0], sc->name[1]);
    else if (may_divide_by_zero(f))
        sb_sched_refuse(sc, "where $%s is read divides by what may be zero",
                        sc->name[0]);
    else if (needs_condition(f))
        sb_sched_refuse(sc, "where $%s is read is only known under a condition",
                        sc->name[0]);
    return sc->st == SB_OK;
}

/* The prefetches of what the loop loads, in front of nothing yet. */
static sb_body
prefetches(sb_sched *sc, const sb_stmt *loop)
{
    search f = {.load = NULL};
    int64_t step;
    sb_list l;
    int n;

    sb_list_init(&l, sc->ir);
    if (find_read(&f, sc, loop)) {
        n = lines_of(&f, sc->ir, sc->at ? LAST_LINES_MAX : LINES_MAX, &step);
        n = sc->option && sc->number < SB_PREFETCH_WHOLE ? 1 : n;
        for (int q = 0; q < n && sc->st == SB_OK; q++) {
            const sb_stmt *s = make_prefetch(sc, &f, loop, q * step);

            if (sc->st == SB_OK)
                sb_list_push(&l, s);
        }
    }
    return sb_list_body(&l);
}

static void
prefetch_loop(sb_sched *sc, sb_list *out, const sb_stmt *loop)
{
    sb_stmt *copy = sb_stmt_copy(sc->ir, loop);
    sb_list l;

    if (!copy)
        return;
    sb_list_init(&l, sc->ir);
    sb_list_append(&l, prefetches(sc, loop));
    sb_list_append(&l, loop->u.loop.body);
    copy->u.loop.body = sb_list_body(&l);
    sb_list_push(out, copy);
}

sb_status
sb_sched_prefetch(const sb_prog **out, sb_sched *sc)
{
    if (sc->number < 1 || sc->number > AHEAD_MAX)
        return sb_sched_refuse(sc, "the distance must be 1 to %d", AHEAD_MAX);
    return sb_sched_each_loop(out, sc, sc->name[1], prefetch_loop);
}

/* ---- the last iteration, of the loop around it later ----------------------------------------- */

static sb_body
only_if(sb_ir *ir, const sb_expr *lo, const sb_expr *hi, sb_body then)
{
    sb_stmt *s = sb_stmt_new(ir, SB_STMT_IF);

    if (!s)
        return then;
    s->u.cond.cond = sb_expr_bin(ir, SB_EXPR_LT, lo, hi);
    s->u.cond.then = then;
    return sb_body_one(ir, s);
}

/* In front of the loop, where it has an iteration then: what that loads is only there if some way
 * ahead is asked for at all. */
static void
ask_before(sb_sched *sc, sb_list *out, const sb_stmt *loop)
{
    sb_ir *ir = sc->ir;
    const sb_expr *lo = sb_expr_subst(ir, loop->u.loop.lo, sc->var[0], sc->at);
    const sb_expr *hi = sb_expr_subst(ir, loop->u.loop.hi, sc->var[0], sc->at);

    sb_list_append(out, only_if(ir, sb_expr_int(ir, 0), sb_expr_var(ir, sc->var[1]),
                                only_if(ir, lo, hi, prefetches(sc, loop))));
    sb_list_push(out, loop);
}

/* Whether the loop is in there; refused where what stands between would be other, or not there at
 * all, when the outer one stands elsewhere. */
static bool
stands_free(sb_sched *sc, sb_body b)
{
    bool here = false;

    for (int q = 0; q < b.n; q++) {
        const sb_stmt *s = b.at[q];
        const bool loop = s->kind == SB_STMT_FOR;
        bool inside = loop && strcmp(s->u.loop.var->name, sc->name[1]) == 0;
        sb_body in[2];
        const int n = inside ? 0 : sb_stmt_bodies(s, in);

        if (s->kind == SB_STMT_LET && sb_expr_uses(s->u.let.value, sc->var[0]))
            sc->nested = true; /* what comes behind may use it */
        for (int r = 0; r < n; r++) {
            if (!stands_free(sc, in[r]))
                continue;
            inside = true;
            if (!loop || sb_expr_uses(s->u.loop.lo, sc->var[0]) ||
                sb_expr_uses(s->u.loop.hi, sc->var[0]))
                sc->nested = true;
        }
        if (inside && sc->nested)
            sb_sched_refuse(sc, "what stands between %%%s and %%%s depends on %%%s",
                            sc->name[2], sc->name[1], sc->name[2]);
        here |= inside;
    }
    return here;
}

static bool
visit_inner(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    sb_sched *sc = m->user;

    if (s->kind != SB_STMT_FOR || strcmp(s->u.loop.var->name, sc->name[1]) != 0)
        return false;
    ask_before(sc, out, s);
    return true;
}

static void
ask_in(sb_sched *sc, sb_list *out, const sb_stmt *loop)
{
    sb_ir *ir = sc->ir;
    sb_mapper m = {ir, sc, NULL, visit_inner};
    sb_stmt *copy = sb_stmt_copy(ir, loop);
    const sb_expr *on;

    if (!copy)
        return;
    sc->var[0] = loop->u.loop.var;
    sc->nested = false;
    if (!stands_free(sc, loop->u.loop.body))
        sb_sched_refuse(sc, "there is no loop %%%s in %%%s", sc->name[1], sc->name[2]);
    if (sc->st != SB_OK)
        return;
    on = sb_expr_add(ir, sb_expr_var(ir, sc->var[0]), sb_expr_var(ir, sc->var[1]));
    sc->at = sb_expr_bin(
        ir, SB_EXPR_MIN, on,
        sb_expr_simplify(ir, sb_expr_sub(ir, loop->u.loop.hi, sb_expr_int(ir, 1))));
    copy->u.loop.body = sb_map_body(&m, loop->u.loop.body);
    sb_list_push(out, copy);
}

/* The parameter, which counts; NULL: refused. */
static const sb_var *
distance(sb_sched *sc, const char *name)
{
    for (int q = 0; q < sc->in->nparam; q++) {
        const sb_var *v = sc->in->param[q];

        if (strcmp(v->name, name) == 0 && v->type == SB_I64)
            return v;
    }
    sb_sched_refuse(sc, "%%%s is no parameter that counts", name);
    return NULL;
}

sb_status
sb_sched_prefetch_last(const sb_prog **out, sb_sched *sc)
{
    sc->var[1] = distance(sc, sc->name[3]);
    if (!sc->var[1])
        return sc->st;
    return sb_sched_each_loop(out, sc, sc->name[2], ask_in);
}

/* ---- the list itself ---------------------------------------------------------------------------- */

/* Whether the load goes along its last dimension with the variable, and along no other, not with a
 * loop inside either, and nothing else is read to know where. */
static bool
goes_along(const search *f, const sb_var *v)
{
    const int last = f->load->nargs - 1;
    sb_affine a;
    bool clean = false;

    for (int d = 0; d <= last; d++) {
        if (d < last && sb_expr_uses(f->load->arg[d], v))
            return false;
        for (int q = 0; q < f->nloop; q++) {
            if (sb_expr_uses(f->load->arg[d], f->loop[q]->u.loop.var))
                return false;
        }
    }
    return !loads_when_flat(f, last) && sb_affine_of(&a, f->load->arg[last]) &&
           sb_affine_coef(&a, v, &clean) == 1 && clean;
}

static void
ask_list(sb_sched *sc, sb_list *out, const sb_stmt *loop)
{
    sb_ir *ir = sc->ir;
    const sb_expr *lo = loop->u.loop.lo, *hi = loop->u.loop.hi, *at, *n;
    sb_stmt *s = sb_stmt_new(ir, SB_STMT_PREFETCH);
    search f = {.load = NULL};
    const sb_expr **idx;
    const sb_stmt *each;
    const sb_var *z;
    char name[64];
    int64_t line;

    (void)snprintf(name, sizeof name, "ask_%s", sc->name[0]);
    z = sb_sched_new_var(sc, name);
    if (!z || !s || !find_read(&f, sc, loop))
        return;
    idx = sb_arena_array(ir->arena, f.load->nargs, sizeof *idx);
    if (!idx)
        return;
    if (!goes_along(&f, loop->u.loop.var)) {
        sb_sched_refuse(sc, "$%s does not lie along %%%s", sc->name[0], sc->name[1]);
        return;
    }
    line = LINE_BYTES / (int64_t)sb_dtype_size(f.buf->type);
    at =
        sb_expr_add(ir, lo, sb_expr_mul(ir, sb_expr_var(ir, z), sb_expr_int(ir, line)));
    at = sb_expr_add(ir, at, sb_expr_var(ir, sc->var[1]));
    for (int d = 0; d < f.load->nargs; d++)
        idx[d] = sb_expr_simplify(
            ir, sb_expr_subst(ir, f.load->arg[d], loop->u.loop.var, at));
    s->u.prefetch.buf = f.buf;
    s->u.prefetch.n = f.load->nargs;
    s->u.prefetch.idx = idx;
    n = sb_expr_add(ir, sb_expr_sub(ir, hi, lo), sb_expr_int(ir, line - 1));
    n = sb_expr_bin(ir, SB_EXPR_DIV, n, sb_expr_int(ir, line));
    each = sb_stmt_for(ir, z, sb_expr_int(ir, 0), sb_expr_simplify(ir, n), false,
                       sb_body_one(ir, s));
    sb_list_append(out, only_if(ir, sb_expr_int(ir, 0), sb_expr_var(ir, sc->var[1]),
                                sb_body_one(ir, each)));
    sb_list_push(out, loop);
}

sb_status
sb_sched_prefetch_list(const sb_prog **out, sb_sched *sc)
{
    sc->var[1] = distance(sc, sc->name[2]);
    return sc->var[1] ? sb_sched_each_loop(out, sc, sc->name[1], ask_list) : sc->st;
}
