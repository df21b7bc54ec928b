/*
 * Bytes made shorter where they repeat themselves: runs of new bytes and copies of earlier
 * ones (LZ77), greedy. For machine code; decodes at the speed of memory.
 */
#ifndef SB_BASE_PACK_H
#define SB_BASE_PACK_H

#include "base/strbuf.h"

#include <stdbool.h>

/* Appends n bytes packed; a failure is the buffer's. */
void sb_pack(sb_strbuf *out, const void *bytes, size_t n);

/* The n bytes back from `packed`; false: it is not of n bytes, or damaged. Reads and
 * writes nothing outside, whatever it is given. */
bool sb_unpack(void *out, size_t n, const void *packed, size_t size);

#endif
