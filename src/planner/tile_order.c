/*
 * The order of a step's tiles on a GPU: much longer ones first, so that none of them is
 * begun when the others are done. Tiles within a factor of four keep their order, which
 * carries the neighbourhood of rows. Results do not depend on it: tiles of a step are
 * disjoint.
 */
#include "planner/context.h"

#include "base/alloc.h"

#include <string.h>

/* 0: up to four times the grain; 1: up to 16 times; .. */
static int
rank_of(int64_t cost, int64_t grain)
{
    int rank = 0;

    for (cost /= grain > 0 ? grain : 1; cost >= 4; cost /= 4)
        rank++;
    return rank;
}

void
sb_tiles_longest_first(sb_tile *tile, int64_t n, int64_t grain)
{
    int most = 0;
    sb_tile *by_rank;
    int64_t at = 0;

    for (int64_t q = 0; q < n; q++) {
        tile[q].base = rank_of(tile[q].base, grain);
        most = tile[q].base > most ? (int)tile[q].base : most;
    }
    by_rank = most > 0 ? sb_alloc_array(n, sizeof *by_rank) : NULL;
    for (int rank = most; by_rank && rank >= 0; rank--)
        for (int64_t q = 0; q < n; q++)
            if (tile[q].base == rank)
                by_rank[at++] = tile[q];
    if (by_rank)
        memcpy(tile, by_rank, (size_t)n * sizeof *tile);
    sb_free(by_rank);
    for (int64_t q = 0; q < n; q++)
        tile[q].base = 0;
}
