/*
 * The heap, its failure hook and its live counter. Blocks of 4 MiB and more start at a
 * 2 MiB boundary and are offered to the kernel as huge pages; everything else starts at
 * a cache line.
 */
#include "base/alloc.h"

#include "base/checked.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CACHE_LINE = 64, FIRST_ROOM = 64 };
static const size_t huge_page = (size_t)2 << 20;
static const size_t huge_from = (size_t)4 << 20;

static _Atomic int64_t live;
static _Thread_local int64_t asked;
static _Thread_local int64_t allowed = -1;

static bool
refused(void)
{
    asked++;
    if (allowed < 0)
        return false;
    if (allowed == 0)
        return true;
    allowed--;
    return false;
}

void *
sb_alloc(size_t bytes)
{
    const bool huge = bytes >= huge_from;
    void *p = NULL;

    if (refused() || bytes > PTRDIFF_MAX)
        return NULL;
    if (posix_memalign(&p, huge ? huge_page : CACHE_LINE, bytes ? bytes : 1) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (huge)
        (void)madvise(p, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
    atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    return p;
}

void *
sb_alloc_zero(size_t bytes)
{
    void *p = sb_alloc(bytes);

    if (p)
        memset(p, 0, bytes);
    return p;
}

void *
sb_alloc_blank(size_t bytes)
{
    char *p = sb_alloc(bytes);
    size_t done = 0;

    if (!p)
        return NULL;
    if (bytes >= SB_ALLOC_FRESH) {
        const size_t page = (size_t)sysconf(_SC_PAGESIZE),
                     before = (page - (uintptr_t)p % page) % page;

        /* Pages given back read as zero, unless the heap is shared memory: then the
         * mark is still there. */
        memset(p, 0, before);
        done = before + (bytes - before) / page * page;
        *(volatile char *)(p + before) = 1;
        if (madvise(p + before, done - before, MADV_DONTNEED) != 0 ||
            *(volatile char *)(p + before) != 0)
            done = before;
    }
    memset(p + done, 0, bytes - done);
    return p;
}

void *
sb_alloc_array(int64_t count, size_t size)
{
    size_t bytes;

    if (!sb_bytes(count, size, &bytes))
        return NULL;
    return sb_alloc(bytes);
}

bool
sb_alloc_room(void **array, int64_t *room, int64_t count, size_t size)
{
    const int64_t more = *room > INT64_MAX / 2 ? -1
                         : *room > 0           ? 2 * *room
                                               : FIRST_ROOM;
    void *to;

    if (count < *room)
        return true;
    to = sb_alloc_array(more, size);
    if (!to)
        return false;
    if (count > 0)
        memcpy(to, *array, (size_t)count * size);
    sb_free(*array);
    *array = to;
    *room = more;
    return true;
}

void
sb_free(void *p)
{
    if (!p)
        return;
    atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
    free(p);
}

int64_t
sb_alloc_fail_after(int64_t n)
{
    const int64_t before = asked;

    asked = 0;
    allowed = n;
    return before;
}

int64_t
sb_alloc_live(void)
{
    return atomic_load_explicit(&live, memory_order_relaxed);
}
