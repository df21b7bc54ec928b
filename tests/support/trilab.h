/*
 * Triangular solves under test: a matrix with entries on both sides of its diagonal, right
 * sides in some layout, and SpSV's or SpSM's calls on them.
 */
#ifndef SB_TEST_TRILAB_H
#define SB_TEST_TRILAB_H

#include "gen.h"

#include "spblas.h"

#include <complex.h>

typedef long double complex tri_wide;

/* Entries of a square matrix, with a diagonal. */
typedef struct tri_entry {
    int64_t i, j;
    sb_value v;
} tri_entry;

/* A solve under test. */
typedef struct tri_lab {
    int64_t n, cols, nnz;
    sb_dtype type, index;
    int base;
    bool upper, unit, vector, in_place;
    spblasOperation_t op, op_b;
    tri_entry *e; /* in the order of storage */
    void *ptr, *row, *col, *val;
    int64_t slots;  /* values stored, those of no entry included */
    int64_t *place; /* slot of each entry; NULL: the entry's number */
    sb_value alpha;
    double alpha_bytes[2];
    sb_dense b, c; /* op_b (b) is the right side */
    spblasHandle_t handle;
    spblasSpMatDescr_t A;
    spblasDnMatDescr_t B, C;
    spblasDnVecDescr_t x, y;
    spblasSpSVDescr_t sv;
    spblasSpSMDescr_t sm;
    spblasStatus_t (*solve)(struct tri_lab *l); /* NULL: tri_solve */
} tri_lab;

void tri_ok(spblasStatus_t st);
/* Small integers and pivots of one or two; else reals, pivots the larger. */
sb_value tri_draw(gen_rng *r, sb_dtype t, bool exact, bool diagonal);
/* The arrays of the entries, and the matrix; the values of the entries again. Formats of
 * blocks and slots drop entries that come twice. */
void tri_dress(tri_lab *l, spblasFormat_t format);
void tri_dress_slots(tri_lab *l, spblasFormat_t format); /* trilab_slots.c */
void tri_store_values(tri_lab *l);
void tri_make_dense(tri_lab *l, gen_rng *r);
/* Handle and descriptors, over what the two above made. */
void tri_begin(tri_lab *l);
void tri_end(tri_lab *l);
/* All of that for case k. */
tri_lab tri_make(uint64_t k, bool exact, gen_rng *r);

tri_wide tri_of(sb_value v);
tri_wide tri_get(const sb_dense *d, int64_t i, int64_t j);
void tri_put(const sb_dense *d, int64_t i, int64_t j, tri_wide v);
/* Element (i, j) of the right side that b holds. */
tri_wide tri_right(const tri_lab *l, const sb_dense *b, int64_t i, int64_t j);

spblasStatus_t tri_analyse(tri_lab *l);
spblasStatus_t tri_solve(tri_lab *l);
spblasStatus_t tri_update(tri_lab *l, void *values, bool diagonal);

/* trilab_check.c. op(A)'s row and column of an entry, or false: not of the triangle. */
bool tri_entry_of(const tri_lab *l, const tri_entry *e, int64_t *i, int64_t *j,
                  tri_wide *v);
/* op(A) * c, and the same of magnitudes; n x cols by rows. */
void tri_multiply(const tri_lab *l, const sb_dense *c, tri_wide *sum, long double *mag);
/* The right side from a drawn solution, the solve, and the solution again. */
void tri_check_exact(tri_lab *l, gen_rng *r);

#endif
