/*
 * The only door to the heap. Tests make the n-th allocation fail through the counter;
 * large blocks are 64-byte aligned and ask for 2 MiB pages (madvise), which doubles
 * gather bandwidth from the last-level cache.
 */
#ifndef SB_BASE_ALLOC_H
#define SB_BASE_ALLOC_H

#include "base/tiny.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL when memory is short; size 0 gives a unique pointer. 64-byte aligned. */
void *sb_alloc(size_t bytes);
void *sb_alloc_zero(size_t bytes);
/* The same zeros, but blocks of SB_ALLOC_FRESH bytes and more are pages that nobody has
 * touched: for arrays of which little will be written. */
void *sb_alloc_blank(size_t bytes);
/* count * size, NULL also when the product overflows or is negative. */
void *sb_alloc_array(int64_t count, size_t size);
/* Room for element `count` of an array that grows: where it is full, an array of twice as many
 * takes its place. false: memory is short, and the array is as it was. A list of unknown length
 * costs what it holds and not what it might: fresh pages cost more than copies. */
bool sb_alloc_room(void **array, int64_t *room, int64_t count, size_t size);
/* NULL is fine. */
void sb_free(void *p);

/* Test hook: let `n` allocations of this thread succeed, then fail all; n < 0: never.
 * Returns the number of allocations this thread has asked for since the last call. */
int64_t sb_alloc_fail_after(int64_t n);
/* Blocks allocated and not freed, whole process. */
int64_t sb_alloc_live(void);

#endif
