/*
 * What the fast paths of conversion are made of: a matrix as rows, and kernels over one
 * index and one value type.
 */
#ifndef SB_FORMATS_CONV_FAST_H
#define SB_FORMATS_CONV_FAST_H

#include "formats/conv.h"

/* Rows of a matrix, or of its transpose: slot p of row i, ptr[i] <= p < ptr[i + 1], has
 * column idx[p], ascending in a row. Index arrays have one type, values any of `size`
 * bytes. */
typedef struct sb_rows {
    int64_t m, n, nnz;
    const void *ptr, *idx, *val;
} sb_rows;

/* Rows about to become blocks of b1 x b2. The rest is between the two passes: set by
 * list_blocks; lists and at are freed by the caller, whatever that returned. */
typedef struct sb_blocks {
    int64_t b1, b2, parts;
    void *lists, *at;
} sb_blocks;

/* Tiles of b1 x b2: tile (I, J) is number I * (n / b2, rounded up) + J. */
typedef struct sb_tiles {
    int64_t m, n, nnz, b1, b2;
    const void *ptr, *row, *col, *val;
} sb_tiles;

/* Results go to arrays that the caller has made; a `blank` one holds zeros. ENOMEM
 * only. */
typedef struct sb_fast_kernels {
    /* ptr[m + 1] of rows from a list's sorted rows; rows[] back. */
    void (*row_ptr)(void *ptr, const void *row, int64_t nnz, int64_t m,
                    const sb_par *par);
    void (*row_list)(void *row, const sb_rows *r, const sb_par *par);
    /* ptr[n + 1], idx[nnz], val[nnz] of the transpose. */
    sb_status (*transpose)(void *ptr, void *idx, void *val, const sb_rows *r,
                           const sb_par *par);
    /* ptr[number of block rows + 1], then idx and val of the blocks. */
    sb_status (*list_blocks)(void *ptr, sb_blocks *b, const sb_rows *r,
                             const sb_par *par);
    void (*fill_blocks)(void *idx, void *val, const void *ptr, const sb_blocks *b,
                        const sb_rows *r, const sb_par *par);
    /* number[j - i + m - 1] of each diagonal that holds something, -1 else; the count of
     * them comes back, or -1: ENOMEM. Then val[number][i]. */
    int64_t (*count_diagonals)(int64_t *number, const sb_rows *r, const sb_par *par);
    void (*fill_diagonals)(void *val, const int64_t *number, int64_t ndiag, bool blank,
                           const sb_rows *r, const sb_par *par);
    /* The same from tiles; val[number][j]. */
    int64_t (*count_tile_diagonals)(int64_t *number, const sb_tiles *t,
                                    const sb_par *par);
    void (*fill_tile_diagonals)(void *val, const int64_t *number, int64_t ndiag,
                                bool blank, const sb_tiles *t, const sb_par *par);
    /* Longest row, then idx and val [slot][row]. */
    int64_t (*longest_row)(const sb_rows *r);
    void (*fill_slots)(void *idx, void *val, int64_t slots, bool blank,
                       const sb_rows *r, const sb_par *par);
    /* Values with a bit of mask. */
    int64_t (*nonzeros)(const void *val, int64_t n, uint64_t mask);
} sb_fast_kernels;

/* Kernels for indices of type I32 or I64 and values of 4 or 8 bytes, else NULL. */
const sb_fast_kernels *sb_fast_kernels_for(sb_dtype index, size_t value);

#endif
