/*
 * Inference and queries against their definitions, on small matrices with every zero
 * looked at: a level that is said to be determined is, also for zeros; one that is said to
 * be a run has no gaps; and a tensor's elements come in the order of the paths that the
 * definitions of sum, enum, reorder and schedule give them.
 */
#include "fmtlab.h"
#include "formats/tensor.h"
#include "gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"

enum { SIDE = 11, CELLS = SIDE * SIDE, MATRICES = 60 };

#define COUNT "with value ne 0 -> 1 | otherwise -> 0"
#define RANK "with value eq 0 -> n | otherwise -> 0"

/* Formats of two dimensions that are no registered ones. */
static const char *const own[] = {
    "bsr<2, 3>",
    "sell<3>",
    "ell_rows<4, 2>",
    "sr_bcrs<3, 2>",
    "cisr<3>",
    "cisr_plus<4>",
    "serpens<2, 3>",
    "format x (i, j) -> (@s(j), i, j) merge(0) trim(0, 1) where @s = { n: sum(value) "
    "groupBy (i) " COUNT "; enum(value) groupBy (i) traverseBy (j) " RANK " }",
    "format x (i, j) -> (j/2, @s(j), i, j) merge(1) trim(0, 2) where @s = { n: "
    "sum(value) "
    "groupBy (i) " COUNT "; enum(value) groupBy (i) traverseBy (j) " RANK " }",
    "format x (i, j) -> (@s(j/2), i, j/2, j%2) merge(0) trim(0, 0) where @s = { n: "
    "sum(value) groupBy (i) traverseBy (j/2) " COUNT "; enum(value) groupBy (i) "
    "traverseBy (j/2) " RANK " }",
    "format x (i, j) -> (@r(i)/4, @s(j), @r(i)%4, i, j) merge(0) trim(1, 1) where @r = "
    "{ "
    "sum(value) groupBy (i) " COUNT
    "; reorder(i) }, @s = { n: sum(value) groupBy (i) " COUNT
    "; enum(value) groupBy (i) traverseBy (j) " RANK " }",
    "format x (i, j) -> (@r(j), @b(i), i, j) merge(1) trim(0, 3) where @r = { "
    "sum(value) "
    "groupBy (j) " COUNT "; reorder(j) groupBy (j/3) traverseBy (j%2) }, @b = { "
    "sum(value) groupBy (i) with value gt 1 -> 3 | value eq 0 -> 0 | otherwise -> 1; "
    "reorder(i) traverseBy (-i); schedule(i, 3) groupBy (i/6) }",
    "format x (i, j) -> (@n(i), i, j) merge(1) trim(0, 2) where @n = { sum(value) "
    "groupBy "
    "(i) traverseBy (j/3) with value ne 0 -> 2 | otherwise -> 0 }",
    "format x (i, j) -> (@e(j - i, i), i, j) merge(0) trim(0, 2) where @e = { n: "
    "sum(value) groupBy ((i + j)%3) " COUNT
    "; enum(value) groupBy ((i + j)%3) traverseBy "
    "(j - i, i) " RANK " }",
};

/* ---- the definitions -------------------------------------------------------------- */

typedef struct world {
    const sb_fmt *f;
    int64_t extent[2];
    int n; /* elements, zeros included */
    int64_t at[CELLS][2];
    int32_t value[CELLS];
    int64_t answer[SB_FMT_QUERIES][SB_FMT_QUERIES][CELLS]; /* of a function's step */
    int64_t path[CELLS][SB_FMT_LEVELS];
} world;

static int
compare_map(const sb_fmt_map *m, const int64_t *a, const int64_t *b)
{
    for (int q = 0; q < m->n; q++) {
        const int64_t x = sb_fmt_eval(m->e[q], a), y = sb_fmt_eval(m->e[q], b);

        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static bool
same_unit(const sb_fmt_query *q, const int64_t *a, const int64_t *b)
{
    return compare_map(&q->group, a, b) == 0 && compare_map(&q->traverse, a, b) == 0;
}

/* The element whose value the unit of e has: itself where units are elements. */
static int
speaker(const world *w, const sb_fmt_query *q, int e)
{
    int first = -1;

    if (q->traverse.n == 0)
        return e;
    for (int k = 0; k < w->n; k++) {
        if (!same_unit(q, w->at[k], w->at[e]))
            continue;
        if (w->value[k] != 0)
            return k;
        first = first < 0 ? k : first;
    }
    return first;
}

static bool
holds(const world *w, const sb_fmt_case *c, int e)
{
    const int64_t x = c->dim < 0 ? w->value[e] : w->at[e][c->dim], y = c->literal;
    const bool yes[] = {x != y, x == y, x > y, x >= y, x < y, x <= y};

    return yes[c->cond];
}

static int
arm(const world *w, const sb_fmt_query *q, int e)
{
    const int s = speaker(w, q, e);
    int k = 0;

    while (k < q->ncase && !holds(w, &q->when[k], s))
        k++;
    return k;
}

static int64_t
result(const world *w, int fn, const sb_fmt_query *q, int e)
{
    const int k = arm(w, q, e);
    const int step = k < q->ncase ? q->when[k].step : q->otherwise_step;

    if (step >= 0)
        return w->answer[fn][step][e];
    return k < q->ncase ? q->when[k].result : q->otherwise;
}

/* Whether e is the first element of its unit. */
static bool
is_first(const world *w, const sb_fmt_query *q, int e)
{
    for (int k = 0; k < e && q->traverse.n > 0; k++) {
        if (same_unit(q, w->at[k], w->at[e]))
            return false;
    }
    return true;
}

static int64_t
define_sum(const world *w, int fn, const sb_fmt_query *q, int e)
{
    int64_t sum = 0;

    for (int k = 0; k < w->n; k++) {
        if (compare_map(&q->group, w->at[k], w->at[e]) == 0 && is_first(w, q, k))
            sum += result(w, fn, q, k);
    }
    return sum;
}

static int64_t
define_enum(const world *w, int fn, const sb_fmt_query *q, int e)
{
    const int own_arm = arm(w, q, e);
    int64_t number = result(w, fn, q, e);

    for (int k = 0; k < w->n; k++)
        number += compare_map(&q->group, w->at[k], w->at[e]) == 0 &&
                  compare_map(&q->traverse, w->at[k], w->at[e]) < 0 &&
                  is_first(w, q, k) && arm(w, q, k) == own_arm;
    return number;
}

/* Index u of the query's dimension as a point, the other dimension 0. */
static const int64_t *
unit_at(const world *w, const sb_fmt_query *q, int64_t u)
{
    for (int k = 0; k < w->n; k++) {
        if (w->at[k][q->dim] == u && w->at[k][1 - q->dim] == 0)
            return w->at[k];
    }
    return NULL;
}

static int64_t
load_of(const world *w, int fn, int step, int dim, int64_t u)
{
    while (w->f->fn[fn]->step[step]->op != SB_FMT_SUM)
        step--;
    for (int k = 0; k < w->n; k++) {
        if (w->at[k][dim] == u)
            return w->answer[fn][step][k];
    }
    return 0;
}

/* Whether unit a comes before unit b of the same group in reorder step `step`; weigh
 * false: in the order that schedule has without one. */
static bool
before(const world *w, int fn, int step, bool weigh, int64_t a, int64_t b)
{
    const sb_fmt_query *q = w->f->fn[fn]->step[step];
    const int64_t x = weigh ? load_of(w, fn, step, q->dim, a) : 0;
    const int64_t y = weigh ? load_of(w, fn, step, q->dim, b) : 0;
    const int t = compare_map(&q->traverse, unit_at(w, q, a), unit_at(w, q, b));

    return x != y ? x > y : t != 0 ? t < 0 : a < b;
}

static bool
same_group(const world *w, const sb_fmt_query *q, int64_t a, int64_t b)
{
    return compare_map(&q->group, unit_at(w, q, a), unit_at(w, q, b)) == 0;
}

static int64_t
define_rank(const world *w, int fn, int step, int64_t u)
{
    const sb_fmt_query *q = w->f->fn[fn]->step[step];
    int64_t rank = 0;

    for (int64_t v = 0; v < w->extent[q->dim]; v++)
        rank += same_group(w, q, u, v) && before(w, fn, step, true, v, u);
    return rank;
}

static int64_t
define_bucket(const world *w, int fn, int step, int64_t u)
{
    const sb_fmt_query *q = w->f->fn[fn]->step[step];
    const bool ranked = w->f->fn[fn]->step[step - 1]->op == SB_FMT_REORDER;
    int64_t load[16] = {0}, least = 0;
    bool done[SIDE] = {false};

    for (;;) {
        int64_t next = -1;

        for (int64_t v = 0; v < w->extent[q->dim]; v++) {
            if (!done[v] && same_group(w, q, u, v) &&
                (next < 0 || before(w, fn, ranked ? step - 1 : step, ranked, v, next)))
                next = v;
        }
        least = 0;
        for (int64_t b = 1; b < q->buckets; b++)
            least = load[b] < load[least] ? b : least;
        if (next == u)
            return least;
        done[next] = true;
        load[least] += load_of(w, fn, step, q->dim, next);
    }
}

static void
define_answers(world *w)
{
    for (int fn = 0; fn < w->f->nfn; fn++) {
        for (int step = 0; step < w->f->fn[fn]->nstep; step++) {
            const sb_fmt_query *q = w->f->fn[fn]->step[step];

            for (int e = 0; e < w->n; e++)
                w->answer[fn][step][e] =
                    q->op == SB_FMT_SUM    ? define_sum(w, fn, q, e)
                    : q->op == SB_FMT_ENUM ? define_enum(w, fn, q, e)
                    : q->op == SB_FMT_REORDER
                        ? define_rank(w, fn, step, w->at[e][q->dim])
                        : define_bucket(w, fn, step, w->at[e][q->dim]);
        }
    }
}

static int64_t
level_at(const world *w, const sb_fmt_expr *x, int e)
{
    int64_t a, b;

    if (x->op == SB_FMT_CONST)
        return x->value;
    if (x->op == SB_FMT_DIM)
        return w->at[e][x->value];
    if (x->op == SB_FMT_INDIRECT)
        return w->answer[x->value][w->f->fn[x->value]->nstep - 1][e];
    a = level_at(w, x->a, e);
    b = level_at(w, x->b, e);
    switch (x->op) {
    case SB_FMT_ADD:
        return a + b;
    case SB_FMT_SUB:
        return a - b;
    case SB_FMT_MUL:
        return a * b;
    case SB_FMT_DIV:
        return (a - ((a % b) + b) % b) / b;
    default:
        return ((a % b) + b) % b;
    }
}

static void
fill_world(world *w, const sb_fmt *f, gen_rng *r)
{
    const int64_t some = gen_between(r, 1, 10);

    memset(w, 0, sizeof *w);
    w->f = f;
    w->extent[0] = gen_between(r, 1, SIDE);
    w->extent[1] = gen_between(r, 1, SIDE);
    for (int64_t i = 0; i < w->extent[0]; i++) {
        const bool empty = gen_below(r, 5) == 0;

        for (int64_t j = 0; j < w->extent[1]; j++) {
            w->at[w->n][0] = i;
            w->at[w->n][1] = j;
            w->value[w->n++] =
                empty || gen_below(r, 10) >= some ? 0 : (int32_t)gen_between(r, 1, 4);
        }
    }
    define_answers(w);
    for (int e = 0; e < w->n; e++) {
        for (int q = 0; q < f->nlevel; q++)
            w->path[e][q] = level_at(w, f->level[q], e);
    }
}

/* ---- the checks ------------------------------------------------------------------- */

static bool
same_path(const world *w, int a, int b, int levels)
{
    return memcmp(w->path[a], w->path[b], (size_t)levels * sizeof w->path[a][0]) == 0;
}

/* Every index below the largest that holds something holds something, under one parent
 * where the level has ptr, else in all. */
static void
check_run(const world *w, const char *text, int q, bool ptr)
{
    for (int e = 0; e < w->n; e++) {
        const int64_t below = w->path[e][q] - 1;
        bool found = below < 0;

        for (int k = 0; k < w->n && !found; k++)
            found = w->value[k] != 0 && w->path[k][q] == below &&
                    same_path(w, k, e, ptr ? q : 0);
        if (w->value[e] != 0 && !found)
            fail_msg("%s: level %d has no index %lld", text, q, (long long)below);
    }
}

/* Elements of one path above have one index. */
static void
check_one(const world *w, const char *text, int q)
{
    for (int a = 0; a < w->n; a++) {
        for (int b = 0; b < a; b++) {
            if (same_path(w, a, b, q) && w->path[a][q] != w->path[b][q])
                fail_msg("%s: level %d is not determined", text, q);
        }
    }
}

static void
check_levels(const world *w, const char *text)
{
    sb_fmt_level level[SB_FMT_LEVELS];
    const sb_fmt *f = w->f;
    int64_t lo, hi;

    sb_fmt_infer(level, f);
    for (int q = 0; q < f->nlevel; q++) {
        const bool copied = q > 0 && f->merge >> (q - 1) == 0 && q - 1 < f->trim_hi;

        if (level[q].one && !copied)
            check_one(w, text, q);
        if (level[q].run && !(f->fill >> q & 1) && f->trim_lo <= q && q <= f->trim_hi)
            check_run(w, text, q, level[q].ptr);
        sb_fmt_range(&lo, &hi, f, q, w->extent);
        for (int e = 0; e < w->n && lo < hi; e++)
            assert_true(lo <= w->path[e][q] && w->path[e][q] < hi);
    }
}

static const world *sorting;

static int
by_path(const void *a, const void *b)
{
    const int64_t *x = sorting->path[*(const int *)a],
                  *y = sorting->path[*(const int *)b];

    for (int q = 0; q < sorting->f->nlevel; q++) {
        if (x[q] != y[q])
            return x[q] < y[q] ? -1 : 1;
    }
    return 0;
}

/* Conversion puts the elements where the definitions say. */
static void
check_order(const world *w, const char *text)
{
    int64_t i[CELLS], j[CELLS], *coord[SB_FMT_DIMS] = {NULL}, nnz;
    int order[CELLS], n = 0;
    double val[CELLS];
    sb_tensor_coo coo = {.ndim = 2, .coord = {i, j}, .val = val, .val_type = SB_F64};
    sb_diag diag = {0};
    sb_tensor t;
    void *got;

    for (int e = 0; e < w->n; e++) {
        if (w->value[e] == 0)
            continue;
        i[n] = w->at[e][0];
        j[n] = w->at[e][1];
        val[n] = w->value[e];
        order[n++] = e;
    }
    coo.nnz = n;
    memcpy(coo.extent, w->extent, sizeof w->extent);
    if (sb_tensor_from_coo(&t, w->f, &coo, false, NULL, &diag) != SB_OK)
        fail_msg("%s: %s", text, diag.text);
    assert_int_equal(sb_tensor_coords(coord, &got, &nnz, &t), SB_OK);
    sorting = w;
    qsort(order, (size_t)n, sizeof *order, by_path);
    assert_int_equal(nnz, n);
    for (int k = 0; k < n; k++) {
        const int e = order[k];

        if (coord[0][k] != w->at[e][0] || coord[1][k] != w->at[e][1])
            fail_msg("%s: element %d is (%lld, %lld), not (%lld, %lld)", text, k,
                     (long long)coord[0][k], (long long)coord[1][k],
                     (long long)w->at[e][0], (long long)w->at[e][1]);
        assert_true(((const double *)got)[k] == w->value[e]);
    }
    sb_free(coord[0]);
    sb_free(coord[1]);
    sb_free(got);
    sb_tensor_free(&t);
}

static void
check_format(const char *text, uint64_t seed)
{
    static world w;
    gen_rng r = {seed};
    fmt_lab lab;
    const sb_fmt *f;

    fmt_lab_open(&lab);
    f = fmt_lab_parse(&lab, text);
    for (int k = 0; k < MATRICES && f->npart == 0 && f->ndim == 2; k++) {
        fill_world(&w, f, &r);
        check_levels(&w, text);
        check_order(&w, text);
    }
    fmt_lab_close(&lab);
}

static void
test_registered(void **state)
{
    (void)state;
    for (int q = 0; sb_fmt_registry(q); q++)
        check_format(sb_fmt_registry(q)->text, 100 + (uint64_t)q);
}

static void
test_own(void **state)
{
    (void)state;
    for (int q = 0; q < SB_COUNT(own); q++)
        check_format(own[q], 200 + (uint64_t)q);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registered),
        cmocka_unit_test(test_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
