/*
 * Patterns of C's rows for both index types.
 */
#include "base/fault.h"
#include "base/macro.h"
#include "cpu/spgemm.h"

#include <string.h>

uint8_t
sb_spgemm_stamp(const sb_spgemm *g, sb_spgemm_slot *s)
{
    if (s->stamp == UINT8_MAX) {
        memset(s->mark, 0, (size_t)g->b.cols);
        s->stamp = 0;
    }
    return (uint8_t)++s->stamp;
}

#define I int32_t
#define OP(name) i32_##name
#include "cpu/spgemm_index.inc"

#define I int64_t
#define OP(name) i64_##name
#include "cpu/spgemm_index.inc"

const sb_spgemm_index *
sb_spgemm_index_of(sb_dtype index)
{
    return index == SB_I64 ? &i64_kernels : &i32_kernels;
}
