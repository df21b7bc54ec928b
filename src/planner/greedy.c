/*
 * Each round takes the piece that costs least for each point it adds, and with it those
 * whose average is within `ratio` of that. A piece that writes alone may instead replace
 * pieces inside it; then it costs only what they do not (withdrawal).
 */
#include "planner/greedy.h"

#include "base/alloc.h"

#include <string.h>

typedef struct chosen {
    sb_piece piece; /* its points are in `greedy.chosen_bits` */
    bool gone;
} chosen;

typedef struct greedy {
    const sb_covering *space;
    const sb_greedy_rule *rule;
    int64_t words;
    int npiece, nfirst, nchosen;
    sb_piece piece[SB_PIECES_MAX]; /* of this level */
    sb_piece first[SB_PIECES_MAX]; /* of the first, for withdrawal */
    chosen chosen[SB_PIECES_MAX];
    uint64_t *covered,
        *bits; /* bits: of piece, first and chosen, one after the other */
    int withdrawn;
} greedy;

static int64_t
count_new(const greedy *g, const uint64_t *points)
{
    int64_t n = 0;

    for (int64_t w = 0; w < g->words; w++)
        n += __builtin_popcountll(points[w] & ~g->covered[w]);
    return n;
}

static bool
inside(const greedy *g, const uint64_t *inner, const uint64_t *outer)
{
    for (int64_t w = 0; w < g->words; w++)
        if (inner[w] & ~outer[w])
            return false;
    return true;
}

/* Seconds of the selected pieces that this one contains. */
static double
replaced(const greedy *g, const sb_piece *p)
{
    double cost = 0;

    for (int q = 0; q < g->nchosen; q++)
        if (!g->chosen[q].gone && inside(g, g->chosen[q].piece.points, p->points))
            cost += g->chosen[q].piece.cost;
    return cost;
}

/* The index with the least average in *average; -1 when none adds a point. */
static int
cheapest(const greedy *g, const sb_piece *list, int n, bool withdraw, double *average)
{
    int best = -1;

    for (int q = 0; q < n; q++) {
        const int64_t fresh = count_new(g, list[q].points);
        const double off = withdraw ? replaced(g, &list[q]) : 0;
        double a;

        if (fresh == 0 || (withdraw && (off == 0 || !list[q].alone)))
            continue;
        a = (list[q].cost - off) / (double)fresh;
        if (best < 0 || a < *average) {
            best = q;
            *average = a;
        }
    }
    return best;
}

static void
take(greedy *g, const sb_piece *p, bool withdraw)
{
    chosen *c = &g->chosen[g->nchosen];
    const int64_t at = 2 * SB_PIECES_MAX + g->nchosen;

    for (int q = 0; withdraw && q < g->nchosen; q++)
        if (!g->chosen[q].gone && inside(g, g->chosen[q].piece.points, p->points)) {
            g->chosen[q].gone = true;
            g->withdrawn++;
        }
    c->piece = *p;
    c->gone = false;
    c->piece.points = g->bits + at * g->words;
    memcpy(c->piece.points, p->points, (size_t)g->words * sizeof *p->points);
    for (int64_t w = 0; w < g->words; w++)
        g->covered[w] |= p->points[w];
    g->nchosen++;
}

static int
selected(const greedy *g)
{
    int n = 0;

    for (int q = 0; q < g->nchosen; q++)
        n += !g->chosen[q].gone;
    return n;
}

static sb_status
next_level(greedy *g, bool first)
{
    uint64_t *bits = g->bits;

    memset(bits, 0, (size_t)(SB_PIECES_MAX * g->words) * sizeof *bits);
    for (int q = 0; q < SB_PIECES_MAX; q++)
        g->piece[q].points = bits + q * g->words;
    g->npiece = g->space->pieces(g->space->user, g->covered, selected(g), g->piece);
    if (g->npiece < 0)
        return SB_ENOMEM;
    if (first) {
        g->nfirst = g->npiece;
        memcpy(bits + SB_PIECES_MAX * g->words, bits,
               (size_t)(SB_PIECES_MAX * g->words) * sizeof *bits);
        memcpy(g->first, g->piece, sizeof g->first);
        for (int q = 0; q < SB_PIECES_MAX; q++)
            g->first[q].points = bits + (SB_PIECES_MAX + q) * g->words;
    }
    return SB_OK;
}

static sb_status
round_of(greedy *g)
{
    double average = 0, off = 0;
    const int best = cheapest(g, g->piece, g->npiece, false, &average);
    const int other =
        g->rule->withdraw ? cheapest(g, g->first, g->nfirst, true, &off) : -1;

    if (best < 0)
        return SB_ENOTSUP;
    if (other >= 0 && off <= average) {
        average = off;
        take(g, &g->first[other], true);
    } else {
        take(g, &g->piece[best], false);
    }
    for (int q = 0; q < g->npiece && g->nchosen < SB_PIECES_MAX; q++) {
        const int64_t fresh = count_new(g, g->piece[q].points);

        if (fresh > 0 && g->piece[q].cost <= g->rule->ratio * average * (double)fresh)
            take(g, &g->piece[q], false);
    }
    return SB_OK;
}

static bool
all_covered(const greedy *g)
{
    int64_t n = 0;

    for (int64_t w = 0; w < g->words; w++)
        n += __builtin_popcountll(g->covered[w]);
    return n == g->space->points;
}

static sb_status
cover(greedy *g, sb_selection *out)
{
    SB_TRY(next_level(g, true));
    while (!all_covered(g)) {
        if (g->nchosen == SB_PIECES_MAX)
            return SB_ENOTSUP;
        SB_TRY(round_of(g));
        out->rounds++;
        if ((g->rule->levels == 0 || out->rounds < g->rule->levels) && !all_covered(g))
            SB_TRY(next_level(g, false));
    }
    for (int q = 0; q < g->nchosen; q++)
        if (!g->chosen[q].gone) {
            out->id[out->n++] = g->chosen[q].piece.id;
            out->cost += g->chosen[q].piece.cost;
        }
    out->withdrawn = g->withdrawn;
    return SB_OK;
}

sb_status
sb_greedy_cover(sb_selection *out, const sb_covering *space, const sb_greedy_rule *rule)
{
    const int64_t words = (space->points + 63) / 64;
    greedy *g = sb_alloc_zero(sizeof *g);
    sb_status st = SB_ENOMEM;

    memset(out, 0, sizeof *out);
    if (g) {
        g->space = space;
        g->rule = rule;
        g->words = words;
        g->covered = sb_alloc_zero((size_t)words * sizeof *g->covered);
        g->bits = sb_alloc_array(3 * SB_PIECES_MAX * words, sizeof *g->bits);
        if (g->covered && g->bits)
            st = cover(g, out);
        sb_free(g->covered);
        sb_free(g->bits);
    }
    sb_free(g);
    return st;
}
