/*
 * Entries dressed as BSR, Blocked-ELL or Sliced-ELL: each has its slot of the values; slots
 * of blocks that have no entry are zero, empty ones hold NaN.
 */
#include "trilab.h"

#include "call.h"

#include <stdlib.h>
#include <string.h>

/* Blocks of a row of blocks, one after another as their first entries come. */
typedef struct grid {
    int64_t block, side, most; /* of a row of blocks */
    int64_t *order;            /* [side * side]: number in its row, or -1 */
    int64_t *count;            /* [side] */
} grid;

static void
drop_doubles(tri_lab *l)
{
    char *seen = calloc((size_t)(l->n * l->n + 1), 1);
    int64_t kept = 0;

    for (int64_t p = 0; p < l->nnz; p++) {
        const tri_entry e = l->e[p];

        if (!seen[e.i * l->n + e.j])
            l->e[kept++] = e;
        seen[e.i * l->n + e.j] = 1;
    }
    l->nnz = kept;
    free(seen);
}

static grid
make_grid(const tri_lab *l, int64_t block)
{
    grid g = {.block = block, .side = l->n / block};

    g.order = malloc((size_t)(g.side * g.side + 1) * sizeof *g.order);
    g.count = calloc((size_t)(g.side + 1), sizeof *g.count);
    memset(g.order, 0xff, (size_t)(g.side * g.side) * sizeof *g.order);
    for (int64_t p = 0; p < l->nnz; p++) {
        const int64_t u = l->e[p].i / block;
        int64_t *order = &g.order[u * g.side + l->e[p].j / block];

        if (*order < 0)
            *order = g.count[u]++;
        g.most = g.count[u] > g.most ? g.count[u] : g.most;
    }
    return g;
}

static void *
indices(const tri_lab *l, int64_t count, int64_t value)
{
    void *a = malloc((size_t)(count + 1) * sizeof(int64_t));

    for (int64_t p = 0; p <= count; p++)
        sb_index_store(a, l->index, p, value);
    return a;
}

/* Offsets of `rows` rows, of as many slots as the longest of `tall` rows of the grid has,
 * times `tall`; returns the slots. */
static int64_t
make_offsets(tri_lab *l, const grid *g, int64_t tall)
{
    const int64_t rows = (g->side + tall - 1) / tall;
    int64_t at = 0;

    l->ptr = indices(l, rows, l->base);
    for (int64_t s = 0; s < rows; s++) {
        int64_t most = 0;

        for (int64_t u = s * tall; u < (s + 1) * tall && u < g->side; u++)
            most = g->count[u] > most ? g->count[u] : most;
        at += most * tall;
        sb_index_store(l->ptr, l->index, s + 1, at + l->base);
    }
    return at;
}

void
tri_dress_slots(tri_lab *l, spblasFormat_t format)
{
    const spblasIndexType_t it = call_index_type(l->index);
    const spblasIndexBase_t base = (spblasIndexBase_t)l->base;
    const bool sliced = format == SPBLAS_FORMAT_SLICED_ELLPACK;
    const bool bell = format == SPBLAS_FORMAT_BLOCKED_ELL;
    const int64_t b = sliced ? 1 : l->n % 3 == 0 ? 3 : l->n % 2 == 0 ? 2 : 1;
    const int64_t tall = sliced ? 1 + l->n % 4 : 1;
    const spblasDataType_t t = call_type(l->type);
    int64_t units;
    grid g;

    drop_doubles(l);
    g = make_grid(l, b);
    units = bell ? g.side * g.most : make_offsets(l, &g, tall);
    l->slots = units * b * b;
    l->col = indices(l, units, -1);
    l->place = malloc((size_t)(l->nnz + 1) * sizeof *l->place);
    l->val = calloc((size_t)(l->slots + 1), sb_dtype_size(l->type));
    if (sliced)
        memset(l->val, 0xff, (size_t)l->slots * sb_dtype_size(l->type));
    for (int64_t p = 0; p < l->nnz; p++) {
        const int64_t i = l->e[p].i, j = l->e[p].j, u = i / b;
        const int64_t q = g.order[u * g.side + j / b];
        const int64_t unit =
            bell ? u * g.most + q
                 : sb_index(l->ptr, l->index, u / tall) - l->base + q * tall + u % tall;

        sb_index_store(l->col, l->index, unit, j / b + l->base);
        l->place[p] =
            bell ? i * g.most * b + q * b + j % b : (unit * b + i % b) * b + j % b;
    }
    tri_store_values(l);
    if (sliced)
        tri_ok(spblasCreateSlicedEll(&l->A, l->n, l->n, l->nnz, l->slots, tall, l->ptr,
                                     l->col, l->val, it, it, base, t));
    else if (bell)
        tri_ok(spblasCreateBlockedEll(&l->A, l->n, l->n, b, g.most * b, l->col, l->val,
                                      it, base, t));
    else
        tri_ok(spblasCreateBsr(&l->A, g.side, g.side, units, b, b, l->ptr, l->col,
                               l->val, it, it, base, t, SPBLAS_ORDER_ROW));
    free(g.order);
    free(g.count);
}
