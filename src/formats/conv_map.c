/*
 * Index maps as operators (UniSparse, figure 8, step 1). A map is taken apart backwards:
 * as long as an operator can have been the last one, its inverse is applied, until the
 * levels are the dimensions themselves. Read backwards, that is the way from dimensions
 * to levels; read forwards with inverse operators, the way back. Levels are linear forms
 * over atoms (dimensions, quotients, remainders, answers of functions), so affine parts
 * are Gaussian elimination as in the paper, but also inside of quotients.
 *
 * A map that does not come apart (a level said twice) is evaluated level by level (Map).
 */
#include "formats/conv.h"

#include "base/checked.h"
#include "formats/fmt_expr.h"

#include <string.h>

enum { ATOMS = 32, ROUNDS = 64 };

typedef struct form {
    int64_t k, c[ATOMS];
} form;

typedef struct atom {
    sb_fmt_op op;
    int64_t value; /* dimension, function, or divisor of z */
    form z;
} atom;

/* An operator between columns: column numbers do not change with their places. */
typedef struct step {
    sb_conv_kind kind;
    int a, b;
    int64_t f;
} step;

typedef struct apart {
    int natom, ncol, nstep;
    atom atom[ATOMS];
    form col[SB_FMT_LEVELS];
    bool gone[SB_FMT_LEVELS];
    step step[ROUNDS + 1];
    bool fits; /* false: too many atoms, or numbers too large */
} apart;

/* ---- Forms --------------------------------------------------------------------------
 */

static void
add_form(apart *x, form *to, const form *from, int64_t f)
{
    int64_t v;

    for (int q = 0; q < ATOMS; q++)
        x->fits &= sb_mul_i64(from->c[q], f, &v) && sb_add_i64(to->c[q], v, &to->c[q]);
    x->fits &= sb_mul_i64(from->k, f, &v) && sb_add_i64(to->k, v, &to->k);
}

static int
atom_of(apart *x, sb_fmt_op op, int64_t value, const form *z)
{
    for (int q = 0; q < x->natom; q++)
        if (x->atom[q].op == op && x->atom[q].value == value &&
            (!z || memcmp(&x->atom[q].z, z, sizeof *z) == 0))
            return q;
    if (x->natom == ATOMS) {
        x->fits = false;
        return 0;
    }
    x->atom[x->natom] = (atom){.op = op, .value = value};
    if (z)
        x->atom[x->natom].z = *z;
    return x->natom++;
}

static bool
is_constant(const form *z)
{
    for (int q = 0; q < ATOMS; q++)
        if (z->c[q] != 0)
            return false;
    return true;
}

static form
form_of(apart *x, const sb_fmt_expr *e)
{
    form out = {0}, a, b;

    switch (e->op) {
    case SB_FMT_CONST:
        out.k = e->value;
        break;
    case SB_FMT_DIM:
    case SB_FMT_INDIRECT:
        out.c[atom_of(x, e->op, e->value, NULL)] = 1;
        break;
    case SB_FMT_ADD:
    case SB_FMT_SUB:
        out = form_of(x, e->a);
        b = form_of(x, e->b);
        add_form(x, &out, &b, e->op == SB_FMT_ADD ? 1 : -1);
        break;
    case SB_FMT_MUL:
        a = form_of(x, e->a);
        b = form_of(x, e->b);
        x->fits &= is_constant(&a) || is_constant(&b);
        add_form(x, &out, is_constant(&a) ? &b : &a, is_constant(&a) ? a.k : b.k);
        break;
    case SB_FMT_DIV:
    case SB_FMT_MOD:
        a = form_of(x, e->a);
        b = form_of(x, e->b);
        x->fits &= is_constant(&b);
        out.c[atom_of(x, e->op, b.k, &a)] = 1;
        break;
    }
    return out;
}

/* The only atom of a form and its factor, or -1. */
static int
single(const form *z, int64_t *factor)
{
    int found = -1;

    for (int q = 0; q < ATOMS; q++)
        if (z->c[q] != 0) {
            if (found >= 0)
                return -1;
            found = q;
            *factor = z->c[q];
        }
    return found;
}

/* The atom that column p is, or -1. */
static int
unit(const apart *x, int p)
{
    int64_t factor = 0;
    const int q = x->gone[p] ? -1 : single(&x->col[p], &factor);

    return q >= 0 && factor == 1 && x->col[p].k == 0 ? q : -1;
}

/* ---- Taking apart -------------------------------------------------------------------
 */

static bool
note(apart *x, sb_conv_kind kind, int a, int b, int64_t f)
{
    x->step[x->nstep++] = (step){kind, a, b, f};
    return true;
}

static bool
unscale(apart *x)
{
    int64_t f;

    for (int p = 0; p < x->ncol; p++) {
        form *z = &x->col[p];

        if (x->gone[p] || single(z, &f) < 0)
            continue;
        if (z->k != 0) {
            note(x, SB_CONV_SHIFT, p, 0, z->k);
            z->k = 0;
            return true;
        }
        if (f != 1) {
            z->c[single(z, &f)] = 1;
            return note(x, SB_CONV_SCALE, p, 0, f);
        }
    }
    return false;
}

static bool
unskew(apart *x)
{
    for (int p = 0; p < x->ncol; p++)
        for (int q = 0; q < x->ncol && !x->gone[p] && unit(x, p) < 0; q++) {
            const int a = q == p ? -1 : unit(x, q);

            if (a >= 0 && x->col[p].c[a] != 0) {
                const int64_t f = x->col[p].c[a];

                x->col[p].c[a] = 0;
                return note(x, SB_CONV_SKEW, q, p, f);
            }
        }
    return false;
}

/* From the back, where TileSplit leaves remainders. */
static bool
untile(apart *x)
{
    for (int q = x->ncol - 1; q >= 0; q--) {
        const int r = unit(x, q);

        for (int p = 0; p < x->ncol && r >= 0 && x->atom[r].op == SB_FMT_MOD; p++) {
            const int d = unit(x, p);

            if (d < 0 || x->atom[d].op != SB_FMT_DIV ||
                x->atom[d].value != x->atom[r].value ||
                memcmp(&x->atom[d].z, &x->atom[r].z, sizeof(form)) != 0)
                continue;
            x->col[p] = x->atom[d].z;
            x->gone[q] = true;
            return note(x, SB_CONV_TILE_SPLIT, p, q, x->atom[d].value);
        }
    }
    return false;
}

static int64_t
size_of(int64_t v)
{
    return v < 0 ? -v : v;
}

/* One step of Euclid's algorithm on two levels that share an atom. */
static bool
eliminate(apart *x)
{
    for (int a = 0; a < x->natom; a++)
        for (int p = x->ncol - 1; p >= 0; p--)
            for (int q = 0; q < x->ncol; q++) {
                const int64_t f = x->col[p].c[a], g = x->col[q].c[a];

                if (p == q || x->gone[p] || x->gone[q] || unit(x, p) >= 0 || g == 0 ||
                    size_of(f) < size_of(g))
                    continue;
                add_form(x, &x->col[p], &x->col[q], -(f / g));
                return note(x, SB_CONV_SKEW, q, p, f / g);
            }
    return false;
}

static void
take_apart(apart *x)
{
    while (x->fits && x->nstep < ROUNDS &&
           (unscale(x) || unskew(x) || untile(x) || eliminate(x)))
        ;
}

/* First column that is the atom, or -1. */
static int
column_of(const apart *x, sb_fmt_op op, int64_t value)
{
    for (int p = 0; p < x->ncol; p++) {
        const int q = unit(x, p);

        if (q >= 0 && x->atom[q].op == op && x->atom[q].value == value)
            return p;
    }
    return -1;
}

/* ---- Plans --------------------------------------------------------------------------
 */

/* Columns in their places. */
typedef struct order {
    int n, at[SB_TREE_LEVELS];
} order;

static int
place(const order *o, int column)
{
    int p = 0;

    while (p < o->n && o->at[p] != column)
        p++;
    return p;
}

static void
insert(order *o, int at, int column)
{
    memmove(&o->at[at + 1], &o->at[at], (size_t)(o->n++ - at) * sizeof o->at[0]);
    o->at[at] = column;
}

static void
erase(order *o, int at)
{
    memmove(&o->at[at], &o->at[at + 1], (size_t)(--o->n - at) * sizeof o->at[0]);
}

static void
emit(sb_conv_plan *p, sb_conv_kind kind, int64_t a, int64_t b, int64_t c)
{
    p->op[p->n++] = (sb_conv_op){.kind = kind, .arg = {a, b, c}};
}

/* Puts column want[k] at place k. */
static void
emit_swaps(sb_conv_plan *p, order *o, const int *want)
{
    for (int k = 0; k < o->n; k++) {
        const int from = place(o, want[k]);

        if (from == k)
            continue;
        emit(p, SB_CONV_SWAP, k, from, 0);
        o->at[from] = o->at[k];
        o->at[k] = want[k];
    }
}

/* Operator `s` from dimensions to levels. */
static void
emit_forward(sb_conv_plan *p, order *o, const step *s)
{
    const int a = place(o, s->a);

    if (s->kind == SB_CONV_SKEW)
        emit(p, s->kind, a, place(o, s->b), s->f);
    else
        emit(p, s->kind, a, s->f, 0);
    if (s->kind == SB_CONV_TILE_SPLIT)
        o->at[o->n++] = s->b;
}

static void
emit_inverse(sb_conv_plan *p, order *o, const step *s)
{
    const int a = place(o, s->a), last = o->n - 1;

    if (s->kind == SB_CONV_SKEW) {
        emit(p, s->kind, a, place(o, s->b), -s->f);
    } else if (s->kind == SB_CONV_SCALE) {
        emit(p, s->kind, a, s->f, 1);
    } else if (s->kind == SB_CONV_SHIFT) {
        emit(p, s->kind, a, -s->f, 0);
    } else {
        const int b = place(o, s->b);

        if (b != last) {
            emit(p, SB_CONV_SWAP, b, last, 0);
            o->at[b] = o->at[last];
            o->at[last] = s->b;
        }
        emit(p, SB_CONV_TILE_UNION, place(o, s->a), s->f, 0);
        o->n--;
    }
}

/* Every function's column after the dimensions, every level by its expression. */
static void
levels_by_map(sb_conv_plan *p, const sb_fmt *f)
{
    memset(p, 0, sizeof *p);
    for (int k = 0; k < f->nfn; k++) {
        p->fn[p->nfn] = k;
        p->fn_level[p->nfn++] = f->ndim + k;
    }
    for (int q = 0; q < f->nlevel; q++) {
        emit(p, SB_CONV_MAP, q, 0, 0);
        p->op[p->n - 1].expr = f->level[q];
        p->op[p->n - 1].ndim = f->ndim;
    }
    for (int q = 0; q < f->ndim + f->nfn; q++)
        emit(p, SB_CONV_DROP, 0, 0, 0);
}

/* Whether the map came apart into each dimension and function once. */
static bool
came_apart(const apart *x, const sb_fmt *f)
{
    for (int d = 0; d < f->ndim; d++)
        if (column_of(x, SB_FMT_DIM, d) < 0)
            return false;
    for (int p = 0; p < x->ncol; p++) {
        const int q = unit(x, p);

        if (!x->gone[p] &&
            (q < 0 || column_of(x, x->atom[q].op, x->atom[q].value) != p ||
             (x->atom[q].op != SB_FMT_DIM && x->atom[q].op != SB_FMT_INDIRECT)))
            return false;
    }
    return x->fits;
}

void
sb_conv_plan_levels(sb_conv_plan *p, const sb_fmt *f)
{
    apart x = {.ncol = f->nlevel, .fits = true};
    order o = {0};
    int want[SB_FMT_LEVELS];

    for (int q = 0; q < f->nlevel; q++) {
        want[q] = q;
        x.col[q] = form_of(&x, f->level[q]);
    }
    take_apart(&x);
    if (!came_apart(&x, f)) {
        levels_by_map(p, f);
        return;
    }
    memset(p, 0, sizeof *p);
    for (int d = 0; d < f->ndim; d++)
        insert(&o, d, column_of(&x, SB_FMT_DIM, d));
    for (int q = 0; q < f->nlevel; q++) {
        const int a = unit(&x, q), at = q < o.n ? q : o.n;

        if (a < 0 || x.atom[a].op != SB_FMT_INDIRECT)
            continue;
        p->fn[p->nfn] = (int)x.atom[a].value;
        p->fn_level[p->nfn++] = at;
        insert(&o, at, q);
    }
    for (int k = x.nstep - 1; k >= 0; k--)
        emit_forward(p, &o, &x.step[k]);
    emit_swaps(p, &o, want);
}

sb_status
sb_conv_plan_dims(sb_conv_plan *p, sb_arena *ar, const sb_fmt *f, sb_diag *diag)
{
    const sb_fmt_expr *inverse[SB_FMT_DIMS];
    apart x = {.ncol = f->nlevel, .fits = true};
    order o = {0};
    int want[SB_TREE_LEVELS], found = 0;

    memset(p, 0, sizeof *p);
    for (int q = 0; q < f->nlevel; q++) {
        x.gone[q] = sb_fmt_expr_indirect(f->level[q]);
        if (!x.gone[q]) {
            x.col[q] = form_of(&x, f->level[q]);
            insert(&o, o.n, q);
        }
    }
    for (int q = f->nlevel - 1; q >= 0; q--)
        if (x.gone[q])
            emit(p, SB_CONV_DROP, q, 0, 0);
    take_apart(&x);
    for (int d = 0; d < f->ndim; d++) {
        want[d] = column_of(&x, SB_FMT_DIM, d);
        found += want[d] >= 0;
    }
    if (found == f->ndim && x.fits) {
        for (int k = 0; k < x.nstep; k++)
            emit_inverse(p, &o, &x.step[k]);
        for (int k = o.n - 1; k >= 0; k--) {
            bool used = false;

            for (int d = 0; d < f->ndim; d++)
                used |= want[d] == o.at[k];
            if (!used) {
                emit(p, SB_CONV_DROP, k, 0, 0);
                erase(&o, k);
            }
        }
        emit_swaps(p, &o, want);
        return SB_OK;
    }
    SB_TRY(sb_fmt_inverse(inverse, ar, f, diag));
    memset(p, 0, sizeof *p);
    for (int d = 0; d < f->ndim; d++) {
        emit(p, SB_CONV_MAP, d, 0, 0);
        p->op[p->n - 1].expr = inverse[d];
    }
    for (int q = 0; q < f->nlevel; q++)
        emit(p, SB_CONV_DROP, 0, 0, 0);
    return SB_OK;
}

/* An operator and its inverse in a row do nothing. */
static bool
undoes(const sb_conv_op *a, const sb_conv_op *b)
{
    const int64_t *p = a->arg, *q = b->arg;

    if (a->kind == SB_CONV_TILE_UNION)
        return b->kind == SB_CONV_TILE_SPLIT && p[0] == q[0] && p[1] == q[1];
    if (a->kind != b->kind || p[0] != q[0])
        return false;
    return (a->kind == SB_CONV_SWAP && p[1] == q[1]) ||
           (a->kind == SB_CONV_SKEW && p[1] == q[1] && p[2] == -q[2]) ||
           (a->kind == SB_CONV_SCALE && p[1] == q[1] && p[2] && !q[2]) ||
           (a->kind == SB_CONV_SHIFT && p[1] == -q[1]);
}

void
sb_conv_plan_cancel(sb_conv_plan *before, sb_conv_plan *after)
{
    int k = 0;

    while (after->nfn == 0 && k < after->n && before->n > 0 &&
           undoes(&before->op[before->n - 1], &after->op[k])) {
        before->n--;
        k++;
    }
    memmove(after->op, after->op + k, (size_t)(after->n - k) * sizeof after->op[0]);
    after->n -= k;
}

bool
sb_fmt_same_map(const sb_fmt *a, const sb_fmt *b)
{
    bool same = a->nlevel == b->nlevel && a->ndim == b->ndim;

    for (int q = 0; q < a->nlevel && same; q++)
        same = sb_fmt_expr_equal(a->level[q], b->level[q]) &&
               (a == b || !sb_fmt_expr_indirect(a->level[q]));
    return same && a->npart == 0 && b->npart == 0;
}
