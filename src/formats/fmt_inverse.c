/*
 * The inverse of an index map, from the solver; a map without one is refused with two
 * elements that share all direct levels, where small ones exist.
 */
#include "formats/fmt_expr.h"
#include "formats/fmt_solve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Plain dimensions first: what they say is simplest. */
static void
add_levels(sb_solve *s, const sb_fmt *f, const sb_fmt_expr *const *level)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int q = 0; q < f->nlevel; q++) {
            if ((f->level[q]->op == SB_FMT_DIM) == (pass == 0) &&
                !sb_fmt_expr_indirect(f->level[q]))
                sb_solve_add(s, f->level[q], level[q]);
        }
    }
}

typedef struct sample {
    int64_t key[SB_FMT_LEVELS];
    int64_t at[SB_FMT_DIMS];
} sample;

static int
by_key(const void *a, const void *b)
{
    return memcmp(((const sample *)a)->key, ((const sample *)b)->key,
                  sizeof((const sample *)a)->key);
}

static void
take_sample(sample *to, const sb_fmt *f, int64_t number, int64_t side)
{
    memset(to, 0, sizeof *to);
    for (int d = f->ndim - 1; d >= 0; d--) {
        to->at[d] = number % side;
        number /= side;
    }
    for (int q = 0; q < f->nlevel; q++) {
        if (!sb_fmt_expr_indirect(f->level[q]))
            to->key[q] = sb_fmt_eval(f->level[q], to->at);
    }
}

/* Whether the levels fit 64 bits in a box. */
static bool
box_fits(const sb_fmt *f, int64_t side)
{
    const int64_t extent[SB_FMT_DIMS] = {side, side, side, side};
    int64_t lo, hi;

    for (int q = 0; q < f->nlevel; q++) {
        sb_fmt_range(&lo, &hi, f, q, extent);
        if (lo == INT64_MIN)
            return false;
    }
    return true;
}

/* Two elements of a box with the same direct levels; false if there are none. */
static bool
find_collision(sample *one, sample *two, sb_arena *ar, const sb_fmt *f, int64_t side)
{
    const sb_arena_pos pos = sb_arena_mark(ar);
    int64_t n = 1;
    sample *all;
    bool found = false;

    if (!box_fits(f, side))
        return false;
    for (int d = 0; d < f->ndim; d++)
        n *= side;
    all = sb_arena_array(ar, n, sizeof *all);
    for (int64_t q = 0; all && q < n; q++)
        take_sample(&all[q], f, q, side);
    if (all)
        qsort(all, (size_t)n, sizeof *all, by_key);
    for (int64_t q = 0; all && q + 1 < n && !found; q++) {
        found = by_key(&all[q], &all[q + 1]) == 0;
        *one = all[q];
        *two = all[q + 1];
    }
    sb_arena_reset(ar, pos);
    return found;
}

static void
print_point(char *to, size_t room, const sb_fmt *f, const sample *x)
{
    size_t n = 0;

    for (int d = 0; d < f->ndim && n < room; d++)
        n += (size_t)snprintf(to + n, room - n, "%s%lld", d > 0 ? ", " : "",
                              (long long)x->at[d]);
}

static sb_status
refuse(sb_arena *ar, const sb_fmt *f, int dim, sb_diag *diag)
{
    static const int64_t small[SB_FMT_DIMS] = {64, 8, 4, 3};
    static const int64_t large[SB_FMT_DIMS] = {2048, 48, 13, 7};
    sample one, two;
    char a[80], b[80];

    if (!find_collision(&one, &two, ar, f, small[f->ndim - 1]) &&
        !find_collision(&one, &two, ar, f, large[f->ndim - 1]))
        return sb_diag_set(diag, SB_EINVAL,
                           "no inverse found: nothing simple gives %s back from the "
                           "levels",
                           f->dim_name[dim]);
    print_point(a, sizeof a, f, &one);
    print_point(b, sizeof b, f, &two);
    return sb_diag_set(diag, SB_EINVAL,
                       "this map has no inverse: (%s) and (%s) share all direct levels",
                       a, b);
}

static sb_status
solve(const sb_fmt_expr **out, sb_arena *ar, const sb_fmt *f, sb_diag *diag)
{
    const sb_fmt_expr *level[SB_FMT_LEVELS] = {NULL};
    sb_solve s;

    for (int q = 0; q < f->nlevel; q++) {
        level[q] = sb_fmt_expr_new(ar, SB_FMT_DIM, q, NULL, NULL);
        if (!level[q])
            return SB_ENOMEM;
    }
    sb_solve_init(&s, f, ar, false);
    add_levels(&s, f, level);
    sb_solve_run(&s);
    for (int d = 0; d < f->ndim && s.st == SB_OK; d++) {
        out[d] = sb_solve_dim(&s, d);
        if (!out[d] && s.st == SB_OK)
            return refuse(ar, f, d, diag);
    }
    if (s.st == SB_ENOTSUP)
        return sb_diag_set(diag, SB_EINVAL, "this map is too large to invert");
    return s.st;
}

sb_status
sb_fmt_inverse(const sb_fmt_expr **out, sb_arena *ar, const sb_fmt *f, sb_diag *diag)
{
    const sb_status st = solve(out, ar, f, diag);

    if (st != SB_OK)
        memset(out, 0, (size_t)f->ndim * sizeof(const sb_fmt_expr *));
    return st;
}
