/*
 * Matrices for rules about the order of columns: part of the planner's tests.
 */
#ifndef SB_TEST_STREWN_H
#define SB_TEST_STREWN_H

#include "formats/matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static inline void
strewn_put(void *to, sb_dtype type, int64_t at, int64_t what)
{
    if (type == SB_I64)
        ((int64_t *)to)[at] = what;
    else
        ((int32_t *)to)[at] = (int32_t)what;
}

/* So many entries a row: one anywhere in each such share of the columns, or beside each other. */
static inline sb_matrix
strewn_matrix(bool in_order, int64_t m, int64_t entries, sb_dtype idx)
{
    const size_t size = sb_dtype_size(idx);
    char *ptr = malloc(size * (size_t)(m + 1)),
         *crd = malloc(size * (size_t)(m * entries));
    uint32_t any = 1;

    assert_true(ptr && crd);
    for (int64_t i = 0; i <= m; i++)
        strewn_put(ptr, idx, i, i * entries);
    for (int64_t at = 0; at < m * entries; at++) {
        const int64_t i = at / entries, q = at % entries, width = m / entries;

        any = any * 1664525 + 1013904223;
        strewn_put(crd, idx, at,
                   in_order ? (i < m - entries ? i : m - entries) + q
                            : q * width + (any >> 8) % width);
    }
    return (sb_matrix){.format = SB_FORMAT_CSR,
                       .rows = m,
                       .cols = m,
                       .nnz = m * entries,
                       .ptr = ptr,
                       .idx = crd,
                       .ptr_type = idx,
                       .idx_type = idx,
                       .val_type = SB_F32,
                       .val = crd, /* read by nobody */
                       .batch = 1};
}

static inline void
strewn_free(sb_matrix *a)
{
    free((void *)(uintptr_t)a->ptr);
    free((void *)(uintptr_t)a->idx);
}

#endif
