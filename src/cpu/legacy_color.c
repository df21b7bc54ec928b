/*
 * Colouring row after row: each takes the lowest colour that no neighbour above it has. On
 * one thread: docs/design.md has what orders for several cost.
 */
#include "base/alloc.h"
#include "base/fault.h"
#include "cpu/legacy.h"

#include <string.h>

/* All rows; taken: [m + 1], colours of neighbours of row - 1. */
static int32_t
color_all(const sb_coloring *c, int32_t *taken)
{
    const int32_t *ptr = c->ptr, *idx = c->idx, base = c->base;
    int32_t most = 0;

    memset(taken, 0, (size_t)(c->m + 1) * sizeof *taken);
    for (int64_t i = 0; i < c->m; i++) {
        int32_t k = 0;

        for (int64_t p = ptr[i] - base; p < ptr[i + 1] - base; p++)
            if (idx[p] - base < i && !SB_FAULT(COLOR_BACK))
                taken[c->color[idx[p] - base]] = (int32_t)i + 1;
        while (taken[k] == (int32_t)i + 1)
            k++;
        c->color[i] = k;
        most = k + 1 > most ? k + 1 : most;
    }
    return most;
}

/* The lowest colours that have the fraction of all rows stay; every row of another gets one
 * of its own, in order. rows: of each colour. Returns how many colours there are then. */
static int32_t
cut_short(const sb_coloring *c, int32_t *rows, int32_t colors)
{
    const double wanted = c->fraction * (double)c->m;
    int64_t done = 0;
    int32_t stay = 0, all;

    while (stay < colors && (double)done < wanted)
        done += rows[stay++];
    all = stay;
    for (int64_t i = 0; i < c->m && stay < colors; i++)
        if (c->color[i] >= stay) {
            c->color[i] = all;
            rows[all++] = 1;
        }
    return all;
}

/* Rows by colour, in order. */
static void
sort_rows(const sb_coloring *c, int32_t *next, int64_t colors)
{
    int32_t sum = 0;

    for (int64_t k = 0; k < colors; k++) {
        const int32_t n = next[k];

        next[k] = sum;
        sum += n;
    }
    for (int64_t i = 0; i < c->m; i++)
        c->order[next[c->color[i]]++] = (int32_t)i;
}

sb_status
sb_color_run(const sb_coloring *c, int32_t *colors)
{
    int32_t *rows = sb_alloc_array(c->m + 1, sizeof *rows);

    if (!rows)
        return SB_ENOMEM;
    *colors = color_all(c, rows);
    if (c->fraction < 1.0 || c->order) {
        memset(rows, 0, (size_t)(c->m + 1) * sizeof *rows);
        for (int64_t i = 0; i < c->m; i++)
            rows[c->color[i]]++;
        *colors = cut_short(c, rows, *colors);
    }
    if (c->order)
        sort_rows(c, rows, *colors);
    sb_free(rows);
    return SB_OK;
}
