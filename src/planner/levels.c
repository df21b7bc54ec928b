/*
 * The sample is windows of neighbouring rows, evenly spread, as a matrix of its own: windows
 * of 96, 48 or 24 rows begin at multiples of their height, so that blocks of 2, 3, 4 and 8
 * rows lie in the sample as they do in the matrix, and the parts' own builders say what each
 * level would take.
 *
 * SPBLAS_LEVELS has the switches of the paper's ablations (tables 6 and 7), e.g.
 * "withdraw=0 ratio=100 levels=1 win=0"; only=1 leaves what the search found, gate=0 lets it
 * run whatever the features say, search=0 not at all.
 */
#include "planner/levels.h"

#include "planner/candidates.h"
#include "planner/greedy.h"
#include "planner/search.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEIGHT = 96, /* of a window, at most */
    SAMPLE_ENTRIES = 6144, /* about */
    WINDOWS_MIN = 2,
    LEAST_ENTRIES = 50000, /* smaller matrices have no time to search */
    RESTS = 100            /* ids of parts that take all that is left */
};

/* What may be selected, in the order of ids. */
static const sb_part_choice selectable[] = {
    {.kind = SB_PART_BSR, .size = 2},   {.kind = SB_PART_BSR, .size = 3},
    {.kind = SB_PART_BSR, .size = 4},   {.kind = SB_PART_BSR, .size = 8},
    {.kind = SB_PART_WIN, .size = 2},   {.kind = SB_PART_WIN, .size = 3},
    {.kind = SB_PART_WIN, .size = 4},   {.kind = SB_PART_SHARE, .size = 2},
    {.kind = SB_PART_SHARE, .size = 3}};

typedef struct switches {
    sb_greedy_rule rule;
    bool search, only, gate;
    unsigned without; /* kinds */
} switches;

typedef struct levels {
    const sb_planner *pl;
    switches sw;
    sb_view v; /* the sample */
    double by_row, by_entry; /* from the sample to the matrix */
    bool packed;
    int rest_k;     /* of ell: log2 of the slots */
    int64_t *above; /* by slot: the one before it in its column and window, or -1 */
} levels;

/* ---- switches ------------------------------------------------------------------------ */

static int64_t
word_of(const char *text, const char *name, int64_t otherwise)
{
    const size_t len = strlen(name);

    for (const char *at = text; at && (at = strstr(at, name)); at += len)
        if ((at == text || at[-1] == ' ') && at[len] == '=')
            return strtol(at + len + 1, NULL, 10);
    return otherwise;
}

static void
read_switches(switches *sw)
{
    static const sb_part_kind kinds[] = {SB_PART_BSR, SB_PART_WIN, SB_PART_SHARE,
                                         SB_PART_ELL, SB_PART_ROWS};
    const char *text = getenv("SPBLAS_LEVELS");

    sw->rule.withdraw = word_of(text, "withdraw", 1) != 0;
    sw->rule.ratio = (double)word_of(text, "ratio", 120) / 100;
    sw->rule.levels = (int)word_of(text, "levels", SB_CHOICE_PARTS - 1);
    if (sw->rule.levels < 0 || sw->rule.levels > SB_CHOICE_PARTS - 1)
        sw->rule.levels = SB_CHOICE_PARTS - 1;
    sw->search = word_of(text, "search", 1) != 0;
    sw->only = word_of(text, "only", 0) != 0;
    sw->gate = word_of(text, "gate", 1) != 0;
    sw->without = 0;
    for (int q = 0; q < SB_COUNT(kinds); q++)
        if (word_of(text, sb_part_names[kinds[q]], 1) == 0)
            sw->without |= 1u << kinds[q];
}

/* ---- sample -------------------------------------------------------------------------- */

/* Rows of a window: fewer where rows are long, always a divisor of HEIGHT. */
static int64_t
window_rows(const sb_stats *s)
{
    int64_t rows = HEIGHT;

    while (rows > HEIGHT / 4 &&
           (double)(rows * WINDOWS_MIN) * s->mean > SAMPLE_ENTRIES)
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
look_up(levels *lv, int64_t rows, int64_t *last)
{
    for (int64_t i = 0; i < lv->v.rows; i += rows) {
        memset(last, 0xff, sizeof *last << COLUMN_BITS);
        for (int64_t p = sb_view_lo(&lv->v, i); p < sb_view_lo(&lv->v, i + rows); p++) {
            const int64_t j = sb_view_col(&lv->v, p);
            int64_t *at = &last[j & ((1 << COLUMN_BITS) - 1)];

            lv->above[p] = *at >= 0 && sb_view_col(&lv->v, *at) == j ? *at : -1;
            *at = p;
        }
    }
}

static sb_status
copy_rows(levels *lv, int64_t windows, int64_t rows)
{
    const sb_view *v = &lv->pl->view;
    sb_view *out = &lv->v;
    int64_t nnz = 0, n = 0, i = 0, *ptr, *last;
    int32_t *crd;

    for (int64_t q = 0; q < windows; q++) {
        const int64_t first = window_first(v, q, windows, rows);

        nnz += sb_view_lo(v, first + rows) - sb_view_lo(v, first);
    }
    out->own_ptr = ptr = sb_alloc_array(windows * rows + 1, sizeof *ptr);
    out->own_crd = crd = sb_alloc_array(nnz, sizeof *crd);
    out->own_pos = lv->above = sb_alloc_array(nnz, sizeof *lv->above);
    last = sb_alloc_array(1 << COLUMN_BITS, sizeof *last);
    if (!ptr || !crd || !lv->above || !last) {
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
    look_up(lv, rows, last);
    sb_free(last);
    return n > 0 ? SB_OK : SB_SKIP;
}

static sb_status
sample(levels *lv, const sb_planner *pl)
{
    const sb_stats *s = &pl->stats;
    const int64_t rows = window_rows(s);
    const double entries = s->mean * (double)rows;
    int64_t windows = (int64_t)(SAMPLE_ENTRIES / (entries > 1 ? entries : 1)) + 1;
    sb_status st;

    memset(lv, 0, sizeof *lv);
    lv->pl = pl;
    windows = windows < WINDOWS_MIN ? WINDOWS_MIN : windows;
    if (windows > pl->view.rows / rows)
        windows = pl->view.rows / rows;
    if (windows == 0 || pl->view.block > 1 || pl->view.cols > INT32_MAX || !s->sorted)
        return SB_SKIP;
    lv->v = (sb_view){.cols = pl->view.cols,
                      .block = 1,
                      .ptr_type = SB_I64,
                      .crd_type = SB_I32,
                      .slot_type = SB_I64,
                      .crd_in_place = pl->view.crd_in_place && !pl->view.pos};
    st = copy_rows(lv, windows, rows);
    if (st == SB_OK) {
        lv->by_row = (double)s->rows / (double)lv->v.rows;
        lv->by_entry = (double)s->nnz / (double)lv->v.nnz;
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
    int64_t n = 0;

    if (!p->group[0].add)
        return (double)p->group[0].hi;
    for (int64_t u = 0; u < p->group[0].hi; u++)
        n += sb_index(a->data, a->type, u + 1) > sb_index(a->data, a->type, u) ||
             (left && sb_index(left->data, left->type, (u + 1) * p->width) >
                          sb_index(left->data, left->type, u * p->width));
    return (double)n;
}

/* Entries that the rows of a window share. */
static double
slots_of(const sb_part *p)
{
    const sb_part_array *rest = sb_part_find(p, "win_rest");
    const sb_part_array *crd = sb_part_find(p, "share_crd");

    if (rest)
        return (double)(p->nnz - rest->count);
    if (crd)
        return (double)(p->nnz - crd->count) / (double)(p->width - 1) *
               (double)p->width;
    return (double)p->nnz;
}

static sb_status
select_part(const levels *lv, sb_amounts *am, sb_cover *cv, const sb_part_choice *c)
{
    sb_part p;
    sb_status st = c->kind == SB_PART_BSR   ? sb_part_bsr(&p, cv, c->size, true)
                   : c->kind == SB_PART_WIN ? sb_part_win(&p, cv, c->size, true)
                   : c->kind == SB_PART_SHARE
                       ? sb_part_share(&p, cv, c->size, true)
                       : sb_part_dia(&p, cv, c->size, true);

    if (st == SB_OK && c->kind == SB_PART_DIA)
        *am = (sb_amounts){(double)p.nnz, (double)p.slots, (double)lv->v.rows,
                           (double)lv->v.rows, 1, false, 0};
    else if (st == SB_OK) {
        const double units = units_of(&p);

        *am = (sb_amounts){(double)p.nnz, slots_of(&p), units,
                           units * (double)p.width, 1, false, 0};
    }
    sb_part_free(&p);
    return st;
}

/* What is left, listed in runs between what is taken (rows) or row by row (ell, coo). */
static void
rest_part(const levels *lv, sb_amounts *am, const sb_cover *cv, const sb_part_choice *c)
{
    const int64_t width = c->kind == SB_PART_ELL ? (int64_t)1 << c->k : 1;
    int64_t runs = 0, units = 0, entries = 0;

    for (int64_t i = 0; i < lv->v.rows; i++) {
        const int64_t lo = sb_view_lo(&lv->v, i), hi = sb_view_lo(&lv->v, i + 1);
        int64_t n = 0;

        for (int64_t p = lo; p < hi; p++) {
            const bool left = !(cv->taken && cv->taken[p]);

            n += left;
            runs += left && (p == lo || (cv->taken && cv->taken[p - 1]));
        }
        entries += n;
        units += (n + width - 1) / width;
    }
    *am = (sb_amounts){.entries = (double)entries,
                       .slots = (double)entries,
                       .units = (double)runs,
                       .touches = (double)runs,
                       .partitions = 1};
    if (c->kind == SB_PART_ELL) {
        am->units = am->touches = (double)units;
        am->slots = (double)(units * width);
    } else if (c->kind == SB_PART_COO) {
        am->touches = (double)entries;
    }
}

/* What the cover has and `covered` has not; no cover: all that is left. */
static void
mark_new(const levels *lv, const sb_cover *cv, const uint64_t *covered, uint64_t *points)
{
    for (int64_t p = 0; p < lv->v.nnz; p++)
        if (!cv || cv->taken[p])
            points[p / 64] |= UINT64_C(1) << p % 64;
    for (int64_t w = 0; w < (lv->v.nnz + 63) / 64; w++)
        points[w] &= ~covered[w];
}

/* Share of the points whose column has a point above them in its window. */
static double
reuse_of(const levels *lv, const uint64_t *points)
{
    int64_t n = 0, again = 0;

    for (int64_t w = 0; w < (lv->v.nnz + 63) / 64; w++)
        for (uint64_t left = points[w]; left; left &= left - 1) {
            const int64_t above = lv->above[w * 64 + __builtin_ctzll(left)];

            n++;
            again += above >= 0 && (points[above / 64] >> above % 64 & 1);
        }
    return n ? (double)again / (double)n : 0;
}

/* Of all threads, for a part that takes these points; shares go to place `at`. */
static double
seconds(const levels *lv, sb_cost *total, int at, const sb_part_choice *c,
        sb_amounts am, const uint64_t *points)
{
    const sb_planner *pl = lv->pl;

    am.own_reuse = true;
    am.reuse = reuse_of(lv, points);

    total->share[at] = am.entries / (double)lv->v.nnz;
    total->padding[at] = am.slots > am.entries ? 1 - am.entries / am.slots : 0;
    am.entries *= lv->by_entry;
    am.slots *= lv->by_entry;
    am.units *= lv->by_row;
    am.touches *= lv->by_row;
    return sb_cost_part(&total->terms[at], c, &am, &pl->work, &pl->stats, pl->target,
                        lv->packed, total);
}

/* A choice's parts one after the other. */
static sb_status
replay(const levels *lv, sb_cost *out, const sb_choice *ch)
{
    const int64_t words = (lv->v.nnz + 63) / 64;
    uint64_t *covered = sb_alloc_zero((size_t)words * sizeof *covered);
    uint64_t *points = sb_alloc_array(words, sizeof *points);
    double steps = 1;
    sb_status st = covered && points ? SB_OK : SB_ENOMEM;
    sb_cover cv;

    *out = (sb_cost){0};
    sb_cover_init(&cv, &lv->v);
    for (int q = 0; q < ch->npart && st == SB_OK; q++) {
        const sb_part_choice *c = &ch->part[q];
        sb_amounts am = {0};

        if (q + 1 < ch->npart)
            st = select_part(lv, &am, &cv, c);
        else
            rest_part(lv, &am, &cv, c);
        if (st == SB_OK && am.entries > 0) {
            memset(points, 0, (size_t)words * sizeof *points);
            mark_new(lv, q + 1 < ch->npart ? &cv : NULL, covered, points);
            for (int64_t w = 0; w < words; w++)
                covered[w] |= points[w];
            out->part[q] = seconds(lv, out, q, c, am, points);
            out->seconds += out->part[q];
            steps += q > 0;
        }
        st = st == SB_SKIP ? SB_OK : st;
    }
    sb_cover_free(&cv);
    sb_free(covered);
    sb_free(points);
    sb_cost_close(out, steps, &lv->pl->work, &lv->pl->stats, lv->pl->target);
    return st;
}

/* ---- search ---------------------------------------------------------------------------- */

static bool
worth_trying(const levels *lv, const sb_part_choice *c)
{
    const sb_stats *s = &lv->pl->stats;

    if (lv->sw.without >> c->kind & 1)
        return false;
    if (c->kind == SB_PART_WIN)
        return s->win_share[sb_stats_window(c->size)] >= 0.2;
    if (c->kind == SB_PART_SHARE)
        return s->held_share[sb_stats_window(c->size)] >= 0.2;
    for (int q = 0; q < SB_STATS_BLOCKS; q++)
        if (sb_stats_block_size[q] == c->size)
            return s->block_share[q] >= 0.1;
    return false;
}

static sb_status
cover_of(const levels *lv, sb_cover *cv, const uint64_t *covered, bool first)
{
    sb_cover_init(cv, &lv->v);
    if (first)
        return SB_OK;
    if (sb_cover_open(cv) != SB_OK)
        return SB_ENOMEM;
    memset(cv->touched, 1, (size_t)lv->v.rows);
    for (int64_t p = 0; p < lv->v.nnz; p++)
        cv->taken[p] = covered[p / 64] >> p % 64 & 1;
    return SB_OK;
}

/* The part of an id: of those that take all, what serves the rest of this sample. */
static sb_part_choice
part_of(const levels *lv, int id)
{
    if (id < RESTS)
        return selectable[id];
    if (id == RESTS)
        return (sb_part_choice){.kind = SB_PART_CSR};
    if (id == RESTS + 1)
        return (sb_part_choice){.kind = SB_PART_ROWS, .c = 1, .k = -1};
    return (sb_part_choice){.kind = SB_PART_ELL, .k = lv->rest_k};
}

static int
rest_pieces(levels *lv, const sb_cover *cv, const uint64_t *covered, bool first,
            sb_piece *out)
{
    const bool in = lv->v.crd_in_place;
    const int from = in ? (first ? 0 : 1) : 2;
    sb_amounts am;
    int n = 0;

    rest_part(lv, &am, cv, &(sb_part_choice){.kind = SB_PART_ELL, .k = 0});
    lv->rest_k = sb_mean_k(lv->v.rows, (int64_t)am.entries);
    for (int q = from; q < (first && in ? 1 : 3); q++) {
        const sb_part_choice c = part_of(lv, RESTS + q);
        sb_cost total = {0};

        if ((lv->sw.without >> c.kind & 1) && !(q == 2 && n == 0))
            continue;
        rest_part(lv, &am, cv, &c);
        out[n].id = RESTS + q;
        mark_new(lv, NULL, covered, out[n].points);
        out[n].cost = seconds(lv, &total, 0, &c, am, out[n].points) +
                      (first ? 0 : lv->pl->target->step_seconds);
        n++;
    }
    return n;
}

static int
pieces(void *user, const uint64_t *covered, int selected, sb_piece *out)
{
    levels *lv = user;
    const bool first = selected == 0;
    int n = 0;
    sb_cover cv;

    if (cover_of(lv, &cv, covered, first) != SB_OK)
        goto none;
    n = rest_pieces(lv, &cv, covered, first, out);
    sb_cover_free(&cv);
    for (int q = 0; q < SB_COUNT(selectable) && selected < lv->sw.rule.levels; q++) {
        const sb_part_choice *c = &selectable[q];
        sb_cost total = {0};
        sb_amounts am;
        sb_status st;

        if (!worth_trying(lv, c))
            continue;
        if (cover_of(lv, &cv, covered, first) != SB_OK)
            goto none;
        st = select_part(lv, &am, &cv, c);
        if (st == SB_OK) {
            out[n].id = q;
            out[n].alone = first && c->kind == SB_PART_BSR;
            mark_new(lv, &cv, covered, out[n].points);
            out[n].cost = seconds(lv, &total, 0, c, am, out[n].points) +
                          (first ? 0 : lv->pl->target->step_seconds);
            n++;
        }
        sb_cover_free(&cv);
        if (st == SB_ENOMEM)
            return -1;
    }
    return n;
none:
    sb_cover_free(&cv);
    return -1;
}

/* The selection as a choice; false for plain rows, which are a candidate anyway. */
static bool
choice_of(const levels *lv, sb_choice *out, const sb_selection *sel)
{
    *out = (sb_choice){.op = lv->pl->pb->op, .packed = lv->packed};
    if (sel->n == 1 && sel->id[0] == RESTS && !lv->sw.only)
        return false;
    for (int q = 0; q < sel->n; q++) {
        if (sel->id[q] < RESTS && out->npart == lv->sw.rule.levels)
            continue; /* local search took more than may be: the rest takes it */
        out->part[out->npart++] = part_of(lv, sel->id[q]);
        if (sel->id[q] >= RESTS)
            return true;
    }
    /* windows took all: rows at the end of the matrix are in none */
    out->part[out->npart++] =
        lv->v.crd_in_place ? (sb_part_choice){.kind = SB_PART_ROWS, .c = 1, .k = -1}
                           : (sb_part_choice){.kind = SB_PART_COO};
    return true;
}

static bool
possible(const sb_planner *pl)
{
    return pl->pb->op == SB_OP_SPMM && !pl->pb->device &&
           pl->stats.nnz >= LEAST_ENTRIES &&
           pl->work.c_size >= pl->work.compute_size &&
           !sb_problem_own_structures(pl->pb);
}

/* Full blocks, so that there is a first level, and something beside them for a second. */
static bool
promising(const sb_stats *s)
{
    double blocks = 0;

    for (int q = 0; q < SB_STATS_BLOCKS; q++)
        if (s->block_share[q] > blocks)
            blocks = s->block_share[q];
    return s->mean >= 12 && blocks >= 0.3 && blocks <= 0.95;
}

static void
add_candidate(sb_planner *pl, const sb_weighed *found, bool only)
{
    double best = 0;
    int q;

    for (q = 0; q < pl->nweighed; q++)
        if (!pl->weighed[q].dropped &&
            (best == 0 || pl->weighed[q].cost.seconds < best))
            best = pl->weighed[q].cost.seconds;
    for (q = 0; q < pl->nweighed &&
                !sb_choice_equal(&pl->weighed[q].choice, &found->choice);
         q++)
        ;
    if (q == SB_WEIGHED_MAX)
        return;
    pl->weighed[q].finalist = true;
    if (q == pl->nweighed) {
        pl->weighed[q] = *found;
        pl->weighed[q].order = q;
        pl->nweighed++;
        if (found->cost.seconds > SB_SEARCH_RATIO * best)
            pl->weighed[q].dropped = "no gain from another level";
    }
    for (int k = 0; only && k < pl->nweighed; k++)
        pl->weighed[k].dropped = k == q ? NULL : "SPBLAS_LEVELS leaves one";
}

static sb_status
search(levels *lv, sb_planner *pl)
{
    const sb_covering space = {lv->v.nnz, pieces, lv};
    sb_weighed found = {.finalist = true};
    sb_selection sel;
    sb_greedy_rule rule = lv->sw.rule;

    rule.levels = 0; /* a part beyond the last level takes all that is left */
    SB_TRY(sb_greedy_cover(&sel, &space, &rule));
    pl->rounds += sel.rounds;
    pl->withdrawn += sel.withdrawn;
    if (!choice_of(lv, &found.choice, &sel))
        return SB_OK;
    SB_TRY(replay(lv, &found.cost, &found.choice));
    add_candidate(pl, &found, lv->sw.only);
    if (pl->opt->values_frozen && pl->pb->a.batch <= 1 && !lv->sw.only &&
        sb_choice_packable(&found.choice)) {
        found.choice.packed = lv->packed = true;
        SB_TRY(replay(lv, &found.cost, &found.choice));
        add_candidate(pl, &found, false);
    }
    return SB_OK;
}

sb_status
sb_levels_search(sb_planner *pl)
{
    const double begin = sb_clock();
    switches sw;
    sb_status st;
    levels lv;

    read_switches(&sw);
    if (!sw.search || !possible(pl) || (sw.gate && !promising(&pl->stats)))
        return SB_OK;
    st = sample(&lv, pl);
    lv.sw = sw;
    if (st == SB_OK)
        st = search(&lv, pl);
    if (st == SB_OK && !lv.sw.only && lv.v.crd_in_place &&
        pl->opt->effort != SB_EFFORT_ESTIMATE) {
        /* windows hide blocks from the model; the clock may see it otherwise */
        lv.sw.without |= 1u << SB_PART_WIN | 1u << SB_PART_SHARE;
        lv.packed = false;
        st = search(&lv, pl);
    }
    sb_view_free(&lv.v);
    pl->searched = sb_clock() - begin;
    return st == SB_ENOMEM ? st : SB_OK;
}

void
sb_levels_predict(sb_cost *out, const sb_planner *pl, const sb_choice *ch)
{
    sb_status st = SB_SKIP;
    levels lv;

    if (sb_choice_levels(ch)) {
        st = sample(&lv, pl);
        lv.packed = ch->packed;
        if (st == SB_OK)
            st = replay(&lv, out, ch);
        sb_view_free(&lv.v);
    }
    if (st != SB_OK)
        sb_cost_predict(out, ch, &pl->work, &pl->stats, pl->target);
}
