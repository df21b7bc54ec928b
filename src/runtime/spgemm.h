/*
 * C = alpha * A * B + beta * C with all three compressed by rows: what is to be multiplied,
 * where it stands, and the steps that a backend takes. A caller lends all memory.
 *
 *   work      products of each row, which balance the threads
 *   count     entries of each row of C: offsets
 *   columns   C's offsets, and its columns, ascending in a row
 *   values    C's values at columns that are there
 *   fill      both together, in one pass
 */
#ifndef SB_RUNTIME_SPGEMM_H
#define SB_RUNTIME_SPGEMM_H

#include "base/status.h"
#include "formats/matrix.h"

typedef struct sb_spgemm {
    sb_matrix a, b, c; /* CSR; A's and B's columns in any order, also repeated */
    sb_value alpha, beta;
    int64_t *work; /* rows + 1: products of the rows above */
    int64_t *ptr;  /* rows + 1: entries of C in the rows above */
    char
        *scratch; /* slots pieces of slot_bytes, 64-byte aligned; what is in them may be
                      anything between steps */
    size_t slot_bytes;
    int slots; /* threads that may work at once, at least 1 */
    /* A device's (src/native): columns that the rows above can have, rows + 1; of all rows, of
     * the one with most. scratch then is one piece, of slots times slot_bytes. */
    int64_t *table;
    int64_t table_all, table_most;
} sb_spgemm;

typedef struct sb_spgemm_steps {
    /* Writes work. ERESOURCES when there are more than 2^63 products. */
    sb_status (*work)(const sb_spgemm *g);
    /* Bytes of one slot, a multiple of 64, for pattern steps (values false) and for all;
     * false when they do not fit a size_t. Reads work. */
    bool (*slot)(const sb_spgemm *g, bool values, size_t *bytes);
    /* Reads work, A's and B's structure; writes ptr. */
    void (*count)(const sb_spgemm *g);
    /* columns and fill write C's offsets and columns, values reads its columns; values and
     * fill read A's, B's and, unless beta is 0, C's values and write C's. Read work, ptr. */
    void (*columns)(const sb_spgemm *g);
    void (*values)(const sb_spgemm *g);
    void (*fill)(const sb_spgemm *g);
} sb_spgemm_steps;

#endif
