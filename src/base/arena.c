/*
 * Arena: a list of chunks, newest first, each filled from the front. A mark is a chunk
 * and a fill; resetting to it frees the newer chunks. Debug builds poison what a reset
 * gives back, so that a stale pointer shows.
 */
#include "base/arena.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/macro.h"
#include "base/tiny.h"

#include <stdalign.h>
#include <string.h>

enum { UNIT = 16, POISON = 0xA5 };

struct sb_arena_chunk {
    alignas(UNIT) sb_arena_chunk *next;
    size_t cap; /* bytes after this header */
};

static unsigned char *
chunk_data(sb_arena_chunk *c)
{
    return (unsigned char *)(c + 1);
}

static void
poison(sb_arena_chunk *c, size_t from, size_t to)
{
#ifndef NDEBUG
    if (from < to)
        memset(chunk_data(c) + from, POISON, to - from);
#else
    (void)c;
    (void)from;
    (void)to;
#endif
}

void
sb_arena_init(sb_arena *ar)
{
    ar->head = NULL;
    ar->used = 0;
}

static bool
grow(sb_arena *ar, size_t bytes)
{
    const size_t room = SB_ARENA_CHUNK - sizeof(sb_arena_chunk);
    const size_t cap = bytes > room ? bytes : room;
    sb_arena_chunk *c = sb_alloc(sizeof *c + cap);

    if (!c)
        return false;
    c->next = ar->head;
    c->cap = cap;
    ar->head = c;
    ar->used = 0;
    return true;
}

void *
sb_arena_alloc(sb_arena *ar, size_t bytes)
{
    size_t need;
    void *p;

    if (bytes > PTRDIFF_MAX - 2 * UNIT)
        return NULL;
    need = bytes ? (bytes + UNIT - 1) / UNIT * UNIT : UNIT;
    if ((!ar->head || ar->head->cap - ar->used < need) && !grow(ar, need))
        return NULL;
    p = chunk_data(ar->head) + ar->used;
    ar->used += need;
    return p;
}

void *
sb_arena_alloc_zero(sb_arena *ar, size_t bytes)
{
    void *p = sb_arena_alloc(ar, bytes);

    if (p)
        memset(p, 0, bytes);
    return p;
}

void *
sb_arena_array(sb_arena *ar, int64_t count, size_t size)
{
    size_t bytes;

    if (!sb_bytes(count, size, &bytes))
        return NULL;
    return sb_arena_alloc(ar, bytes);
}

void *
sb_arena_copy(sb_arena *ar, const void *src, size_t bytes)
{
    void *p = sb_arena_alloc(ar, bytes);

    if (p && bytes)
        memcpy(p, src, bytes);
    return p;
}

char *
sb_arena_strndup(sb_arena *ar, const char *s, size_t len)
{
    char *p = len < PTRDIFF_MAX ? sb_arena_alloc(ar, len + 1) : NULL;

    if (p) {
        if (len)
            memcpy(p, s, len);
        p[len] = '\0';
    }
    return p;
}

sb_arena_pos
sb_arena_mark(const sb_arena *ar)
{
    return (sb_arena_pos){ar->head, ar->used};
}

void
sb_arena_reset(sb_arena *ar, sb_arena_pos pos)
{
    while (ar->head != pos.head) {
        sb_arena_chunk *c = ar->head;

        SB_ASSERT(c != NULL); /* a mark of this arena, not yet passed by a reset */
        poison(c, 0, ar->used);
        ar->head = c->next;
        ar->used = ar->head ? ar->head->cap : 0;
        sb_free(c);
    }
    if (pos.head)
        poison(pos.head, pos.used, ar->used);
    ar->used = pos.used;
}

size_t
sb_arena_bytes(const sb_arena *ar)
{
    size_t bytes = 0;

    for (const sb_arena_chunk *c = ar->head; c; c = c->next)
        bytes += sizeof *c + c->cap;
    return bytes;
}

void
sb_arena_free(sb_arena *ar)
{
    sb_arena_reset(ar, (sb_arena_pos){NULL, 0});
}
