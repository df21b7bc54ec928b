/* Matrices whose rows belong to communities, shuffled, as views. */
#ifndef SB_TEST_PATTERN_H
#define SB_TEST_PATTERN_H

#include "formats/view.h"
#include "gen.h"

#include <stdint.h>
#include <stdlib.h>

/* `width` columns of each row, of its community or (0 communities) next to it, as a view. */
typedef struct pattern {
    int32_t *ptr, *crd;
    sb_view v;
} pattern;

static inline int
by_number(const void *x, const void *y)
{
    return *(const int32_t *)x < *(const int32_t *)y ? -1 : 1;
}

/* Row i of community i % communities, which is far from its others. */
static inline pattern
pattern_new(int32_t rows, int32_t width, int32_t communities)
{
    pattern p = {malloc((size_t)(rows + 1) * sizeof *p.ptr),
                 malloc((size_t)(rows * width) * sizeof *p.crd),
                 {0}};
    gen_rng rng = {5};

    for (int32_t i = 0; i < rows; i++) {
        p.ptr[i] = i * width;
        for (int32_t q = 0; q < width; q++)
            p.crd[i * width + q] =
                communities > 0
                    ? i % communities +
                          communities * (int32_t)gen_below(&rng, rows / communities)
                    : (i + q) % rows;
        qsort(p.crd + i * width, (size_t)width, sizeof *p.crd, by_number);
    }
    p.ptr[rows] = rows * width;
    p.v = (sb_view){.rows = rows,
                    .cols = rows,
                    .nnz = (int64_t)rows * width,
                    .block = 1,
                    .ptr = p.ptr,
                    .crd = p.crd,
                    .ptr_type = SB_I32,
                    .crd_type = SB_I32,
                    .slot_type = SB_I32};
    return p;
}

/* Each row so many times, one after the other. */
static inline pattern
pattern_times(const pattern *p, int32_t times)
{
    const int32_t rows = (int32_t)p->v.rows, width = p->ptr[1];
    pattern t = pattern_new(times * rows, width, 0);

    for (int32_t i = 0; i < times * rows; i++)
        for (int32_t q = 0; q < width; q++)
            t.crd[i * width + q] = times * p->crd[i / times * width + q];
    return t;
}

/* A ring whose rows name their `width` nearest, numbered in no order: `stride` has no divisor in
 * common with `rows`. */
static inline pattern
pattern_ring(int32_t rows, int32_t width, int32_t stride)
{
    pattern p = pattern_new(rows, width, 0);

    for (int64_t i = 0; i < rows; i++) {
        int32_t *crd = p.crd + i * stride % rows * width;

        for (int32_t q = 0; q < width; q++)
            crd[q] = (int32_t)((i + q + rows - width / 2) % rows * stride % rows);
        qsort(crd, (size_t)width, sizeof *crd, by_number);
    }
    return p;
}

static inline void
pattern_free(pattern *p)
{
    free(p->ptr);
    free(p->crd);
}

#endif
