/*
 * The kernels of conv_kernels.inc for every pair of index and value type. Values are
 * moved, never computed with, so their size is their type.
 */
#include "formats/conv_fast.h"

#include "base/alloc.h"

#include <string.h>

/* PARTS: chunks that need tables of their own. CHUNK_BYTES: what a core's second
 * cache holds with room to spare. */
enum {
    PARTS = 16,
    GRAIN = 1 << 15,
    MERGE_MAX = SB_FAST_BLOCK,
    TILE = 64,
    CHUNK_BYTES = 1 << 19
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
