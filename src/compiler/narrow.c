/*
 * Stage III -> stage III: i64 lets become i32 where interval arithmetic over the
 * program's assumptions proves that no value is lost; 32-bit indices make gathers of
 * vector code half as wide.
 *
 *   let %j = cast(i64, $crd[%p])        let %j = $crd[%p]
 *   ... $x[%j] ...                  ->  ... $x[cast(i64, %j)] ...
 *
 * Holds afterwards: the same values everywhere; only lets and their uses changed.
 */
#include "compiler/compiler.h"
#include "compiler/rewrite.h"

typedef struct range {
    int64_t lo, hi;
} range;

/* What is known of a variable; a stack, innermost last. */
typedef struct known {
    const sb_var *v;
    range r;
} known;

enum { KNOWN_MAX = 256 };

typedef struct narrower {
    sb_ir *ir;
    known at[KNOWN_MAX];
    int n;
} narrower;

static const range all64 = {INT64_MIN, INT64_MAX};
static const range all32 = {INT32_MIN, INT32_MAX};

static bool
fits32(range r)
{
    return r.lo >= INT32_MIN && r.hi <= INT32_MAX;
}

static range
of_type(uint8_t t)
{
    const range i8 = {INT8_MIN, INT8_MAX}, i16 = {INT16_MIN, INT16_MAX}, bit = {0, 1};

    return t == SB_I32    ? all32
           : t == SB_I16  ? i16
           : t == SB_I8   ? i8
           : t == SB_BOOL ? bit
                          : all64;
}

static range
of_var(const narrower *nw, const sb_var *v)
{
    for (int q = nw->n - 1; q >= 0; q--) {
        if (nw->at[q].v == v)
            return nw->at[q].r;
    }
    return of_type((uint8_t)v->type);
}

static void
know(narrower *nw, const sb_var *v, range r)
{
    if (nw->n == KNOWN_MAX)
        return;
    nw->at[nw->n].v = v;
    nw->at[nw->n++].r = r;
}

static range
hull(const int64_t *v, int n)
{
    range r = {v[0], v[0]};

    for (int q = 1; q < n; q++) {
        r.lo = v[q] < r.lo ? v[q] : r.lo;
        r.hi = v[q] > r.hi ? v[q] : r.hi;
    }
    return r;
}

static range
product(range a, range b, range whole)
{
    int64_t v[4];

    if (__builtin_mul_overflow(a.lo, b.lo, &v[0]) ||
        __builtin_mul_overflow(a.lo, b.hi, &v[1]) ||
        __builtin_mul_overflow(a.hi, b.lo, &v[2]) ||
        __builtin_mul_overflow(a.hi, b.hi, &v[3]))
        return whole;
    return hull(v, 4);
}

static int64_t
floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && a < 0);
}

static range range_of(const narrower *nw, const sb_expr *e);

static range
of_binary(const narrower *nw, const sb_expr *e)
{
    const range whole = of_type(e->type);
    const range a = range_of(nw, e->arg[0]), b = range_of(nw, e->arg[1]);
    range r = whole;

    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_ADD:
        if (__builtin_add_overflow(a.lo, b.lo, &r.lo) ||
            __builtin_add_overflow(a.hi, b.hi, &r.hi))
            return whole;
        return r;
    case SB_EXPR_SUB:
        if (__builtin_sub_overflow(a.lo, b.hi, &r.lo) ||
            __builtin_sub_overflow(a.hi, b.lo, &r.hi))
            return whole;
        return r;
    case SB_EXPR_MUL:
        return product(a, b, whole);
    case SB_EXPR_DIV:
        if (b.lo != b.hi || b.lo <= 0)
            return whole;
        r.lo = floor_div(a.lo, b.lo);
        r.hi = floor_div(a.hi, b.lo);
        return r;
    case SB_EXPR_MOD:
        if (b.hi <= 0)
            return whole;
        r.lo = 0;
        r.hi = b.hi - 1;
        return r;
    case SB_EXPR_MIN:
        r.lo = a.lo < b.lo ? a.lo : b.lo;
        r.hi = a.hi < b.hi ? a.hi : b.hi;
        return r;
    case SB_EXPR_MAX:
        r.lo = a.lo > b.lo ? a.lo : b.lo;
        r.hi = a.hi > b.hi ? a.hi : b.hi;
        return r;
    default:
        return whole;
    }
}

static range
range_of(const narrower *nw, const sb_expr *e)
{
    range r = of_type(e->type), a;

    if (!sb_dtype_is_int((sb_dtype)e->type))
        return all64;
    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_INT:
        r.lo = r.hi = e->u.i;
        return r;
    case SB_EXPR_VAR:
        return of_var(nw, e->u.var);
    case SB_EXPR_CAST:
        a = range_of(nw, e->arg[0]);
        return sb_dtype_is_int((sb_dtype)e->arg[0]->type) && a.lo >= r.lo &&
                       a.hi <= r.hi
                   ? a
                   : r;
    default:
        break;
    }
    if (e->nargs == 2)
        r = of_binary(nw, e);
    /* Past the type's range an operation wraps, so nothing is known. */
    a = of_type(e->type);
    return r.lo < a.lo || r.hi > a.hi ? a : r;
}

/* ---- facts --------------------------------------------------------------------------------- */

static void
note_bound(narrower *nw, const sb_var *v, sb_expr_kind k, int64_t c)
{
    range r = of_var(nw, v);

    if ((k == SB_EXPR_LT || k == SB_EXPR_LE || k == SB_EXPR_EQ) &&
        (k != SB_EXPR_LT || c > INT64_MIN) && r.hi > c - (k == SB_EXPR_LT))
        r.hi = c - (k == SB_EXPR_LT);
    if ((k == SB_EXPR_GT || k == SB_EXPR_GE || k == SB_EXPR_EQ) &&
        (k != SB_EXPR_GT || c < INT64_MAX) && r.lo < c + (k == SB_EXPR_GT))
        r.lo = c + (k == SB_EXPR_GT);
    know(nw, v, r);
}

static void
note_fact(narrower *nw, const sb_expr *e)
{
    static const struct {
        sb_expr_kind k, mirror;
    } flip[] = {{SB_EXPR_LT, SB_EXPR_GT},
                {SB_EXPR_LE, SB_EXPR_GE},
                {SB_EXPR_GT, SB_EXPR_LT},
                {SB_EXPR_GE, SB_EXPR_LE},
                {SB_EXPR_EQ, SB_EXPR_EQ}};

    if (e->kind == SB_EXPR_AND) {
        note_fact(nw, e->arg[0]);
        note_fact(nw, e->arg[1]);
        return;
    }
    for (int q = 0; q < SB_COUNT(flip); q++) {
        if (e->kind != flip[q].k)
            continue;
        if (e->arg[0]->kind == SB_EXPR_VAR && e->arg[1]->kind == SB_EXPR_INT)
            note_bound(nw, e->arg[0]->u.var, flip[q].k, e->arg[1]->u.i);
        else if (e->arg[1]->kind == SB_EXPR_VAR && e->arg[0]->kind == SB_EXPR_INT)
            note_bound(nw, e->arg[1]->u.var, flip[q].mirror, e->arg[0]->u.i);
    }
}

/* ---- narrowing ------------------------------------------------------------------------------- */

static bool
has_narrow_load(const sb_expr *e)
{
    if (e->kind == SB_EXPR_LOAD)
        return e->type == SB_I32;
    for (int q = 0; q < e->nargs; q++) {
        if (has_narrow_load(e->arg[q]))
            return true;
    }
    return false;
}

/* e, whose range fits, computed in i32. */
static const sb_expr *
narrow_expr(const narrower *nw, const sb_expr *e)
{
    const bool sum =
        e->kind == SB_EXPR_ADD || e->kind == SB_EXPR_SUB || e->kind == SB_EXPR_MUL;

    if (e->type == SB_I32)
        return e;
    if (e->kind == SB_EXPR_CAST && e->arg[0]->type == SB_I32)
        return e->arg[0];
    if (sum && fits32(range_of(nw, e->arg[0])) && fits32(range_of(nw, e->arg[1])))
        return sb_expr_bin(nw->ir, (sb_expr_kind)e->kind, narrow_expr(nw, e->arg[0]),
                           narrow_expr(nw, e->arg[1]));
    return sb_expr_cast(nw->ir, SB_I32, e);
}

static sb_body narrow_body(narrower *nw, sb_body b);

static const sb_stmt *
narrow_loop(narrower *nw, const sb_stmt *s)
{
    const range lo = range_of(nw, s->u.loop.lo), hi = range_of(nw, s->u.loop.hi);
    range r = {lo.lo, hi.hi > INT64_MIN ? hi.hi - 1 : hi.hi};
    sb_stmt *t = sb_stmt_copy(nw->ir, s);

    if (!t)
        return NULL;
    know(nw, s->u.loop.var, r);
    t->u.loop.body = narrow_body(nw, s->u.loop.body);
    return t;
}

static const sb_stmt *
narrow_if(narrower *nw, const sb_stmt *s)
{
    sb_stmt *t = sb_stmt_copy(nw->ir, s);

    if (!t)
        return NULL;
    t->u.cond.then = narrow_body(nw, s->u.cond.then);
    t->u.cond.els = narrow_body(nw, s->u.cond.els);
    return t;
}

/* A let whose value fits: pushes the narrow one and returns the rest of the body with
 * its uses widened. */
static sb_body
narrow_let(narrower *nw, sb_list *out, const sb_stmt *s, sb_body rest, range r)
{
    const sb_var *v = s->u.let.var;
    const sb_var *w = sb_var_new(nw->ir, v->name, SB_I32);

    sb_list_push(out, sb_stmt_let(nw->ir, w, narrow_expr(nw, s->u.let.value)));
    know(nw, w, r);
    return sb_body_subst(nw->ir, rest, v,
                         sb_expr_cast(nw->ir, SB_I64, sb_expr_var(nw->ir, w)));
}

static sb_body
narrow_body(narrower *nw, sb_body b)
{
    const int mark = nw->n;
    sb_list out;

    sb_list_init(&out, nw->ir);
    while (b.n > 0 && !nw->ir->failed) {
        const sb_stmt *s = *b.at++;

        b.n--;
        if (s->kind == SB_STMT_FOR) {
            s = narrow_loop(nw, s);
        } else if (s->kind == SB_STMT_IF) {
            s = narrow_if(nw, s);
        } else if (s->kind == SB_STMT_LET && s->u.let.var->type == SB_I64) {
            const range r = range_of(nw, s->u.let.value);

            if (fits32(r) && has_narrow_load(s->u.let.value)) {
                b = narrow_let(nw, &out, s, b, r);
                continue;
            }
            know(nw, s->u.let.var, r);
        }
        sb_list_push(&out, s);
    }
    nw->n = mark;
    return sb_list_body(&out);
}

sb_status
sb_pass_narrow(const sb_prog **out, sb_ir *ir, const sb_prog *in)
{
    narrower *nw = sb_arena_alloc_zero(ir->arena, sizeof *nw);
    sb_prog *p;

    *out = NULL;
    if (in->stage != 3)
        return sb_diag_set(ir->diag, SB_EINVAL, "narrow takes stage 3, not stage %d",
                           in->stage);
    p = sb_prog_copy(ir, in);
    if (!nw || !p)
        return SB_ENOMEM;
    nw->ir = ir;
    for (int q = 0; q < in->nassume; q++)
        note_fact(nw, in->assume[q]);
    p->body = narrow_body(nw, in->body);
    if (sb_ir_status(ir) == SB_OK)
        *out = p;
    return sb_ir_status(ir);
}
