/*
 * The sample is windows of neighbouring rows, evenly spread, as a matrix of its own: windows
 * of 96, 48 or 24 rows begin at multiples of their height, so that blocks of 2, 3, 4 and 8
 * rows lie in the sample as they do in the matrix, and the parts' own builders say what each
 * level would take.
 */
#include "planner/levels_sample.h"

#include "base/alloc.h"
#include "planner/levels.h"

#include <string.h>

enum {
    HEIGHT = 96,           /* of a window, at most */
    SAMPLE_ENTRIES = 6144, /* about */
    MOST_ENTRIES = 8 * SAMPLE_ENTRIES,
    WINDOWS_MIN = 2
};

/* Rows of a window: fewer where rows are long, always a divisor of HEIGHT. */
static int64_t
window_rows(const sb_stats *s)
{
    int64_t rows = HEIGHT;

    while (rows > HEIGHT / 4 && (double)(rows * WINDOWS_MIN) * s->mean > SAMPLE_ENTRIES)
        rows /= 2;
    return rows;
}

/* First row of the q-th of n windows, n at most as many as there are. */
static int64_t
window_first(const sb_view *v, int64_t q, int64_t n, int64_t rows)
{
    const double places = (double)(v->rows / rows);

    return (int64_t)(places * ((double)q + 0.618) / (double)n) * rows;
}

enum { COLUMN_BITS = 13 };

/* Whom each entry of a window has above it. Columns that share a slot of the table hide
 * each other, rarely. */
static void
look_up(sb_level_sample *ls, int64_t rows, int64_t *last)
{
    for (int64_t i = 0; i < ls->v.rows; i += rows) {
        memset(last, 0xff, sizeof *last << COLUMN_BITS);
        for (int64_t p = sb_view_lo(&ls->v, i); p < sb_view_lo(&ls->v, i + rows); p++) {
            const int64_t j = sb_view_col(&ls->v, p);
            int64_t *at = &last[j & ((1 << COLUMN_BITS) - 1)];

            ls->above[p] = *at >= 0 && sb_view_col(&ls->v, *at) == j ? *at : -1;
            *at = p;
        }
    }
}

static sb_status
copy_rows(sb_level_sample *ls, int64_t windows, int64_t rows)
{
    const sb_view *v = &ls->pl->view;
    sb_view *out = &ls->v;
    int64_t nnz = 0, n = 0, i = 0, *ptr, *last;
    int32_t *crd;

    for (int64_t q = 0; q < windows; q++) {
        const int64_t first = window_first(v, q, windows, rows);

        nnz += sb_view_lo(v, first + rows) - sb_view_lo(v, first);
    }
    if (nnz > MOST_ENTRIES)
        return SB_SKIP; /* rows so long that looking at a few takes too long */
    out->own_ptr = ptr = sb_alloc_array(windows * rows + 1, sizeof *ptr);
    out->own_crd = crd = sb_alloc_array(nnz, sizeof *crd);
    out->own_pos = ls->above = sb_alloc_array(nnz, sizeof *ls->above);
    last = sb_alloc_array(1 << COLUMN_BITS, sizeof *last);
    if (!ptr || !crd || !ls->above || !last) {
        sb_free(last);
        return SB_ENOMEM;
    }
    for (int64_t q = 0; q < windows; q++) {
        const int64_t first = window_first(v, q, windows, rows);

        for (int64_t r = first; r < first + rows; r++) {
            ptr[i++] = n;
            for (int64_t p = sb_view_lo(v, r); p < sb_view_lo(v, r + 1); p++)
                crd[n++] = (int32_t)sb_view_col(v, p);
        }
    }
    ptr[i] = n;
    out->ptr = ptr;
    out->crd = crd;
    out->rows = i;
    out->nnz = n;
    look_up(ls, rows, last);
    sb_free(last);
    return n > 0 ? SB_OK : SB_SKIP;
}

sb_status
sb_level_sample_take(sb_level_sample *ls, const sb_planner *pl)
{
    const sb_stats *s = &pl->stats;
    const int64_t rows = window_rows(s);
    const double entries = s->mean * (double)rows;
    int64_t windows = (int64_t)(SAMPLE_ENTRIES / (entries > 1 ? entries : 1)) + 1;
    sb_status st;

    memset(ls, 0, sizeof *ls);
    ls->pl = pl;
    windows = windows < WINDOWS_MIN ? WINDOWS_MIN : windows;
    if (windows > pl->view.rows / rows)
        windows = pl->view.rows / rows;
    if (windows == 0 || pl->view.block > 1 || pl->view.cols > INT32_MAX || !s->sorted)
        return SB_SKIP;
    ls->v = (sb_view){.cols = pl->view.cols,
                      .block = 1,
                      .ptr_type = SB_I64,
                      .crd_type = SB_I32,
                      .slot_type = SB_I64,
                      .crd_in_place = pl->view.crd_in_place && !pl->view.pos};
    st = copy_rows(ls, windows, rows);
    if (st == SB_OK) {
        ls->by_row = (double)s->rows / (double)ls->v.rows;
        ls->by_entry = (double)s->nnz / (double)ls->v.nnz;
    }
    return st;
}

/* ---- parts on the sample --------------------------------------------------------------- */

/* Units of a part that selects which have an entry, or all where it is the first. */
static double
units_of(const sb_part *p)
{
    const char *name = p->kind == SB_PART_BSR   ? "bsr_ptr"
                       : p->kind == SB_PART_WIN ? "win_seg"
                                                : "share_seg";
    const char *rest = p->kind == SB_PART_WIN     ? "win_left"
                       : p->kind == SB_PART_SHARE ? "share_left"
                                                  : NULL;
    const sb_part_array *a = sb_part_find(p, name);
    const sb_part_array *left = rest ? sb_part_find(p, rest) : NULL;
    const sb_part_array *some = sb_part_find(p, "share_some");
    int64_t n = 0;

    if (!p->group[0].add)
        return (double)p->group[0].hi;
    for (int64_t u = 0; u < p->group[0].hi; u++)
        n += sb_index(a->data, a->type, u + 1) > sb_index(a->data, a->type, u) ||
             (some && sb_index(some->data, some->type, u + 1) >
                          sb_index(some->data, some->type, u)) ||
             (left && sb_index(left->data, left->type, (u + 1) * p->width) >
                          sb_index(left->data, left->type, u * p->width));
    return (double)n;
}

/* Entries that the rows of a window share. */
static double
slots_of(const sb_part *p)
{
    return (double)(p->nnz - sb_part_total(p, "win_left") -
                    sb_part_total(p, "share_left"));
}

sb_status
sb_level_select(const sb_level_sample *ls, sb_amounts *am, sb_cover *cv,
                const sb_part_choice *c)
{
    sb_part p;
    sb_status st = c->kind == SB_PART_BSR   ? sb_part_bsr(&p, cv, c->size, true, NULL)
                   : c->kind == SB_PART_WIN ? sb_part_win(&p, cv, c->size, true, NULL)
                   : c->kind == SB_PART_SHARE
                       ? sb_part_share(&p, cv, c->size, true, true, NULL)
                       : sb_part_dia(&p, cv, c->size, true);

    if (st == SB_OK && sb_cover_open(cv) != SB_OK) {
        sb_part_free(&p);
        return SB_ENOMEM;
    }
    if (st == SB_OK && c->kind == SB_PART_DIA)
        *am = (sb_amounts){.entries = (double)p.nnz,
                           .slots = (double)p.slots,
                           .units = (double)ls->v.rows,
                           .touches = (double)ls->v.rows,
                           .partitions = 1};
    else if (st == SB_OK) {
        const double units = units_of(&p);

        *am = (sb_amounts){.entries = (double)p.nnz,
                           .slots = slots_of(&p),
                           .units = units,
                           .touches = units * (double)p.width,
                           .partitions = 1};
    }
    sb_part_free(&p);
    return st;
}

/* What is left, listed in runs between what is taken (rows) or row by row (ell, pick, coo). */
void
sb_level_rest(const sb_level_sample *ls, sb_amounts *am, const sb_cover *cv,
              const sb_part_choice *c)
{
    const int64_t width = c->kind == SB_PART_ELL ? (int64_t)1 << c->k : 1;
    int64_t runs = 0, units = 0, rows = 0, entries = 0;

    for (int64_t i = 0; i < ls->v.rows; i++) {
        const int64_t lo = sb_view_lo(&ls->v, i), hi = sb_view_lo(&ls->v, i + 1);
        int64_t n = 0;

        for (int64_t p = lo; p < hi; p++) {
            const bool left = !(cv->taken && cv->taken[p]);

            n += left;
            runs += left && (p == lo || (cv->taken && cv->taken[p - 1]));
        }
        entries += n;
        rows += n > 0;
        units += (n + width - 1) / width;
    }
    *am = (sb_amounts){.entries = (double)entries,
                       .slots = (double)entries,
                       .units = (double)runs,
                       .touches = (double)runs,
                       .partitions = 1};
    if (c->kind == SB_PART_PICK) {
        am->units = am->touches = (double)rows;
    } else if (c->kind == SB_PART_ELL) {
        am->units = am->touches = (double)units;
        am->slots = (double)(units * width);
    } else if (c->kind == SB_PART_COO) {
        am->touches = (double)entries;
    }
}

/* What the cover has and `covered` has not; no cover: all that is left. */
void
sb_level_points(const sb_level_sample *ls, uint64_t *points, const sb_cover *cv,
                const uint64_t *covered)
{
    for (int64_t p = 0; p < ls->v.nnz; p++)
        if (!cv || cv->taken[p])
            points[p / 64] |= UINT64_C(1) << p % 64;
    for (int64_t w = 0; w < (ls->v.nnz + 63) / 64; w++)
        points[w] &= ~covered[w];
}

/* Share of the points whose column has a point above them in its window. */
static double
reuse_of(const sb_level_sample *ls, const uint64_t *points)
{
    int64_t n = 0, again = 0;

    for (int64_t w = 0; w < (ls->v.nnz + 63) / 64; w++)
        for (uint64_t left = points[w]; left; left &= left - 1) {
            const int64_t above = ls->above[w * 64 + __builtin_ctzll(left)];

            n++;
            again += above >= 0 && (points[above / 64] >> above % 64 & 1);
        }
    return n ? (double)again / (double)n : 0;
}

/* Of all threads, for a part that takes these points; shares go to place `at`. */
double
sb_level_seconds(const sb_level_sample *ls, sb_cost *total, int at,
                 const sb_part_choice *c, sb_amounts am, const uint64_t *points)
{
    const sb_planner *pl = ls->pl;

    am.own_reuse = true;
    am.cached = !sb_cost_windows(c);
    am.reuse = reuse_of(ls, points);

    total->share[at] = am.entries / (double)ls->v.nnz;
    total->padding[at] = am.slots > am.entries ? 1 - am.entries / am.slots : 0;
    am.entries *= ls->by_entry;
    am.slots *= ls->by_entry;
    am.units *= ls->by_row;
    am.touches *= ls->by_row;
    return sb_cost_part(&total->terms[at], c, &am, &pl->work, &pl->stats, pl->target,
                        ls->packed, total);
}

/* A choice's parts one after the other. */
sb_status
sb_level_replay(const sb_level_sample *ls, sb_cost *out, const sb_choice *ch)
{
    const int64_t words = (ls->v.nnz + 63) / 64;
    uint64_t *covered = sb_alloc_zero((size_t)words * sizeof *covered);
    uint64_t *points = sb_alloc_array(words, sizeof *points);
    double steps = 1;
    sb_status st = covered && points ? SB_OK : SB_ENOMEM;
    sb_cover cv;

    *out = (sb_cost){0};
    sb_cover_init(&cv, &ls->v);
    for (int q = 0; q < ch->npart && st == SB_OK; q++) {
        const sb_part_choice *c = &ch->part[q];
        sb_amounts am = {0};

        if (q + 1 < ch->npart)
            st = sb_level_select(ls, &am, &cv, c);
        else
            sb_level_rest(ls, &am, &cv, c);
        if (st == SB_OK && am.entries > 0) {
            memset(points, 0, (size_t)words * sizeof *points);
            sb_level_points(ls, points, q + 1 < ch->npart ? &cv : NULL, covered);
            for (int64_t w = 0; w < words; w++)
                covered[w] |= points[w];
            am.adds = q > 0;
            out->part[q] = sb_level_seconds(ls, out, q, c, am, points);
            out->seconds += out->part[q];
            steps += q > 0;
        }
        st = st == SB_SKIP ? SB_OK : st;
    }
    sb_cover_free(&cv);
    sb_free(covered);
    sb_free(points);
    sb_cost_close(out, steps, &ls->pl->work, &ls->pl->stats, ls->pl->target);
    return st;
}

void
sb_level_sample_free(sb_level_sample *ls)
{
    sb_view_free(&ls->v); /* `above` too */
}

void
sb_levels_predict(sb_cost *out, const sb_planner *pl, const sb_choice *ch)
{
    sb_status st = SB_SKIP;
    sb_level_sample ls;

    if (sb_choice_levels(ch)) {
        st = sb_level_sample_take(&ls, pl);
        ls.packed = ch->packed;
        if (st == SB_OK)
            st = sb_level_replay(&ls, out, ch);
        sb_level_sample_free(&ls);
    }
    if (st != SB_OK)
        sb_cost_predict(out, ch, &pl->work, &pl->stats, pl->target);
}
