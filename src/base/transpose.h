/*
 * Dense matrices the other way round: what lies by columns is put by rows, or back.
 */
#ifndef SB_BASE_TRANSPOSE_H
#define SB_BASE_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>

/*
 * to[e * to_ld + q] = from[q * from_ld + e] for the `lines` lines q of `from` and the `count`
 * elements e of each, all of `size` bytes (1, 2, 4, 8 or 16) and wherever they lie. Nothing else
 * is read or written; the two may not overlap.
 */
void sb_transpose(void *to, int64_t to_ld, const void *from, int64_t from_ld,
                  int64_t lines, int64_t count, size_t size);

#endif
