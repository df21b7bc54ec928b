/*
 * Counting for the counting sort.
 */
#include "cpu/group.h"

#include "cpu/exec.h"

#include <string.h>

#ifdef SB_TINY
enum { CHUNK = 4 };
#else
enum { CHUNK = 1 << 14 }; /* entries of a chunk, at least */
#endif
enum { CHUNKS = 16 }; /* at most */

/* Counts are no more than entries, so that sums over them are cheap. */
static int64_t
most_chunks(int64_t keys, int64_t entries)
{
    int64_t chunks = entries / (keys + CHUNK);

    chunks = chunks < CHUNKS ? chunks : CHUNKS;
    return chunks > 1 ? chunks : 1;
}

/* What any number of keys up to this one takes: fewer keys may go into more chunks, and
 * callers ask for room before they know which keys they sort by. */
size_t
sb_group_bytes(int64_t keys, int64_t entries)
{
    const int64_t most = CHUNKS * keys < entries ? CHUNKS * keys : entries;

    return (size_t)(most > keys ? most : keys) * sizeof(int32_t);
}

static void
count_chunks(void *user, int64_t lo, int64_t hi)
{
    const sb_group *g = user;

    for (int64_t c = lo; c < hi; c++) {
        int32_t *count = g->next + c * g->keys;
        const int64_t end = sb_group_at(g, c + 1);
        const int32_t *key = g->key, base = g->base;

        memset(count, 0, (size_t)g->keys * sizeof *count);
        for (int64_t p = sb_group_at(g, c); p < end; p++)
            count[key[p] - base]++;
    }
}

void
sb_group_count(sb_group *g, int32_t *ptr, int base)
{
    const int64_t most = most_chunks(g->keys, g->entries), team = sb_exec_threads();
    int32_t sum = 0;

    g->chunks = team < most ? team : most;
    if (g->keys > 0)
        sb_exec_parallel(count_chunks, g, 0, g->chunks, 1);
    for (int64_t k = 0; k < g->keys; k++) {
        ptr[k] = sum + base;
        for (int64_t c = 0; c < g->chunks; c++) {
            int32_t *at = g->next + c * g->keys + k;
            const int32_t n = *at;

            *at = sum;
            sum += n;
        }
    }
    ptr[g->keys] = sum + base;
}
