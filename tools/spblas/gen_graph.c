/*
 * Random graphs: power law with given nodes, edges and largest degree (Chung and Lu's
 * model), R-MAT, uniform, nearest neighbours.
 */
#include "gen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t
gen_distinct(uint64_t *key, uint64_t *tmp, int64_t count)
{
    int64_t n[256], p, to = 0;
    int shift, d;

    for (shift = 0; shift < 64; shift += 8) {
        memset(n, 0, sizeof n);
        for (p = 0; p < count; p++)
            n[key[p] >> shift & 255]++;
        if (count && n[key[0] >> shift & 255] == count)
            continue;
        for (p = 0, d = 0; d < 256; d++) {
            const int64_t here = n[d];

            n[d] = p;
            p += here;
        }
        for (p = 0; p < count; p++)
            tmp[n[key[p] >> shift & 255]++] = key[p];
        memcpy(key, tmp, (size_t)count * sizeof *key);
    }
    for (p = 0; p < count; p++)
        if (p == 0 || key[p] != key[to - 1])
            key[to++] = key[p];
    return to;
}

/* Draws distinct keys until there are `want`, at most 40 rounds. */
typedef struct draw {
    uint64_t (*next)(const void *model, tool_rng *r);
    const void *model;
} draw;

static int64_t
draw_distinct(const draw *d, tool_rng *r, int64_t want, uint64_t **out)
{
    const int64_t room = want + want / 4 + 64;
    uint64_t *key = tool_memory(room, sizeof *key);
    uint64_t *tmp = tool_memory(room, sizeof *tmp);
    int64_t have = 0, extra;
    int round;

    for (round = 0; round < 40 && have < want; round++) {
        extra = (want - have) + (want - have) / 8 + 16;
        for (; extra > 0 && have < room; extra--)
            key[have++] = d->next(d->model, r);
        have = gen_distinct(key, tmp, have);
        tool_progress("drawing", (double)have, (double)want);
    }
    /* Too many: drop evenly, so that no part of the matrix loses more than another. */
    if (have > want) {
        int64_t p, to = 0;

        for (p = 0; p < have; p++)
            if ((p + 1) * want / have > p * want / have)
                key[to++] = key[p];
        have = to;
    }
    free(tmp);
    *out = key;
    return have;
}

/* A place in the graph: node of rank p has id[p]; ranks are drawn by weight. */
typedef struct power_model {
    int64_t nodes, blocks;
    double *sum; /* sums of weights, per block the same */
    int64_t *id;
} power_model;

static int64_t
power_pick(const power_model *m, tool_rng *r)
{
    const int64_t n = m->nodes / m->blocks;
    const double x = rng_unit(r) * m->sum[n - 1];
    int64_t lo = 0, hi = n - 1;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (m->sum[mid] > x)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static uint64_t
power_edge(const void *model, tool_rng *r)
{
    const power_model *m = model;
    const int64_t n = m->nodes / m->blocks, base = rng_below(r, m->blocks) * n;
    int64_t i, j, t;

    do {
        i = power_pick(m, r);
        j = power_pick(m, r);
    } while (i == j);
    i = m->id[base + i];
    j = m->id[base + j];
    if (i < j) {
        t = i;
        i = j;
        j = t;
    }
    return (uint64_t)i << 32 | (uint64_t)j;
}

/* Fills the sums of (p + shift)^-0.67, weights of a power law with exponent 2.5;
 * returns the largest one's share. */
static double
power_weights(double *sum, int64_t n, double shift)
{
    double total = 0.0;
    int64_t p;

    for (p = 0; p < n; p++)
        sum[p] = total += pow((double)p + shift, -0.667);
    return sum[0] / total;
}

const char *
gen_power_graph(gen_options *opt, tool_rng *r, mm_builder *to)
{
    const int64_t blocks = opt->block > 0 ? opt->block : 1, n = opt->rows / blocks;
    power_model model = {n * blocks, blocks, NULL, NULL};
    draw d = {power_edge, &model};
    double lo = 0.1, hi = 0.5 * (double)opt->rows, top;
    uint64_t *key;
    int64_t p, have;
    int k;

    opt->cols = opt->rows;
    if (n < 2 ||
        (double)opt->edges > 0.5 * (double)n * (double)(n - 1) * (double)blocks)
        return "too few rows for so many edges";
    model.sum = tool_memory(n, sizeof *model.sum);
    model.id = tool_memory(n * blocks, sizeof *model.id);
    for (k = 0; k < 40; k++) {
        const double mid = sqrt(lo * hi);

        top = power_weights(model.sum, n, mid) * (double)opt->edges / (double)blocks;
        if (top > (double)opt->top)
            lo = mid;
        else
            hi = mid;
    }
    for (p = 0; p < n * blocks; p++)
        model.id[p] = p;
    for (p = n * blocks - 1; p > 0; p--) {
        const int64_t q = p / n * n + rng_below(r, p % n + 1), t = model.id[p];

        model.id[p] = model.id[q];
        model.id[q] = t;
    }
    have = draw_distinct(&d, r, opt->edges / 2, &key);
    for (p = 0; p < have; p++) {
        mm_builder_add(to, (int64_t)(key[p] >> 32), (int64_t)(key[p] & UINT32_MAX), 1,
                       0);
        mm_builder_add(to, (int64_t)(key[p] & UINT32_MAX), (int64_t)(key[p] >> 32), 1,
                       0);
    }
    /* An odd number of edges has one node that points to itself. */
    if (opt->edges % 2)
        mm_builder_add(to, model.id[0], model.id[0], 1, 0);
    free(key);
    free(model.sum);
    free(model.id);
    return NULL;
}

static uint64_t
rmat_edge(const void *model, tool_rng *r)
{
    const gen_options *o = model;
    uint64_t i, j;
    int64_t bit;

    do {
        i = j = 0;
        for (bit = 1; bit < o->rows; bit *= 2) {
            const double x = rng_unit(r);

            i = i << 1 | (x >= 0.76);
            j = j << 1 | ((x >= 0.57 && x < 0.76) || x >= 0.95);
        }
    } while (i >= (uint64_t)o->rows || j >= (uint64_t)o->rows);
    /* Shuffled labels: an odd factor and a shift of the number, modulo a power of two
     * when there is one. */
    if ((o->rows & (o->rows - 1)) == 0) {
        i = (i * 0x9e3779b1u + 12345u) & (uint64_t)(o->rows - 1);
        j = (j * 0x9e3779b1u + 12345u) & (uint64_t)(o->rows - 1);
    }
    return i << 32 | j;
}

static void
add_keys(mm_builder *to, uint64_t *key, int64_t count)
{
    int64_t p;

    for (p = 0; p < count; p++)
        mm_builder_add(to, (int64_t)(key[p] >> 32), (int64_t)(key[p] & UINT32_MAX), 1,
                       0);
    free(key);
}

const char *
gen_rmat(gen_options *opt, tool_rng *r, mm_builder *to)
{
    draw d = {rmat_edge, opt};
    uint64_t *key;
    int64_t have;

    opt->cols = opt->rows;
    if (opt->rows < 4 || opt->degree > opt->rows / 4)
        return "--degree is at most a quarter of --rows";
    have = draw_distinct(&d, r, opt->rows * opt->degree, &key);
    add_keys(to, key, have);
    return NULL;
}

static uint64_t
uniform_place(const void *model, tool_rng *r)
{
    const gen_options *o = model;
    const uint64_t i = (uint64_t)rng_below(r, o->rows);

    return i << 32 | (uint64_t)rng_below(r, o->cols);
}

const char *
gen_uniform(gen_options *opt, tool_rng *r, mm_builder *to)
{
    draw d = {uniform_place, opt};
    uint64_t *key;
    int64_t have, want = opt->rows * opt->degree;

    if (opt->density > 0.0)
        want = (int64_t)((double)opt->rows * (double)opt->cols * opt->density);
    if ((double)want > 0.5 * (double)opt->rows * (double)opt->cols)
        return "at most half of all places";
    have = draw_distinct(&d, r, want, &key);
    add_keys(to, key, have);
    return NULL;
}

/* ---- Nearest neighbours ---------------------------------------------------------- */

enum { KNN_MAX = 64 };

typedef struct points {
    int64_t n, side; /* side^3 cells */
    double *x;       /* three a point */
    int64_t *start, *member;
} points;

static int64_t
cell_of(const points *pt, int64_t p, int axis)
{
    return (int64_t)(pt->x[3 * p + axis] * (double)pt->side);
}

static void
sort_into_cells(points *pt)
{
    const int64_t cells = pt->side * pt->side * pt->side;
    int64_t p, c, *at = tool_memory(cells + 1, sizeof *at);

    for (p = 0; p < pt->n; p++) {
        c = (cell_of(pt, p, 0) * pt->side + cell_of(pt, p, 1)) * pt->side +
            cell_of(pt, p, 2);
        pt->start[c + 1]++;
    }
    for (c = 0; c < cells; c++)
        pt->start[c + 1] += pt->start[c];
    memcpy(at, pt->start, (size_t)cells * sizeof *at);
    for (p = 0; p < pt->n; p++) {
        c = (cell_of(pt, p, 0) * pt->side + cell_of(pt, p, 1)) * pt->side +
            cell_of(pt, p, 2);
        pt->member[at[c]++] = p;
    }
    free(at);
}

typedef struct nearest {
    int64_t who[KNN_MAX];
    double far[KNN_MAX];
    int count, want;
} nearest;

static void
offer(nearest *best, int64_t who, double far)
{
    int k = best->count < best->want ? best->count++ : best->want;

    if (k == best->want && far >= best->far[--k])
        return;
    for (; k > 0 && best->far[k - 1] > far; k--) {
        best->far[k] = best->far[k - 1];
        best->who[k] = best->who[k - 1];
    }
    best->far[k] = far;
    best->who[k] = who;
}

/* Looks at all cells at distance `ring` (largest axis) from point p's cell. */
static void
look_in_ring(const points *pt, int64_t p, int64_t ring, nearest *best)
{
    const int64_t c0 = cell_of(pt, p, 0), c1 = cell_of(pt, p, 1),
                  c2 = cell_of(pt, p, 2);
    int64_t a, b, c, q;

    for (a = c0 - ring; a <= c0 + ring; a++)
        for (b = c1 - ring; b <= c1 + ring; b++)
            for (c = c2 - ring; c <= c2 + ring; c++) {
                const int64_t cell = (a * pt->side + b) * pt->side + c;
                const bool edge = llabs(a - c0) == ring || llabs(b - c1) == ring ||
                                  llabs(c - c2) == ring;

                if (!edge || a < 0 || b < 0 || c < 0 || a >= pt->side ||
                    b >= pt->side || c >= pt->side)
                    continue;
                for (q = pt->start[cell]; q < pt->start[cell + 1]; q++) {
                    const double *x = pt->x + 3 * p, *y = pt->x + 3 * pt->member[q];
                    const double u = x[0] - y[0], v = x[1] - y[1], w = x[2] - y[2];

                    if (pt->member[q] != p)
                        offer(best, pt->member[q], u * u + v * v + w * w);
                }
            }
}

const char *
gen_knn(gen_options *opt, tool_rng *r, mm_builder *to)
{
    points pt = {.n = opt->rows};
    int64_t p, ring;
    int k;

    opt->cols = opt->rows;
    if (opt->degree < 1 || opt->degree > KNN_MAX || opt->degree >= opt->rows)
        return "--degree is 1 .. 64 and below --rows";
    pt.side = (int64_t)cbrt((double)pt.n / (double)opt->degree) + 1;
    pt.x = tool_memory(3 * pt.n, sizeof *pt.x);
    pt.start = tool_memory(pt.side * pt.side * pt.side + 1, sizeof *pt.start);
    pt.member = tool_memory(pt.n, sizeof *pt.member);
    for (p = 0; p < 3 * pt.n; p++)
        pt.x[p] = rng_unit(r);
    sort_into_cells(&pt);
    for (p = 0; p < pt.n; p++) {
        nearest best = {.want = (int)opt->degree};

        for (ring = 0; ring <= pt.side; ring++) {
            const double reach = ring > 0 ? (double)(ring - 1) / (double)pt.side : 0.0;

            if (best.count == best.want && best.far[best.want - 1] <= reach * reach)
                break;
            look_in_ring(&pt, p, ring, &best);
        }
        for (k = 0; k < best.count; k++)
            mm_builder_add(to, p, best.who[k], 1, 0);
        tool_progress("searching", (double)p, (double)pt.n);
    }
    free(pt.x);
    free(pt.start);
    free(pt.member);
    return NULL;
}
