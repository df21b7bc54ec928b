/*
 * Sums of atoms, declared in affine.h. The form is canonical only up to the order of
 * first appearance, which keeps printed indices in the order their author wrote.
 */
#include "compiler/affine.h"

#include "compiler/rewrite.h"

const sb_expr *
sb_expr_i64(sb_ir *ir, const sb_expr *e)
{
    return e && e->type != SB_I64 ? sb_expr_cast(ir, SB_I64, e) : e;
}

const sb_expr *
sb_expr_add(sb_ir *ir, const sb_expr *a, const sb_expr *b)
{
    if (sb_expr_is_int(a, 0))
        return sb_expr_i64(ir, b);
    if (sb_expr_is_int(b, 0))
        return sb_expr_i64(ir, a);
    return sb_expr_bin(ir, SB_EXPR_ADD, sb_expr_i64(ir, a), sb_expr_i64(ir, b));
}

const sb_expr *
sb_expr_sub(sb_ir *ir, const sb_expr *a, const sb_expr *b)
{
    if (sb_expr_is_int(b, 0))
        return sb_expr_i64(ir, a);
    return sb_expr_bin(ir, SB_EXPR_SUB, sb_expr_i64(ir, a), sb_expr_i64(ir, b));
}

const sb_expr *
sb_expr_mul(sb_ir *ir, const sb_expr *a, const sb_expr *b)
{
    if (sb_expr_is_int(a, 1))
        return sb_expr_i64(ir, b);
    if (sb_expr_is_int(b, 1))
        return sb_expr_i64(ir, a);
    return sb_expr_bin(ir, SB_EXPR_MUL, sb_expr_i64(ir, a), sb_expr_i64(ir, b));
}

/* ---- the form -------------------------------------------------------------------------- */

static bool
add_term(sb_affine *a, const sb_expr *atom, int64_t coef)
{
    for (int q = 0; q < a->n; q++) {
        if (a->at[q].atom != atom)
            continue;
        if (__builtin_add_overflow(a->at[q].coef, coef, &a->at[q].coef))
            return false;
        if (a->at[q].coef == 0) {
            for (int r = q; r + 1 < a->n; r++)
                a->at[r] = a->at[r + 1];
            a->n--;
        }
        return true;
    }
    if (coef == 0)
        return true;
    if (a->n == SB_AFFINE_TERMS)
        return false;
    a->at[a->n].atom = atom;
    a->at[a->n++].coef = coef;
    return true;
}

bool
sb_affine_add(sb_affine *out, const sb_affine *b, int64_t times)
{
    int64_t c;

    if (__builtin_mul_overflow(b->c, times, &c) ||
        __builtin_add_overflow(out->c, c, &out->c))
        return false;
    for (int q = 0; q < b->n; q++) {
        if (__builtin_mul_overflow(b->at[q].coef, times, &c) ||
            !add_term(out, b->at[q].atom, c))
            return false;
    }
    return true;
}

static bool
collect(sb_affine *out, const sb_expr *e, int64_t times)
{
    int64_t c;

    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_INT:
        return !__builtin_mul_overflow(e->u.i, times, &c) &&
               !__builtin_add_overflow(out->c, c, &out->c);
    case SB_EXPR_ADD:
        return collect(out, e->arg[0], times) && collect(out, e->arg[1], times);
    case SB_EXPR_SUB:
        return !__builtin_mul_overflow(times, (int64_t)-1, &c) &&
               collect(out, e->arg[0], times) && collect(out, e->arg[1], c);
    case SB_EXPR_NEG:
        return !__builtin_mul_overflow(times, (int64_t)-1, &c) &&
               collect(out, e->arg[0], c);
    case SB_EXPR_MUL:
        for (int q = 0; q < 2; q++) {
            if (e->arg[q]->kind == SB_EXPR_INT)
                return !__builtin_mul_overflow(times, e->arg[q]->u.i, &c) &&
                       collect(out, e->arg[1 - q], c);
        }
        return add_term(out, e, times);
    default:
        return add_term(out, e, times);
    }
}

/* Sums are taken apart only in i64: in i32 the intermediate values could wrap. */
static bool
all_i64(const sb_expr *e)
{
    if (e->type != SB_I64)
        return false;
    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_ADD:
    case SB_EXPR_SUB:
    case SB_EXPR_MUL:
        return all_i64(e->arg[0]) && all_i64(e->arg[1]);
    case SB_EXPR_NEG:
        return all_i64(e->arg[0]);
    default:
        return true;
    }
}

bool
sb_affine_of(sb_affine *out, const sb_expr *e)
{
    out->n = 0;
    out->c = 0;
    return e && all_i64(e) && collect(out, e, 1);
}

static const sb_expr *
term_expr(sb_ir *ir, const sb_expr *atom, int64_t coef)
{
    return coef == 1 ? atom : sb_expr_mul(ir, atom, sb_expr_int(ir, coef));
}

const sb_expr *
sb_affine_expr(sb_ir *ir, const sb_affine *a)
{
    const sb_expr *sum = NULL;
    bool constant = false; /* c is already in the sum */

    for (int q = 0; q < a->n; q++) {
        if (a->at[q].coef > 0) {
            const sb_expr *t = term_expr(ir, a->at[q].atom, a->at[q].coef);

            sum = sum ? sb_expr_add(ir, sum, t) : t;
        }
    }
    if (!sum || a->c > 0) {
        sum = sum ? sb_expr_add(ir, sum, sb_expr_int(ir, a->c)) : sb_expr_int(ir, a->c);
        constant = true;
    }
    for (int q = 0; q < a->n; q++) {
        if (a->at[q].coef < 0)
            sum = sb_expr_sub(ir, sum, term_expr(ir, a->at[q].atom, -a->at[q].coef));
    }
    if (!constant && a->c < 0)
        sum = sb_expr_sub(ir, sum, sb_expr_int(ir, -a->c));
    return sum;
}

int64_t
sb_affine_coef(const sb_affine *a, const sb_var *v, bool *clean)
{
    int64_t coef = 0;

    *clean = true;
    for (int q = 0; q < a->n; q++) {
        if (a->at[q].atom->kind == SB_EXPR_VAR && a->at[q].atom->u.var == v)
            coef = a->at[q].coef;
        else if (sb_expr_uses(a->at[q].atom, v))
            *clean = false;
    }
    return coef;
}

/* ---- simplification --------------------------------------------------------------------- */

static int
size_of(const sb_expr *e)
{
    int n = 1;

    for (int q = 0; q < e->nargs; q++)
        n += size_of(e->arg[q]);
    return n;
}

static const sb_expr *canonical(sb_ir *ir, const sb_expr *e);

/* rest + min(x, y) as min(rest + x, rest + y) when that is shorter. */
static const sb_expr *
push_into(sb_ir *ir, const sb_affine *a, int which, const sb_expr *whole)
{
    const sb_expr *m = a->at[which].atom;
    const sb_expr *side[2], *out;
    sb_affine rest = *a;

    if (!add_term(&rest, m, -1))
        return whole;
    for (int q = 0; q < 2; q++) {
        sb_affine sum = rest, arg;

        if (!sb_affine_of(&arg, m->arg[q]) || !sb_affine_add(&sum, &arg, 1))
            return whole;
        side[q] = canonical(ir, sb_affine_expr(ir, &sum));
    }
    out = sb_expr_bin(ir, (sb_expr_kind)m->kind, side[0], side[1]);
    return out && whole && size_of(out) < size_of(whole) ? out : whole;
}

/* e with its operands simplified already. */
static const sb_expr *
canonical(sb_ir *ir, const sb_expr *e)
{
    sb_affine a;
    const sb_expr *out;

    if (!e || !sb_affine_of(&a, e))
        return e;
    out = sb_affine_expr(ir, &a);
    for (int q = 0; q < a.n && a.n > 1; q++) {
        const uint8_t k = a.at[q].atom->kind;

        if (a.at[q].coef == 1 && (k == SB_EXPR_MIN || k == SB_EXPR_MAX))
            return push_into(ir, &a, q, out);
    }
    return out;
}

/* x / d and x mod d for x = d * y + r with 0 <= r < d known by constants. */
static const sb_expr *
simplify_div(sb_ir *ir, const sb_expr *e)
{
    const sb_expr *d = e->arg[1];
    sb_affine a;

    if (d->kind != SB_EXPR_INT || d->u.i <= 0 || !sb_affine_of(&a, e->arg[0]))
        return e;
    if (a.c < 0 || a.c >= d->u.i)
        return e;
    for (int q = 0; q < a.n; q++) {
        if (a.at[q].coef % d->u.i != 0)
            return e;
        a.at[q].coef /= d->u.i;
    }
    if (e->kind == SB_EXPR_MOD)
        return sb_expr_int(ir, a.c);
    a.c = 0;
    return sb_affine_expr(ir, &a);
}

static const sb_expr *
simplify_node(sb_mapper *m, const sb_expr *e)
{
    sb_affine a, b;

    if (e->type != SB_I64)
        return e;
    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_DIV:
    case SB_EXPR_MOD:
        return simplify_div(m->ir, e);
    case SB_EXPR_MIN:
    case SB_EXPR_MAX:
        if (e->arg[0] == e->arg[1])
            return e->arg[0];
        if (sb_affine_of(&a, e->arg[0]) && sb_affine_of(&b, e->arg[1]) &&
            sb_affine_add(&a, &b, -1) && a.n == 0)
            return e->arg[(a.c > 0) == (e->kind == SB_EXPR_MIN)];
        return e;
    case SB_EXPR_ADD:
    case SB_EXPR_SUB:
    case SB_EXPR_NEG:
    case SB_EXPR_MUL:
        return canonical(m->ir, e);
    default:
        return e;
    }
}

const sb_expr *
sb_expr_simplify(sb_ir *ir, const sb_expr *e)
{
    sb_mapper m = {ir, NULL, simplify_node, NULL};

    return sb_map_expr(&m, e);
}

int64_t
sb_expr_upper(const sb_expr *e)
{
    int64_t a, b;

    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_INT:
        return e->u.i;
    case SB_EXPR_MOD:
        a = sb_expr_upper(e->arg[1]);
        return a == SB_NO_BOUND ? a : a - 1;
    case SB_EXPR_MIN:
        a = sb_expr_upper(e->arg[0]);
        b = sb_expr_upper(e->arg[1]);
        return a < b ? a : b;
    default:
        return SB_NO_BOUND;
    }
}

const sb_expr *
sb_expr_at(sb_ir *ir, const sb_expr *e, const sb_var *v, int64_t value)
{
    return e ? sb_expr_subst(ir, e, v, sb_expr_int_typed(ir, v->type, value)) : NULL;
}

const sb_expr *
sb_expr_minus(sb_ir *ir, const sb_expr *a, const sb_expr *b)
{
    const sb_expr *e = a && b ? sb_expr_sub(ir, a, b) : NULL;

    return e ? sb_expr_simplify(ir, e) : NULL;
}

bool
sb_expr_differ_by(sb_ir *ir, const sb_expr *a, const sb_expr *b, int64_t by)
{
    const sb_expr *e = sb_expr_minus(ir, a, b);

    return e && sb_expr_is_int(e, by);
}
