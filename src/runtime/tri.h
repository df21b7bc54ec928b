/*
 * Triangular solves op(A) * C = alpha * B: what an analysis keeps of a triangle, and the
 * steps that a backend takes.
 *
 * The entries of op(A) outside the diagonal lie in the order they are used, with copies of
 * their values: row q of that order is row row[q] of op(A). A stage is a run of those rows.
 * Rows of a `wide` one need only rows of earlier stages, so threads share them; others go
 * one after another.
 */
#ifndef SB_RUNTIME_TRI_H
#define SB_RUNTIME_TRI_H

#include "base/diag.h"
#include "formats/matrix.h"
#include "runtime/problem.h"

typedef struct sb_tri_stage {
    int64_t hi; /* past its last row; it begins where the one before ends */
    bool wide;
} sb_tri_stage;

/* Index arrays are of `index`: I32 if rows and the caller's slots can be counted so. */
typedef struct sb_tri {
    int64_t rows, nnz, diagonals; /* entries beside and on the diagonal */
    sb_dtype type, index;
    bool conj, unit;
    int64_t *ptr; /* rows + 1 */
    void *row;    /* rows */
    void *col;    /* nnz */
    void *from;   /* nnz: slots of the caller's values */
    void
        *diag_row; /* diagonals: where in the order, and the slot; one place may come */
    void *diag_from;  /* several times: it adds up */
    void *val, *diag; /* nnz, rows: 0 where none is stored; unit: not there */
    int stages;
    sb_tri_stage *stage;
} sb_tri;

/* Which triangle of A, and what of it. */
typedef struct sb_tri_part {
    bool upper, unit;
    sb_trans trans;
} sb_tri_part;

/* B and C: element (i, j) at i * row + j * col. They may be one. */
typedef struct sb_tri_solve {
    sb_value alpha;
    int64_t cols;
    const void *b;
    int64_t b_row, b_col;
    bool b_conj;
    void *c;
    int64_t c_row, c_col;
} sb_tri_solve;

typedef struct sb_tri_steps {
    /* *out owned, NULL on failure. Reads all of A, square; without values what comes of
     * them holds anything. ENOMEM, ENOTSUP and EINVAL as sb_view_make_elements. */
    sb_status (*analyse)(sb_tri **out, const sb_matrix *a, const sb_tri_part *part,
                         sb_diag *diag);
    /* Takes the caller's values anew; diagonal: `rows` values of the diagonal alone. */
    void (*update)(sb_tri *t, const void *values, bool diagonal);
    void (*solve)(const sb_tri *t, const sb_tri_solve *s);
    void (*release)(sb_tri *t); /* NULL is fine */
} sb_tri_steps;

#endif
