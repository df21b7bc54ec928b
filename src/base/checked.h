/*
 * Arithmetic that says when it overflows. Sizes of arrays come from here.
 */
#ifndef SB_BASE_CHECKED_H
#define SB_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* true and *out set, or false on overflow (or, for bytes, on a negative count). */
bool sb_mul_i64(int64_t a, int64_t b, int64_t *out);
bool sb_add_i64(int64_t a, int64_t b, int64_t *out);
bool sb_bytes(int64_t count, size_t size, size_t *out);
/* (major - 1) * ld + minor: elements from first to last of a strided matrix, 0 if
 * empty. */
bool sb_strided_extent(int64_t major, int64_t minor, int64_t ld, int64_t *out);

#endif
