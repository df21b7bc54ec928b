/*
 * Operators on index maps: each changes the index columns of a coordinate list in place
 * (UniSparse, table 2, rules 1 to 5). Columns wrap around rather than overflow: ranges
 * are checked where levels get their final place (conv.c).
 */
#include "formats/conv_ops.h"

#include "base/alloc.h"
#include "formats/fmt_expr.h"

#include <string.h>

typedef struct column_job {
    const sb_conv_op *op;
    const sb_tree *t;
    int64_t *a, *b;
} column_job;

static int64_t
wrap_mad(int64_t x, int64_t f, int64_t y)
{
    return (int64_t)((uint64_t)x * (uint64_t)f + (uint64_t)y);
}

static void
map_range(const column_job *j, int64_t lo, int64_t hi)
{
    int64_t at[SB_TREE_LEVELS];

    for (int64_t p = lo; p < hi; p++) {
        for (int q = 0; q < j->t->n; q++)
            at[q] = j->t->at[q].idx[p];
        j->a[p] = sb_conv_eval(j->op->expr, at, j->op->ndim);
    }
}

static void
column_range(void *user, int64_t lo, int64_t hi)
{
    const column_job *j = user;
    const int64_t f = j->op->arg[1], *arg = j->op->arg;

    switch (j->op->kind) {
    case SB_CONV_SCALE:
        for (int64_t p = lo; p < hi; p++)
            j->a[p] = arg[2] ? j->a[p] / f : wrap_mad(j->a[p], f, 0);
        break;
    case SB_CONV_SHIFT:
        for (int64_t p = lo; p < hi; p++)
            j->a[p] = wrap_mad(j->a[p], 1, f);
        break;
    case SB_CONV_SKEW: /* b is what is added */
        for (int64_t p = lo; p < hi; p++)
            j->a[p] = wrap_mad(j->b[p], arg[2], j->a[p]);
        break;
    case SB_CONV_TILE_UNION:
        for (int64_t p = lo; p < hi; p++)
            j->a[p] = wrap_mad(j->a[p], f, j->b[p]);
        break;
    case SB_CONV_TILE_SPLIT:
        for (int64_t p = lo; p < hi; p++) {
            const int64_t x = j->a[p], q = sb_fmt_floor_div(x, f);

            j->a[p] = q;
            j->b[p] = x - q * f;
        }
        break;
    default:
        map_range(j, lo, hi);
    }
}

static void
run_column(sb_conv *cx, const sb_conv_op *op, int64_t *a, int64_t *b)
{
    column_job j = {op, &cx->t, a, b};

    sb_par_run(cx->par, column_range, &j, 0, cx->t.at[0].count, 1 << 14);
}

/* A column at the end, or NULL. */
static int64_t *
append(sb_tree *t)
{
    const int64_t n = t->at[0].count;
    sb_tree_level *l = &t->at[t->n];

    SB_ASSERT(t->n < SB_TREE_LEVELS);
    memset(l, 0, sizeof *l);
    l->idx = sb_alloc_array(n, sizeof *l->idx);
    l->count = n;
    return l->idx;
}

static void
now_levels(sb_tree *t, int n)
{
    t->n = n;
    t->end = n - 1;
}

sb_status
sb_conv_swap(sb_conv *cx, const sb_conv_op *op)
{
    sb_tree_level *at = cx->t.at;
    const sb_tree_level a = at[op->arg[0]];

    at[op->arg[0]] = at[op->arg[1]];
    at[op->arg[1]] = a;
    return SB_OK;
}

/* arg[2]: by 1/f; the division leaves no remainder. */
sb_status
sb_conv_scale(sb_conv *cx, const sb_conv_op *op)
{
    run_column(cx, op, cx->t.at[op->arg[0]].idx, NULL);
    return SB_OK;
}

sb_status
sb_conv_shift(sb_conv *cx, const sb_conv_op *op)
{
    return sb_conv_scale(cx, op);
}

/* Level arg[1] += arg[2] * level arg[0]. */
sb_status
sb_conv_skew(sb_conv *cx, const sb_conv_op *op)
{
    run_column(cx, op, cx->t.at[op->arg[1]].idx, cx->t.at[op->arg[0]].idx);
    return SB_OK;
}

/* The remainder is the last level, where TileSplit put it. */
sb_status
sb_conv_tile_union(sb_conv *cx, const sb_conv_op *op)
{
    sb_tree *t = &cx->t;

    run_column(cx, op, t->at[op->arg[0]].idx, t->at[t->n - 1].idx);
    sb_free(t->at[t->n - 1].idx);
    now_levels(t, t->n - 1);
    return SB_OK;
}

/* The quotient stays, the remainder becomes the last level: the paper's example leaves
 * its place to Sort. */
sb_status
sb_conv_tile_split(sb_conv *cx, const sb_conv_op *op)
{
    sb_tree *t = &cx->t;
    int64_t *last = append(t);

    if (!last)
        return SB_ENOMEM;
    run_column(cx, op, t->at[op->arg[0]].idx, last);
    now_levels(t, t->n + 1);
    return SB_OK;
}

/* A new last level. */
sb_status
sb_conv_map(sb_conv *cx, const sb_conv_op *op)
{
    sb_tree *t = &cx->t;
    int64_t *last = append(t);

    if (!last)
        return SB_ENOMEM;
    run_column(cx, op, last, NULL);
    now_levels(t, t->n + 1);
    return SB_OK;
}

sb_status
sb_conv_drop(sb_conv *cx, const sb_conv_op *op)
{
    sb_tree *t = &cx->t;
    const int L = (int)op->arg[0];

    sb_free(t->at[L].idx);
    memmove(&t->at[L], &t->at[L + 1], (size_t)(t->n - 1 - L) * sizeof t->at[0]);
    now_levels(t, t->n - 1);
    return SB_OK;
}

void
sb_conv_insert(sb_tree *t, int level, int64_t *column)
{
    const int64_t n = t->at[0].count;

    SB_ASSERT(t->n < SB_TREE_LEVELS);
    memmove(&t->at[level + 1], &t->at[level], (size_t)(t->n - level) * sizeof t->at[0]);
    t->at[level] = (sb_tree_level){.count = n, .idx = column};
    now_levels(t, t->n + 1);
}

/* ---- Expressions --------------------------------------------------------------------
 */

int64_t
sb_conv_eval(const sb_fmt_expr *e, const int64_t *at, int ndim)
{
    switch (e->op) {
    case SB_FMT_CONST:
        return e->value;
    case SB_FMT_DIM:
        return at[e->value];
    case SB_FMT_INDIRECT:
        return at[ndim + e->value];
    case SB_FMT_ADD:
        return wrap_mad(1, sb_conv_eval(e->a, at, ndim), sb_conv_eval(e->b, at, ndim));
    case SB_FMT_SUB:
        return wrap_mad(-1, sb_conv_eval(e->b, at, ndim), sb_conv_eval(e->a, at, ndim));
    case SB_FMT_MUL:
        return wrap_mad(sb_conv_eval(e->a, at, ndim), sb_conv_eval(e->b, at, ndim), 0);
    case SB_FMT_DIV:
        return sb_fmt_floor_div(sb_conv_eval(e->a, at, ndim),
                                sb_conv_eval(e->b, at, ndim));
    case SB_FMT_MOD:
        break;
    }
    return sb_fmt_floor_mod(sb_conv_eval(e->a, at, ndim), sb_conv_eval(e->b, at, ndim));
}
