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

/* Sixteen entries a row: one anywhere in each sixteenth of the columns, or beside each other. */
enum { STREWN_ENTRIES = 16 };

static inline sb_matrix
strewn_matrix(bool in_order, int64_t m)
{
    int32_t *ptr = malloc(sizeof *ptr * (size_t)(m + 1)),
            *crd = malloc(sizeof *crd * (size_t)(m * STREWN_ENTRIES));
    uint32_t any = 1;

    assert_true(ptr && crd);
    for (int64_t i = 0; i <= m; i++)
        ptr[i] = (int32_t)(i * STREWN_ENTRIES);
    for (int64_t at = 0; at < m * STREWN_ENTRIES; at++) {
        const int64_t i = at / STREWN_ENTRIES, q = at % STREWN_ENTRIES,
                      width = m / STREWN_ENTRIES;

        any = any * 1664525 + 1013904223;
        crd[at] =
            (int32_t)(in_order ? (i < m - STREWN_ENTRIES ? i : m - STREWN_ENTRIES) + q
                               : q * width + (any >> 8) % width);
    }
    return (sb_matrix){.format = SB_FORMAT_CSR,
                       .rows = m,
                       .cols = m,
                       .nnz = m * STREWN_ENTRIES,
                       .ptr = ptr,
                       .idx = crd,
                       .ptr_type = SB_I32,
                       .idx_type = SB_I32,
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
