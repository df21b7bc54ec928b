/*
 * Stable counting sort by a small key: entries are cut into chunks, each of which counts
 * its keys; sums over the counts tell every chunk where its entries of a key go. The
 * result does not depend on the number of chunks.
 */
#ifndef SB_CPU_GROUP_H
#define SB_CPU_GROUP_H

#include <stddef.h>
#include <stdint.h>

typedef struct sb_group {
    int64_t keys, entries;
    const int32_t *key; /* base .. base + keys - 1 */
    int32_t base;
    int64_t chunks;
    int32_t *next; /* chunks x keys: where the next entry of that chunk and key goes */
} sb_group;

/* Bytes of `next`, also for fewer keys. */
size_t sb_group_bytes(int64_t keys, int64_t entries);

/* Sets chunks and counts into next; ptr[keys + 1]: where keys begin, plus base. */
void sb_group_count(sb_group *g, int32_t *ptr, int base);

/* Entries of chunk c are [at(c), at(c + 1)). */
static inline int64_t
sb_group_at(const sb_group *g, int64_t c)
{
    return g->entries / g->chunks * c + g->entries % g->chunks * c / g->chunks;
}

#endif
