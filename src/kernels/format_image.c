/*
 * Slots that are the image of no element. A dense level below others may hold slots whose
 * coordinates, restored by the inverse map, belong to other nodes: diagonals inside
 * blocks, (i/4, j/4, j%4 - i%4, i%4), where block 1, diagonal -3, row 0 comes out as
 * column 1 of block 0. Whether a level's own index always comes back is decided on affine
 * forms over the levels: x / b and x mod b are known where the part of x that b does not
 * divide lies in 0 .. b.
 */
#include "kernels/format_writer.h"

#include "base/fault.h"
#include "formats/fmt_expr.h"

/* c + sum of at[q] * index of level q; known: the expression is that. */
typedef struct form {
    bool known;
    int64_t c, at[SB_FMT_LEVELS];
} form;

static form
scaled_sum(form a, form b, int64_t factor)
{
    a.known = a.known && b.known;
    a.c += factor * b.c;
    for (int q = 0; q < SB_FMT_LEVELS; q++)
        a.at[q] += factor * b.at[q];
    return a;
}

static bool
is_constant(const form *a)
{
    for (int q = 0; q < SB_FMT_LEVELS; q++)
        if (a->at[q] != 0)
            return false;
    return a->known;
}

int64_t
sb_format_top(const sb_fmt_expr *e)
{
    const int64_t top = e->op == SB_FMT_DIV ? sb_format_top(e->a) : -1;

    return e->op == SB_FMT_MOD ? e->b->value - 1 : top < 0 ? -1 : top / e->b->value;
}

/* Splits a into b * quotient + rest; false unless the rest is surely in 0 .. b. */
static bool
divide(const sb_format_writer *w, const form *a, int64_t b, form *quotient, form *rest)
{
    int64_t lo, hi;

    *quotient = *rest = (form){.known = true};
    quotient->c = sb_fmt_floor_div(a->c, b);
    lo = hi = rest->c = sb_fmt_floor_mod(a->c, b);
    for (int q = 0; q < w->f->nlevel; q++) {
        const int64_t top = sb_format_top(w->f->level[q]);
        int64_t far;

        if (a->at[q] % b == 0) {
            quotient->at[q] = a->at[q] / b;
            continue;
        }
        if (top < 0)
            return false;
        rest->at[q] = a->at[q];
        far = a->at[q] * top;
        lo += far < 0 ? far : 0;
        hi += far > 0 ? far : 0;
    }
    return a->known && lo >= 0 && hi < b;
}

/* of_levels: DIM means a level, as in the inverse; else a dimension. */
static form
form_of(const sb_format_writer *w, const sb_fmt_expr *e, bool of_levels)
{
    form a = {.known = true}, b, quotient, rest;

    if (e->op == SB_FMT_CONST) {
        a.c = e->value;
        return a;
    }
    if (e->op == SB_FMT_DIM) {
        a.at[e->value] = 1;
        return of_levels ? a : form_of(w, w->inverse[e->value], true);
    }
    if (e->op == SB_FMT_INDIRECT)
        return (form){.known = false};
    a = form_of(w, e->a, of_levels);
    b = form_of(w, e->b, of_levels);
    switch (e->op) {
    case SB_FMT_ADD:
        return scaled_sum(a, b, 1);
    case SB_FMT_SUB:
        return scaled_sum(a, b, -1);
    case SB_FMT_MUL:
        if (is_constant(&b))
            return scaled_sum((form){.known = true}, a, b.c);
        return is_constant(&a) ? scaled_sum((form){.known = true}, b, a.c) : (form){0};
    default:
        if (!a.known || !divide(w, &a, e->b->value, &quotient, &rest))
            return (form){.known = false};
        return e->op == SB_FMT_DIV ? quotient : rest;
    }
}

bool
sb_format_comes_back(const sb_format_writer *w, int level)
{
    form a = form_of(w, w->f->level[level], false);

    a.at[level]--;
    return SB_FAULT(FORMAT_IMAGE) || (is_constant(&a) && a.c == 0);
}
