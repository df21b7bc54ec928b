/*
 * Bump allocation for what dies together: the IR of one compile, the scratch of one
 * pass, the candidates of one search.
 */
#ifndef SB_BASE_ARENA_H
#define SB_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct sb_arena_chunk sb_arena_chunk;
typedef struct sb_arena {
    sb_arena_chunk *head; /* newest chunk */
    size_t used;          /* bytes used in head */
} sb_arena;

typedef struct sb_arena_pos {
    sb_arena_chunk *head;
    size_t used;
} sb_arena_pos;

void sb_arena_init(sb_arena *ar);
/* 16-byte aligned, NULL when memory is short. */
void *sb_arena_alloc(sb_arena *ar, size_t bytes);
void *sb_arena_alloc_zero(sb_arena *ar, size_t bytes);
void *sb_arena_array(sb_arena *ar, int64_t count, size_t size);
void *sb_arena_copy(sb_arena *ar, const void *src, size_t bytes);
/* NUL-terminated copy of len bytes. */
char *sb_arena_strndup(sb_arena *ar, const char *s, size_t len);
sb_arena_pos sb_arena_mark(const sb_arena *ar);
void sb_arena_reset(sb_arena *ar, sb_arena_pos pos);
/* Bytes its chunks hold. */
size_t sb_arena_bytes(const sb_arena *ar);
void sb_arena_free(sb_arena *ar);

#endif
