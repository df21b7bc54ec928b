/*
 * Expressions of index maps: values at a point and ranges over a box.
 */
#include "formats/fmt_expr.h"

#include "base/checked.h"

const sb_fmt_expr *
sb_fmt_expr_new(sb_arena *ar, sb_fmt_op op, int64_t value, const sb_fmt_expr *a,
                const sb_fmt_expr *b)
{
    const sb_fmt_expr e = {.op = op, .value = value, .a = a, .b = b};

    return sb_arena_copy(ar, &e, sizeof e);
}

bool
sb_fmt_expr_equal(const sb_fmt_expr *a, const sb_fmt_expr *b)
{
    if (a->op != b->op || a->value != b->value || a->narg != b->narg)
        return false;
    for (int q = 0; q < a->narg; q++) {
        if (!sb_fmt_expr_equal(a->arg[q], b->arg[q]))
            return false;
    }
    return !a->a || (sb_fmt_expr_equal(a->a, b->a) && sb_fmt_expr_equal(a->b, b->b));
}

bool
sb_fmt_map_equal(const sb_fmt_map *a, const sb_fmt_map *b)
{
    for (int q = 0; q < a->n && a->n == b->n; q++) {
        if (!sb_fmt_expr_equal(a->e[q], b->e[q]))
            return false;
    }
    return a->n == b->n;
}

bool
sb_fmt_expr_indirect(const sb_fmt_expr *e)
{
    return e->op == SB_FMT_INDIRECT ||
           (e->a && (sb_fmt_expr_indirect(e->a) || sb_fmt_expr_indirect(e->b)));
}

int64_t
sb_fmt_floor_div(int64_t x, int64_t f)
{
    return x / f - (x % f < 0);
}

int64_t
sb_fmt_floor_mod(int64_t x, int64_t f)
{
    return x % f + (x % f < 0 ? f : 0);
}

const sb_fmt_query *
sb_fmt_answer(const sb_fmt *f, const sb_fmt_expr *e)
{
    const sb_fmt_fn *fn = f->fn[e->value];

    return fn->step[fn->nstep - 1];
}

int64_t
sb_fmt_eval(const sb_fmt_expr *e, const int64_t *at)
{
    switch (e->op) {
    case SB_FMT_CONST:
        return e->value;
    case SB_FMT_DIM:
        return at[e->value];
    case SB_FMT_ADD:
        return sb_fmt_eval(e->a, at) + sb_fmt_eval(e->b, at);
    case SB_FMT_SUB:
        return sb_fmt_eval(e->a, at) - sb_fmt_eval(e->b, at);
    case SB_FMT_MUL:
        return sb_fmt_eval(e->a, at) * sb_fmt_eval(e->b, at);
    case SB_FMT_DIV:
        return sb_fmt_floor_div(sb_fmt_eval(e->a, at), e->b->value);
    case SB_FMT_MOD:
        return sb_fmt_floor_mod(sb_fmt_eval(e->a, at), e->b->value);
    default:
        SB_ASSERT(!"an indirect function has no value at a point");
        return 0;
    }
}

/* Smallest and largest value. `known` false: only the data says, or there is none. */
typedef struct span {
    int64_t lo, hi;
    bool known, fits;
} span;

static span
span_of_call(const sb_fmt *f, const sb_fmt_expr *e, const int64_t *extent)
{
    const sb_fmt_query *answer = sb_fmt_answer(f, e);

    if (answer->op == SB_FMT_SCHEDULE)
        return (span){0, answer->buckets - 1, true, true};
    /* Ranks of all indices of a dimension are a permutation of them. */
    if (answer->op == SB_FMT_REORDER && answer->group.n == 0)
        return (span){0, extent[answer->dim] - 1, extent[answer->dim] > 0, true};
    return (span){0, 0, false, true};
}

static span
span_of(const sb_fmt *f, const sb_fmt_expr *e, const int64_t *extent)
{
    span x, y;

    if (e->op == SB_FMT_CONST)
        return (span){e->value, e->value, true, true};
    if (e->op == SB_FMT_DIM)
        return (span){0, extent[e->value] - 1, extent[e->value] > 0, true};
    if (e->op == SB_FMT_INDIRECT)
        return span_of_call(f, e, extent);
    x = span_of(f, e->a, extent);
    y = span_of(f, e->b, extent);
    /* Every remainder is kept, so that tiles all have the same shape. */
    if (e->op == SB_FMT_MOD)
        return (span){0, y.lo - 1, true, x.fits};
    x.known = x.known && y.known;
    x.fits = x.fits && y.fits;
    if (!x.known || !x.fits)
        return x;
    if (e->op == SB_FMT_DIV)
        return (span){sb_fmt_floor_div(x.lo, y.lo), sb_fmt_floor_div(x.hi, y.lo), true,
                      true};
    if (e->op == SB_FMT_ADD) {
        x.fits = sb_add_i64(x.lo, y.lo, &x.lo) && sb_add_i64(x.hi, y.hi, &x.hi);
    } else if (e->op == SB_FMT_SUB) {
        x.fits = y.hi > INT64_MIN && y.lo > INT64_MIN &&
                 sb_add_i64(x.lo, -y.hi, &x.lo) && sb_add_i64(x.hi, -y.lo, &x.hi);
    } else {
        const span c = e->b->op == SB_FMT_CONST ? y : x;
        const span z = e->b->op == SB_FMT_CONST ? x : y;

        x.fits = sb_mul_i64(c.lo, c.lo < 0 ? z.hi : z.lo, &x.lo) &&
                 sb_mul_i64(c.lo, c.lo < 0 ? z.lo : z.hi, &x.hi);
    }
    return x;
}

void
sb_fmt_range(int64_t *lo, int64_t *hi, const sb_fmt *f, int level,
             const int64_t *extent)
{
    const span x = span_of(f, f->level[level], extent);

    *lo = *hi = 0;
    if (x.fits && x.known && x.hi < INT64_MAX) {
        *lo = x.lo;
        *hi = x.hi + 1;
    } else if (!x.fits) {
        *lo = INT64_MIN;
        *hi = INT64_MAX;
    }
}
