/*
 * The solver of fmt_solve.h: the rules, and expressions for what is known.
 */
#include "formats/fmt_solve.h"

#include "base/checked.h"
#include "base/fault.h"
#include "formats/fmt_expr.h"

#include <string.h>

/* ---- expressions of known forms --------------------------------------------------- */

static const sb_fmt_expr *
make(sb_solve *s, sb_fmt_op op, const sb_fmt_expr *a, const sb_fmt_expr *b)
{
    const sb_fmt_expr *e = a && b ? sb_fmt_expr_new(s->ar, op, 0, a, b) : NULL;

    if (!e)
        sb_solve_give_up(s, SB_ENOMEM);
    return e;
}

static const sb_fmt_expr *
constant(sb_solve *s, int64_t value)
{
    const sb_fmt_expr *e = sb_fmt_expr_new(s->ar, SB_FMT_CONST, value, NULL, NULL);

    if (!e)
        sb_solve_give_up(s, SB_ENOMEM);
    return e;
}

/* sum + c e, where sum may be NULL. */
static const sb_fmt_expr *
add_term(sb_solve *s, const sb_fmt_expr *sum, int64_t c, const sb_fmt_expr *e)
{
    const bool minus = sum && c < 0;
    const int64_t by = minus ? -c : c;

    if (by != 1)
        e = make(s, SB_FMT_MUL, e, constant(s, by));
    return sum ? make(s, minus ? SB_FMT_SUB : SB_FMT_ADD, sum, e) : e;
}

static int
count_terms(const sb_solve *s, const sb_form *x)
{
    int n = x->k != 0;

    for (int q = 0; q < s->nsym; q++)
        n += x->s[q] != 0;
    return n;
}

/* Puts x % f for x - f (x / f), and the like, wherever that leaves fewer terms. */
static void
shorten(sb_solve *s, sb_form *x)
{
    for (int q = 0; q < s->nrelation; q++) {
        const sb_form *rel = &s->relation[q];

        for (int k = 0; k < s->nsym; k++) {
            sb_form y = *x;

            if (rel->s[k] == 0 || x->s[k] % rel->s[k] != 0)
                continue;
            sb_form_add(s, &y, 1, rel, -(x->s[k] / rel->s[k]));
            if (count_terms(s, &y) < count_terms(s, x))
                *x = y;
        }
    }
}

/* The expression of a form without atoms: positive terms first. */
static const sb_fmt_expr *
express(sb_solve *s, const sb_form *form)
{
    const sb_fmt_expr *e = NULL;
    sb_form brief = *form;
    const sb_form *x = &brief;

    if (!s->ar)
        return NULL;
    shorten(s, &brief);
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int q = 0; q < s->nsym; q++) {
            if (x->s[q] * sign > 0)
                e = add_term(s, e, x->s[q], s->sym[q]);
        }
    }
    if (!e)
        e = constant(s, x->k);
    else if (x->k != 0)
        e = make(s, x->k < 0 ? SB_FMT_SUB : SB_FMT_ADD, e,
                 constant(s, x->k < 0 ? -x->k : x->k));
    return x->den == 1 ? e : make(s, SB_FMT_DIV, e, constant(s, x->den));
}

/* x (without a denominator) is a new symbol that stands for `as`. */
static void
learn(sb_solve *s, const sb_form *form, const sb_fmt_expr *as)
{
    sb_form x = *form;

    if (s->nsym == SB_SOLVE_SYMS || (s->ar && !as && !s->functions)) {
        sb_solve_give_up(s, s->nsym == SB_SOLVE_SYMS ? SB_ENOTSUP : SB_ENOMEM);
        return;
    }
    s->sym[s->nsym] = as;
    x.s[s->nsym++] = -1;
    sb_solve_equate(s, x);
}

/* Known is `sum` = f upper + lower, 0 <= lower < f: both are symbols from now on. */
static void
learn_division(sb_solve *s, const sb_form *sum, int64_t f, const sb_form *upper,
               const sb_form *lower)
{
    const sb_fmt_expr *e = s->ar ? express(s, sum) : NULL;
    const sb_fmt_expr *by = s->ar ? constant(s, f) : NULL;
    const int first = s->nsym;
    sb_form relation = *sum;

    learn(s, upper, s->ar ? make(s, SB_FMT_DIV, e, by) : NULL);
    learn(s, lower, s->ar ? make(s, SB_FMT_MOD, e, by) : NULL);
    if (s->st != SB_OK || sum->den != 1 || s->nrelation == SB_SOLVE_GIVEN)
        return;
    relation.s[first] = -f;
    relation.s[first + 1] = -1;
    relation.den = 0;
    s->relation[s->nrelation++] = relation;
}

/* ---- the rules -------------------------------------------------------------------- */

static void
apply_tiles(sb_solve *s)
{
    for (int q = 0; q < s->npair && s->st == SB_OK; q++) {
        const sb_tile_pair *p = &s->pair[q];
        const sb_form quotient = sb_form_atom(p->atom),
                      rest = sb_form_atom(p->atom + 1);
        sb_form x = p->z;

        if ((sb_solve_knows_atom(s, p->atom) && sb_solve_knows_atom(s, p->atom + 1)) ||
            !sb_solve_known(s, &x))
            continue;
        learn_division(s, &x, p->f, &quotient, &rest);
    }
}

/* Divides the atoms of x: multiples of g over g, and the others, which together lie in
 * [*lo, *lo + g). False where they do not, or where one of both is empty. */
static bool
split_radix(const sb_solve *s, const sb_form *x, int64_t g, sb_form *upper,
            sb_form *lower, int64_t *lo)
{
    int64_t least = 0, most = 0;

    *upper = *lower = (sb_form){.den = 1};
    for (int q = 0; q < s->natom; q++) {
        int64_t reach;

        if (x->a[q] % g == 0) {
            upper->a[q] = x->a[q] / g;
            continue;
        }
        lower->a[q] = x->a[q];
        if (s->bound[q] == 0 || !sb_mul_i64(x->a[q], s->bound[q] - 1, &reach) ||
            !sb_add_i64(reach < 0 ? least : most, reach, reach < 0 ? &least : &most))
            return false;
    }
    *lo = least;
    return sb_form_has_atoms(s, upper) && sb_form_has_atoms(s, lower) &&
           least > INT64_MIN / 4 && most < INT64_MAX / 4 &&
           (most - least < g || SB_FAULT(FMT_DIGIT));
}

/* x = 0 says that g upper + lower is known. */
static void
try_radix(sb_solve *s, const sb_form *x)
{
    for (int q = 0; q < s->natom && s->st == SB_OK; q++) {
        const int64_t g = x->a[q] < 0 ? -x->a[q] : x->a[q];
        sb_form upper, lower, sum = {.den = 1}, check;
        int64_t lo;

        if (g < 2 || !split_radix(s, x, g, &upper, &lower, &lo))
            continue;
        check = upper;
        if (sb_solve_known(s, &check))
            continue;
        for (int k = 0; k < s->nsym; k++)
            sum.s[k] = -x->s[k];
        if (!sb_add_i64(-x->k, -lo, &sum.k))
            continue;
        lower.k = -lo;
        learn_division(s, &sum, g, &upper, &lower);
        return;
    }
}

/* The equations as they came, known atoms taken out, and as they are now. */
static void
apply_radix(sb_solve *s)
{
    for (int q = 0; q < s->ngiven; q++) {
        sb_form x = s->given[q];

        for (int r = 0; r < s->nrow && s->st == SB_OK; r++) {
            const int64_t c = x.a[s->pivot[r]], p = s->row[r].a[s->pivot[r]];

            if (c != 0 && sb_solve_knows_atom(s, s->pivot[r]))
                sb_form_combine(s, &x, p / sb_gcd(c, p), &s->row[r],
                                -(c / sb_gcd(c, p)));
        }
        try_radix(s, &x);
    }
    for (int q = 0; q < s->nrow && s->st == SB_OK; q++) {
        const sb_form x = s->row[q];

        try_radix(s, &x);
    }
}

static bool
knows_map(sb_solve *s, const sb_fmt_map *m)
{
    for (int q = 0; q < m->n; q++) {
        if (!sb_solve_knows(s, m->e[q]))
            return false;
    }
    return true;
}

/* The unit of a query within its group: keys of traverseBy, or the subject. */
static void
unit_of(sb_fmt_map *out, sb_fmt_expr *subject, const sb_fmt_query *q)
{
    *out = q->traverse;
    if (q->dim >= 0) {
        *subject = (sb_fmt_expr){.op = SB_FMT_DIM, .value = q->dim};
        *out = (sb_fmt_map){.n = 1, .e = {subject}};
    } else if (q->op == SB_FMT_SUM) {
        out->n = 0;
    }
}

static void
apply_functions(sb_solve *s)
{
    for (int q = 0; q < s->f->nfn && s->st == SB_OK; q++) {
        const sb_fmt_fn *fn = s->f->fn[q];
        const sb_fmt_query *answer = fn->step[fn->nstep - 1];
        sb_fmt_expr subject;
        sb_fmt_map unit;
        sb_form x;

        if (s->fn_atom[q] < 0 || !knows_map(s, &answer->group))
            continue;
        unit_of(&unit, &subject, answer);
        x = sb_form_atom(s->fn_atom[q]);
        if (!sb_solve_knows_atom(s, s->fn_atom[q])) {
            if (knows_map(s, &unit))
                learn(s, &x, NULL);
        } else if (s->one_to_one[q]) {
            for (int k = 0; k < unit.n && s->st == SB_OK; k++) {
                if (sb_solve_knows(s, unit.e[k]))
                    continue;
                sb_solve_linear(s, unit.e[k], &x);
                learn(s, &x, NULL);
            }
        }
    }
}

/* ---- the interface ---------------------------------------------------------------- */

void
sb_solve_init(sb_solve *s, const sb_fmt *f, sb_arena *ar, bool functions)
{
    s->f = f;
    s->ar = ar;
    s->functions = functions;
    s->st = SB_OK;
    s->natom = f->ndim;
    s->npair = s->nsym = s->nrow = s->ngiven = s->nrelation = 0;
    memset(s->bound, 0, sizeof s->bound);
    for (int q = 0; q < SB_FMT_QUERIES; q++) {
        s->fn_atom[q] = -1;
        s->one_to_one[q] = functions && q < f->nfn && sb_fmt_fn_one_to_one(f, q);
    }
}

void
sb_solve_add(sb_solve *s, const sb_fmt_expr *e, const sb_fmt_expr *as)
{
    sb_form x;

    sb_solve_linear(s, e, &x);
    if (s->st != SB_OK || s->nsym == SB_SOLVE_SYMS || s->ngiven == SB_SOLVE_GIVEN) {
        sb_solve_give_up(s, SB_ENOTSUP);
        return;
    }
    s->sym[s->nsym] = as;
    x.s[s->nsym++] = -1;
    x.den = 0;
    s->given[s->ngiven++] = x;
    sb_solve_equate(s, x);
}

void
sb_solve_run(sb_solve *s)
{
    int before;

    do {
        before = s->nsym;
        apply_tiles(s);
        apply_radix(s);
        if (s->functions)
            apply_functions(s);
    } while (s->st == SB_OK && s->nsym > before);
}

bool
sb_solve_knows(sb_solve *s, const sb_fmt_expr *e)
{
    sb_form x;

    sb_solve_linear(s, e, &x);
    if (s->st == SB_OK && sb_solve_known(s, &x))
        return true;
    /* A quotient or remainder may be new: then its equation is new, too. */
    if (s->st == SB_OK)
        apply_tiles(s);
    sb_solve_linear(s, e, &x);
    return s->st == SB_OK && sb_solve_known(s, &x);
}

const sb_fmt_expr *
sb_solve_dim(sb_solve *s, int dim)
{
    sb_form x = sb_form_atom(dim);

    return s->st == SB_OK && sb_solve_known(s, &x) ? express(s, &x) : NULL;
}
