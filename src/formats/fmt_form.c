/*
 * Linear forms over atoms, equations between them, and expressions as forms.
 */
#include "formats/fmt_form.h"

#include "base/checked.h"
#include "formats/fmt_expr.h"

#include <string.h>

void
sb_solve_give_up(sb_solve *s, sb_status st)
{
    if (s->st == SB_OK)
        s->st = st;
}

/* ---- forms ------------------------------------------------------------------------ */

static uint64_t
size_of(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

int64_t
sb_gcd(int64_t x, int64_t y)
{
    uint64_t a = size_of(x), b = size_of(y);

    while (b != 0) {
        const uint64_t r = a % b;

        a = b;
        b = r;
    }
    return a > INT64_MAX ? 1 : (int64_t)a;
}

/* Divides all numbers by what they share. */
static void
normalise(const sb_solve *s, sb_form *x)
{
    int64_t g = sb_gcd(x->k, x->den);

    for (int q = 0; q < s->natom && g != 1; q++)
        g = sb_gcd(g, x->a[q]);
    for (int q = 0; q < s->nsym && g != 1; q++)
        g = sb_gcd(g, x->s[q]);
    if (g < 2)
        return;
    for (int q = 0; q < s->natom; q++)
        x->a[q] /= g;
    for (int q = 0; q < s->nsym; q++)
        x->s[q] /= g;
    x->k /= g;
    x->den /= g;
}

/* *x = p *x + c y */
static bool
mix(int64_t *x, int64_t p, int64_t y, int64_t c)
{
    int64_t u, v;

    return sb_mul_i64(*x, p, &u) && sb_mul_i64(y, c, &v) && sb_add_i64(u, v, x) &&
           *x >= -INT64_MAX;
}

void
sb_form_add(sb_solve *s, sb_form *x, int64_t p, const sb_form *y, int64_t c)
{
    bool fits = mix(&x->k, p, y->k, c) && mix(&x->den, p, 0, 0);

    for (int q = 0; q < s->natom && fits; q++)
        fits = mix(&x->a[q], p, y->a[q], c);
    for (int q = 0; q < s->nsym && fits; q++)
        fits = mix(&x->s[q], p, y->s[q], c);
    if (!fits)
        sb_solve_give_up(s, SB_ENOTSUP);
}

void
sb_form_combine(sb_solve *s, sb_form *x, int64_t p, const sb_form *y, int64_t c)
{
    sb_form_add(s, x, p, y, c);
    normalise(s, x);
}

bool
sb_form_has_atoms(const sb_solve *s, const sb_form *x)
{
    for (int q = 0; q < s->natom; q++) {
        if (x->a[q] != 0)
            return true;
    }
    return false;
}

/* The one atom of a form that is just that, or -1. */
static int
single_atom(const sb_solve *s, const sb_form *x)
{
    int found = -1;

    for (int q = 0; q < s->natom; q++) {
        if (x->a[q] == 0)
            continue;
        if (found >= 0 || x->a[q] != 1)
            return -1;
        found = q;
    }
    return x->k == 0 ? found : -1;
}

sb_form
sb_form_atom(int q)
{
    sb_form x = {.den = 1};

    x.a[q] = 1;
    return x;
}

/* ---- equations -------------------------------------------------------------------- */

/* Takes the pivots out of a form. */
static void
reduce(sb_solve *s, sb_form *x)
{
    for (int q = 0; q < s->nrow && s->st == SB_OK; q++) {
        const int64_t c = x->a[s->pivot[q]], p = s->row[q].a[s->pivot[q]];
        const int64_t g = sb_gcd(c, p);

        if (c != 0)
            sb_form_combine(s, x, p / g, &s->row[q], -(c / g));
    }
}

void
sb_solve_equate(sb_solve *s, sb_form x)
{
    int at = -1;

    x.den = 0;
    reduce(s, &x);
    for (int q = 0; q < s->natom; q++) {
        if (x.a[q] != 0 && (at < 0 || (x.a[at] != 1 && (x.a[q] == 1 || x.a[q] == -1))))
            at = q;
    }
    if (at < 0 || s->st != SB_OK)
        return;
    if (x.a[at] < 0) {
        const sb_form none = {.den = 0};

        sb_form_combine(s, &x, -1, &none, 0);
    }
    s->pivot[s->nrow] = at;
    s->row[s->nrow] = x;
    for (int q = 0; q < s->nrow; q++) {
        const int64_t c = s->row[q].a[at], g = sb_gcd(c, x.a[at]);

        if (c != 0)
            sb_form_combine(s, &s->row[q], x.a[at] / g, &x, -(c / g));
    }
    s->nrow++;
}

bool
sb_solve_known(sb_solve *s, sb_form *x)
{
    reduce(s, x);
    return s->st == SB_OK && !sb_form_has_atoms(s, x);
}

bool
sb_solve_knows_atom(sb_solve *s, int q)
{
    sb_form x = sb_form_atom(q);

    return sb_solve_known(s, &x);
}

/* ---- from expressions to forms ---------------------------------------------------- */

static int
new_atom(sb_solve *s, int64_t bound)
{
    if (s->natom == SB_SOLVE_ATOMS) {
        sb_solve_give_up(s, SB_ENOTSUP);
        return 0;
    }
    s->bound[s->natom] = bound;
    return s->natom++;
}

/* The pair for z and f, new with its equation if need be. */
static const sb_tile_pair *
find_pair(sb_solve *s, const sb_form *z, int64_t f)
{
    sb_tile_pair *p = s->pair;
    sb_form tie = *z;

    for (; p < s->pair + s->npair; p++) {
        if (p->f == f && memcmp(&p->z, z, sizeof *z) == 0)
            return p;
    }
    if (s->npair == SB_SOLVE_PAIRS) {
        sb_solve_give_up(s, SB_ENOTSUP);
        return s->pair;
    }
    s->npair++;
    p->z = *z;
    p->f = f;
    p->atom = new_atom(s, 0);
    (void)new_atom(s, f);
    if (s->st != SB_OK)
        return s->pair;
    tie.a[p->atom] -= f;
    tie.a[p->atom + 1] -= 1;
    sb_solve_equate(s, tie);
    return p;
}

static const sb_tile_pair *
pair_of_atom(const sb_solve *s, int atom)
{
    for (int q = 0; q < s->npair; q++) {
        if (atom >= 0 && (s->pair[q].atom == atom || s->pair[q].atom + 1 == atom))
            return &s->pair[q];
    }
    return NULL;
}

/*
 * Quotient and remainder of z by f, brought to one shape so that equal things are equal
 * atoms: z = f y + rest with coefficients of rest in [0, f), and for a rest that is one
 * tile atom
 *   (x / g) / f = x / (g f)
 *   (x % g) % f = x % f            where f divides g, and x % g where g <= f
 *   (x % g) / f = x / f - (g/f) (x / g)   where f divides g, and 0 where g <= f
 */
static void
divide(sb_solve *s, const sb_form *z, int64_t f, sb_form *quotient, sb_form *rest)
{
    sb_form y = {.den = 1}, r = {.den = 1};
    const sb_tile_pair *p;
    int64_t nested;
    int atom;

    for (int q = 0; q < SB_SOLVE_ATOMS; q++) {
        y.a[q] = sb_fmt_floor_div(z->a[q], f);
        r.a[q] = sb_fmt_floor_mod(z->a[q], f);
    }
    y.k = sb_fmt_floor_div(z->k, f);
    r.k = sb_fmt_floor_mod(z->k, f);
    *quotient = y;
    *rest = r;
    if (!sb_form_has_atoms(s, &r) || s->st != SB_OK)
        return;
    atom = single_atom(s, &r);
    if (atom >= 0 && s->bound[atom] > 0 && s->bound[atom] <= f)
        return;
    p = pair_of_atom(s, atom);
    if (p && atom == p->atom && sb_mul_i64(p->f, f, &nested)) {
        const sb_form inner = p->z;

        divide(s, &inner, nested, &y, rest);
        sb_form_combine(s, quotient, 1, &y, 1);
        *rest = r;
        sb_form_add(s, rest, 1, &y, -f);
        return;
    }
    if (p && atom == p->atom + 1 && p->f % f == 0) {
        const int outer = p->atom;
        const int64_t times = p->f / f;
        const sb_form inner = p->z;

        divide(s, &inner, f, &y, rest);
        sb_form_combine(s, quotient, 1, &y, 1);
        quotient->a[outer] -= times;
        return;
    }
    p = find_pair(s, &r, f);
    quotient->a[p->atom] += 1;
    memset(rest, 0, sizeof *rest);
    rest->den = 1;
    rest->a[p->atom + 1] = 1;
}

void
sb_solve_linear(sb_solve *s, const sb_fmt_expr *e, sb_form *out)
{
    sb_form x, y;

    memset(out, 0, sizeof *out);
    out->den = 1;
    if (e->op == SB_FMT_CONST) {
        out->k = e->value;
        return;
    }
    if (e->op == SB_FMT_DIM) {
        out->a[e->value] = 1;
        return;
    }
    if (e->op == SB_FMT_INDIRECT) {
        int *atom = &s->fn_atom[e->value];
        const sb_fmt_query *answer = sb_fmt_answer(s->f, e);

        if (*atom < 0)
            *atom = new_atom(s, answer->op == SB_FMT_SCHEDULE ? answer->buckets : 0);
        out->a[*atom] = 1;
        return;
    }
    sb_solve_linear(s, e->a, &x);
    sb_solve_linear(s, e->b, &y);
    if (s->st != SB_OK)
        return;
    if (e->op == SB_FMT_DIV || e->op == SB_FMT_MOD) {
        divide(s, &x, e->b->value, e->op == SB_FMT_DIV ? out : &y,
               e->op == SB_FMT_DIV ? &y : out);
        return;
    }
    if (e->op == SB_FMT_MUL) {
        const bool right = e->b->op == SB_FMT_CONST;
        const sb_form none = {.den = 0};

        *out = right ? x : y;
        sb_form_add(s, out, right ? y.k : x.k, &none, 0);
        out->den = 1;
        return;
    }
    *out = x;
    sb_form_add(s, out, 1, &y, e->op == SB_FMT_ADD ? 1 : -1);
}
