/*
 * Which part of a plan an entry belongs to, worked out from the plan's text and the
 * rules that define the parts: bsr takes full aligned blocks, dia diagonals over a
 * threshold, win runs of columns that neighbouring rows share, the others all that is
 * left; rows with hyb is shown by length bucket. Several may select, one after the other.
 */
#ifndef SPBLAS_TOOL_PARTS_H
#define SPBLAS_TOOL_PARTS_H

#include "mm.h"

enum { PARTS_MAX = 12 };

typedef struct parts_map {
    int count;
    int64_t
        rows; /* that a part may take from; fewer once another has touched only those */
    bool touched;
    char name[PARTS_MAX][64];
    int64_t entries[PARTS_MAX];
    uint8_t *of; /* by entry; released by parts_free */
} parts_map;

/* text NULL: one part of everything. */
void parts_assign(parts_map *out, const mm_matrix *m, const char *text);
void parts_free(parts_map *p);

#endif
