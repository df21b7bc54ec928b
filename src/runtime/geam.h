/*
 * C = alpha * A + beta * B, all three compressed by rows. C's pattern is the union of A's
 * and B's, whatever the scalars are.
 */
#ifndef SB_RUNTIME_GEAM_H
#define SB_RUNTIME_GEAM_H

#include "base/status.h"
#include "formats/matrix.h"

/* CSR, of one index and one value type; offsets may be of any type each, as may bases.
 * A's and B's columns ascend in a row; where one is repeated, so it is in C. Unsorted
 * columns give a C that has each entry, but not in order. */
typedef struct sb_geam {
    sb_matrix a, b, c;
    sb_value alpha, beta; /* 0: the values of that matrix are not read */
} sb_geam;

typedef struct sb_geam_steps {
    /* Writes C's offsets and *nnz. ERESOURCES when C's offsets cannot count so far: then
     * they hold anything. Reads A's and B's structure. */
    sb_status (*count)(const sb_geam *g, int64_t *nnz);
    /* Reads C's offsets; writes its columns and values. */
    void (*fill)(const sb_geam *g);
} sb_geam_steps;

#endif
