/*
 * The kernels of conv_kernels.inc for every pair of index and value type. Values are
 * moved, never computed with, so their size is their type.
 */
#include "formats/conv_fast.h"

#include "base/alloc.h"
#include "base/macro.h"

#include <string.h>

enum {
    PARTS = 16,            /* that need tables of their own */
    PART_MIN = 1 << 14,    /* entries worth another thread */
    GRAIN = 1 << 15,       /* entries of a chunk */
    AHEAD = 16,            /* entries between a line's call and its use */
    RUN = 8,               /* entries of a row written without asking */
    CHUNK_BYTES = 1 << 19, /* what a core's second cache holds with room to spare */
    CHUNK_MIN = 256,       /* places of a diagonal: writes must run on */
    CHUNK_BLANK = 4096,    /* the same where nothing is cleared */
    TILE = 128,            /* rows of slots side by side */
    STEP = 16              /* slots of them */
};

/* Above every index: extents are at most this, and indices below them. */
#define LAST_OF(type) ((type)(sizeof(type) == 4 ? INT32_MAX : INT64_MAX))

#define I int32_t
#define V uint32_t
#define FN(name) name##_44
#include "formats/conv_kernels.inc"

#define I int32_t
#define V uint64_t
#define FN(name) name##_48
#include "formats/conv_kernels.inc"

#define I int64_t
#define V uint32_t
#define FN(name) name##_84
#include "formats/conv_kernels.inc"

#define I int64_t
#define V uint64_t
#define FN(name) name##_88
#include "formats/conv_kernels.inc"

const sb_fast_kernels *
sb_fast_kernels_for(sb_dtype index, size_t value)
{
    if (value == 4)
        return index == SB_I64 ? &kernels_84 : &kernels_44;
    if (value == 8)
        return index == SB_I64 ? &kernels_88 : &kernels_48;
    return NULL;
}
