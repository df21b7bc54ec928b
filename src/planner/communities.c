/*
 * Louvain's communities (Blondel et al., Fast unfolding of communities in large networks) of
 * the graph whose vertices are the rows and whose edges are the entries, row i to row j for a
 * column j. A vertex joins the community that most of its edges lead to, less those that would
 * by chance; then communities are vertices, and so on for a few levels. Rows come by
 * communities of communities.
 *
 * Edges are followed from their rows alone: A^T would cost as much as a level, and where A is
 * its own transpose in structure nothing is lost. Nor is a graph of communities made. A vertex
 * of any level is a run of rows in the order so far, and its edges are the entries of those
 * rows, read again.
 */
#include "planner/communities.h"

#include "base/alloc.h"

enum {
    LEVELS = 3,
    SWEEPS = 2, /* over all rows; over communities one */
    FEW = 64    /* part of the vertices below which moves end a level */
};

/* Both are looked at for each entry. */
typedef struct place {
    int32_t run, community;
} place;

/* Of a community. */
typedef struct sum {
    int32_t links;  /* entries of the run at hand that lead there; 0 between runs */
    int32_t volume; /* entries of its rows */
} sum;

typedef struct graph {
    const sb_view *v;
    int32_t rows, runs;
    int32_t *order, *other; /* rows, run by run, and of the next level */
    int32_t *first;         /* of a run in order, and where the last one ends */
    int32_t *seen;          /* communities that the run at hand leads to */
    place *of;              /* by row */
    sum *at;                /* by community */
} graph;

static int32_t
entries(const graph *g, int32_t run)
{
    int64_t sum = 0;

    for (int32_t q = g->first[run]; q < g->first[run + 1]; q++)
        sum += sb_view_lo(g->v, g->order[q] + 1) - sb_view_lo(g->v, g->order[q]);
    return (int32_t)sum;
}

/* Counts where a run's entries lead to, itself left out; how many communities. */
static int32_t
follow(graph *g, int32_t run)
{
    int32_t n = 0;

    for (int32_t q = g->first[run]; q < g->first[run + 1]; q++) {
        const int64_t hi = sb_view_lo(g->v, g->order[q] + 1);

        for (int64_t p = sb_view_lo(g->v, g->order[q]); p < hi; p++) {
            const place to = g->of[sb_view_col(g->v, p)];

            if (to.run == run)
                continue;
            g->seen[n] = to.community;
            n += g->at[to.community].links++ == 0;
        }
    }
    return n;
}

/* Links above those that chance would give, times all entries: exact, below 2^62. */
static int64_t
gain(const graph *g, int32_t community, int64_t degree)
{
    return g->at[community].links * g->v->nnz - degree * g->at[community].volume;
}

/* Moves a run to the community where it gains most; its own if that is as good. */
static bool
move(graph *g, int32_t run)
{
    const int32_t own = g->of[g->order[g->first[run]]].community;
    const int32_t degree = entries(g, run), n = follow(g, run);
    int32_t best = own;
    int64_t most;

    g->at[own].volume -= degree;
    most = gain(g, own, degree);
    for (int32_t q = 0; q < n; q++) {
        const int64_t there = gain(g, g->seen[q], degree);

        if (there > most) {
            most = there;
            best = g->seen[q];
        }
        g->at[g->seen[q]].links = 0;
    }
    g->at[best].volume += degree;
    if (best == own)
        return false;
    for (int32_t q = g->first[run]; q < g->first[run + 1]; q++)
        g->of[g->order[q]].community = best;
    return true;
}

static void
join(graph *g, int sweeps)
{
    for (int32_t run = 0; run < g->runs; run++)
        g->at[run] = (sum){0, entries(g, run)};
    for (int sweep = 0; sweep < sweeps; sweep++) {
        int32_t moved = 0;

        for (int32_t run = 0; run < g->runs; run++)
            moved += move(g, run);
        if (moved <= g->runs / FEW)
            return;
    }
}

/*
 * Communities become runs, in the order of their first rows. What lies inside the runs of the
 * first two levels is found in the caches in any order: their rows keep the matrix's, by which
 * C is written, and the next level's runs keep theirs.
 */
static void
collect(graph *g, int level)
{
    const bool kept = level > 1;
    int32_t *from = g->order, runs = 0;

    for (int32_t run = 0; run < g->runs; run++)
        g->seen[run] = -1;
    for (int32_t q = 0; q < g->rows; q++) {
        place *to = &g->of[kept ? from[q] : q];

        if (g->seen[to->community] < 0) {
            g->seen[to->community] = runs;
            g->at[runs++].links = 0;
        }
        to->run = to->community = g->seen[to->community];
        g->at[to->run].links++;
    }
    for (int32_t run = 0, rows = 0; run < runs; run++) {
        g->first[run] = rows;
        rows += g->at[run].links;
        g->at[run].links = g->first[run];
    }
    g->first[runs] = g->rows;
    for (int32_t q = 0; q < g->rows; q++) {
        const int32_t i = kept ? from[q] : q;

        g->other[g->at[g->of[i].run].links++] = i;
    }
    g->order = g->other;
    g->other = from;
    g->runs = runs;
}

static void
run(graph *g)
{
    g->runs = g->rows;
    for (int32_t i = 0; i < g->rows; i++) {
        g->order[i] = g->first[i] = i;
        g->of[i] = (place){i, i};
    }
    g->first[g->rows] = g->rows;
    for (int level = 0; level < LEVELS; level++) {
        const int32_t before = g->runs;

        join(g, level == 0 ? SWEEPS : 1);
        collect(g, level);
        if (g->runs == before)
            return;
    }
}

bool
sb_communities_suit(const sb_view *v)
{
    return v->rows == v->cols && v->block <= 1 && v->rows < INT32_MAX &&
           v->nnz < INT32_MAX;
}

sb_status
sb_communities_order(int32_t *order, const sb_view *v)
{
    const int64_t n = v->rows;
    graph g = {.v = v, .rows = (int32_t)n, .order = order};
    int32_t *other;

    if (!sb_communities_suit(v))
        return SB_SKIP;
    g.other = other = sb_alloc_array(n, sizeof *g.other);
    g.first = sb_alloc_array(n + 1, sizeof *g.first);
    g.seen = sb_alloc_array(n + 1, sizeof *g.seen);
    g.of = sb_alloc_array(n, sizeof *g.of);
    g.at = sb_alloc_array(n, sizeof *g.at);
    if (other && g.first && g.seen && g.of && g.at) {
        run(&g);
        for (int32_t q = 0; g.order != order && q < g.rows; q++)
            order[q] = g.order[q];
    }
    sb_free(g.at);
    sb_free(g.of);
    sb_free(g.seen);
    sb_free(g.first);
    sb_free(other);
    return other && g.first && g.seen && g.of && g.at ? SB_OK : SB_ENOMEM;
}

/* Rows that are looked at, columns of each, and entries above which a row is not compared. */
enum { SAMPLES = 128, COLUMNS = 4, COMPARED = 1024 };

/* Columns that both rows name, but the rows themselves; of the other one's, how many others there are. */
static int64_t
common(const sb_view *v, int64_t one, int64_t other, int64_t *of)
{
    const int64_t end = sb_view_lo(v, one + 1), past = sb_view_lo(v, other + 1);
    int64_t found = 0, p = sb_view_lo(v, one);

    for (int64_t q = sb_view_lo(v, other); q < past; q++) {
        const int64_t b = sb_view_col(v, q);

        if (b == one || b == other)
            continue;
        ++*of;
        while (p < end && sb_view_col(v, p) < b)
            p++;
        found += p < end && sb_view_col(v, p) == b;
    }
    return found;
}

double
sb_communities_closed(const sb_view *v)
{
    const int64_t n = v->rows < SAMPLES ? v->rows : SAMPLES;
    int64_t of = 0, both = 0;

    if (!sb_communities_suit(v))
        return 0;
    for (int64_t q = 0; q < n; q++) {
        const int64_t i = v->rows / n * q + v->rows % n * q / n;
        const int64_t lo = sb_view_lo(v, i), len = sb_view_lo(v, i + 1) - lo;
        const int64_t most = len < COLUMNS ? len : COLUMNS;

        for (int64_t t = 0; t < most && len <= COMPARED; t++) {
            const int64_t j = sb_view_col(v, lo + len * (2 * t + 1) / (2 * most));

            if (j != i && sb_view_lo(v, j + 1) - sb_view_lo(v, j) <= COMPARED)
                both += common(v, i, j, &of);
        }
    }
    return of > 0 ? (double)both / (double)of : 0;
}
